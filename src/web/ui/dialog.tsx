import { type ReactNode, useEffect, useId, useRef } from "react";
import { typesByHand } from "../app/app-context.tsx";
import { unbroken } from "../format/format.ts";
import { useWords } from "../i18n/words.tsx";
import { IconButton } from "./button.tsx";

interface DialogProps {
  readonly title: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** What it asks must be answered: it has no way round. */
  readonly firm?: boolean;
  /** It is read rather than filled in: it opens at its beginning, and the arrow keys scroll it. */
  readonly read?: boolean;
  readonly className?: string;
}

/** The browser's own modal dialog: the page behind it is inert, Escape leaves, focus returns to what opened it. */
export const Dialog = ({ title, onClose, children, firm = false, read = false, className = "" }: DialogProps) => {
  const { say } = useWords();
  const heading = useId();
  const dialog = useRef<HTMLDialogElement>(null);

  useEffect(() => {
    const opened = dialog.current;
    const returnTo = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    opened?.showModal();
    // What is asked for comes before the way out.
    if (read) opened?.focus({ preventScroll: true });
    else if (typesByHand())
      opened?.querySelector<HTMLElement>("input, textarea, select")?.focus({ preventScroll: true });
    return () => {
      opened?.close();
      if (returnTo?.isConnected) returnTo.focus({ preventScroll: true });
    };
  }, [read]);

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: pressing beside it is one more way to what Escape does
    <dialog
      ref={dialog}
      {...(read && { tabIndex: -1 })}
      className={`dialog ${className}`.trim()}
      aria-labelledby={heading}
      onCancel={(event) => {
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        if (!firm) onClose();
      }}
      onClick={(event) => event.target === event.currentTarget && !firm && onClose()}
    >
      <div className="dialog-body">
        <header className="dialog-head">
          <h2 id={heading}>{typeof title === "string" ? unbroken(title) : title}</h2>
          {!firm && <IconButton icon="close" label={say("close")} small onClick={onClose} />}
        </header>
        {children}
      </div>
    </dialog>
  );
};
