import { decidingClauseId, grantsFor } from "../../../core/derive/authorization/grants.ts";
import { guardReadsOf } from "../../../core/derive/consistency/read-sets.ts";
import { whoMay } from "../../../core/explain/who-may.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Entity } from "../../../core/model/model.ts";
import { identifier, join, slot, sql } from "../../../core/sql.ts";
import { forbid, type Refusal } from "../../refusal.ts";
import { type Action, reply } from "../action.ts";
import type { Among } from "../after-write.ts";
import { CURRENT, DONE } from "../checks/check.ts";
import { gateColumns, gatesHold } from "../checks/permissions.ts";
import { type Asker, type Context, signatureOf, slotsOf } from "../context.ts";
import { firing } from "../effects/condition-triggers.ts";
import { afterWave } from "../effects/run-effects.ts";
import { auditLine, changesOfWhole, storedOf } from "../row/audit-line.ts";
import { asCondition, eyesOf } from "../row/read-scope.ts";
import { rowEnv, tableOf } from "../row/sql-env.ts";
import { queryOf } from "../statements.ts";
import type { Steps } from "../steps.ts";
import { goneColumns, goneWaves, partsGone } from "../transaction/cascade-delete.ts";
import { constraintRefusal, goneIn } from "../transaction/constraint-errors.ts";
import { judged } from "../transaction/final-checks.ts";
import { lockingOf, lockRounds } from "../transaction/locks.ts";
import { wholesLocked, wholesRaised } from "../transaction/parent-versions.ts";
import type { Written, WrittenRow } from "../transaction/write-set.ts";
import { goingWith } from "./delete.ts";

/**
 * Deletes records and keeps what they were in their histories, all or none, in one statement however many they are: each is
 * judged as by itself, and what follows and what others have to say of it is judged of all of them at the end.
 */
export const planRemoveAll = (
  context: Context,
  entity: Entity,
  ids: readonly string[],
  asker: Asker,
  format: Format,
  among?: Among,
): Action | Refusal => {
  const { model, version } = context;
  const { person } = asker;
  const grants = grantsFor(model, entity, "delete", person);
  const clause = decidingClauseId(entity, "delete");
  const refused = (): Refusal => forbid(clause, whoMay(asker.tongue, entity, "delete"));
  if (grants.length === 0) return refused();
  const wrote: Written[] = [];
  const guards = guardReadsOf(model, entity, "delete");
  const these = sql`"t"."id" = ANY(${slot("ids", "uuid[]")})`;
  const touched = { model, entity, changed: null, sides: { was: CURRENT, is: null }, states: null };
  const before = context.statements.list(["lock all", entity.name], () =>
    guards.length === 0
      ? []
      : lockRounds(touched, { guards }).map(
          (rows) =>
            sql`WITH "c" AS MATERIALIZED (SELECT * FROM ${tableOf(entity)} AS "t" WHERE ${these}) ${lockingOf(rows)}`,
        ),
  );
  const written = context.statements.get(["delete all", entity.name, signatureOf(person)], () => {
    const wholes = wholesLocked(
      model,
      entity,
      (name) => sql`ANY(ARRAY(SELECT "t".${identifier(name)} FROM ${tableOf(entity)} AS "t" WHERE ${these}))`,
    );
    const current = sql`SELECT * FROM ${tableOf(entity)} AS "t" WHERE ${these} AND ${wholes} AND ${asCondition(eyesOf(model, entity, person, "t").rows)} ORDER BY "t"."id" FOR UPDATE`;
    const row = sql`jsonb_build_object('id', "c"."id", 'line', "a"."id", 'before', to_jsonb("c")::text)`;
    return {
      more: undefined,
      sql: sql`WITH "c" AS MATERIALIZED (${current}),
      "j" AS MATERIALIZED (SELECT ${join([sql`"c"."id"`, ...gateColumns(grants, rowEnv(model, entity, CURRENT))], ", ")} FROM "c"),
      "d" AS (DELETE FROM ${tableOf(entity)} AS "t" USING "j" WHERE "t"."id" = "j"."id" AND NOT EXISTS (SELECT FROM "j" WHERE NOT ${gatesHold(grants, [])}) RETURNING "t".*),
      "a" AS (${auditLine({ entity, action: "delete", clause, version, changes: changesOfWhole(entity, storedOf(entity), DONE, "before"), from: sql`FROM "d"` })} RETURNING "id", "record")${partsGone(context, entity, DONE, "a")}${wholesRaised(model, entity, DONE)}
      SELECT ${join([sql`(SELECT count(*) FROM "c") = (SELECT count(*) FROM "d") AS "is:done"`, sql`(SELECT COALESCE(jsonb_agg(${row} ORDER BY "c"."id"), '[]'::jsonb) FROM "c" JOIN "a" ON "a"."record" = "c"."id") AS "is:gone"`, ...goneColumns(context, entity, DONE, "a")], ", ")}`,
    };
  });
  return {
    kind: "action",
    queries: [...before, written].map((one) => queryOf(one, { ...slotsOf(asker), ids })),
    settle: (results) => (results.at(-1)?.[0]?.["is:done"] === true ? reply(204, undefined) : refused()),
    follow: function* (row, settled): Steps<ReturnType<typeof reply> | Refusal> {
      wrote.length = 0;
      const rows = (row["is:gone"] ?? []) as readonly WrittenRow[];
      const waves: readonly Written[] = [
        { entity, moment: "delete", changed: null, rows },
        ...goneWaves(context, entity, row, DONE),
      ];
      const following = { context, asker, format, written: wrote };
      wrote.push(...waves);
      for (const wave of waves) {
        const outcome = yield* afterWave(following, wave);
        if (outcome !== undefined) return outcome;
      }
      const outcome =
        (yield* firing(following)) ?? (among === undefined ? yield* judged(following, new Map()) : undefined);
      among?.written.push(...wrote);
      return outcome ?? settled;
    },
    constraint: (name) =>
      constraintRefusal(
        model,
        entity,
        name,
        new Map([...goneIn(wrote), ...goingWith(model, entity, entity.clause.id)]),
      ),
  };
};
