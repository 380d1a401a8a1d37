import type { WordId } from "../../core/i18n/catalogue.ts";
import type { FieldTypeName } from "../../core/wire/entities.ts";

interface SortOrder {
  /** The texts that name the two orders. */
  readonly words: { readonly up: WordId; readonly down: WordId };
  /** The order of the first press on a header: descending if the largest or newest values are looked for more often. */
  readonly first: "up" | "down";
}

const letters = { up: "sort.words.up", down: "sort.words.down" } as const;
const figures = { up: "sort.figures.up", down: "sort.figures.down" } as const;
const dates = { up: "sort.dates.up", down: "sort.dates.down" } as const;
/** In the order of the document. */
const choices = { up: "sort.choices.up", down: "sort.choices.down" } as const;
const yes = { up: "sort.yes.up", down: "sort.yes.down" } as const;

export const sortOrders: { readonly [T in FieldTypeName]: SortOrder } = {
  text: { words: letters, first: "up" },
  "long text": { words: letters, first: "up" },
  "rich text": { words: letters, first: "up" },
  email: { words: letters, first: "up" },
  url: { words: letters, first: "up" },
  phone: { words: letters, first: "up" },
  reference: { words: letters, first: "up" },
  integer: { words: figures, first: "down" },
  decimal: { words: figures, first: "down" },
  money: { words: figures, first: "down" },
  duration: { words: figures, first: "down" },
  position: { words: figures, first: "up" },
  // Numbers are given in the order in which records are made.
  sequence: { words: dates, first: "down" },
  "integer sequence": { words: figures, first: "down" },
  slug: { words: letters, first: "up" },
  file: { words: letters, first: "up" },
  image: { words: letters, first: "up" },
  json: { words: letters, first: "up" },
  time: { words: dates, first: "up" },
  date: { words: dates, first: "down" },
  datetime: { words: dates, first: "down" },
  choice: { words: choices, first: "up" },
  state: { words: choices, first: "up" },
  boolean: { words: yes, first: "down" },
};
