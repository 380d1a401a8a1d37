import {
  decidingClauseId,
  type Grant,
  grantsFor,
  isAutomatic,
  type Principal,
  transitionGrantsFor,
} from "../../derive/authorization/grants.ts";
import {
  closedFieldRefusal,
  permissionRefusal,
  recordRefusal,
  referenceRefusal,
  stateRefusal,
} from "../../derive/consistency/check-refusals.ts";
import type { JsEnv, JsRecord } from "../../expression/values/value.ts";
import type { Entity, Transition } from "../../model/entity.ts";
import { type Field, isActValue } from "../../model/field.ts";
import type { AuditLine } from "./audit-line.ts";
import {
  type ActChecks,
  grantsKey,
  isCovered,
  isMissingValue,
  isWrite,
  type LineChecks,
  RECORD_KEY,
} from "./replay-context.ts";

/** Checks that the grants cover the record, and the fields that are written. */
export const checkGrants = (
  { checks, env }: Pick<ActChecks, "checks" | "env">,
  refusal: { readonly clause: string; readonly code: string },
  grants: readonly Grant[],
  { record, fields = [] }: { readonly record: JsRecord; readonly fields?: readonly Field[] },
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

export const checkReferences = ({ context, checks, env, entity, line }: LineChecks, principal: Principal): void => {
  for (const [name, [, after]] of Object.entries(line.changes)) {
    const field = entity.fields.get(name);
    const target = field?.type === "reference" ? context.model.entities.get(field.entity ?? "") : undefined;
    if (field === undefined || target === undefined || isMissingValue(after)) continue;
    if (isAutomatic(entity, name) && !isActValue(field)) continue;
    const grants = grantsFor(context.model, target, "read", principal);
    for (const id of Array.isArray(after) ? after : [after])
      checks.check(
        "values",
        referenceRefusal(field),
        () => grantsKey(grants),
        () => {
          const record = context.records.find(target.name, String(id));
          return record === undefined || isCovered(grants, record, env());
        },
      );
  }
};

/** Checks permission and state of an act. `fields`: those that an update writes. */
export const checkRecord = (
  actChecks: ActChecks,
  act: Pick<AuditLine, "entity" | "action" | "record">,
  principal: Principal,
  fields: (entity: Entity, env: JsEnv) => readonly Field[],
): Transition | undefined => {
  const { context, checks, env } = actChecks;
  const entity = context.model.entities.get(act.entity);
  const found = context.world.find(act.entity, act.record);
  if (entity === undefined) return undefined;
  if (found === undefined) {
    checks.leave("record", recordRefusal(entity), { key: RECORD_KEY, why: "record" });
    return undefined;
  }
  const record = context.records.of(entity.name, found);
  const readers = grantsFor(context.model, entity, "read", principal);
  checks.check(
    "record",
    recordRefusal(entity),
    () => grantsKey(readers),
    () => isCovered(readers, record, env()),
  );
  const { action } = act;
  if (action === "read") return undefined;
  if (isWrite(action)) {
    const grants = grantsFor(context.model, entity, action, principal);
    const named = action === "update" ? fields(entity, env()) : [];
    checkGrants(actChecks, permissionRefusal(decidingClauseId(entity, action)), grants, { record, fields: named });
    return undefined;
  }
  const transition = entity.states?.transitions.get(action);
  if (transition === undefined) return undefined;
  const grants = transitionGrantsFor(context.model, entity, transition, principal);
  checkGrants(actChecks, permissionRefusal(transition.clause.id), grants, { record });
  checks.check("state", stateRefusal(transition), String, () =>
    transition.from.includes(String(found.values[entity.states?.field ?? ""])),
  );
  return transition;
};
