import type { Failure } from "../api/api-error.ts";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { FrontMessage } from "./front-message.tsx";
import { SignInProblem } from "./sign-in-fields.tsx";

/** The server knows nothing of the link: it was used, or has expired. */
export const isLinkGone = (failure: Failure): boolean =>
  failure.kind === "refused" && failure.problem.code === "LINK_USED";

interface UnreadLinkProps {
  /** The page to which the link leads. */
  readonly title: string;
  readonly failure: Failure;
  readonly busy: boolean;
  /** It replaces a form that the person has just sent. */
  readonly isNew?: boolean;
  readonly onRetry: () => void;
  /** Leads to the sign-in page. */
  readonly onSignIn: () => void;
  /** Asks for a new link; without it, only the sender of the link can send another. */
  readonly onNewLink?: (() => void) | undefined;
}

/** Replaces the form of a link that cannot be read: it is used or has expired, or the server did not answer. */
export const UnreadLink = ({ title, failure, busy, isNew, onRetry, onSignIn, onNewLink }: UnreadLinkProps) => {
  const { say } = useWords();
  if (failure.kind !== "refused")
    return (
      <FrontMessage title={title}>
        <SignInProblem failure={failure} title={title} />
        <Button look="primary" className="large" busy={busy} onClick={onRetry}>
          {say("broken.retry")}
        </Button>
      </FrontMessage>
    );
  return (
    <FrontMessage title={say("set.gone")} isNew={isNew ?? false}>
      <p className="front-words">{say(onNewLink ? "set.gone.again" : "set.gone.words")}</p>
      {onNewLink && (
        <Button look="primary" className="large" onClick={onNewLink}>
          {say("set.gone.new")}
        </Button>
      )}
      <Button look={onNewLink ? "quiet" : "primary"} className="large" onClick={onSignIn}>
        {say("sign.in.title")}
      </Button>
    </FrontMessage>
  );
};
