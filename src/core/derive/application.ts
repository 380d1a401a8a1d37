import {
  ADMINISTRATOR,
  type Entity,
  type Field,
  isOfRecord,
  type Model,
  moments,
  type Screen,
  type States,
} from "../model/model.ts";
import { pluralOf, titleOf, wordsOf } from "../model/words.ts";
import type { Application, EntityJson, FieldJson, ScreenJson, StatesJson, TransitionJson, WhyNot } from "../wire.ts";
import { deciderOf, fieldsKnownTo, fieldsThrough, gatesOf, holds, isAutomatic, type Person, whoMay } from "./access.ts";
import { isSortedBy } from "./lists.ts";
import { stateMarksOf } from "./state-marks.ts";

/** What this person's browser draws from: their screens, and of their entities the fields that they may read or give. */
export const applicationOf = (
  model: Model,
  person: Person,
): Pick<Application, "name" | "sentence" | "locale" | "timezone" | "accent" | "screens" | "entities"> => {
  const entities = new Map<string, EntityJson>();
  for (const entity of model.entities.values()) {
    if (!entity.served || gatesOf(model, entity, "read", person).length === 0) continue;
    entities.set(entity.name, entityOf(model, entity, person));
  }
  const screens = screensOf(model)
    .filter((screen) => screen.for === null || screen.for.some((role) => holds(model, role, person)))
    .flatMap((screen) => screenFor(screen, entities.get(screen.entity)) ?? []);
  const { name, sentence, locale, timezone, accent } = model;
  return { name, sentence, locale, timezone, accent, screens, entities: Object.fromEntries(entities) };
};

/**
 * The document's screens and those that a default adds: where point 2 is silent, a list for each served entity; and for
 * each list, a record and forms where the document shows none of its own.
 */
const screensOf = (model: Model): readonly Screen[] => {
  const silent = model.defaults.includes("SCREENS_OF_ENTITIES");
  const shown: readonly Screen[] = silent
    ? [...model.entities.values()].filter((entity) => entity.served).map(defaultList)
    : model.screens;
  const screens = [...shown];
  for (const list of shown) {
    if (list.kind !== "list") continue;
    const entity = model.entities.get(list.entity);
    if (entity === undefined) continue;
    const has = (kind: Screen["kind"]) =>
      screens.some((screen) => screen.kind === kind && screen.entity === entity.name);
    if (!has("record")) screens.push(defaultRecord(entity, list));
    screens.push(...defaultForms(entity, list).filter((form) => !has("form") || form.path.endsWith("/edit")));
  }
  return screens;
};

const titleOne = (entity: Entity): string => titleOf(wordsOf(entity.name));

const defaultList = (entity: Entity): Screen => ({
  kind: "list",
  path: `/${entity.path}`,
  title: titleOf(pluralOf(wordsOf(entity.name))),
  clause: entity.clause,
  entity: entity.name,
  for: null,
  columns: recordFields(entity).slice(0, 6),
  filters: [...entity.fields.values()]
    .filter((field) => field.type === "choice" || field.type === "state")
    .map((field) => field.name),
  sort: [],
});

const recordFields = (entity: Entity): readonly string[] =>
  [...entity.fields.values()].filter(isOfRecord).map((field) => field.name);

const defaultRecord = (entity: Entity, list: Screen): Screen => ({
  kind: "record",
  path: `${list.path === "/" ? "" : list.path}/{id}`,
  title: titleOne(entity),
  clause: list.clause,
  entity: entity.name,
  for: list.for,
  sections: [{ kind: "fields", fields: recordFields(entity) }, { kind: "history" }],
});

const defaultForms = (entity: Entity, list: Screen): readonly Screen[] => {
  const fields = [...entity.fields.keys()].filter((name) => !isAutomatic(entity, name));
  const base = list.path === "/" ? "" : list.path;
  const form = {
    kind: "form",
    title: titleOne(entity),
    clause: list.clause,
    entity: entity.name,
    for: list.for,
    fields,
  } as const;
  return [
    { ...form, path: `${base}/new` },
    { ...form, path: `${base}/{id}/edit` },
  ];
};

/** A screen as this person sees it: without the columns that they may not read. */
const screenFor = (screen: Screen, entity: EntityJson | undefined): ScreenJson | undefined => {
  if (entity === undefined) return undefined;
  const shown = (names: readonly string[]) =>
    names.filter((name) => entity.fields.some((field) => field.name === name));
  const base = { path: screen.path, title: screen.title, clause: screen.clause.id, entity: screen.entity };
  if (screen.kind === "list")
    return {
      ...base,
      kind: "list",
      columns: shown(screen.columns),
      filters: shown(screen.filters),
      sort: screen.sort.filter((key) => shown([key.replace(/^-/u, "")]).length > 0),
    };
  if (screen.kind === "form") return { ...base, kind: "form", fields: shown(screen.fields) };
  return {
    ...base,
    kind: "record",
    sections: screen.sections.map((section) =>
      section.kind === "fields" ? { kind: "fields", fields: shown(section.fields) } : section,
    ),
  };
};

