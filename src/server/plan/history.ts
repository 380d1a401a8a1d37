import { deciderOf } from "../../core/derive/access.ts";
import type { Format } from "../../core/model/format.ts";
import type { Entity } from "../../core/model/model.ts";
import { transitionSince } from "../../core/model/renaming.ts";
import { join, slot, sql } from "../../core/sql.ts";
import type { HistoryJson, HistoryLine, LineCause, PartLine } from "../../core/wire/history.ts";
import type { Row } from "../../postgres/database.ts";
import type { Intent } from "../ask.ts";
import { type Refusal, refuse } from "../refusal.ts";
import { type Action, reply } from "./action.ts";
import { type Asker, type Context, entityOf, queryOf, signatureOf, slotsOf } from "./context.ts";
import { tableOf } from "./environment.ts";
import { asCondition, eyesOf } from "./eyes.ts";
import { causes } from "./history-causes.ts";
import { changesIn, labelsInLines, linesOf, type Reading, seenColumns, wordsOf } from "./history-lines.ts";
import { partHistories } from "./history-parts.ts";
import { labelText, referenceLabelOf } from "./labels.ts";

/** Who did what to a record: of each line, the fields that the person may read on it now. */
export const planHistory = (
  context: Context,
  intent: Extract<Intent, { kind: "history" }>,
  asker: Asker,
  format: Format,
): Action | Refusal => {
  const { model, past } = context;
  const { person } = asker;
  const entity = entityOf(context, intent.entity);
  const eyes = eyesOf(model, entity, person, "t");
  const notFound = refuse("NOT_FOUND", deciderOf(entity, "read"));
  if (eyes.gates.length === 0) return notFound;
  const user = entityOf(context, "User");
  const key = `${entity.name} ${signatureOf(person)}`;

  const following = causes(context, entity, asker);
  const lines = context.statements.get(`history ${key}`, () => ({
    more: undefined,
    sql: sql`SELECT ${join([sql`"a".id, "a".at, "a".person, "a".action, "a".clause, "a".document, "a".changes`, ...following.columns, sql`${referenceLabelOf(model, user, person, sql`"a".person`)} AS "by"`, ...seenColumns(eyes)], ", ")}
      FROM ${tableOf(entity)} AS "t" LEFT JOIN LATERAL (${linesOf(context, entity, sql`*`, sql`"t"."id"`)}) AS "a" ON TRUE
      WHERE "t"."id" = ${slot("id", "uuid")} AND ${asCondition(eyes.rows)} ORDER BY "a".id DESC`,
  }));
  const labels = labelsInLines(context, eyes, asker, `history labels ${key}`, sql`record = ${slot("id", "uuid")}`);
  const parts = partHistories(context, entity, asker, format);
  const slots = { ...slotsOf(asker), id: intent.id };
  const ofParts = parts.flatMap(({ queries }) => queries);
  return {
    kind: "action",
    queries: [lines, ...labels.map(({ written }) => written), ...ofParts].map((one) => queryOf(one, slots)),
    settle: ([rows = [], ...found]) => {
      if (rows.length === 0) return notFound;
      const reading: Reading = { entity, fields: eyes.fields, words: wordsOf(labels, found, format), past };
      let at = labels.length;
      const byLine = parts.map(({ queries, read }) => {
        const own = found.slice(at, at + queries.length);
        at += queries.length;
        return read(own);
      });
      const partsAt = (line: unknown): readonly PartLine[] => byLine.flatMap((one) => one.get(String(line)) ?? []);
      const items = rows
        .filter((row) => row.action !== null)
        .map((row) =>
          lineOf(row, reading, user, { parts: partsAt(row.id), cause: following.read(row, format) }, format),
        );
      return reply(200, { items } satisfies HistoryJson);
    },
    constraint: () => undefined,
  };
};

/** A line names everything as it was called when it was written, and is told by the names of today. */
const lineOf = (
  row: Row,
  reading: Reading,
  user: Entity,
  { parts, cause }: { readonly parts: readonly PartLine[]; readonly cause: LineCause | undefined },
  format: Format,
): HistoryLine => {
  const document = Number(row.document);
  return {
    at: String(row.at),
    person:
      row.person === null
        ? null
        : { id: String(row.person), label: row.by === null ? "…" : labelText(user.label, row.by, format) },
    action: transitionSince(reading.past, document, reading.entity.name, String(row.action)),
    clause: String(row.clause),
    document,
    changes: changesIn(row, reading),
    ...(cause === undefined ? {} : { cause }),
    ...(parts.length === 0 ? {} : { parts }),
  };
};
