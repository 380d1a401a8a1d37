import { identifier, render, slot, sql } from "../../core/sql.ts";
import { type Database, StoreRefusal } from "../../postgres/database.ts";
import type { Service } from "../execution/service.ts";
import { inOrderOfNeed } from "./order.ts";

export interface RemovalResult {
  readonly removed: number;
  /** Sample records kept because real records refer to them. */
  readonly retained: number;
}

/**
 * Removes sample data, beginning with records that nothing refers to. Keeps records that real ones refer to, and the
 * history.
 */
export const removeSample = async (service: Service): Promise<RemovalResult> => {
  const { database, model } = service;
  const count = async (): Promise<number> =>
    Number(
      (await database.query({ text: "select count(*)::int as count from ninefold.sample", values: [] }))[0]?.count ?? 0,
    );
  const before = await count();
  const tables = [...inOrderOfNeed(model)].reverse().map((entity) => ({ entity: entity.name, table: entity.table }));
  tables.push({ entity: "User", table: "user" });
  // A record that another sample refers to is removed in a later round.
  for (let remaining = before, previous = -1; remaining !== previous; ) {
    remaining = await count();
    for (const { entity, table } of tables) await removeOfEntity(database, entity, table);
    previous = await count();
  }
  const retained = await count();
  return { removed: before - retained, retained };
};

const removeOfEntity = async (database: Database, entity: string, table: string): Promise<void> => {
  const rows = await database.query({ text: "select record from ninefold.sample where entity = $1", values: [entity] });
  for (const row of rows)
    await database.query({ text: removal(table), values: [row.record] }).catch((error: unknown) => {
      if (!(error instanceof StoreRefusal) || error.code !== FOREIGN_KEY_VIOLATION) throw error;
    });
};

const FOREIGN_KEY_VIOLATION = "23503";

const removal = (table: string): string =>
  render(sql`WITH gone AS (DELETE FROM "app".${identifier(table)} WHERE "id" = ${slot("id", "uuid")} RETURNING "id"),
    signed AS (DELETE FROM ninefold.session WHERE person IN (SELECT "id" FROM gone)),
    known AS (DELETE FROM ninefold.credential WHERE person IN (SELECT "id" FROM gone))
    DELETE FROM ninefold.sample WHERE record IN (SELECT "id" FROM gone)`).text;
