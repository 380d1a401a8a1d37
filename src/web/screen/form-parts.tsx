import { type ClipboardEvent, type KeyboardEvent, type PointerEvent, useEffect, useId, useRef, useState } from "react";
import type { FieldJson } from "../../core/wire/entities.ts";
import type { Json } from "../../core/wire/json.ts";
import type { Entered } from "../client/entered.ts";
import type { Here } from "../client/here.ts";
import {
  addRow,
  cellChanged,
  changeList,
  enterCell,
  isBlank,
  leaveCell,
  mapRow,
  moveRow,
  type PartRow,
  type PartsForm,
  partsChanged,
  putBack,
  rowAt,
  takeRow,
} from "../client/parts.ts";
import { cellsIn, pasteCells } from "../client/parts-paste.ts";
import type { ToMend } from "../client/to-mend.ts";
import { valueIn } from "../client/values.ts";
import { fields } from "../field/fields.ts";
import { SeveralInput } from "../field/several.tsx";
import { Shown } from "../field/shown.tsx";
import { BesideProvider, besideOf } from "../part/beside.tsx";
import { Button, IconButton } from "../part/button.tsx";
import { Clause } from "../part/clause.tsx";
import { usePhone } from "../part/context.tsx";
import { Icon } from "../part/icon.tsx";
import { useSay } from "../part/spoken.tsx";
import { useWords } from "../words/words.tsx";
import { fieldId, mendWords, rowNumber } from "./form-field.tsx";
import "../look/form-parts.css";

interface FormPartsProps {
  readonly list: PartsForm;
  /** The record whose parts they are; null while it is made. */
  readonly whole: string | null;
  /** The rows that they stand below, outermost first, where what they are parts of is a part itself. */
  readonly outer?: readonly number[];
  /** What is computed of each row, by where it stands. */
  readonly reckoned: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly here: Here;
  readonly onChange: (change: (list: PartsForm) => PartsForm) => void;
}

const cellId = (list: PartsForm, row: PartRow, name: string): string => fieldId(`${rowAt(list, row)}/${name}`);

