import type { ListPreferenceJson } from "../../../core/wire/accounts/preferences.ts";
import type { EntityJson, FieldJson, FieldTypeName } from "../../../core/wire/entities.ts";
import type { ListScreenJson } from "../../../core/wire/screens.ts";
import { namesUnit } from "../../format/format.ts";
import { PEOPLE } from "../../format/names.ts";
import type { Store } from "../../util/store.ts";

/** The fields of the named columns, in order. */
export const findColumns = (names: readonly string[], entity: EntityJson): readonly FieldJson[] =>
  names.flatMap((name) => entity.fields.find((field) => field.name === name) ?? []);

/** The columns of a list, in document order. */
export const listColumns = (screen: ListScreenJson, entity: EntityJson): readonly FieldJson[] =>
  findColumns(screen.columns, entity);

/** Widths of a column in pixels, and its share of the remaining space, larger for text than for numbers. */
export interface ColumnWidth {
  readonly least: number;
  /**
   * The widths to which the column shrinks: while the title is cut off, outliers are cut off first, then references and
   * names; choices only for the minimum width of a title.
   */
  readonly shrunk: readonly [outliers: number, names: number, choices: number];
  /** Of the record's title, the width that most of its texts need; otherwise 0. */
  readonly title: number;
  /** The width that they need in two lines, in tight rows. */
  readonly folded: number;
  /** The width at which hardly anything is cut off, within a limit. */
  readonly preferred: number;
  /** The width at which nothing is cut off; at least `preferred`. */
  readonly full: number;
  readonly share: number;
}

/** `isCut`: the few widest values may be cut off, unlike numbers, which would be wrong. */
const widths: { readonly [T in FieldTypeName]: Pick<ColumnWidth, "least" | "share"> & { readonly isCut: boolean } } = {
  text: { least: 148, share: 8, isCut: true },
  "long text": { least: 160, share: 8, isCut: true },
  "rich text": { least: 160, share: 8, isCut: true },
  integer: { least: 96, share: 0.8, isCut: false },
  decimal: { least: 112, share: 0.8, isCut: false },
  money: { least: 120, share: 0.9, isCut: false },
  boolean: { least: 84, share: 0.6, isCut: true },
  date: { least: 124, share: 1, isCut: true },
  time: { least: 92, share: 0.6, isCut: true },
  datetime: { least: 156, share: 0.6, isCut: true },
  duration: { least: 132, share: 1, isCut: true },
  choice: { least: 104, share: 0.8, isCut: true },
  email: { least: 160, share: 2.5, isCut: true },
  url: { least: 160, share: 2.5, isCut: true },
  phone: { least: 140, share: 1.5, isCut: true },
  file: { least: 160, share: 2, isCut: true },
  image: { least: 160, share: 2, isCut: true },
  json: { least: 160, share: 2, isCut: true },
  sequence: { least: 160, share: 0.6, isCut: true },
  "integer sequence": { least: 84, share: 0.5, isCut: true },
  slug: { least: 140, share: 1.5, isCut: true },
  position: { least: 84, share: 0.5, isCut: true },
  reference: { least: 128, share: 1.8, isCut: true },
  state: { least: 132, share: 0.8, isCut: true },
};

/** True if the values of the column are never cut off. */
export const isNeverCut = ({ type }: FieldJson): boolean => !widths[type].isCut;

/** Approximate widths: a letter of a header, a cell's padding, the avatar before a person's name. */
const LETTER = 7.2;
const PADDING = 27;
const AVATAR = 31;
/** Saved at each side of a cell if texts are cut off (`tight` in list-table.css). */
const TIGHTER = 4;
/** Minimum width of a person's picture and name: cut names look alike. */
const PERSON = 180;
/** The part of its width that a text needs in two lines, if its words are of usual length. */
const TWO_LINES = 0.65;
/** Minimum width of any column. */
const NARROWEST = 72;
/** Minimum width of a title. */
const READABLE = 180;
const READABLE_IN_TWO_LINES = 136;
/** Minimum widths of a picture and a name, of another reference, and of a choice while the title is cut off. */
const SHORT_PERSON = 128;
const SHORT_REFERENCE = 112;
const SHORT_CHOICE = 96;
/** The width that each of these can do without if it has two lines. */
const SAVED_BY_FOLDING = 12;
/** Maximum wanted width of a column, however long its texts are. */
const WIDEST = 460;

/** Space beside the outer columns in addition to the padding of a cell. */
export interface Edges {
  readonly first: number;
  readonly last: number;
}

/** The page margins and the selection checkbox. */
const PAGE_EDGES: Edges = { first: 42, last: 16 };

/** Before the column of menus, the last column ends like the others. */
export const leaveRoomForMenus = ({ first }: Edges = PAGE_EDGES): Edges => ({ first, last: 0 });

/** A table within a page begins and ends without padding. */
export const INSET_EDGES: Edges = { first: -12, last: -12 };

