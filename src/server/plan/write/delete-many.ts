import { decidingClauseId, grantsFor } from "../../../core/derive/authorization/grants.ts";
import { guardReadsOf } from "../../../core/derive/consistency/read-sets.ts";
import { whoMay } from "../../../core/explain/who-may.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Entity } from "../../../core/model/model.ts";
import { identifier, join, slot, sql } from "../../../core/sql.ts";
import { forbid, type Refusal } from "../../refusal.ts";
import type { Plan } from "../action.ts";
import type { EndpointBatch } from "../after-write.ts";
import { CURRENT, DONE } from "../checks/check.ts";
import { areGranted, grantColumns } from "../checks/permissions.ts";
import { type Caller, callerParams, type PlanContext, principalKey } from "../context.ts";
import { runConditionTriggers } from "../effects/condition-triggers.ts";
import { runEffects } from "../effects/run-effects.ts";
import { DONE_OUTCOME, type Done } from "../outcome.ts";
import { auditLine, changesOfRow, storedOf } from "../row/audit-line.ts";
import { asCondition, readScope } from "../row/read-scope.ts";
import { rowEnv, tableSql } from "../row/sql-env.ts";
import { queryOf } from "../statements.ts";
import type { Steps } from "../steps.ts";
import { decodeDeletedParts, deletedPartsColumns, deletePartsSql } from "../transaction/cascade-delete.ts";
import { constraintRefusal, deletedClauses } from "../transaction/constraint-errors.ts";
import { runFinalChecks } from "../transaction/final-checks.ts";
import { lockStatements, takeLocksSql } from "../transaction/locks.ts";
import { bumpParentVersions, lockParents } from "../transaction/parent-versions.ts";
import type { WriteSet, WrittenRow } from "../transaction/write-set.ts";
import { deletedEntities } from "./delete.ts";

/**
 * Deletes records and keeps what they were in their histories, all or none, in one statement however many they are: each is
 * judged as by itself, and what follows and what others have to say of it is judged of all of them at the end.
 */
export const planDeleteMany = (
  context: PlanContext,
  entity: Entity,
  ids: readonly string[],
  caller: Caller,
  format: Format,
  among?: EndpointBatch,
): Plan<Done> | Refusal => {
  const { model, version } = context;
  const { principal } = caller;
  const grants = grantsFor(model, entity, "delete", principal);
  const clause = decidingClauseId(entity, "delete");
  const refused = (): Refusal => forbid(clause, whoMay(caller.phrases, entity, "delete"));
  if (grants.length === 0) return refused();
  const wrote: WriteSet[] = [];
  const guards = guardReadsOf(model, entity, "delete");
  const these = sql`"t"."id" = ANY(${slot("ids", "uuid[]")})`;
  const touched = { model, entity, changed: null, sides: { was: CURRENT, is: null }, states: null };
  const before = context.statements.list(["lock all", entity.name], () =>
    guards.length === 0
      ? []
      : lockStatements(touched, { guards }).map(
          (rows) =>
            sql`WITH "c" AS MATERIALIZED (SELECT * FROM ${tableSql(entity)} AS "t" WHERE ${these}) ${takeLocksSql(rows)}`,
        ),
  );
  const written = context.statements.get(["delete all", entity.name, principalKey(principal)], () => {
    const wholes = lockParents(
      model,
      entity,
      (name) => sql`ANY(ARRAY(SELECT "t".${identifier(name)} FROM ${tableSql(entity)} AS "t" WHERE ${these}))`,
    );
    const current = sql`SELECT * FROM ${tableSql(entity)} AS "t" WHERE ${these} AND ${wholes} AND ${asCondition(readScope(model, entity, principal, "t").rows)} ORDER BY "t"."id" FOR UPDATE`;
    const row = sql`jsonb_build_object('id', "c"."id", 'line', "a"."id", 'before', to_jsonb("c")::text)`;
    return {
      more: undefined,
      sql: sql`WITH "c" AS MATERIALIZED (${current}),
      "j" AS MATERIALIZED (SELECT ${join([sql`"c"."id"`, ...grantColumns(grants, rowEnv(model, entity, CURRENT))], ", ")} FROM "c"),
      "d" AS (DELETE FROM ${tableSql(entity)} AS "t" USING "j" WHERE "t"."id" = "j"."id" AND NOT EXISTS (SELECT FROM "j" WHERE NOT ${areGranted(grants, [])}) RETURNING "t".*),
      "a" AS (${auditLine({ entity, action: "delete", clause, version, changes: changesOfRow(entity, storedOf(entity), DONE, "before"), from: sql`FROM "d"` })} RETURNING "id", "record")${deletePartsSql(context, entity, DONE, "a")}${bumpParentVersions(model, entity, DONE)}
      SELECT ${join([sql`(SELECT count(*) FROM "c") = (SELECT count(*) FROM "d") AS "is:done"`, sql`(SELECT COALESCE(jsonb_agg(${row} ORDER BY "c"."id"), '[]'::jsonb) FROM "c" JOIN "a" ON "a"."record" = "c"."id") AS "is:gone"`, ...deletedPartsColumns(context, entity, DONE, "a")], ", ")}`,
    };
  });
  return {
    kind: "plan",
    queries: [...before, written].map((one) => queryOf(one, { ...callerParams(caller), ids })),
    decode: (results) => (results.at(-1)?.[0]?.["is:done"] === true ? DONE_OUTCOME : refused()),
    afterWrite: function* (row, settled): Steps<Done | Refusal> {
      wrote.length = 0;
      const rows = (row["is:gone"] ?? []) as readonly WrittenRow[];
      const writeSets: readonly WriteSet[] = [
        { entity, moment: "delete", changed: null, rows },
        ...decodeDeletedParts(context, entity, row, DONE),
      ];
      const following = { context, caller, format, written: wrote };
      wrote.push(...writeSets);
      for (const writeSet of writeSets) {
        const outcome = yield* runEffects(following, writeSet);
        if (outcome !== undefined) return outcome;
      }
      const outcome =
        (yield* runConditionTriggers(following)) ??
        (among === undefined ? yield* runFinalChecks(following, new Map()) : undefined);
      among?.written.push(...wrote);
      return outcome ?? settled;
    },
    constraint: (name) =>
      constraintRefusal(
        model,
        entity,
        name,
        new Map([...deletedClauses(wrote), ...deletedEntities(model, entity, entity.clause.id)]),
      ),
  };
};
