import { fillBraces } from "../../expression/syntax/braces.ts";
import { entityWords, pluralize, toTitle, toValueTitle } from "../../model/inflection.ts";
import type { Model, Renaming } from "../../model/model.ts";

/** Current names by former ones. The scope of a name (its entity and field) is given by former names. */
export interface Names {
  readonly entity: (name: string) => string;
  readonly field: (entity: string, name: string) => string;
  readonly value: (entity: string, field: string, name: string) => string;
  readonly transition: (entity: string, name: string) => string;
  readonly record: (entity: string, key: string) => string;
  /** The id of a record of the document, which follows from its name. */
  readonly recordId: (id: string) => string;
  readonly role: (name: string) => string;
  readonly limit: (name: string) => string;
  /** A text of any entity with fields and constants in braces. */
  readonly text: (text: string) => string;
  /** A title that was derived from a name, derived from the current name. */
  readonly title: (title: string) => string;
  /** The later version, whose titles show which ones are derived from names. */
  readonly later: Model;
  /** The entity that a reference leads to, by former names. */
  readonly target: (entity: string, field: string) => string | null;
}

export const createNames = (before: Model, later: Model, renamings: readonly Renaming[]): Names => {
  const known = new Map(renamings.map(({ of, entity, field, old, now }) => [key(of, entity, field, old), now]));
  const entity = (name: string): string => known.get(key("entity", null, null, name)) ?? name;
  const inText = new Map(
    renamings.flatMap(({ of, old, now }) => (of === "field" || of === "limit" ? [[old, now] as const] : [])),
  );
  const titles = new Map(
    renamings.flatMap(({ old, now }) => [
      [toTitle(old), toTitle(now)] as const,
      [toValueTitle(old), toValueTitle(now)] as const,
      [entityWords(old), entityWords(now)] as const,
      [pluralize(entityWords(old)), pluralize(entityWords(now))] as const,
    ]),
  );
  const record = (of: string, name: string): string => known.get(key("record", entity(of), null, name)) ?? name;
  const ids = new Map(
    [...before.entities].flatMap(([of, { records }]) =>
      [...records].flatMap(([name, { id }]) => {
        const now = later.entities.get(entity(of))?.records.get(record(of, name))?.id;
        return now === undefined ? [] : [[id, now] as const];
      }),
    ),
  );
  const field = (of: string, name: string): string => known.get(key("field", entity(of), null, name)) ?? name;
  return {
    entity,
    field,
    value: (of, at, name) => known.get(key("value", entity(of), field(of, at), name)) ?? name,
    transition: (of, name) => known.get(key("transition", entity(of), null, name)) ?? name,
    record,
    recordId: (id) => ids.get(id) ?? id,
    role: (name) => known.get(key("role", null, null, name)) ?? name,
    limit: (name) => known.get(key("limit", null, null, name)) ?? name,
    text: (text) =>
      fillBraces(text, (inside) => `{${inside.replace(/[a-z][a-z0-9_]*/gu, (word) => inText.get(word) ?? word)}}`),
    title: (title) => titles.get(title) ?? title,
    later,
    target: (of, at) => {
      const field = before.entities.get(of)?.fields.get(at);
      return field?.storage.as === "inverse" ? field.storage.entity : (field?.entity ?? null);
    },
  };
};

const key = (...parts: readonly (string | null)[]): string => JSON.stringify(parts);

export const mapValues = <V, W>(
  map: ReadonlyMap<string, V>,
  by: (value: V, name: string) => W,
): ReadonlyMap<string, W> => new Map([...map].map(([name, value]) => [name, by(value, name)]));

export const mapEntries = <V, W>(
  map: ReadonlyMap<string, V>,
  name: (name: string) => string,
  by: (value: V, name: string) => W,
): ReadonlyMap<string, W> => new Map([...map].map(([old, value]) => [name(old), by(value, old)]));

/** A path of fields from an entity, with `-` for a descending order: `-thing.name`. */
export const renamePath = (entity: string, path: string, names: Names): string => {
  const sign = path.startsWith("-") ? "-" : "";
  let at: string | null = entity;
  const parts = path
    .slice(sign.length)
    .split(".")
    .map((part) => {
      if (at === null) return part;
      const entityName = at;
      at = names.target(entityName, part);
      return names.field(entityName, part);
    });
  return `${sign}${parts.join(".")}`;
};

/** A title derived from a name changes with the name, unless the later version still has it. */
export const renameTitle = (title: string, old: string, now: string, laterTitle: string | undefined): string =>
  title !== laterTitle && title === toValueTitle(old) ? toValueTitle(now) : title;

export const renameWords = (words: string, old: string, now: string, laterTitle: string | undefined): string =>
  words !== laterTitle && words === old ? now : words;

export const renamePluralTitle = (title: string, old: string, now: string, laterTitle: string | undefined): string => {
  if (title === laterTitle) return title;
  const forms = [(name: string) => entityWords(name), (name: string) => pluralize(entityWords(name))];
  const form = forms.find((form) => title === toTitle(form(old)));
  return form === undefined ? title : toTitle(form(now));
};
