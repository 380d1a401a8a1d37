import type { Model } from "../../core/model/model.ts";
import { identifier, render, sql } from "../../core/sql.ts";
import type { StateCountsJson } from "../../core/wire/authoring/document.ts";
import type { Database } from "../../postgres/database.ts";

/** Counts the records in each state of each entity. */
export const countStates = async (database: Database, model: Model | undefined): Promise<StateCountsJson> => {
  const entities: Record<string, Record<string, number>> = {};
  for (const entity of model?.entities.values() ?? []) {
    if (entity.states === null) continue;
    const { text } = render(
      sql`SELECT ${identifier(entity.states.field)} AS "state", count(*)::integer AS "count" FROM "app".${identifier(entity.table)} GROUP BY 1`,
    );
    const rows = await database.query({ text, values: [] });
    entities[entity.name] = Object.fromEntries(rows.map(({ state, count }) => [String(state), Number(count)]));
  }
  return { entities };
};
