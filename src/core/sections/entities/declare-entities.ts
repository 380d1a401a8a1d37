import { KEY } from "../../expression/values/seed-record.ts";
import type { EntityShape, FieldShape } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import { toPathName, toTableName } from "../../model/inflection.ts";
import type { Span } from "../../source-text.ts";
import { clauseAt, type Linking, reportUnknownName } from "../linking/link-context.ts";
import { type DeclaredAct, declareActs } from "./act-values.ts";
import { withSources } from "./derived-rows.ts";
import type { EntitiesSyntax, EntitySyntax } from "./entities-syntax.ts";
import { type EntityDraft, hasSeedRecords } from "./entity-draft.ts";
import { builtInField, declareField, type FieldDraft } from "./field-drafts.ts";
import { isReservedField, systemFields } from "./reserved-names.ts";

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

/** The part of point 4 that point 3 needs: the state field of each entity, its states, and the values of its acts. */
export type StateNames = ReadonlyMap<
  string,
  {
    readonly field: string;
    /** The label of the field, unless it is its name in words. */
    readonly title: string | undefined;
    readonly names: readonly string[];
    readonly acts: readonly DeclaredAct[];
    readonly key: Span;
  }
>;

const NOWHERE: Span = { file: "", start: 0, end: 0 };

/** Declares the entities of point 3. `mentioned`: the entities that point 6 names; User is served if it is one of them. */
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
      state === undefined
        ? null
        : { field: state.field, title: state.title, names: state.names, clause: clauseAt(`4.${name}`, state.key) },
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
  if (hasSeedRecords(draft)) fields.set(KEY, { name: KEY, type: { kind: "text" }, optional: true, column: KEY });
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
