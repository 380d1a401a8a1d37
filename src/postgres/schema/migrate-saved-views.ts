import { filteredField } from "../../core/derive/http/list-query.ts";
import type { Entity } from "../../core/model/entity.ts";
import { mapGroupKey } from "../../core/model/facts/date-steps.ts";
import type { Model, Renaming } from "../../core/model/model.ts";
import { deepEqual } from "../../core/util/deep-equal.ts";
import type { ListPreferenceJson } from "../../core/wire/accounts/preferences.ts";
import type { RunQuery } from "../database.ts";

/**
 * Updates saved views, column settings and saved filters for a new document: paths of lists, fields and values are
 * renamed. Names that no longer exist stay and are ignored. `before` is the document that was in force. A view that
 * filters by a merged value also keeps its former filter, and gets it back with the value.
 */
export const followLists = async (
  query: RunQuery,
  model: Model,
  before: () => Model | null,
  renamings: readonly Renaming[],
  merged: readonly Renaming[],
): Promise<void> => {
  const lists = getLists(model);
  const stored = await query({
    text: "select screen as path from ninefold.view union select name from ninefold.preference where name like '/%'",
    values: [],
  });
  const removed = stored.map(({ path }) => String(path)).filter((path) => !lists.has(path));
  const moved = removed.length === 0 ? new Map<string, string>() : findMovedLists(lists, before(), renamings);
  for (const [was, is] of moved) {
    await query({ text: "update ninefold.view set screen = $2 where screen = $1", values: [was, is] });
    await query({
      text: `update ninefold.preference p set name = $2 where name = $1
             and not exists (select from ninefold.preference o where o.person = p.person and o.name = $2)`,
      values: [was, is],
    });
  }
  for (const [path, entity] of lists) {
    const own = (all: readonly Renaming[]) =>
      all.filter((renaming) => renaming.entity === entity && (renaming.of === "field" || renaming.of === "value"));
    await followViews(query, path, model.entities.get(entity), { renamed: own(renamings), merged: own(merged) });
    if (own(renamings).length > 0) await followPreferences(query, path, nowIn(entity, own(renamings)));
  }
};

const followViews = async (
  query: RunQuery,
  path: string,
  entity: Entity | undefined,
  { renamed, merged }: { readonly renamed: readonly Renaming[]; readonly merged: readonly Renaming[] },
): Promise<void> => {
  if (entity === undefined) return;
  const rows = await query({
    text: "select id, query, former from ninefold.view where screen = $1 for update",
    values: [path],
  });
  const changed = rows.flatMap((row) => {
    const [was, wasFormer] = [String(row.query), row.former === null ? null : String(row.former)];
    const merging = renameInQuery(was, entity.name, [...renamed, ...merged]);
    const former = renameInQuery(wasFormer ?? was, entity.name, renamed);
    const now = withReturnedValues(merging, former, entity);
    const formerNow = now === former ? null : former;
    return now === was && formerNow === wasFormer ? [] : [{ id: row.id, now, former: formerNow }];
  });
  if (changed.length === 0) return;
  await query({
    text: "update ninefold.view set query = g.query, former = g.former from unnest($1::uuid[], $2::text[], $3::text[]) as g (key, query, former) where id = g.key",
    values: [changed.map(({ id }) => id), changed.map(({ now }) => now), changed.map(({ former }) => former)],
  });
};

type Parameter = readonly [key: string, value: string];

/** Changes the parameters of a query. A query without changes stays as it was written. */
const changeParameters = (query: string, change: (parameter: Parameter, at: number) => Parameter): string => {
  const parameters: readonly Parameter[] = [...new URLSearchParams(query)];
  const changed = parameters.map(change);
  return deepEqual(changed, parameters)
    ? query
    : new URLSearchParams(changed.map(([key, value]): [string, string] => [key, value])).toString();
};

/**
 * Restores in a filter each value of `former` that the entity has again. Both have the same parameters in the same
 * order.
 */
const withReturnedValues = (query: string, former: string, entity: Entity): string => {
  const before = [...new URLSearchParams(former)];
  return changeParameters(query, ([key, value], at) => {
    const was = before[at]?.[1] ?? value;
    return [key, entity.fields.get(key)?.values.includes(was) === true ? was : value];
  });
};

