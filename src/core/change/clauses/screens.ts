import { andList, type Message, type MessageValue, quoted, say } from "../../i18n/message.ts";
import { toTitle } from "../../model/inflection.ts";
import type { Model } from "../../model/model.ts";
import type { Layout, Screen, Section, Send, Tile } from "../../model/screen.ts";
import { type ComparedLine, createLine, findOtherMembers, pairUp } from "../compared-line.ts";
import type { Comparison } from "../comparison.ts";
import { hasSameMeaning, toMeaningKey } from "../meaning.ts";

/** Lines about the screens (point 2). The order of columns, filters and sections does not count. */
export const compareScreens = (comparison: Comparison): readonly ComparedLine[] => {
  const { before, after } = comparison;
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
    ...both.flatMap((pair) => compareScreen(comparison, pair.before, pair.after)),
  ];
};

const compareScreen = (comparison: Comparison, before: Screen, after: Screen): readonly ComparedLine[] => {
  const line = (effect: ComparedLine["effect"], message: Message, more: Partial<ComparedLine> = {}): ComparedLine =>
    createLine({ point: 2, subject: after.path, effect, message, ...more }, { before, after });
  const { path } = after;
  const lines: ComparedLine[] = [];
  if (before.title !== after.title)
    lines.push(line("changes", say("screen.called", { path, title: quoted(after.title) })));
  if (!hasSameMeaning(sortNames(before.for), sortNames(after.for)))
    lines.push(...compareAudience(line, path, before.for, after.for));
  if ((before.kind === "list" || before.kind === "tiles") && after.kind === before.kind)
    lines.push(...compareSend(line, path, before.send, after.send));
  if (before.kind === "tiles" && after.kind === "tiles")
    return [...lines, ...compareTiles(line, path, before.tiles, after.tiles)];
  const others = findOtherMembers<Screen>(withoutOrder(before), withoutOrder(after), ["kind", "path", "title", "for"]);
  for (const member of others.filter((name) => name !== "send"))
    lines.push(...describe(comparison, member, before, after).map((message) => line("changes", message)));
  return lines;
};

const sortNames = (list: readonly string[] | null): readonly string[] | null => list?.toSorted() ?? null;

/** Lists whose order does not matter become sets. */
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

const compareSend = (
  line: WriteLine,
  path: string,
  before: Send | undefined,
  after: Send | undefined,
): readonly ComparedLine[] => {
  if (hasSameMeaning(before, after)) return [];
  if (after === undefined) return [line("removes", say("screen.sent.not", { path }))];
  const { every, to, attaches, sendsEmpty } = after;
  const values = { path, days: every.days, time: every.time, roles: andList(to) };
  const isSame = before !== undefined && hasSameMeaning(before, { ...before, every, to });
  if (before !== undefined && isSame && (before.attaches !== attaches || before.sendsEmpty !== sendsEmpty))
    return [line("changes", say("screen.other", { path, member: "send" }))];
  return [line(before === undefined ? "adds" : "changes", say("screen.sent", values))];
};

const describe = (comparison: Comparison, member: string, before: Screen, after: Screen): readonly Message[] => {
  const { path } = after;
  const titles = (names: readonly string[]) => andList(names.map((name) => titleOfPath(comparison.after, after, name)));
  // A field that is gone has its title in the earlier version.
  const formerTitles = (names: readonly string[]) =>
    andList(names.map((name) => titleOfPath(comparison.before, before, name)));
  const other = [say("screen.other", { path, member })];
  if (before.kind === "record" && after.kind === "record" && member === "sections") {
    const [shown, toShow] = [before, after].map(({ sections }) => sections.flatMap(namesIn)) as [string[], string[]];
    const more = toShow.filter((name) => !shown.includes(name));
    const fewer = shown.filter((name) => !toShow.includes(name));
    if (more.length + fewer.length > 0)
      return [
        ...(more.length === 0 ? [] : [say("screen.shows", { path, names: titles(more) })]),
        ...(fewer.length === 0 ? [] : [say("screen.shows.not", { path, names: formerTitles(fewer) })]),
      ];
    const isSameOrder = hasSameMeaning(before.sections.map(withoutConditions), after.sections.map(withoutConditions));
    return [say("screen.other", { path, member: isSameOrder ? "when" : member })];
  }
  if (before.kind === "letter" && after.kind === "letter" && member === "where") {
    const condition = after.where === null ? undefined : comparison.words.condition(after.where);
    if (after.where === null) return [say("screen.letter.always", { path })];
    return [condition === undefined ? say("screen.letter", { path }) : say("screen.letter.where", { path, condition })];
  }
  if (before.kind === "list" && after.kind === "list") {
    if (member === "sort")
      return [
        say("screen.sorted", {
          path,
          names: andList(
            after.sort.map((key) => {
              const name = titleOfPath(comparison.after, after, key.replace(/^-/u, ""));
              return key.startsWith("-") ? say("sort.down", { name }) : name;
            }),
          ),
        }),
      ];
    if (member === "where") {
      const condition = after.where === null ? undefined : comparison.words.condition(after.where);
      if (after.where === null) return [say("screen.records.all", { path })];
      return [
        condition === undefined ? say("screen.records", { path }) : say("screen.records.where", { path, condition }),
      ];
    }
    if (member === "layouts") return describeLayouts(path, before.layouts, after.layouts);
  }
  const [one, two] = [before, after].map((screen) => Object.entries(screen).find(([name]) => name === member)?.[1]);
  if (!isNames(one) || !isNames(two)) return other;
  const [more, fewer] = [two.filter((name) => !one.includes(name)), one.filter((name) => !two.includes(name))];
  if (fewer.length === 0) return [say("screen.gains", { path, names: titles(more), member })];
  if (more.length === 0) return [say("screen.loses", { path, names: formerTitles(fewer), member })];
  return [say("screen.replaces", { path, gained: titles(more), lost: formerTitles(fewer), member })];
};

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

