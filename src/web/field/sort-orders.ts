import type { FieldTypeName } from "../../core/wire/entities.ts";

interface SortOrder {
  /** The texts that name the two orders: with `.up` and `.down`. */
  readonly words: "sort" | "sort.words" | "sort.figures" | "sort.dates";
  /** The order of the first press on a header: descending if the largest or newest values are looked for more often. */
  readonly first: "up" | "down";
}

export const sortOrders: { readonly [T in FieldTypeName]: SortOrder } = {
  text: { words: "sort.words", first: "up" },
  "long text": { words: "sort.words", first: "up" },
  "rich text": { words: "sort.words", first: "up" },
  email: { words: "sort.words", first: "up" },
  url: { words: "sort.words", first: "up" },
  phone: { words: "sort.words", first: "up" },
  reference: { words: "sort.words", first: "up" },
  integer: { words: "sort.figures", first: "down" },
  decimal: { words: "sort.figures", first: "down" },
  money: { words: "sort.figures", first: "down" },
  duration: { words: "sort.figures", first: "down" },
  position: { words: "sort.figures", first: "up" },
  sequence: { words: "sort.words", first: "down" },
  "integer sequence": { words: "sort.figures", first: "down" },
  slug: { words: "sort.words", first: "up" },
  file: { words: "sort.words", first: "up" },
  image: { words: "sort.words", first: "up" },
  json: { words: "sort.words", first: "up" },
  time: { words: "sort.dates", first: "up" },
  date: { words: "sort.dates", first: "down" },
  datetime: { words: "sort.dates", first: "down" },
  choice: { words: "sort", first: "up" },
  state: { words: "sort", first: "up" },
  boolean: { words: "sort", first: "down" },
};
