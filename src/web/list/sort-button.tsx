import type { ListSearch } from "../../core/derive/http/list-query.ts";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { ListScreenJson } from "../../core/wire/screens.ts";
import { useWords } from "../i18n/words.tsx";
import { IconButton } from "../ui/control/button.tsx";
import { Menu, type MenuItem } from "../ui/overlay/menu.tsx";
import { usePopup } from "../ui/overlay/popup.tsx";
import { orderWords } from "./table/sort-text.ts";
import { useSortableColumns, useSorting } from "./use-sorting.ts";

interface SortButtonProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly search: ListSearch;
  readonly seek: (next: ListSearch) => void;
}

/** Sorts the rows of a phone, which have no column headers. Choosing the sorted column again reverses the order. */
export const SortButton = ({ screen, entity, search, seek }: SortButtonProps) => {
  const { say } = useWords();
  const popup = usePopup();
  const sort = useSorting(screen, entity, search, seek);
  const columns = useSortableColumns(screen, entity);
  const [by = ""] = search.sort;
  if (columns.length === 0) return null;
  const items = columns.map((field): MenuItem => {
    const isCurrent = by.replace(/^-/u, "") === field.name;
    return {
      key: field.name,
      label: field.label,
      current: isCurrent,
      ...(isCurrent ? { icon: "check", note: say(orderWords(field.type, by)) } : {}),
      act: () => sort(field),
    };
  });
  return (
    <>
      <IconButton icon="sort" small label={say("list.sort")} aria-haspopup="menu" {...popup.control} />
      <Menu popup={popup} label={say("list.sort")} items={items} />
    </>
  );
};
