import { isAdministrator, type Person, rolesThat } from "../../core/derive/access.ts";
import { rulesAt } from "../../core/derive/rules.ts";
import { type Considered, consideredFor, type Doing, type Must, type Need, type Way } from "../../core/derive/why.ts";
import { type Phrasing, phraseOf } from "../../core/explain/phrase.ts";
import { tongueOf } from "../../core/explain/tongue.ts";
import type { Format } from "../../core/model/format.ts";
import type { Entity, Field } from "../../core/model/model.ts";
import { readsOf } from "../../core/rule/reads.ts";
import { toSql } from "../../core/rule/to-sql.ts";
import { identifier, join, type Sql, slot, sql } from "../../core/sql.ts";
import type { StepJson, WayJson, WhyJson } from "../../core/wire.ts";
import type { Query, Row } from "../../postgres/database.ts";
import { type Asker, type Context, queryOf, signatureOf, slotsOf } from "./context.ts";
import { environmentOf, tableOf } from "./environment.ts";
import { asCondition, eyesOf } from "./eyes.ts";
import { labelText, referenceLabelOf } from "./labels.ts";

/** A question about one record: who would do what, and who is told. */
export interface WhyAsked {
  readonly entity: Entity;
  readonly doing: Doing;
  readonly id: string;
  /** Who would do it, and what they are called; null where that is who asks. */
  readonly as: { readonly person: Person; readonly name: string } | null;
}

interface Judged {
  readonly considered: Considered;
  readonly rules: readonly Must[];
  readonly fields: readonly Field[];
}

/** What explains an answer: how each condition came out for who would do it, and what who is told may see. */
export interface Explaining {
  readonly queries: readonly [judged: Query, seen: Query];
  explain(judged: Row | undefined, seen: Row | undefined): WhyJson;
}

const as = (piece: Sql, name: string): Sql => sql`${piece} AS ${identifier(name)}`;

/**
 * Every clause that decides it, judged one by one on the record by the same expressions as the answer itself. Who asks is
 * told what they may read: of a record that they may not see, no more than that. Without a record, what it depends on.
 */
export const planWhy = (
  context: Context,
  { entity, doing, id, as: other }: WhyAsked,
  asker: Asker,
  format: Format,
): Explaining => {
  const { model } = context;
  const actor = other?.person ?? asker.person;
  const reader = asker.person;
  const what = `${entity.name} ${doing.kind} ${doing.kind === "action" ? doing.action : doing.transition.name}`;
  const both = `${signatureOf(actor)} ${signatureOf(reader)}`;
  const known = context.statements.find(`considered ${what} ${both}`, (): Judged => {
    const considered = consideredFor(model, entity, doing, actor, reader);
    const rules = rulesOf(context, entity, doing, reader);
    return { considered, rules, fields: fieldsRead(entity, considered, rules) };
  });
  const { considered, rules } = known;
  const where = sql`FROM ${tableOf(entity)} AS "t" WHERE "t"."id" = ${slot("id", "uuid")}`;
  const judged = context.statements.get(`why ${what} ${both}`, () => {
    const env = environmentOf(model, entity, "t");
    const truth = ({ condition }: Need): Sql => sql`COALESCE(${toSql(condition, env).truth}, FALSE)`;
    const columns = [
      as(sql`"t"."id"`, "id"),
      ...(entity.states === null ? [] : [as(env.field(entity.states.field).sql, "is:state")]),
      ...considered.ways.flatMap((way, i) => way.needs.map((need, k) => as(truth(need), `way:${i}:${k}`))),
      ...[...considered.musts, ...rules].map((must, i) => as(truth(must), `must:${i}`)),
    ];
    return { more: undefined, sql: sql`SELECT ${join(columns, ", ")} ${where}` };
  });
  const seen = context.statements.get(`why seen ${what} ${both}`, () => {
    const eyes = eyesOf(model, entity, reader, "t");
    const columns = known.fields.flatMap((field) => {
      const column = eyes.column(field.name);
      if (column === undefined) return [];
      const target = field.type === "reference" ? model.entities.get(field.entity ?? "") : undefined;
      return [
        as(column, `found:${field.name}`),
        ...(target === undefined ? [] : [as(referenceLabelOf(model, target, reader, column), `label:${field.name}`)]),
      ];
    });
    return {
      more: undefined,
      sql: sql`SELECT ${join([as(sql`"t"."id"`, "id"), ...columns], ", ")} ${where} AND ${asCondition(eyes.rows)}`,
    };
  });
  const phrasing: Phrasing = {
    model,
    tongue: tongueOf(model.locale),
    format,
    who: other?.name ?? null,
    source: context.source,
  };
  return {
    queries: [
      queryOf(judged, { ...slotsOf({ ...asker, person: actor }), id }),
      queryOf(seen, { ...slotsOf(asker), id }),
    ],
    explain: (row, shown) => explained(known, entity, doing, { row, shown }, phrasing, context, reader, format),
  };
};