const entityOf = (model: Model, entity: Entity, person: Person): EntityJson => {
  const readable = fieldsThrough(entity, gatesOf(model, entity, "read", person));
  const creation = gatesOf(model, entity, "create", person);
  const creatable = [...fieldsThrough(entity, creation)].filter((name) => !isAutomatic(entity, name));
  const known = fieldsKnownTo(model, entity, person);
  const fields = [...entity.fields.values()].filter((field) => known.has(field.name) && isOfRecord(field));
  const one = wordsOf(entity.name);
  return {
    name: entity.name,
    one,
    many: pluralOf(one),
    calls: `/api/${entity.path}`,
    clause: entity.clause.id,
    fields: [...fields.map((field) => fieldOf(entity, field)), ...momentsOf(model, entity)],
    states: entity.states !== null && readable.has(entity.states.field) ? statesOf(entity.states) : null,
    create: creation.length === 0 ? null : creatable,
    createRefused: creation.length === 0 ? refusedCreation(entity) : null,
  };
};

const refusedCreation = (entity: Entity): WhyNot => ({
  code: "FORBIDDEN",
  clause: deciderOf(entity, "create"),
  because: whoMay(entity, "create"),
});

/** When a record was made and changed, where a screen of the document shows it. */
const momentsOf = (model: Model, entity: Entity): readonly FieldJson[] => {
  const shown = new Set(
    model.screens.filter((screen) => screen.entity === entity.name).flatMap((screen) => namesOn(screen)),
  );
  return moments
    .filter((name) => shown.has(name))
    .map((name) => ({
      name,
      label: name === "created_at" ? "Made" : "Changed",
      type: "datetime",
      optional: false,
      automatic: true,
      filters: false,
      sorts: true,
      clause: entity.clause.id,
    }));
};

const namesOn = (screen: Screen): readonly string[] => {
  if (screen.kind === "list") return [...screen.columns, ...screen.sort.map((key) => key.replace(/^-/u, ""))];
  return screen.kind === "form" ? [] : screen.sections.flatMap((one) => (one.kind === "fields" ? one.fields : []));
};

/** A form has room for a few examples; the document may have more. */
const SHOWN_EXAMPLES = 3;

const fieldOf = (entity: Entity, field: Field): FieldJson => ({
  name: field.name,
  label: field.title,
  type: field.type,
  optional: field.optional || field.type === "boolean",
  automatic: isAutomatic(entity, field.name),
  filters: field.type === "choice" || field.type === "state" || field.type === "reference" || field.type === "boolean",
  sorts: isSortedBy(field),
  clause: field.clause.id,
  ...(field.values.length > 0
    ? {
        values: field.values.map((value) => ({
          value,
          label:
            entity.states?.states.find((state) => field.type === "state" && state.name === value)?.title ??
            titleOf(value),
        })),
      }
    : {}),
  ...(field.entity === null ? {} : { entity: field.entity }),
  ...(field.min === null ? {} : { min: field.min }),
  ...(field.max === null ? {} : { max: field.max }),
  ...(field.currency === null ? {} : { currency: field.currency }),
  ...(field.unit === null ? {} : { unit: field.unit }),
  ...(field.help === null ? {} : { help: field.help }),
  ...(field.examples.length === 0 ? {} : { examples: field.examples.slice(0, SHOWN_EXAMPLES) }),
});

const statesOf = (states: States): StatesJson => {
  const marks = stateMarksOf(states);
  return {
    field: states.field,
    states: states.states.flatMap(({ name, title }) => {
      const mark = marks.get(name);
      return mark === undefined ? [] : [{ name, label: title, mark }];
    }),
    transitions: [...states.transitions.values()].map(
      (transition): TransitionJson => ({
        name: transition.name,
        label: transition.title,
        from: transition.from,
        to: transition.to,
        asks: transition.asks,
        by: transition.by ?? ["administrator"],
        clause: transition.clause.id,
      }),
    ),
  };
};

/** What an administrator has to say of a new person beside name and email address. */
export const fieldsOfNewPeople = (model: Model): readonly FieldJson[] => {
  const user = model.entities.get("User");
  if (user === undefined) return [];
  return [...user.fields.values()]
    .filter((field) => !builtIn.has(field.name) && !field.optional && field.type !== "boolean")
    .filter((field) => field.default === null && !isAutomatic(user, field.name))
    .map((field) => fieldOf(user, field));
};

const builtIn = new Set(["name", "email"]);

/** The roles that an administrator grants, in document order. */
export const grantableRoles = (model: Model): readonly string[] => [
  ...[...model.roles.values()].filter((role) => role.members === "granted").map((role) => role.name),
  ADMINISTRATOR,
];
