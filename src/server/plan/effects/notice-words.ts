import type { Principal } from "../../../core/derive/authorization/grants.ts";
import { templateExpressions } from "../../../core/expression/compile/template.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import { collectReadSet } from "../../../core/expression/inspect/read-set.ts";
import { rewrite } from "../../../core/expression/rewrite/inline.ts";
import type { Effect } from "../../../core/model/effect.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { isActValue } from "../../../core/model/field.ts";
import { constant, identifier, join, type Sql, slot, sql, withSlots } from "../../../core/sql.ts";
import type { Query, Row } from "../../../postgres/database.ts";
import { BEFORE, RUNS, SOURCES, TABLE } from "../aliases.ts";
import { type Caller, callerParams, NOBODY, type PlanContext } from "../context.ts";
import { asNumber, asTextOrNull, asValues, resultShape } from "../result-columns.ts";
import { type LabelEnv, readerEnv, readerEnvIfReadable, templateValuesSql } from "../row/labels.ts";
import { pageRecord } from "../row/page-record.ts";
import { readScope } from "../row/read-scope.ts";
import { toQuery, type Written } from "../statements.ts";
import type { WriteSet } from "../transaction/write-set.ts";
import { type EffectRun, gatheredEnv, runsParam, runsSql, sourceRowsParam, sourceRowsSql } from "./targets.ts";

export type NotifyEffect = Extract<Effect, { kind: "notify" }>;
export type ChatEffect = Extract<Effect, { kind: "chat" }>;

/** The acting user in a notification's text, where `user` is its recipient. */
export const ACTOR = "actor";
const asActor = (part: Expr): Expr | undefined =>
  part.kind === "user"
    ? { kind: "name", name: ACTOR, type: part.type, missing: part.missing, span: part.span }
    : undefined;

/**
 * The values of a notification's text, with the index of its run. `page`: the record on whose page the reader sees its
 * record; null if that has a page of its own.
 */
export const noticeValuesShape = resultShape({ nth: asNumber, words: asValues, page: asTextOrNull });

/**
 * Reads the values of a notification's text in the read scope of recipients who have the roles of `principal`. `later`:
 * values before the write are readable only if the reader can still read their fields.
 */
export const noticeWords = (
  context: PlanContext,
  writeSet: Pick<WriteSet, "entity" | "action">,
  effect: NotifyEffect | ChatEffect,
  principal: Principal,
  when: "now" | "later" = "now",
): Written<undefined> =>
  context.statements.get(["effect", effect.clause.id, "text", [...principal.granted].sort().join(","), when], () => {
    const { model } = context;
    // In permissions, `user` is the recipient; in the text, it is the actor.
    const text = {
      parts: effect.text.parts.map((part) => (typeof part === "string" ? part : rewrite(part, asActor))),
    };
    const scope = readScope(model, writeSet.entity, principal, TABLE.alias);
    const before = readerEnvIfReadable(model, writeSet.entity, principal, BEFORE.alias).field;
    const beforeIfStillReadable: typeof before = (name) => {
      const visible = scope.visibleWhen(name);
      const column = before(name);
      return visible === undefined ? column : { ...column, sql: sql`CASE WHEN ${visible} THEN ${column.sql} END` };
    };
    const present = readerEnv(model, writeSet.entity, principal, TABLE.alias);
    const ofAct = readerEnv(model, writeSet.entity, principal, ACT).field;
    // A later act of the record may have left other values.
    const isOfAct = (name: string): boolean => {
      const field = writeSet.entity.fields.get(name);
      return when === "later" && field !== undefined && isActValue(field);
    };
    const seen: LabelEnv = {
      ...present,
      field: (name) => (isOfAct(name) ? ofAct(name) : present.field(name)),
      old: when === "now" ? before : beforeIfStillReadable,
      names: (name) =>
        name === ACTOR ? { sql: sql`${slot(ACTOR, "uuid")}`, missing: false } : gatheredEnv(effect)(name),
    };
    const readsAct = templateExpressions(effect.text).some((expr) => [...collectReadSet(expr).fields].some(isOfAct));
    const words = templateValuesSql(text, seen);
    const ifReadable = (value: Sql): Sql =>
      withSlots(scope.rows === undefined ? value : sql`CASE WHEN ${scope.rows} THEN ${value} END`, {
        user: sql`${RUNS}."target"`,
      });
    const page = when === "now" ? pageRecord(model, writeSet.entity, principal, TABLE.alias)?.id : undefined;
    return {
      more: undefined,
      sql: sql`SELECT ${noticeValuesShape.select({ nth: sql`${RUNS}."nth"`, words: ifReadable(words), page: page === undefined ? sql`NULL` : ifReadable(page) })} FROM ${runsSql} JOIN (${sourceRowsSql(writeSet)}) ON ${SOURCES}."id" = ${RUNS}."source"${readsAct ? actRowSql(writeSet.entity) : sql``} ORDER BY ${RUNS}."nth"`,
    };
  });

