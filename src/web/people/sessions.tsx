import type { ReactNode } from "react";
import type { SessionJson } from "../../core/wire/accounts/account.ts";
import { parseUserAgent } from "../format/user-agent.ts";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";

interface SessionsProps {
  readonly sessions: readonly SessionJson[];
  /** Ends a session; absent if sessions can only be ended together. */
  readonly onEnd?: (id: string) => void;
  readonly children?: ReactNode;
}

/** The sessions of an account. */
export const Sessions = ({ sessions, onEnd, children }: SessionsProps) => {
  const { say, show } = useWords();
  const getDeviceName = ({ agent: text, viewer }: SessionJson) => {
    if (viewer !== undefined)
      return viewer === null ? say("sessions.viewer.own") : say("sessions.viewer", { name: viewer });
    const agent = parseUserAgent(text);
    return agent ? say("sessions.on", { browser: agent.browser, system: agent.system }) : say("sessions.unknown");
  };
  return (
    <section aria-labelledby="sessions" className="people-part">
      <h2 id="sessions">{say("sessions.title")}</h2>
      {sessions.length === 0 ? (
        <p className="none">{say("sessions.none")}</p>
      ) : (
        <ul className="sessions">
          {sessions.map((one) => (
            <li key={one.id}>
              <div className="grow">
                <p title={one.agent}>
                  {getDeviceName(one)}
                  {one.address !== "" && <span className="none"> · {one.address}</span>}
                  {one.viewing !== undefined && (
                    <span className="none"> · {say("sessions.viewing", { name: one.viewing })}</span>
                  )}
                  {one.current && <span className="sessions-here">{say("sessions.here")}</span>}
                </p>
                <p className="small-words">
                  {say("sessions.since", { since: show.moment(one.made_at), until: show.moment(one.expires_at) })}
                </p>
              </div>
              {onEnd && !one.current && (
                <Button
                  small
                  aria-label={say("sessions.end", { agent: getDeviceName(one) })}
                  onClick={() => onEnd(one.id)}
                >
                  {say("sessions.end.short")}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {children}
    </section>
  );
};
