import { deciderOf, gatesOf, transitionGatesOf, writableThrough } from "../../core/derive/access.ts";
import { guardsOn, reachesOn, touches } from "../../core/derive/footprints.ts";
import { wholesOf } from "../../core/derive/parts.ts";
import { conditionedAt, rulesAt } from "../../core/derive/rules.ts";
import { isConstraint } from "../../core/derive/tables.ts";
import { togetherAt } from "../../core/derive/together.ts";
import { whoMay, whoMayMake } from "../../core/explain/who.ts";
import type { Stored } from "../../core/field/kind.ts";
import type { Format } from "../../core/model/format.ts";
import { type Entity, type Field, isGiven, type Model, type States, type Transition } from "../../core/model/model.ts";
import { toSql } from "../../core/rule/to-sql.ts";
import { constant, identifier, join, type Sql, slot, sql } from "../../core/sql.ts";
import type { Row } from "../../postgres/database.ts";
import type { Intent } from "../ask.ts";
import { forbid, type Refusal, refuse, refuseAt } from "../refusal.ts";
import { type Action, type Reply, reply } from "./action.ts";
import { auditLine, changesBetween, differs, generatedOf } from "./audit.ts";
import { candidateOf, candidateValues } from "./candidate.ts";
import { constraintRefusal, goneIn, isTogether } from "./constraints.ts";
import {
  type Asker,
  type Context,
  entityOf,
  knownTo,
  queryOf,
  type Written as Statement,
  signatureOf,
  slotsWith,
} from "./context.ts";
import { drawings, drawnNumber, seriesAt, seriesSlots } from "./drawn.ts";
import { environmentOf, givenBy, replacedRows, tableOf, type Values } from "./environment.ts";
import { asCondition, eyesOf } from "./eyes.ts";
import { brokenFiles, fileFields, fileVerdicts, givenFile, isFile } from "./files.ts";
import { type Among, followed, isFollowed } from "./follow.ts";
import { type Given, givenSlot, givenSlots, readGiven } from "./given.ts";
import { type GivenList, readParts } from "./given-parts.ts";
import {
  allHold,
  brokenFields,
  brokenReaches,
  brokenReferences,
  brokenRules,
  CANDIDATE,
  CURRENT,
  DONE,
  failingOf,
  fieldsRefused,
  fieldVerdicts,
  gateColumns,
  gatesHold,
  judgesOthers,
  reachVerdicts,
  reachWords,
  referenceVerdicts,
  ruleVerdicts,
  ruleWords,
  toldTo,
  type Verdict,
  verdictColumns,
} from "./judge.ts";
import { seenWhereRead } from "./labels.ts";
import { lockedBy, lockedColumn, lockingOf, lockRounds, type Touched, touchedLocks } from "./locks.ts";
import { whyNotState } from "./may.ts";
import { planRead } from "./read.ts";
import { columnsOf, type Reader, readerOf } from "./record.ts";
import { brokenTogether, togetherVerdicts, togetherWords } from "./together.ts";
import { eyesAfter, triedChange } from "./tried.ts";
import { wholesLocked, wholesRaised } from "./wholes.ts";
import type { Written } from "./written.ts";

type Update = Extract<Intent, { kind: "update" }>;
type Move = Extract<Intent, { kind: "transition" }>;

/** What an update and a transition have in common, once it is known what each may write. */
interface Change {
  readonly entity: Entity;
  /** `update`, or the transition's name: names the audit line and the moment at which rules are judged. */
  readonly moment: string;
  readonly clause: string;
  readonly gates: ReturnType<typeof gatesOf>;
  readonly given: Given;
  readonly missing: Given["wrong"];
  /** Set by the document in the same step. */
  readonly move: { readonly states: States; readonly transition: Transition } | null;
  /** Parts that are written with it. */
  readonly lists: readonly GivenList[];
}

/** Changes fields of a record. What may not be read is not there; what may not be written refuses the whole. */
export const planUpdate = (
  context: Context,
  intent: Update,
  asker: Asker,
  format: Format,
  among?: Among,
): Action | Refusal => {
  const entity = entityOf(context, intent.entity);
  const gates = gatesOf(context.model, entity, "update", asker.person);
  const clause = deciderOf(entity, "update");
  const open = new Set([...writableThrough(entity, gates)].filter((name) => entity.fields.get(name)?.once !== true));
  const known = knownTo(context, entity, asker.person);
  const { own, lists, ...parts } = readParts({ context, asker, format }, entity, intent.values, gates, clause);
  const sent = readGiven(entity, own, { open, known, past: context.past }, clause, format);
  const given = {
    ...sent,
    wrong: [...sent.wrong, ...parts.wrong],
    closed: [...sent.closed, ...parts.closed],
  };
  return planChange(
    context,
    intent,
    { entity, moment: "update", clause, gates, given, missing: [], move: null, lists },
    asker,
    format,
    among,
  );
};

