import {
  expression,
  flag,
  later,
  list,
  type Named,
  name,
  named,
  optional,
  orNone,
  type Read,
  record,
  text,
} from "../document/shape.ts";
import type { Scalar } from "../document/tree.ts";
import type { FieldKind, FieldSpec } from "../field/kind.ts";
import { kinds } from "../field/kinds.ts";
import { finding } from "../findings.ts";
import type { DefaultCode } from "../model/defaults.ts";
import type { Clause, Field, Limits } from "../model/model.ts";
import { pluralOf, titleOf, wordsOf } from "../model/words.ts";
import type { Expr } from "../rule/expr.ts";
import { readTemplate, type Template } from "../rule/template.ts";
import type { EntityShape, FieldShape, Scope, Type } from "../rule/type.ts";
import { nearest, type Span } from "../text.ts";
import type { FieldTypeName } from "../wire.ts";
import { clauseAt, type Linking, linkExpression, unknownName } from "./linking.ts";

/** Point 3: entities and their fields. */
const field = record(
  "a field",
  {
    type: optional(text),
    title: optional(text),
    help: optional(text),
    unit: optional(text),
    examples: optional(list(text)),
    values: optional(list(name("field"))),
    min: optional(text),
    max: optional(text),
    unique: optional(flag),
    once: optional(flag),
    default: optional(expression),
    set: optional(expression),
    many: later,
    computed: later,
    kept: later,
    list: later,
    "part of": later,
    among: later,
    required: later,
    pattern: later,
    currency: later,
    missing: later,
    was: later,
    source: optional(text),
    basis: optional(text),
  },
  "type",
);

const entity = record("an entity", {
  label: optional(expression),
  title: optional(text),
  path: optional(text),
  fields: optional(named("field", field)),
  "rows of": later,
  where: later,
  records: later,
  tree: later,
  was: later,
  source: optional(text),
  basis: optional(text),
});

export const entitiesShape = orNone(named("entity", entity));

export type EntitiesSyntax = Read<typeof entitiesShape>;
type EntitySyntax = Read<typeof entity>;
type FieldSyntax = Read<typeof field>;

/** Types of the language that no layer stores yet. */
const laterTypes = ["rich text", "money", "time", "duration", "file", "image", "json", "sequence", "slug", "position"];
const types: readonly string[] = Object.keys(kinds).filter((type) => type !== "reference" && type !== "state");

/** What every record has. No field of the author's may bear these names. */
const systemFields: readonly FieldShape[] = [
  { name: "id", type: { kind: "text" }, optional: false, column: "id" },
  { name: "version", type: { kind: "integer" }, optional: false, column: "version" },
  { name: "created_at", type: { kind: "datetime" }, optional: false, column: "created_at" },
  { name: "updated_at", type: { kind: "datetime" }, optional: false, column: "updated_at" },
];
const reserved = new Set([
  "user",
  "this",
  "input",
  "old",
  "limits",
  "now",
  "today",
  "may",
  "system",
  "true",
  "false",
  "null",
  "in",
  ...systemFields.map((one) => one.name),
]);

/** An entity whose names are known and whose expressions are not read yet. */
export interface EntityDraft {
  readonly name: string;
  readonly clause: Clause;
  readonly table: string;
  readonly path: string;
  readonly served: boolean;
  readonly syntax: EntitySyntax | undefined;
  readonly fields: ReadonlyMap<string, FieldDraft>;
  /** The field that holds the state, where the entity has states. */
  readonly state: { readonly field: string; readonly names: readonly string[]; readonly clause: Clause } | null;
}

interface FieldDraft {
  readonly name: string;
  readonly clause: Clause;
  readonly type: FieldTypeName;
  readonly optional: boolean;
  readonly entity: string | null;
  readonly values: readonly string[];
  readonly syntax: FieldSyntax | undefined;
}

/** Point 4 as far as point 3 needs it: which field of which entity holds which states. */
export type StateNames = ReadonlyMap<
  string,
  { readonly field: string; readonly names: readonly string[]; readonly key: Span }
