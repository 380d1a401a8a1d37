import { type ClipboardEvent, type KeyboardEvent, useId } from "react";
import type { FieldJson } from "../../core/wire/entities.ts";
import type { Json } from "../../core/wire/json.ts";
import { FieldValue } from "../field/field-value.tsx";
import { fields } from "../field/fields.ts";
import { SeveralInput } from "../field/multi-value-input.tsx";
import type { Entered } from "../format/input-value.ts";
import type { Here } from "../format/locale-context.ts";
import { fieldId } from "../format/names.ts";
import { valueIn } from "../format/record-values.ts";
import { useWords } from "../i18n/words.tsx";
import { Icon } from "../ui/icon.tsx";
import { Mend } from "./part-error.tsx";
import type { FormFieldError } from "./state/field-error.ts";
import {
  cellChanged,
  enterCell,
  isEmptyRow,
  leaveCell,
  type PartRow,
  type PartsForm,
  rowAt,
} from "./state/parts-state.ts";

/** Computed fields of each row, by the row's path. */
export type ComputedRows = Readonly<Record<string, Readonly<Record<string, Json>>>>;

/** The context of a cell. */
export interface CellProps {
  readonly list: PartsForm;
  readonly row: PartRow;
  /** The row number as text. */
  readonly number: string;
  readonly reckoned: ComputedRows;
  readonly here: Here;
  readonly onChange: (change: (list: PartsForm) => PartsForm) => void;
  readonly strike: (event: KeyboardEvent, row: PartRow, name: string) => void;
  readonly paste: (event: ClipboardEvent, row: PartRow, name: string) => void;
}

export const cellId = (list: PartsForm, row: PartRow, name: string): string => fieldId(`${rowAt(list, row)}/${name}`);

/** Errors of a cell. */
export const mendsAt = (row: PartRow, { name, clause }: FieldJson): readonly FormFieldError[] => {
  const refused = row.toMend.filter((one) => one.field === name);
  return refused.length === 0 && row.unreadable.includes(name)
    ? [{ kind: "unreadable", field: name, clause }]
    : refused;
};

export const mendsId = (list: PartsForm, row: PartRow, name: string): string => `${cellId(list, row, name)}-mend`;

/** A value of a part: its control, or plain text if it is read-only. */
export const PartCell = (props: CellProps & { readonly field: FieldJson; readonly told?: boolean }) => {
  const { told = false, list, row, number, field, reckoned, here, onChange, strike, paste } = props;
  const { say } = useWords();
  const labelId = useId();
  const label = say("parts.cell", { field: field.label, row: number });
  const { name } = field;
  const saved = row.record === null ? undefined : valueIn(row.record, name);
  if (!row.open.includes(name)) {
    const live = reckoned[rowAt(list, row)];
    const value = live !== undefined && name in live ? live[name] : saved;
    return (
      <output className="part-still" aria-label={label}>
        <FieldValue field={field} value={isEmptyRow(row) ? null : value} cell />
      </output>
    );
  }
  const id = cellId(list, row, name);
  const mends = mendsAt(row, field);
  const view = fields[field.type];
  const entered = row.entered[name] ?? null;
  const input = {
    field,
    id,
    labelId,
    entered,
    onEnter: (given: Entered) => onChange((now) => enterCell(now, row.key, name, given, here)),
    onLeave: () => onChange((now) => leaveCell(now, row.key, name, here)),
    describedBy: mends.length > 0 ? mendsId(list, row, name) : undefined,
    invalid: mends.length > 0,
  };
  const group = field.many === true || (field.values === undefined && view.group(field));
  const Input = field.many ? SeveralInput : view.Input;
  const isChoice = field.values !== undefined && field.many !== true;
  const Label = group ? "span" : "label";
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the table handles keys and pastes that the control leaves
    <div
      className={[
        "part-cell",
        mends.length > 0 ? "bad" : "",
        cellChanged(row, name) && row.record !== null ? "changed" : "",
      ]
        .filter(Boolean)
        .join(" ")}
      onKeyDown={(event) => strike(event, row, name)}
      onPaste={(event) => paste(event, row, name)}
    >
      <Label id={labelId} className="hidden-words" {...(group ? {} : { htmlFor: id })}>
        {label}
      </Label>
      {isChoice ? <ChoiceCell {...input} /> : <Input {...input} />}
      {told && mends.length > 0 && (
        <div id={mendsId(list, row, name)}>
          {mends.map((one) => (
            <Mend key={one.kind === "refused" ? one.message : "unreadable"} one={one} field={field} list={list} />
          ))}
        </div>
      )}
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
