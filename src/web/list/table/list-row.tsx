import { memo, type MouseEvent as ReactMouseEvent } from "react";
import type { FieldJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { NamedWithComments, useCommentWords } from "../../field/comment-count.tsx";
import { fields } from "../../field/fields.ts";
import { RecordValue } from "../../field/record-value.tsx";
import { calledInFull } from "../../format/names.ts";
import { splitTitle } from "../../format/record-summary.ts";
import { getValue } from "../../format/record-values.ts";
import { isNothing } from "../../format/value-shapes.ts";
import { useWords } from "../../i18n/words.tsx";
import { RowBox } from "../../ui/control/row-box.tsx";
import { Link } from "../../ui/link.tsx";

export interface RowSelection {
  readonly selected: ReadonlySet<string>;
  /** `extend` selects the range from the last selected row. */
  readonly select: (id: string, extend: boolean) => void;
  readonly selectAll: (on: boolean) => void;
}

/** Opens the menu of a row, beside a control or at a position. */
export type OpenMenu = (id: string, anchor: HTMLElement | DOMRect) => void;

/** A cell to be edited. */
export interface CellToEdit {
  readonly id: string;
  readonly field: string;
  readonly cell: HTMLElement;
  /** How to open the row if the cell is locked; absent if editing was asked for, so that the cell says why. */
  readonly openRow?: () => void;
}

/** Edits a cell. */
export type EditCell = (edit: CellToEdit) => void;

interface RowProps {
  readonly item: RecordJson;
  readonly columns: readonly FieldJson[];
  readonly address: string | null;
  /** Index in the whole table, if only some rows are rendered. */
  readonly index: number | undefined;
  readonly selected: boolean;
  readonly select: RowSelection["select"] | undefined;
  readonly tinted: boolean;
  readonly onMenu: OpenMenu | undefined;
  /** The fields whose cells can be edited. */
  readonly editable?: ReadonlySet<string> | undefined;
  readonly onEdit?: EditCell | undefined;
  /** The editable fields that only the head of its group shows: names with spaces between them. */
  readonly inHead?: string | undefined;
}

/**
 * Scrolling renders new rows only. A row has as few elements as possible and none on its own compositing layer: a
 * hundred rows per second are rendered at speed.
 */
export const ListRow = memo((props: RowProps) => {
  const { item, columns, address, index, selected, select, tinted, onMenu, editable, onEdit, inHead } = props;
  const { say, show } = useWords();
  const label = item._label ?? "";
  const { title } = splitTitle(columns);
  const comments = useCommentWords(item);
  return (
    <tr
      className={address === null ? undefined : "opens"}
      aria-rowindex={index}
      aria-selected={selected || undefined}
      data-selected={selected || undefined}
      data-tinted={tinted || undefined}
      data-in-head={inHead || undefined}
      onContextMenu={onMenu && handleMenu(item.id, onMenu)}
      onPointerDown={keepSelectedText}
      onClick={(event) => pressRow(event, item.id, onEdit)}
    >
      {columns.map((field, at) => {
        const value = getValue(item, field.name);
        const end = fields[field.type].end;
        if (at > 0)
          return (
            <td
              key={field.name}
              className={end ? "end" : undefined}
              {...(editable?.has(field.name) ? inCell(field, address !== null && field === title) : {})}
            >
              <RecordValue field={field} record={item} cell />
            </td>
          );
        return (
          <td key={field.name} className={end ? "first end" : "first"}>
            {select && <RowBox id={item.id} label={label} isSelected={selected} onTurn={select} />}
            {address === null ? (
              <span className="cut">
                <RecordValue field={field} record={item} cell />
              </span>
            ) : (
              <Link
                className="row-link cut"
                href={address}
                data-row={item.id}
                aria-label={calledInFull(show.value(field, value), label)}
                aria-description={comments ?? undefined}
              >
                <NamedWithComments record={item}>
                  {isNothing(value) ? label : <RecordValue field={field} record={item} cell />}
                </NamedWithComments>
              </Link>
            )}
          </td>
        );
      })}
      {onMenu && (
        <td className="row-end">
          <button
            type="button"
            className="row-more"
            aria-label={say("row.menu", { label })}
            aria-haspopup="menu"
            onClick={(event) => onMenu(item.id, event.currentTarget)}
          />
        </td>
      )}
    </tr>
  );
});
ListRow.displayName = "Row";

const inCell = ({ name }: FieldJson, isTitle: boolean) => ({
  tabIndex: -1,
  "data-field": name,
  ...(isTitle && { "data-opens": "" }),
});

const getSelectedText = (): string => window.getSelection()?.toString() ?? "";

/** Text that was selected before the last press: a press on it does not select it, and is one like any other. */
let textBefore = "";
const keepSelectedText = (): void => {
  textBefore = getSelectedText();
};

/**
 * Beside its links and controls, a press edits the value if this person can, and otherwise opens the row. The text that names
 * the record opens it too: it is edited by keyboard, by the menu of the row, or in the record. With a modifier a press always
 * opens the row. Selecting text is no press.
 */
const pressRow = (event: ReactMouseEvent<HTMLElement>, id: string, onEdit: EditCell | undefined): void => {
  const { target, currentTarget, ctrlKey, metaKey, shiftKey } = event;
  if (!(target instanceof Element) || target.closest("a, button, input") !== null) return;
  const text = getSelectedText();
  if (text !== "" && text !== textBefore) return;
  const cell = target.closest<HTMLElement>("td[data-field]");
  const field = cell?.dataset.field;
  const openRow = () =>
    void currentTarget
      .querySelector("[data-row]")
      ?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }));
  const isEdit =
    onEdit &&
    !ctrlKey &&
    !metaKey &&
    !shiftKey &&
    cell?.dataset.locked === undefined &&
    cell?.dataset.opens === undefined;
  if (cell && field !== undefined && isEdit) onEdit({ id, field, cell, openRow });
  else openRow();
};