/** The parts of a record as rows of a table, or as cards on a phone: added, changed, put in order and taken out together. */
export const FormParts = (props: FormPartsProps) => {
  const { list, outer = [], here, onChange } = props;
  const { say, rich, show } = useWords();
  const { politely } = useSay();
  const phone = usePhone();
  const [labelId, helpId, hintId, mendId] = [useId(), useId(), useId(), useId()];
  const body = useRef<HTMLElement>(null);
  /** Where the cursor goes once the rows are drawn. */
  const [next, setNext] = useState<string | null>(null);
  useEffect(() => {
    if (next === null) return;
    const target = document.getElementById(next);
    const control = target?.matches("[role=radiogroup]") ? target.querySelector<HTMLElement>("input") : target;
    control?.focus();
    setNext(null);
  }, [next]);

  const { columns, rows, creates, parts, part, toMend } = list;
  const inner = outer.length > 0;
  const listId = fieldId(list.at);
  const changed = partsChanged(list);
  const numberOf = (at: number) => rowNumber([...outer, at + 1], show);
  const Heading = headings[phone ? outer.length * 2 : outer.length] ?? "h6";
  const hiddenRow = <span className="hidden-words">{rowNumber(outer, show)}</span>;
  const help = [parts.help, phone || inner ? null : say("parts.hint")].filter(Boolean).join(" ");
  const typed = columns.filter((field) => creates?.includes(field.name) === true);
  const first = (row: PartRow): string => {
    const field = columns.find(({ name }) => row.open.includes(name));
    return field === undefined ? listId : cellId(list, row, field.name);
  };
  const add = () => {
    const made = addRow(list, here);
    const row = made.rows.at(-1);
    onChange(() => made);
    if (row !== undefined) setNext(first(row));
  };
  const take = (row: PartRow) => {
    const at = rows.indexOf(row);
    const after = rows[at + 1] ?? rows[at - 1];
    onChange((now) => takeRow(now, row.key));
    politely(say("parts.removed", { row: numberOf(at) }));
    setNext(after === undefined ? addId : first(after));
  };
  const undo = () => {
    const back = list.taken.at(-1);
    if (back === undefined) return;
    onChange(putBack);
    politely(say("parts.back", { row: numberOf(back.at) }));
    setNext(first(back.row));
  };
  const move = (row: PartRow, to: number) => {
    if (to < 0 || to >= rows.length) return;
    onChange((now) => moveRow(now, row.key, to));
    politely(say("parts.moved", { row: numberOf(to), count: show.number(rows.length) }));
  };
  const strike = (event: KeyboardEvent, row: PartRow, name: string) => {
    const at = rows.indexOf(row);
    if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown") && parts.place !== null) {
      event.preventDefault();
      move(row, at + (event.key === "ArrowUp" ? -1 : 1));
      setNext(cellId(list, row, name));
      return;
    }
    const target = event.target as HTMLElement;
    if (event.key !== "Enter" || event.defaultPrevented || target.tagName === "TEXTAREA") return;
    // What a form would send is not finished yet.
    event.preventDefault();
    const below = rows[at + 1];
    if (below !== undefined) setNext(cellId(list, below, name));
    else if (!isBlank(row) && creates !== null) add();
  };
  const paste = (event: ClipboardEvent, row: PartRow, name: string) => {
    const cells = cellsIn(event.clipboardData.getData("text/plain"));
    const isTable = cells.length > 1 || (cells[0]?.length ?? 0) > 1;
    if (!isTable) return;
    event.preventDefault();
    onChange((now) => pasteCells(now, row.key, name, cells, here));
    politely(say("parts.pasted"));
  };
  const addId = `${listId}-add`;
  const rowProps = (row: PartRow, at: number): RowProps => ({
    ...props,
    row,
    rows: [...outer, at + 1],
    number: numberOf(at),
    strike,
    paste,
    onTake: () => take(row),
    handle:
      parts.place === null ? null : (
        <MoveHandle
          label={say("parts.move", { row: numberOf(at) })}
          describedBy={hintId}
          onKey={(by) => move(row, at + by)}
          onOver={(to) => to !== at && move(row, to)}
        />
      ),
  });

  return (
    <section
      ref={body}
      id={listId}
      tabIndex={-1}
      aria-labelledby={labelId}
      aria-describedby={[toMend.length > 0 ? mendId : null, help === "" ? null : helpId].filter(Boolean).join(" ")}
      className={["form-field wide parts", inner ? "inner" : "", toMend.length > 0 ? "bad-list" : ""]
        .filter(Boolean)
        .join(" ")}
    >
      <div className="form-label">
        <Heading id={labelId}>
          {inner ? rich("parts.inner", { list: parts.label, row: hiddenRow }) : parts.label}
        </Heading>
        {changed && !inner && (
          <span className="dot" title={say("form.changed")}>
            <span className="hidden-words">{say("form.changed")}</span>
          </span>
        )}
      </div>
      {toMend.length > 0 && (
        <div id={mendId}>
          {toMend.map((one) => (
            <Mend key={one.kind === "refused" ? one.message : one.field} one={one} field={undefined} list={list} />
          ))}
        </div>
      )}
      {rows.length === 0 ? (
        !inner && <p className="parts-none">{say("parts.none")}</p>
      ) : phone ? (
        <ol className="part-cards">
          {rows.map((row, at) => (
            <Card key={row.key} {...rowProps(row, at)} />
          ))}
        </ol>
      ) : (
        <div className="parts-table">
          <table>
            <thead>
              <tr>
                <th scope="col" className="part-number">
                  <span className="hidden-words">{say("parts.actions")}</span>
                </th>
                {columns.map((field) => (
                  <th
                    key={field.name}
                    scope="col"
                    data-type={field.type}
                    className={fields[field.type].end ? "end" : undefined}
                  >
                    {field.label}
                    {(field.currency ?? field.unit) && <span className="unit"> {field.currency ?? field.unit}</span>}
                    {!field.optional && typed.includes(field) && <span className="hidden-words"> *</span>}
                  </th>
                ))}
                <td />
              </tr>
            </thead>
            {rows.map((row, at) => (
              <TableRow key={row.key} {...rowProps(row, at)} />
            ))}
          </table>
        </div>
      )}
      <div className="parts-foot">
        {creates !== null && (
          <Button id={addId} small icon="plus" onClick={add}>
            {say("parts.add", { thing: part.one })}
            {inner && <span className="hidden-words">{rowNumber(outer, show)}</span>}
          </Button>
        )}
        {list.taken.length > 0 && (
          <Button small look="quiet" icon="retry" onClick={undo}>
            {say("parts.undo")}
          </Button>
        )}
        <p id={hintId} className="hidden-words">
          {say("parts.move.how")}
        </p>
      </div>
      {help !== "" && (
        <p id={helpId} className="help">
          {help}
        </p>
      )}
    </section>
  );
};

