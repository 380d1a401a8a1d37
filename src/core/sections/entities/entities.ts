import { byKind, map, memoized, orNone } from "../../document/shape/combinators.ts";
import { keyed, named } from "../../document/shape/list-and-mapping.ts";
import { name } from "../../document/shape/name.ts";
import { optional, record, required } from "../../document/shape/record.ts";
import { expression, plainText, template } from "../../document/shape/scalar.ts";
import type { ShapeValue } from "../../document/shape.ts";
import { readTemplate, type Template } from "../../expression/compile/template.ts";
import { KEY } from "../../expression/values/seed-record.ts";
import type { EntityShape, FieldShape, Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import type { Clause } from "../../model/clause.ts";
import type { DefaultCode } from "../../model/defaults.ts";
import type { Entity, RowsOf, SeedRecordDefinition } from "../../model/entity.ts";
import { type Field, isActValue } from "../../model/field.ts";
import { entityWords, pluralize, toPathName, toTableName, toTitle } from "../../model/inflection.ts";
import type { Limits } from "../../model/model.ts";
import type { Span } from "../../source-text.ts";
import { clauseAt, type Linking, linkTemplate, reportUnknownName } from "../linking/link-context.ts";
import { linkOnce } from "../linking/link-once.ts";
import { type ActDraft, type DeclaredAct, declareActs } from "./act-values.ts";
import { linkRows, withSources } from "./derived-rows.ts";
import { builtInField, declareField, type FieldDraft } from "./field-drafts.ts";
import { fieldsShape } from "./field-syntax.ts";
import { keyField, linkField, stateField } from "./fields.ts";
import { checkLabels } from "./labels.ts";
import { isReservedField, systemFields } from "./reserved-names.ts";
import { linkRecords, recordsShape } from "./seed-records.ts";

const oneAndMany = record("what one record is called, and several", {
  one: required(plainText),
  many: required(plainText),
});

/** `title: Machine` with a regular plural, or `title: { one: Child, many: Children }`. */
const titles = byKind<{ readonly one: string; readonly many: string }>("what a record is called", {
  scalar: map(plainText, ({ value }) => ({ one: value, many: pluralize(value) })),
  mapping: map(oneAndMany, ({ one, many }) => ({ one: one.value, many: many.value })),
});

const entity = record("an entity", {
  label: optional(template),
  title: optional(titles),
  path: optional(plainText),
  fields: optional(fieldsShape),
  "rows of": optional(keyed("a mapping from names to entities or lists", expression)),
  where: optional(expression),
  records: optional(recordsShape),
  was: optional(name("entity")),
});

export const entitiesShape = orNone(named("entity", memoized(entity)));

export type EntitiesSyntax = ShapeValue<typeof entitiesShape>;
type EntitySyntax = ShapeValue<typeof entity>;

/** An entity as declared in point 3, and its fields. */
export type DeclaredEntity = Exclude<EntitiesSyntax, "none">[number]["value"];
export type DeclaredFields = NonNullable<DeclaredEntity["fields"]>;

/** Columns of people beside the fields of the document. */
const userColumns = ["roles", "active"];

/** Built-in fields of people: name, email and picture. */
const userFields: readonly FieldDraft[] = [
  builtInField("User", "name", "text"),
  builtInField("User", "email", "email"),
  builtInField("User", "avatar", "image", { optional: true, title: "Picture" }),
];

/** Built-in properties of people besides fields. */
const userShapes: readonly FieldShape[] = [
  { name: "roles", type: { kind: "list", of: { kind: "text" } }, optional: false, column: "roles" },
];

/** An entity with known names and unread expressions. */
export interface EntityDraft {
  readonly name: string;
  readonly clause: Clause;
  readonly table: string;
  readonly path: string;
  readonly served: boolean;
  /** The entities that the rows are derived from; null for other entities. */
  readonly because: ReadonlySet<string> | null;
  readonly syntax: EntitySyntax | undefined;
  readonly fields: ReadonlyMap<string, FieldDraft>;
  /** Values that transitions ask for and that are no part of the record. */
  readonly acts: ReadonlyMap<string, ActDraft>;
  /** The state field, if the entity has states. */
  readonly state: { readonly field: string; readonly names: readonly string[]; readonly clause: Clause } | null;
}

/** The part of point 4 that point 3 needs: the state field of each entity, its states, and the values of its acts. */
export type StateNames = ReadonlyMap<
  string,
  {
    readonly field: string;
    readonly names: readonly string[];
    readonly acts: readonly DeclaredAct[];
    readonly key: Span;
  }
>;

const NOWHERE: Span = { file: "", start: 0, end: 0 };

/** Declares the entities of point 3. `mentioned` are the entities named in point 6; it decides if User is served. */
export const declareEntities = (
  syntax: EntitiesSyntax | undefined,
  states: StateNames,
  mentioned: ReadonlySet<string>,
  linking: Linking,
): ReadonlyMap<string, EntityDraft> => {
  const declared = syntax === undefined || syntax === "none" ? [] : syntax;
  const names = new Set(["User", ...declared.map((entry) => entry.name)]);
  const own = declared.find((entry) => entry.name === "User");
  const drafts = new Map<string, EntityDraft>();
  const declare = (entity: EntityEntry) => void drafts.set(entity.name, createDraft(entity, names, states, linking));
  const isUserServed = own !== undefined || mentioned.has("User");
  declare({ name: "User", key: own?.key ?? NOWHERE, syntax: own?.value, served: isUserServed });
  for (const { name, key, value } of declared) if (name !== "User") declare({ name, key, syntax: value, served: true });
  for (const draft of drafts.values())
    if (draft.because !== null) drafts.set(draft.name, withSources(draft, drafts, linking));
  checkPlaces(drafts, linking);
  checkOtherSides(drafts, linking);
  checkParts(drafts, linking);
  for (const [entity, { key }] of states)
    if (!drafts.has(entity)) reportUnknownName(linking, key, "entity", entity, drafts.keys());
  return drafts;
};

/** Reports entities with equal addresses or tables. */
const checkPlaces = (drafts: ReadonlyMap<string, EntityDraft>, linking: Linking): void => {
  const seen = new Map<string, EntityDraft>();
  for (const draft of drafts.values())
    for (const place of [`/${draft.path}`, draft.table]) {
      const other = seen.get(place);
      if (other !== undefined && other !== draft)
        linking.report(
          finding(
            "NAME_TWICE",
            draft.clause.span,
            `${draft.name} and ${other.name} have the same address: ${place}.`,
            place.startsWith("/") ? "Give one of them another “path:”." : "Rename one of them.",
          ),
        );
      seen.set(place, draft);
    }
};

/** `list: Comment.request` requires a reference of that name to this entity. */
const checkOtherSides = (drafts: ReadonlyMap<string, EntityDraft>, linking: Linking): void => {
  for (const draft of drafts.values())
    for (const { shape, syntax } of draft.fields.values()) {
      if (shape.inverse === undefined || syntax?.list === undefined) continue;
      const { entity, by } = shape.inverse;
      const other = drafts.get(entity);
      const field = other?.fields.get(by);
      if (other === undefined) reportUnknownName(linking, syntax.list.span, "entity", entity, drafts.keys());
      else if (field === undefined)
        reportUnknownName(linking, syntax.list.span, `field of ${entity}`, by, other.fields.keys());
      else if (field.entity !== draft.name)
        linking.report(
          finding(
            "TYPES_DIFFER",
            syntax.list.span,
            `${entity}.${by} does not refer to ${draft.name}.`,
            `Name a field of ${entity} whose type is ${draft.name}.`,
          ),
        );
    }
};

/**
 * Reports entities that are part of themselves: such a record could never be created, and its deletion would not end.
 */
const checkParts = (drafts: ReadonlyMap<string, EntityDraft>, linking: Linking): void => {
  const parentsOf = (entity: string) =>
    [...(drafts.get(entity)?.fields.values() ?? [])].filter((field) => field.syntax?.["part of"]?.value === true);
  const leadsTo = (from: string, to: string, seen: ReadonlySet<string> = new Set()): boolean =>
    from === to ||
    (!seen.has(from) && parentsOf(from).some((draft) => leadsTo(draft.entity ?? "", to, new Set([...seen, from]))));
  for (const draft of drafts.values())
    for (const { name, entity, syntax } of parentsOf(draft.name))
      if (entity !== null && syntax?.["part of"] !== undefined && leadsTo(entity, draft.name))
        linking.report(
          finding(
            "CYCLE",
            syntax["part of"].span,
            `Through ${name}, a record of ${draft.name} would be part of itself.`,
            "Remove “part of” from one of them.",
            { clause: `3.${draft.name}.${name}` },
          ),
        );
};

/** An entity that the document declares. It need not declare the built-in User. */
interface EntityEntry {
  readonly name: string;
  readonly key: Span;
  readonly syntax: EntitySyntax | undefined;
  readonly served: boolean;
}

const createDraft = (
  { name, key, syntax, served }: EntityEntry,
  names: ReadonlySet<string>,
  states: StateNames,
  linking: Linking,
): EntityDraft => {
  const clause = clauseAt(`3.${name}`, key);
  const fields = new Map<string, FieldDraft>();
  if (name === "User") for (const field of userFields) fields.set(field.name, field);
  for (const field of syntax?.fields ?? []) {
    if (isReservedField(field.name))
      linking.report(
        finding(
          "RESERVED_NAME",
          field.key,
          `“${field.name}” is a word of the language, so a field can’t have this name.`,
          "Choose another name.",
        ),
      );
    // Declares the field nevertheless, so that its uses are not reported as well.
    if (fields.has(field.name) || (name === "User" && userColumns.includes(field.name)))
      linking.report(
        finding(
          "NAME_TWICE",
          field.key,
          `${name} already has a built-in field ${field.name}.`,
          "Remove this field, or choose another name.",
        ),
      );
    else if (field.name === KEY && syntax?.records !== undefined)
      linking.report(
        finding(
          "NAME_TWICE",
          field.key,
          `${name} has seed records, and “${KEY}” is their name in the specification.`,
          "Choose another name.",
        ),
      );
    else {
      const draft = declareField(name, field, names, linking);
      if (draft !== undefined) fields.set(field.name, draft);
    }
  }
  const state = states.get(name);
  if (state !== undefined && fields.has(state.field))
    linking.report(
      finding(
        "NAME_TWICE",
        state.key,
        `${name} already has a field ${state.field}, so its state can’t have the same name.`,
        "Remove the field, or choose another name with “field:”.",
      ),
    );
  const path = syntax?.path?.value ?? toPathName(name);
  if (!/^[a-z0-9][a-z0-9-]*$/u.test(path))
    linking.report(
      finding(
        "BAD_VALUE",
        syntax?.path?.span ?? key,
        `“${path}” can’t be part of an address.`,
        "Write lower-case letters, digits and hyphens.",
      ),
    );
  if (name === "User" && syntax?.keys.records !== undefined)
    linking.report(
      finding(
        "BAD_VALUE",
        syntax.keys.records,
        "A specification can’t contain people: administrators create them.",
        "Remove “records”.",
        { clause: clause.id },
      ),
    );
  return {
    name,
    clause,
    table: toTableName(name),
    path,
    served,
    because:
      syntax?.["rows of"] === undefined
        ? null
        : new Set(syntax["rows of"].map(({ value }) => value.text).filter((text) => names.has(text))),
    syntax,
    fields,
    acts: declareActs(name, state?.acts ?? [], { fields, state: state?.field }, names, linking),
    state:
      state === undefined ? null : { field: state.field, names: state.names, clause: clauseAt(`4.${name}`, state.key) },
  };
};

/** The entities as expressions see them, including fields without a column. */
export const buildEntityShapes = (drafts: ReadonlyMap<string, EntityDraft>): ReadonlyMap<string, EntityShape> =>
  new Map([...drafts.values()].map((draft) => [draft.name, getShape(draft)]));

const getShape = (draft: EntityDraft): EntityShape => {
  const fields = new Map<string, FieldShape>(
    [...systemFields, ...(draft.name === "User" ? userShapes : [])].map((field) => [field.name, field]),
  );
  for (const fieldDraft of draft.fields.values()) fields.set(fieldDraft.name, fieldDraft.shape);
  if (keepsRecords(draft)) fields.set(KEY, { name: KEY, type: { kind: "text" }, optional: true, column: KEY });
  if (draft.state !== null) {
    const { field, names } = draft.state;
    fields.set(field, {
      name: field,
      type: { kind: "choice", of: `${draft.name}.${field}`, values: names },
      optional: false,
      column: field,
    });
  }
  return {
    name: draft.name,
    table: draft.table,
    fields,
    ...(draft.acts.size === 0
      ? {}
      : {
          acts: new Map(
            [...draft.acts].map(
              ([
                name,
                {
                  draft: { shape },
                  transitions,
                },
              ]) => [name, { shape, transitions }],
            ),
          ),
        }),
    ...(draft.because === null ? {} : { because: draft.because }),
  };
};

/** The references of each part to its parents. */
export const findParentReferences = (
  drafts: ReadonlyMap<string, EntityDraft>,
): ReadonlyMap<string, readonly { readonly reference: string; readonly parent: string }[]> =>
  new Map(
    [...drafts.values()].map((draft) => [
      draft.name,
      [...draft.fields.values()].flatMap(({ name, entity, syntax }) =>
        entity !== null && syntax?.["part of"]?.value === true ? [{ reference: name, parent: entity }] : [],
      ),
    ]),
  );

const keepsRecords = ({ syntax, because }: EntityDraft): boolean => because === null && syntax?.records !== undefined;

export interface LinkedEntity {
  readonly name: string;
  readonly clause: Clause;
  readonly label: Template;
  /** The singular and plural of the entity's name in running text. */
  readonly called: Entity["called"];
  readonly records: ReadonlyMap<string, SeedRecordDefinition>;
  /** The executable fields. */
  readonly fields: ReadonlyMap<string, Field>;
  readonly rows: RowsOf | null;
  /** All field names, including fields that are not executable: the names that clauses can use. */
  readonly named: ReadonlySet<string>;
}

export const linkEntities = (
  drafts: ReadonlyMap<string, EntityDraft>,
  transitions: ReadonlyMap<string, ReadonlySet<string>>,
  scope: Scope,
  limits: Limits,
  linking: Linking,
): ReadonlyMap<string, LinkedEntity> => {
  const linked = new Map(
    [...drafts.values()].map((draft) => {
      const own = transitions.get(draft.name) ?? new Set<string>();
      const link = (linking: Linking) => linkEntity(draft, drafts, own, scope, limits, linking);
      // The rows of other entities decide on derived rows.
      return [draft.name, draft.because === null ? linkOnce(linking, draft, [own], link) : link(linking)];
    }),
  );
  checkLabels(linked, linking);
  return linked;
};

const linkEntity = (
  draft: EntityDraft,
  drafts: ReadonlyMap<string, EntityDraft>,
  transitions: ReadonlySet<string>,
  scope: Scope,
  limits: Limits,
  linking: Linking,
): LinkedEntity => {
  const fields = new Map<string, Field>();
  const around = { entity: draft.name, drafts: draft.fields, transitions, scope, limits };
  for (const fieldDraft of draft.fields.values()) {
    const field = linkField(fieldDraft, around, linking);
    if (field !== null) fields.set(fieldDraft.name, field);
  }
  for (const [name, act] of draft.acts) {
    const given = { ...around, scope: { ...scope, during: act.transitions } };
    const field = linkField(act.draft, given, linking);
    if (field !== null) fields.set(name, { ...field, storage: { as: "act" } });
  }
  if (draft.state !== null) fields.set(draft.state.field, stateField(draft.name, draft.state));
  if (keepsRecords(draft)) fields.set(KEY, keyField(draft.clause));
  const rows = linkRows(draft, drafts, scope, linking);
  const named = new Set(
    [...(scope.entities.get(draft.name)?.fields.keys() ?? [])].filter(
      (name) => !systemFields.some((field) => field.name === name),
    ),
  );
  const records = linkRecords({ name: draft.name, fields }, keepsRecords(draft) ? draft.syntax?.records : undefined, {
    names: scope.names ?? new Map(),
    linking,
  });
  return {
    name: draft.name,
    clause: draft.clause,
    fields,
    rows,
    named,
    records,
    called: getEntityWords(draft),
    label: linkLabel(draft, { ...scope, entity: draft.name, user: false }, linking),
  };
};

const getEntityWords = ({ name, syntax }: EntityDraft): Entity["called"] =>
  syntax?.title ?? { one: entityWords(name), many: pluralize(entityWords(name)) };

/** The default label is the first text field, or else the entity's title. */
const linkLabel = (draft: EntityDraft, scope: Scope, linking: Linking): Template => {
  if (draft.syntax?.label !== undefined) return linkTemplate(draft.syntax.label, scope, linking, draft.clause.id);
  const first = [...draft.fields.values()].find(
    ({ stored, shape }) => stored === "text" && shape.computed !== true && shape.type.kind === "text",
  );
  return readTemplate(
    first === undefined ? toTitle(getEntityWords(draft).one) : `{${first.name}}`,
    draft.clause.span,
    scope,
  ).value;
};

/** Resolves a field that a clause names; undefined if it does not exist or is not executable. */
export const resolveField = (
  linked: LinkedEntity,
  name: { readonly value: string; readonly span: Span },
  linking: Linking,
  /** `acts`: the clause can also name a value that a transition asks for. */
  { acts = false }: { readonly acts?: boolean } = {},
): Field | undefined => {
  const entity = linked.name;
  const found = linked.fields.get(name.value);
  const field = found !== undefined && isActValue(found) && !acts ? undefined : found;
  linking.mentions.push({ of: "field", entity, name: name.value, span: name.span });
  if (field === undefined && entity === "User" && name.value === "roles")
    linking.report(
      finding(
        "BAD_VALUE",
        name.span,
        "The roles of people are not part of records, so no screen and no call shows them.",
        "Remove it. Administrators see roles on the People page, and expressions can read user.roles.",
      ),
    );
  else if (field === undefined && found !== undefined)
    linking.report(
      finding(
        "BAD_VALUE",
        name.span,
        `${name.value} is a value that only a transition of ${entity} asks for: the record does not keep it.`,
        "Remove it here, or make it a field in point 3 and name it in “asks”.",
        { clause: found.clause.id },
      ),
    );
  else if (field === undefined && !linked.named.has(name.value))
    reportUnknownName(linking, name.span, `field of ${entity}`, name.value, linked.named);
  return field;
};

export const silentEntities = (syntax: EntitiesSyntax | undefined): readonly DefaultCode[] => {
  if (syntax === undefined) return ["NO_ENTITIES", "NO_FIELDS"];
  return syntax !== "none" && syntax.some((entry) => entry.value.label === undefined && entry.name !== "User")
    ? ["LABEL_FIRST_TEXT"]
    : [];
};
