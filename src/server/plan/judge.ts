import { hiddenIn, nothingWritten } from "../../core/check/hidden.ts";
import { readerBy } from "../../core/check/reader.ts";
import { decidingOver } from "../../core/decide/decide.ts";
import { conjunctsOf } from "../../core/decide/structure.ts";
import { type Gate, gatesOf, type Person } from "../../core/derive/access.ts";
import type { Reach } from "../../core/derive/footprints.ts";
import type { Format } from "../../core/model/format.ts";
import type { Entity, Field, Model, ValidationRule } from "../../core/model/model.ts";
import { always, every, some } from "../../core/rule/conditions.ts";
import type { Expr } from "../../core/rule/expr.ts";
import { type Footprint, readsOf } from "../../core/rule/reads.ts";
import type { Template } from "../../core/rule/template.ts";
import { type SqlEnv, toSql } from "../../core/rule/to-sql.ts";
import { identifier, join, type Sql, sql } from "../../core/sql.ts";
import type { Row } from "../../postgres/database.ts";
import type { RefusalAt } from "../refusal.ts";
import type { Asker, Context } from "./context.ts";
import {
  environmentOf,
  givenBy,
  leadsToMany,
  pathSql,
  type Replaced,
  replacedRows,
  tableOf,
  type Values,
} from "./environment.ts";
import { asCondition, eyesOf, throughGates } from "./eyes.ts";
import { type Seen, seenEnv, spokenValues, valuesOf } from "./labels.ts";

/**
 * A write judges and writes in one statement. Each thing that is judged is a column, TRUE or FALSE, beside the record
 * as it is (`c`) and as it would be (`n`); the write happens where all are TRUE, and what is not tells the refusal.
 * Their names hold a colon, which no field's does.
 */
export interface Verdict {
  readonly column: string;
  readonly condition: Sql;
}

export const CURRENT = "c";
export const CANDIDATE = "n";
export const JUDGED = "j";
export const DONE = "d";

const candidateColumn: Values = (name) => sql`${identifier(CANDIDATE)}.${identifier(name)}`;

export const verdictColumns = (verdicts: readonly Verdict[]): readonly Sql[] =>
  verdicts.map(({ column, condition }) => sql`COALESCE(${condition}, FALSE) AS ${identifier(column)}`);

/** Everything judged is TRUE. */
export const allHold = (verdicts: readonly Verdict[]): Sql =>
  verdicts.length === 0
    ? sql`TRUE`
    : join(
        verdicts.map(({ column }) => sql`${identifier(JUDGED)}.${identifier(column)}`),
        " AND ",
      );

// Rules

/** The same where nobody wants to know which of it is not. */
export const allTrue = (verdicts: readonly Verdict[]): Sql =>
  verdicts.length === 0
    ? sql`TRUE`
    : join(
        verdicts.map(({ condition }) => sql`(${condition})`),
        " AND ",
      );

/** A rule that its `when` does not ask for holds. */
export const ruleVerdicts = (rules: readonly ValidationRule[], env: SqlEnv): readonly Verdict[] =>
  rules.map((rule, i) => {
    const holds = sql`(${toSql(rule.rule, env).truth})`;
    return {
      column: `rule:${i}`,
      condition: rule.when === null ? holds : sql`(${toSql(rule.when, env).falsehood}) OR ${holds}`,
    };
  });

/** Whether somebody sees all that a part of a message is made of, on whatever record it is judged. */
export type IsTold = (part: Expr) => boolean;

/** `gates`: of each action that they take with the record, those by which they may, on what the write leaves as it is. */
export const toldTo = (
  model: Model,
  person: Person,
  entity: Entity,
  gates: readonly (readonly Gate[])[],
  changed: ReadonlySet<string>,
): IsTold => {
  const facts = gates.flatMap((alternatives) => {
    const open = some(alternatives.map(({ conditions }) => every(conditions) ?? always));
    return open === undefined
      ? []
      : conjunctsOf(open).filter((one) => ![...readsOf(one).fields].some((name) => changed.has(name)));
  });
  const asked = {
    entities: model.entities,
    reader: readerBy((one) => gatesOf(model, one, "read", person), decidingOver(model.entities)),
    entity,
    facts,
    written: nothingWritten,
  };
  return (part) => hiddenIn(part, asked) === undefined;
};

