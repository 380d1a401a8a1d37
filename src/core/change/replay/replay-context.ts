import { type Grant, isAutomatic, isGenerated, type Principal } from "../../derive/authorization/grants.ts";
import type { AffectedRule } from "../../derive/consistency/read-sets.ts";
import type { Expr } from "../../expression/expr.ts";
import { dateAt, type Zone } from "../../expression/values/calendar.ts";
import { type JsEnv, type JsRecord, nobody, noRecord, type Value } from "../../expression/values/value.ts";
import type { Entity, Transition } from "../../model/entity.ts";
import { type Field, isActValue, isPlainColumn } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import type { Action } from "../../model/permissions.ts";
import { STANDS_IN } from "../../model/permissions.ts";
import type { Json } from "../../wire/json.ts";
import { toMeaningKey } from "../meaning.ts";
import type { Act } from "./act.ts";
import type { AuditLine } from "./audit-line.ts";
import type { Checks } from "./check-results.ts";
import { compileEvaluator, missingValue, type PastRecords, toValue } from "./past-records.ts";
import { NotKnown, type PastWorld } from "./past-world.ts";

/** One version of the document, applied to the past. */
export interface ReplayContext {
  readonly world: PastWorld;
  readonly model: Model;
  /** The live version, whose values the world contains. */
  readonly stored: Model;
  /**
   * The version with which uniqueness is compared: a rule that this version has too held when the act was written. Null
   * for the live version itself.
   */
  readonly base: Model | null;
  readonly records: PastRecords;
  readonly zone: Zone;
  /**
   * Affected rules by entity and changed fields. Cached, because a document has many rules and many acts change the
   * same fields.
   */
  readonly affected: Map<string, readonly AffectedRule[]>;
}

/** The checks of one version on an act, with the values of its time. */
export interface ActChecks {
  readonly context: ReplayContext;
  readonly checks: Checks;
  readonly env: () => JsEnv;
}

/** The checks on a line of the act. */
export interface LineChecks extends ActChecks {
  readonly entity: Entity;
  readonly line: AuditLine;
}

/** The person of an act, with the roles of those whom they represented then. */
export const getPrincipal = (context: ReplayContext, { person: id, at }: Pick<Act, "at" | "person">): Principal => {
  if (id === null) return { id, granted: new Set() };
  const person = context.world.find("User", id);
  if (person === undefined) throw new NotKnown("person");
  const roles = person.values.roles;
  const own = Array.isArray(roles) ? roles.map(String) : [];
  return { id, granted: new Set([...own, ...getDeputyRoles(context, { person: id, at })]) };
};

const getDeputyRoles = (
  context: ReplayContext,
  act: { readonly person: string; readonly at: Act["at"] },
): readonly string[] => {
  if (context.model.deputies === null) return [];
  const record = context.records.find("User", act.person) ?? nobody;
  const represents = (people: Expr | undefined): boolean => {
    const found = people === undefined ? [] : compileEvaluator(people)(record, envAt(context, act));
    return Array.isArray(found) && found.length > 0;
  };
  const roles = [...context.model.roles.values()].filter(({ represented }) => represents(represented));
  return [STANDS_IN, ...roles.map(({ name }) => name)];
};

export const envAt = (
  context: ReplayContext,
  { at, person }: Pick<Act, "at" | "person">,
  old?: JsRecord | null,
): JsEnv =>
  context.records.at({
    now: at,
    today: dateAt(at, context.zone) ?? "",
    user: person === null ? nobody : (context.records.find("User", person) ?? nobody),
    ...(old === undefined ? {} : { old }),
  });

export const conditionIsTrue = (condition: Expr, record: JsRecord, env: JsEnv): boolean =>
  compileEvaluator(condition)(record, env) === true;

export const isCovered = (grants: readonly Grant[], record: JsRecord, env: JsEnv): boolean =>
  grants.some(({ conditions }) => conditions.every((condition) => conditionIsTrue(condition, record, env)));

export const toKey = (...parts: readonly unknown[]): string => parts.map(toMeaningKey).join(" ");

export const grantsKey = (grants: readonly Grant[]): string =>
  toKey(grants.map(({ conditions, fields }) => ({ conditions, fields })));

const createdRecord = (context: ReplayContext, entity: Entity, id: string): JsRecord => {
  const found = context.world.find(entity.name, id);
  return found === undefined ? noRecord : context.records.of(entity.name, found);
};

/** The values of fields that a person entered in a line. */
export const listWrittenFields = (
  context: ReplayContext,
  entity: Entity,
  { action, changes, record }: AuditLine,
  env: JsEnv,
): readonly Field[] =>
  Object.keys(changes).flatMap((name) => {
    const field = entity.fields.get(name);
    if (field === undefined) return [];
    if (isActValue(field)) return [field];
    if (!isPlainColumn(field) || isAutomatic(entity, name) || isGenerated(field)) return [];
    if (action !== "create") return [field];
    return isInitial(context, entity, field, { after: changes[name]?.[1] ?? null, record, env }) ? [] : [field];
  });

/** True for a value that a field of a new record has if none is entered: its default, or nothing. */
const isInitial = (
  context: ReplayContext,
  entity: Entity,
  field: Field,
  { after, record, env }: { readonly after: Json; readonly record: string; readonly env: JsEnv },
): boolean => {
  try {
    const initial =
      field.default === null
        ? missingValue(field.ruleType)
        : compileEvaluator(field.default)(createdRecord(context, entity, record), env);
    return toComparableText(initial) === toComparableText(enteredValue(after, field, context.records));
  } catch (error) {
    // A value of a former type was entered, as far as is known.
    if (error instanceof NotKnown) return false;
    throw error;
  }
};

export const findTransition = (entity: Entity, { action }: Pick<AuditLine, "action">): Transition | undefined =>
  entity.states?.transitions.get(action);

export const isWrite = (action: string): action is Exclude<Action, "read"> =>
  action === "create" || action === "update" || action === "delete";

/** The key of checks of a record that is not known. */
export const RECORD_KEY = "record";

/** The key of checks that need a person whose record is not known. */
export const PERSON_KEY = "person";

export const isMissingValue = (json: Json): boolean =>
  json === null || json === "" || (Array.isArray(json) && json.length === 0);

/** Throws `NotKnown` for a value of a former type. */
export const enteredValue = (json: Json, field: Field, records: PastRecords): Value => {
  if (json === null) return null;
  if (field.ruleType.kind === "record") return { id: String(json) };
  return toValue(json, field, records);
};

/** Equal for equal values; empty for missing ones. */
export const toComparableText = (value: Value): string => {
  if (value === null) return "";
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return `[${value.map(toComparableText).join()}]`;
  if ("id" in value && typeof value.id === "string") return value.id;
  return "toFixed" in value ? (value as { toFixed: () => string }).toFixed() : JSON.stringify(value);
};