/** The rules that a transition would have to keep, as far as the record says before what it asks for is given. */
const rulesOf = (context: Context, entity: Entity, doing: Doing, reader: Person): readonly Must[] => {
  if (doing.kind === "action") return [];
  const { transition } = doing;
  const changed = new Set([entity.states?.field ?? "", ...transition.set.keys()]);
  return rulesAt(entity, transition.name, changed)
    .filter((rule) => rule.when === null)
    .flatMap((rule) => {
      const asked = [...readsOf(rule.rule).fields].some((field) => transition.asks.includes(field));
      if (asked) return [];
      const [judged] = consideredFor(
        context.model,
        entity,
        { kind: "transition", transition: { ...transition, when: rule.rule } },
        reader,
        reader,
      ).musts;
      return judged === undefined
        ? []
        : [{ ...judged, condition: rule.rule, clause: rule.clause.id, of: "rule" as const }];
    });
};

/** The fields of the record itself that the conditions read, in document order. */
const fieldsRead = (entity: Entity, { ways, musts }: Considered, rules: readonly Must[]): readonly Field[] => {
  const read = new Set(
    [...ways.flatMap(({ needs }) => needs), ...musts, ...rules].flatMap(({ condition }) => [
      ...readsOf(condition).fields,
    ]),
  );
  return [...entity.fields.values()].filter(({ name, held }) => read.has(name) && held.as !== "list");
};

