import { getScreens } from "../../derive/client/default-screens.ts";
import { andList, say } from "../../i18n/message.ts";
import type { DefaultCode } from "../../model/defaults.ts";
import type { Model } from "../../model/model.ts";
import type { Screen, Section } from "../../model/screen.ts";
import { type ComparedLine, createLine } from "../compared-line.ts";
import type { Comparison } from "../comparison.ts";

/** Lines about the screen on which people start, and about the order of the navigation. */
export const compareNavigation = ({ before, after }: Comparison): readonly ComparedLine[] => {
  const [one, other] = [listNavigation(getScreens(before)), listNavigation(getScreens(after))];
  const about = { point: 2, subject: "navigation", effect: "changes" } as const;
  const [was, now] = [findStart(one), findStart(other)];
  if (was !== undefined && now !== undefined && was.path !== now.path) {
    const message = say("screen.start", { now: now.path, before: was.path });
    return [createLine({ ...about, message }, { before: was, after: now })];
  }
  const paths = (screens: readonly Screen[]) => screens.map(({ path }) => path);
  if (!isReordered(paths(one), paths(other))) return [];
  return [createLine({ ...about, message: say("screens.order", {}) }, { before: undefined, after: undefined })];
};

/**
 * The lists that entities have while the specification says nothing about screens. Its first screen ends them all, which
 * no line about a written screen would say.
 */
export const compareDefaultLists = ({ before, after, words }: Comparison): readonly ComparedLine[] => {
  const isSilent = ({ defaults }: Model): boolean => defaults.includes("SCREENS_OF_ENTITIES");
  if (isSilent(before) === isSilent(after)) return [];
  const listed = (model: Model) => new Set(getScreens(model).flatMap((one) => (one.kind === "list" ? one.entity : [])));
  const [was, now] = [listed(before), listed(after)];
  const differing = [...after.entities.values()].filter(
    ({ name }) => before.entities.has(name) && was.has(name) !== now.has(name),
  );
  if (differing.length === 0) return [];
  const many = andList(differing.map(words.many));
  const line = isSilent(before)
    ? ({ effect: "removes", message: say("screens.defaults.end", { many }) } as const)
    : ({ effect: "adds", message: say("screens.defaults.start", { many }) } as const);
  return [
    createLine(
      { point: 2, subject: "navigation", before: isSilent(before) ? DEFAULT_LISTS : null, ...line },
      { before: undefined, after: undefined },
    ),
  ];
};

const DEFAULT_LISTS = "SCREENS_OF_ENTITIES" satisfies DefaultCode;

/** The screens that the navigation lists for everybody; forms are reached from their lists. */
const listNavigation = (screens: readonly Screen[]): readonly Screen[] =>
  screens.filter(({ kind, path }) => (kind === "list" || kind === "tiles") && !path.includes("{"));

const findStart = (screens: readonly Screen[]): Screen | undefined =>
  screens.find(({ path }) => path === "/") ?? screens[0];

/** True if the names that both lists have are in another order. */
export const isReordered = (before: readonly string[], after: readonly string[]): boolean => {
  const [one, other] = [new Set(before), new Set(after)];
  const later = [...other].filter((name) => one.has(name));
  return [...one].filter((name) => other.has(name)).some((name, i) => name !== later[i]);
};

/** The part of a screen that people see in another order. */
export const findReordered = (
  before: Screen,
  after: Screen,
): "columns" | "fields" | "sections" | "tiles" | undefined => {
  if (before.kind === "list" && after.kind === "list")
    return isReordered(before.columns, after.columns) ? "columns" : undefined;
  if (before.kind === "form" && after.kind === "form")
    return isReordered(before.fields, after.fields) ? "fields" : undefined;
  if (before.kind === "tiles" && after.kind === "tiles") {
    const titles = ({ tiles }: typeof before) => tiles.map(({ title }) => title);
    return isReordered(titles(before), titles(after)) ? "tiles" : undefined;
  }
  if (before.kind !== "record" || after.kind !== "record") return undefined;
  const former = new Map(before.sections.map((section) => [toSectionKey(section), section]));
  if (isReordered([...former.keys()], after.sections.map(toSectionKey))) return "sections";
  const hasOtherFields = after.sections.some((section) => {
    const was = former.get(toSectionKey(section));
    return was?.kind === "fields" && section.kind === "fields" && isReordered(was.fields, section.fields);
  });
  return hasOtherFields ? "fields" : undefined;
};

/** A section regardless of the order of its fields. */
const toSectionKey = (section: Section): string => {
  if (section.kind === "history") return section.kind;
  const names = section.kind === "list" ? [section.field] : section.fields.toSorted();
  return JSON.stringify([section.kind, section.title, names]);
};
