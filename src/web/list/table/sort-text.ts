import type { WordId } from "../../../core/i18n/catalogue.ts";
import type { EntityJson, FieldTypeName } from "../../../core/wire/entities.ts";
import type { ListScreenJson } from "../../../core/wire/screens.ts";
import { sortOrders } from "../../field/sort-orders.ts";
import { useWords } from "../../i18n/words.tsx";
import { useChosenColumns } from "./use-chosen-columns.ts";

/** "latest first", for `-` and the name of a field of this type. */
export const orderWords = (type: FieldTypeName, by: string): WordId =>
  sortOrders[type].words[by.startsWith("-") ? "down" : "up"];

/**
 * "Sorted by Reported at, latest first" if no column header shows it; otherwise null. An order that the reader chose has a
 * column.
 */
export const useHiddenSort = (screen: ListScreenJson, entity: EntityJson) => {
  const { say } = useWords();
  const shown = useChosenColumns(screen, entity);
  return (sort: readonly string[]): string | null => {
    const [by] = sort;
    const field = entity.fields.find(({ name }) => name === by?.replace(/^-/, ""));
    if (by === undefined || !field || shown.includes(field.name) || sort.join() !== screen.sort.join()) return null;
    return say("list.order", { column: field.label, order: say(orderWords(field.type, by)) });
  };
};

/** "Loans, sorted by due day, latest first". */
export const useSortWords = (screen: ListScreenJson, entity: EntityJson) => {
  const { say } = useWords();
  return (sort: readonly string[]): string => {
    const by = sort[0];
    const field = entity.fields.find(({ name }) => name === by?.replace(/^-/, ""));
    if (by === undefined || !field) return screen.title;
    const order = say(orderWords(field.type, by));
    return say("list.sorted", { title: screen.title, column: field.label, order });
  };
};
