import { mapGroupKey } from "../../model/facts/date-steps.ts";
import { toPathName } from "../../model/inflection.ts";
import type { Model } from "../../model/model.ts";
import type { Aggregate, Layout, LetterPart, Pivot, Screen, Section, Target, Tile } from "../../model/screen.ts";
import { mapEntries, type Names, renamePath, renamePluralTitle } from "./names.ts";
import { renameExpr, renameOptional, renameTemplate } from "./rename-expr.ts";

export const renameScreen = (screen: Screen, names: Names, entities: Model["entities"]): Screen => {
  const base = {
    for: screen.for === null ? null : screen.for.map(names.role),
    ...("send" in screen && screen.send !== undefined
      ? { send: { ...screen.send, to: screen.send.to.map(names.role) } }
      : {}),
  };
  if (screen.kind === "tiles")
    return { ...screen, ...base, tiles: screen.tiles.map((tile) => renameTile(tile, names, entities)) };
  const { entity } = screen;
  const paths = (list: readonly string[]): readonly string[] => list.map((path) => renamePath(entity, path, names));
  const own = names.entity(entity);
  const screens = names.later.screens.filter(({ kind }) => kind === screen.kind);
  const exists = screens.some(({ path }) => path === screen.path);
  const path = exists ? screen.path : renameAddress(screen.path, entity, own);
  const title = renamePluralTitle(screen.title, entity, own, screens.find((screen) => screen.path === path)?.title);
  const renamed = { ...base, entity: own, path, title };
  switch (screen.kind) {
    case "list":
      return {
        ...screen,
        ...renamed,
        columns: paths(screen.columns),
        filters: paths(screen.filters),
        sort: paths(screen.sort),
        group: screen.group.map((key) => mapGroupKey(key, (field) => renamePath(entity, field, names))),
        where: renameOptional(screen.where, names),
        layouts: screen.layouts.map((layout) => renameLayout(entity, layout, names)),
      };
    case "record":
      return {
        ...screen,
        ...renamed,
        sections: screen.sections.map((section) => renameSection(entity, section, names)),
      };
    case "letter":
      return {
        ...screen,
        ...renamed,
        where: renameOptional(screen.where, names),
        text: screen.text.map((part) => renameLetterPart(entity, part, names)),
      };
    case "form":
      return {
        ...screen,
        ...renamed,
        fields: paths(screen.fields),
        columns: mapEntries(
          screen.columns,
          (field) => names.field(entity, field),
          (columns, field) => {
            const part = names.target(entity, field);
            return part === null ? columns : columns.map((column) => renamePath(part, column, names));
          },
        ),
      };
  }
};

/** The address of a default screen is derived from its entity. */
const renameAddress = (path: string, old: string, now: string): string => {
  const [, first, ...rest] = path.split("/");
  return first === toPathName(old) ? ["", toPathName(now), ...rest].join("/") : path;
};

const renameLetterPart = (entity: string, part: LetterPart, names: Names): LetterPart => {
  if (part.kind !== "table")
    return { ...part, text: renameTemplate(part.text, names), message: names.text(part.message) };
  const target = names.target(entity, part.field) ?? "";
  return {
    ...part,
    field: names.field(entity, part.field),
    columns: part.columns.map(({ field, value, hasTotal }) => ({
      field: names.field(target, field),
      value: renameExpr(value, names),
      hasTotal,
    })),
    where: renameOptional(part.where, names),
    sort: part.sort.map((key) => renamePath(target, key, names)),
  };
};

const renameLayout = (entity: string, layout: Layout, names: Names): Layout => {
  if (layout.kind === "board") return { ...layout, field: names.field(entity, layout.field) };
  if (layout.kind === "table") return layout;
  if (layout.kind === "pivot") return { ...layout, ...renamePivot(entity, layout, names) };
  return {
    ...layout,
    from: names.field(entity, layout.from),
    to: layout.to === null ? null : names.field(entity, layout.to),
  };
};

const renamePivot = (entity: string, { rows, columns, sum }: Pivot, names: Names): Pivot => ({
  rows: mapGroupKey(rows, (field) => names.field(entity, field)),
  columns: mapGroupKey(columns, (field) => names.field(entity, field)),
  sum: sum === null ? null : names.field(entity, sum),
});

const renameSection = (entity: string, section: Section, names: Names): Section => {
  if (section.kind === "history") return section;
  if (section.kind === "list") return { ...section, field: names.field(entity, section.field) };
  return {
    ...section,
    fields: section.fields.map((path) => renamePath(entity, path, names)),
    when: mapEntries(
      section.when,
      (path) => renamePath(entity, path, names),
      (when) => renameExpr(when, names),
    ),
  };
};

const renameTile = (tile: Tile, names: Names, entities: Model["entities"]): Tile => {
  const isOnRecords = (role: string) => entities.get(tile.entity)?.roles.has(role) === true;
  const base = {
    entity: names.entity(tile.entity),
    where: renameOptional(tile.where, names),
    for: tile.for === null ? null : tile.for.map((role) => (isOnRecords(role) ? role : names.role(role))),
  };
  const paths = (list: readonly string[]): readonly string[] =>
    list.map((path) => renamePath(tile.entity, path, names));
  switch (tile.kind) {
    case "count":
      return { ...tile, ...base };
    case "list":
      return { ...tile, ...base, columns: paths(tile.columns), sort: paths(tile.sort) };
    case "pivot":
      return { ...tile, ...base, ...renamePivot(tile.entity, tile, names) };
    case "chart":
      return {
        ...tile,
        ...base,
        per: renameExpr(tile.per, names),
        value: renameAggregate(tile.value, names),
        target: renameTarget(tile.target, names),
      };
    case "figure":
      return {
        ...tile,
        ...base,
        value: renameAggregate(tile.value, names),
        compare: tile.compare === null ? null : { ...tile.compare, where: renameOptional(tile.compare.where, names) },
        target: renameTarget(tile.target, names),
      };
  }
};

const renameAggregate = (value: Aggregate, names: Names): Aggregate => ({
  ...value,
  of: renameOptional(value.of, names),
});

const renameTarget = (target: Target | null, names: Names): Target | null => {
  if (target === null) return null;
  const value = renameExpr(target.value, names);
  return value.kind === "constant" ? { ...target, value } : target;
};
