import Big from "big.js";
import type { Phrases } from "../../explain/language.ts";
import { roleTitle } from "../../explain/roles.ts";
import { permissionSentence } from "../../explain/who-may.ts";
import { collectReadSet } from "../../expression/inspect/read-set.ts";
import { serializeExpr } from "../../expression/rewrite/serialize.ts";
import { isSequence } from "../../field/sequence.ts";
import type { Entity, States, Transition } from "../../model/entity.ts";
import { usualSections } from "../../model/facts/default-sections.ts";
import { findDerivedReference } from "../../model/facts/derived-reference.ts";
import { keptUntil } from "../../model/facts/kept-fields.ts";
import { findPartLists } from "../../model/facts/parts.ts";
import { type Field, isOfRecord, moments } from "../../model/field.ts";
import { toTitle } from "../../model/inflection.ts";
import type { Model } from "../../model/model.ts";
import { ADMINISTRATOR } from "../../model/permissions.ts";
import type { FormScreen, ListScreen, RecordScreen, Screen, Section } from "../../model/screen.ts";
import type { Application } from "../../wire/application.ts";
import type { EntityJson, FieldJson, StatesJson, TransitionJson } from "../../wire/entities.ts";
import type { WhyNot } from "../../wire/records.ts";
import type {
  ConversationJson,
  LayoutJson,
  PartsJson,
  ScreenJson,
  SectionJson,
  ThroughJson,
} from "../../wire/screens.ts";
import {
  decidingClauseId,
  grantedFields,
  grantsFor,
  isAutomatic,
  knowableFields,
  type Principal,
  readableFieldsFor,
  seesScreen,
  writableFieldsFor,
} from "../authorization/grants.ts";
import { filterKind, isSortedBy, titleOfValue } from "../http/list-capabilities.ts";
import { findCommentThread } from "./comment-threads.ts";
import { tileFor } from "./dashboard-tiles.ts";
import { serializeFormExpression } from "./form-computed-fields.ts";
import { suggestionInForm } from "./form-defaults.ts";
import { rulesInForms } from "./form-rules.ts";
import { findMentionFields } from "./mention-fields.ts";
import { stateIcons } from "./state-icons.ts";
import { formatIn, heldByField, upcomingTransition } from "./upcoming-transitions.ts";

/**
 * The manifest for a caller's browser: the screens for the caller, and for their entities the fields that the caller
 * can read or set.
 */
export const buildManifest = (
  model: Model,
  person: Principal,
  phrases: Phrases,
  /** Outgoing calls without a configured address. */
  waiting: ReadonlySet<string> = new Set(),
): Pick<Application, "name" | "sentence" | "locale" | "timezone" | "accent" | "roles" | "screens" | "entities"> => {
  const entities = new Map<string, EntityJson>();
  for (const entity of model.entities.values()) {
    if (!entity.served || grantsFor(model, entity, "read", person).length === 0) continue;
    entities.set(entity.name, toEntityJson(model, entity, person, phrases, waiting));
  }
  const seen = getScreens(model).filter((screen) => seesScreen(model, screen, person));
  const lists = seen.filter((screen) => screen.kind === "list" && entities.has(screen.entity)) as ListScreen[];
  const screens = seen.flatMap((screen): readonly ScreenJson[] => {
    if (screen.kind !== "tiles")
      return getScreen(screen, entities.get(screen.entity), { model, person, entities, lists });
    const tiles = screen.tiles.flatMap((tile) =>
      tileFor(tile, entities, readableFieldsFor(model, tile.entity, person), lists),
    );
    const { kind, path, title, clause } = screen;
    return tiles.length === 0 ? [] : [{ kind, path, title, clause: clause.id, tiles }];
  });
  const { name, sentence, locale, timezone, accent } = model;
  const roles = Object.fromEntries([...model.roles.values()].map((role) => [role.name, role.title]));
  return { name, sentence, locale, timezone, accent, roles, screens, entities: Object.fromEntries(entities) };
};

/**
 * The screens of the document and the default ones: a list for each served entity if point 2 is silent, and for each
 * list a record screen and forms unless the document has them.
 */
