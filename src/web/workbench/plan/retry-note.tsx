import { useLayoutEffect, useRef } from "react";
import type { Failure } from "../../api/api-error.ts";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { Icon } from "../../ui/icon.tsx";

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

/** The cause of a question's failure. Nothing was sent to be saved, so it differs from that of a failed change. */
const FailureCause = ({ failure }: { readonly failure: Failure }) => {
  const { say, rich } = useWords();
  switch (failure.kind) {
    case "refused":
      return (
        <p className="small-words">
          {failure.problem.errors?.map(({ message }) => message).join(" ") || failure.problem.detail}{" "}
          {failure.problem.help}
        </p>
      );
    case "broken":
      return (
        <p className="small-words">
          {failure.reference === null
            ? say("broken.asked")
            : rich("broken.asked.reference", { reference: <code className="reference">{failure.reference}</code> })}
        </p>
      );
    case "put off":
      return <p className="small-words">{failure.says}</p>;
    case "unreachable":
      return <p className="small-words">{say("unreachable.act.short")}</p>;
    case "away":
      return <p className="small-words">{say("away.asked")}</p>;
    case "signed out":
      return null;
  }
};
