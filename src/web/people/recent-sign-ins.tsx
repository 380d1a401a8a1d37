import type { SignInAttemptJson } from "../../core/wire/accounts/sign-ins.ts";
import { useWords } from "../i18n/words.tsx";
import { useSignInWords } from "./use-sign-in-words.ts";

/** The user's own recent sign-ins and attempts, to notice misuse. */
export const RecentSignIns = ({ recent }: { recent: readonly SignInAttemptJson[] }) => {
  const { say, show } = useWords();
  const words = useSignInWords();
  return (
    <section aria-labelledby="sign-ins" className="people-part">
      <h2 id="sign-ins">{say("signins.recent")}</h2>
      {recent.length === 0 ? (
        <p className="none">{say("signins.none.yet")}</p>
      ) : (
        <ul className="sessions">
          {recent.map((one) => (
            <li key={`${one.at} ${one.way} ${one.refused}`}>
              <div className="grow">
                <p title={one.agent}>
                  {one.refused === null ? words.outcome(one) : <b>{words.outcome(one)}</b>}
                  <span className="none"> · {words.way(one)}</span>
                </p>
                <p className="small-words">
                  <time dateTime={one.at}>{show.moment(one.at)}</time> · {words.agent(one)} · {one.address}
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
};