const headings = ["h2", "h3", "h4", "h5", "h6"] as const;

type RowProps = FormPartsProps & {
  readonly row: PartRow;
  /** Where it stands: behind those that it stands below, and from 1. */
  readonly rows: readonly number[];
  /** The same in words. */
  readonly number: string;
  readonly strike: (event: KeyboardEvent, row: PartRow, name: string) => void;
  readonly paste: (event: ClipboardEvent, row: PartRow, name: string) => void;
  readonly onTake: () => void;
  readonly handle: React.ReactNode;
};

/** The lists of what is a part itself, and has parts. */
const Below = ({ row, rows, reckoned, here, onChange }: RowProps) =>
  row.lists.map((own) => (
    <FormParts
      key={own.parts.field}
      list={own}
      whole={row.record?.id ?? null}
      outer={rows}
      reckoned={reckoned}
      here={here}
      onChange={(change) =>
        onChange((now) =>
          mapRow(now, row.key, (one) => ({ ...one, lists: changeList(one.lists, own.parts.field, change) })),
        )
      }
    />
  ));

const besideRow = ({ list, row, whole, here }: RowProps) =>
  besideOf(list.columns, row.entered, row.record?.id ?? null, here, { [list.parts.by]: whole ?? "" });

const TableRow = (props: RowProps) => {
  const { list, row, rows, number, onTake, handle } = props;
  const { say } = useWords();
  const own = row.toMend.filter((one) => one.field === null);
  // A cell has no room for words: what is wrong in a row stands below it.
  const told = list.columns.filter((field) => mendsAt(row, field).length > 0);
  const mended = own.length > 0 || told.length > 0;
  const looks = [own.length > 0 && "bad", (mended || row.lists.length > 0) && "part-goes-on"];
  return (
    <BesideProvider value={besideRow(props)}>
      <tbody data-row={rows.join(".")}>
        <tr className={looks.filter(Boolean).join(" ") || undefined}>
          <th scope="row" className="part-number">
            <span className="figures">{number}</span>
            {handle}
          </th>
          {list.columns.map((field) => (
            <td key={field.name} className={fields[field.type].end ? "end" : undefined}>
              <Cell {...props} field={field} />
            </td>
          ))}
          <td className="part-actions">
            {row.removable && (
              <IconButton small icon="delete" label={say("parts.remove", { row: number })} onClick={onTake} />
            )}
          </td>
        </tr>
        {mended && (
          <tr className="part-mends">
            <td colSpan={list.columns.length + 2}>
              {own.map((one) => (
                <Mend key={one.kind === "refused" ? one.message : ""} one={one} field={undefined} list={list} />
              ))}
              {told.map((field) => (
                <div key={field.name} id={mendsId(list, row, field.name)}>
                  {mendsAt(row, field).map((one) => (
                    <Mend
                      key={one.kind === "refused" ? one.message : "unreadable"}
                      one={one}
                      field={field}
                      list={list}
                    />
                  ))}
                </div>
              ))}
            </td>
          </tr>
        )}
        {row.lists.length > 0 && (
          <tr className="part-below">
            <td colSpan={list.columns.length + 2}>
              <Below {...props} />
            </td>
          </tr>
        )}
      </tbody>
    </BesideProvider>
  );
};

