import {
  decidingClauseId,
  type Grant,
  grantsFor,
  isAutomatic,
  isGenerated,
  type Principal,
  transitionGrantsFor,
} from "../../derive/authorization/grants.ts";
import {
  amongRefusal,
  closedFieldRefusal,
  guardChecks,
  permissionRefusal,
  recordRefusal,
  referenceRefusal,
  requiredRefusal,
  ruleRefusal,
  stateRefusal,
  takenRefusal,
  uniquenessRefusal,
} from "../../derive/consistency/check-refusals.ts";
import { type AffectedRule, rulesAffectedBy } from "../../derive/consistency/read-sets.ts";
import { uniquenessRulesAt } from "../../derive/consistency/uniqueness.ts";
import type { Expr } from "../../expression/expr.ts";
import { dateAt, getZone } from "../../expression/values/calendar.ts";
import { type JsEnv, type JsRecord, nobody, noRecord, type Value } from "../../expression/values/value.ts";
import { fromInterval, toIsoDuration } from "../../field/duration.ts";
import { getFieldKind } from "../../field/multi-valued.ts";
import type { Entity, Transition, UniquenessRule, ValidationRule } from "../../model/entity.ts";
import { findConditionalFields, rulesAt } from "../../model/facts/applicable-rules.ts";
import { toFieldSpec } from "../../model/facts/field-spec.ts";
import { type Field, isGiven } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import type { Action } from "../../model/permissions.ts";
import type { Json } from "../../wire/json.ts";
import { hasSameMeaning, toMeaningKey } from "../meaning.ts";
import { type AuditLine, groupLines } from "./audit-line.ts";
import { Checks, type Judgement } from "./judgement.ts";
import { compileEvaluator, createPastRecords, missingValue, type PastRecords, toValue } from "./past-records.ts";
import { NotKnown, type PastRecord, type PastWorld } from "./past-world.ts";

/** The lines of one transaction, oldest first, under the names of the latest version. */
export interface Act {
  readonly at: string;
  readonly person: string | null;
  readonly lines: readonly AuditLine[];
}

/** One version of the document, applied to acts of the past. */
export interface Judge {
  /** Checks that look at records as they are after the act. The world must be there. */
  readonly after: (act: Act) => Judgement;
  /** Checks that look at records as they were before the act. */
  readonly before: (act: Act) => Judgement;
  /** Permission and state of a request without content. Undefined if they depend on the content. */
  readonly request: (
    act: Pick<AuditLine, "entity" | "action" | "person" | "at"> & { readonly record: string | null },
  ) => Judgement | undefined;
  /** The clauses of the effects that follow a line, by their meaning. The world must be after the act. */
  readonly effects: (act: Act, line: AuditLine) => ReadonlyMap<string, string>;
  /** Evaluates a condition on the record of a line as it is in the world. */
  readonly holds: (condition: Expr, act: Act, line: AuditLine) => boolean;
}

/** True for lines that the person wrote: the request itself, and the parts that it wrote with its record. */
export const isOwnLine = ({ cause, clause }: AuditLine): boolean =>
  cause === null || clause.startsWith("6.") || clause === "ADMINISTRATORS_ONLY";

const byRecord = new WeakMap<Act["lines"], ReadonlyMap<string, readonly AuditLine[]>>();

/** The lines of an act about the record of one of them. An import is one act with thousands of lines. */
const findLinesOfRecord = ({ lines }: Act, { entity, record }: AuditLine): readonly AuditLine[] => {
  const known = byRecord.get(lines) ?? groupLines(lines, (line) => `${line.entity} ${line.record}`);
  byRecord.set(lines, known);
  return known.get(`${entity} ${record}`) ?? [];
};

/** The record of a line before or after it, while the world is after the act. Throws `NotKnown` without a trace of it. */
const recordAt = (world: PastWorld, act: Act, line: AuditLine, side: "before" | "after"): PastRecord => {
  const own = findLinesOfRecord(act, line);
  const deleted = own.find(({ action }) => action === "delete");
  const now = world.find(line.entity, line.record);
  if (now === undefined && deleted === undefined) throw new NotKnown(line.entity);
  const values: Record<string, Json> = { ...(now === undefined ? {} : now.values) };
  const undone = own.filter(({ id }) => (side === "before" ? id >= line.id : id > line.id));
  for (const one of undone.toReversed()) Object.assign(values, getValuesBefore(one));
  return { id: line.record, values, createdAt: now?.createdAt ?? null, updatedAt: null };
};

