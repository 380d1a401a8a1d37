import { decidingClauseId, grantsFor } from "../../../core/derive/authorization/grants.ts";
import { guardReadsOf, rulesAffectedBy, triggersAffectedBy } from "../../../core/derive/consistency/read-sets.ts";
import { referenceName } from "../../../core/derive/tables/names.ts";
import { whoMay } from "../../../core/explain/who-may.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Entity, Model } from "../../../core/model/model.ts";
import { partsOf } from "../../../core/model/parts.ts";
import { identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Intent } from "../../intent.ts";
import { forbid, type Refusal, refuse, refuseAt } from "../../refusal.ts";
import { type Action, reply } from "../action.ts";
import { type Among, followed, isFollowed } from "../after-write.ts";
import { brokenReaches, failingOf, reachVerdicts, reachWords } from "../checks/affected-rules.ts";
import { allHold, CURRENT, DONE, type Verdict, verdictColumns } from "../checks/check.ts";
import { fieldsRefused, gateColumns, gatesHold } from "../checks/permissions.ts";
import { type Asker, type Context, entityOf, signatureOf, slotsOf } from "../context.ts";
import { auditLine, changesOfWhole, storedOf } from "../row/audit-line.ts";
import { asCondition, eyesOf } from "../row/read-scope.ts";
import { replacedRows, rowEnv, tableOf } from "../row/sql-env.ts";
import { queryOf } from "../statements.ts";
import { goneColumns, partsGone } from "../transaction/cascade-delete.ts";
import { constraintRefusal, goneIn } from "../transaction/constraint-errors.ts";
import { requireAll, rowsIn, stepRows } from "../transaction/early-locks.ts";
import {
  isLockedBefore,
  type Judging,
  lockedBy,
  lockedColumn,
  lockingOf,
  lockRounds,
  type Touched,
  touchedLocks,
  tryingOf,
} from "../transaction/locks.ts";
import { wholesLocked, wholesRaised } from "../transaction/parent-versions.ts";
import type { Written } from "../transaction/write-set.ts";

