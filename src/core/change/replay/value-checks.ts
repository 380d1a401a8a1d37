import { amongRefusal, requiredRefusal, ruleRefusal } from "../../derive/consistency/check-refusals.ts";
import { type AffectedRule, rulesAffectedBy } from "../../derive/consistency/read-sets.ts";
import type { JsEnv, JsRecord } from "../../expression/values/value.ts";
import type { Entity, ValidationRule } from "../../model/entity.ts";
import { findConditionalFields, rulesAt } from "../../model/facts/applicable-rules.ts";
import type { Json } from "../../wire/json.ts";
import { hasSameMeaning } from "../meaning.ts";
import { type Act, getRecordAt, withActValues } from "./act.ts";
import type { AuditLine } from "./audit-line.ts";
import type { Checks } from "./check-results.ts";
import { conditionIsTrue, envAt, isMissingValue, type ReplayContext, toKey } from "./replay-context.ts";
import { checkUniqueness } from "./uniqueness-checks.ts";

export const checkValues = (
  context: ReplayContext,
  checks: Checks,
  act: Act,
  entity: Entity,
  line: AuditLine,
): void => {
  const found = context.world.find(entity.name, line.record);
  if (found === undefined) return;
  const now = withActValues(found, entity, line);
  const record = context.records.of(entity.name, now);
  const old =
    line.action === "create" ? null : context.records.of(entity.name, getRecordAt(context.world, act, line, "before"));
  const env = () => envAt(context, act, old);
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
          if (!field.many && isMissingValue(value())) return true;
          const all = env();
          const apart =
            field.entity === entity.name
              ? all
              : context.records.at({
                  ...all,
                  rows: (name) =>
                    name === entity.name ? all.rows(name).filter(({ id }) => id !== line.record) : all.rows(name),
                });
          return conditionIsTrue(among.holds, record, apart);
        },
      );
    if (needed !== null)
      checks.check(
        "values",
        requiredRefusal(field),
        () => toKey(needed.holds),
        () => !isMissingValue(value()) || !conditionIsTrue(needed.holds, record, env()),
      );
  }
  for (const rule of rulesAt(entity, line.action, changed)) checkRule(context, checks, rule, record, env);
  checkUniqueness({ context, checks, entity, line }, changed, record);
};

const checkRule = (
  context: ReplayContext,
  checks: Checks,
  rule: ValidationRule,
  record: JsRecord,
  env: () => JsEnv,
): void =>
  checks.check(
    "values",
    ruleRefusal(context.model, rule),
    () => toKey(rule.rule, rule.when),
    () => {
      const all = env();
      return (
        (rule.when !== null && !conditionIsTrue(rule.when, record, all)) || conditionIsTrue(rule.rule, record, all)
      );
    },
  );

const findAffected = (
  context: ReplayContext,
  entity: Entity,
  changed: ReadonlySet<string> | null,
): readonly AffectedRule[] => {
  const key = `${entity.name} ${changed === null ? "*" : [...changed].toSorted().join(" ")}`;
  const found = context.affected.get(key) ?? rulesAffectedBy(context.model, entity, changed);
  context.affected.set(key, found);
  return found;
};

/** Checks rules of other records that contain the written one, such as the sum of the parts of an order. */
export const checkAffected = (
  context: ReplayContext,
  checks: Checks,
  act: Act,
  entity: Entity,
  line: AuditLine,
): void => {
  const changed = line.action === "create" || line.action === "delete" ? null : new Set(Object.keys(line.changes));
  const before = context.base?.entities;
  for (const { owner, rule, recordRead } of findAffected(context, entity, changed)) {
    const { by, key } = recordRead;
    const isKnown = before?.get(owner.name)?.rules.some((other) => hasSameMeaning(other, rule)) === true;
    if (key !== "" || by === undefined || by === "id") {
      // The live version enforced the rule at that time.
      if (context.base !== null && !isKnown)
        checks.leave("values", ruleRefusal(context.model, rule), { key: "other records", why: "other records" });
      continue;
    }
    const owners = new Set(
      [getRecordAt(context.world, act, line, "before"), getRecordAt(context.world, act, line, "after")]
        .flatMap(({ values }) => values[by] ?? [])
        .map(String),
    );
    for (const id of owners) {
      const record = context.world.find(owner.name, id);
      if (record !== undefined)
        checkRule(context, checks, rule, context.records.of(owner.name, record), () => envAt(context, act));
    }
  }
};
