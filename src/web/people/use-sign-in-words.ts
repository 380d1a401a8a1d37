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

const ways = {
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
    way: ({ way }: SignInAttemptJson): string => say(ways[way]),
    agent: ({ agent: text }: SignInAttemptJson): string => {
      const agent = parseUserAgent(text);
      return agent ? say("sessions.on", { browser: agent.browser, system: agent.system }) : say("sessions.unknown");
    },
  };
};
