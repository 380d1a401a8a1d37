import type { ReactNode } from "react";
import { usePhone } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { SelectAllBox } from "../control/row-box.tsx";
import "./item-table.css";

export interface ItemColumn<Item> {
  readonly head: string;
  readonly cell: (item: Item) => ReactNode;
  /** The complete text of a cell that may be cut. */
  readonly full?: (item: Item) => string;
}

/** Selects items for an act on several of them. */
export interface ItemSelection<Item> {
  readonly selected: ReadonlySet<string>;
  /** `extend` selects the range from the last selected item. */
  readonly select: (id: string, extend: boolean) => void;
  readonly selectAll: (on: boolean) => void;
  readonly labelOf: (item: Item) => string;
}

interface ItemTableProps<Item> {
  readonly caption: string;
  /** Sets the widths of the columns. */
  readonly className: string;
  readonly items: readonly Item[];
  readonly columns: readonly ItemColumn<Item>[];
  /** An item on a phone, in paragraphs. */
  readonly lines: (item: Item) => ReactNode;
  /** The act that each item offers, and its name. */
  readonly act?: { readonly head: string; readonly button: (item: Item) => ReactNode };
  readonly selection?: ItemSelection<Item>;
}

/** Items of the platform, such as deleted records: a table, or on a phone a few lines for each. */
export const ItemTable = <Item extends { readonly id: string }>(props: ItemTableProps<Item>) => {
  const { caption, className, items, columns, lines, act, selection } = props;
  const phone = usePhone();
  const { say } = useWords();
  const box = (item: Item) =>
    selection && (
      <label className="item-pick">
        <input
          type="checkbox"
          aria-label={say("bulk.select", { label: selection.labelOf(item) })}
          checked={selection.selected.has(item.id)}
          onChange={(event) => selection.select(item.id, (event.nativeEvent as MouseEvent).shiftKey === true)}
        />
      </label>
    );
  if (phone)
    return (
      <ul className="item-rows">
        {items.map((item) => (
          <li key={item.id}>
            {box(item)}
            <div className="grow">{lines(item)}</div>
            {act?.button(item)}
          </li>
        ))}
      </ul>
    );
  return (
    <div className="table-wrap">
      <table className={`grid ${className}`}>
        <caption className="hidden-words">{caption}</caption>
        <thead>
          <tr>
            {selection && (
              <th scope="col" className="item-picks">
                <SelectAllBox selection={selection} shown={items.length} />
              </th>
            )}
            {columns.map(({ head }) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
            {act && (
              <th scope="col">
                <span className="hidden-words">{act.head}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.id} data-selected={selection?.selected.has(item.id) || undefined}>
              {selection && <td className="item-picks">{box(item)}</td>}
              {columns.map(({ head, cell, full }) => (
                <td key={head} title={full?.(item)}>
                  <div className="cut">{cell(item)}</div>
                </td>
              ))}
              {act && <td>{act.button(item)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