/** Deletes a record and keeps what it was in its history, in one statement. */
export const planRemove = (
  context: Context,
  intent: Extract<Intent, { kind: "delete" }>,
  asker: Asker,
  format: Format,
  among?: Among,
): Action | Refusal => {
  const { model, version } = context;
  const { person } = asker;
  const entity = entityOf(context, intent.entity);
  const grants = grantsFor(model, entity, "delete", person);
  const clause = decidingClauseId(entity, "delete");
  const follows = among !== undefined || isFollowed(model, entity, "delete", null);
  const wrote: Written[] = [];
  const affectedRules = follows ? [] : rulesAffectedBy(model, entity, null);
  const guards = guardReadsOf(model, entity, "delete");
  const touched: Touched = { model, entity, changed: null, sides: { was: CURRENT, is: null }, states: null };
  const key = ["delete", entity.name, signatureOf(person), follows, among === undefined];
  const current = (): Sql =>
    sql`"c" AS MATERIALIZED (SELECT * FROM ${tableOf(entity)} AS "t" WHERE "t"."id" = ${slot("id", "uuid")} AND ${wholesLocked(model, entity, (name) => sql`(SELECT "y".${identifier(name)} FROM ${tableOf(entity)} AS "y" WHERE "y"."id" = ${slot("id", "uuid")})`)} AND ${asCondition(eyesOf(model, entity, person, "t").rows)} FOR UPDATE)`;
  const firings = triggersAffectedBy(model, entity, "delete", null);
  const judging: Judging = { reaches: rulesAffectedBy(model, entity, null), guards, firings };
  const isLocked = follows || isLockedBefore(judging);
  const before = context.statements.list(key, () =>
    isLocked
      ? lockRounds(touched, judging).map(
          (rows, round) =>
            sql`WITH ${current()} ${among !== undefined || (follows && round > 0) ? tryingOf(rows) : lockingOf(rows)}`,
        )
      : [],
  );
  const written = context.statements.get(key, () => {
    const replaced = replacedRows(model, entity, sql`${slot("id", "uuid")}`, null);
    const reached = affectedRules.map((affectedRule) =>
      failingOf(model, entity, affectedRule, touched.sides, replaced),
    );
    const judged: readonly Verdict[] = [
      {
        column: "is:fresh",
        condition: sql`(${slot("version", "integer")} IS NULL OR "c"."version" = ${slot("version", "integer")})`,
      },
      ...reachVerdicts(reached),
    ];
    const locks = isLocked ? [] : touchedLocks(touched);
    return {
      more: undefined,
      sql: sql`WITH ${current()},${lockedBy(locks)}
      "j" AS MATERIALIZED (SELECT ${join([sql`"c"."id"`, ...gateColumns(grants, rowEnv(model, entity, CURRENT)), ...verdictColumns(judged)], ", ")} FROM "c"),
      "d" AS (DELETE FROM ${tableOf(entity)} AS "t" USING "j" WHERE "t"."id" = "j"."id" AND ${gatesHold(grants, [])} AND ${allHold(judged)} RETURNING "t".*),
      "a" AS (${auditLine({ entity, action: "delete", clause, version, changes: changesOfWhole(entity, storedOf(entity), DONE, "before"), from: sql`FROM "d"` })} RETURNING "id", "record")${partsGone(context, entity, DONE, "a")}${wholesRaised(model, entity, DONE)}
      SELECT ${join([sql`"j".*`, ...reachWords(model, person, reached, replaced), ...lockedColumn(locks), ...(follows ? [sql`(SELECT "id" FROM "a") AS "is:line"`, sql`to_jsonb("c")::text AS "is:before"`, ...goneColumns(context, entity, DONE, "a")] : [])], ", ")} FROM "j" CROSS JOIN "c"`,
    };
  });
  const slots = { ...slotsOf(asker), id: intent.id, version: intent.version };
  return {
    kind: "action",
    writes: true,
    ...(among === undefined ? {} : { takes: stepRows(context, entity, intent.id, among.written, true) }),
    queries: [...before, written].map((one) => queryOf(one, slots)),
    settle: (results) => {
      if (follows) requireAll(model, results.slice(0, -1), rowsIn(among?.written ?? []));
      const row = results.at(-1)?.[0];
      if (row === undefined) return refuse("NOT_FOUND", decidingClauseId(entity, "read"));
      if (fieldsRefused(grants, [], row) === undefined) return forbid(clause, whoMay(asker.tongue, entity, "delete"));
      if (row["is:fresh"] !== true) return refuse("CHANGED_MEANWHILE", entity.clause.id);
      const broken = brokenReaches(context.model, affectedRules, row, format);
      return broken.length > 0 ? refuseAt(broken) : reply(204, undefined);
    },
    constraint: (name) =>
      constraintRefusal(
        model,
        entity,
        name,
        new Map([...goneIn(wrote), ...goingWith(model, entity, entity.clause.id)]),
      ),
    ...(follows
      ? followed(context, asker, format, {
          ...{ entity, moment: "delete", changed: null, id: intent.id, label: false },
          ...{ written: wrote, among },
        })
      : {}),
    // A part that came while its record went is seen the next time.
    again: (name) => isPartsReference(model, entity, name),
  };
};

/** The entities of what goes, each with the clause that is told where it has to stay: that of the record itself. */
export const goingWith = (model: Model, entity: Entity, clause: string): ReadonlyMap<string, string> =>
  new Map([
    ...partsOf(model, entity).flatMap((part) => [...goingWith(model, part.entity, clause)]),
    [entity.name, clause],
  ]);

/** Whether a constraint is the reference of a part, or of a part's part. */
const isPartsReference = (model: Model, entity: Entity, constraint: string): boolean =>
  partsOf(model, entity).some(
    (part) =>
      constraint === referenceName(part.entity.table, part.field.name) ||
      isPartsReference(model, part.entity, constraint),
  );
