import { useMemo } from "react";
import type { ListSearch } from "../../core/derive/http/list-query.ts";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { ListScreenJson } from "../../core/wire/screens.ts";
import { useKeys, usePhone } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Menu, type MenuItem } from "../ui/overlay/menu.tsx";
import { usePopup } from "../ui/overlay/popup.tsx";
import { sortBy } from "./filter/list-search.ts";
import { ToolChoice } from "./filter/tool-choice.tsx";
import { orderWords } from "./table/sort-text.ts";
import { useSorting, useVisibleColumns } from "./use-sorting.ts";

interface SortButtonProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly search: ListSearch;
  readonly seek: (next: ListSearch) => void;
}

/**
 * A menu that sorts the rows, opened by S. On a phone, where there are no column headers, it has a button. Choosing the
 * sorted column again reverses the order.
 */
export const SortButton = ({ screen, entity, search, seek }: SortButtonProps) => {
  const { say } = useWords();
  const popup = usePopup();
  const sort = useSorting(screen, entity, search, seek);
  const columns = useVisibleColumns(screen, entity, search);
  const { show, anchor } = popup;
  const phone = usePhone();
  useKeys(
    useMemo(
      () => ({
        s: () => {
          if (!phone) anchor.current = document.querySelector<HTMLButtonElement>("main th button");
          show();
        },
      }),
      [show, anchor, phone],
    ),
  );
  const [by = ""] = search.sort;
  if (columns.length === 0) return null;
  // The name tells the order that the reader chose.
  const current = columns.find(({ name }) => by.replace(/^-/u, "") === name);
  const order = current && `${current.label} ${by.startsWith("-") ? "↓" : "↑"}`;
  const label = order === undefined ? say("list.sort") : say("label.value", { label: say("list.sort"), value: order });
  const isChosen = order !== undefined && search.sort.join() !== screen.sort.join();
  // Its icon leaves the line the room for what was chosen here and in the groups.
  const words = isChosen || search.grouped.length > 0 ? (order ?? label) : label;
  const items = columns.map((field): MenuItem => {
    const isCurrent = by.replace(/^-/u, "") === field.name;
    return {
      key: field.name,
      label: field.label,
      current: isCurrent,
      ...(isCurrent && { note: say(orderWords(field.type, by)) }),
      ...(field.sorts
        ? {
            // The order that it would have is told before it is chosen.
            ...(!isCurrent && { note: say(orderWords(field.type, sortBy(search, field).sort[0] ?? "")) }),
            act: () => sort(field),
          }
        : { refused: { because: say("list.column.unsorted", { column: field.label }) } }),
    };
  });
  return (
    <>
      {phone && (
        <ToolChoice
          popup={popup}
          icon="sort"
          label={label}
          words={words}
          aria-haspopup="menu"
          clear={
            isChosen ? { label: say("list.sort.clear"), act: () => seek({ ...search, sort: screen.sort }) } : undefined
          }
        />
      )}
      <Menu popup={popup} side={phone ? "end" : "start"} label={say("list.sort")} items={items} />
    </>
  );
};
