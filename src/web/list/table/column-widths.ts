import type { EntityJson, FieldJson, FieldTypeName } from "../../../core/wire/entities.ts";
import type { ListScreenJson } from "../../../core/wire/screens.ts";
import { namesUnit } from "../../format/format.ts";

/** The fields that columns show, in their order. */
export const columnsNamed = (names: readonly string[], entity: EntityJson): readonly FieldJson[] =>
  names.flatMap((name) => entity.fields.find((field) => field.name === name) ?? []);

/** The columns of a list, in document order. */
export const columnsOf = (screen: ListScreenJson, entity: EntityJson): readonly FieldJson[] =>
  columnsNamed(screen.columns, entity);

/** What a column needs at least, in pixels, and its part of what is left over: words take more of it than figures. */
export interface ColumnWidth {
  readonly least: number;
  /** What it takes so that hardly anything in it is cut. */
  readonly wanted: number;
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
} satisfies Record<FieldTypeName, Omit<ColumnWidth, "wanted">>;

/** About what a letter of a head takes; a cell's padding, and a little; the arrow of a column that is sorted by. */
const LETTER = 7.2;
const PADDING = 27;
const SORTED = 17;
/** No column asks for more than this, however long its words are. */
const WIDEST = 460;

/**
 * The first column bears the record's name, and the last the page's gutter. `taken` is how wide the words of some rows
 * are in a column, in pixels: what nineteen of twenty of them take is wanted before any column gets air, and a column that
 * needs less than its type leaves it to the others.
 */
export const columnWidths = (
  columns: readonly FieldJson[],
  taken: (field: FieldJson) => readonly number[] = () => [],
): readonly ColumnWidth[] =>
  columns.map((field, at) => {
    const { least, share } = widths[field.type];
    const edges = (at === 0 ? FIRST : 0) + (at === columns.length - 1 ? 16 : 0);
    // A name in words takes more room than others; a number is as long as a number is.
    const isName = at === 0 && share >= 2;
    const usual = Math.max(least, isName ? 164 : 0, labelled(field));
    const all = taken(field).toSorted((one, other) => one - other);
    // A label is one of a few that come again and again; of other words one may be longer than all.
    const most = all[Math.ceil(all.length * (field.values ? 1 : 0.95)) - 1];
    const shared = { share: isName ? Math.max(share, 3) * 1.3 : share };
    if (most === undefined) return { ...shared, least: usual + edges, wanted: usual + edges };
    const marked = field.type === "state" ? 21 : field.entity === "User" ? 31 : 0;
    const wanted = Math.max(most + PADDING + marked, headOf(field).length * LETTER + PADDING + SORTED);
    return {
      ...shared,
      least: Math.min(usual, Math.max(wanted, 72)) + edges,
      wanted: Math.min(wanted, WIDEST) + edges,
    };
  });

/** What a column's head says. */
const headOf = (field: FieldJson): string =>
  field.unit && !namesUnit(field) ? `${field.label} (${field.unit})` : field.label;

/** The page's gutter, and the box that selects a row. */
const FIRST = 42;

/** What the longest of a few labels takes: a letter is about 7.2 pixels, and a state has a mark before it. */
const labelled = ({ values = [] }: FieldJson): number => {
  const longest = values.reduce((most, { label }) => Math.max(most, label.length), 0);
  return Math.min(Math.ceil(longest * 7.2) + 46, LONGEST_LABEL);
};

const LONGEST_LABEL = 190;

export const leastOf = (columns: readonly ColumnWidth[]): number => columns.reduce((sum, { least }) => sum + least, 0);

/**
 * Shares out the room there is: first what each column wants, then air. Where that is not enough, those that want most give
 * way, so that short words stay whole; and below the least that all need, the table scrolls.
 */
export const shareOut = (columns: readonly ColumnWidth[], room: number): readonly number[] => {
  const sum = (widths: readonly number[]) => widths.reduce((all, one) => all + one, 0);
  const noneAbove = (most: number) => columns.map(({ least, wanted }) => Math.max(least, Math.min(wanted, most)));
  let [low, high] = [0, Math.max(0, ...columns.map(({ wanted }) => wanted))];
  if (sum(noneAbove(high)) > room)
    for (let halved = 0; halved < 24; halved++) {
      const middle = (low + high) / 2;
      if (sum(noneAbove(middle)) > room) high = middle;
      else low = middle;
    }
  else low = high;
  const given = noneAbove(low);
  const air = Math.max(0, room - sum(given));
  const shares = sum(columns.map(({ share }) => share));
  return given.map((width, at) => width + (air * (columns[at]?.share ?? 0)) / shares);
};
