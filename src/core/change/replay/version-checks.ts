import { decidingClauseId, grantsFor, type Principal } from "../../derive/authorization/grants.ts";
import { guardChecks, permissionRefusal, recordRefusal } from "../../derive/consistency/check-refusals.ts";
import type { Expr } from "../../expression/expr.ts";
import { getZone } from "../../expression/values/calendar.ts";
import type { Model } from "../../model/model.ts";
import { toMeaningKey } from "../meaning.ts";
import {
  type Act,
  findLinesOfRecord,
  getRecordAt,
  isOwnLine,
  type RequestWithoutContent,
  withActValues,
} from "./act.ts";
import type { AuditLine } from "./audit-line.ts";
import { type CheckResults, Checks } from "./check-results.ts";
import { checkInput } from "./input-checks.ts";
import { createPastRecords } from "./past-records.ts";
import { NotKnown, type PastWorld } from "./past-world.ts";
import { checkGrants, checkRecord, checkReferences } from "./permission-checks.ts";
import {
  conditionIsTrue,
  envAt,
  findTransition,
  getPrincipal,
  isWrite,
  listWrittenFields,
  PERSON_KEY,
  RECORD_KEY,
  type ReplayContext,
  toKey,
} from "./replay-context.ts";
import { checkAffected, checkValues } from "./value-checks.ts";

/** One version of the document, applied to past acts. */
export interface VersionChecks {
  /** Checks on records as they are after the act. The world must be at that time. */
  readonly after: (act: Act) => CheckResults;
  /** Checks that look at records as they were before the act. */
  readonly before: (act: Act) => CheckResults;
  /**
   * Checks permission and state of a refused request, whose content is unknown. Undefined if they depend on the
   * content.
   */
  readonly request: (act: RequestWithoutContent) => CheckResults | undefined;
  /** The clauses of the effects that a line causes, by their meaning. The world must be after the act. */
  readonly effects: (act: Act, line: AuditLine) => ReadonlyMap<string, string>;
  /** Evaluates a condition on the record of a line at the current time of the world. */
  readonly holds: (condition: Expr, act: Act, line: AuditLine) => boolean;
}

const checkAfter = (context: ReplayContext, act: Act): CheckResults => {
  const checks = new Checks();
  for (const line of act.lines) {
    const entity = context.model.entities.get(line.entity);
    if (entity === undefined) continue;
    const isGone = findLinesOfRecord(act, line).some(({ action }) => action === "delete");
    if (!isGone && context.world.find(entity.name, line.record) === undefined) {
      checks.leave("record", recordRefusal(entity), { key: RECORD_KEY, why: "record" });
      continue;
    }
    const env = () => envAt(context, act);
    if (
      isOwnLine(line) &&
      act.person !== null &&
      (line.action === "create" || line.action === "update" || findTransition(entity, line) !== undefined)
    ) {
      const record = withActValues(getRecordAt(context.world, act, line, "after"), entity, line);
      const lineChecks = { context, checks, env, entity, line };
      checkInput(lineChecks, record);
      let principal: Principal | undefined;
      checks.check(
        "permission",
        permissionRefusal(entity.clause.id),
        () => PERSON_KEY,
        () => {
          principal = getPrincipal(context, act);
          return true;
        },
      );
      if (principal !== undefined) {
        if (line.action === "create") {
          const grants = grantsFor(context.model, entity, "create", principal);
          const clause = decidingClauseId(entity, "create");
          const view = context.records.of(entity.name, record);
          const fields = listWrittenFields(context, entity, line, env());
          checkGrants(lineChecks, permissionRefusal(clause), grants, { record: view, fields });
        }
        checkReferences(lineChecks, principal);
      }
    }
    if (line.action !== "delete" && (isWrite(line.action) || findTransition(entity, line) !== undefined))
      checkValues(context, checks, act, entity, line);
    if (isWrite(line.action) || findTransition(entity, line) !== undefined)
      checkAffected(context, checks, act, entity, line);
  }
  return checks.result();
};

