import { type Expr, subexpressions } from "../../expression/expr.ts";
import { collectReadSet, type RecordRead } from "../../expression/inspect/read-set.ts";
import { serializeExpr } from "../../expression/rewrite/serialize.ts";
import { isSequence } from "../../field/sequence.ts";
import type { Entity } from "../../model/entity.ts";
import { findPartLists } from "../../model/facts/parts.ts";
import { computedExpr, type Field, isActValue } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import type { Json } from "../../wire/json.ts";
import { knowableFields, type Principal, readableFieldsFor, writableFieldsFor } from "../authorization/grants.ts";
import { findWholeReaders, isReader } from "../authorization/whole-readers.ts";

/** Data that a form has beside the record and its parts. */
interface FormData {
  /** The record before the change. */
  readonly old?: true;
  /** All records of entities that the person can read completely. */
  readonly rows?: true;
  /** The records that are chosen in the form, as the person reads them. */
  readonly references?: true;
  /** The person, as a record without its fields. */
  readonly user?: true;
}

/**
 * The serialized expression of a computed field that a form can evaluate: it reads only fields of the record and its
 * parts that the caller can know, fields of the records that it refers to that the caller can read, and all records of
 * entities that the caller can read completely. Expressions on the user or hidden fields stay on the server.
 */
export const serializeFormExpression = (
  model: Model,
  entity: Entity,
  field: Field,
  person: Principal,
): { readonly reckoned: Json; readonly rows: readonly string[] } | undefined => {
  const from = computedExpr(field);
  if (from === null || !isReckoned(model, entity, field, person, { rows: true, references: true })) return undefined;
  return { reckoned: serializeExpr(from), rows: [...collectWholeReads(model, entity, from)] };
};

/** True if a form has the value of a computed field without loading any records. */
const isComputedInForm = (model: Model, entity: Entity, field: Field, person: Principal): boolean =>
  computedExpr(field) !== null && isReckoned(model, entity, field, person, {});

const isReckoned = (model: Model, entity: Entity, field: Field, person: Principal, has: FormData): boolean => {
  // A form has the values that it asks for.
  if (isActValue(field)) return writableFieldsFor(model, entity, person).has(field.name);
  if (!knowableFields(model, entity, person).has(field.name)) return false;
  const from = computedExpr(field);
  if (from === null) return field.storage.as === "column" && field.type !== "state" && !isSequence(field.type);
  return isEvaluableInForm(model, entity, from, person, has);
};

/** True if a form of the entity has all data that the expression reads, and the caller can know it. */
export const isEvaluableInForm = (
  model: Model,
  entity: Entity,
  from: Expr,
  person: Principal,
  has: FormData = {},
): boolean => {
  const { paths, fields, user, old, names, recordReads } = collectReadSet(from);
  if (user && (has.user === undefined || readsOfUser(from))) return false;
  if ((old && has.old === undefined) || names.size > 0) return false;
  const isReference = (path: string): boolean =>
    has.references === true && findReferences(model, entity, path, person) !== undefined;
  if (![...paths].every((path) => !path.includes(".") || isReference(path))) return false;
  const lists = findPartLists(model, entity);
  // Computed fields that read the person are not sent.
  const { user: _, ...ofFields } = has;
  const reckons = (of: Entity, name: string): boolean => {
    const field = of.fields.get(name);
    return field !== undefined && isReckoned(model, of, field, person, ofFields);
  };
  return (
    [...fields].every((name) => lists.some(({ list }) => list.name === name) || reckons(entity, name)) &&
    recordReads.every((read) => {
      if (has.rows === true && isWholeRead(read)) return readsCompletely(model, read, person);
      if (read.by === "id" && read.key !== undefined && read.key !== "")
        return [...read.fields].every((name) =>
          [...paths].some((path) => `${path}.`.startsWith(`${read.key}.${name}.`)),
        );
      const list = findReadParts(lists, read);
      return list !== undefined && [...read.fields].every((item) => item === read.by || reckons(list.entity, item));
    })
  );
};

/** True if the expression reads a field of the person. */
const readsOfUser = (expr: Expr): boolean =>
  (expr.kind === "field" && expr.of.kind === "user") || subexpressions(expr).some(readsOfUser);

/**
 * The references on a path, whose records a form has to load: `["person", "person.department"]`. Undefined if it reads
 * something that the caller cannot know.
 */
export const findReferences = (
  model: Model,
  entity: Entity,
  path: string,
  person: Principal,
): readonly string[] | undefined => {
  const references: string[] = [];
  let at: Entity | undefined = entity;
  const steps = path.split(".");
  for (const [i, name] of steps.entries()) {
    const field: Field | undefined = at?.fields.get(name);
    const isLast = i === steps.length - 1;
    if (at === undefined || field === undefined) return undefined;
    // Values of the record itself are entered; those of other records are read.
    const known = i === 0 ? knowableFields(model, at, person) : readableFieldsFor(model, at.name, person);
    const isAsked = i === 0 && isActValue(field) && writableFieldsFor(model, at, person).has(name);
    if (!known.has(name) && !isAsked) return undefined;
    // Computed values of the record itself are known only if the form computes them.
    if (i === 0 && "from" in field.storage && !isComputedInForm(model, at, field, person)) return undefined;
    if (field.storage.as === "inverse" || (!isLast && (field.type !== "reference" || field.many))) return undefined;
    if (!isLast) references.push(steps.slice(0, i + 1).join("."));
    at = model.entities.get(field.entity ?? "");
  }
  return references;
};

type PartLists = ReturnType<typeof findPartLists>;

const findReadParts = (lists: PartLists, { entity, by, key }: RecordRead): PartLists[number] | undefined =>
  lists.find((list) => list.entity.name === entity && list.field.name === by && key === "");

const isWholeRead = ({ by }: RecordRead): boolean => by === undefined;

/** True if the person can read these fields of all records, by the calls of the entity. */
const readsCompletely = (model: Model, { entity: name, fields }: RecordRead, person: Principal): boolean => {
  const entity = model.entities.get(name);
  return (
    entity?.served === true &&
    [...fields].every((item) => entity.fields.has(item) && entity.fields.get(item)?.storage.as !== "inverse") &&
    [...fields, ...(fields.size === 0 ? ["id"] : [])].every((item) =>
      isReader(findWholeReaders(model, name, item), person),
    )
  );
};

/** The entities whose records the expression reads, also by computed fields that it reads. */
const collectWholeReads = (model: Model, entity: Entity, from: Expr, seen = new Set<Expr>()): ReadonlySet<string> => {
  if (seen.has(from)) return new Set();
  seen.add(from);
  const { fields, recordReads } = collectReadSet(from);
  const lists = findPartLists(model, entity);
  const through = (of: Entity, name: string): readonly string[] => {
    const field = of.fields.get(name);
    const expr = field === undefined ? null : computedExpr(field);
    return expr === null ? [] : [...collectWholeReads(model, of, expr, seen)];
  };
  return new Set([
    ...[...fields].flatMap((name) => through(entity, name)),
    ...recordReads.flatMap((read) => {
      if (isWholeRead(read)) return [read.entity];
      const list = findReadParts(lists, read);
      return list === undefined ? [] : [...read.fields].flatMap((name) => through(list.entity, name));
    }),
  ]);
};
