import { andList, type Message, type MessageValue, quoted, say } from "../../i18n/message.ts";
import { parseGroupKey } from "../../model/facts/date-steps.ts";
import { toTitle } from "../../model/inflection.ts";
import type { Model } from "../../model/model.ts";
import type { FormScreen, Layout, ListScreen, Screen, Section, Send, Tile } from "../../model/screen.ts";
import { type ComparedLine, createLine, findOtherMembers, pairUp } from "../compared-line.ts";
import type { Comparison } from "../comparison.ts";
import { hasSameMeaning, toMeaningKey } from "../meaning.ts";
import { describeLetter } from "./letters.ts";
import { compareDefaultLists, compareNavigation, findReordered, isReordered } from "./screen-order.ts";

/** Lines about the screens (point 2). */
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
    ...compareDefaultLists(comparison),
    ...compareNavigation(comparison),
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
  const reordered = findReordered(before, after);
  if (reordered !== undefined) lines.push(line("changes", say("screen.order", { path, member: reordered })));
  if (before.kind === "tiles" && after.kind === "tiles")
    return [...lines, ...compareTiles(line, path, before.tiles, after.tiles)];
  const others = findOtherMembers<Screen>(withoutOrder(before), withoutOrder(after), ["kind", "path", "title", "for"]);
  for (const member of others.filter((name) => name !== "send"))
    lines.push(...describe(comparison, member, before, after).map((message) => line("changes", message)));
  return lines;
};

const sortNames = (list: readonly string[] | null): readonly string[] | null => list?.toSorted() ?? null;

/** The screen with sets in place of lists. Their order has a line of its own. */
const withoutOrder = (screen: Screen): Screen => {
  const sets = Object.entries(screen).map(([name, value]: [string, unknown]) => [
    name,
    (name === "columns" || name === "filters" || name === "fields") && Array.isArray(value)
      ? new Set(value)
      : name === "sections" && Array.isArray(value)
        ? new Set(value.map((section: Section) => toMeaningKey(withFieldSet(section))))
        : value,
  ]);
  return Object.fromEntries(sets) as Screen;
};

const withFieldSet = (section: Section): unknown =>
  section.kind === "fields" ? { ...section, fields: new Set(section.fields) } : section;

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
  if (after === undefined) return before === undefined ? [] : [line("removes", say("screen.sent.not", { path }))];
  const { every, to, attaches, sendsEmpty } = after;
  const sent = say("screen.sent", { path, days: every.days, time: every.time, roles: andList(to) });
  if (before === undefined) return [line("adds", sent)];
  return [
    ...(hasSameMeaning([before.every, before.to.toSorted()], [every, to.toSorted()]) ? [] : [line("changes", sent)]),
    ...(before.attaches === attaches
      ? []
      : [line("changes", say("screen.sent.attached", { path, attached: attaches !== null }))]),
    ...(before.sendsEmpty === sendsEmpty
      ? []
      : [line("changes", say("screen.sent.empty", { path, empty: sendsEmpty }))]),
  ];
};

const describe = (comparison: Comparison, member: string, before: Screen, after: Screen): readonly Message[] => {
  const { path } = after;
  const titles = (names: readonly string[]) => andList(names.map((name) => titleOfPath(comparison.after, after, name)));
  // A field that is gone has its title in the earlier version.
  const formerTitles = (names: readonly string[]) =>
    andList(names.map((name) => titleOfPath(comparison.before, before, name)));
  const other = [say("screen.other", { path, member })];
  if (before.kind === "record" && after.kind === "record" && member === "sections") {
    const renamed = findRetitled(before.sections, after.sections);
    if (renamed.length > 0)
      return renamed.map(([title, was]) =>
        was === null || title === null
          ? say("screen.section.titled", { path, title: quoted(title ?? was ?? ""), isTitled: title !== null })
          : say("screen.section.called", { path, title: quoted(title), before: quoted(was) }),
      );
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
  if (before.kind === "letter" && after.kind === "letter" && member === "text")
    return describeLetter(comparison, before, after);
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
    if (member === "group") return [describeGroups(comparison, after)];
    if (member === "where") {
      const condition = after.where === null ? undefined : comparison.words.condition(after.where);
      if (after.where === null) return [say("screen.records.all", { path })];
      return [
        condition === undefined ? say("screen.records", { path }) : say("screen.records.where", { path, condition }),
      ];
    }
    if (member === "layouts") return describeLayouts(path, before.layouts, after.layouts);
  }
  if (before.kind === "form" && after.kind === "form" && member === "columns")
    return describeListColumns(comparison, before, after);
  const [one, two] = [before, after].map((screen) => Object.entries(screen).find(([name]) => name === member)?.[1]);
  if (!isNames(one) || !isNames(two)) return other;
  const [more, fewer] = [two.filter((name) => !one.includes(name)), one.filter((name) => !two.includes(name))];
  if (fewer.length === 0) return [say("screen.gains", { path, names: titles(more), member })];
  if (more.length === 0) return [say("screen.loses", { path, names: formerTitles(fewer), member })];
  return [say("screen.replaces", { path, gained: titles(more), lost: formerTitles(fewer), member })];
};

