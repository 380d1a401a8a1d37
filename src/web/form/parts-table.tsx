import { type ClipboardEvent, type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { usePhone } from "../app/app-context.tsx";
import { isComposing } from "../app/keyboard.ts";
import { fields } from "../field/fields.ts";
import type { LocaleContext } from "../format/locale-context.ts";
import { fieldId } from "../format/names.ts";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { useAnnounce } from "../ui/overlay/toast.tsx";
import { DragHandle } from "./drag-handle.tsx";
import { FieldErrors, rowNumber } from "./field-errors.tsx";
import { type ComputedRows, cellId } from "./part-cell.tsx";
import { Card, headings, type RowProps, TableRow } from "./part-row.tsx";
import { changeList, changeRow, moveRow, removeRow, restoreList } from "./state/edit-form.ts";
import {
  type FormList,
  type FormNode,
  type FormRow,
  isEmptyRow,
  isListChanged,
  joinPath,
  type ListChange,
  type NodeChange,
} from "./state/form-node.ts";
import { addRow } from "./state/open-form.ts";
import { parseCells, pasteCells } from "./state/paste-cells.ts";
import { findErrors } from "./state/send-form.ts";
import "./parts-table.css";

interface FormPartsProps {
  /** The record with the list. */
  readonly node: FormNode;
  readonly list: FormList;
  /** For parts of a part: its path, and the numbers of the rows above, outermost first. */
  readonly path?: string;
  readonly outer?: readonly number[];
  readonly computed: ComputedRows;
  readonly context: LocaleContext;
  readonly onNode: (change: NodeChange) => void;
}

/** The parts of a record as table rows, or as cards on a phone: add, edit, reorder and remove. */
export const PartsTable = (props: FormPartsProps) => {
  const { node, list, path = "", outer = [], computed, context } = props;
  const { say, rich, show } = useWords();
  const phone = usePhone();
  const [labelId, helpId, hintId, errorsId] = [useId(), useId(), useId(), useId()];
  const body = useRef<HTMLElement>(null);
  const { rows, creates, parts, part } = list;
  const errors = findErrors(node, parts.field);
  const inner = outer.length > 0;
  const listPath = joinPath(path, parts.field);
  const rowPath = (row: FormRow) => joinPath(listPath, row.key);
  const listId = fieldId(listPath);
  const changed = isListChanged(list);
  const numberOf = (at: number) => rowNumber([...outer, at + 1], show);
  const Heading = headings[phone ? outer.length * 2 : outer.length] ?? "h6";
  const hiddenRow = <span className="hidden-words">{rowNumber(outer, show)}</span>;
  const help = [parts.help, phone || inner ? null : say("parts.hint")].filter(Boolean).join(" ");
  const { add, take, undo, move, handleKey, paste, onRow } = usePartRows(props, listId);
  const rowProps = (row: FormRow, at: number): RowProps => ({
    list,
    parentId: node.record?.id ?? null,
    row,
    path: rowPath(row),
    rows: [...outer, at + 1],
    computed,
    context,
    onNode: onRow(row),
    number: numberOf(at),
    handleKey,
    paste,
    onTake: () => take(row),
    below: row.lists.map((own) => (
      <PartsTable
        key={own.parts.field}
        {...props}
        node={row}
        list={own}
        path={rowPath(row)}
        outer={[...outer, at + 1]}
        onNode={onRow(row)}
      />
    )),
    handle:
      parts.place === null ? null : (
        <DragHandle
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
      aria-describedby={[errors.length > 0 ? errorsId : null, help === "" ? null : helpId].filter(Boolean).join(" ")}
      className={["form-field wide parts", inner ? "inner" : "", errors.length > 0 ? "bad-list" : ""]
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
      <FieldErrors errors={errors} id={errorsId} />
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
            <PartsHead list={list} />
            {rows.map((row, at) => (
              <TableRow key={row.key} {...rowProps(row, at)} />
            ))}
          </table>
        </div>
      )}
      <div className="parts-foot">
        {creates !== null && (
          <Button id={addButtonId(listId)} small icon="plus" onClick={add}>
            {say("parts.add", { thing: part.one })}
            {inner && <span className="hidden-words">{rowNumber(outer, show)}</span>}
          </Button>
        )}
        {list.removed.length > 0 && (
          <Button small look="quiet" icon="undo" onClick={undo}>
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

const addButtonId = (listId: string): string => `${listId}-add`;

const PartsHead = ({ list: { columns, creates } }: { list: FormList }) => {
  const { say } = useWords();
  const typed = columns.filter((field) => creates?.includes(field.name) === true);
  return (
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
  );
};

/** Returns a function that focuses an element after the next render. */
const useFocusLater = (): ((id: string) => void) => {
  const [next, setNext] = useState<string | null>(null);
  useEffect(() => {
    if (next === null) return;
    const target = document.getElementById(next);
    const control = target?.matches("[role=radiogroup]") ? target.querySelector<HTMLElement>("input") : target;
    control?.focus();
    setNext(null);
  }, [next]);
  return setNext;
};

/** Acts on the rows of a list, by mouse, keyboard and paste. Changes that are not seen are announced. */
const usePartRows = ({ list, path = "", outer = [], context, onNode }: FormPartsProps, listId: string) => {
  const { say, show } = useWords();
  const { politely } = useAnnounce();
  const setNext = useFocusLater();
  const { columns, rows, creates, parts } = list;
  const onList = (change: ListChange) => onNode((now) => changeList(now, parts.field, change));
  const rowPath = (row: FormRow) => joinPath(joinPath(path, parts.field), row.key);
  const numberOf = (at: number) => rowNumber([...outer, at + 1], show);
  const first = (row: FormRow): string => {
    const field = columns.find((one) => row.fields.includes(one));
    return field === undefined ? listId : cellId(rowPath(row), field.name);
  };
  const add = () => {
    const added = addRow(list, context);
    const row = added.rows.at(-1);
    onList(() => added);
    if (row !== undefined) setNext(first(row));
  };
  const take = (row: FormRow) => {
    const at = rows.indexOf(row);
    const after = rows[at + 1] ?? rows[at - 1];
    onList((now) => removeRow(now, row.key));
    politely(say("parts.removed", { row: numberOf(at) }));
    setNext(after === undefined ? addButtonId(listId) : first(after));
  };
  const undo = () => {
    const back = list.removed.at(-1);
    if (back === undefined) return;
    onList(restoreList);
    politely(say("parts.back", { row: numberOf(back.at) }));
    setNext(first(back.row));
  };
  const move = (row: FormRow, to: number) => {
    if (to < 0 || to >= rows.length) return;
    onList((now) => moveRow(now, row.key, to));
    politely(say("parts.moved", { row: numberOf(to), count: show.number(rows.length) }));
  };
  const handleKey = (event: KeyboardEvent, row: FormRow, name: string) => {
    if (isComposing(event)) return;
    const at = rows.indexOf(row);
    if (event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown") && parts.place !== null) {
      event.preventDefault();
      move(row, at + (event.key === "ArrowUp" ? -1 : 1));
      setNext(cellId(rowPath(row), name));
      return;
    }
    const target = event.target as HTMLElement;
    if (event.key !== "Enter" || event.defaultPrevented || target.tagName === "TEXTAREA") return;
    // Do not submit the form.
    event.preventDefault();
    const below = rows[at + 1];
    if (below !== undefined) setNext(cellId(rowPath(below), name));
    else if (!isEmptyRow(row) && creates !== null) add();
  };
  const paste = (event: ClipboardEvent, row: FormRow, name: string) => {
    const cells = parseCells(event.clipboardData.getData("text/plain"));
    const isTable = cells.length > 1 || (cells[0]?.length ?? 0) > 1;
    if (!isTable) return;
    event.preventDefault();
    onList((now) => pasteCells(now, row.key, name, cells, context));
    politely(say("parts.pasted"));
  };
  const onRow = (row: FormRow) => (change: NodeChange) => onList((now) => changeRow(now, row.key, change));
  return { add, take, undo, move, handleKey, paste, onRow };
};