/** Moves a record to another state: what it asks for is written, what it sets is set, and nothing else. */
export const planTransition = (
  context: Context,
  intent: Move,
  asker: Asker,
  format: Format,
  among?: Among,
): Action | Refusal => {
  const entity = entityOf(context, intent.entity);
  const { states } = entity;
  const transition = states?.transitions.get(intent.transition);
  if (states === null || transition === undefined) return refuse("NO_SUCH_CALL");
  const gates = transitionGatesOf(context.model, entity, transition, asker.person);
  const known = knownTo(context, entity, asker.person);
  const open = new Set(transition.asks);
  const given = readGiven(entity, intent.values, { open, known, past: context.past }, transition.clause.id, format);
  // What is asked for is needed, even where the field is optional elsewhere: that is why it is asked.
  const missing = transition.asks.flatMap((name) => {
    const field = entity.fields.get(name);
    const value = given.values.get(name) ?? null;
    const isThere = Array.isArray(value) ? value.length > 0 : value !== null;
    const has = isThere || given.wrong.some((one) => one.at === `/${name}`);
    return field === undefined || has || transition.asksIfAny.has(name)
      ? []
      : [{ at: `/${name}`, code: "REQUIRED", clause: transition.clause.id, values: { field: field.title } }];
  });
  return planChange(
    context,
    intent,
    {
      entity,
      moment: transition.name,
      clause: transition.clause.id,
      gates,
      given,
      missing,
      move: { states, transition },
      lists: [],
    },
    asker,
    format,
    among,
  );
};

/**
 * One statement: the record as it is (locked, with the permission in the WHERE), as it would be, what is judged of
 * both, the write where all of it holds, and the audit line. A row says why when nothing was written; no row: not there.
 */