const ACT = "act";

/** The row of the entity with the values that its act had, from the line of the history. */
const actRowSql = (entity: Entity): Sql => {
  const names = [...entity.fields.values()].filter(isActValue).map(({ name }) => constant(name));
  const none = join(
    names.map((name) => sql`${name}, NULL`),
    ", ",
  );
  const actValues = sql`(SELECT jsonb_object_agg("value".key, "value".value -> 1) FROM jsonb_each("said".changes) AS "value" WHERE "value".key IN (${join(names, ", ")}))`;
  return sql` LEFT JOIN ninefold.audit AS "said" ON "said".id = ${SOURCES}."line" LEFT JOIN LATERAL jsonb_populate_record(${TABLE}, jsonb_build_object(${none}) || COALESCE(${actValues}, '{}'::jsonb)) AS ${identifier(ACT)} ON TRUE`;
};

/** The facts for the text of a mail, stored until it is composed. */
export interface MailedRun extends Pick<EffectRun, "each"> {
  readonly actor: string | null;
  /** The action of the write, stored under this name. */
  readonly moment: string;
  /** The record before the write, as JSON; null if it was new. */
  readonly before: string | null;
  /** The audit line of the write, which has the values of the act. */
  readonly line?: number | null;
  /** Further parts that the notification is about; absent without any. */
  readonly further?: readonly FurtherRun[];
}

/** A further part that a stored notification is about. */
export interface FurtherRun extends Pick<MailedRun, "each" | "before" | "line"> {
  readonly record: string;
}

/** A stored notification of one person. */
export interface StoredRun {
  readonly person: string;
  readonly record: string;
  readonly mailed: MailedRun;
}

/**
 * Reads the values of a notification's text as its recipients can read them now, in the order of `runs`; undefined if
 * the record was deleted. All recipients have the roles of `principal`, and all runs have one actor.
 */
export const readNoticeWords = async <Run extends StoredRun>(
  context: PlanContext,
  caller: Caller,
  notified: { readonly entity: Entity; readonly effect: NotifyEffect; readonly principal: Principal },
  runs: readonly Run[],
  ask: (queries: readonly Query[]) => Promise<readonly (readonly Row[])[]>,
): Promise<ReadonlyMap<Run, readonly unknown[]>> => {
  const [first] = runs;
  if (first === undefined) return new Map();
  const { actor, moment: action } = first.mailed;
  const written = noticeWords(
    context,
    { entity: notified.entity, action },
    notified.effect,
    notified.principal,
    "later",
  );
  const rounds = oneStatePerRecord(runs);
  const found = await ask(
    rounds.map((round) =>
      toQuery(written, {
        ...callerParams(caller),
        [ACTOR]: actor ?? NOBODY,
        wave: sourceRowsParam({
          entity: notified.entity,
          action,
          changed: null,
          rows: [...new Map(round.map(({ record, mailed }) => [record, mailed]))].map(
            ([id, { before, line = null }]) => ({
              id,
              before,
              line,
            }),
          ),
        }),
        pairs: runsParam(
          round.map(({ person, record, mailed }) => ({
            source: record,
            target: person,
            each: mailed.each,
            line: null,
            version: null,
          })),
        ),
      }),
    ),
  );
  return new Map(
    rounds.flatMap((round, i) =>
      (found[i] ?? [])
        .map(noticeValuesShape.read)
        .flatMap(({ nth, words }): readonly (readonly [Run, readonly unknown[]])[] => {
          const run = round[nth];
          return run === undefined ? [] : [[run, words]];
        }),
    ),
  );
};

/** Splits runs into groups, one statement each, in which each record has one state before the write. */
const oneStatePerRecord = <Run extends StoredRun>(runs: readonly Run[]): readonly (readonly Run[])[] => {
  const states = new Map<string, (string | null)[]>();
  const rounds: Run[][] = [];
  for (const run of runs) {
    const known = states.get(run.record) ?? [];
    states.set(run.record, known);
    if (!known.includes(run.mailed.before)) known.push(run.mailed.before);
    const nth = known.indexOf(run.mailed.before);
    const round = rounds[nth] ?? [];
    rounds[nth] = round;
    round.push(run);
  }
  return rounds;
};