>;

const tableOf = (entity: string): string => wordsOf(entity).replaceAll(" ", "_");
const pathOf = (entity: string): string => pluralOf(wordsOf(entity)).replaceAll(" ", "-");

const NOWHERE: Span = { file: "", start: 0, end: 0 };

const userFields: readonly FieldDraft[] = (
  [
    ["name", "text"],
    ["email", "email"],
  ] as const
).map(([name, type]) => ({
  name,
  clause: clauseAt(`3.User.${name}`, NOWHERE),
  type,
  optional: false,
  entity: null,
  values: [],
  syntax: undefined,
}));

/** Gathers the names of point 3. `spokenOf` are the entities that point 6 speaks of: it decides whether User is served. */
export const declareEntities = (
  syntax: EntitiesSyntax | undefined,
  states: StateNames,
  spokenOf: ReadonlySet<string>,
  linking: Linking,
): ReadonlyMap<string, EntityDraft> => {
  const said = syntax === undefined || syntax === "none" ? [] : syntax;
  const names = ["User", ...said.map((one) => one.name)];
  const drafts = new Map<string, EntityDraft>();
  const own = said.find((one) => one.name === "User");
  drafts.set(
    "User",
    draftOf("User", own?.key ?? NOWHERE, own?.value, own !== undefined || spokenOf.has("User"), names, states, linking),
  );
  for (const { name, key, value } of said)
    if (name !== "User") drafts.set(name, draftOf(name, key, value, true, names, states, linking));

  const seen = new Map<string, EntityDraft>();
  for (const draft of drafts.values()) {
    const other = seen.get(draft.path);
    if (other !== undefined)
      linking.report(
        finding(
          "NAME_TWICE",
          draft.clause.span,
          `${draft.name} and ${other.name} would both be at /${draft.path}.`,
          "Give one of them a “path:” of its own.",
        ),
      );
    seen.set(draft.path, draft);
  }
  for (const [entity, { key }] of states)
    if (!drafts.has(entity)) unknownName(linking, key, "entity", entity, drafts.keys());
  return drafts;
};

const draftOf = (
  name: string,
  key: Span,
  syntax: EntitySyntax | undefined,
  served: boolean,
  names: readonly string[],
  states: StateNames,
  linking: Linking,
): EntityDraft => {
  const clause = clauseAt(`3.${name}`, key);
  const fields = new Map<string, FieldDraft>(name === "User" ? userFields.map((one) => [one.name, one]) : []);
  for (const one of syntax?.fields ?? []) {
    if (reserved.has(one.name)) {
      linking.report(
        finding(
          "RESERVED_NAME",
          one.key,
          `“${one.name}” belongs to the language; no field can bear it.`,
          "Choose another name.",
        ),
      );
      continue;
    }
    if (fields.has(one.name)) {
      linking.report(
        finding(
          "NAME_TWICE",
          one.key,
          `${name} has the field ${one.name} already.`,
          "It is built in; take it out or choose another name.",
        ),
      );
      continue;
    }
    const draft = fieldDraftOf(name, one, names, linking);
    if (draft !== undefined) fields.set(one.name, draft);
  }
  const state = states.get(name);
  if (state !== undefined && fields.has(state.field))
    linking.report(
      finding(
        "NAME_TWICE",
        state.key,
        `${name} has a field ${state.field}, and its state would bear that name too.`,
        "Take the field out, or name another with “field:”.",
      ),
    );
  const path = syntax?.path?.value ?? pathOf(name);
  if (!/^[a-z0-9][a-z0-9-]*$/u.test(path))
    linking.report(
      finding(
        "BAD_VALUE",
        syntax?.path?.span ?? key,
        `“${path}” cannot stand in an address.`,
        "Write lower case letters, digits and hyphens.",
      ),
    );
  return {
    name,
    clause,
    table: tableOf(name),
    path,
    served,
    syntax,
    fields,
    state:
      state === undefined ? null : { field: state.field, names: state.names, clause: clauseAt(`4.${name}`, state.key) },
  };
};

