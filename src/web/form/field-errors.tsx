import type { FieldJson } from "../../core/wire/entities.ts";
import { useLocale } from "../app/app-context.tsx";
import { withBegin } from "../field/form-values.ts";
import { unreadableText } from "../format/input-value.ts";
import type { LocaleContext } from "../format/locale-context.ts";
import { hasDecimalComma } from "../format/numbers.ts";
import { useWords, type Words } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { lazyComponent } from "../ui/page/lazy.tsx";
import { WhySentence } from "../ui/page/why-sentence.tsx";
import { LoadingBoundary } from "../util/loading-boundary.tsx";
import type { FormFieldError } from "./state/field-error.ts";
import { hasLengthBounds } from "./state/violated-bound.ts";

const CollidingWithForm = lazyComponent(
  async () => ({ default: (await import("./colliding-records.tsx")).CollidingWithForm }),
  () => null,
);

/** The number of a row: the second row below the third of the list is 3.2. */
export const rowNumber = (rows: readonly number[], { number }: Words["show"]): string =>
  rows.map((row) => number(row)).join(".");

/** The error text for a field; worded by the interface if it does not come from the server. */
export const useErrorWords = (): ((one: FormFieldError, field: FieldJson | undefined) => string) => {
  const words = useWords();
  const context = useLocale();
  return (one, field) => {
    const message = one.kind === "refused" ? one.message : ownWords(one, one.cell ?? field, words, context);
    return one.rows === undefined
      ? message
      : words.say("parts.mend", { row: rowNumber(one.rows, words.show), message });
  };
};

const valueTexts = { min: "form.min", max: "form.max" } as const;
const lengthTexts = { min: "form.length.min", max: "form.length.max" } as const;

/** The words for an error that was found before sending. */
const ownWords = (
  one: Exclude<FormFieldError, { kind: "refused" }>,
  field: FieldJson | undefined,
  { say, show, locale }: Words,
  context: LocaleContext,
): string => {
  if (one.kind === "missing") return say("form.missing", { field: field?.label ?? one.field });
  if (field !== undefined && (one.kind === "min" || one.kind === "max")) {
    const written = field[one.kind] ?? "";
    const isLength = hasLengthBounds(field);
    const amount = field.currency === undefined ? written : { amount: written, currency: field.currency };
    const bound = isLength ? show.number(written) : (show.value(field, amount, false) ?? written);
    return say((isLength ? lengthTexts : valueTexts)[one.kind], { field: field.label, bound });
  }
  const readIn = field && one.beside ? withBegin(field, one.beside, context) : context;
  const text = (field && unreadableText(field, one.entered ?? "", readIn)) ?? "unreadable.decimal";
  const example = show.number(text === "unreadable.integer" ? 1234 : "1234.5");
  return say(text, { field: field?.label ?? one.field, example, comma: hasDecimalComma(locale) });
};

interface FieldErrorsProps {
  readonly errors: readonly FormFieldError[];
  /** Undefined for errors of a row or list as a whole. */
  readonly field?: FieldJson;
  /** Id for the description of the control. */
  readonly id?: string;
  /** The suggestion for unreadable input, null if there is none, and a function that enters it. */
  readonly suggested?: { readonly entry: string | null; readonly use: (entry: string) => void };
}

/** The errors of a field, row or list. "Why?" names the clause of each. */
export const FieldErrors = ({ errors, field, id, suggested }: FieldErrorsProps) => {
  const { say } = useWords();
  const errorWords = useErrorWords();
  const entry = suggested?.entry ?? null;
  const shown = errors.map((one) => {
    const sentence = errorWords(one, field);
    return (
      <div key={one.kind === "refused" ? `${one.clause} ${one.message}` : one.kind} className="mend">
        <Icon name="alert" />
        <div className="mend-words">
          <WhySentence words={sentence} clause={one.clause} isAtField>
            {sentence}
            {one.kind === "refused" && one.help && <span className="help-words"> {one.help}</span>}
          </WhySentence>
          {one.kind === "refused" && (
            <LoadingBoundary fallback={null}>
              <CollidingWithForm clause={one.clause} />
            </LoadingBoundary>
          )}
          {one.kind === "unreadable" && entry !== null && (
            <Button small className="mend-use" onClick={() => suggested?.use(entry)}>
              {say("unreadable.use", { entry })}
            </Button>
          )}
        </div>
      </div>
    );
  });
  return id === undefined || errors.length === 0 ? shown : <div id={id}>{shown}</div>;
};