const getValuesBefore = ({ changes }: AuditLine): Record<string, Json> =>
  Object.fromEntries(Object.entries(changes).map(([name, [before]]) => [name, before]));

/**
 * `stored` is the version in force, whose values the world holds. `base` is the version with which uniqueness is
 * compared: a rule that it has too held when the act was written. Null for the version in force itself.
 */
export const createJudge = (world: PastWorld, model: Model, stored: Model, base: Model | null): Judge => {
  const records = createPastRecords(world, model, stored);
  const zone = getZone(model.timezone);

  const getPrincipal = (id: string | null): Principal => {
    if (id === null) return { id, granted: new Set() };
    const person = world.find("User", id);
    if (person === undefined) throw new NotKnown("the person");
    const roles = person.values.roles;
    return { id, granted: new Set(Array.isArray(roles) ? roles.map(String) : []) };
  };
  const envAt = ({ at, person }: Pick<Act, "at" | "person">, old?: JsRecord | null): JsEnv =>
    records.at({
      now: at,
      today: dateAt(at, zone) ?? "",
      user: person === null ? nobody : (records.find("User", person) ?? nobody),
      ...(old === undefined ? {} : { old }),
    });
  const isTrue = (condition: Expr, record: JsRecord, env: JsEnv): boolean =>
    compileEvaluator(condition)(record, env) === true;
  const isCovered = (grants: readonly Grant[], record: JsRecord, env: JsEnv): boolean =>
    grants.some(({ conditions }) => conditions.every((one) => isTrue(one, record, env)));
  const toKey = (...parts: readonly unknown[]): string => parts.map(toMeaningKey).join(" ");
  const grantsKey = (grants: readonly Grant[]): string =>
    toKey(grants.map(({ conditions, fields }) => ({ conditions, fields })));

  const createdRecord = (entity: Entity, id: string): JsRecord => {
    const made = world.find(entity.name, id);
    return made === undefined ? noRecord : records.of(entity.name, made);
  };

  /** The values of fields that a person entered in a line. */
  const listWrittenFields = (entity: Entity, { action, changes, record }: AuditLine, env: JsEnv): readonly Field[] =>
    Object.keys(changes).flatMap((name) => {
      const field = entity.fields.get(name);
      if (field === undefined || !isGiven(field) || isAutomatic(entity, name) || isGenerated(field)) return [];
      if (action !== "create") return [field];
      // A person who leaves out a field gets its default, or the empty value.
      const initial =
        field.default === null
          ? missingValue(field.ruleType)
          : compileEvaluator(field.default)(createdRecord(entity, record), env);
      return toText(initial) === toText(enteredValue(changes[name]?.[1] ?? null, field, records)) ? [] : [field];
    });

  const checkGrants = (
    checks: Checks,
    refusal: { readonly clause: string; readonly code: string },
    grants: readonly Grant[],
    fields: readonly Field[],
    record: JsRecord,
    env: () => JsEnv,
  ): void => {
    checks.check(
      "permission",
      refusal,
      () => grantsKey(grants),
      () => isCovered(grants, record, env()),
    );
    for (const { name } of fields) {
      const some = grants.filter(({ fields: only }) => only === null || only.has(name));
      if (some.length === grants.length) continue;
      checks.check(
        "fields",
        closedFieldRefusal(refusal.clause),
        () => grantsKey(some),
        () => isCovered(some, record, env()),
      );
    }
  };

  /** Required values and limits of what a person entered. */
  const checkInput = (checks: Checks, entity: Entity, line: AuditLine, after: PastRecord, env: JsEnv): void => {
    const isChanged = (field: Field): boolean => {
      const before = stored.entities.get(entity.name)?.fields.get(field.name);
      return before !== undefined && (before.type !== field.type || before.many !== field.many);
    };
    if (line.action === "create")
      for (const field of entity.fields.values()) {
        const has = !isMissing(after.values[field.name] ?? null);
        const isFilled = field.set !== null || field.default !== null || isGenerated(field) || field.type === "state";
        if (!has && !isFilled && !field.optional && field.type !== "boolean" && !field.many && isGiven(field))
          checks.refuse("input", requiredRefusal(field));
      }
    const entered =
      line.action === "create" || line.action === "update"
        ? listWrittenFields(entity, line, env)
        : listWrittenFields(entity, line, env).filter(
            ({ name }) => findTransition(entity, line)?.asks.includes(name) === true,
          );
    for (const field of entered) {
      if (isChanged(field)) continue;
      const json = line.changes[field.name]?.[1] ?? null;
      if (line.action === "update" && field.once)
        checks.refuse("fields", closedFieldRefusal(decidingClauseId(entity, "update")));
      if (isMissing(json)) {
        if (!field.optional && field.type !== "boolean" && !field.many && line.action !== "create")
          checks.refuse("input", requiredRefusal(field));
        continue;
      }
      const wire = toWire(field, json);
      if (wire === undefined) continue;
      const reading = getFieldKind(field).read(wire, toFieldSpec(entity, field));
      if (!reading.ok) checks.refuse("input", { clause: field.clause.id, code: reading.error });
    }
    const transition = findTransition(entity, line);
    for (const name of transition?.asks ?? []) {
      const field = entity.fields.get(name);
      if (field === undefined || transition?.asksIfAny.has(name) === true) continue;
      if (isMissing(after.values[name] ?? null)) checks.refuse("input", requiredRefusal(field, transition));
    }
  };

  const checkReferences = (
    checks: Checks,
    entity: Entity,
    line: AuditLine,
    principal: Principal,
    env: () => JsEnv,
  ): void => {
    for (const [name, [, after]] of Object.entries(line.changes)) {
      const field = entity.fields.get(name);
      const target = field?.type === "reference" ? model.entities.get(field.entity ?? "") : undefined;
      if (field === undefined || target === undefined || isMissing(after) || isAutomatic(entity, name)) continue;
      const grants = grantsFor(model, target, "read", principal);
      for (const id of Array.isArray(after) ? after : [after])
        checks.check(
          "values",
          referenceRefusal(field),
          () => grantsKey(grants),
          () => {
            const record = records.find(target.name, String(id));
            return record === undefined || isCovered(grants, record, env());
          },
        );
    }
  };

  const checkValues = (checks: Checks, act: Act, entity: Entity, line: AuditLine): void => {
    const now = world.find(entity.name, line.record);
    if (now === undefined) return;
    const record = records.of(entity.name, now);
    const old = line.action === "create" ? null : records.of(entity.name, recordAt(world, act, line, "before"));
    const env = () => envAt(act, old);
    const changed = new Set(Object.keys(line.changes));
    for (const field of findConditionalFields(entity, line.action === "create" ? null : changed)) {
      const { among, needed } = field;
      const value = (): Json => now.values[field.name] ?? null;
      if (among !== null)
        checks.check(
          "values",
          amongRefusal(field),
          () => toKey(among.holds),
          () => {
            if (!field.many && isMissing(value())) return true;
            const all = env();
            const apart =
              field.entity === entity.name
                ? all
                : records.at({
                    ...all,
                    rows: (name) =>
                      name === entity.name ? all.rows(name).filter(({ id }) => id !== line.record) : all.rows(name),
                  });
            return isTrue(among.holds, record, apart);
          },
        );
      if (needed !== null)
        checks.check(
          "values",
          requiredRefusal(field),
          () => toKey(needed.holds),
          () => !isMissing(value()) || !isTrue(needed.holds, record, env()),
        );
    }
    for (const rule of rulesAt(entity, line.action, changed)) checkRule(checks, rule, record, env);
    checkUniqueness(checks, entity, line, changed, record);
  };

  const checkRule = (checks: Checks, rule: ValidationRule, record: JsRecord, env: () => JsEnv): void =>
    checks.check(
      "values",
      ruleRefusal(model, rule),
      () => toKey(rule.rule, rule.when),
      () => {
        const all = env();
        return (rule.when !== null && !isTrue(rule.when, record, all)) || isTrue(rule.rule, record, all);
      },
    );

  // A document has many rules, and many acts change the same fields.
  const affected = new Map<string, readonly AffectedRule[]>();
  const findAffected = (entity: Entity, changed: ReadonlySet<string> | null): readonly AffectedRule[] => {
    const key = `${entity.name} ${changed === null ? "*" : [...changed].toSorted().join(" ")}`;
    const found = affected.get(key) ?? rulesAffectedBy(model, entity, changed);
    affected.set(key, found);
    return found;
  };

  /** Rules of the records that the written one belongs to, such as the sum of the parts of an order. */
  const checkAffected = (checks: Checks, act: Act, entity: Entity, line: AuditLine): void => {
    const changed = line.action === "create" || line.action === "delete" ? null : new Set(Object.keys(line.changes));
    const before = base?.entities;
    for (const { owner, rule, recordRead } of findAffected(entity, changed)) {
      const { by, key } = recordRead;
      const isKnown = before?.get(owner.name)?.rules.some((one) => hasSameMeaning(one, rule)) === true;
      if (key !== "" || by === undefined || by === "id") {
        // The version in force held the rule at that time.
        if (base !== null && !isKnown) checks.leave("values", ruleRefusal(model, rule), OTHER_RECORDS);
        continue;
      }
      const owners = new Set(
        [recordAt(world, act, line, "before"), recordAt(world, act, line, "after")]
          .flatMap(({ values }) => values[by] ?? [])
          .map(String),
      );
      for (const id of owners) {
        const record = world.find(owner.name, id);
        if (record !== undefined) checkRule(checks, rule, records.of(owner.name, record), () => envAt(act));
      }
    }
  };

  /** Rules that the base has too are left out: they held in the database. */
  const checkUniqueness = (
    checks: Checks,
    entity: Entity,
    line: AuditLine,
    changed: ReadonlySet<string>,
    record: JsRecord,
  ): void => {
    if (base === null) return;
    const before = base.entities.get(entity.name);
    const moment = line.action === "create" ? "create" : "update";
    for (const rule of uniquenessRulesAt(entity, moment, changed))
      if (before?.together.some((one) => hasSameMeaning(one, rule)) !== true)
        checks.check(
          "values",
          uniquenessRefusal(model, rule),
          () => toKey(rule),
          () => isAlone(entity, rule, record),
        );
    for (const field of entity.fields.values()) {
      const { name, unique, countsMissing } = field;
      const was = before?.fields.get(name);
      if (!unique || !changed.has(name) || (was?.unique === true && was.countsMissing === countsMissing)) continue;
      const rule = { same: [name], range: null, where: null, countsMissing };
      checks.check(
        "values",
        takenRefusal(field),
        () => toKey(rule),
        () => isAlone(entity, rule, record),
      );
    }
  };

  /** True if no other record collides with this one. */
  const isAlone = (
    entity: Entity,
    { same, range, where, countsMissing }: Pick<UniquenessRule, "same" | "range" | "where" | "countsMissing">,
    record: JsRecord,
  ): boolean => {
    const env = records.at({ now: "", today: "" });
    const isMember = (one: JsRecord): boolean => where === null || isTrue(where, one, env);
    const values = (one: JsRecord): readonly string[] =>
      same.map((name) => {
        const text = toText(one[name] ?? null);
        return entity.fields.get(name)?.type === "email" ? text.toLowerCase() : text;
      });
    if (!isMember(record)) return true;
    const own = values(record);
    if (own.includes("") && (range !== null || !countsMissing)) return true;
    const span = range === null ? undefined : getSpan(entity, range, record);
    if (range !== null && span === undefined) return true;
    return !records.rows(entity.name).some((other) => {
      if (other.id === record.id || values(other).some((value, i) => value !== own[i])) return false;
      if (range !== null && span !== undefined) {
        const its = getSpan(entity, range, other);
        if (its === undefined || !overlap(span, its)) return false;
      }
      return isMember(other);
    });
  };

  const findTransition = (entity: Entity, { action }: Pick<AuditLine, "action">): Transition | undefined =>
    entity.states?.transitions.get(action);

  const isWrite = (action: string): action is Exclude<Action, "read"> =>
    action === "create" || action === "update" || action === "delete";

  const after: Judge["after"] = (act) => {
    const checks = new Checks();
    for (const line of act.lines) {
      const entity = model.entities.get(line.entity);
      if (entity === undefined) continue;
      const isGone = findLinesOfRecord(act, line).some(({ action }) => action === "delete");
      if (!isGone && world.find(entity.name, line.record) === undefined) {
        checks.leave("record", recordRefusal(entity), RECORD);
        continue;
      }
      const env = () => envAt(act);
      if (
        isOwnLine(line) &&
        act.person !== null &&
        (line.action === "create" || line.action === "update" || findTransition(entity, line) !== undefined)
      ) {
        const made = recordAt(world, act, line, "after");
        checkInput(checks, entity, line, made, env());
        let principal: Principal | undefined;
        checks.check(
          "permission",
          permissionRefusal(entity.clause.id),
          () => PERSON,
          () => {
            principal = getPrincipal(act.person);
            return true;
          },
        );
        if (principal !== undefined) {
          if (line.action === "create") {
            const grants = grantsFor(model, entity, "create", principal);
            const clause = decidingClauseId(entity, "create");
            const view = records.of(entity.name, made);
            checkGrants(checks, permissionRefusal(clause), grants, listWrittenFields(entity, line, env()), view, env);
          }
          checkReferences(checks, entity, line, principal, env);
        }
      }
      if (line.action !== "delete" && (isWrite(line.action) || findTransition(entity, line) !== undefined))
        checkValues(checks, act, entity, line);
      if (isWrite(line.action) || findTransition(entity, line) !== undefined) checkAffected(checks, act, entity, line);
    }
    return checks.result();
  };

  const checkRecord = (
    checks: Checks,
    act: Pick<AuditLine, "entity" | "action" | "record">,
    principal: Principal,
    env: () => JsEnv,
    fields: (entity: Entity, env: JsEnv) => readonly Field[],
  ): Transition | undefined => {
    const entity = model.entities.get(act.entity);
    const found = world.find(act.entity, act.record);
    if (entity === undefined) return undefined;
    if (found === undefined) {
      checks.leave("record", recordRefusal(entity), RECORD);
      return undefined;
    }
    const record = records.of(entity.name, found);
    const readers = grantsFor(model, entity, "read", principal);
    checks.check(
      "record",
      recordRefusal(entity),
      () => grantsKey(readers),
      () => isCovered(readers, record, env()),
    );
    const { action } = act;
    if (action === "read") return undefined;
    if (isWrite(action)) {
      const grants = grantsFor(model, entity, action, principal);
      const named = action === "update" ? fields(entity, env()) : [];
      checkGrants(checks, permissionRefusal(decidingClauseId(entity, action)), grants, named, record, env);
      return undefined;
    }
    const transition = entity.states?.transitions.get(action);
    if (transition === undefined) return undefined;
    const grants = transitionGrantsFor(model, entity, transition, principal);
    checkGrants(checks, permissionRefusal(transition.clause.id), grants, [], record, env);
    checks.check("state", stateRefusal(transition), String, () =>
      transition.from.includes(String(found.values[entity.states?.field ?? ""])),
    );
    return transition;
  };

  const before: Judge["before"] = (act) => {
    const checks = new Checks();
    if (act.person === null) return checks.result();
    const env = () => envAt(act);
    const made = new Set(act.lines.flatMap(({ action, record }) => (action === "create" ? [record] : [])));
    for (const line of act.lines) {
      if (!isOwnLine(line) || line.action === "create" || made.has(line.record)) continue;
      const entity = model.entities.get(line.entity);
      const isKnown = entity !== undefined && (isWrite(line.action) || findTransition(entity, line) !== undefined);
      if (!isKnown) continue;
      checks.check(
        "permission",
        permissionRefusal(entity.clause.id),
        () => PERSON,
        () => {
          const transition = checkRecord(checks, line, getPrincipal(act.person), env, (one, at) =>
            listWrittenFields(one, line, at),
          );
          const found = world.find(line.entity, line.record);
          if (transition !== undefined && found !== undefined)
            for (const { holds, refusal } of guardChecks(transition))
              checks.check(
                "guard",
                refusal,
                () => toKey(holds),
                () => isTrue(holds, records.of(entity.name, found), env()),
              );
          return true;
        },
      );
    }
    return checks.result();
  };

  const request: Judge["request"] = (act) => {
    const checks = new Checks();
    const entity = model.entities.get(act.entity);
    if (entity === undefined) return undefined;
    const env = () => envAt(act);
    let isOpen = false;
    checks.check(
      "permission",
      permissionRefusal(entity.clause.id),
      () => PERSON,
      () => {
        const principal = getPrincipal(act.person);
        const { record } = act;
        if (record !== null) {
          checkRecord(checks, { ...act, record }, principal, env, () => []);
          return true;
        }
        if (act.action !== "create") {
          isOpen = true;
          return true;
        }
        const grants = grantsFor(model, entity, "create", principal);
        isOpen = grants.length > 0 && !grants.some(({ conditions }) => conditions.length === 0);
        if (grants.length === 0) checks.refuse("permission", permissionRefusal(decidingClauseId(entity, "create")));
        return true;
      },
    );
    return isOpen ? undefined : checks.result();
  };

  const effects: Judge["effects"] = (act, line) => {
    const entity = model.entities.get(line.entity);
    const now = world.find(line.entity, line.record);
    const found = new Map<string, string>();
    if (entity === undefined || now === undefined) return found;
    const record = records.of(entity.name, now);
    const old = line.action === "create" ? null : records.of(entity.name, recordAt(world, act, line, "before"));
    for (const effect of entity.after.get(line.action) ?? []) {
      const { when } = effect;
      // An effect on each element of a list names the elements in its condition.
      if (when !== null && effect.each.length === 0 && !isTrue(when, record, envAt(act, old))) continue;
      found.set(
        toMeaningKey(when === null || effect.each.length > 0 ? effect : { ...effect, when: null }),
        effect.clause.id,
      );
    }
    return found;
  };

  const holds: Judge["holds"] = (condition, act, line) => {
    const found = world.find(line.entity, line.record);
    if (found === undefined) throw new NotKnown(line.entity);
    return isTrue(condition, records.of(line.entity, found), envAt(act));
  };

  return { after, before, request, effects, holds };
};

