import type { Model, Renaming } from "../../core/model/model.ts";
import type { ListPreferenceJson } from "../../core/wire/accounts/preferences.ts";
import type { Query, Row } from "../database.ts";

type Ask = (query: Query) => Promise<readonly Row[]>;

/**
 * Carries saved views, column settings and saved filters over to a new document: paths of lists, fields and values are
 * renamed with it. A name that no longer exists is kept and ignored. `before` is the document that was in force.
 */
export const followLists = async (
  query: Ask,
  model: Model,
  before: () => Model | null,
  renamings: readonly Renaming[],
): Promise<void> => {
  const lists = getLists(model);
  const kept = await query({
    text: "select screen as path from ninefold.view union select name from ninefold.preference where name like '/%'",
    values: [],
  });
  const gone = kept.map(({ path }) => String(path)).filter((path) => !lists.has(path));
  const moved = gone.length === 0 ? new Map<string, string>() : findMovedLists(lists, before(), renamings);
  for (const [was, is] of moved) {
    await query({ text: "update ninefold.view set screen = $2 where screen = $1", values: [was, is] });
    await query({
      text: `update ninefold.preference p set name = $2 where name = $1
             and not exists (select from ninefold.preference o where o.person = p.person and o.name = $2)`,
      values: [was, is],
    });
  }
  const renamed = renamings.filter(({ of }) => of === "field" || of === "value");
  for (const [path, entity] of lists) {
    const own = renamed.filter((one) => one.entity === entity);
    if (own.length === 0) continue;
    await renameIn(query, views, path, (text) => renameInQuery(text, entity, own));
    await renameIn(query, likings, path, (text) => renameInPreference(text, nowIn(entity, own)));
  }
};

const views = {
  all: "select id as key, query as text from ninefold.view where screen = $1 for update",
  one: "update ninefold.view set query = g.text from unnest($1::uuid[], $2::text[]) as g (key, text) where id = g.key",
} as const;
const likings = {
  all: "select person as key, value as text from ninefold.preference where name = $1 for update",
  one: "update ninefold.preference set value = g.text from unnest($1::uuid[], $2::text[]) as g (key, text) where person = g.key and name = $3",
} as const;

const renameIn = async (
  query: Ask,
  { all, one }: typeof views | typeof likings,
  path: string,
  now: (text: string) => string,
): Promise<void> => {
  const rows = await query({ text: all, values: [path] });
  const changed = rows.flatMap(({ key, text }) => {
    const is = now(String(text));
    return is === text ? [] : [{ key, is }];
  });
  if (changed.length === 0) return;
  const values = [changed.map(({ key }) => key), changed.map(({ is }) => is)];
  await query({ text: one, values: one === likings.one ? [...values, path] : values });
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
    const gone = [...were].filter(([one, of]) => of === entity && !lists.has(one));
    const come = [...lists].filter(([one, of]) => of === entityNow(entity) && !were.has(one));
    const [is] = come;
    if (gone.length === 1 && come.length === 1 && is !== undefined) moved.set(path, is[0]);
  }
  return moved;
};

/** Column choice and widths of a person. */
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

const ends = /[<>~]$/u;

const nowIn = (entity: string, renamings: readonly Renaming[]): ((field: string) => string) => {
  const fields = new Map(
    renamings.flatMap((one) => (one.of === "field" && one.entity === entity ? [[one.old, one.now]] : [])),
  );
  return (name) => fields.get(name) ?? name;
};

/** Rewrites `status=open&due>=2026-01-01&sort=-due` with the current names. */
const renameInQuery = (query: string, entity: string, renamings: readonly Renaming[]): string => {
  const fieldNow = nowIn(entity, renamings);
  const valueNow = (field: string, value: string) =>
    renamings.find((one) => one.of === "value" && one.entity === entity && one.field === field && one.old === value)
      ?.now ?? value;
  const written = new URLSearchParams();
  for (const [key, value] of new URLSearchParams(query)) {
    const end = ends.exec(key)?.[0] ?? "";
    const field = fieldNow(key.slice(0, key.length - end.length));
    if (key === "sort")
      written.append(
        key,
        value
          .split(",")
          .map((by) => (by.startsWith("-") ? `-${fieldNow(by.slice(1))}` : fieldNow(by)))
          .join(","),
      );
    else written.append(`${field}${end}`, valueNow(field, value));
  }
  return written.toString();
};
