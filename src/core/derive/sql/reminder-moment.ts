import { type SqlEnv, toSql } from "../../expression/compile/to-sql.ts";
import type { Reminder } from "../../model/entity.ts";
import type { Model } from "../../model/model.ts";
import { constant, type Sql, sql } from "../../sql.ts";

/** The time of day of a reminder on a date, in the time zone of the document: that of daily mails. */
export const REMINDER_TIME = "08:00";

/** The moment of a record as an instant. */
export const momentSql = ({ timezone }: Model, { on }: Reminder, env: SqlEnv): Sql => {
  const { value } = toSql(on, env);
  if (on.type.kind === "datetime") return value;
  return sql`((${value} + TIME ${constant(REMINDER_TIME)}) AT TIME ZONE ${constant(timezone)})`;
};

/** The names by which the database knows the reminders of a document. */
export const listReminderNames = ({ entities }: Model): readonly { readonly entity: string; readonly name: string }[] =>
  [...entities.values()].flatMap(({ name: entity, reminders }) =>
    [...reminders.keys()].map((name) => ({ entity, name })),
  );
