import type { Principal } from "../../../core/derive/authorization/grants.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import { rewrite } from "../../../core/expression/rewrite/inline.ts";
import type { Effect } from "../../../core/model/effect.ts";
import { slot, sql, withSlots } from "../../../core/sql.ts";
import { BEFORE, NOTICES, RUNS, SOURCES, TABLE } from "../aliases.ts";
import { callerParams, getEntity } from "../context.ts";
import { asNumber, asText, asValues, resultShape } from "../result-columns.ts";
import {
  fillTemplate,
  type LabelEnv,
  readerEnv,
  readerEnvIfReadable,
  templateValuesSql,
  valuesByPlaceholder,
} from "../row/labels.ts";
import { readScope } from "../row/read-scope.ts";
import { tableSql } from "../row/sql-env.ts";
import { type Steps, send } from "../steps.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import type { WriteSet } from "../transaction/write-set.ts";
import {
  type EffectRun,
  findRuns,
  gatheredEnv,
  groupIntoRounds,
  runsParam,
  runsSql,
  sourceRowsParam,
  sourceRowsSql,
} from "./targets.ts";

const ACTOR = "actor";
const asActor = (part: Expr): Expr | undefined =>
  part.kind === "user"
    ? { kind: "name", name: ACTOR, type: part.type, missing: part.missing, span: part.span }
    : undefined;

const activePerson = resultShape({ id: asText, roles: asValues });
/** The values of a notification's text, with the index of the run. */
const saidRun = resultShape({ nth: asNumber, words: asValues });

/** Notifies each person once, with a text in that person's read scope. */
export function* runNotifyEffect(
  tx: WriteTransaction,
  writeSet: WriteSet,
  effect: Extract<Effect, { kind: "notify" }>,
): Steps<void> {
  const { context, caller, format } = tx;
  const { model } = context;
  const effectRuns = yield* findRuns(tx, writeSet, effect, effect.to);
  if (effectRuns.length === 0) return;
  const roles = context.statements.get(["effect people"], () => ({
    more: undefined,
    sql: sql`SELECT ${activePerson.select({ id: sql`"id"`, roles: sql`"roles"` })} FROM ${tableSql(getEntity(context, "User"))} WHERE "id" = ANY(${slot("ids", "uuid[]")}) AND "active"`,
  }));
  const people = new Map<string, readonly string[]>();
  const found = yield* send(roles, { ids: [...new Set(effectRuns.map(({ target }) => target))] });
  for (const { id, roles: granted } of found.map(activePerson.read)) people.set(id, granted.map(String).sort());
  const tellsActor = (effect.to.kind === "list" ? effect.to.items : [effect.to]).some(({ kind }) => kind === "user");
  const groups = new Map<string, EffectRun[]>();
  for (const effectRun of groupIntoRounds(effectRuns, ({ source, target, each }) => `${source} ${target} ${each}`)[0] ??
    []) {
    const granted = people.get(effectRun.target ?? "");
    // Actors are not notified of their own actions, unless the document names `user`.
    if (granted === undefined || (effectRun.target === caller.principal.id && !tellsActor)) continue;
    const group = groups.get(granted.join(",")) ?? [];
    groups.set(granted.join(","), group);
    group.push(effectRun);
  }
  const notifications: Record<string, unknown>[] = [];
  for (const [granted, group] of groups) {
    const principal: Principal = {
      id: group[0]?.target ?? null,
      granted: new Set(granted === "" ? [] : granted.split(",")),
    };
    const written = context.statements.get(["effect", effect.clause.id, "text", granted], () => {
      // In permissions, `user` is the recipient; in the text, it is the actor.
      const text = {
        parts: effect.text.parts.map((part) => (typeof part === "string" ? part : rewrite(part, asActor))),
      };
      const seen: LabelEnv = {
        ...readerEnv(model, writeSet.entity, principal, TABLE.alias),
        old: readerEnvIfReadable(model, writeSet.entity, principal, BEFORE.alias).field,
        names: (name) =>
          name === ACTOR ? { sql: sql`${slot(ACTOR, "uuid")}`, missing: false } : gatheredEnv(effect)(name),
      };
      const rows = readScope(model, writeSet.entity, principal, TABLE.alias).rows;
      const words = templateValuesSql(text, seen);
      const values = rows === undefined ? words : sql`CASE WHEN ${rows} THEN ${words} END`;
      return {
        more: undefined,
        sql: sql`SELECT ${saidRun.select({ nth: sql`${RUNS}."nth"`, words: withSlots(values, { user: sql`${RUNS}."target"` }) })} FROM ${runsSql} JOIN (${sourceRowsSql(writeSet)}) ON ${SOURCES}."id" = ${RUNS}."source" ORDER BY ${RUNS}."nth"`,
      };
    });
    const rows = yield* send(written, {
      ...callerParams(caller),
      [ACTOR]: callerParams(caller).user,
      wave: sourceRowsParam(writeSet),
      pairs: runsParam(group),
    });
    for (const { nth, words } of rows.map(saidRun.read)) {
      const effectRun = group[nth];
      if (effectRun === undefined) continue;
      notifications.push({
        person: effectRun.target,
        record: effectRun.source,
        text: fillTemplate(effect.text, words, format),
        said: valuesByPlaceholder(effect.message, effect.text, words, format),
      });
    }
  }
  if (notifications.length === 0) return;
  const telling = context.statements.get(["effect notify"], () => ({
    more: undefined,
    sql: sql`INSERT INTO ninefold.notification (person, at, text, entity, record, clause, message, said) SELECT ${NOTICES}."person", ${slot("now", "timestamptz")}, ${NOTICES}."text", ${slot("entity", "text")}, ${NOTICES}."record", ${slot("clause", "text")}, ${slot("message", "text")}, ${NOTICES}."said" FROM jsonb_to_recordset(${slot("told", "jsonb")}) AS ${NOTICES}("person" uuid, "text" text, "record" uuid, "said" jsonb)`,
  }));
  yield* send(telling, {
    now: caller.now.toISOString(),
    entity: writeSet.entity.name,
    clause: effect.clause.id,
    message: effect.message,
    told: JSON.stringify(notifications),
  });
}
