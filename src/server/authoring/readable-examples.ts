import { grantsFor, isUnconditional, type Principal } from "../../core/derive/authorization/grants.ts";
import { dateAt, getZone } from "../../core/expression/values/calendar.ts";
import type { Model } from "../../core/model/model.ts";
import { fill, render, slot, sql } from "../../core/sql.ts";
import type { ReplayCountJson, ReplayExampleJson, ReplayedActs } from "../../core/wire/authoring/replay.ts";
import type { Database } from "../../postgres/database.ts";
import { callerParams } from "../plan/context.ts";
import { asCondition, readScope } from "../plan/row/read-scope.ts";
import { tableSql } from "../plan/row/sql-env.ts";

/** The replay without examples of records that the author may not read. All counts stay. */
export const withReadableExamples = async (
  { query }: Pick<Database, "query">,
  model: Model,
  replay: ReplayedActs,
  author: Principal,
  now: Date,
): Promise<ReplayedActs> => {
  const examples = [...replay.refused, ...replay.allowed, ...replay.effects].flatMap((one) => one.examples);
  const readable = new Set<string>();
  const whole = new Set<string>();
  const today = dateAt(now.toISOString(), getZone(model.timezone)) ?? "";
  for (const name of new Set(examples.map(({ entity }) => entity))) {
    const entity = model.entities.get(name);
    if (entity === undefined) continue;
    const grants = grantsFor(model, entity, "read", author);
    if (isUnconditional(grants)) whole.add(name);
    if (grants.length === 0 || isUnconditional(grants)) continue;
    const ids = new Set(examples.flatMap((one) => (one.entity === name ? (one.record ?? []) : [])));
    const statement = render(
      sql`SELECT "t"."id" FROM ${tableSql(entity)} AS "t" WHERE "t"."id" = ANY(${slot("ids", "uuid[]")}) AND ${asCondition(readScope(model, entity, author, "t").rows)}`,
    );
    const slots = { ...callerParams({ principal: author, now, today }), ids: [...ids] };
    for (const { id } of await query({ text: statement.text, values: fill(statement, slots) }))
      readable.add(String(id));
  }
  const isReadable = ({ entity, record }: ReplayExampleJson): boolean =>
    whole.has(entity) || (record !== null && readable.has(record));
  const filtered = (counts: readonly ReplayCountJson[]): readonly ReplayCountJson[] =>
    counts.map((one) => ({ ...one, examples: one.examples.filter(isReadable) }));
  return {
    ...replay,
    refused: filtered(replay.refused),
    allowed: filtered(replay.allowed),
    effects: filtered(replay.effects),
  };
};
