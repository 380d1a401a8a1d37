import type { Before } from "../core/change/renamed.ts";
import type { Model, Renaming } from "../core/model/model.ts";
import type { Query, Row } from "./database.ts";

/** A view keeps what stands in an address, and what stands there are names of the document. */
export const renameViews = async (
  query: (query: Query) => Promise<readonly Row[]>,
  model: Model,
  before: Before,
  renamings: readonly Renaming[],
): Promise<void> => {
  if (!renamings.some(({ of }) => of === "entity" || of === "field" || of === "value")) return;
  const moved = movedLists(model, before, renamings);
  const lists = listsOf(model);
  const rows = await query({ text: "select id, screen, query from ninefold.view for update", values: [] });
  for (const row of rows) {
    const kept = { screen: String(row.screen), query: String(row.query) };
    const screen = moved.get(kept.screen) ?? kept.screen;
    const entity = lists.get(screen);
    const renamed = entity === undefined ? kept.query : renamedQuery(kept.query, entity, renamings);
    if (screen === kept.screen && renamed === kept.query) continue;
    await query({
      text: "update ninefold.view set screen = $2, query = $3 where id = $1",
      values: [row.id, screen, renamed],
    });
  }
};

const listsOf = (model: Model): ReadonlyMap<string, string> =>
  new Map(
    model.defaults.includes("SCREENS_OF_ENTITIES")
      ? [...model.entities.values()].map(({ path, name }) => [`/${path}`, name])
      : model.screens.flatMap((screen) => (screen.kind === "list" ? [[screen.path, screen.entity]] : [])),
  );

/** Where the document shows no screens, a list stands at its entity's own address, and goes where that goes. */
const movedLists = (model: Model, before: Before, renamings: readonly Renaming[]): ReadonlyMap<string, string> =>
  new Map(
    model.defaults.includes("SCREENS_OF_ENTITIES")
      ? renamings.flatMap(({ of, old, now }): readonly (readonly [string, string])[] => {
          const [was, is] = [before?.entities.get(old)?.path, model.entities.get(now)?.path];
          return of !== "entity" || was === undefined || is === undefined ? [] : [[`/${was}`, `/${is}`]];
        })
      : [],
  );

const ends = /[<>~]$/u;

/** `status=open&due>=2026-01-01&sort=-due`, by the names of today. */
const renamedQuery = (query: string, entity: string, renamings: readonly Renaming[]): string => {
  const fields = new Map(
    renamings.flatMap((one) => (one.of === "field" && one.entity === entity ? [[one.old, one.now]] : [])),
  );
  const fieldNow = (name: string) => fields.get(name) ?? name;
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