const getScreens = (model: Model): readonly Screen[] => {
  const silent = model.defaults.includes("SCREENS_OF_ENTITIES");
  const shown: readonly Screen[] = silent
    ? [...model.entities.values()].filter((entity) => entity.served).map(defaultList)
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
  const parts = listsGiven(model, entity);
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

/** A screen without the columns that the caller cannot read. */
const getScreen = (
  screen: ListScreen | RecordScreen | FormScreen,
  entity: EntityJson | undefined,
  around: Around,
): readonly ScreenJson[] => {
  if (entity === undefined) return [];
  const shown = (names: readonly string[]) =>
    names.filter((name) => entity.fields.some((field) => field.name === name));
  const base = { path: screen.path, title: screen.title, clause: screen.clause.id, entity: screen.entity };
  if (screen.kind === "list")
    return [
      {
        ...base,
        kind: "list",
        columns: shown(screen.columns),
        filters: shown(screen.filters),
        sort: screen.sort.filter((key) => shown([key.replace(/^-/u, "")]).length > 0),
        where: screen.where === null ? null : screen.clause.id,
        layouts: getLayouts(screen, entity),
        atOnce: around.model.limits.pageSizeMax,
      },
    ];
  if (screen.kind === "form") {
    const parts = toPartsJson(screen, around);
    const names = new Set(parts.map(({ field }) => field));
    const fields = screen.fields.filter((name) => names.has(name) || shown([name]).length > 0);
    return [{ ...base, kind: "form", fields, ...(parts.length === 0 ? {} : { parts }) }];
  }
  return [
    {
      ...base,
      kind: "record",
      sections: screen.sections.flatMap((section): readonly SectionJson[] => {
        if (section.kind === "history") return [section];
        if (section.kind === "list") return listFor(screen.entity, section, around);
        const fields = shown(section.fields);
        const conditional = fields.filter((name) => section.when.has(name));
        return [
          {
            kind: "fields",
            ...(section.title === null ? {} : { title: section.title }),
            fields,
            ...(conditional.length === 0 ? {} : { conditional }),
          },
        ];
      }),
    },
  ];
};

/** The context of a screen: the caller, readable entities and visible lists. */
interface Around {
  readonly model: Model;
  readonly person: Principal;
  readonly entities: ReadonlyMap<string, EntityJson>;
  readonly lists: readonly ListScreen[];
}

/**
 * The lists of parts in a form, recursively, if the caller may know the list and can read some of the parts. `within`
 * are the enclosing entities, which are left out.
 */
const toPartsJson = (
  screen: Pick<FormScreen, "entity" | "fields" | "columns">,
  around: Around,
  within: readonly string[] = [],
): readonly PartsJson[] => {
  const { model, person, entities } = around;
  const parent = model.entities.get(screen.entity);
  if (parent === undefined || within.includes(screen.entity)) return [];
  const known = knowableFields(model, parent, person);
  return findPartLists(model, parent).flatMap(({ list, entity, field, place }): readonly PartsJson[] => {
    const part = entities.get(entity.name);
    if (!screen.fields.includes(list.name) || !known.has(list.name) || part === undefined) return [];
    // The fields for the parent and the position are visible from the list itself.
    const usual = part.fields.filter(
      ({ name }) => name !== field.name && name !== place?.name && isOwnRow(entity.fields.get(name)),
    );
    const named = screen.columns.get(list.name);
    const columns = named ?? usual.map(({ name }) => name);
    const below = { entity: entity.name, fields: named ?? listsGiven(model, entity), columns: new Map() };
    const parts = toPartsJson(below, around, [...within, screen.entity]);
    return [
      {
        field: list.name,
        label: list.title,
        ...(list.help === null ? {} : { help: list.help }),
        clause: list.clause.id,
        entity: entity.name,
        by: field.name,
        place: place !== null && part.fields.some(({ name }) => name === place.name) ? place.name : null,
        columns: columns.filter((name) => part.fields.some((one) => one.name === name)),
        ...(parts.length === 0 ? {} : { parts }),
      },
    ];
  });
};

/** Lists of parts edited with the record. Comments are excluded; they are written on the record's page. */
const listsGiven = (model: Model, entity: Entity): readonly string[] =>
  findPartLists(model, entity)
    .filter((part) => findCommentThread(part.entity, part.field.name) === null)
    .map(({ list }) => list.name);

/** True for fields that users set or that are computed from the same record; other fields do not belong in a form. */
const isOwnRow = (field: Field | undefined): boolean =>
  field !== undefined &&
  field.set === null &&
  (field.storage.as === "generated" ||
    (field.storage.as === "column" && field.type !== "state" && !isSequence(field.type)));

/** A list of referring records, if the caller can read the list field and some of the records. */
const listFor = (
  owner: string,
  section: Extract<Section, { kind: "list" }>,
  around: Around,
): readonly SectionJson[] => {
  const { model, person, entities, lists } = around;
  const field = model.entities.get(owner)?.fields.get(section.field);
  if (field?.storage.as !== "inverse" || !readableFieldsFor(model, owner, person).has(section.field)) return [];
  const { entity: name, by } = field.storage;
  const listed = entities.get(name);
  if (listed === undefined || !listed.fields.some((one) => one.name === by)) return [];
  const base = { kind: "list", title: section.title ?? field.title, entity: name, by } as const;
  const said = findConversation(model, listed, by);
  if (said !== null) return [{ ...base, columns: [], conversation: said }];
  const inForm = formColumns(model, owner);
  const [parts] = toPartsJson({ entity: owner, fields: [section.field], columns: inForm }, around);
  // Uses the columns of the form or of the entity's own list, without the parent reference and the position.
  const named = inForm.get(section.field);
  const columns = named ?? lists.find((list) => list.entity === name)?.columns ?? listed.fields.map((one) => one.name);
  const shown = columns.filter(
    (column) => column !== by && column !== parts?.place && listed.fields.some((one) => one.name === column),
  );
  const through = findThrough(around, listed, by);
  return [
    {
      ...base,
      columns: named === undefined ? shown.slice(0, COLUMNS) : shown,
      ...(through === null ? {} : { through }),
      ...(parts === undefined ? {} : { parts }),
    },
  ];
};

/**
 * The field by which the caller adds to a list whose reference is derived from another record; null if the caller
 * cannot add or lacks the permissions for that field.
 */
const findThrough = ({ model, entities }: Around, listed: EntityJson, by: string): ThroughJson | null => {
  const entity = model.entities.get(listed.name);
  const through = entity === undefined ? null : findDerivedReference(entity, by);
  if (through === null || listed.create?.includes(through.field) !== true) return null;
  const { field, of } = through;
  return entities.get(through.entity)?.fields.some(({ name }) => name === of) === true ? { field, of } : null;
};

/** Author and text of comments, if the entity's records are a conversation and the caller can read both. */
const findConversation = (model: Model, listed: EntityJson, by: string): ConversationJson | null => {
  const entity = model.entities.get(listed.name);
  const found = entity === undefined ? null : findCommentThread(entity, by);
  if (found === null) return null;
  const [author, text] = [found.author.name, found.text.name];
  return [author, text].every((name) => listed.fields.some((one) => one.name === name)) ? { author, text } : null;
};

/** The columns that the form of the parent defines for its parts. */
const formColumns = (model: Model, owner: string): FormScreen["columns"] =>
  new Map(model.screens.flatMap((one) => (one.kind === "form" && one.entity === owner ? [...one.columns] : [])));

/** Maximum number of columns of a list on a record page, which has less space. */
const COLUMNS = 5;

/** The layouts whose fields the caller can read; a table is always possible. */
const getLayouts = ({ layouts }: ListScreen, { fields }: EntityJson): readonly LayoutJson[] => {
  const reads = (name: string) => fields.some((field) => field.name === name);
  const open = layouts.flatMap((layout): readonly LayoutJson[] => {
    if (layout.kind === "board") return reads(layout.field) ? [layout] : [];
    if (layout.kind === "table") return [layout];
    if (!reads(layout.from)) return [];
    return [{ ...layout, to: layout.to !== null && reads(layout.to) ? layout.to : null }];
  });
  return open.length === 0 ? [{ kind: "table" }] : open;
};

const toEntityJson = (
  model: Model,
  entity: Entity,
  person: Principal,
  phrases: Phrases,
  waiting: ReadonlySet<string>,
): EntityJson => {
  const readable = grantedFields(entity, grantsFor(model, entity, "read", person));
  const creation = grantsFor(model, entity, "create", person);
  const parts = new Set(findPartLists(model, entity).map(({ list }) => list.name));
  const creatable = [...grantedFields(entity, creation)].filter(
    (name) => parts.has(name) || !isAutomatic(entity, name),
  );
  const known = knowableFields(model, entity, person);
  const givable = writableFieldsFor(model, entity, person);
  const fields = [...entity.fields.values()].filter((field) => known.has(field.name) && isOfRecord(field));
  const mentioning = findMentionFields(entity);
  const holders = heldByField(model, entity, person);
  const rules = rulesInForms(model, entity, person, phrases);
  return {
    name: entity.name,
    one: entity.called.one,
    many: entity.called.many,
    calls: `/api/${entity.path}`,
    clause: entity.clause.id,
    fields: [
      ...fields.map((field) => ({
        ...toFieldJson(model, entity, field, givable.has(field.name)),
        ...(mentioning.has(field.name) ? { mentions: true as const } : {}),
        ...getReckoned(model, entity, field, person),
        ...getSuggestion(model, entity, field, person, phrases),
      })),
      ...getMoments(model, entity),
    ],
    states:
      entity.states !== null && readable.has(entity.states.field)
        ? toStatesJson(model, entity, entity.states, (transition) =>
            upcomingTransition(model, entity, transition, person, phrases, waiting),
          )
        : null,
    ...(holders.size === 0 ? {} : { holders: Object.fromEntries(holders) }),
    create: creation.length === 0 ? null : creatable,
    createRefused: creation.length === 0 ? refusedCreation(entity, phrases) : null,
    ...(rules.length === 0 ? {} : { rules }),
  };
};

const refusedCreation = (entity: Entity, phrases: Phrases): WhyNot => ({
  code: "FORBIDDEN",
  clause: decidingClauseId(entity, "create"),
  because: permissionSentence(phrases, entity, "create"),
});

/** Creation and change times, if a screen of the document shows them. */
const getMoments = (model: Model, entity: Entity): readonly FieldJson[] => {
  const shown = new Set(model.screens.flatMap((screen) => getShownNames(screen, entity.name)));
  return moments
    .filter((name) => shown.has(name))
    .map((name) => ({
      name,
      label: name === "created_at" ? "Made" : "Changed",
      type: "datetime",
      optional: false,
      automatic: true,
      filters: null,
      sorts: true,
      clause: entity.clause.id,
    }));
};

const getShownNames = (screen: Screen, entity: string): readonly string[] => {
  if (screen.kind === "tiles")
    return screen.tiles.flatMap((tile) => (tile.kind === "list" && tile.entity === entity ? tile.columns : []));
  if (screen.entity !== entity || screen.kind === "form") return [];
  if (screen.kind === "list") return [...screen.columns, ...screen.sort.map((key) => key.replace(/^-/u, ""))];
  return screen.sections.flatMap((one) => (one.kind === "fields" ? one.fields : []));
};

/** Maximum number of examples in a form. */
const SHOWN_EXAMPLES = 3;

/** Maximum number of records that are shown as choices. */
const FEW = 20;

/** The keys of an entity's records, if all its records are seed records and few. */
const findFewValues = ({ records, permissions }: Entity): readonly string[] | undefined =>
  records.size > 0 && records.size <= FEW && permissions?.actions.create.length === 0 ? [...records.keys()] : undefined;

/** The expression with which a form computes a field before saving. */
const getReckoned = (
  model: Model,
  entity: Entity,
  field: Field,
  person: Principal,
): Pick<FieldJson, "reckoned" | "until"> => {
  const reckoned = serializeFormExpression(model, entity, field, person);
  if (reckoned === undefined) return {};
  const known = knowableFields(model, entity, person);
  const until = keptUntil(field)?.fields.filter((name) => known.has(name));
  return { reckoned, ...(until === undefined ? {} : { until }) };
};

const getSuggestion = (
  model: Model,
  entity: Entity,
  field: Field,
  person: Principal,
  phrases: Phrases,
): Pick<FieldJson, "default"> => {
  const suggestion = suggestionInForm(model, entity, field, person, formatIn(model, phrases));
  return suggestion === undefined ? {} : { default: suggestion };
};

/** `isGiven`: true if the caller can ever set the field. */
const toFieldJson = (model: Model, entity: Entity, field: Field, isGiven: boolean): FieldJson => ({
  name: field.name,
  label: field.title,
  type: field.type,
  optional: field.optional || field.type === "boolean",
  automatic: isAutomatic(entity, field.name),
  filters: filterKind(field),
  sorts: isSortedBy(field),
  clause: field.clause.id,
  ...(field.values.length > 0
    ? {
        values: field.values.map((value) => ({ value, label: titleOfValue(entity, field, value) })),
      }
    : {}),
  ...(field.many ? { many: true as const } : {}),
  ...(field.among === null || !isGiven
    ? {}
    : {
        among: {
          of: `${entity.name}.${field.name}`,
          given: [...field.among.reads].filter((name) => name !== field.name && !isAutomatic(entity, name)),
        },
      }),
  ...(field.entity === null ? {} : { entity: field.entity, ...getFewValues(model, field.entity) }),
  ...(field.min === null ? {} : { min: field.min }),
  ...(field.max === null ? {} : { max: field.max }),
  ...(field.currency === null ? {} : { currency: field.currency }),
  ...(field.unit === null ? {} : { unit: field.unit }),
  ...(field.help === null ? {} : { help: field.help }),
  ...(field.examples.length === 0 ? {} : { examples: field.examples.slice(0, SHOWN_EXAMPLES) }),
  ...getDefault(model, field),
  ...(field.set?.kind === "user" ? { maker: true as const } : {}),
});

/**
 * The default value in a form: constants, the current person, and expressions on constants and the clock. The server
 * computes defaults that depend on other records or on data of the person.
 */
const getDefault = (model: Model, field: Field): Pick<FieldJson, "default"> => {
  const expr = field.default;
  if (expr === null || field.many) return {};
  // Records shown as choices have labels in the manifest, so the label here is never displayed.
  if (expr.kind === "name" && expr.kept !== undefined && getFewValues(model, field.entity ?? "").few !== undefined)
    return { default: { value: { id: expr.kept.id, label: toTitle(expr.kept.key) } } };
  if (expr.kind === "user" && field.entity === "User") return { default: "person" };
  if (expr.kind === "constant" && field.type !== "money") {
    const { value } = expr;
    if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
      return { default: { value } };
    return value instanceof Big ? { default: { value: value.toFixed() } } : {};
  }
  const { paths, user, old, names, recordReads } = collectReadSet(expr);
  const isOpen = paths.size === 0 && !user && !old && names.size === 0 && recordReads.length === 0;
  return isOpen && field.type !== "reference" ? { default: { reckoned: serializeExpr(expr) } } : {};
};

const getFewValues = (model: Model, name: string): Pick<FieldJson, "few"> => {
  const entity = model.entities.get(name);
  const few = entity === undefined ? undefined : findFewValues(entity);
  return few === undefined ? {} : { few };
};

type Ahead = Pick<TransitionJson, "itself" | "guarded" | "guard" | "follows">;

const getNeeds = ({ needs }: Transition): Pick<TransitionJson, "needs"> => {
  if (needs === undefined) return {};
  const { count, field } = needs;
  return { needs: { count: count.kind === "constant" ? Number(count.value) : null, field } };
};

const toStatesJson = (
  model: Model,
  entity: Entity,
  states: States,
  aheadOf: (transition: Transition) => Ahead,
): StatesJson => {
  const marks = stateIcons(states);
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
        ...(transition.asksIfAny.size === 0 ? {} : { asksIfAny: [...transition.asksIfAny] }),
        by: (transition.by ?? [ADMINISTRATOR]).map((role) =>
          role === ADMINISTRATOR ? { role } : { role, title: roleTitle(model, role, entity) },
        ),
        ...aheadOf(transition),
        ...getNeeds(transition),
        ...(transition.main === undefined ? {} : { main: transition.main }),
        clause: transition.clause.id,
      }),
    ),
  };
};

/** The fields for inviting a person: name, email address and other required fields. */
export const fieldsOfNewPeople = (model: Model): readonly FieldJson[] => {
  const user = model.entities.get("User");
  if (user === undefined) return [];
  return [...user.fields.values()]
    .filter((field) => !field.optional && field.type !== "boolean" && field.default === null)
    .filter((field) => !isAutomatic(user, field.name))
    .map((field) => toFieldJson(model, user, field, true));
};

/**
 * The fields of a person who registers at once. References and files are left out: somebody without an account can read no
 * record, and has sent no file.
 */
export const fieldsOfRegistration = (model: Model): readonly FieldJson[] =>
  fieldsOfNewPeople(model).filter(({ type }) => type !== "reference" && type !== "file" && type !== "image");

/** The roles that an administrator grants, in document order. */
export const grantableRoles = (model: Model): readonly string[] => [
  ...[...model.roles.values()].filter((role) => role.members === "granted").map((role) => role.name),
  ADMINISTRATOR,
];
