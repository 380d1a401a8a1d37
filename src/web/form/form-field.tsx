import { createContext, useContext, useId } from "react";
import type { FieldJson } from "../../core/wire/entities.ts";
import type { Json } from "../../core/wire/json.ts";
import { useLocale } from "../app/app-context.tsx";
import { SiblingValuesProvider, useLeastLength } from "../field/control/sibling-values.tsx";
import { enteredText } from "../field/field.ts";
import { FieldValue } from "../field/field-value.tsx";
import { fields } from "../field/fields.ts";
import { inputs } from "../field/inputs.ts";
import { MultiValueInput } from "../field/multi-value-input.tsx";
import type { Show } from "../format/format.ts";
import { type Entered, hasSeparateControls, suggestEntry } from "../format/input-value.ts";
import { fieldId } from "../format/names.ts";
import { isNothing } from "../format/value-shapes.ts";
import { useWords } from "../i18n/words.tsx";
import { IconButton } from "../ui/control/button.tsx";
import { lazyComponent } from "../ui/page/lazy.tsx";
import { UnbrokenNumbers } from "../ui/unbroken-numbers.tsx";
import { LoadingBoundary } from "../util/loading-boundary.tsx";
import { FieldErrors } from "./field-errors.tsx";
import { PeriodLengths, PeriodStart } from "./period-lengths.tsx";
import type { FormFieldError } from "./state/field-error.ts";
import { hasLengthBounds } from "./state/violated-bound.ts";
import "./form.css";
import { takeShort, withoutStops } from "../util/take-short.ts";

const CollisionNotes = lazyComponent(
  async () => ({ default: (await import("./colliding-records.tsx")).CollisionNotes }),
  () => null,
);

/** Distinguishes the ids of the fields of a form from those of a form below it; "" for the form of a page. */
export const FieldScope = createContext("");

/** An example in the format of the field's input; the document writes dates as 2026-01-01. */
const asEntered = (field: FieldJson, example: string, show: Show): string =>
  field.type === "date" || field.type === "datetime" || field.type === "time"
    ? (show.value(field, example) ?? example)
    : example;

/** A single example keeps its full stop. */
const inList = (examples: readonly string[]): readonly string[] =>
  examples.length > 1 ? withoutStops(examples) : examples;

/** Whole sentences as examples would make a form twice as long. */
const MOST_LETTERS_OF_EXAMPLES = 90;

/** The input for a field and its errors. */
export interface FieldBinding {
  readonly entered: Entered;
  readonly errors: readonly FormFieldError[];
  readonly onEnter: (entered: Entered) => void;
  readonly onLeave: () => void;
}

interface FormFieldProps extends FieldBinding {
  readonly field: FieldJson;
  /** Differs from the saved value. */
  readonly changed: boolean;
  /** The source of the default that it shows, in words. */
  readonly suggestion?: string | undefined;
}

