import { listReminderNames } from "../../core/derive/sql/reminder-moment.ts";
import type { Model, Renaming } from "../../core/model/model.ts";
import type { RunQuery } from "../database.ts";

/**
 * Reminders of a renamed entity go on; those that the document no longer has are forgotten. Only the transaction of a new
 * version does that: a server that still runs the earlier one would forget a reminder that has just come to exist.
 */
export const migrateReminders = async (
  query: RunQuery,
  model: Model,
  renamings: readonly Renaming[],
): Promise<void> => {
  for (const { old, now } of renamings.filter(({ of }) => of === "entity"))
    await query({
      text: "update ninefold.reminder r set entity = $2 where entity = $1 and not exists (select from ninefold.reminder o where o.entity = $2 and o.name = r.name)",
      values: [old, now],
    });
  await query({
    text: "delete from ninefold.reminder where (entity, name) not in (select k.entity, k.name from jsonb_to_recordset($1::jsonb) as k (entity text, name text))",
    values: [JSON.stringify(listReminderNames(model))],
  });
};
