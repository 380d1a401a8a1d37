import { listReminderNames, momentSql, REMINDER_TIME } from "../../../core/derive/sql/reminder-moment.ts";
import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import type { Duration } from "../../../core/expression/values/duration.ts";
import type { Entity, Reminder } from "../../../core/model/entity.ts";
import { findNewestTime } from "../../../core/model/facts/schedule.ts";
import type { Model } from "../../../core/model/model.ts";
import { constant, identifier, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Query } from "../../../postgres/database.ts";
import type { Refusal } from "../../refusal.ts";
import { OTHER } from "../aliases.ts";
import { callerParams, NOBODY, type PlanContext } from "../context.ts";
import { asText, asTextOrNull, resultShape } from "../result-columns.ts";
import { rowEnv, tableSql } from "../row/sql-env.ts";
import { type Steps, send } from "../steps.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import { runEffects } from "./run-effects.ts";

/** A moment that is longer ago is passed over, for example after the program stood still. */
const LONGEST_DELAY_MS = 7 * 86_400_000;

const MINUTE_MS = 60_000;

/** A record that was written just before its moment may be committed after it: a moment is handled once such writes have ended. */
const SETTLING_MS = 10_000;

/**
 * The records that were handled. `busy`: another server handles the reminder. `done`: no record is left whose moment has
 * come.
 */
export interface Reminded {
  readonly kind: "busy" | "done" | "more";
  readonly records: readonly string[];
}

/** A reminder, and the work at its moments. */
export interface DueReminder {
  readonly entity: Entity;
  readonly reminder: Reminder;
  /** The newest moment to be handled now. */
  readonly until: Date;
  /**
   * Handles up to `limit` records whose moment has come, in one transaction with the note that they are handled. With
   * `skips`, it only notes that.
   */
  readonly handle: (
    request: { readonly limit: number; readonly skips: boolean },
    tell: (result: Reminded) => void,
  ) => (tx: WriteTransaction) => Steps<Refusal | undefined>;
}

/** The reminders of all entities. */
export const listDueReminders = (model: Model, now: Date): readonly DueReminder[] =>
  [...model.entities.values()].flatMap((entity) =>
    [...entity.reminders.values()].map((reminder): DueReminder => {
      const until = findNewestMoment(reminder, now, model.timezone);
      return {
        entity,
        reminder,
        until,
        handle: (request, tell) =>
          function* (tx) {
            return yield* handleMoments(tx, entity, reminder, { ...request, until }, tell);
          },
      };
    }),
  );

/** Dates have one moment a day. Datetimes are handled once a minute. */
const findNewestMoment = ({ on }: Reminder, now: Date, timezone: string): Date => {
  const settled = new Date(now.getTime() - SETTLING_MS);
  return on.type.kind === "date"
    ? findNewestTime({ days: "day", time: REMINDER_TIME }, settled, timezone)
    : new Date(Math.floor(settled.getTime() / MINUTE_MS) * MINUTE_MS);
};

/** Begins the reminders that are new: only moments from now on count. A position in the future is from a trial at another time. */
export const beginRemindersQuery = (model: Model, now: Date): Query => ({
  name: "reminders begin",
  text: `insert into ninefold.reminder as r (entity, name, moment)
         select k.entity, k.name, $2 from jsonb_to_recordset($1::jsonb) as k (entity text, name text)
         on conflict (entity, name) do update set moment = excluded.moment, record = null
         where r.moment > greatest(excluded.moment, now()) + interval '1 hour'`,
  values: [JSON.stringify(listReminderNames(model)), now.toISOString()],
});

const position = resultShape({ moment: asText, record: asTextOrNull });
const dueRecord = resultShape({ id: asText, moment: asText });

/** After every record. */
const LAST_ID = "ffffffff-ffff-ffff-ffff-ffffffffffff";