/**
 * The values that the messages of rules that do not hold name, as who is told may read them. What is made of records of
 * which they might see a part is not shown at all, whether they do or not: either would tell of the rest.
 */
export const ruleWords = (rules: readonly ValidationRule[], seen: Seen, isTold: () => IsTold): readonly Sql[] =>
  rules.map(
    (rule, i) =>
      sql`CASE WHEN NOT ${identifier(JUDGED)}.${identifier(`rule:${i}`)} THEN ${wordsSql(rule.message, seen, isTold)} END AS ${identifier(`words:${i}`)}`,
  );

/** The values that a message names, as `seen` reads them, where who is told sees all that they could be made of. */
export const wordsSql = (message: Template, seen: Seen, isTold: () => IsTold): Sql => {
  let told: IsTold | undefined;
  return valuesOf(message, seen, (part, value) => {
    if (readsOf(part).footprint.every(({ by }) => by === "id")) return value;
    told ??= isTold();
    return told(part) ? value : sql`(CASE WHEN FALSE THEN ${value} END)`;
  });
};

/** Whether something is judged that other records decide. */
export const judgesOthers = (
  rules: readonly ValidationRule[],
  reaches: readonly Reach[],
  guards: readonly Footprint[],
): boolean => reaches.length > 0 || guards.length > 0 || rules.some((rule) => rule.footprint.length > 0);

// Rules of other records that read this one

export const OWNER = "o";

/** Under which names what is written stands as it was and as it is or will be; `null` where it was not, or is no more. */
export interface Sides {
  readonly was: string | null;
  readonly is: string | null;
}

export const aliasesOf = ({ was, is }: Sides): readonly string[] => [was, is].filter((alias) => alias !== null);

export const sidesSql = (sides: Sides): Sql => {
  const [one, other] = aliasesOf(sides).map(identifier);
  if (one === undefined) throw new Error("nothing is written");
  return other === undefined ? one : sql`(${one} JOIN ${other} ON ${one}."id" = ${other}."id")`;
};

/** `FROM` and `WHERE` of the records on which a rule has to be judged again. */
export const ownersOf = (
  model: Model,
  { owner, footprint }: Pick<Reach, "owner" | "footprint">,
  sides: Sides,
  owners: Sql,
  written: Entity | null = null,
): Sql => {
  const { by, key } = footprint;
  const aliases = aliasesOf(sides);
  const from = sql`FROM ${owners} AS ${identifier(OWNER)} CROSS JOIN ${sidesSql(sides)}`;
  // The record that is written is judged for itself.
  const others =
    written === owner ? sql` AND ${identifier(OWNER)}."id" <> ${identifier(aliases[0] ?? "")}."id"` : sql``;
  if (by === undefined || key === undefined) return sql`${from} WHERE TRUE${others}`;
  const found = pathSql(model, owner, key, OWNER);
  const values = aliases.map((side) => sql`${identifier(side)}.${identifier(by)}`);
  const several = model.entities.get(footprint.entity)?.fields.get(by)?.many === true;
  if (several || leadsToMany(model, owner, key)) {
    const reaching = several ? sql`(${join(values, " || ")})` : sql`ARRAY[${join(values, ", ")}]`;
    const reached = leadsToMany(model, owner, key) ? sql`${found} && ${reaching}` : sql`${found} = ANY(${reaching})`;
    return sql`${from} WHERE (${reached})${others}`;
  }
  // What may be missing on both sides is found by it too, and then no index helps.
  const isThere = by === "id" || model.entities.get(footprint.entity)?.fields.get(by)?.optional === false;
  const reached = isThere
    ? sql`${found} IN (${join(values, ", ")})`
    : join(
        values.map((value) => sql`${found} IS NOT DISTINCT FROM ${value}`),
        " OR ",
      );
  return sql`${from} WHERE (${reached})${others}`;
};

/** Each rule holds on all the records on which it has to be judged again. */
export const reachVerdicts = (reaches: readonly Judged[]): readonly Verdict[] =>
  reaches.map(({ failing }, i) => ({ column: `reach:${i}`, condition: sql`NOT EXISTS (SELECT ${failing})` }));

