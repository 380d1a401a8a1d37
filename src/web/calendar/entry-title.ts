import type { EntityJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { ListScreenJson } from "../../core/wire/screens.ts";
import { getValue } from "../format/record-values.ts";
import { useWords } from "../i18n/words.tsx";
import { listColumns } from "../list/table/column-widths.ts";

/** The first text of an entry. A label can contain when the record begins, which the entry shows by its place. */
export const useEntryTitle = (screen: ListScreenJson, entity: EntityJson): ((record: RecordJson) => string) => {
  const { show } = useWords();
  const [title] = listColumns(screen, entity);
  return (record) => (title ? show.value(title, getValue(record, title.name)) : null) ?? record._label ?? entity.one;
};
