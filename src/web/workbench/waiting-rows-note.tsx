import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useState } from "react";
import { toTitle } from "../../core/model/inflection.ts";
import { keys } from "../api/query-keys.ts";
import { reload } from "../api/reload.ts";
import { useApplication, useClient, useStore } from "../app/app-context.tsx";
import { importToShow } from "../app/import-to-show.ts";
import { useWords } from "../i18n/words.tsx";
import { Button, IconButton } from "../ui/control/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import {
  areStillWaiting,
  countWaitingRows,
  findMissingRoles,
  importWaitingRows,
  listWaitingEntities,
  waitingRows,
} from "./waiting-rows.ts";
import "./waiting-rows.css";

/** Says that rows of a file wait for the draft that was made from it, and imports them once it is published. */
export const WaitingRowsNote = () => {
  const { say } = useWords();
  const { calls } = useClient();
  const { entities, screens, person } = useApplication();
  const queries = useQueryClient();
  const waiting = useStore(waitingRows);
  const [isGranting, setIsGranting] = useState(false);
  const isPublished = waiting?.imports.every(({ entity }) => entities[entity] !== undefined) === true;
  const closed = isPublished ? listWaitingEntities().filter((entity) => entities[entity]?.create === null) : [];
  const { data: missing } = useQuery({
    queryKey: keys.missingRoles(closed),
    queryFn: () => findMissingRoles(calls, person?.id ?? "", closed),
    enabled: closed.length > 0 && person?.administrator === true,
    retry: false,
  });
  const begin = async (): Promise<void> => {
    await importWaitingRows(calls, (entity) => entities[entity]?.calls);
    await reload(queries);
  };
  const grant = async (roles: readonly string[]): Promise<void> => {
    setIsGranting(true);
    try {
      for (const role of roles) await calls.changeAccount(person?.id ?? "", { kind: "grant", role });
    } finally {
      setIsGranting(false);
    }
    await begin();
  };
  const begins = useEffectEvent(() => void begin());
  const isDue = isPublished && waiting?.isWanted === true && closed.length === 0;
  useEffect(() => {
    if (isDue) begins();
  }, [isDue]);
  if (waiting === null) return null;
  const { file, done, isRunning } = waiting;
  const rows = countWaitingRows(waiting);
  const isDone = done.length > 0 && !isRunning;
  const refusal = entities[closed[0] ?? ""]?.createRefused?.because;
  return (
    <div className="waiting-rows" role="status">
      <Icon name="import" />
      {areStillWaiting(waiting) ? (
        <p>{refusal ?? say(isPublished ? "begin.rows.ready" : "begin.rows.wait", { file, rows })}</p>
      ) : (
        <ul>
          {isRunning && <li>{say("begin.rows.running", { file })}</li>}
          {done
            .filter((one) => !one.isSecond)
            .map(({ entity, id, added, refused, adjusted, asks, failure }) => {
              const list = screens.find((screen) => screen.kind === "list" && screen.entity === entity)?.path;
              const things = toTitle(entities[entity]?.many ?? entity);
              const words =
                failure !== null
                  ? say("begin.rows.failed", { things, detail: failure === "" ? say("begin.failed") : failure })
                  : asks
                    ? say("begin.rows.asks", { things })
                    : say("begin.rows.done", { things, added, refused, adjusted });
              // Refused rows, changed cells, and a question about the file are in the report of the import.
              const path = entities[entity]?.calls;
              const toShow =
                id !== null && path !== undefined && (asks || adjusted > 0 || refused > 0) ? { path, id } : null;
              return (
                <li key={entity}>
                  {list === undefined ? (
                    words
                  ) : (
                    <Link className="link" href={list} onClick={() => importToShow.set(toShow)}>
                      {words}
                    </Link>
                  )}
                </li>
              );
            })}
        </ul>
      )}
      <span className="grow" />
      {isPublished && areStillWaiting(waiting) && closed.length === 0 && (
        <Button small look="primary" onClick={() => void begin()}>
          {say("begin.rows.do", { rows })}
        </Button>
      )}
      {areStillWaiting(waiting) && missing !== undefined && missing.length > 0 && (
        <Button small look="primary" busy={isGranting} onClick={() => void grant(missing.map(({ role }) => role))}>
          {say("begin.rows.grant", { roles: missing.map(({ title }) => title).join(", "), rows })}
        </Button>
      )}
      {!isRunning && (
        <IconButton
          small
          icon="close"
          label={say(isDone ? "close" : "begin.rows.forget")}
          onClick={() => waitingRows.set(null)}
        />
      )}
    </div>
  );
};
