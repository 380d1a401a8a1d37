import type { EntityJson, FieldJson, FieldTypeName, ListScreenJson } from "../../core/wire.ts";

/** The fields that columns show, in their order. */
export const columnsNamed = (names: readonly string[], entity: EntityJson): readonly FieldJson[] =>
  names.flatMap((name) => entity.fields.find((field) => field.name === name) ?? []);

/** The columns of a list, in document order. */
export const columnsOf = (screen: ListScreenJson, entity: EntityJson): readonly FieldJson[] =>
  columnsNamed(screen.columns, entity);

/** What a column needs at least, in pixels, and its part of what is left over: words take more of it than figures. */
export interface ColumnWidth {
  readonly least: number;
  readonly share: number;
}

const widths = {
  text: { least: 148, share: 8 },
  "long text": { least: 160, share: 8 },
  "rich text": { least: 160, share: 8 },
  integer: { least: 96, share: 0.8 },
  decimal: { least: 112, share: 0.8 },
  money: { least: 120, share: 0.9 },
  boolean: { least: 84, share: 0.6 },
  date: { least: 124, share: 1 },
  time: { least: 92, share: 0.6 },
  datetime: { least: 156, share: 0.6 },
  duration: { least: 132, share: 1 },
  choice: { least: 104, share: 0.8 },
  email: { least: 160, share: 2.5 },
  url: { least: 160, share: 2.5 },
  phone: { least: 140, share: 1.5 },
  file: { least: 160, share: 2 },
  image: { least: 160, share: 2 },
  json: { least: 160, share: 2 },
  sequence: { least: 144, share: 0.6 },
  slug: { least: 140, share: 1.5 },
  position: { least: 84, share: 0.5 },
  reference: { least: 128, share: 1.8 },
  state: { least: 132, share: 0.8 },
} satisfies Record<FieldTypeName, ColumnWidth>;

/** The first column bears the record's name, and the last the page's gutter. */
export const columnWidths = (columns: readonly FieldJson[]): readonly ColumnWidth[] =>
  columns.map((field, at) => {
    const { least, share } = widths[field.type];
    const edges = (at === 0 ? FIRST : 0) + (at === columns.length - 1 ? 16 : 0);
    // A name in words takes more room than others; a number is as long as a number is.
    const isName = at === 0 && share >= 2;
    return {
      least: Math.max(least, isName ? 164 : 0, labelled(field)) + edges,
      share: isName ? Math.max(share, 3) * 1.3 : share,
    };
  });

/** The page's gutter, and the box that selects a row. */
const FIRST = 42;

/** What the longest of a few labels takes: a letter is about 7.2 pixels, and a state has a mark before it. */
const labelled = ({ values = [] }: FieldJson): number => {
  const longest = values.reduce((most, { label }) => Math.max(most, label.length), 0);
  return Math.min(Math.ceil(longest * 7.2) + 46, LONGEST_LABEL);
};

const LONGEST_LABEL = 190;

export const leastOf = (columns: readonly ColumnWidth[]): number => columns.reduce((sum, { least }) => sum + least, 0);

/** Shares out the room there is. Where it is not enough, every column has the least it needs, and the table scrolls. */
export const shareOut = (columns: readonly ColumnWidth[], room: number): readonly number[] => {
  const left = Math.max(0, room - leastOf(columns));
  const shares = columns.reduce((sum, { share }) => sum + share, 0);
  return columns.map(({ least, share }) => least + (left * share) / shares);
};