const checkBefore = (context: ReplayContext, act: Act): CheckResults => {
  const checks = new Checks();
  if (act.person === null) return checks.result();
  const env = () => envAt(context, act);
  const created = new Set(act.lines.flatMap(({ action, record }) => (action === "create" ? [record] : [])));
  for (const line of act.lines) {
    if (!isOwnLine(line) || line.action === "create" || created.has(line.record)) continue;
    const entity = context.model.entities.get(line.entity);
    const isKnown = entity !== undefined && (isWrite(line.action) || findTransition(entity, line) !== undefined);
    if (!isKnown) continue;
    checks.check(
      "permission",
      permissionRefusal(entity.clause.id),
      () => PERSON_KEY,
      () => {
        const transition = checkRecord({ context, checks, env }, line, getPrincipal(context, act), (entity, at) =>
          listWrittenFields(context, entity, line, at),
        );
        const found = context.world.find(line.entity, line.record);
        if (transition !== undefined && found !== undefined)
          for (const { holds, refusal } of guardChecks(transition))
            checks.check(
              "guard",
              refusal,
              () => toKey(holds),
              () => conditionIsTrue(holds, context.records.of(entity.name, found), env()),
            );
        return true;
      },
    );
  }
  return checks.result();
};

const checkRequest = (context: ReplayContext, act: RequestWithoutContent): CheckResults | undefined => {
  const checks = new Checks();
  const entity = context.model.entities.get(act.entity);
  if (entity === undefined) return undefined;
  const env = () => envAt(context, act);
  let isOpen = false;
  checks.check(
    "permission",
    permissionRefusal(entity.clause.id),
    () => PERSON_KEY,
    () => {
      const principal = getPrincipal(context, act);
      const { record } = act;
      if (record !== null) {
        checkRecord({ context, checks, env }, { ...act, record }, principal, () => []);
        return true;
      }
      if (act.action !== "create") {
        isOpen = true;
        return true;
      }
      const grants = grantsFor(context.model, entity, "create", principal);
      isOpen = grants.length > 0 && !grants.some(({ conditions }) => conditions.length === 0);
      if (grants.length === 0) checks.refuse("permission", permissionRefusal(decidingClauseId(entity, "create")));
      return true;
    },
  );
  return isOpen ? undefined : checks.result();
};

const findEffects = (context: ReplayContext, act: Act, line: AuditLine): ReadonlyMap<string, string> => {
  const entity = context.model.entities.get(line.entity);
  const now = context.world.find(line.entity, line.record);
  const found = new Map<string, string>();
  if (entity === undefined || now === undefined) return found;
  const record = context.records.of(entity.name, withActValues(now, entity, line));
  const old =
    line.action === "create" ? null : context.records.of(entity.name, getRecordAt(context.world, act, line, "before"));
  for (const effect of entity.after.get(line.action) ?? []) {
    const { when } = effect;
    // The condition of an effect with `for` can read the elements of lists, which are not known here.
    if (when !== null && effect.each.length === 0 && !conditionIsTrue(when, record, envAt(context, act, old))) continue;
    found.set(
      toMeaningKey(when === null || effect.each.length > 0 ? effect : { ...effect, when: null }),
      effect.clause.id,
    );
  }
  return found;
};

const conditionHolds = (context: ReplayContext, condition: Expr, act: Act, line: AuditLine): boolean => {
  const found = context.world.find(line.entity, line.record);
  if (found === undefined) throw new NotKnown("record");
  return conditionIsTrue(condition, context.records.of(line.entity, found), envAt(context, act));
};

/**
 * `stored` is the live version, whose values the world contains. `base` is the version with which uniqueness is
 * compared: a rule that it has too held when the act was written. Null for the live version itself.
 */
export const createVersionChecks = (
  world: PastWorld,
  model: Model,
  stored: Model,
  base: Model | null,
): VersionChecks => {
  const records = createPastRecords(world, model, stored);
  const context = { world, model, stored, base, records, zone: getZone(model.timezone), affected: new Map() };
  return {
    after: (act) => checkAfter(context, act),
    before: (act) => checkBefore(context, act),
    request: (act) => checkRequest(context, act),
    effects: (act, line) => findEffects(context, act, line),
    holds: (condition, act, line) => conditionHolds(context, condition, act, line),
  };
};
