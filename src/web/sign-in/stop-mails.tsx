import { useMutation } from "@tanstack/react-query";
import { toFailure } from "../api/api-error.ts";
import { useApplication, useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { FrontMessage, SignInProblem } from "./sign-in-form.tsx";

/** The texts for each kind of email, before and after the press. */
const texts = {
  notifications: { before: "stop.words", after: "stop.done.words" },
  reports: { before: "stop.reports", after: "stop.done.reports" },
} as const;

/** Ends emails about notifications after one press: mail scanners follow links. */
export const StopMails = ({ token, onDone }: { token: string; onDone: () => void }) => {
  const { calls } = useClient();
  const { name } = useApplication();
  const { say } = useWords();
  const { before, after } = token.endsWith(".reports") ? texts.reports : texts.notifications;
  const stop = useMutation({ mutationFn: () => calls.stopMails(token), retry: false });
  if (stop.isSuccess)
    return (
      <FrontMessage title={say("stop.done.title")} isNew>
        <p className="front-words">{say(after, { name })}</p>
        <Button look="primary" className="large" onClick={onDone}>
          {say("stop.done.open", { name })}
        </Button>
      </FrontMessage>
    );
  return (
    <div className="front-form">
      <h1>{say("stop.title")}</h1>
      <p className="front-words">{say(before, { name })}</p>
      <SignInProblem failure={stop.error ? toFailure(stop.error) : null} title={say("stop.failed")} />
      <Button look="primary" className="large" busy={stop.isPending} onClick={() => stop.isPending || stop.mutate()}>
        {say("stop.do")}
      </Button>
    </div>
  );
};