const planChange = (
  context: Context,
  intent: Update | Move,
  change: Change,
  asker: Asker,
  format: Format,
  among: Among | undefined,
): Action | Refusal => {
  const { model, version } = context;
  const { person } = asker;
  const { entity, moment, clause, gates, given, move, lists } = change;
  const wrong = [...given.wrong, ...change.missing];
  const asked = [...given.values.keys()];
  const named = [...asked, ...lists.map(({ list }) => list.name)];
  const write = `${intent.kind} ${moment} ${entity.name} ${named.join(",")}`;
  const touching = context.statements.find(`touching ${write}`, () => touchingOf(context, change, asked));
  const { series, files, changed, references, guards, together } = touching;
  // What is needed where the record has such parts is judged when it has them.
  const conditioned = lists.length > 0 ? [] : touching.conditioned;
  // Where something follows, the rules are judged after that; what the table holds anyway is said at once.
  const follows = among !== undefined || lists.length > 0 || touching.isFollowed;
  const wrote: Written[] = [];
  const rules = follows ? touching.rules.filter((rule) => isConstraint(rule, entity)) : touching.rules;
  const reaches = follows ? [] : touching.reaches;
  const touched: Touched = {
    model,
    entity,
    changed,
    sides: { was: CURRENT, is: CANDIDATE },
    states: move === null ? null : new Set([...move.transition.from, move.transition.to]),
    single: true,
  };
  const wanted = { may: true, label: intent.label };
  const valid = given.closed.length === 0 && wrong.length === 0;

  const key = `${write} ${signatureOf(person)} ${follows}`;
  const values = (): readonly Sql[] =>
    [...entity.fields.values()].filter(isGiven).map((field) => {
      const own = sql`"c".${identifier(field.name)}`;
      return sql`${newValue(model, change, field.name, asked.includes(field.name) ? (isFile(field) ? givenFile(field, CURRENT) : givenSlot(field)) : undefined) ?? own} AS ${identifier(field.name)}`;
    });
  // Where only a few of its columns are read, and once, it need not be made as a whole.
  const currentAndCandidate = (n: "whole" | "in part"): Sql =>
    sql`"c" AS MATERIALIZED (SELECT * FROM ${tableOf(entity)} AS "t" WHERE "t"."id" = ${slot("id", "uuid")} AND ${wholesLocked(model, entity, (name) => sql`(SELECT "y".${identifier(name)} FROM ${tableOf(entity)} AS "y" WHERE "y"."id" = ${slot("id", "uuid")})`)} AND ${asCondition(eyesOf(model, entity, person, "t").rows)} FOR NO KEY UPDATE),
        "n" AS ${n === "whole" ? sql`MATERIALIZED` : sql``} (${candidateOf(model, entity, sql`SELECT ${join([...["id", "version", "created_at", "updated_at"].map((name) => sql`"c".${identifier(name)}`), ...values()], ", ")} FROM "c"`)})`;
  const before = context.statements.list(`lock ${key}`, () =>
    judgesOthers(rules, reaches, guards)
      ? lockRounds(touched, rules, reaches, guards).map(
          (rows) => sql`WITH ${currentAndCandidate("in part")} ${lockingOf(rows)}`,
        )
      : [],
  );
  const id = sql`${slot("id", "uuid")}`;
  const current = () => environmentOf(model, entity, CURRENT);
  /** What is judged of the record as it is and as it would be, and of what these lead to. */
  const verdictsOn = (is: string | Values): readonly Verdict[] => {
    const candidate = environmentOf(model, entity, is, { table: replacedRows(model, entity, id, is).table });
    return [
      {
        column: "is:fresh",
        condition: sql`(${slot("version", "integer")} IS NULL OR "c"."version" = ${slot("version", "integer")})`,
      },
      ...(move === null
        ? []
        : [
            {
              column: "is:state",
              condition: sql`"c".${identifier(move.states.field)} IN (${join(
                move.transition.from.map((from) => constant(from)),
                ", ",
              )})`,
            },
          ]),
      ...(move?.transition.when == null
        ? []
        : [{ column: "is:guard", condition: sql`(${toSql(move.transition.when, current()).truth})` }]),
      ...referenceVerdicts(context, asker, entity, references, CURRENT, (name) => givenBy(is, name)),
      ...fieldVerdicts(model, entity, conditioned, is, candidate),
      ...ruleVerdicts(rules, candidate),
    ];
  };
  // What changes nothing is not written.
  const otherThan = (is: string | Values): readonly Verdict[] =>
    move === null ? [{ column: "is:other", condition: differs(entity, asked, CURRENT, is) }] : [];
  const told = [...changed, ...generatedOf(entity)];
  const tries = context.statements.find(
    `tries ${key}`,
    () =>
      !follows &&
      gates.length > 0 &&
      [...reaches, ...files, ...together, ...series, ...wholesOf(model, entity)].length === 0 &&
      ![...entity.fields.values()].some(({ held }) => held.as === "kept") &&
      (judgesOthers(rules, reaches, guards) || touchedLocks(touched).length === 0),
  );
  const tried = () =>
    context.statements.get(`tried ${key} ${intent.label}`, () => {
      const news = [...entity.fields.values()].flatMap((field) => {
        const value = newValue(model, change, field.name, asked.includes(field.name) ? givenSlot(field) : undefined);
        return value === undefined ? [] : [[field.name, value] as const];
      });
      const after = eyesAfter(context, entity, person);
      const is = candidateValues(model, entity, CURRENT, new Map(news));
      return {
        more: readerOf(context, person, after, wanted, format),
        sql: triedChange({
          context,
          person,
          entity,
          action: moment,
          clause,
          gates,
          named: move === null ? named : [],
          assigned: [...changed],
          told,
          candidate: is,
          verdicts: [...verdictsOn(is), ...otherThan(is)],
          moves: move !== null,
          after,
          columns: columnsOf(context, person, after, DONE, wanted),
        }),
      };
    });
  const written = () =>
    context.statements.get(`${key} ${intent.label}`, () => {
      const replaced = replacedRows(model, entity, id, CANDIDATE);
      const after = eyesOf(model, entity, person, DONE, replaced.table);
      const reached = reaches.map((reach) => failingOf(model, entity, reach, touched.sides, replaced));
      const judged: readonly Verdict[] = [
        ...verdictsOn(CANDIDATE),
        ...fileVerdicts(files),
        ...reachVerdicts(reached),
        ...togetherVerdicts(model, entity, together),
      ];
      const seen = seenWhereRead(model, entity, person, CANDIDATE, { rows: replaced.table, given: asked });
      const words = [
        ...ruleWords(rules, seen, () =>
          toldTo(model, person, entity, [gatesOf(model, entity, "read", person), gates], changed),
        ),
        ...togetherWords(together, seen),
        ...reachWords(model, person, reached, replaced),
      ];
      const other = otherThan(CANDIDATE);
      const writes = move === null && lists.length === 0 ? other : [];
      const holds = sql`${slot("valid", "boolean")} AND ${gatesHold(gates, move === null ? named : [])} AND ${allHold([...writes, ...judged])}`;
      const numbered = new Map(series.map((field) => [field.name, drawnNumber(field)]));
      const assignments = [...changed].map((name) => {
        const drawn = numbered.get(name);
        const kept = sql`"n".${identifier(name)}`;
        return sql`${identifier(name)} = ${drawn === undefined ? kept : sql`COALESCE(${kept}, ${drawn})`}`;
      });
      // A record that has its number keeps it, however often it goes this way.
      const numberless = (field: Field) => sql`FROM "c", "j" WHERE "c".${identifier(field.name)} IS NULL AND ${holds}`;
      const locks = follows || judgesOthers(rules, reaches, guards) ? [] : touchedLocks(touched);
      return {
        more: readerOf(context, person, after, wanted, format),
        sql: sql`WITH ${currentAndCandidate("whole")},${lockedBy(locks)}
        "j" AS MATERIALIZED (SELECT ${join([sql`"c"."id" AS "was:id"`, ...(move === null ? [] : [sql`"c".${identifier(move.states.field)} AS "was:state"`]), ...gateColumns(gates, current()), ...verdictColumns([...other, ...judged])], ", ")} FROM "c", "n"),
        ${drawings(entity, series, numberless)}"d" AS (UPDATE ${tableOf(entity)} AS "t" SET ${join([sql`"version" = "t"."version" + 1`, sql`"updated_at" = ${slot("now", "timestamptz")}`, ...(move === null ? [] : [sql`"state_since" = ${slot("now", "timestamptz")}`]), ...assignments], ", ")} FROM "n", "j" WHERE "t"."id" = "n"."id" AND ${holds} RETURNING "t".*),
        "a" AS (${auditLine({ entity, action: moment, clause, version, changes: changesBetween(entity, told, CURRENT, DONE), from: sql`FROM "c", "d"` })}${follows ? sql` RETURNING "id"` : sql``})${wholesRaised(model, entity, DONE)}
        SELECT ${join([sql`"j".*`, ...words, sql`"d"."id" IS NOT NULL AS "is:done"`, sql`${asCondition(after.rows)} AS "is:readable"`, columnsOf(context, person, after, DONE, wanted), ...lockedColumn(locks), ...(follows ? [sql`(SELECT "id" FROM "a") AS "is:line"`, sql`to_jsonb("c")::text AS "is:before"`] : [])], ", ")} FROM "j" CROSS JOIN "n" CROSS JOIN "c" LEFT JOIN ${identifier(DONE)} ON TRUE`,
      };
    });

  const slots = slotsWith(asker, givenSlots(placeholders(asked, given)), seriesSlots(series, asker.today), {
    id: intent.id,
    version: intent.version,
    valid,
  });
  const query = (last: Statement<Reader>) => [...before, last].map((one) => queryOf(one, slots));
  const done = (row: Row, reader: Reader): Reply =>
    row["is:readable"] === true
      ? reply(200, reader.record(row, asker.tongue), { etag: `"${Number(row.version)}"` })
      : reply(200, { id: intent.id, version: Number(row.version) });
  const judging = (): Action => {
    const last = written();
    return {
      kind: "action",
      queries: query(last),
      // In the order in which refusals are answered: 404, 403, 412, 422, 409; a wrong state before its rules, which mean nothing there.
      settle: (results) => {
        const row = results.at(-1)?.[0];
        if (row === undefined) return refuse("NOT_FOUND", deciderOf(entity, "read"));
        const closed = fieldsRefused(gates, move === null ? named : [], row);
        if (closed === undefined)
          return forbid(
            clause,
            move === null ? whoMay(asker.tongue, entity, "update") : whoMayMake(asker.tongue, move.transition),
          );
        if (given.closed.length > 0) return refuseAt(given.closed);
        if (closed.length > 0)
          return refuseAt(
            closed.map((name) => ({
              at: `/${name}`,
              code: "NOT_YOURS_TO_WRITE",
              clause,
              values: { field: entity.fields.get(name)?.title ?? name },
            })),
          );
        if (row["is:fresh"] !== true) return refuse("CHANGED_MEANWHILE", entity.clause.id);
        if (move !== null && row["is:state"] !== true)
          return {
            ...refuse("WRONG_STATE", clause),
            message: whyNotState(asker, model, entity, move.transition, String(row["was:state"])).because,
          };
        if (wrong.length > 0) return refuseAt(wrong);
        if (row["is:guard"] === false) return refuse("GUARD", clause);
        // Nothing is judged by a record that they may not read: it would tell of that.
        const unseen = brokenReferences(entity, references, row);
        if (unseen.length > 0) return refuseAt(unseen);
        // A file that may not be given is kept nowhere, so the record stays as it is: that is no reason to say nothing.
        const absent = brokenFiles(files, row);
        if (lists.length === 0 && row["is:other"] === false && absent.length === 0) return "unchanged";
        const broken = [
          ...absent,
          ...brokenFields(conditioned, row),
          ...brokenRules(model, rules, row, format),
          ...brokenTogether(model, together, row, format),
          ...brokenReaches(model, reaches, row, format),
        ];
        if (broken.length > 0) return refuseAt(broken);
        if (row["is:done"] !== true)
          throw new Error(`${moment} of ${entity.name} judged nothing wrong and wrote nothing`);
        return done(row, last.more);
      },
      constraint: (name) => constraintRefusal(model, entity, name, goneIn(wrote)),
      again: (name) => isTogether(entity, name),
      unchanged: () => {
        const reading = {
          kind: "read",
          entity: entity.name,
          id: intent.id,
          label: intent.label,
          screen: null,
        } as const;
        return planRead(context, { ...reading, parts: lists.length > 0 }, asker, format);
      },
      ...(follows
        ? followed(context, asker, format, {
            entity,
            moment,
            changed,
            id: intent.id,
            label: intent.label,
            lists,
            written: wrote,
            among,
          })
        : {}),
    };
  };
  if (!tries || !valid) return judging();
  const last = tried();
  return {
    kind: "action",
    queries: query(last),
    settle: (results) => {
      const row = results.at(-1)?.[0];
      return row === undefined ? "judged" : done(row, last.more);
    },
    judged: judging,
    constraint: (name) => constraintRefusal(model, entity, name, goneIn(wrote)),
    again: (name) => isTogether(entity, name),
  };
};

