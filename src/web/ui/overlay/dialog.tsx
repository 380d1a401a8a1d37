import { type ReactNode, type SyntheticEvent, useEffect, useId, useRef } from "react";
import { hasFinePointer } from "../../app/app-context.tsx";
import { rememberFocus } from "../../app/return-focus.ts";
import { keepTogether } from "../../format/format.ts";
import { useWords } from "../../i18n/words.tsx";
import { IconButton } from "../control/button.tsx";
import { UnbrokenNumbers } from "../unbroken-numbers.tsx";

interface DialogProps {
  readonly title: ReactNode;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** The dialog must be answered and cannot be dismissed. */
  readonly firm?: boolean;
  /** For reading: it opens at the top and scrolls with the arrow keys. */
  readonly read?: boolean;
  /** It holds input already, such as that of a dialog in whose place it opened. */
  readonly hasInput?: boolean;
  readonly className?: string;
}

/** True for a control that opens the keyboard of a phone. */
const takesText = (control: HTMLElement): boolean =>
  control instanceof HTMLTextAreaElement ||
  (control instanceof HTMLInputElement && !/^(?:checkbox|radio|file|button)$/u.test(control.type));

/** The field, or the chosen one of its radio buttons. */
const findChosen = (dialog: HTMLElement, field: HTMLElement): HTMLElement =>
  field instanceof HTMLInputElement && field.type === "radio"
    ? (dialog.querySelector<HTMLElement>(`input[name="${CSS.escape(field.name)}"]:checked`) ?? field)
    : field;

/**
 * The element that has the focus first. In a form it is the first field, unless that would open the keyboard of a phone
 * over the dialog. In a question it is the answer: the pattern of WAI-ARIA leaves two choices. If the act destroys
 * something, the way out has the focus. Otherwise the act itself has it, also where nothing takes it back: it was chosen
 * by name and the dialog names it again, so people who decide all day press Enter twice. A held key presses once
 * (`pressOnceWhileHeld`). Everywhere else it is the title, from which reading goes on, and not the button that closes.
 */
const findFirstFocus = (dialog: HTMLElement): HTMLElement | null => {
  const title = dialog.querySelector<HTMLElement>(".dialog-head h2");
  // Choices that are made already are seldom changed.
  const field = dialog.querySelector<HTMLElement>(":is(input, textarea, select):not([data-preset] *)");
  if (field !== null) return hasFinePointer() || !takesText(field) ? findChosen(dialog, field) : title;
  return (
    dialog.querySelector<HTMLElement>(".dialog-foot .danger ~ .button") ??
    dialog.querySelector<HTMLElement>("form [type=submit]") ??
    title
  );
};

/** Focuses a control. A box that asks for a choice opens its list, as a press on it does. */
const beginAt = (control: HTMLElement | null): void => {
  control?.focus({ preventScroll: true });
  if (control?.dataset.opens !== undefined) control.click();
};

/** It takes no input: a sheet is pulled down by it. */
const HEAD = ".dialog-head";

/** The content of a dialog that asks for something. */
const FORM = "form, input, textarea, select";

/**
 * A native modal dialog: the page behind it is inert, Escape closes it, and focus returns to the element that opened
 * it.
 */
export const Dialog = ({
  title,
  onClose,
  children,
  firm = false,
  read = false,
  hasInput = false,
  className = "",
}: DialogProps) => {
  const { say } = useWords();
  const heading = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const isTouched = useRef(false);
  // Input does not always come with an event of its own: a chosen record, a day or a format is a press or a key.
  const touch = ({ target, currentTarget }: SyntheticEvent) => {
    isTouched.current ||= target !== currentTarget && target instanceof Element && target.closest(HEAD) === null;
  };

  useEffect(() => {
    const opened = dialog.current;
    const returnFocus = rememberFocus(document.activeElement);
    opened?.showModal();
    if (read) opened?.focus({ preventScroll: true });
    else if (opened) beginAt(findFirstFocus(opened));
    return () => {
      opened?.close();
      returnFocus();
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
      // The browser lets a page prevent that only once, and then closes the dialog.
      onClose={({ target, currentTarget }) => {
        if (firm && target === currentTarget && currentTarget.isConnected) currentTarget.showModal();
      }}
      onInputCapture={touch}
      onPointerDownCapture={touch}
      onKeyDownCapture={touch}
      onPasteCapture={touch}
      onDropCapture={touch}
      // A click outside closes it, unless that could lose input: it may be a slip. The second click of a double click
      // was meant for the control that opened the dialog.
      onClick={({ target, currentTarget, detail }) => {
        const isOutside = target === currentTarget && detail < 2;
        const losesInput = hasInput || (isTouched.current && currentTarget.querySelector(FORM) !== null);
        if (isOutside && !firm && !losesInput) onClose();
      }}
    >
      <div className="dialog-body">
        <header className="dialog-head">
          <h2 id={heading} tabIndex={-1}>
            {typeof title === "string" ? <UnbrokenNumbers words={keepTogether(title)} /> : title}
          </h2>
          {!firm && <IconButton icon="close" label={say("close")} small onClick={onClose} />}
        </header>
        {children}
      </div>
    </dialog>
  );
};
