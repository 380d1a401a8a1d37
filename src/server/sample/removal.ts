import { identifier, render, slot, sql } from "../../core/sql.ts";
import type { SamplesRemovedJson } from "../../core/wire/accounts/people.ts";
import { type Database, StoreRefusal } from "../../postgres/database.ts";
import type { Service } from "../execution/service.ts";
import { MANAGES_CLAUSE } from "../plan/write/account-change.ts";
import { inOrderOfNeed } from "./order.ts";

/**
 * Removes sample data, beginning with records that nothing refers to. Keeps records that real ones refer to, the
 * history, and the account of the person who asked for it.
 */
export const removeSample = async (service: Service, caller: string | null = null): Promise<SamplesRemovedJson> => {
  const { database, model } = service;
  const count = async (): Promise<number> =>
    Number(
      (
        await database.query({
          text: "select count(*)::int as count from ninefold.sample where record is distinct from $1::uuid",
          values: [caller],
        })
      )[0]?.count ?? 0,
    );
  const before = await count();
  const tables = [...inOrderOfNeed(model)].reverse().map((entity) => ({ entity: entity.name, table: entity.table }));
  tables.push({ entity: "User", table: "user" });
  // A record that another sample refers to is removed in a later round.
  for (let remaining = before, previous = -1; remaining !== previous; ) {
    remaining = await count();
    for (const { entity, table } of tables) await removeOfEntity(database, entity, table, caller);
    previous = await count();
  }
  const retained = await count();
  const removed = before - retained;
  if (caller !== null) await keepAccount(database, caller);
  if (removed > 0) await writeLine(service, caller, { removed, retained });
  return { removed, retained };
};

/**
 * The account that stays becomes a real one, which gets emails, if its person can sign in without the demonstration.
 * Otherwise the sign-in page of the demonstration has to go on offering it.
 */
const keepAccount = async (database: Database, caller: string): Promise<void> => {
  await database.query({
    text: `delete from ninefold.sample s where s.entity = 'User' and s.record = $1::uuid
             and (exists (select from ninefold.credential c where c.person = s.record)
                  or exists (select from ninefold.identity i where i.person = s.record))`,
    values: [caller],
  });
};

/** Nobody’s account: the history names it where the command line acted. */
const NO_ACCOUNT = "00000000-0000-0000-0000-000000000000";

/** Removed records have no history that anybody can open, so the account of the administrator says how many there were. */
const writeLine = async (
  { database, version }: Service,
  caller: string | null,
  changes: SamplesRemovedJson,
): Promise<void> => {
  await database.query({
    text: `insert into ninefold.audit (person, entity, record, action, clause, document, changes)
           values ($1, 'Account', $2, 'remove_samples', $3, $4, $5)`,
    values: [caller, caller ?? NO_ACCOUNT, MANAGES_CLAUSE, version, JSON.stringify(changes)],
  });
};

const removeOfEntity = async (
  database: Database,
  entity: string,
  table: string,
  caller: string | null,
): Promise<void> => {
  const rows = await database.query({
    text: "select record from ninefold.sample where entity = $1 and record is distinct from $2::uuid",
    values: [entity, caller],
  });
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