/**
 * Shows the full text of a cell that is cut off when hovered.
 */
export const showTruncatedText = ({ target, clientX, clientY }: ReactMouseEvent): void => {
  if (!(target instanceof HTMLElement)) return;
  const cell = document.elementsFromPoint(clientX, clientY).find((one) => one instanceof HTMLTableCellElement);
  // The count of approvals wraps out of sight.
  const isCut = (one: Element) =>
    one.scrollWidth > one.clientWidth ||
    (one.matches(".cut, bdi, .state-approvals") && one.scrollHeight > Math.max(one.clientHeight, 1));
  const cut = cell && (isCut(cell) || [...cell.querySelectorAll(".cut, .tight bdi, .state-approvals")].some(isCut));
  const words = cut ? (cell.textContent ?? "") : "";
  // A text may have a title of its own, such as the date of a deadline.
  if (target.title !== "" && !titled.has(target)) return;
  titled.add(target);
  if (target.title !== words) target.title = words;
};

/** The elements whose title is that of their cell. */
const titled = new WeakSet<HTMLElement>();

const isOverSelectedText = ({ target }: ReactMouseEvent): boolean => {
  const selection = window.getSelection();
  return selection?.isCollapsed === false && target instanceof Node && selection.containsNode(target, true);
};

/**
 * Opens the menu on a right click or long press, on release, because releasing outside a menu closes it. With Shift, or
 * over selected text, the browser's own menu opens.
 */
export const handleMenu =
  (id: string, onMenu: OpenMenu) =>
  (event: ReactMouseEvent): void => {
    if (event.shiftKey || isOverSelectedText(event)) return;
    event.preventDefault();
    const open = () => onMenu(id, new DOMRect(event.clientX, event.clientY, 0, 0));
    const touched = "pointerType" in event.nativeEvent && event.nativeEvent.pointerType === "touch";
    if (event.buttons === 0 && !touched) {
      open();
      return;
    }
    const over = new AbortController();
    for (const letGo of ["pointerup", "pointercancel"])
      window.addEventListener(
        letGo,
        () => {
          over.abort();
          setTimeout(open, 0);
        },
        { signal: over.signal },
      );
  };
