import { deciderOf } from "../../core/derive/access.ts";
import type { Format } from "../../core/model/format.ts";
import type { Entity, Field } from "../../core/model/model.ts";
import {
  fieldAsOf,
  namesOfEntity,
  namesOfField,
  type Past,
  transitionSince,
  valueSince,
} from "../../core/model/renaming.ts";
import { constant, identifier, join, slot, sql } from "../../core/sql.ts";
import type { HistoryJson, HistoryLine, Json } from "../../core/wire.ts";
import type { Row } from "../../postgres/database.ts";
import type { Intent } from "../ask.ts";
import { type Refusal, refuse } from "../refusal.ts";
import { type Action, reply } from "./action.ts";
import { fromHistory } from "./audit.ts";
import { type Asker, type Context, entityOf, queryOf, signatureOf, slotsOf } from "./context.ts";
import { tableOf } from "./environment.ts";
import { asCondition, eyesOf } from "./eyes.ts";
import { labelOf, labelText, referenceLabelOf } from "./labels.ts";
import { answerOf } from "./record.ts";

/** Lines of one answer; a record with more shows its newest. */
const MOST = 200;

/** Who did what to a record: of each line, the fields that the person may read on it now. */
export const planHistory = (
  context: Context,
  intent: Extract<Intent, { kind: "history" }>,
  asker: Asker,
  format: Format,
): Action | Refusal => {
  const { model } = context;
  const { person } = asker;
  const entity = entityOf(context, intent.entity);
  const eyes = eyesOf(model, entity, person, "t");
  const notFound = refuse("NOT_FOUND", deciderOf(entity, "read"));
  if (eyes.gates.length === 0) return notFound;
  const user = entityOf(context, "User");
  const key = `${entity.name} ${signatureOf(person)}`;

  const names = namesOfEntity(context.past, entity.name);
  const lines = context.statements.get(`history ${key}`, () => {
    const seen = eyes.fields.flatMap((field) => {
      const when = eyes.seen(field.name);
      return when === undefined ? [] : [sql`${when} AS ${identifier(`seen:${field.name}`)}`];
    });
    return {
      more: undefined,
      sql: sql`SELECT ${join([sql`"a".at, "a".person, "a".action, "a".clause, "a".document, "a".changes`, sql`${referenceLabelOf(model, user, person, sql`"a".person`)} AS "by"`, ...seen], ", ")}
        FROM ${tableOf(entity)} AS "t" LEFT JOIN LATERAL (SELECT * FROM ninefold.audit WHERE record = "t"."id" AND entity IN (${join(
          names.map((name) => constant(name)),
          ", ",
        )}) ORDER BY id DESC LIMIT ${constant(MOST)}) AS "a" ON TRUE
        WHERE "t"."id" = ${slot("id", "uuid")} AND ${asCondition(eyes.rows)} ORDER BY "a".id DESC`,
    };
  });
  const references = eyes.fields.filter((field) => field.type === "reference");
  const labels = references.map((field) =>
    context.statements.get(`history labels ${key} ${field.name}`, () => {
      const target = entityOf(context, field.entity ?? "");
      const own = eyesOf(model, target, person, "x");
      return {
        more: target,
        sql: sql`SELECT "x"."id", ${labelOf(model, target, person, "x")} AS "label" FROM ${tableOf(target)} AS "x"
          WHERE "x"."id" IN (SELECT (value #>> '{}')::uuid FROM ninefold.audit, jsonb_path_query(coalesce(${join(
            namesOfField(context.past, entity.name, field.name).map((name) => sql`changes -> ${constant(name)}`),
            ", ",
          )}), '$[*][*] ? (@ != null)') AS value WHERE record = ${slot("id", "uuid")}) AND ${asCondition(own.rows)}`,
      };
    }),
  );
  const slots = { ...slotsOf(asker), id: intent.id };
  return {
    kind: "action",
    queries: [queryOf(lines, slots), ...labels.map((one) => queryOf(one, slots))],
    settle: ([rows = [], ...found]) => {
      if (rows.length === 0) return notFound;
      const words = new Map(
        references.map((field, i) => [field.name, wordsById(labels[i]?.more, found[i] ?? [], format)]),
      );
      const body: HistoryJson = {
        items: rows
          .filter((row) => row.action !== null)
          .map((row) => lineOf(row, { entity, fields: eyes.fields, user, words, format, past: context.past })),
      };
      return reply(200, body);
    },
    constraint: () => undefined,
  };
};

const wordsById = (target: Entity | undefined, rows: readonly Row[], format: Format): ReadonlyMap<string, string> =>
  new Map(target === undefined ? [] : rows.map((row) => [String(row.id), labelText(target.label, row.label, format)]));

interface Reading {
  readonly entity: Entity;
  readonly fields: readonly Field[];
  readonly user: Entity;
  readonly words: ReadonlyMap<string, ReadonlyMap<string, string>>;
  readonly format: Format;
  readonly past: Past;
}

/** A line names everything as it was called when it was written, and is told by the names of today. */
const lineOf = (row: Row, { entity, fields, user, words, format, past }: Reading): HistoryLine => {
  const changes = (row.changes ?? {}) as Readonly<Record<string, readonly [Json, Json]>>;
  const document = Number(row.document);
  const valueNow = (field: Field, value: Json): Json => {
    if (field.values.length === 0 || past.length === 0) return value;
    if (Array.isArray(value)) return value.map((one) => valueNow(field, one));
    return typeof value === "string" ? valueSince(past, document, entity.name, field.name, value) : value;
  };
  const wire = (field: Field, value: Json | undefined): Json => {
    if (value === null || value === undefined) return null;
    if (field.type !== "reference") return answerOf(entity, field)(fromHistory(field, valueNow(field, value)));
    const refer = (id: Json): Json => ({ id: String(id), label: words.get(field.name)?.get(String(id)) ?? "…" });
    return Array.isArray(value) ? value.map(refer) : refer(value);
  };
  return {
    at: String(row.at),
    person:
      row.person === null
        ? null
        : { id: String(row.person), label: row.by === null ? "…" : labelText(user.label, row.by, format) },
    action: transitionSince(past, document, entity.name, String(row.action)),
    clause: String(row.clause),
    document,
    changes: fields.flatMap((field) => {
      const change = changes[fieldAsOf(past, document, entity.name, field.name)];
      if (change === undefined || row[`seen:${field.name}`] === false || row[`seen:${field.name}`] === null) return [];
      return [{ field: field.name, before: wire(field, change[0]), after: wire(field, change[1]) }];
    }),
  };
};