/** A rule with the records on which it does not hold: `FROM … WHERE …`. */
export interface Judged {
  readonly reach: Reach;
  readonly failing: Sql;
}

export const failingOf = (
  model: Model,
  entity: Entity,
  reach: Reach,
  sides: Sides,
  replaced: Replaced | null,
): Judged => {
  const { owner, rule } = reach;
  const owners = owner === entity && replaced !== null ? replaced.rows : tableOf(owner);
  const env = environmentOf(model, owner, OWNER, tablesIn(replaced));
  const fails = sql`(${toSql(rule.rule, env).falsehood})`;
  const when = rule.when === null ? sql`` : sql` AND (${toSql(rule.when, env).truth})`;
  return { reach, failing: sql`${ownersOf(model, reach, sides, owners, entity)}${when} AND ${fails}` };
};

const tablesIn = (replaced: Replaced | null): Pick<SqlEnv, "table"> =>
  replaced === null ? {} : { table: replaced.table };

/** The message of the first record on which a rule does not hold, of those that who is told may see. */
export const reachWords = (
  model: Model,
  person: Person,
  judged: readonly Judged[],
  replaced: Replaced | null,
): readonly Sql[] =>
  judged.map(({ reach: { owner, rule }, failing }, i) => {
    const eyes = eyesOf(model, owner, person, OWNER);
    const isTold = () => toldTo(model, person, owner, [gatesOf(model, owner, "read", person)], new Set());
    const words = wordsSql(rule.message, seenEnv(model, owner, person, OWNER, replaced?.table), isTold);
    return sql`CASE WHEN NOT ${identifier(JUDGED)}.${identifier(`reach:${i}`)} THEN (SELECT ${words} ${failing} AND ${asCondition(eyes.rows)} ORDER BY ${identifier(OWNER)}."id" LIMIT 1) END AS ${identifier(`reached:${i}`)}`;
  });

export const brokenReaches = (
  model: Model,
  reaches: readonly Reach[],
  row: Row,
  format: Format,
): readonly RefusalAt[] =>
  reaches.flatMap(({ rule }, i) => {
    if (row[`reach:${i}`] === true) return [];
    const words = row[`reached:${i}`];
    return [
      {
        at: "",
        code: rule.error,
        clause: rule.clause.id,
        values: spokenValues(model, rule, words, format),
      },
    ];
  });

/** The rules that do not hold, in document order, in the words of their errors. */
export const brokenRules = (
  model: Model,
  rules: readonly ValidationRule[],
  row: Row,
  format: Format,
): readonly RefusalAt[] =>
  rules.flatMap((rule, i) => {
    if (row[`rule:${i}`] === true) return [];
    const words = row[`words:${i}`];
    const at = model.errors.get(rule.error)?.at ?? rule.reads.at(-1);
    return [
      {
        at: at === undefined ? "" : `/${at}`,
        code: rule.error,
        clause: rule.clause.id,
        values: spokenValues(model, rule, words, format),
      },
    ];
  });

// References

/**
 * A reference that a person gives must name a record that they may read: one that they may not is not there. Of several,
 * those that stand there already may stay, whoever may read them.
 */
export const referenceVerdicts = (
  context: Context,
  asker: Asker,
  entity: Entity,
  names: Iterable<string>,
  current: string | null,
  candidate: Values = candidateColumn,
): readonly Verdict[] =>
  [...names].flatMap((name) => {
    const target = context.model.entities.get(entity.fields.get(name)?.entity ?? "");
    if (target === undefined) return [];
    const eyes = eyesOf(context.model, target, asker.person, "x");
    const given = candidate(name);
    const isThere = (one: Sql) =>
      sql`EXISTS (SELECT FROM ${tableOf(target)} AS "x" WHERE "x"."id" = ${one} AND ${asCondition(eyes.rows)})`;
    if (entity.fields.get(name)?.many !== true)
      return [{ column: `ref:${name}`, condition: sql`(${given} IS NULL OR ${isThere(given)})` }];
    const stays = current === null ? sql`` : sql`"one" = ANY(${identifier(current)}.${identifier(name)}) OR `;
    return [
      {
        column: `ref:${name}`,
        condition: sql`NOT EXISTS (SELECT FROM unnest(${given}) AS "m"("one") WHERE NOT (${stays}${isThere(sql`"m"."one"`)}))`,
      },
    ];
  });