const Card = (props: RowProps) => {
  const { list, row, rows, number, onTake, handle } = props;
  const { say } = useWords();
  const own = row.toMend.filter((one) => one.field === null);
  const headId = useId();
  const Heading = headings[rows.length * 2 - 1] ?? "h6";
  return (
    <BesideProvider value={besideRow(props)}>
      <li className="part-card" data-row={rows.join(".")} aria-labelledby={headId}>
        <header>
          <Heading id={headId}>{say("parts.row", { thing: list.part.one, row: number })}</Heading>
          <span className="grow" />
          {handle}
          {row.removable && (
            <IconButton small icon="delete" label={say("parts.remove", { row: number })} onClick={onTake} />
          )}
        </header>
        {own.map((one) => (
          <Mend key={one.kind === "refused" ? one.message : ""} one={one} field={undefined} list={list} />
        ))}
        <div className="part-fields">
          {list.columns.map((field, i) => (
            <div key={field.name} className={i === 0 || fields[field.type].wide ? "wide" : undefined}>
              <span className="part-label" aria-hidden="true">
                {field.label}
              </span>
              <Cell {...props} field={field} told />
            </div>
          ))}
        </div>
        <Below {...props} />
      </li>
    </BesideProvider>
  );
};

/** What is to be put right at a cell. */
const mendsAt = (row: PartRow, { name, clause }: FieldJson): readonly ToMend[] => {
  const refused = row.toMend.filter((one) => one.field === name);
  return refused.length === 0 && row.unreadable.includes(name)
    ? [{ kind: "unreadable", field: name, clause }]
    : refused;
};

const mendsId = (list: PartsForm, row: PartRow, name: string): string => `${cellId(list, row, name)}-mend`;

/** A value of one part: its control, or what it is where it cannot be given. */
const Cell = (props: RowProps & { readonly field: FieldJson; readonly told?: boolean }) => {
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
        <Shown field={field} value={isBlank(row) ? null : value} cell />
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
    // biome-ignore lint/a11y/noStaticElementInteractions: what its control does not take of a key or the clipboard is for the table
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

/** In a row there is no room for words side by side. */
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

const Mend = ({
  one,
  field,
  list,
}: {
  readonly one: ToMend;
  readonly field: FieldJson | undefined;
  readonly list: PartsForm;
}) => {
  const words = useWords();
  const says =
    field === undefined && one.kind === "unreadable"
      ? words.say("parts.unreadable", { list: list.parts.label })
      : mendWords(one, field, words);
  return (
    <p className="mend">
      <Icon name="alert" />
      <span className="mend-words">
        <span>
          {says}
          {one.kind === "refused" && one.help && <span className="help-words"> {one.help}</span>}
        </span>
        {one.clause && <Clause of={one.clause} />}
      </span>
    </p>
  );
};

/** Rows are moved by dragging it, or by the arrow keys on it. */
const MoveHandle = ({
  label,
  describedBy,
  onKey,
  onOver,
}: {
  readonly label: string;
  readonly describedBy: string;
  readonly onKey: (by: number) => void;
  readonly onOver: (at: number) => void;
}) => {
  const drag = (event: PointerEvent<HTMLButtonElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const own = event.currentTarget.closest<HTMLElement>("[data-row]");
    let under = document.elementFromPoint(event.clientX, event.clientY)?.closest<HTMLElement>("[data-row]");
    // What lies below another row of the same list belongs to that row.
    while (under && under.parentElement !== own?.parentElement)
      under = under.parentElement?.closest<HTMLElement>("[data-row]");
    if (under) onOver(Number(under.dataset.row?.split(".").at(-1)) - 1);
  };
  return (
    <button
      type="button"
      className="move-handle"
      aria-label={label}
      aria-describedby={describedBy}
      title={label}
      onKeyDown={(event) => {
        if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
        event.preventDefault();
        onKey(event.key === "ArrowUp" ? -1 : 1);
      }}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
    >
      <Icon name="move" />
    </button>
  );
};
