import type { Screen, Tile } from "../model/model.ts";
import { type ComparedLine, createLine, findOtherMembers, pairUp } from "./compared-line.ts";
import type { Comparison } from "./comparison.ts";
import { hasSameMeaning, meaningOf } from "./meaning.ts";
import { andList } from "./words.ts";

/** Lines about the screens (point 2). The order of columns, filters and sections is no behaviour. */
export const compareScreens = ({ before, after }: Comparison): readonly ComparedLine[] => {
  const named = (screens: readonly Screen[]) =>
    new Map(screens.map((screen) => [`${screen.kind} ${screen.path}`, screen]));
  const { both, added, removed } = pairUp(named(before.screens), named(after.screens));
  const about = (screen: Screen) => ({ point: 2 as const, subject: screen.path });
  return [
    ...added.map((screen) =>
      createLine(
        { ...about(screen), effect: "adds", text: `There is a new screen “${screen.title}” at ${screen.path}.` },
        { before: undefined, after: screen },
      ),
    ),
    ...removed.map((screen) =>
      createLine(
        { ...about(screen), effect: "removes", text: `The screen “${screen.title}” at ${screen.path} is removed.` },
        { before: screen, after: undefined },
      ),
    ),
    ...both.flatMap((pair) => compareScreen(pair.before, pair.after)),
  ];
};

const compareScreen = (before: Screen, after: Screen): readonly ComparedLine[] => {
  const line = (effect: ComparedLine["effect"], text: string, more: Partial<ComparedLine> = {}): ComparedLine =>
    createLine(
      { point: 2, subject: after.path, effect, text: `The screen ${after.path} ${text}.`, ...more },
      { before, after },
    );
  const lines: ComparedLine[] = [];
  if (before.title !== after.title) lines.push(line("changes", `is now called “${after.title}”`));
  if (!hasSameMeaning(sorted(before.for), sorted(after.for)))
    lines.push(...compareAudience(line, before.for, after.for));
  if (before.kind === "tiles" && after.kind === "tiles")
    return [...lines, ...compareTiles(line, before.tiles, after.tiles)];
  const others = findOtherMembers<Screen>(withoutOrder(before), withoutOrder(after), ["kind", "path", "title", "for"]);
  for (const member of others) {
    const [one, other] = [before, after].map((screen) => Object.entries(screen).find(([name]) => name === member)?.[1]);
    lines.push(line("changes", describe(member, one, other)));
  }
  return lines;
};

const sorted = (list: readonly string[] | null): readonly string[] | null => list?.toSorted() ?? null;

/** Lists whose order has no meaning become sets. */
const withoutOrder = (screen: Screen): Screen => {
  const sets = Object.entries(screen).map(([name, value]: [string, unknown]) => [
    name,
    (name === "columns" || name === "filters" || name === "fields") && Array.isArray(value)
      ? new Set(value)
      : name === "sections" && Array.isArray(value)
        ? new Set(value.map(meaningOf))
        : value,
  ]);
  return Object.fromEntries(sets) as Screen;
};

type WriteLine = (effect: ComparedLine["effect"], text: string, more?: Partial<ComparedLine>) => ComparedLine;

const compareAudience = (
  line: WriteLine,
  before: readonly string[] | null,
  after: readonly string[] | null,
): readonly ComparedLine[] => {
  if (before === null) return [line("forbids", `is now only for ${andList(after ?? [])}`, { loses: "access" })];
  if (after === null) return [line("allows", "is now for everybody who can read its records")];
  const more = after.filter((role) => !before.includes(role));
  const fewer = before.filter((role) => !after.includes(role));
  return [
    ...(more.length === 0 ? [] : [line("allows", `is now also for ${andList(more)}`)]),
    ...(fewer.length === 0 ? [] : [line("forbids", `is no longer for ${andList(fewer)}`, { loses: "access" })]),
  ];
};

const describe = (member: string, before: unknown, after: unknown): string => {
  const isList = (value: unknown): value is readonly string[] =>
    Array.isArray(value) && value.every((one) => typeof one === "string");
  if (member !== "sort" && isList(before) && isList(after)) {
    const more = after.filter((one) => !before.includes(one));
    const fewer = before.filter((one) => !after.includes(one));
    const said = [
      ...(more.length === 0 ? [] : [`now has ${andList(more)}`]),
      ...(fewer.length === 0 ? [] : [`no longer has ${andList(fewer)}`]),
    ];
    return `${said.join(" and ")} in its ${member}`;
  }
  if (member === "sort") return "is sorted differently";
  if (member === "where") return "shows other records";
  if (member === "layouts") return "has other layouts";
  return `has other ${member}`;
};

const compareTiles = (line: WriteLine, before: readonly Tile[], after: readonly Tile[]): readonly ComparedLine[] => {
  const left = before.filter((tile) => !after.some((other) => hasSameMeaning(tile, other)));
  const others = after.filter((tile) => !before.some((one) => hasSameMeaning(tile, one)));
  const lines = others.map((tile) => {
    const at = left.findIndex(({ title }) => title === tile.title);
    const [old] = at < 0 ? [] : left.splice(at, 1);
    return old === undefined
      ? line("adds", `has a new tile “${tile.title}”`, { before: null, after: tile.clause.id })
      : line("changes", `has another tile “${tile.title}”`, { before: old.clause.id, after: tile.clause.id });
  });
  return [
    ...lines,
    ...left.map((tile) =>
      line("removes", `no longer has the tile “${tile.title}”`, { before: tile.clause.id, after: null }),
    ),
  ];
};
