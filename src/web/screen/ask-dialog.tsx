import type { ReactNode } from "react";
import type { Failure } from "../client/failure.ts";
import { type Beside, BesideProvider, besideIn, type Narrowed } from "../part/beside.tsx";
import { Button } from "../part/button.tsx";
import { useHere } from "../part/context.tsx";
import { Dialog } from "../part/dialog.tsx";
import { pasteFiles } from "../part/pasted.ts";
import { ProblemNote } from "../part/problem-note.tsx";
import { sendByKey } from "../part/send-by-key.ts";
import { useWords } from "../words/words.tsx";
import { AskedFields, type Asking } from "./asking.tsx";
import { FormSummary } from "./form-summary.tsx";
import { RenewedNote } from "./renewed-note.tsx";

interface AskDialogProps {
  readonly asking: Asking;
  readonly title: string;
  /** On the button that does it. */
  readonly act: string;
  /** Above what is to be put right. */
  readonly refused: string;
  /** Above a refusal of the whole, where it has words of its own. */
  readonly failed?: (failure: Failure) => string;
  /** The record that is asked about, and what is given without being asked. */
  readonly of?: {
    readonly record: string | null;
    readonly given?: { readonly [name: string]: string };
    readonly narrowed?: Narrowed;
  };
  readonly before?: ReactNode;
  readonly after?: ReactNode;
  readonly onClose: () => void;
}

/** Asks some fields and does one thing with them. */
export const AskDialog = ({
  asking,
  title,
  act,
  refused,
  failed = () => refused,
  of = { record: null },
  before,
  after,
  onClose,
}: AskDialogProps) => {
  const { say } = useWords();
  const here = useHere();
  const { form, failure, left, busy, submit } = asking;
  const narrowed = of.narrowed ?? {};
  const beside: Beside = { ...besideIn(form, of.record, here, of.given), narrowed };
  return (
    <Dialog title={title} onClose={onClose}>
      <BesideProvider value={beside}>
        <form className="dialog-form" noValidate onSubmit={submit} onKeyDownCapture={sendByKey} onPaste={pasteFiles}>
          {left && <RenewedNote left={left} />}
          {failure && <ProblemNote title={failed(failure)} failure={failure} />}
          {form.answered && form.answered.toMend.length > 0 && (
            <FormSummary title={refused} answered={form.answered} fields={form.fields} kept={false} />
          )}
          {before}
          <AskedFields asking={asking} />
          {after}
          <footer className="dialog-foot">
            <Button type="submit" look="primary" busy={busy}>
              {act}
            </Button>
            <Button look="quiet" onClick={onClose}>
              {say("form.cancel")}
            </Button>
          </footer>
        </form>
      </BesideProvider>
    </Dialog>
  );
};
