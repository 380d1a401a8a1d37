import { useLayoutEffect, useRef } from "react";
import type { Failure } from "../../api/api-error.ts";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useReadFailureWords } from "../../ui/page/problem-note.tsx";

/** A check of a draft that failed: its cause, if one is known, and a button that repeats it. */
export const RetryNote = ({
  title,
  failure,
  isBusy = false,
  retry,
}: {
  readonly title: string;
  readonly failure: Failure | null;
  /** True while it is repeated. */
  readonly isBusy?: boolean;
  readonly retry: () => void;
}) => {
  const { say } = useWords();
  const note = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const shown = note.current;
    return () => {
      // A check that succeeds takes the note away; the focus stays beside its result.
      if (shown?.contains(document.activeElement) === true)
        shown.closest<HTMLElement>(".plan-pane, dialog")?.focus({ preventScroll: true });
    };
  }, []);
  return (
    <div className="plan-notice" role="status" ref={note}>
      <Icon name="alert" />
      <div>
        <p>{title}</p>
        {failure !== null && <FailureCause failure={failure} />}
      </div>
      <Button small icon="retry" busy={isBusy} onClick={retry}>
        {say("broken.retry")}
      </Button>
    </div>
  );
};

/** The cause, with the help of a refusal and the reference of a fault. */
const FailureCause = ({ failure }: { readonly failure: Failure }) => {
  const { rich } = useWords();
  const words = useReadFailureWords();
  if (failure.kind === "signed out") return null;
  return (
    <p className="small-words">
      {failure.kind === "broken" && failure.reference !== null
        ? rich("broken.asked.reference", { reference: <code className="reference">{failure.reference}</code> })
        : words(failure)}
      {failure.kind === "refused" && ` ${failure.problem.help ?? ""}`}
    </p>
  );
};