const describeGroups = ({ after: later }: Comparison, screen: ListScreen): Message => {
  const { path, group } = screen;
  const names = group.map((key) => titleOfPath(later, screen, parseGroupKey(key).field));
  return names.length === 0
    ? say("screen.grouped.not", { path })
    : say("screen.grouped", { path, names: andList(names) });
};

/** Differences of the columns of lists in a form. */
const describeListColumns = (
  { before: former, after: later }: Comparison,
  before: FormScreen,
  after: FormScreen,
): readonly Message[] => {
  const { path } = after;
  const titles = ({ entities }: Model, { entity }: FormScreen, list: string, columns: readonly string[]) => {
    const part = entities.get(entities.get(entity)?.fields.get(list)?.entity ?? "");
    return andList(columns.map((column) => quoted(part?.fields.get(column)?.title ?? toTitle(column))));
  };
  return [...new Set([...after.columns.keys(), ...before.columns.keys()])].flatMap((list): readonly Message[] => {
    const [one, other] = [before.columns.get(list), after.columns.get(list)];
    // A list that is added or removed has a line as a field.
    if (hasSameMeaning(one, other) || !before.fields.includes(list) || !after.fields.includes(list)) return [];
    const name = { path, list: titleOfPath(later, after, list) };
    if (one === undefined || other === undefined) return [say("screen.list.columns", name)];
    const gained = other.filter((column) => !one.includes(column));
    const lost = one.filter((column) => !other.includes(column));
    return [
      ...(gained.length === 0
        ? []
        : [say("screen.list.gains", { ...name, names: titles(later, after, list, gained) })]),
      ...(lost.length === 0 ? [] : [say("screen.list.loses", { ...name, names: titles(former, before, list, lost) })]),
      ...(isReordered(one, other) ? [say("screen.list.order", name)] : []),
    ];
  });
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

/** The titles of sections, now and before, if nothing but titles differs. */
const findRetitled = (
  before: readonly Section[],
  after: readonly Section[],
): readonly (readonly [now: string | null, before: string | null])[] => {
  const withoutTitle = (section: Section | undefined): unknown => ({ ...section, title: null });
  const isAlike =
    before.length === after.length &&
    after.every((section, i) => hasSameMeaning(withoutTitle(section), withoutTitle(before[i])));
  if (!isAlike) return [];
  return after.flatMap((section, i) => {
    const was = before[i];
    if (section.kind === "history" || was === undefined || was.kind === "history") return [];
    return section.title === was.title ? [] : [[section.title, was.title] as const];
  });
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
  const lines = others.flatMap((tile) => {
    const named = unmatched.findIndex(({ title }) => title === tile.title);
    const at =
      named < 0 ? unmatched.findIndex((other) => hasSameMeaning({ ...other, title: tile.title }, tile)) : named;
    const [old] = at < 0 ? [] : unmatched.splice(at, 1);
    const title = quoted(tile.title);
    if (old === undefined)
      return [line("adds", say("tile.added", { path, title }), { before: null, after: tile.clause.id })];
    const clauses = { before: old.clause.id, after: tile.clause.id };
    const [member, ...others] = findOtherMembers<Tile>(old, tile, ["title", "for"]);
    return [
      ...(old.title === tile.title
        ? []
        : [line("changes", say("tile.called", { path, title, before: quoted(old.title) }), clauses)]),
      ...compareTileAudience(line, path, old, tile),
      ...(member === undefined
        ? []
        : [line("changes", say("tile.changed", { path, title, member: others.length > 0 ? "" : member }), clauses)]),
    ];
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

const compareTileAudience = (line: WriteLine, path: string, before: Tile, after: Tile): readonly ComparedLine[] => {
  const title = quoted(after.title);
  const clauses = { before: before.clause.id, after: after.clause.id };
  const [was, now] = [before.for, after.for];
  if (was === null && now === null) return [];
  if (now === null) return [line("allows", say("tile.everybody", { path, title }), clauses)];
  const forbidden = { ...clauses, loses: "access" } as const;
  if (was === null) return [line("forbids", say("tile.only", { path, title, roles: andList(now) }), forbidden)];
  const gained = now.filter((role) => !was.includes(role));
  const lost = was.filter((role) => !now.includes(role));
  return [
    ...(gained.length === 0
      ? []
      : [line("allows", say("tile.also", { path, title, roles: andList(gained) }), clauses)]),
    ...(lost.length === 0
      ? []
      : [line("forbids", say("tile.not.for", { path, title, roles: andList(lost) }), forbidden)]),
  ];
};
