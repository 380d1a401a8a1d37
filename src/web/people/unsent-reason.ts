import type { UnsentReason } from "../../core/wire/unsent.ts";
import { useWords } from "../i18n/words.tsx";

/** Reasons without a text of the other side. */
const plainReasons = {
  timeout: "unsent.reason.timeout",
  unreachable: "unsent.reason.unreachable",
  removed: "unsent.reason.removed",
  restored: "unsent.reason.restored",
} as const;

/** True for what Slack answers for an archived channel and a deleted webhook, and other programs for an address that has ended. */
const isGone = (status: string): boolean => status === "404" || status === "410";

/** Says why a message was not sent. */
export const useUnsentReason = (): ((reason: UnsentReason) => string) => {
  const { say } = useWords();
  return (reason) => {
    switch (reason.kind) {
      case "mail":
        return say("unsent.reason.mail", { said: reason.said });
      case "no mail server":
        return say("unsent.reason.mail.unreachable", { code: reason.code });
      case "answered":
        return say(isGone(reason.status) ? "unsent.reason.gone" : "unsent.reason.answered", { status: reason.status });
      default:
        return say(plainReasons[reason.kind]);
    }
  };
};
