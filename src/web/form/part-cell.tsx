import { type ClipboardEvent, type KeyboardEvent, useId } from "react";
import type { FieldJson } from "../../core/wire/entities.ts";
import type { Json } from "../../core/wire/json.ts";
import { FieldValue } from "../field/field-value.tsx";
import { fields } from "../field/fields.ts";
import { inputs } from "../field/inputs.ts";
import { MultiValueInput } from "../field/multi-value-input.tsx";
import type { Entered } from "../format/input-value.ts";
import type { LocaleContext } from "../format/locale-context.ts";
import { fieldId } from "../format/names.ts";
import { getValue } from "../format/record-values.ts";
import { useWords } from "../i18n/words.tsx";
import { Icon } from "../ui/icon.tsx";
import { bindField } from "./bound-field.tsx";
import { FieldErrors } from "./field-errors.tsx";
import {
  type FormList,
  type FormRow,
  isEmptyRow,
  isFieldChanged,
  joinPath,
  type NodeChange,
} from "./state/form-node.ts";

/** Computed fields of each row, by the row's path. */
export type ComputedRows = Readonly<Record<string, Readonly<Record<string, Json>>>>;

/** The context of a cell. */
export interface CellProps {
  readonly list: FormList;
  readonly row: FormRow;
  /** The row's path in the form. */
  readonly path: string;
  /** The row number as text. */
  readonly number: string;
  readonly computed: ComputedRows;
  readonly context: LocaleContext;
  readonly onNode: (change: NodeChange) => void;
  readonly handleKey: (event: KeyboardEvent, row: FormRow, name: string) => void;
  readonly paste: (event: ClipboardEvent, row: FormRow, name: string) => void;
}

/** Id of a cell's control. `row`: the row's path. */
export const cellId = (row: string, name: string): string => fieldId(joinPath(row, name));
export const cellErrorsId = (row: string, name: string): string => `${cellId(row, name)}-mend`;

/** A value of a part: its control, or plain text if it is read-only. */
export const PartCell = (props: CellProps & { readonly field: FieldJson; readonly showsErrors?: boolean }) => {
  const { showsErrors = false, row, path, number, field, computed, context, onNode, handleKey, paste } = props;
  const { say } = useWords();
  const labelId = useId();
  const label = say("parts.cell", { field: field.label, row: number });
  const { name } = field;
  if (!row.fields.includes(field)) {
    const saved = row.record === null ? undefined : getValue(row.record, name);
    const live = computed[path];
    const value = live !== undefined && name in live ? live[name] : saved;
    return (
      <output className="part-still" aria-label={label}>
        <FieldValue field={field} value={isEmptyRow(row) ? null : value} cell />
      </output>
    );
  }
  const id = cellId(path, name);
  const { errors, ...bound } = bindField(row, name, context, onNode);
  const view = fields[field.type];
  const input = {
    field,
    id,
    labelId,
    ...bound,
    describedBy: errors.length > 0 ? cellErrorsId(path, name) : undefined,
    invalid: errors.length > 0,
  };
  const group = field.many === true || (field.values === undefined && view.group(field));
  const Input = field.many ? MultiValueInput : inputs[field.type];
  const isChoice = field.values !== undefined && field.many !== true;
  const Label = group ? "span" : "label";
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the table handles keys and pastes that the control leaves
    <div
      className={[
        "part-cell",
        errors.length > 0 ? "bad" : "",
        isFieldChanged(row, name) && row.record !== null ? "changed" : "",
      ]
        .filter(Boolean)
        .join(" ")}
      onKeyDown={(event) => handleKey(event, row, name)}
      onPaste={(event) => paste(event, row, name)}
    >
      <Label id={labelId} className="hidden-words" {...(group ? {} : { htmlFor: id })}>
        {label}
      </Label>
      {isChoice ? <ChoiceCell {...input} /> : <Input {...input} />}
      {showsErrors && <FieldErrors errors={errors} field={field} id={cellErrorsId(path, name)} />}
    </div>
  );
};

/** In a row there is no room for a group of buttons. */
const ChoiceCell = ({
  field,
  id,
  entered,
  onEnter,
  onLeave,
  describedBy,
  invalid,
}: {
  readonly field: FieldJson;
  readonly id: string;
  readonly entered: Entered;
  readonly onEnter: (entered: Entered) => void;
  readonly onLeave: () => void;
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
}) => {
  const { say } = useWords();
  return (
    <div className="box select">
      <select
        id={id}
        aria-describedby={describedBy}
        aria-invalid={invalid || undefined}
        aria-required={field.optional ? undefined : true}
        value={typeof entered === "string" ? entered : ""}
        onChange={(event) => onEnter(event.currentTarget.value)}
        onBlur={onLeave}
      >
        <option value="">{field.optional ? say("value.none") : say("form.choose")}</option>
        {field.values?.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </div>
  );
};
