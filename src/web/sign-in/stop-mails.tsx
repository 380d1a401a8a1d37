import { useMutation } from "@tanstack/react-query";
import { LONGEST_TITLE, type MailTokenKind, parseMailToken } from "../../core/wire/accounts/mail-token.ts";
import { toFailure } from "../api/api-error.ts";
import { useApplication, useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { FrontMessage } from "./front-message.tsx";
import { SignInProblem } from "./sign-in-fields.tsx";

/** The texts for each kind of email, before and after the press. */
const texts = {
  notifications: { before: "stop.words", after: "stop.done.words" },
  reports: { before: "stop.reports", after: "stop.done.reports" },
  report: { before: "stop.report", after: "stop.done.report" },
  named: { before: "stop.report.named", after: "stop.done.report.named" },
} as const satisfies Record<MailTokenKind | "named", { before: string; after: string }>;

/** The title of a list, which the server checks only when somebody presses. Empty if the link was cut off. */
const decodeTitle = (base64url: string): string => {
  try {
    const bytes = atob(base64url.replaceAll("-", "+").replaceAll("_", "/"));
    return new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0))).slice(0, LONGEST_TITLE);
  } catch {
    return "";
  }
};

/** Ends emails after one press: mail scanners follow links. */
export const StopMails = ({ token, onDone }: { token: string; onDone: () => void }) => {
  const { calls } = useClient();
  const { name } = useApplication();
  const { say } = useWords();
  const read = parseMailToken(token);
  const kind = read?.kind ?? "notifications";
  const title = read === null || read.title === null ? "" : decodeTitle(read.title);
  const about = kind === "report" && title !== "" ? "named" : kind;
  const stop = useMutation({ mutationFn: (all: boolean) => calls.stopMails(token, all), retry: false });
  const press = (all: boolean) => stop.isPending || stop.mutate(all);
  if (stop.isSuccess)
    return (
      <FrontMessage title={say("stop.done.title")} isNew>
        <p className="front-words">{say(texts[stop.variables ? "reports" : about].after, { name, title })}</p>
        <Button look="primary" className="large" onClick={onDone}>
          {say("stop.done.open", { name })}
        </Button>
      </FrontMessage>
    );
  return (
    <FrontMessage title={say("stop.title")}>
      <p className="front-words">{say(texts[about].before, { name, title })}</p>
      <SignInProblem failure={stop.error ? toFailure(stop.error) : null} title={say("stop.failed")} />
      <Button look="primary" className="large" busy={stop.isPending && !stop.variables} onClick={() => press(false)}>
        {say("stop.do")}
      </Button>
      {kind === "report" && (
        <Button look="quiet" className="large" busy={stop.isPending && stop.variables} onClick={() => press(true)}>
          {say("stop.all")}
        </Button>
      )}
    </FrontMessage>
  );
};