/** The key of a check of other records that read the written one. */
export const OTHER_RECORDS = "other records";

/** The key of a check of a record that is not known. */
export const RECORD = "record";

/** The key of a check that needs a person whose record is not known. */
export const PERSON = "person";

const isMissing = (json: Json): boolean => json === null || json === "" || (Array.isArray(json) && json.length === 0);

const enteredValue = (json: Json, field: Field, records: PastRecords): Value => {
  if (json === null) return null;
  if (field.ruleType.kind === "record") return { id: String(json) };
  return toValue(json, field.ruleType, records);
};

/** Types whose stored form can be read like input. */
const readable: ReadonlySet<string> = new Set([
  "text",
  "long text",
  "integer",
  "decimal",
  "money",
  "date",
  "time",
  "datetime",
  "duration",
  "choice",
  "email",
  "url",
  "phone",
]);

/** A value of the audit in the form of a request; undefined for types whose input has another form. */
const toWire = (field: Field, json: Json): Json | undefined => {
  if (!readable.has(field.type)) return undefined;
  if (Array.isArray(json)) return json.map((one: Json) => toWireJson(field, one));
  return toWireJson(field, json);
};

const toWireJson = (field: Field, json: Json): Json => {
  if (field.type === "datetime") return new Date(String(json)).toISOString();
  if (field.type !== "duration") return json;
  const duration = fromInterval(String(json));
  return duration === undefined ? json : toIsoDuration(duration);
};

