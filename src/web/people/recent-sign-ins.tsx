import type { SignInAttemptJson } from "../../core/wire/accounts/sign-ins.ts";
import { parseUserAgent } from "../format/user-agent.ts";
import { useWords } from "../i18n/words.tsx";

const outcomes = {
  BAD_CREDENTIALS: "signins.refused.BAD_CREDENTIALS",
  WRONG_PASSWORD: "signins.refused.WRONG_PASSWORD",
  TOO_MANY_ATTEMPTS: "signins.refused.TOO_MANY_ATTEMPTS",
  LINK_USED: "signins.refused.LINK_USED",
  NOT_INVITED: "signins.refused.NOT_INVITED",
} as const;

const wayIds = {
  password: "signins.way.password",
  link: "signins.way.link",
  registration: "signins.way.registration",
  provider: "signins.way.provider",
  "first administrator": "signins.way.first",
  demonstration: "signins.way.demonstration",
  confirmation: "signins.way.confirmation",
} as const satisfies Record<SignInAttemptJson["way"], string>;

const isOutcome = (code: string): code is keyof typeof outcomes => code in outcomes;

/** The text of an entry in the log of sign-ins. */
export const useSignInWords = () => {
  const { say } = useWords();
  return {
    outcome: ({ refused }: SignInAttemptJson): string => {
      if (refused === null) return say("signins.in");
      return say(isOutcome(refused) ? outcomes[refused] : "signins.refused");
    },
    way: ({ way }: SignInAttemptJson): string => say(wayIds[way]),
    agent: ({ agent: text }: SignInAttemptJson): string => {
      const agent = parseUserAgent(text);
      return agent ? say("sessions.on", { browser: agent.browser, system: agent.system }) : say("sessions.unknown");
    },
  };
};

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
          {recent.map((attempt) => (
            <li key={`${attempt.at} ${attempt.way} ${attempt.refused}`}>
              <div className="grow">
                <p title={attempt.agent}>
                  {attempt.refused === null ? words.outcome(attempt) : <b>{words.outcome(attempt)}</b>}
                  <span className="none"> · {words.way(attempt)}</span>
                </p>
                <p className="small-words">
                  <time dateTime={attempt.at}>{show.moment(attempt.at)}</time> · {words.agent(attempt)} ·{" "}
                  {attempt.address}
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
};