const fieldDraftOf = (
  entity: string,
  { name, key, value }: Named<FieldSyntax>,
  names: readonly string[],
  linking: Linking,
): FieldDraft | undefined => {
  const clause = clauseAt(`3.${entity}.${name}`, key);
  // A key of a later release says what the field is; NOT_EXECUTED was reported there, and the field has no column.
  if (["many", "computed", "kept", "list", "part of"].some((word) => word in value.keys)) return undefined;
  if (value.type === undefined) {
    if (!("type" in value.keys))
      linking.report(
        finding(
          "MISSING_KEY",
          key,
          `The field ${name} has no type.`,
          "Write its type: text, integer, date, choice, an entity's name, …",
        ),
      );
    return undefined;
  }
  const optional = value.type.value.endsWith("?");
  const type = value.type.value.replace(/\?$/u, "").trim();
  const draft = {
    name,
    clause,
    optional,
    entity: null,
    values: (value.values ?? []).map((one) => one.value),
    syntax: value,
  };
  if (laterTypes.includes(type)) {
    linking.report(
      finding(
        "NOT_EXECUTED",
        value.type.span,
        `The type “${type}” is understood but has no effect in this release: ${name} has no column.`,
        "Use another type for now, or do without the field.",
        { clause: clause.id },
      ),
    );
    return undefined;
  }
  if (names.includes(type)) return { ...draft, type: "reference", entity: type };
  if (!types.includes(type)) {
    const near = nearest(type, [...types, ...laterTypes, ...names]);
    linking.report(
      finding(
        "UNKNOWN_NAME",
        value.type.span,
        `There is no type or entity “${type}”.`,
        near === undefined
          ? `The types are ${[...types, ...laterTypes].join(", ")}, and the entities' names.`
          : `Did you mean “${near}”?`,
        near === undefined
          ? {}
          : { nearest: near, fix: [{ span: value.type.span, text: near + (optional ? "?" : "") }] },
      ),
    );
    return undefined;
  }
  if (type === "choice" && draft.values.length === 0)
    linking.report(
      finding("MISSING_KEY", value.span, `The choice ${name} has no values.`, "Add “values: [one, other]”."),
    );
  return { ...draft, type: type as FieldTypeName };
};

const specOf = (entity: string, draft: FieldDraft): FieldSpec => ({
  name: draft.name,
  of: `${entity}.${draft.name}`,
  values: draft.values,
  entity: draft.entity,
  min: null,
  max: null,
});

const ruleTypeOf = (entity: string, draft: FieldDraft): Type => {
  const kind: FieldKind = kinds[draft.type];
  return kind.type(specOf(entity, draft));
};

/** The entities as expressions see them. */
export const shapesOf = (drafts: ReadonlyMap<string, EntityDraft>): ReadonlyMap<string, EntityShape> =>
  new Map(
    [...drafts.values()].map((draft) => {
      const fields = new Map<string, FieldShape>(systemFields.map((one) => [one.name, one]));
      for (const one of draft.fields.values())
        fields.set(one.name, {
          name: one.name,
          type: ruleTypeOf(draft.name, one),
          optional: one.optional && one.type !== "boolean",
          column: one.name,
        });
      if (draft.state !== null)
        fields.set(draft.state.field, {
          name: draft.state.field,
          type: { kind: "choice", of: `${draft.name}.${draft.state.field}`, values: draft.state.names },
          optional: false,
          column: draft.state.field,
        });
      return [draft.name, { name: draft.name, table: draft.table, fields }];
    }),
  );

export interface LinkedEntity {
  readonly label: Template;
  readonly fields: ReadonlyMap<string, Field>;
}

