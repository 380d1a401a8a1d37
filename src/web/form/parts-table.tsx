import { type ClipboardEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { usePhone } from "../app/app-context.tsx";
import { isComposing } from "../app/keyboard.ts";
import { fields } from "../field/fields.ts";
import type { Here } from "../format/locale-context.ts";
import { fieldId } from "../format/names.ts";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { useSay } from "../ui/overlay/toast.tsx";
import { MoveHandle } from "./drag-handle.tsx";
import { rowNumber } from "./form-field.tsx";
import { type ComputedRows, cellId } from "./part-cell.tsx";
import { Mend } from "./part-error.tsx";
import { Card, headings, type RowProps, TableRow } from "./part-row.tsx";
import { cellsIn, pasteCells } from "./state/parts-paste.ts";
import {
  addRow,
  changeList,
  isEmptyRow,
  mapRow,
  moveRow,
  type PartRow,
  type PartsForm,
  partsChanged,
  putBack,
  takeRow,
} from "./state/parts-state.ts";
import "./parts-table.css";

interface FormPartsProps {
  readonly list: PartsForm;
  /** Id of the parent record; null while it is being created. */
  readonly whole: string | null;
  /** For parts of a part: the numbers of the rows above, outermost first. */
  readonly outer?: readonly number[];
  readonly reckoned: ComputedRows;
  readonly here: Here;
  readonly onChange: (change: (list: PartsForm) => PartsForm) => void;
}

/** The parts of a record as table rows, or as cards on a phone: add, edit, reorder and remove. */
export const FormParts = (props: FormPartsProps) => {
  const { list, outer = [], here, onChange } = props;
  const { say, rich, show } = useWords();
  const { politely } = useSay();
  const phone = usePhone();
  const [labelId, helpId, hintId, mendId] = [useId(), useId(), useId(), useId()];
  const body = useRef<HTMLElement>(null);
  /** Where to move the focus after the next render. */
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
    if (isComposing(event)) return;
    const at = rows.indexOf(row);
    if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown") && parts.place !== null) {
      event.preventDefault();
      move(row, at + (event.key === "ArrowUp" ? -1 : 1));
      setNext(cellId(list, row, name));
      return;
    }
    const target = event.target as HTMLElement;
    if (event.key !== "Enter" || event.defaultPrevented || target.tagName === "TEXTAREA") return;
    // Do not submit the form.
    event.preventDefault();
    const below = rows[at + 1];
    if (below !== undefined) setNext(cellId(list, below, name));
    else if (!isEmptyRow(row) && creates !== null) add();
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
    below: <Below {...props} row={row} rows={[...outer, at + 1]} />,
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

/** The lists of a part that has parts of its own. */
const Below = ({
  row,
  rows,
  reckoned,
  here,
  onChange,
}: Pick<FormPartsProps, "reckoned" | "here" | "onChange"> & {
  readonly row: PartRow;
  readonly rows: readonly number[];
}) =>
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
