import { useEffect, useState } from "react";
import type { WordId } from "../../core/i18n/catalogue.ts";
import { useClient, useDelayed, usePerson, useStore } from "../app/app-context.tsx";
import type { ConnectionState } from "../app/app-state.ts";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { Icon } from "../ui/icon.tsx";

const words = {
  away: "away.bar",
  unreachable: "unreachable.bar",
  offline: "offline.bar",
} satisfies Record<Exclude<ConnectionState, "reached">, WordId>;

/** Bars for a server that does not respond, and for a newer build. */
export const StatusBars = () => {
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
      <ImpersonationBar />
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

/** Shown while an administrator views the application as somebody else, with a way to stop. */
const ImpersonationBar = () => {
  const { calls } = useClient();
  const { say } = useWords();
  const person = usePerson();
  if (person?.looked === undefined) return null;
  // All loaded data belongs to the other person's view.
  const stop = () => void calls.viewAs(null).finally(() => window.location.assign(`/workbench/people/${person.id}`));
  return (
    <aside className="looking-bar" aria-label={say("look.title")}>
      <Icon name="show" />
      <span>{say("look.bar", { name: person.name })}</span>
      <Button small onClick={stop}>
        {say("look.stop")}
      </Button>
    </aside>
  );
};