export const linkEntities = (
  drafts: ReadonlyMap<string, EntityDraft>,
  scope: Scope,
  limits: Limits,
  linking: Linking,
): ReadonlyMap<string, LinkedEntity> =>
  new Map(
    [...drafts.values()].map((draft) => {
      const fields = new Map<string, Field>();
      for (const one of draft.fields.values()) fields.set(one.name, linkField(draft, one, scope, limits, linking));
      if (draft.state !== null) fields.set(draft.state.field, stateField(draft, draft.state));
      return [draft.name, { fields, label: linkLabel(draft, { ...scope, entity: draft.name, user: false }, linking) }];
    }),
  );

const stateField = (draft: EntityDraft, state: NonNullable<EntityDraft["state"]>): Field => ({
  ...plainField,
  name: state.field,
  clause: state.clause,
  title: titleOf(state.field),
  type: "state",
  ruleType: { kind: "choice", of: `${draft.name}.${state.field}`, values: state.names },
  values: state.names,
});

const plainField = {
  optional: false,
  unique: false,
  once: false,
  set: null,
  default: null,
  entity: null,
  min: null,
  max: null,
  unit: null,
  help: null,
  examples: [],
} as const;

const linkField = (entity: EntityDraft, draft: FieldDraft, scope: Scope, limits: Limits, linking: Linking): Field => {
  const { syntax } = draft;
  const ruleType = ruleTypeOf(entity.name, draft);
  // When a record is made there is no record yet to read: `set` and `default` see the person, the day and the constants.
  const atCreation = (at: Scalar | undefined): Expr | null =>
    at === undefined ? null : (linkExpression(at, scope, ruleType, linking) ?? null);
  const bound = (said: { readonly value: string; readonly span: Span } | undefined): string | null => {
    if (said === undefined) return null;
    const named = /^(?:limits\.)?([a-z][a-z0-9_]*)$/u.exec(said.value)?.[1];
    const limit = named === undefined ? undefined : limits.all.get(named);
    if (limit !== undefined) {
      linking.limitsRead.add(limit.name);
      return limit.value;
    }
    if (/^-?\d+(\.\d+)?$/u.test(said.value) || /^\d{4}-\d{2}-\d{2}$/u.test(said.value)) return said.value;
    linking.report(
      finding(
        "BAD_VALUE",
        said.span,
        `“${said.value}” is not a bound.`,
        "Write a number, a date or the name of a constant of point 9.",
        { clause: draft.clause.id },
      ),
    );
    return null;
  };
  return {
    ...plainField,
    name: draft.name,
    clause: draft.clause,
    title: syntax?.title?.value ?? titleOf(draft.name),
    type: draft.type,
    ruleType,
    optional: draft.optional,
    unique: syntax?.unique?.value ?? (entity.name === "User" && draft.name === "email"),
    once: syntax?.once?.value ?? false,
    set: atCreation(syntax?.set),
    default: atCreation(syntax?.default),
    values: draft.values,
    entity: draft.entity,
    min: bound(syntax?.min),
    max: bound(syntax?.max),
    unit: syntax?.unit?.value ?? null,
    help: syntax?.help?.value ?? null,
    examples: (syntax?.examples ?? []).map((one) => one.value),
  };
};

/** Without a label, a record is called by its first line of text; without one, by its entity's name. */
const linkLabel = (draft: EntityDraft, scope: Scope, linking: Linking): Template => {
  const said = draft.syntax?.label;
  const first = [...draft.fields.values()].find((one) => one.type === "text");
  const written = said?.text ?? (first === undefined ? titleOf(wordsOf(draft.name)) : `{${first.name}}`);
  const span = said === undefined ? draft.clause.span : { ...said.span, start: said.locate(0) };
  const { value, findings } = readTemplate(written, span, scope);
  for (const one of findings) linking.report(one);
  return value;
};

export const silentEntities = (syntax: EntitiesSyntax | undefined): readonly DefaultCode[] => {
  if (syntax === undefined) return ["NO_ENTITIES", "NO_FIELDS"];
  return syntax !== "none" && syntax.some((one) => one.value.label === undefined && one.name !== "User")
    ? ["LABEL_FIRST_TEXT"]
    : [];
};
