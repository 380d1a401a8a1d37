import { type MouseEvent, useContext, useEffect, useRef } from "react";
import { fieldId } from "../format/names.ts";
import { useWords } from "../i18n/words.tsx";
import { Icon } from "../ui/icon.tsx";
import { WhySentence } from "../ui/overlay/why-sentence.tsx";
import { errorWords } from "./field-errors.tsx";
import { FieldScope } from "./form-field.tsx";
import { type FormNode, findList } from "./state/form-node.ts";

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

interface SummaryProps {
  readonly title: string;
  /** True if all errors have been edited since. */
  readonly isFixed?: boolean;
  readonly node: FormNode;
  readonly draftStored: boolean;
}

/** The errors of a rejected form, focused on the page. Each links to its field; its "Why?" names the clause. */
export const ErrorSummary = ({ title, isFixed = false, node, draftStored }: SummaryProps) => {
  const words = useWords();
  const { say } = words;
  const scope = useContext(FieldScope);
  const summary = useRef<HTMLDivElement>(null);
  const { errors, edited, fields } = node;

  // biome-ignore lint/correctness/useExhaustiveDependencies: focus again after every response
  useEffect(() => {
    summary.current?.focus({ preventScroll: true });
    summary.current?.scrollIntoView({ block: "center" });
  }, [errors]);

  return (
    <div className={isFixed ? "note summary" : "note bad summary"} role="alert" tabIndex={-1} ref={summary}>
      <Icon name={isFixed ? "edit" : "alert"} size={18} />
      <div className="grow">
        <h2>{title}</h2>
        <ul>
          {errors.map((one) => {
            const field = fields.find(({ name }) => name === one.field);
            const since = one.field !== null && edited.includes(one.field);
            const list = one.field === null ? undefined : findList(node, one.field);
            const sentence =
              list !== undefined && one.kind === "unreadable"
                ? say("parts.unreadable", { list: list.parts.label })
                : errorWords(one, field, words);
            const lead = (event: MouseEvent) => {
              event.preventDefault();
              if (one.field !== null) focusField(scope + one.field, one.rows);
            };
            return (
              <li key={`${one.field} ${one.clause} ${sentence}`} className={since ? "since" : undefined}>
                <WhySentence words={sentence} clause={one.clause}>
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
      </div>
    </div>
  );
};
