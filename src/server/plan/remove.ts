import { deciderOf, gatesOf, whoMay } from "../../core/derive/access.ts";
import { join, slot, sql } from "../../core/sql.ts";
import type { Intent } from "../ask.ts";
import { forbid, type Refusal, refuse } from "../refusal.ts";
import { type Action, reply } from "./action.ts";
import { auditLine, changesOfWhole } from "./audit.ts";
import { constraintRefusal } from "./constraints.ts";
import { type Asker, type Context, entityOf, queryOf, signatureOf, slotsOf } from "./context.ts";
import { environmentOf, tableOf } from "./environment.ts";
import { asCondition, eyesOf } from "./eyes.ts";
import { CURRENT, DONE, fieldsRefused, gateColumns, gatesHold, verdictColumns } from "./judge.ts";

/** Deletes a record and keeps what it was in its history, in one statement. */
export const planRemove = (
  context: Context,
  intent: Extract<Intent, { kind: "delete" }>,
  asker: Asker,
): Action | Refusal => {
  const { model, version } = context;
  const { person } = asker;
  const entity = entityOf(context, intent.entity);
  const gates = gatesOf(model, entity, "delete", person);
  const clause = deciderOf(entity, "delete");
  const written = context.statements.get(`delete ${entity.name} ${signatureOf(person)}`, () => ({
    more: undefined,
    sql: sql`WITH "c" AS MATERIALIZED (SELECT * FROM ${tableOf(entity)} AS "t" WHERE "t"."id" = ${slot("id", "uuid")} AND ${asCondition(eyesOf(model, entity, person, "t").rows)} FOR UPDATE),
      "j" AS MATERIALIZED (SELECT ${join([sql`"c"."id"`, ...gateColumns(gates, environmentOf(entity, CURRENT)), ...verdictColumns([{ column: "is:fresh", condition: sql`(${slot("version", "integer")} IS NULL OR "c"."version" = ${slot("version", "integer")})` }])], ", ")} FROM "c"),
      "d" AS (DELETE FROM ${tableOf(entity)} AS "t" USING "j" WHERE "t"."id" = "j"."id" AND ${gatesHold(gates, [])} AND "j"."is:fresh" RETURNING "t".*),
      "a" AS (${auditLine({ entity, action: "delete", clause, version, changes: changesOfWhole(entity.fields.keys(), DONE, "before"), from: sql`FROM "d"` })})
      SELECT "j".* FROM "j"`,
  }));
  return {
    kind: "action",
    queries: [queryOf(written, { ...slotsOf(asker), id: intent.id, version: intent.version })],
    settle: ([rows]) => {
      const row = rows?.[0];
      if (row === undefined) return refuse("NOT_FOUND", deciderOf(entity, "read"));
      if (fieldsRefused(gates, [], row) === undefined) return forbid(clause, whoMay(entity, "delete"));
      return row["is:fresh"] === true ? reply(204, undefined) : refuse("CHANGED_MEANWHILE", entity.clause.id);
    },
    constraint: (name) => constraintRefusal(model, entity, name),
  };
};
