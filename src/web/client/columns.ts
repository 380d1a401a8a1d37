import type { FieldJson, FieldTypeName } from "../../core/wire.ts";

/** What a column needs at least, in pixels, and its part of what is left over: words take more of it than figures. */
export interface ColumnWidth {
  readonly least: number;
  readonly share: number;
}

const widths = {
  text: { least: 140, share: 3 },
  "long text": { least: 160, share: 4 },
  "rich text": { least: 160, share: 4 },
  integer: { least: 96, share: 0.8 },
  decimal: { least: 112, share: 0.8 },
  money: { least: 120, share: 0.9 },
  boolean: { least: 84, share: 0.6 },
  date: { least: 124, share: 1 },
  time: { least: 92, share: 0.6 },
  datetime: { least: 180, share: 1 },
  duration: { least: 132, share: 1 },
  choice: { least: 112, share: 1.5 },
  email: { least: 160, share: 2.5 },
  url: { least: 160, share: 2.5 },
  phone: { least: 140, share: 1.5 },
  file: { least: 160, share: 2 },
  image: { least: 160, share: 2 },
  json: { least: 160, share: 2 },
  sequence: { least: 128, share: 1 },
  slug: { least: 140, share: 1.5 },
  position: { least: 84, share: 0.5 },
  reference: { least: 140, share: 2.5 },
  state: { least: 132, share: 1.2 },
} satisfies Record<FieldTypeName, ColumnWidth>;

/** The first column bears the record's name, and the last the page's gutter. */
export const columnWidths = (columns: readonly FieldJson[]): readonly ColumnWidth[] =>
  columns.map(({ type }, at) => {
    const { least, share } = widths[type];
    const edges = (at === 0 ? 16 : 0) + (at === columns.length - 1 ? 16 : 0);
    return at === 0
      ? { least: Math.max(least, 180) + edges, share: Math.max(share, 3) * 1.3 }
      : { least: least + edges, share };
  });

export const leastOf = (columns: readonly ColumnWidth[]): number => columns.reduce((sum, { least }) => sum + least, 0);

/** Shares out the room there is. Where it is not enough, every column has the least it needs, and the table scrolls. */
export const shareOut = (columns: readonly ColumnWidth[], room: number): readonly number[] => {
  const left = Math.max(0, room - leastOf(columns));
  const shares = columns.reduce((sum, { share }) => sum + share, 0);
  return columns.map(({ least, share }) => least + (left * share) / shares);
};
