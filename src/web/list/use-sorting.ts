import type { ListSearch } from "../../core/derive/http/list-query.ts";
import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { ListScreenJson } from "../../core/wire/screens.ts";
import { useTools } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { useAnnounce } from "../ui/overlay/toast.tsx";
import { sortBy } from "./filter/list-search.ts";
import { findColumns } from "./table/column-widths.ts";
import { useSortWords } from "./table/sort-text.ts";
import { useChosenColumns } from "./table/use-chosen-columns.ts";

/** Sorts the list by a column, and says so aloud. */
export const useSorting = (
  screen: ListScreenJson,
  entity: EntityJson,
  search: ListSearch,
  seek: (next: ListSearch) => void,
): ((field: FieldJson) => void) => {
  const { politely } = useAnnounce();
  const sortWords = useSortWords(screen, entity);
  return (field) => {
    const next = sortBy(search, field);
    seek(next);
    politely(sortWords(next.sort));
  };
};

/** The columns by which the reader can sort. */
export const useSortableColumns = (screen: ListScreenJson, entity: EntityJson): readonly FieldJson[] =>
  findColumns(useChosenColumns(screen, entity), entity).filter(({ sorts }) => sorts);

/** Offers to sort by each column in the palette. */
export const useSortTools = (screen: ListScreenJson, entity: EntityJson, sort: (field: FieldJson) => void): void => {
  const { say } = useWords();
  const columns = useSortableColumns(screen, entity);
  useTools(
    Object.fromEntries(columns.map((field) => [say("list.sort.by", { column: field.label }), () => sort(field)])),
  );
};
