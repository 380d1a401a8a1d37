import type { Renaming } from "../../core/model/model.ts";
import type { RunQuery } from "../database.ts";

/** Reminders of a renamed entity go on. */
export const migrateReminders = async (query: RunQuery, renamings: readonly Renaming[]): Promise<void> => {
  for (const { old, now } of renamings.filter(({ of }) => of === "entity"))
    await query({
      text: "update ninefold.reminder r set entity = $2 where entity = $1 and not exists (select from ninefold.reminder o where o.entity = $2 and o.name = r.name)",
      values: [old, now],
    });
};