function* handleMoments(
  tx: WriteTransaction,
  entity: Entity,
  reminder: Reminder,
  { limit, skips, until }: { readonly limit: number; readonly skips: boolean; readonly until: Date },
  tell: (result: Reminded) => void,
): Steps<Refusal | undefined> {
  const { context, caller } = tx;
  const of = { entity: entity.name, name: reminder.name };
  const [row] = yield* send(lockPosition(context), of);
  if (row === undefined) {
    tell({ kind: "busy", records: [] });
    return undefined;
  }
  const last = position.read(row);
  const [from, to] = [Date.parse(last.moment), until.getTime()];
  if (from > to || (from === to && last.record === null)) {
    tell({ kind: "done", records: [] });
    return undefined;
  }
  const oldest = caller.now.getTime() - LONGEST_DELAY_MS;
  const isRecent = from >= oldest;
  const found = yield* send(dueRecords(context, entity, reminder), {
    ...callerParams(caller),
    from: isRecent ? last.moment : new Date(oldest).toISOString(),
    record: isRecent ? (last.record ?? LAST_ID) : NOBODY,
    until: until.toISOString(),
    limit,
  });
  const due = found.map(dueRecord.read);
  const records = due.map(({ id }) => id);
  if (!skips) {
    const rows = records.map((id) => ({ id, before: null, line: null }));
    const refused = yield* runEffects(tx, { entity, action: reminder.action, changed: null, rows });
    if (refused !== undefined) return refused;
  }
  const isDone = due.length < limit;
  const end = due.at(-1);
  const next =
    isDone || end === undefined
      ? { moment: until.toISOString(), record: null }
      : { moment: end.moment, record: end.id };
  yield* send(movePosition(context), { ...of, ...next });
  tell({ kind: isDone ? "done" : "more", records });
  return undefined;
}

/** Of several servers, one has the lock; the others go on. */
const lockPosition = ({ statements }: PlanContext) =>
  statements.get(["reminder position"], () => ({
    more: undefined,
    sql: sql`SELECT ${position.select({ moment: isoText(sql`"moment"`), record: sql`"record"` })} FROM ninefold.reminder WHERE "entity" = ${slot("entity", "text")} AND "name" = ${slot("name", "text")} FOR UPDATE SKIP LOCKED`,
  }));

const movePosition = ({ statements }: PlanContext) =>
  statements.get(["reminder moved"], () => ({
    more: undefined,
    sql: sql`UPDATE ninefold.reminder SET "moment" = ${slot("moment", "timestamptz")}, "record" = ${slot("record", "uuid")} WHERE "entity" = ${slot("entity", "text")} AND "name" = ${slot("name", "text")}`,
  }));

const isoText = (instant: Sql): Sql => sql`to_char(${instant} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The records whose moment is after the last one that was handled and not after `until`, in order. */
const dueRecords = ({ model, statements }: PlanContext, entity: Entity, reminder: Reminder) =>
  statements.get(["reminder due", entity.name, reminder.name], () => {
    const env = rowEnv(model, entity, OTHER.alias);
    const moment = momentSql(model, reminder, env);
    const field = sql`${OTHER}.${identifier(reminder.field)}`;
    const [early, late] = [sql`${slot("from", "timestamptz")}`, sql`${slot("until", "timestamptz")}`];
    // The first two conditions use the index. Months differ in length, so the others decide.
    return {
      more: undefined,
      sql: sql`SELECT ${dueRecord.select({ id: sql`"due"."id"`, moment: isoText(sql`"due"."moment"`) })} FROM (SELECT ${OTHER}."id", ${moment} AS "moment" FROM ${tableSql(entity)} AS ${OTHER} WHERE ${field} >= ${boundSql(model, reminder, env, early, "first")} AND ${field} <= ${boundSql(model, reminder, env, late, "last")}) AS "due" WHERE ("due"."moment", "due"."id") > (${early}, ${slot("record", "uuid")}) AND "due"."moment" <= ${late} ORDER BY "due"."moment", "due"."id" LIMIT ${slot("limit", "integer")}`,
    };
  });

/**
 * The first or last value of the field for which a moment can be this instant: the durations are taken back, and days are
 * added for months of different lengths and days of different hours.
 */
const boundSql = ({ timezone }: Model, { on }: Reminder, env: SqlEnv, instant: Sql, side: "first" | "last"): Sql => {
  const zone = constant(timezone);
  const isDate = on.type.kind === "date";
  let bound = isDate ? sql`(${instant} AT TIME ZONE ${zone})::date` : instant;
  let isExact = true;
  for (let expr: Expr | undefined = on; expr?.kind === "call"; ) {
    const [from, away]: readonly Expr[] = expr.args;
    if (away === undefined) break;
    const { value } = toSql(away, env);
    const isAdded = expr.row === "date + duration" || expr.row === "datetime + duration";
    if (isDate) bound = isAdded ? sql`(${bound} - ${value})::date` : sql`(${bound} + ${value})::date`;
    else bound = sql`${isAdded ? sql`date_subtract` : sql`date_add`}(${bound}, ${value}, ${zone})`;
    isExact &&= away.kind === "constant" && (away.value as Duration).months === 0;
    expr = from;
  }
  const days = sql`INTERVAL ${constant(isExact ? "1 day" : "5 days")}`;
  const widened = side === "first" ? sql`${bound} - ${days}` : sql`${bound} + ${days}`;
  return isDate ? sql`(${widened})::date` : sql`(${widened})`;
};
