import {
  type Considered,
  consideredFor,
  type Must,
  type Need,
} from "../../../core/derive/authorization/explain-access.ts";
import { gatesOf } from "../../../core/derive/authorization/grants.ts";
import type { Phrasing } from "../../../core/explain/phrase.ts";
import { toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Entity, Field } from "../../../core/model/model.ts";
import { identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { WhyJson } from "../../../core/wire/why.ts";
import type { Query, Row } from "../../../postgres/database.ts";
import { toldTo, wordsSql } from "../checks/rules.ts";
import { type Asker, type Context, queryOf, signatureOf, slotsOf } from "../context.ts";
import { referenceLabelOf, referenceLabelsOf, seenEnv } from "../row/labels.ts";
import { asCondition, eyesOf } from "../row/read-scope.ts";
import { environmentOf, tableOf } from "../row/sql-env.ts";
import { inGeneral, onRecord, withoutRecord } from "./answer.ts";
import { fieldsOf, type Known, type WhyAsked } from "./explain-context.ts";
import { peopleColumns, throughsOf } from "./people.ts";
import { dependsOn } from "./sentences.ts";

/** What explains an answer: how each condition came out for who would do it, and what who is told may see. */
export interface Explaining {
  /** Empty where no record has to be looked at. */
  readonly queries: readonly [] | readonly [judged: Query, seen: Query];
  explain(judged: Row | undefined, seen: Row | undefined): WhyJson;
}

const as = (piece: Sql, name: string): Sql => sql`${piece} AS ${identifier(name)}`;

/**
 * Every clause that decides it, judged one by one on the record by the same expressions as the answer itself. Who asks is
 * told what they may read: of a record that they may not see, no more than that. Without a record, what it depends on.
 */
export const planWhy = (context: Context, asked: WhyAsked, asker: Asker, format: Format): Explaining => {
  const { model } = context;
  const { entity, doing, id, field, as: other } = asked;
  const actor = other?.person ?? asker.person;
  const reader = asker.person;
  const what = `${entity.name} ${doing.kind} ${doing.kind === "action" ? doing.action : doing.transition.name} ${field?.name ?? ""}`;
  const both = `${signatureOf(actor)} ${signatureOf(reader)}`;
  const known = context.statements.find(`considered ${what} ${both}`, (): Known => {
    const all = consideredFor(model, entity, doing, actor, reader);
    const ways = all.ways.filter(({ fields }) => field === null || fields === null || fields.has(field.name));
    const considered = { ...all, ways };
    return { considered, fields: fieldsRead(entity, considered) };
  });
  const phrasing: Phrasing = {
    model,
    tongue: asker.tongue,
    format,
    who: other?.name ?? null,
    source: context.source,
  };
  const whose = { model, entity, reader, tongue: asker.tongue, format };
  const through = throughsOf(whose, known.considered, undefined);
  const told = { asked, known, phrasing, context, reader, format, whose, through };
  const settled = withoutRecord(told);
  // To who lacks the role, the record says whether anybody could.
  const asksWhoCould = settled !== undefined && settled.could !== null && id !== null;
  if ((settled !== undefined && !asksWhoCould) || id === null)
    return { queries: [], explain: () => settled ?? inGeneral(told, "depends", dependsOn(told)) };

  const { considered } = known;
  const where = sql`FROM ${tableOf(entity)} AS "t" WHERE "t"."id" = ${slot("id", "uuid")}`;
  const judged = context.statements.get(`why ${what} ${both}`, () => {
    const env = environmentOf(model, entity, "t");
    const truth = ({ condition }: Need): Sql => sql`(${toSql(condition, env).truth})`;
    const must = (one: Must): Sql =>
      one.when === null ? truth(one) : sql`(${toSql(one.when, env).falsehood}) OR ${truth(one)}`;
    const verdict = (holds: Sql, name: string): Sql => as(sql`COALESCE(${holds}, FALSE)`, name);
    const columns = [
      as(sql`"t"."id"`, "id"),
      ...(entity.states === null ? [] : [as(env.field(entity.states.field).sql, "is:state")]),
      ...considered.ways.flatMap((way, i) => way.needs.map((need, k) => verdict(truth(need), `way:${i}:${k}`))),
      ...considered.musts.flatMap((one, i) => (one.isJudged ? [verdict(must(one), `must:${i}`)] : [])),
    ];
    return { more: undefined, sql: sql`SELECT ${join(columns, ", ")} ${where}` };
  });
  const seen = context.statements.get(`why seen ${what} ${both}`, () => {
    const eyes = eyesOf(model, entity, reader, "t");
    const seenBy = seenEnv(model, entity, reader, "t");
    const isTold = () => toldTo(model, reader, entity, [gatesOf(model, entity, "read", reader)], new Set());
    const words = considered.musts.flatMap(({ rule, isJudged }, i) =>
      rule === null || !isJudged ? [] : [as(wordsSql(rule.message, seenBy, isTold), `words:${i}`)],
    );
    const people = peopleColumns(considered, reader, seenBy);
    const sights = [...sightsOf(considered)].flatMap((name) => {
      const sight = eyes.seen(name);
      return sight === undefined ? [] : [as(sql`COALESCE(${sight}, FALSE)`, `seen:${name}`)];
    });
    const columns = known.fields.flatMap((one) => {
      const column = eyes.column(one.name);
      if (column === undefined) return [];
      const target = one.type === "reference" ? model.entities.get(one.entity ?? "") : undefined;
      return [
        as(column, `found:${one.name}`),
        ...(target === undefined
          ? []
          : [
              as((one.many ? referenceLabelsOf : referenceLabelOf)(model, target, reader, column), `label:${one.name}`),
            ]),
      ];
    });
    return {
      more: undefined,
      sql: sql`SELECT ${join([as(sql`"t"."id"`, "id"), ...columns, ...sights, ...words, ...people], ", ")} ${where} AND ${asCondition(eyes.rows)}`,
    };
  });
  return {
    queries: [
      queryOf(judged, { ...slotsOf({ ...asker, person: actor }), id }),
      queryOf(seen, { ...slotsOf(asker), id }),
    ],
    explain: (row, shown) => {
      if (row === undefined || shown === undefined)
        return settled ?? inGeneral(told, "unseen", asker.tongue.sentences.unseen);
      const found = onRecord(told, row, shown);
      return settled === undefined ? found : { ...settled, could: found.could };
    },
  };
};

/** The fields of which the record decides whether its reader sees them. */
const sightsOf = ({ ways, from, musts }: Considered): ReadonlySet<string> =>
  new Set(
    [...ways.flatMap(({ needs }) => needs), ...(from === null ? [] : [from]), ...musts].flatMap((one) => one.sights),
  );

const fieldsRead = (entity: Entity, { ways, musts }: Considered): readonly Field[] => {
  const read = new Set([...ways.flatMap(({ needs }) => needs), ...musts].flatMap((need) => [...fieldsOf(need)]));
  return [...entity.fields.values()].filter(({ name, held }) => read.has(name) && held.as !== "list");
};