/** Equal for equal values; empty for a missing one. */
const toText = (value: Value): string => {
  if (value === null) return "";
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return `[${value.map(toText).join()}]`;
  if ("id" in value && typeof value.id === "string") return value.id;
  return "toFixed" in value ? (value as { toFixed: () => string }).toFixed() : JSON.stringify(value);
};

interface Span {
  readonly from: string;
  readonly to: string | null;
  /** True for days, of which the last belongs to the span. */
  readonly isClosed: boolean;
}

const getSpan = (
  entity: Entity,
  { from, to }: NonNullable<UniquenessRule["range"]>,
  record: JsRecord,
): Span | undefined => {
  const [begin, end] = [record[from] ?? null, record[to] ?? null];
  if (typeof begin !== "string" || (typeof end === "string" && end < begin)) return undefined;
  const isClosed = entity.fields.get(from)?.ruleType.kind === "date";
  return { from: begin, to: typeof end === "string" ? end : null, isClosed };
};

const overlap = (one: Span, other: Span): boolean => {
  const isBefore = (end: string | null, begin: string): boolean =>
    end !== null && (one.isClosed ? end < begin : end <= begin);
  const isEmpty = ({ from, to, isClosed }: Span): boolean => !isClosed && from === to;
  return !isEmpty(one) && !isEmpty(other) && !isBefore(one.to, other.from) && !isBefore(other.to, one.from);
};