const explained = (
  { considered, rules, fields }: Judged,
  entity: Entity,
  doing: Doing,
  { row, shown }: { readonly row: Row | undefined; readonly shown: Row | undefined },
  phrasing: Phrasing,
  context: Context,
  reader: Person,
  format: Format,
): WhyJson => {
  // What roles that somebody does not hold would need is for authors to know.
  const toldOf = ({ held }: Pick<Way, "held">): boolean => held || isAdministrator(reader);
  if (row === undefined || shown === undefined)
    return {
      answer: "unseen",
      because: "There is no such record, or it may not be seen.",
      could: null,
      ways: considered.ways.filter(toldOf).map((way) => ({
        clause: way.clause,
        role: way.role,
        held: way.held,
        open: null,
        needs: way.needs.map(({ condition }) => ({
          clause: way.clause,
          says: phraseOf(condition, phrasing),
          holds: null,
          found: [],
        })),
      })),
      musts: [],
    };
  const found = (need: Need): StepJson["found"] => {
    const { fields: read } = readsOf(need.condition);
    return fields
      .filter(({ name }) => read.has(name) && `found:${name}` in shown)
      .map((field) => ({ field: field.title, value: foundValue(field, shown, entity, context, format) }));
  };
  const stepOf = (clause: string, need: Need, holds: boolean, told: boolean): StepJson => ({
    clause,
    says: phraseOf(need.condition, phrasing),
    holds: told ? holds : null,
    found: told ? found(need) : [],
  });
  const isFrom = considered.from === null || considered.from.includes(String(row["is:state"]));
  const musts = [...considered.musts, ...rules];
  const ways = considered.ways.map((way, i) => wayOf(way, i, row, stepOf));
  const open = ways.some(({ isOpen }) => isOpen);
  const broken = musts.findIndex((_, i) => row[`must:${i}`] !== true);
  const answer = open && isFrom && broken < 0 ? "yes" : "no";
  const roles = [...new Set(considered.ways.map(({ role }) => role))];
  return {
    answer,
    because: answer === "yes" ? "It may be done now." : sentence(),
    could: answer === "yes" || roles.length === 0 ? null : rolesThat(roles),
    ways: ways.map(({ json }) => json).filter(toldOf),
    musts: [
      ...(considered.from === null || entity.states === null
        ? []
        : [
            {
              clause: doing.kind === "transition" ? doing.transition.clause.id : entity.states.clause.id,
              says: phrasing.tongue.isOneOf(
                phrasing.tongue.own(entity.fields.get(entity.states.field)?.title ?? entity.states.field),
                considered.from.map((state) =>
                  phrasing.tongue.named(entity.states?.states.find(({ name }) => name === state)?.title ?? state),
                ),
                false,
              ),
              holds: isFrom,
              found: [],
            },
          ]),
      ...musts.map((must, i) => stepOf(must.clause, must, row[`must:${i}`] === true, must.told)),
    ],
  };

  /** The nearest way that is not open: what is missing of it, as far as it may be told. */
  function sentence(): string {
    if (!open) {
      const near = considered.ways
        .map((way, i) => ({ way, missing: missingOf(way, i, row ?? {}) }))
        .filter(({ way }) => way.held)
        .sort((a, b) => a.missing.length - b.missing.length)[0];
      const first =
        near?.missing.find(({ told }) => told) ?? (near?.missing.length === 1 ? near.missing[0] : undefined);
      if (first !== undefined) return asSentence(phraseOf(first.condition, phrasing, true));
      return near === undefined
        ? `It is open to ${rolesThat(roles)} alone.`
        : "What it depends on is not for everybody to see.";
    }
    if (!isFrom) return "The record is in another state.";
    const must = musts[broken];
    return must?.told === true
      ? asSentence(phraseOf(must.condition, phrasing, true))
      : "What it depends on is not for everybody to see.";
  }
};

const asSentence = (phrase: string): string => `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`;

const missingOf = (way: Way, i: number, row: Row): readonly Need[] =>
  way.needs.filter((_, k) => row[`way:${i}:${k}`] !== true);

const wayOf = (
  way: Way,
  i: number,
  row: Row,
  stepOf: (clause: string, need: Need, holds: boolean, told: boolean) => StepJson,
): { readonly isOpen: boolean; readonly json: WayJson } => {
  const missing = missingOf(way, i, row);
  const hidden = missing.filter(({ told }) => !told);
  // One thing that is hidden and missing among what is told follows from the refusal itself.
  const follows = hidden.length === 1 && way.needs.filter(({ told }) => !told).length === 1;
  const isOpen = way.held && missing.length === 0;
  const allTold = way.needs.every(({ told }) => told);
  return {
    isOpen,
    json: {
      clause: way.clause,
      role: way.role,
      held: way.held,
      open: !way.held || allTold || follows || missing.some(({ told }) => told) ? isOpen : isOpen ? true : null,
      needs: way.needs.map((need, k) =>
        stepOf(way.clause, need, row[`way:${i}:${k}`] === true, need.told || (follows && missing.includes(need))),
      ),
    },
  };
};

const foundValue = (field: Field, row: Row, entity: Entity, { model }: Context, format: Format): string => {
  const value = row[`found:${field.name}`];
  if (value === null || value === undefined) return "…";
  if (field.type === "reference") {
    const target = model.entities.get(field.entity ?? "");
    const words = row[`label:${field.name}`];
    return target === undefined || words === null || words === undefined ? "…" : labelText(target.label, words, format);
  }
  if (field.type === "state") return entity.states?.states.find(({ name }) => name === value)?.title ?? String(value);
  return format(value, field.ruleType);
};
