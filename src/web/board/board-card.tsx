import { draggable } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { useEffect, useRef, useState } from "react";
import type { ListSearch } from "../../core/derive/http/list-query.ts";
import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { ListScreenJson } from "../../core/wire/screens.ts";
import { useTriedRecord } from "../actions/use-tried-record.ts";
import { useApplication } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { RecordCard } from "../list/record-card.tsx";
import { advanceSorted, findActingFields, isNarrowedToOne } from "../list/table/acting-fields.ts";
import { listColumns } from "../list/table/column-widths.ts";
import { recordAddress } from "../routing/routes.ts";
import { IconButton } from "../ui/control/button.tsx";
import { Menu, type MenuItem } from "../ui/overlay/menu.tsx";
import { usePopup } from "../ui/overlay/popup.tsx";
import { opensDialog } from "../workflow/workflow.ts";
import { type BoardColumn, type CardMove, findMove, isOpenMove, toDragData } from "./board-moves.ts";

export interface BoardCardProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  /** The field whose values are the columns. */
  readonly field: FieldJson;
  readonly search: ListSearch;
  readonly columns: readonly BoardColumn[];
  readonly record: RecordJson;
  readonly onMove: (record: RecordJson, to: BoardColumn) => void;
}

/** A record on a board, with a menu of its moves. It can be dragged if one of them is possible. */
export const BoardCard = ({ screen, entity, field, search, columns, record, onMove }: BoardCardProps) => {
  const { screens } = useApplication();
  const { say } = useWords();
  const element = useRef<HTMLLIElement>(null);
  const [dragging, setDragging] = useState(false);
  const menu = usePopup();
  const label = record._label ?? entity.one;
  const columnsOfList = listColumns(screen, entity);
  const acting = findActingFields(screen, entity, search).filter(
    (one) => one !== field && !columnsOfList.includes(one) && !isNarrowedToOne(one, search),
  );
  const mayMove = columns.some(({ value }) => isOpenMove(findMove(entity, field, record, value)));
  const { record: tried } = useTriedRecord(entity, record, menu.open);
  const moves = columns.map((column) => ({ column, move: findMove(entity, field, tried, column.value) }));

  useEffect(() => {
    const node = element.current;
    if (!node || !mayMove) return;
    return draggable({
      element: node,
      getInitialData: () => toDragData(record),
      onDragStart: () => setDragging(true),
      onDrop: () => setDragging(false),
    });
  }, [record, mayMove]);

  // Possible moves come first; columns without a transition get a short note.
  const order = ["transition", "change", "refused", "no way", "here"] as const satisfies readonly CardMove["kind"][];
  const sorted = moves.toSorted((one, other) => order.indexOf(one.move.kind) - order.indexOf(other.move.kind));
  const items: readonly MenuItem[] = sorted.flatMap(({ column, move }): readonly MenuItem[] => {
    const shared = { key: column.value, label: column.label, ...(column.mark ? { mark: column.mark } : {}) };
    if (move.kind === "here") return [];
    if (move.kind === "no way") return [{ ...shared, refused: null, note: say("board.no.way.short") }];
    if (move.kind === "refused") return [{ ...shared, refused: move.why }];
    const act = () => onMove(record, column);
    if (move.kind === "change") return [{ ...shared, act }];
    const { label: name } = move.transition;
    return [
      { ...shared, act, note: opensDialog(entity, move.transition) ? say("record.asks", { transition: name }) : name },
    ];
  });

  return (
    <li
      ref={element}
      className="card"
      data-card={record.id}
      data-dragging={dragging || undefined}
      data-moves={mayMove || undefined}
    >
      <RecordCard
        entity={entity}
        columns={advanceSorted(columnsOfList, search.sort).filter(({ name }) => name !== field.name)}
        acting={acting}
        record={record}
        address={recordAddress(screens, entity.name, record.id)}
      />
      {items.length > 0 && (
        <IconButton
          icon="more"
          small
          look="quiet"
          className="card-move"
          label={say("board.move", { label })}
          aria-haspopup="menu"
          data-move=""
          {...menu.control}
        />
      )}
      <Menu popup={menu} label={say("board.move", { label })} items={items}>
        <p className="menu-title">{say("board.move.to")}</p>
      </Menu>
    </li>
  );
};
