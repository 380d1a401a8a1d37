import type { ListSearch } from "../../core/derive/http/list-query.ts";
import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { ListScreenJson } from "../../core/wire/screens.ts";
import { useTools } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { useAnnounce } from "../ui/overlay/toast.tsx";
import { sortBy } from "./filter/list-search.ts";
import { addActingFields } from "./table/acting-fields.ts";
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

/** The columns that the reader chose, and those of filters and the order, as in the table. */
export const useVisibleColumns = (
  screen: ListScreenJson,
  entity: EntityJson,
  search: ListSearch,
): readonly FieldJson[] =>
  addActingFields(findColumns(useChosenColumns(screen, entity), entity), screen, entity, search);

/** Offers to sort by each column in the palette. */
export const useSortTools = (
  screen: ListScreenJson,
  entity: EntityJson,
  search: ListSearch,
  sort: (field: FieldJson) => void,
): void => {
  const { say } = useWords();
  const columns = useVisibleColumns(screen, entity, search).filter(({ sorts }) => sorts);
  useTools(
    Object.fromEntries(columns.map((field) => [say("list.sort.by", { column: field.label }), () => sort(field)])),
  );
};
