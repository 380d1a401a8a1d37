import { deciderOf } from "../../core/derive/access.ts";
import type { Format } from "../../core/model/format.ts";
import { identifier, slot, sql } from "../../core/sql.ts";
import type { Intent } from "../ask.ts";
import { type Refusal, refuse } from "../refusal.ts";
import { type Action, JsonText, reply } from "./action.ts";
import { type Asker, type Context, entityOf, queryOf, signatureOf, slotsOf } from "./context.ts";
import { tableOf } from "./environment.ts";
import { asCondition, eyesOf } from "./eyes.ts";
import { columnsOf, readerOf } from "./record.ts";

/** One record, with the permission in the WHERE: what may not be read is not there. */
export const planRead = (
  context: Context,
  intent: Extract<Intent, { kind: "read" }>,
  asker: Asker,
  format: Format,
): Action | Refusal => {
  const entity = entityOf(context, intent.entity);
  const { person } = asker;
  const notFound = refuse("NOT_FOUND", deciderOf(entity, "read"));
  const wanted = { may: true, label: intent.label };
  const written = context.statements.get(`read ${entity.name} ${signatureOf(person)} ${intent.label}`, () => {
    const eyes = eyesOf(context.model, entity, person, "t");
    return {
      sql: sql`SELECT ${columnsOf(context, person, eyes, "t", wanted)} FROM ${tableOf(entity)} AS ${identifier("t")} WHERE "t"."id" = ${slot("id", "uuid")} AND ${asCondition(eyes.rows)}`,
      more: { isOpen: eyes.gates.length > 0, reader: readerOf(context, person, eyes, wanted, format) },
    };
  });
  if (!written.more.isOpen) return notFound;
  return {
    kind: "action",
    queries: [queryOf(written, { ...slotsOf(asker), id: intent.id })],
    settle: ([rows]) => {
      const row = rows?.[0];
      if (row === undefined) return notFound;
      return reply(200, new JsonText(written.more.reader.text(row)), { etag: `"${row.version}"` });
    },
    constraint: () => undefined,
  };
};
