import { type MouseEvent, type ReactNode, useContext, useEffect, useRef } from "react";
import { fieldId } from "../format/names.ts";
import { useWords } from "../i18n/words.tsx";
import { Icon } from "../ui/icon.tsx";
import { WhySentence } from "../ui/page/why-sentence.tsx";
import { useErrorWords } from "./field-errors.tsx";
import { FieldScope } from "./form-field.tsx";
import type { FormFieldError } from "./state/field-error.ts";
import type { FormNode } from "./state/form-node.ts";

/** Moves the focus to a field of the form, whatever kind of control it has. */
export const focusField = (name: string, rows: readonly number[] = []): void => {
  const own = document.getElementById(fieldId(name));
  const row = own?.querySelector<HTMLElement>(`[data-row="${rows.join(".")}"]`);
  const wrong =
    row?.querySelector<HTMLElement>("[aria-invalid=true], .bad-list") ??
    row?.querySelector<HTMLElement>("input, select, textarea, button");
  const control = wrong ?? own;
  const target = control?.matches("[role=radiogroup]")
    ? (control.querySelector<HTMLElement>("input:checked") ?? control.querySelector<HTMLElement>("input"))
    : control;
  target?.focus({ preventScroll: true });
  (wrong ?? control?.closest(".form-field"))?.scrollIntoView({ block: "center" });
};

/** The first of the wrong fields on the page, with its row; undefined if no error is at a field. */
const findFirstWrong = (errors: readonly FormFieldError[], scope: string) => {
  const placed = errors.flatMap(({ field, rows }) => {
    const place = field === null ? null : document.getElementById(fieldId(scope + field));
    return field === null || place === null ? [] : [{ name: scope + field, rows, place }];
  });
  const isBefore = (one: Element, other: Element) =>
    (one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING) > 0;
  // Errors in the rows of one list come in the order of the rows.
  return placed.reduce<(typeof placed)[number] | undefined>(
    (first, one) => (first === undefined || isBefore(one.place, first.place) ? one : first),
    undefined,
  );
};

/**
 * After each refusal, moves the focus to the first wrong field, or to the summary if no error is at a field. The summary
 * is an alert, so it is read aloud in both cases.
 */
export const useErrorFocus = ({ errors }: Pick<FormNode, "errors">) => {
  const scope = useContext(FieldScope);
  const summary = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const first = findFirstWrong(errors, scope);
    if (first !== undefined) return focusField(first.name, first.rows);
    summary.current?.focus({ preventScroll: true });
    summary.current?.scrollIntoView({ block: "center" });
  }, [errors, scope]);
  return summary;
};

interface SummaryProps {
  readonly title: string;
  /** True if all errors have been edited since. */
  readonly isFixed?: boolean;
  readonly node: FormNode;
  readonly draftStored: boolean;
  /** Content below the errors. */
  readonly children?: ReactNode;
}

/** The errors of a rejected form. Each links to its field; its "Why?" names the clause. */
export const ErrorSummary = ({ title, isFixed = false, node, draftStored, children }: SummaryProps) => {
  const { say } = useWords();
  const errorWords = useErrorWords();
  const scope = useContext(FieldScope);
  const { errors, edited, fields } = node;
  const summary = useErrorFocus(node);

  return (
    <div className={isFixed ? "note summary" : "note bad summary"} role="alert" tabIndex={-1} ref={summary}>
      <Icon name={isFixed ? "edit" : "alert"} size={18} />
      <div className="grow">
        <h2>{title}</h2>
        <ul>
          {errors.map((one) => {
            const field = fields.find(({ name }) => name === one.field);
            const since = one.field !== null && edited.includes(one.field);
            const sentence = errorWords(one, field);
            const lead = (event: MouseEvent) => {
              event.preventDefault();
              if (one.field !== null) focusField(scope + one.field, one.rows);
            };
            return (
              <li key={`${one.field} ${one.clause} ${sentence}`} className={since ? "since" : undefined}>
                <WhySentence words={sentence} clause={one.clause} isAtField={one.field !== null}>
                  {one.field === null ? (
                    sentence
                  ) : (
                    <a href={`#${fieldId(scope + one.field)}`} onClick={lead}>
                      {sentence}
                    </a>
                  )}
                  {since && <span className="aside-words"> {say("form.since")}</span>}
                </WhySentence>
              </li>
            );
          })}
        </ul>
        <p>{say(draftStored ? "form.nothing.kept" : "form.nothing")}</p>
        {children}
      </div>
    </div>
  );
};

interface DialogErrorsProps extends Pick<SummaryProps, "title" | "node"> {
  /** The other actions, if no other input would help. */
  readonly instead?: ReactNode;
}

/**
 * The errors of a rejected form in a dialog. With one wrong field they are only at that field, which gets the focus: it
 * is in view, and a summary would say everything twice.
 */
export const DialogErrors = ({ title, node, instead }: DialogErrorsProps) => {
  const [first] = node.errors;
  if (first === undefined) return null;
  const isAtOne = first.field !== null && node.errors.every(({ field }) => field === first.field);
  if (isAtOne) return <FocusOnError node={node} />;
  return (
    <ErrorSummary title={title} node={node} draftStored={false}>
      {node.errors.some(({ field }) => field === null) && instead}
    </ErrorSummary>
  );
};

const FocusOnError = ({ node }: Pick<SummaryProps, "node">) => {
  useErrorFocus(node);
  return null;
};
