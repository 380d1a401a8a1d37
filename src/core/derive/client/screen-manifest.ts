import { isSequence } from "../../field/sequence.ts";
import type { Entity } from "../../model/entity.ts";
import { findDerivedReference } from "../../model/facts/derived-reference.ts";
import { pivotFieldNames } from "../../model/facts/grouping.ts";
import { findPartLists } from "../../model/facts/parts.ts";
import type { Field } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import type { FormScreen, ListScreen, Screen, Section, TilesScreen } from "../../model/screen.ts";
import type { EntityJson } from "../../wire/entities.ts";
import type {
  ConversationJson,
  LayoutJson,
  ListScreenJson,
  PartsJson,
  ScreenJson,
  SectionJson,
  ThroughJson,
} from "../../wire/screens.ts";
import {
  grantsFor,
  knowableFields,
  type Principal,
  readableFieldsFor,
  seesScreen,
  showsOnAll,
} from "../authorization/grants.ts";
import { findGroupFieldJson } from "../http/list-query.ts";
import { findCommentThread } from "./comment-threads.ts";

const hasConditionalLetters = (entity: string, { model, person }: ManifestContext): boolean =>
  model.screens.some(
    (screen) =>
      screen.kind === "letter" &&
      screen.entity === entity &&
      screen.where !== null &&
      seesScreen(model, screen, person),
  );

/** True if it depends on the record how many people must make a transition, and the caller may know who made it. */
const needsCapabilities = ({ states, fields }: EntityJson): boolean =>
  states?.transitions.some(({ needs }) => needs?.count === null && fields.some(({ name }) => name === needs.field)) ===
  true;

/** A screen without the columns that the caller cannot read; undefined if the caller cannot read the entity. */
export const toScreenJson = (
  screen: Exclude<Screen, TilesScreen>,
  entity: EntityJson | undefined,
  context: ManifestContext,
): ScreenJson | undefined => {
  if (entity === undefined) return undefined;
  const readable = (names: readonly string[]) =>
    names.filter((name) => entity.fields.some((field) => field.name === name));
  const base = { path: screen.path, title: screen.title, clause: screen.clause.id, entity: screen.entity };
  if (screen.kind === "letter") return { ...base, kind: "letter" };
  if (screen.kind === "list")
    return {
      ...base,
      kind: "list",
      columns: readable(screen.columns),
      filters: readable(screen.filters),
      sort: screen.sort.filter((key) => readable([key.replace(/^-/u, "")]).length > 0),
      ...groupFor(screen, entity),
      where: screen.where === null ? null : screen.clause.id,
      layouts: getLayouts(screen, entity),
      atOnce: context.model.limits.pageSizeMax,
      ...(needsCapabilities(entity) ? { capabilities: true as const } : {}),
    };
  if (screen.kind === "form") {
    const parts = toPartsJson(screen, context);
    const names = new Set(parts.map(({ field }) => field));
    const fields = screen.fields.filter((name) => names.has(name) || readable([name]).length > 0);
    return { ...base, kind: "form", fields, ...(parts.length === 0 ? {} : { parts }) };
  }
  return {
    ...base,
    kind: "record",
    ...(hasConditionalLetters(screen.entity, context) ? { conditionalLetters: true as const } : {}),
    sections: screen.sections.flatMap((section): readonly SectionJson[] => {
      if (section.kind === "history") return [section];
      if (section.kind === "list") return listFor(screen.entity, section, context);
      const fields = readable(section.fields);
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
  };
};

/** The context of a screen: the caller, readable entities and visible lists. */
interface ManifestContext {
  readonly model: Model;
  readonly person: Principal;
  readonly entities: ReadonlyMap<string, EntityJson>;
  readonly lists: readonly ListScreen[];
}

/**
 * The lists of parts in a form, recursively, if the caller can know the list and can read some of the parts. `within`
 * are the enclosing entities, which are left out.
 */
const toPartsJson = (
  screen: Pick<FormScreen, "entity" | "fields" | "columns">,
  context: ManifestContext,
  within: readonly string[] = [],
): readonly PartsJson[] => {
  const { model, person, entities } = context;
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
    const below = { entity: entity.name, fields: named ?? formPartLists(model, entity), columns: new Map() };
    const parts = toPartsJson(below, context, [...within, screen.entity]);
    return [
      {
        field: list.name,
        label: list.title,
        ...(list.help === null ? {} : { help: list.help }),
        clause: list.clause.id,
        entity: entity.name,
        by: field.name,
        place: place !== null && part.fields.some(({ name }) => name === place.name) ? place.name : null,
        columns: columns.filter((name) => part.fields.some((field) => field.name === name)),
        ...(parts.length === 0 ? {} : { parts }),
      },
    ];
  });
};

