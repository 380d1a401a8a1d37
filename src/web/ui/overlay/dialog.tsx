import { type ReactNode, useEffect, useId, useRef } from "react";
import { typesByHand } from "../../app/app-context.tsx";
import { keepTogether } from "../../format/format.ts";
import { useWords } from "../../i18n/words.tsx";
import { IconButton } from "../control/button.tsx";

interface DialogProps {
  readonly title: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** The dialog must be answered and cannot be dismissed. */
  readonly firm?: boolean;
  /** For reading: it opens at the top and scrolls with the arrow keys. */
  readonly read?: boolean;
  readonly className?: string;
}

/**
 * A native modal dialog: the page behind it is inert, Escape closes it, and focus returns to the element that opened
 * it.
 */
export const Dialog = ({ title, onClose, children, firm = false, read = false, className = "" }: DialogProps) => {
  const { say } = useWords();
  const heading = useId();
  const dialog = useRef<HTMLDialogElement>(null);

  useEffect(() => {
    const opened = dialog.current;
    const returnTo = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    opened?.showModal();
    // Focus the first input, or what answers the question, rather than the close button.
    if (read) opened?.focus({ preventScroll: true });
    else if (typesByHand())
      (
        opened?.querySelector<HTMLElement>("input, textarea, select") ??
        opened?.querySelector<HTMLElement>("form [type=submit]")
      )?.focus({ preventScroll: true });
    return () => {
      opened?.close();
      // The element can be gone, such as the button of a draft that is published now.
      if (returnTo?.isConnected) returnTo.focus({ preventScroll: true });
      else if (document.activeElement === document.body)
        document.getElementById("main")?.focus({ preventScroll: true });
    };
  }, [read]);

  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: clicking outside is an alternative to Escape
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
      // A click outside closes it. The second click of a double click was meant for the control that opened it.
      onClick={(event) => event.target === event.currentTarget && event.detail < 2 && !firm && onClose()}
    >
      <div className="dialog-body">
        <header className="dialog-head">
          <h2 id={heading}>{typeof title === "string" ? keepTogether(title) : title}</h2>
          {!firm && <IconButton icon="close" label={say("close")} small onClick={onClose} />}
        </header>
        {children}
      </div>
    </dialog>
  );
};
