import type { Principal } from "../../../core/derive/authorization/grants.ts";
import { heldRolesSql } from "../../../core/derive/sql/held-roles.ts";
import { slot, sql } from "../../../core/sql.ts";
import { groupBy } from "../../util/group-by.ts";
import { NOTICES } from "../aliases.ts";
import { callerParams, getEntity } from "../context.ts";
import { asText, asValues, resultShape } from "../result-columns.ts";
import { fillTemplate, valuesByPlaceholder } from "../row/labels.ts";
import { type SaidValues, toSaidValues } from "../row/said-values.ts";
import { tableSql } from "../row/sql-env.ts";
import { type Steps, send } from "../steps.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import type { WriteSet } from "../transaction/write-set.ts";
import {
  ACTOR,
  type FurtherRun,
  type MailedRun,
  type NotifyEffect,
  noticeValuesShape,
  noticeWords,
} from "./notice-words.ts";
import { type EffectRun, findRuns, groupIntoRounds, runsParam, sourceRowsParam } from "./targets.ts";

const activePerson = resultShape({ id: asText, roles: asValues });

/** Maximum number of parts that a notification names; the others are counted. */
const MAX_NAMED = 10;

/** A notification about one record. */
interface Notice {
  readonly person: string | null;
  readonly record: string;
  readonly text: string;
  readonly said: SaidValues;
  readonly mailed: MailedRun | null;
  /** The record on whose page the person sees it; null if it has a page of its own. */
  readonly page: string | null;
}

/** One notification for all that a write tells a person about parts of one record. */
const gather = (notices: readonly Notice[]): readonly Record<string, unknown>[] => {
  const groups = groupBy(notices, ({ person, record, page }) => `${person} ${page ?? record}`);
  return [...groups.values()].flatMap(([first, ...others]): readonly Record<string, unknown>[] => {
    if (first === undefined) return [];
    const { page, mailed, ...rest } = first;
    // The page is found by the parts, which can be deleted.
    if (others.length === 0) return [{ ...rest, mailed, others: page === null ? null : { count: 0, page, named: [] } }];
    const named = others.slice(0, MAX_NAMED - 1);
    const further = named.flatMap(({ record, mailed: facts }): readonly FurtherRun[] =>
      facts === null ? [] : [{ record, each: facts.each, before: facts.before, line: facts.line ?? null }],
    );
    return [
      {
        ...rest,
        mailed: mailed === null ? null : { ...mailed, further },
        others: { count: others.length, page, named: named.map(({ text, said }) => ({ text, said })) },
      },
    ];
  });
};

/** Notifies each person once, with a text in that person's read scope. */
export function* runNotifyEffect(tx: WriteTransaction, writeSet: WriteSet, effect: NotifyEffect): Steps<void> {
  const { context, caller, format } = tx;
  const effectRuns = yield* findRuns(tx, writeSet, effect, effect.to);
  if (effectRuns.length === 0) return;
  const roles = context.statements.get(["effect people"], () => ({
    more: undefined,
    sql: sql`SELECT ${activePerson.select({ id: sql`"id"`, roles: heldRolesSql(context.model, sql`u`, slot("now", "timestamptz")) })} FROM ${tableSql(getEntity(context, "User"))} AS u WHERE "id" = ANY(${slot("ids", "uuid[]")}) AND "active"`,
  }));
  const people = new Map<string, readonly string[]>();
  const found = yield* send(roles, {
    ...callerParams(caller),
    ids: [...new Set(effectRuns.map(({ target }) => target))],
  });
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
  const notices: Notice[] = [];
  const written = new Map(writeSet.rows.map((row) => [row.id, row]));
  for (const [granted, group] of groups) {
    const principal: Principal = {
      id: group[0]?.target ?? null,
      granted: new Set(granted === "" ? [] : granted.split(",")),
    };
    const rows = yield* send(noticeWords(context, writeSet, effect, principal), {
      ...callerParams(caller),
      [ACTOR]: callerParams(caller).user,
      wave: sourceRowsParam(writeSet),
      pairs: runsParam(group),
    });
    for (const { nth, words, page } of rows.map(noticeValuesShape.read)) {
      const effectRun = group[nth];
      if (effectRun === undefined) continue;
      const { source, each, target } = effectRun;
      const mailed: MailedRun = {
        actor: caller.principal.id,
        moment: writeSet.action,
        before: written.get(source)?.before ?? null,
        line: written.get(source)?.line ?? null,
        each,
      };
      notices.push({
        person: target,
        record: source,
        text: fillTemplate(effect.text, words, format),
        said: toSaidValues(valuesByPlaceholder(effect.message, effect.text, words), format),
        // Nobody gets a mail about their own action.
        mailed: target === caller.principal.id ? null : mailed,
        page,
      });
    }
  }
  if (notices.length === 0) return;
  const statement = context.statements.get(["effect notify"], () => ({
    more: undefined,
    sql: sql`INSERT INTO ninefold.notification (person, at, text, entity, record, clause, message, said, others, mail_at, mailed) SELECT ${NOTICES}."person", ${slot("now", "timestamptz")}, ${NOTICES}."text", ${slot("entity", "text")}, ${NOTICES}."record", ${slot("clause", "text")}, ${slot("message", "text")}, ${NOTICES}."said", ${NOTICES}."others", CASE WHEN ${NOTICES}."mailed" IS NOT NULL THEN ${slot("now", "timestamptz")} END, ${NOTICES}."mailed" FROM jsonb_to_recordset(${slot("told", "jsonb")}) AS ${NOTICES}("person" uuid, "text" text, "record" uuid, "said" jsonb, "others" jsonb, "mailed" jsonb)`,
  }));
  yield* send(statement, {
    now: caller.now.toISOString(),
    entity: writeSet.entity.name,
    clause: effect.clause.id,
    message: effect.message,
    told: JSON.stringify(gather(notices)),
  });
}