/** A field's value after the change; undefined where it stays. */
const newValue = (model: Model, { entity, move }: Change, name: string, given: Sql | undefined): Sql | undefined => {
  if (given !== undefined) return given;
  if (move === null) return undefined;
  if (name === move.states.field) return sql`${constant(move.transition.to)}::text`;
  const set = move.transition.set.get(name);
  return set === undefined ? undefined : sql`(${toSql(set, environmentOf(model, entity, CURRENT)).value})`;
};

/** Where something is wrong nothing is written, but the statement still says whether the record may be seen and changed. */
/** What a change touches, whatever is sent for the fields that it is asked for. */
const touchingOf = ({ model }: Context, { entity, moment, move }: Change, asked: readonly string[]) => {
  const series = seriesAt(entity, moment);
  const changed = new Set([
    ...asked,
    ...(move === null ? [] : [move.states.field, ...move.transition.set.keys()]),
    ...[...entity.fields.values()].filter(({ held }) => held.as === "kept").map(({ name }) => name),
    ...series.map((field) => field.name),
  ]);
  return {
    series,
    changed,
    files: fileFields(entity).filter(({ name }) => asked.includes(name)),
    references: asked.filter((name) => entity.fields.get(name)?.type === "reference"),
    conditioned: conditionedAt(entity, changed),
    isFollowed: isFollowed(model, entity, moment, changed),
    rules: rulesAt(entity, moment, changed),
    reaches: reachesOn(model, entity).filter(({ footprint }) => touches(footprint, changed)),
    guards: guardsOn(model, entity, moment),
    together: togetherAt(entity, moment, changed),
  };
};

const placeholders = (asked: readonly string[], given: Given): ReadonlyMap<string, Stored> =>
  new Map(asked.map((name) => [name, given.values.get(name) ?? null]));
