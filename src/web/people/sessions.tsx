import { type ReactNode, useState } from "react";
import type { SessionJson } from "../../core/wire/accounts/account.ts";
import { parseUserAgent } from "../format/user-agent.ts";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";

interface SessionsProps {
  readonly sessions: readonly SessionJson[];
  /** Asks before a session ends; absent if sessions can only be ended together. */
  readonly onEnd?: (session: SessionJson) => void;
  readonly children?: ReactNode;
}

/** Number shown at first; the others are shown on request. */
const SHOWN = 5;

/** Returns a function that names the device of a session: “Chrome on Linux”. */
export const useDeviceName = (): ((session: SessionJson) => string) => {
  const { say } = useWords();
  return ({ agent: text, viewer }) => {
    if (viewer !== undefined)
      return viewer === null ? say("sessions.viewer.own") : say("sessions.viewer", { name: viewer });
    const agent = parseUserAgent(text);
    return agent ? say("sessions.on", { browser: agent.browser, system: agent.system }) : say("sessions.unknown");
  };
};

/** The sessions of an account, newest first. */
export const Sessions = ({ sessions, onEnd, children }: SessionsProps) => {
  const { say, show } = useWords();
  const [all, setAll] = useState(sessions.length <= SHOWN + 1);
  const getDeviceName = useDeviceName();
  return (
    <section aria-labelledby="sessions" className="people-part">
      <h2 id="sessions">{say("sessions.title")}</h2>
      {sessions.length === 0 ? (
        <p className="none">{say("sessions.none")}</p>
      ) : (
        <ul className="sessions">
          {(all ? sessions : sessions.slice(0, SHOWN)).map((session) => (
            <li key={session.id}>
              <div className="grow">
                <p title={session.agent}>
                  {getDeviceName(session)}
                  {session.address !== "" && <span className="none"> · {session.address}</span>}
                  {session.viewing !== undefined && (
                    <span className="none"> · {say("sessions.viewing", { name: session.viewing })}</span>
                  )}
                  {session.current && <span className="sessions-here">{say("sessions.here")}</span>}
                </p>
                <p className="small-words">
                  {say("sessions.since", {
                    since: show.moments(session.made_at, session.made_at),
                    until: show.moments(session.expires_at, session.expires_at),
                  })}
                </p>
              </div>
              {onEnd && !session.current && (
                <Button
                  small
                  aria-label={say("sessions.end", { agent: getDeviceName(session) })}
                  onClick={() => onEnd(session)}
                >
                  {say("sessions.end.short")}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {!all && (
        <Button small look="quiet" onClick={() => setAll(true)}>
          {say("history.parts.more", { count: sessions.length - SHOWN })}
        </Button>
      )}
      {children}
    </section>
  );
};
