import type { WordId } from "../../../core/i18n/catalogue.ts";
import type { EntityJson, FieldTypeName } from "../../../core/wire/entities.ts";
import type { ListScreenJson } from "../../../core/wire/screens.ts";
import { useWords } from "../../i18n/words.tsx";
import { useChosenColumns } from "./column-chooser.tsx";

/** Descriptions of each type's order. */
const orders = {
  text: ["sort.words.up", "sort.words.down"],
  "long text": ["sort.words.up", "sort.words.down"],
  "rich text": ["sort.words.up", "sort.words.down"],
  email: ["sort.words.up", "sort.words.down"],
  url: ["sort.words.up", "sort.words.down"],
  phone: ["sort.words.up", "sort.words.down"],
  reference: ["sort.words.up", "sort.words.down"],
  integer: ["sort.figures.up", "sort.figures.down"],
  decimal: ["sort.figures.up", "sort.figures.down"],
  money: ["sort.figures.up", "sort.figures.down"],
  duration: ["sort.figures.up", "sort.figures.down"],
  position: ["sort.figures.up", "sort.figures.down"],
  sequence: ["sort.words.up", "sort.words.down"],
  "integer sequence": ["sort.figures.up", "sort.figures.down"],
  slug: ["sort.words.up", "sort.words.down"],
  file: ["sort.words.up", "sort.words.down"],
  image: ["sort.words.up", "sort.words.down"],
  json: ["sort.words.up", "sort.words.down"],
  time: ["sort.dates.up", "sort.dates.down"],
  date: ["sort.dates.up", "sort.dates.down"],
  datetime: ["sort.dates.up", "sort.dates.down"],
  choice: ["sort.up", "sort.down"],
  state: ["sort.up", "sort.down"],
  boolean: ["sort.up", "sort.down"],
} satisfies Record<FieldTypeName, readonly [WordId, WordId]>;

/** "Sorted by Reported at, latest first" if no column header shows it; otherwise null. */
export const useHiddenSort = (screen: ListScreenJson, entity: EntityJson) => {
  const { say } = useWords();
  const shown = useChosenColumns(screen, entity);
  return (sort: readonly string[]): string | null => {
    const [by] = sort;
    const field = entity.fields.find(({ name }) => name === by?.replace(/^-/, ""));
    if (by === undefined || !field || shown.includes(field.name)) return null;
    return say("list.order", { column: field.label, order: say(orders[field.type][by.startsWith("-") ? 1 : 0]) });
  };
};

/** "Loans, sorted by due day, latest first". */
export const useSortWords = (screen: ListScreenJson, entity: EntityJson) => {
  const { say } = useWords();
  return (sort: readonly string[]): string => {
    const by = sort[0];
    const field = entity.fields.find(({ name }) => name === by?.replace(/^-/, ""));
    if (by === undefined || !field) return screen.title;
    const order = orders[field.type][by.startsWith("-") ? 1 : 0];
    return say("list.sorted", { title: screen.title, column: field.label, order: say(order) });
  };
};
