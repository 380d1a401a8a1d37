import type { PersonJson } from "../../core/wire/application.ts";
import type { EntityJson, FieldJson, FieldTypeName } from "../../core/wire/entities.ts";
import { columnWidths, INSET_EDGES } from "../list/table/column-widths.ts";

/** Approximate widths: a letter of a button, its padding. */
const LETTER = 7.2;
const BUTTON = 26;

/** Below this width, texts of different rows can no longer be distinguished. */
const READABLE = 204;

/** A width at which hardly any name is cut off, and the share of a row that it may take from the other values. */
const WIDE_NAME = 300;
const SHARE_OF_NAME = 0.3;

/** A width at which hardly any name of a person is cut off, beside a picture. */
const SHORT_NAME = 176;

/** The width of “1 of 2 people”. */
const COUNT = 96;

/** The share of a row that its buttons may take from the two lines beside them. */
const SHARE_OF_ACTS = 0.4;

/**
 * How the rows of a tile are divided. It depends on the document and the width alone: rows that became lower or higher
 * after an action would move everything below them.
 */
export interface TileLines {
  /** Cells and buttons would leave too little room for the texts. */
  readonly twoLines: boolean;
  /** The room for buttons beside the cells or the two lines, in pixels. */
  readonly actsRoom: number;
  /** The share of the first column, with which it is hardly cut off. */
  readonly first: string;
  /** The shares of further texts and names beside a text, which would otherwise take all room; undefined for short values. */
  readonly others: readonly (string | undefined)[];
}

export const divideTileLines = (
  entity: EntityJson,
  cells: readonly FieldJson[],
  person: Pick<PersonJson, "roles" | "everybody"> | null,
  width: number,
): TileLines => {
  const widths = columnWidths(cells, { edges: INSET_EDGES }).map(({ least }, at) =>
    at === 0 && isText(cells[0]) ? Math.max(least, READABLE) : least,
  );
  const acts = measureActs(entity, [...(person?.roles ?? []), ...(person?.everybody ?? [])]);
  const needed = widths.reduce((sum, one) => sum + one, acts);
  const twoLines = needed > width;
  const name = Math.max(widths[0] ?? 0, Math.min(WIDE_NAME, width * SHARE_OF_NAME));
  // Without a column of states, the name says how many people are still needed, in the room that nothing else needs.
  const isCounted = (entity.states?.transitions ?? []).some(({ needs }) => needs !== undefined);
  const count = isCounted && !cells.some(({ type }) => type === "state") ? COUNT : 0;
  const first = name + Math.max(0, Math.min(count, width - needed - name + (widths[0] ?? 0)));
  return {
    twoLines,
    actsRoom: twoLines ? width * SHARE_OF_ACTS : width - (needed - acts),
    first: `${Math.ceil((100 * first) / Math.max(width, needed))}%`,
    others: cells.map((field, at) =>
      at === 0 || !isText(cells[0]) || isAsWideAsItsValue(field)
        ? undefined
        : `${Math.ceil((100 * Math.min(widths[at] ?? 0, SHORT_NAME)) / Math.max(width, needed))}%`,
    ),
  };
};

const short: readonly FieldTypeName[] = [
  "integer",
  "decimal",
  "money",
  "date",
  "time",
  "datetime",
  "duration",
  "boolean",
  "state",
  "choice",
  "sequence",
  "integer sequence",
];

/** True if a cell in a tile is as wide as its value, which is never cut. */
export const isAsWideAsItsValue = ({ type }: FieldJson): boolean => short.includes(type);

const isText = (field: FieldJson | undefined): boolean => field?.type === "text" || field?.type === "long text";

/** The width of buttons with these labels, in pixels. */
const measureButtons = (labels: readonly string[]): number =>
  labels.reduce((sum, label) => sum + label.length * LETTER + BUTTON, 0);

/** The button of a menu, with the gap before it. */
const MENU = 36;

/** The number of buttons beside the menu that has the others: all that have room, but at least one. */
export const countButtonsBesideMenu = (labels: readonly string[], room: number): number => {
  if (measureButtons(labels) <= room) return labels.length;
  const fitting = labels.filter((_, at) => measureButtons(labels.slice(0, at + 1)) + MENU <= room);
  return Math.max(1, fitting.length);
};

/** If the two buttons of a state are wider, the second one is in the menu: its rows are not the reason for two lines. */
const LONGEST_PAIR = 300;

/** The width of the two longest buttons that a row of this person can have. */
const measureActs = ({ states, holders = {} }: EntityJson, roles: readonly string[]): number => {
  if (states === null) return 0;
  const own = states.transitions.filter(({ by }) => by.some(({ role }) => roles.includes(role) || role in holders));
  const pairs = states.states.map(({ name }) =>
    own
      .filter(({ from }) => from.includes(name))
      .map(({ label }) => `${label}…`)
      .toSorted((one, other) => other.length - one.length)
      .slice(0, 2),
  );
  return Math.max(
    0,
    ...pairs.map((pair) => {
      const width = measureButtons(pair);
      return width > LONGEST_PAIR && pair.length > 1 ? measureButtons(pair.slice(0, 1)) + MENU : width;
    }),
  );
};
