import type { Entity } from "../../model/entity.ts";
import { usualSections } from "../../model/facts/default-sections.ts";
import { isOfRecord } from "../../model/field.ts";
import { toTitle } from "../../model/inflection.ts";
import type { Model } from "../../model/model.ts";
import type { FormScreen, ListScreen, RecordScreen, Screen } from "../../model/screen.ts";
import { isAutomatic } from "../authorization/grants.ts";
import { formPartLists } from "./screen-manifest.ts";

const screensByModel = new WeakMap<Model, readonly Screen[]>();

/**
 * The screens of the document and the default ones: a list for each served entity if point 2 is silent, and for each
 * list a record screen and forms unless the document has them.
 */
export const getScreens = (model: Model): readonly Screen[] => {
  const screens = screensByModel.get(model) ?? listScreens(model);
  screensByModel.set(model, screens);
  return screens;
};

const listScreens = (model: Model): readonly Screen[] => {
  const silent = model.defaults.includes("SCREENS_OF_ENTITIES");
  const shown: readonly Screen[] = silent
    ? [...model.entities.values()]
        .filter((entity) => entity.served)
        .toSorted(byWork)
        .map(defaultList)
    : model.screens;
  const screens = [...shown];
  for (const list of shown) {
    if (list.kind !== "list") continue;
    const entity = model.entities.get(list.entity);
    if (entity === undefined) continue;
    const has = (kind: "record" | "form") =>
      screens.some((screen) => screen.kind === kind && screen.entity === entity.name);
    if (!has("record")) screens.push(defaultRecord(entity, list));
    screens.push(...defaultForms(model, entity, list).filter((form) => !has("form") || form.path.endsWith("/edit")));
  }
  return screens;
};

/** People work on the other entities, so the list of people comes last. The first list is the start page. */
const byWork = (one: Entity, other: Entity): number => Number(one.name === "User") - Number(other.name === "User");

const titleOne = (entity: Entity): string => toTitle(entity.called.one);

const defaultList = (entity: Entity): ListScreen => ({
  kind: "list",
  path: `/${entity.path}`,
  title: toTitle(entity.called.many),
  clause: entity.clause,
  entity: entity.name,
  for: null,
  columns: recordFields(entity).slice(0, 6),
  filters: [...entity.fields.values()]
    .filter((field) => field.type === "choice" || field.type === "state")
    .map((field) => field.name),
  sort: [],
  group: [],
  where: null,
  layouts: [{ kind: "table" }],
});

const recordFields = (entity: Entity): readonly string[] =>
  [...entity.fields.values()].filter((field) => isOfRecord(field) && !field.isKey).map((field) => field.name);

const defaultRecord = (entity: Entity, list: ListScreen): RecordScreen => ({
  kind: "record",
  path: `${list.path === "/" ? "" : list.path}/{id}`,
  title: titleOne(entity),
  clause: list.clause,
  entity: entity.name,
  for: list.for,
  sections: usualSections(entity.fields.values()),
});

const defaultForms = (model: Model, entity: Entity, list: ListScreen): readonly FormScreen[] => {
  const parts = formPartLists(model, entity);
  const fields = [...entity.fields.keys()].filter((name) => parts.includes(name) || !isAutomatic(entity, name));
  const base = list.path === "/" ? "" : list.path;
  const form = {
    kind: "form",
    title: titleOne(entity),
    clause: list.clause,
    entity: entity.name,
    for: list.for,
    fields,
    columns: new Map(),
  } as const;
  return [
    { ...form, path: `${base}/new` },
    { ...form, path: `${base}/{id}/edit` },
  ];
};