/** A label, its control, help, and errors with their clauses. */
export const FormField = ({ field, entered, changed, suggestion, errors, onEnter, onLeave }: FormFieldProps) => {
  const { say, show } = useWords();
  const locale = useLocale();
  const id = fieldId(useContext(FieldScope) + field.name);
  const [labelId, helpId, errorsId] = [useId(), useId(), useId()];
  const view = fields[field.type];
  // A group of checkboxes or buttons shares one label.
  const group = field.many ? field.values !== undefined || hasSeparateControls(field) : view.group(field);
  const Label = group ? "span" : "label";
  const least = Math.max(useLeastLength(field), hasLengthBounds(field) && !field.many ? Number(field.min ?? 0) : 0);
  const characters = [...enteredText(entered)].length;
  // A field that is filled already needs no examples.
  const help = [
    field.help,
    // A required text says by itself that it is not empty.
    least > 1 ? say("form.least", { count: least }) : null,
    suggestion === undefined && field.examples && field.examples.length > 0
      ? say("form.examples", {
          examples: show.list(
            takeShort(
              inList(field.examples.map((example) => asEntered(field, example, show))).map((example) =>
                say("form.example", { example }),
              ),
              MOST_LETTERS_OF_EXAMPLES,
            ),
            "disjunction",
          ),
        })
      : null,
    suggestion === undefined ? null : say("form.suggestion", { value: suggestion }),
  ].filter((line) => line !== null && line !== undefined && line !== "");
  const length =
    field.max !== undefined && (field.type === "long text" || field.type === "rich text") ? characters : null;
  const missing = characters > 0 && characters < least ? least - characters : 0;
  const describedBy = [errors.length > 0 ? errorsId : null, help.length > 0 ? helpId : null].filter(Boolean).join(" ");
  const isCompared = useIsCompared(field.name);
  const Input = field.many ? MultiValueInput : inputs[field.type];

  return (
    <div className={["form-field", view.wide ? "wide" : "", errors.length > 0 ? "bad" : ""].filter(Boolean).join(" ")}>
      <div className="form-label">
        <Label id={labelId} {...(!group && { htmlFor: id })}>
          {field.label}
        </Label>
        {changed && (
          <span className="dot" title={say("form.changed")}>
            <span className="hidden-words">{say("form.changed")}</span>
          </span>
        )}
        <span className="aside-words">
          {missing > 0
            ? say("form.length.missing", { count: missing })
            : length !== null && length > 0 && field.max !== undefined
              ? say("form.length", { length: show.number(length), max: show.number(field.max) })
              : field.optional
                ? say("form.optional")
                : null}
        </span>
      </div>
      <Input
        field={field}
        id={id}
        labelId={labelId}
        entered={entered}
        onEnter={onEnter}
        onLeave={onLeave}
        describedBy={describedBy === "" ? undefined : describedBy}
        invalid={errors.length > 0}
      />
      {field.type === "date" &&
        !field.many &&
        (field.begin?.period ? (
          <PeriodLengths field={field} entered={entered} onEnter={onEnter} />
        ) : (
          <PeriodStart field={field} entered={entered} onEnter={onEnter} />
        ))}
      <FieldErrors
        errors={errors}
        field={field}
        id={errorsId}
        suggested={{
          entry: suggestEntry(field, entered, locale),
          use: (entry) => {
            onEnter(entry);
            document.getElementById(id)?.focus();
          },
        }}
      />
      {isCompared && errors.length === 0 && (
        <LoadingBoundary fallback={null}>
          <CollisionNotes field={field.name} />
        </LoadingBoundary>
      )}
      {help.length > 0 && (
        <p id={helpId} className="help">
          <UnbrokenNumbers words={help.join(" ")} />
        </p>
      )}
    </div>
  );
};

/** True if other records can be in the way of the form at this field. */
const useIsCompared = (name: string): boolean => {
  const { overlaps = [], unique = [] } = useContext(SiblingValuesProvider).of?.entity ?? {};
  return [...overlaps, ...unique].some(({ at }) => at === name);
};

/** A computed field, updated while typing. */
export const ComputedField = ({ field, value }: { field: FieldJson; value: Json | undefined }) => {
  const labelId = useId();
  const { say } = useWords();
  return (
    <div className="form-field still-field">
      <div className="form-label" id={labelId}>
        {field.label}
      </div>
      <output className="still-value sums" aria-labelledby={labelId}>
        {isNothing(value) || value === undefined ? (
          // Of values that are still entered, “None” would be an answer.
          <span className="none">
            <span aria-hidden="true">–</span>
            <span className="hidden-words">{say("value.none")}</span>
          </span>
        ) : (
          <FieldValue field={field} value={value} />
        )}
      </output>
      {field.help && <p className="help">{field.help}</p>}
    </div>
  );
};

/** A read-only field of a form. */
export const ReadOnlyField = ({
  field,
  value,
  onAsk,
}: {
  field: FieldJson;
  value: Json | undefined;
  onAsk: () => void;
}) => {
  const { say } = useWords();
  return (
    <div className={fields[field.type].wide ? "form-field wide still-field" : "form-field still-field"}>
      <div className="form-label">
        <span>{field.label}</span>
        <IconButton
          icon="lock"
          size={13}
          small
          className="still-why"
          label={say("form.still.why", { field: field.label })}
          aria-haspopup="dialog"
          onClick={onAsk}
        />
      </div>
      <div className="still-value">
        <FieldValue field={field} value={value} />
      </div>
    </div>
  );
};
