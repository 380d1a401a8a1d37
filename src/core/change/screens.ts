import { andList, type Message, quoted, say } from "../i18n/message.ts";
import type { Screen, Tile } from "../model/model.ts";
import { type ComparedLine, createLine, findOtherMembers, pairUp } from "./compared-line.ts";
import type { Comparison } from "./comparison.ts";
import { hasSameMeaning, toMeaningKey } from "./meaning.ts";

/** Lines about the screens (point 2). The order of columns, filters and sections is no behaviour. */
export const compareScreens = ({ before, after }: Comparison): readonly ComparedLine[] => {
  const byName = (screens: readonly Screen[]) =>
    new Map(screens.map((screen) => [`${screen.kind} ${screen.path}`, screen]));
  const { both, added, removed } = pairUp(byName(before.screens), byName(after.screens));
  const about = (screen: Screen) => ({ point: 2 as const, subject: screen.path });
  return [
    ...added.map((screen) =>
      createLine(
        {
          ...about(screen),
          effect: "adds",
          message: say("screen.added", { title: quoted(screen.title), path: screen.path }),
        },
        { before: undefined, after: screen },
      ),
    ),
    ...removed.map((screen) =>
      createLine(
        {
          ...about(screen),
          effect: "removes",
          message: say("screen.removed", { title: quoted(screen.title), path: screen.path }),
        },
        { before: screen, after: undefined },
      ),
    ),
    ...both.flatMap((pair) => compareScreen(pair.before, pair.after)),
  ];
};

const compareScreen = (before: Screen, after: Screen): readonly ComparedLine[] => {
  const line = (effect: ComparedLine["effect"], message: Message, more: Partial<ComparedLine> = {}): ComparedLine =>
    createLine({ point: 2, subject: after.path, effect, message, ...more }, { before, after });
  const { path } = after;
  const lines: ComparedLine[] = [];
  if (before.title !== after.title)
    lines.push(line("changes", say("screen.called", { path, title: quoted(after.title) })));
  if (!hasSameMeaning(sortNames(before.for), sortNames(after.for)))
    lines.push(...compareAudience(line, path, before.for, after.for));
  if (before.kind === "tiles" && after.kind === "tiles")
    return [...lines, ...compareTiles(line, path, before.tiles, after.tiles)];
  const others = findOtherMembers<Screen>(withoutOrder(before), withoutOrder(after), ["kind", "path", "title", "for"]);
  for (const member of others) {
    const [one, other] = [before, after].map((screen) => Object.entries(screen).find(([name]) => name === member)?.[1]);
    lines.push(line("changes", describe(path, member, one, other)));
  }
  return lines;
};

const sortNames = (list: readonly string[] | null): readonly string[] | null => list?.toSorted() ?? null;

/** Lists whose order has no meaning become sets. */
const withoutOrder = (screen: Screen): Screen => {
  const sets = Object.entries(screen).map(([name, value]: [string, unknown]) => [
    name,
    (name === "columns" || name === "filters" || name === "fields") && Array.isArray(value)
      ? new Set(value)
      : name === "sections" && Array.isArray(value)
        ? new Set(value.map(toMeaningKey))
        : value,
  ]);
  return Object.fromEntries(sets) as Screen;
};

type WriteLine = (effect: ComparedLine["effect"], message: Message, more?: Partial<ComparedLine>) => ComparedLine;

const compareAudience = (
  line: WriteLine,
  path: string,
  before: readonly string[] | null,
  after: readonly string[] | null,
): readonly ComparedLine[] => {
  if (before === null)
    return [line("forbids", say("screen.only", { path, roles: andList(after ?? []) }), { loses: "access" })];
  if (after === null) return [line("allows", say("screen.everybody", { path }))];
  const more = after.filter((role) => !before.includes(role));
  const fewer = before.filter((role) => !after.includes(role));
  return [
    ...(more.length === 0 ? [] : [line("allows", say("screen.also", { path, roles: andList(more) }))]),
    ...(fewer.length === 0
      ? []
      : [line("forbids", say("screen.not.for", { path, roles: andList(fewer) }), { loses: "access" })]),
  ];
};

const describe = (path: string, member: string, before: unknown, after: unknown): Message => {
  const isList = (value: unknown): value is readonly string[] =>
    Array.isArray(value) && value.every((one) => typeof one === "string");
  if (member !== "sort" && isList(before) && isList(after)) {
    const more = after.filter((one) => !before.includes(one));
    const fewer = before.filter((one) => !after.includes(one));
    const [gained, lost] = [andList(more), andList(fewer)];
    if (fewer.length === 0) return say("screen.gains", { path, names: gained, member });
    if (more.length === 0) return say("screen.loses", { path, names: lost, member });
    return say("screen.replaces", { path, gained, lost, member });
  }
  if (member === "sort") return say("screen.sorted", { path });
  if (member === "where") return say("screen.records", { path });
  if (member === "layouts") return say("screen.layouts", { path });
  return say("screen.other", { path, member });
};

const compareTiles = (
  line: WriteLine,
  path: string,
  before: readonly Tile[],
  after: readonly Tile[],
): readonly ComparedLine[] => {
  const left = before.filter((tile) => !after.some((other) => hasSameMeaning(tile, other)));
  const others = after.filter((tile) => !before.some((one) => hasSameMeaning(tile, one)));
  const lines = others.map((tile) => {
    const at = left.findIndex(({ title }) => title === tile.title);
    const [old] = at < 0 ? [] : left.splice(at, 1);
    return old === undefined
      ? line("adds", say("tile.added", { path, title: quoted(tile.title) }), { before: null, after: tile.clause.id })
      : line("changes", say("tile.changed", { path, title: quoted(tile.title) }), {
          before: old.clause.id,
          after: tile.clause.id,
        });
  });
  return [
    ...lines,
    ...left.map((tile) =>
      line("removes", say("tile.removed", { path, title: quoted(tile.title) }), {
        before: tile.clause.id,
        after: null,
      }),
    ),
  ];
};