/** "“Borrower / Name”" for the path `borrower.name` */
const titleOfPath = ({ entities }: Model, screen: Screen, path: string): MessageValue => {
  let at = screen.kind === "tiles" ? undefined : entities.get(screen.entity);
  const titles = path.split(".").map((name) => {
    const field = at?.fields.get(name);
    at = field?.entity === undefined || field.entity === null ? undefined : entities.get(field.entity);
    return field?.title ?? toTitle(name);
  });
  return quoted(titles.join(" / "));
};

/** The fields and lists that a section shows. */
const namesIn = (section: Section): readonly string[] => {
  if (section.kind === "fields") return section.fields;
  return [section.kind === "list" ? section.field : "history"];
};

const withoutConditions = (section: Section): unknown =>
  section.kind === "fields" ? { ...section, when: null } : section;

const describeLayouts = (path: string, before: readonly Layout[], after: readonly Layout[]): readonly Message[] => {
  const names = (layouts: readonly Layout[]) => andList(layouts.map(({ kind }) => say("layout.name", { kind })));
  const isIn = (layouts: readonly Layout[], { kind }: Layout) => layouts.some((layout) => layout.kind === kind);
  const more = after.filter((layout) => !isIn(before, layout));
  const fewer = before.filter((layout) => !isIn(after, layout));
  const [first] = after;
  const lines = [
    ...(more.length === 0 ? [] : [say("screen.layout.added", { path, layouts: names(more) })]),
    ...(fewer.length === 0 ? [] : [say("screen.layout.removed", { path, layouts: names(fewer) })]),
    ...(first === undefined || first.kind === before[0]?.kind
      ? []
      : [say("screen.layout.first", { path, layout: names([first]) })]),
  ];
  return lines.length === 0 ? [say("screen.layouts", { path })] : lines;
};

const compareTiles = (
  line: WriteLine,
  path: string,
  before: readonly Tile[],
  after: readonly Tile[],
): readonly ComparedLine[] => {
  const unmatched = before.filter((tile) => !after.some((other) => hasSameMeaning(tile, other)));
  const others = after.filter((tile) => !before.some((other) => hasSameMeaning(tile, other)));
  const lines = others.map((tile) => {
    const named = unmatched.findIndex(({ title }) => title === tile.title);
    const at =
      named < 0 ? unmatched.findIndex((other) => hasSameMeaning({ ...other, title: tile.title }, tile)) : named;
    const [old] = at < 0 ? [] : unmatched.splice(at, 1);
    const title = quoted(tile.title);
    if (old === undefined)
      return line("adds", say("tile.added", { path, title }), { before: null, after: tile.clause.id });
    const clauses = { before: old.clause.id, after: tile.clause.id };
    if (named < 0) return line("changes", say("tile.called", { path, title, before: quoted(old.title) }), clauses);
    const member = changedMember(old, tile);
    if (member !== "for") return line("changes", say("tile.changed", { path, title, member }), clauses);
    if (tile.for === null) return line("allows", say("tile.everybody", { path, title }), clauses);
    const isWider = old.for?.every((role) => tile.for?.includes(role)) === true;
    return line(isWider ? "allows" : "forbids", say("tile.only", { path, title, roles: andList(tile.for) }), {
      ...clauses,
      ...(isWider ? {} : { loses: "access" }),
    });
  });
  return [
    ...lines,
    ...unmatched.map((tile) =>
      line("removes", say("tile.removed", { path, title: quoted(tile.title) }), {
        before: tile.clause.id,
        after: null,
      }),
    ),
  ];
};

/** The member of a tile that differs; "" if there are several. */
const changedMember = (before: Tile, after: Tile): string => {
  const [member = "", ...others] = findOtherMembers<Tile>(before, after, []);
  return others.length === 0 ? member : "";
};
