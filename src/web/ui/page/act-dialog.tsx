import type { FormEvent, ReactNode } from "react";
import { Button } from "../control/button.tsx";
import { sendByKey } from "../dom/form-keys.ts";
import { Dialog } from "../overlay/dialog.tsx";
import { useDismissLabel } from "../overlay/dismiss-label.ts";
import { FailureNote } from "./problem-note.tsx";

interface ActDialogProps {
  readonly title: string;
  /** The name of the act, on its button. */
  readonly act: string;
  readonly look?: "primary" | "danger";
  readonly busy: boolean;
  /** The error of the last attempt, if there is one, and its title. */
  readonly error: unknown;
  readonly failed: string;
  /** Is not called while the act is running. */
  readonly onSubmit: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog with some controls, a button that does one act, and Cancel. */
export const ActDialog = (props: ActDialogProps) => {
  const { title, act, look = "primary", busy, error, failed, onSubmit, onClose, children } = props;
  const dismiss = useDismissLabel(act);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!busy) onSubmit();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="dialog-form" noValidate onSubmit={submit} onKeyDownCapture={sendByKey}>
        <FailureNote title={failed} error={error} />
        {children}
        <footer className="dialog-foot">
          <Button type="submit" look={look} busy={busy}>
            {act}
          </Button>
          <Button look="quiet" onClick={onClose}>
            {dismiss}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
};