interface Measures {
  /** Measured widths of the texts in some rows, in pixels. */
  readonly taken?: (field: FieldJson) => readonly number[];
  /** Measured width of the longest word of a column that has two lines. */
  readonly wordOf?: (field: FieldJson) => number;
  /** Measured width of a header. */
  readonly headOf?: (field: FieldJson) => number;
  readonly edges?: Edges;
  /** True if cells have less padding, to leave it to their texts, which can have two lines. */
  readonly isTight?: boolean;
}

/** The column that tells what the record is about: a text in its label, or else a reference in it. */
const findTitle = (columns: readonly FieldJson[]): FieldJson | undefined => {
  const named = columns.filter(({ inLabel, many }) => inLabel && !many);
  return named.find(({ type }) => widths[type].share >= TEXT_SHARE) ?? named.find(({ type }) => type === "reference");
};

/** Of sorted widths, the one within which this part of the texts fits. */
const atPart = (sorted: readonly number[], part: number): number | undefined =>
  sorted[Math.ceil(sorted.length * part) - 1];

/**
 * Computes column widths. The first column holds the record's name. The 95th percentile of the measured texts is wanted
 * before any column gets extra space, and a column that needs less than its type suggests leaves the rest to others: an
 * empty one is as wide as its header.
 */
export const columnWidths = (
  columns: readonly FieldJson[],
  {
    taken = () => [],
    wordOf = () => 0,
    headOf = (field) => getHead(field).length * LETTER,
    edges: outer = PAGE_EDGES,
    isTight = false,
  }: Measures = {},
): readonly ColumnWidth[] => {
  const title = findTitle(columns);
  return columns.map((field, at) => {
    const { least, share, isCut } = widths[field.type];
    const isPerson = field.entity === PEOPLE;
    const [isFirst, isLast] = [at === 0, at === columns.length - 1];
    // The outer sides keep their padding, because they are aligned with the page.
    const inner = (isFirst ? 0 : 1) + (isLast && outer.last !== 0 ? 0 : 1);
    const edges = (isFirst ? outer.first : 0) + (isLast ? outer.last : 0) - (isTight ? inner * TIGHTER : 0);
    // Names get extra space, numbers do not.
    const isName = isFirst && share >= 2;
    const usual = Math.max(isPerson ? PERSON : least, isName ? 164 : 0, measureLabels(field));
    const all = taken(field).toSorted((one, other) => one - other);
    // Values of a choice repeat, so the widest counts; of other texts, outliers are ignored.
    const most = atPart(all, field.values || !isCut ? 1 : 0.95);
    const nine = atPart(all, isCut ? 0.9 : 1);
    const longest = all.at(-1);
    const shared = { share: isName ? Math.max(share, 3) * 1.3 : share };
    if (most === undefined || nine === undefined || longest === undefined) {
      const width = usual + edges;
      return {
        ...shared,
        least: width,
        shrunk: [width, width, width],
        title: 0,
        folded: 0,
        preferred: width,
        full: width,
      };
    }
    const marked = longest === 0 ? 0 : field.type === "state" ? 21 : isPerson ? AVATAR : 0;
    const head = Math.max(headOf(field) + PADDING, NARROWEST);
    const preferred = Math.max(most + PADDING + marked, head);
    // A state that waits for more people also says for how many.
    const kept = field.type === "state" ? Math.max(usual, Math.min(preferred, LONGEST_STATE)) : usual;
    const mostly = Math.max(nine + PADDING + marked, head);
    const needed = Math.min(kept, preferred);
    // In two lines of a tight row, a long state is whole, if none of its words has to be broken.
    const inLines = Math.max(most * TWO_LINES, Math.min(most, wordOf(field)));
    const whole = isTight && field.type === "state" ? Math.max(mostly, inLines + PADDING + marked) : mostly;
    const word = isTight ? Math.min(wordOf(field) + PADDING + marked, mostly) : 0;
    const outliers = Math.min(needed, whole);
    const isRead = field === title;
    // Before a table scrolls, its title is narrower than other texts, if it has two lines.
    const readable = !isRead
      ? 0
      : isTight
        ? Math.min(mostly, READABLE_IN_TWO_LINES)
        : Math.max(needed, Math.min(mostly, READABLE));
    const folded = isTight ? Math.max(readable, mostly * TWO_LINES) : mostly;
    const shorten = (isShort: boolean, width: number) =>
      Math.max(
        readable,
        isShort ? Math.min(outliers, Math.max(width - (isTight ? SAVED_BY_FOLDING : 0), head, word)) : outliers,
      ) + edges;
    const names = shorten(field.type === "reference", isPerson ? SHORT_PERSON : SHORT_REFERENCE);
    return {
      ...shared,
      least: Math.max(needed, readable) + edges,
      shrunk: [
        outliers + edges,
        names,
        Math.min(
          isRead ? readable + edges : names,
          shorten(field.type === "choice", SHORT_CHOICE),
          shorten(isTight && field.type === "state", inLines + PADDING + marked),
        ),
      ],
      title: isRead ? Math.min(mostly, WIDEST) + edges : 0,
      folded: isRead ? Math.min(folded, WIDEST) + edges : 0,
      preferred: Math.min(preferred, WIDEST) + edges,
      full: Math.max(longest + PADDING + marked, head) + edges,
    };
  });
};

