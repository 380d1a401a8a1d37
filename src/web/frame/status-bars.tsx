import { useEffect, useState } from "react";
import type { WordId } from "../../core/i18n/catalogue.ts";
import { useClient, useDelayed, usePerson, useStore } from "../app/app-context.tsx";
import type { ConnectionState } from "../app/app-state.ts";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { lazyComponent, PageNotLoaded } from "../ui/page/lazy.tsx";
import { LoadingBoundary } from "../util/loading-boundary.tsx";

const ImpersonationBar = lazyComponent(() => import("./impersonation-bar.tsx"), PageNotLoaded);

const words = {
  away: "away.bar",
  unreachable: "unreachable.bar",
  offline: "offline.bar",
} satisfies Record<Exclude<ConnectionState, "reached">, WordId>;

/** Bars for a server that does not respond, and for a newer build. */
export const StatusBars = () => {
  const person = usePerson();
  const { connection, reconnect, renewed, atWork } = useClient();
  const { say } = useWords();
  const old = useStore(renewed);
  const state = useStore(connection);
  const hasInput = useStore(atWork) > 0;
  const lost = useDelayed(state !== "reached", 400);
  const [last, setLast] = useState<Exclude<ConnectionState, "reached"> | null>(null);
  useEffect(() => {
    if (state !== "reached") setLast(state);
  }, [state]);
  return (
    <>
      {person?.looked && (
        <LoadingBoundary fallback={null}>
          <ImpersonationBar person={person} />
        </LoadingBoundary>
      )}
      <div role="status" className={(lost && last) || old ? "connection" : undefined}>
        {lost && last ? (
          <p className="connection-bar">
            <Icon name="offline" />
            <span>{say(last === "offline" && hasInput ? "offline.bar.input" : words[last])}</span>
            <Button small look="quiet" onClick={reconnect}>
              {say("broken.retry")}
            </Button>
          </p>
        ) : (
          old && (
            <p className="connection-bar">
              <span>{say("renewed.bar")}</span>
              <Button small look="quiet" onClick={() => window.location.reload()}>
                {say("renewed.do")}
              </Button>
            </p>
          )
        )}
      </div>
    </>
  );
};