const followPreferences = async (query: RunQuery, path: string, fieldNow: (field: string) => string): Promise<void> => {
  const rows = await query({
    text: "select person, value from ninefold.preference where name = $1 for update",
    values: [path],
  });
  const changed = rows.flatMap(({ person, value }) => {
    const now = renameInPreference(String(value), fieldNow);
    return now === value ? [] : [{ person, now }];
  });
  if (changed.length === 0) return;
  await query({
    text: "update ninefold.preference set value = g.text from unnest($1::uuid[], $2::text[]) as g (key, text) where person = g.key and name = $3",
    values: [changed.map(({ person }) => person), changed.map(({ now }) => now), path],
  });
};

/** The entity of each list, by the list's path. */
const getLists = (model: Model): ReadonlyMap<string, string> =>
  new Map(
    model.defaults.includes("SCREENS_OF_ENTITIES")
      ? [...model.entities.values()].map(({ path, name }) => [`/${path}`, name])
      : model.screens.flatMap((screen) => (screen.kind === "list" ? [[screen.path, screen.entity]] : [])),
  );

/** If an entity lost exactly one list and gained exactly one, the list has moved. */
const findMovedLists = (
  lists: ReadonlyMap<string, string>,
  before: Model | null,
  renamings: readonly Renaming[],
): ReadonlyMap<string, string> => {
  const were = before === null ? new Map<string, string>() : getLists(before);
  const entityNow = (name: string) => renamings.find(({ of, old }) => of === "entity" && old === name)?.now ?? name;
  const moved = new Map<string, string>();
  for (const [path, entity] of were) {
    if (lists.has(path)) continue;
    const removed = [...were].filter(([value, of]) => of === entity && !lists.has(value));
    const added = [...lists].filter(([value, of]) => of === entityNow(entity) && !were.has(value));
    const [is] = added;
    if (removed.length === 1 && added.length === 1 && is !== undefined) moved.set(path, is[0]);
  }
  return moved;
};

/** Renames the columns in the column settings of a person. */
const renameInPreference = (text: string, fieldNow: (name: string) => string): string => {
  const liked = JSON.parse(text) as ListPreferenceJson;
  const { columns, widths } = liked;
  return JSON.stringify({
    ...liked,
    ...(Array.isArray(columns) ? { columns: columns.map((name) => fieldNow(String(name))) } : {}),
    ...(typeof widths === "object" && widths !== null
      ? { widths: Object.fromEntries(Object.entries(widths).map(([name, width]) => [fieldNow(name), width])) }
      : {}),
  });
};

const nowIn = (entity: string, renamings: readonly Renaming[]): ((field: string) => string) => {
  const fields = new Map(
    renamings.flatMap((renaming) =>
      renaming.of === "field" && renaming.entity === entity ? [[renaming.old, renaming.now]] : [],
    ),
  );
  return (name) => fields.get(name) ?? name;
};

/** Rewrites `status=open&due>=2026-01-01&sort=-due` with the current names. */
const renameInQuery = (query: string, entity: string, renamings: readonly Renaming[]): string => {
  const fieldNow = nowIn(entity, renamings);
  const valueNow = (field: string, value: string) =>
    renamings.find(
      (renaming) =>
        renaming.of === "value" && renaming.entity === entity && renaming.field === field && renaming.old === value,
    )?.now ?? value;
  return changeParameters(query, ([key, value]) => {
    const was = filteredField(key);
    const field = fieldNow(was);
    if (key === "figure")
      return [key, value.replace(/^sum\((\w+)\)$/u, (_, summed: string) => `sum(${fieldNow(summed)})`)];
    if (key === "grouped")
      return [
        key,
        value
          .split(",")
          .map((group) => mapGroupKey(group, fieldNow))
          .join(","),
      ];
    if (key !== "sort") return [`${field}${key.slice(was.length)}`, valueNow(field, value)];
    const sorted = value.split(",").map((by) => (by.startsWith("-") ? `-${fieldNow(by.slice(1))}` : fieldNow(by)));
    return [key, sorted.join(",")];
  });
};