/** The text of a column header. */
export const getHead = (field: FieldJson): string =>
  field.unit && !namesUnit(field) ? `${field.label} (${field.unit})` : field.label;

/** The width of the longest label at about 7.2 pixels per letter; states have an icon in front. */
const measureLabels = ({ values = [] }: FieldJson): number => {
  const longest = values.reduce((most, { label }) => Math.max(most, label.length), 0);
  return Math.min(Math.ceil(longest * 7.2) + 46, LONGEST_LABEL);
};

const LONGEST_LABEL = 190;
const LONGEST_STATE = 240;

/** Below this width, the table scrolls. */
export const sumLeastWidths = (columns: readonly ColumnWidth[]): number =>
  sum(columns.map(columns.some(isTitle) ? ({ shrunk }) => shrunk[2] : ({ least }) => least));

/** The width of a table that scrolls: then there is no reason to cut off the title. */
export const sumScrolledWidths = (columns: readonly ColumnWidth[]): number =>
  sum(columns.map(({ least, title }) => Math.max(least, title)));

const isTitle = ({ title }: ColumnWidth): boolean => title > 0;

/** If there is too little room, texts keep this many times the width of other columns, because they tell rows apart. */
const TEXT_WEIGHT = 2;

/** The share of the remaining space from which a column counts as text. */
const TEXT_SHARE = 8;

const sum = (widths: readonly number[]): number => widths.reduce((all, one) => all + one, 0);

/** True if a text would be cut off in this width. */
export const isCramped = (columns: readonly ColumnWidth[], room: number): boolean =>
  sum(columns.map(({ preferred }) => preferred)) > room;

/** Raises the narrowest columns to a common level, each up to its limit, until they fill the room. */
const raise = (
  from: readonly number[],
  limits: readonly number[],
  room: number,
  weights: readonly number[],
): readonly number[] => {
  const raiseTo = (level: number) =>
    from.map((width, at) => Math.max(width, Math.min(limits[at] ?? 0, level * (weights[at] ?? 1))));
  let [low, high] = [0, Math.max(0, ...limits)];
  if (sum(raiseTo(high)) <= room) return raiseTo(high);
  for (let halved = 0; halved < 24; halved++) {
    const middle = (low + high) / 2;
    if (sum(raiseTo(middle)) > room) high = middle;
    else low = middle;
  }
  return raiseTo(low);
};

const UNWEIGHTED: readonly number[] = [];

/**
 * Starts from minimum widths. If the title lacks room, outliers shrink for it. If it then lacks room even in two lines, other
 * columns shrink, one kind after the other.
 */
const widenTitle = (columns: readonly ColumnWidth[], room: number): readonly number[] => {
  const leasts = columns.map(({ least }) => least);
  const at = columns.findIndex(isTitle);
  const { title = 0, folded = 0, shrunk: [, , least] = [0, 0, 0] } = columns[at] ?? {};
  if (title === 0) return leasts;
  const steps = [leasts, ...([0, 1, 2] as const).map((kind) => columns.map(({ shrunk }) => shrunk[kind]))].map((step) =>
    step.with(at, 0),
  );
  // Choices of one line shrink only for the minimum width of the title.
  const besides = [title, title, folded, folded < title ? folded : least].map((own) => room - own);
  const fitting = [title, folded, folded].findIndex((own, step) => sum(steps[step] ?? []) <= room - own);
  const step = fitting === -1 ? 3 : fitting;
  const others = raise(steps[step] ?? [], steps[Math.max(step - 1, 0)] ?? [], besides[step] ?? 0, UNWEIGHTED);
  return others.with(at, Math.max(least, Math.min(title, room - sum(others))));
};

/**
 * Distributes the available width: the title first, then preferred widths, then what the longest texts lack, then extra
 * space. If there is too little, the widest columns shrink first, so that short texts stay complete; below the sum of
 * minimum widths, the table scrolls.
 */
export const distributeWidth = (columns: readonly ColumnWidth[], room: number): readonly number[] => {
  const limited = raise(
    widenTitle(columns, room),
    columns.map(({ preferred }) => preferred),
    room,
    columns.map(({ share }) => (share >= TEXT_SHARE ? TEXT_WEIGHT : 1)),
  );
  const filled = raise(
    limited,
    columns.map(({ full }) => full),
    room,
    UNWEIGHTED,
  );
  const air = Math.max(0, room - sum(filled));
  const shares = sum(columns.map(({ share }) => share));
  return filled.map((width, at) => width + (air * (columns[at]?.share ?? 0)) / shares);
};

/** Remembers a width that the reader chose for a column. */
export const setColumnWidth = (store: Store<ListPreferenceJson>, name: string, width: number): void =>
  store.set({ ...store.get(), widths: { ...store.get().widths, [name]: Math.max(64, Math.round(width)) } });