/** Lists of parts edited with the record. Comments are excluded; they are written on the record's page. */
export const formPartLists = (model: Model, entity: Entity): readonly string[] =>
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
  context: ManifestContext,
): readonly SectionJson[] => {
  const { model, person, entities, lists } = context;
  const parent = model.entities.get(owner);
  const field = parent?.fields.get(section.field);
  if (
    parent === undefined ||
    field?.storage.as !== "inverse" ||
    !readableFieldsFor(model, owner, person).has(section.field)
  )
    return [];
  const { entity: name, by } = field.storage;
  const listed = entities.get(name);
  if (listed === undefined || !listed.fields.some((field) => field.name === by)) return [];
  const isAlwaysVisible = showsOnAll(grantsFor(model, parent, "read", person), section.field);
  const base = {
    kind: "list",
    title: section.title ?? field.title,
    entity: name,
    by,
    ...(isAlwaysVisible ? {} : { conditional: section.field }),
  } as const;
  const conversation = findConversation(model, listed, by);
  if (conversation !== null) return [{ ...base, columns: [], conversation }];
  const inForm = formColumns(model, owner);
  const [parts] = toPartsJson({ entity: owner, fields: [section.field], columns: inForm }, context);
  // Uses the columns of the form or of the entity's own list, without the parent reference and the position.
  const named = inForm.get(section.field);
  const columns =
    named ?? lists.find((list) => list.entity === name)?.columns ?? listed.fields.map((field) => field.name);
  const shown = columns.filter(
    (column) => column !== by && column !== parts?.place && listed.fields.some((field) => field.name === column),
  );
  const through = findThrough(context, listed, by);
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
const findThrough = ({ model, entities }: ManifestContext, listed: EntityJson, by: string): ThroughJson | null => {
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
  return [author, text].every((name) => listed.fields.some((field) => field.name === name)) ? { author, text } : null;
};

/** The columns that the form of the parent defines for its parts. */
const formColumns = (model: Model, owner: string): FormScreen["columns"] =>
  new Map(
    model.screens.flatMap((screen) => (screen.kind === "form" && screen.entity === owner ? [...screen.columns] : [])),
  );

/** Maximum number of columns of a list on a record page, which has less space. */
const COLUMNS = 5;

/** The groups of a list, without the fields that the caller cannot read. */
const groupFor = ({ group }: ListScreen, entity: EntityJson): Pick<ListScreenJson, "group"> => {
  const known = group.filter((key) => findGroupFieldJson(entity, key) !== undefined);
  return known.length === 0 ? {} : { group: known };
};

/** The layouts whose fields the caller can read. Without a layout that shows records there is also a table. */
const getLayouts = ({ layouts }: ListScreen, { fields }: EntityJson): readonly LayoutJson[] => {
  const reads = (name: string) => fields.some((field) => field.name === name);
  const open = layouts.flatMap((layout): readonly LayoutJson[] => {
    if (layout.kind === "board") return reads(layout.field) ? [layout] : [];
    if (layout.kind === "table") return [layout];
    if (layout.kind === "pivot") return pivotFieldNames(layout).every(reads) ? [layout] : [];
    if (!reads(layout.from)) return [];
    return [{ ...layout, to: layout.to !== null && reads(layout.to) ? layout.to : null }];
  });
  return open.every(({ kind }) => kind === "pivot") ? [...open, { kind: "table" }] : open;
};
