import type { Principal } from "../../../core/derive/authorization/grants.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import { rewrite } from "../../../core/expression/rewrite/inline.ts";
import type { Effect } from "../../../core/model/model.ts";
import { slot, sql, withSlots } from "../../../core/sql.ts";
import { entityOf, slotsOf } from "../context.ts";
import { type Seen, seenEnv, seenWhereRead, spokenIn, valuesOf, wordsWith } from "../row/labels.ts";
import { eyesOf } from "../row/read-scope.ts";
import { tableOf } from "../row/sql-env.ts";
import { queryOf } from "../statements.ts";
import type { Steps } from "../steps.ts";
import type { Following } from "../transaction/transaction-context.ts";
import type { Written } from "../transaction/write-set.ts";
import { gathered, type Pair, pairsOf, pairsSlot, pairsSql, roundsOf, sourceOf, waveSlot } from "./targets.ts";

const ACTOR = "actor";
const asActor = (part: Expr): Expr | undefined =>
  part.kind === "user"
    ? { kind: "name", name: ACTOR, type: part.type, missing: part.missing, span: part.span }
    : undefined;

/** Each person is told once, in words that hold what they may read. */
export function* notify(following: Following, wave: Written, effect: Extract<Effect, { kind: "notify" }>): Steps<void> {
  const { context, asker, format } = following;
  const { model } = context;
  const pairs = yield* pairsOf(following, wave, effect, effect.to);
  if (pairs.length === 0) return;
  const roles = context.statements.get(["effect people"], () => ({
    more: undefined,
    sql: sql`SELECT "id", "roles" FROM ${tableOf(entityOf(context, "User"))} WHERE "id" = ANY(${slot("ids", "uuid[]")}) AND "active"`,
  }));
  const people = new Map<string, readonly string[]>();
  for (const row of yield queryOf(roles, { ids: [...new Set(pairs.map(({ target }) => target))] }))
    people.set(String(row.id), Array.isArray(row.roles) ? row.roles.map(String).sort() : []);
  const tellsActor = (effect.to.kind === "list" ? effect.to.items : [effect.to]).some(({ kind }) => kind === "user");
  const groups = new Map<string, Pair[]>();
  for (const pair of roundsOf(pairs, ({ source, target, each }) => `${source} ${target} ${each}`)[0] ?? []) {
    const held = people.get(pair.target ?? "");
    // Nobody is told what they did themselves, unless the document names `user`.
    if (held === undefined || (pair.target === asker.person.id && !tellsActor)) continue;
    const group = groups.get(held.join(",")) ?? [];
    groups.set(held.join(","), group);
    group.push(pair);
  }
  const told: Record<string, unknown>[] = [];
  for (const [held, group] of groups) {
    const person: Principal = { id: group[0]?.target ?? null, granted: new Set(held === "" ? [] : held.split(",")) };
    const written = context.statements.get(["effect", effect.clause.id, "text", held], () => {
      // In a permission `user` is who is told; in the text it is who acted.
      const text = {
        parts: effect.text.parts.map((part) => (typeof part === "string" ? part : rewrite(part, asActor))),
      };
      const seen: Seen = {
        ...seenEnv(model, wave.entity, person, "t"),
        old: seenWhereRead(model, wave.entity, person, "b").field,
        names: (name) =>
          name === ACTOR ? { sql: sql`${slot(ACTOR, "uuid")}`, missing: false } : gathered(effect)(name),
      };
      const rows = eyesOf(model, wave.entity, person, "t").rows;
      const words = valuesOf(text, seen);
      const values = rows === undefined ? words : sql`CASE WHEN ${rows} THEN ${words} END`;
      return {
        more: undefined,
        sql: sql`SELECT "p"."nth", ${withSlots(values, { user: sql`"p"."target"` })} AS "words" FROM ${pairsSql} JOIN (${sourceOf(wave)}) ON "w"."id" = "p"."source" ORDER BY "p"."nth"`,
      };
    });
    const rows = yield queryOf(written, {
      ...slotsOf(asker),
      [ACTOR]: slotsOf(asker).user,
      wave: waveSlot(wave),
      pairs: pairsSlot(group),
    });
    for (const row of rows) {
      const pair = group[Number(row.nth)];
      if (pair === undefined) continue;
      const words: readonly unknown[] = Array.isArray(row.words) ? row.words : [];
      told.push({
        person: pair.target,
        record: pair.source,
        text: wordsWith(effect.text, words, format),
        said: spokenIn(effect.message, effect.text, words, format),
      });
    }
  }
  if (told.length === 0) return;
  const telling = context.statements.get(["effect notify"], () => ({
    more: undefined,
    sql: sql`INSERT INTO ninefold.notification (person, at, text, entity, record, clause, message, said) SELECT "x"."person", ${slot("now", "timestamptz")}, "x"."text", ${slot("entity", "text")}, "x"."record", ${slot("clause", "text")}, ${slot("message", "text")}, "x"."said" FROM jsonb_to_recordset(${slot("told", "jsonb")}) AS "x"("person" uuid, "text" text, "record" uuid, "said" jsonb)`,
  }));
  yield queryOf(telling, {
    now: asker.now.toISOString(),
    entity: wave.entity.name,
    clause: effect.clause.id,
    message: effect.message,
    told: JSON.stringify(told),
  });
}
