import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { ProblemNote } from "../ui/page/problem-note.tsx";
import { ErrorSummary } from "./error-summary.tsx";
import { FormChangedNote } from "./form-changed-note.tsx";
import { FormChangedElsewhere, FormConflict } from "./form-conflict.tsx";
import type { useForm } from "./hooks/use-form.ts";

interface AnswerProps {
  readonly work: Pick<
    ReturnType<typeof useForm>,
    "form" | "failure" | "storedAt" | "renewal" | "restored" | "elsewhere" | "onElsewhere" | "onSettle"
  >;
  /** Title above the errors. */
  readonly title: string;
  /** True if errors are listed here, in addition to those at the fields. */
  readonly summed?: boolean;
  /** Discards the draft, if that is offered here. */
  readonly onDiscard?: () => void;
}

/** The response to a form, above its fields: errors, conflicts, and the reason why it was not saved. */
export const FormFeedback = ({ work, title, summed = true, onDiscard }: AnswerProps) => {
  const { form, failure, storedAt, renewal, restored, elsewhere, onElsewhere, onSettle } = work;
  const { say, show } = useWords();
  const { errors, edited } = form;
  const still = errors.filter((one) => one.field === null || !edited.includes(one.field)).length;
  return (
    <>
      {onDiscard && restored !== null && (
        <p className="restored wide">
          <span className="grow">{say("form.restored", { at: show.moment(restored) })}</span>
          <Button small look="quiet" onClick={onDiscard}>
            {say("form.discard")}
          </Button>
        </p>
      )}
      {renewal && <FormChangedNote renewal={renewal} />}
      {failure && <ProblemNote title={title} failure={failure} />}
      {elsewhere.length > 0 && <FormChangedElsewhere form={form} changed={elsewhere} onShow={onElsewhere} />}
      {form.conflict && <FormConflict form={form} onSettle={onSettle} />}
      {summed && errors.length > 0 && (
        <ErrorSummary
          title={still === 0 ? say("form.mended") : say("form.refused.title", { what: title, count: still })}
          isFixed={still === 0}
          node={form}
          draftStored={storedAt !== null}
        />
      )}
    </>
  );
};