export const brokenReferences = (entity: Entity, names: Iterable<string>, row: Row): readonly RefusalAt[] =>
  [...names].flatMap((name): RefusalAt[] => {
    const field = entity.fields.get(name);
    if (field === undefined || row[`ref:${name}`] !== false) return [];
    return [{ at: `/${name}`, code: "NO_SUCH_REFERENCE", clause: field.clause.id, values: { field: field.title } }];
  });

// Fields

/**
 * A reference names one of those that it is limited to, and what is needed here is there. What the list reads of others does
 * not count the record itself: who notes the last of what is missing names a line of which something is missing.
 */
export const fieldVerdicts = (
  model: Model,
  entity: Entity,
  fields: readonly Field[],
  is: string | Values,
  env: SqlEnv,
): readonly Verdict[] =>
  fields.flatMap(({ name, many, among, needed, entity: target }) => {
    const apart =
      among === null || target === entity.name
        ? env
        : environmentOf(model, entity, is, replacedRows(model, entity, givenBy(is, "id"), null));
    const value = givenBy(is, name);
    const condition = (holds: Sql, unless: Sql) => sql`(${unless}) OR (${holds})`;
    return [
      ...(among === null
        ? []
        : [
            {
              column: `among:${name}`,
              condition: condition(toSql(among.holds, apart).truth, many ? sql`FALSE` : sql`${value} IS NULL`),
            },
          ]),
      ...(needed === null
        ? []
        : [
            {
              column: `required:${name}`,
              condition: condition(
                toSql(needed.holds, env).falsehood,
                many ? sql`cardinality(${value}) > 0` : sql`${value} IS NOT NULL`,
              ),
            },
          ]),
    ];
  });

export const brokenFields = (fields: readonly Field[], row: Row): readonly RefusalAt[] =>
  fields.flatMap(({ name, clause, title }) => {
    const at = { at: `/${name}`, clause: clause.id, values: { field: title } };
    return [
      ...(row[`required:${name}`] === false ? [{ ...at, code: "REQUIRED" }] : []),
      ...(row[`among:${name}`] === false ? [{ ...at, code: "NOT_AMONG" }] : []),
    ];
  });

// Gates

/** Each gate on the record; which of them is open says which fields may be written. */
export const gateColumns = (gates: readonly Gate[], env: SqlEnv): readonly Sql[] =>
  verdictColumns(gates.map((gate, i) => ({ column: `gate:${i}`, condition: asCondition(throughGates([gate], env)) })));

/** Whether a gate is open, by its place. */
type GateHolds = (nth: number) => Sql;

const gateColumn: GateHolds = (nth) => sql`${identifier(JUDGED)}.${identifier(`gate:${nth}`)}`;

/** The same asked of the record at hand, where it was not judged before. */
export const gatesOn =
  (gates: readonly Gate[], env: SqlEnv): GateHolds =>
  (nth) =>
    asCondition(
      throughGates(
        gates.filter((_, i) => i === nth),
        env,
      ),
    );

/** Some gate is open, and each field that is written goes through an open one. */
export const gatesHold = (gates: readonly Gate[], fields: Iterable<string>, holds: GateHolds = gateColumn): Sql => {
  const all = gates.map((_, i) => i);
  const through = (field: string) => all.filter((i) => gates[i]?.fields?.has(field) !== false);
  // Most fields go through the same gates.
  const ways = new Map([all, ...[...fields].map(through)].map((open) => [open.join(), open]));
  return join(
    [...ways.values()].map((open) => (open.length === 0 ? sql`FALSE` : sql`(${join(open.map(holds), " OR ")})`)),
    " AND ",
  );
};

/** Of the fields written, those that no open gate takes; undefined when no gate is open at all. */
export const fieldsRefused = (
  gates: readonly Gate[],
  fields: Iterable<string>,
  row: Row,
): readonly string[] | undefined => {
  const open = gates.filter((_, i) => row[`gate:${i}`] === true);
  return open.length === 0
    ? undefined
    : [...fields].filter((field) => !open.some((gate) => gate.fields === null || gate.fields.has(field)));
};
