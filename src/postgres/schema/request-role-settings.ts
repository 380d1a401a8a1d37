import { constant, identifier, render, sql } from "../../core/sql.ts";
import { buildSettings, type Database, STATEMENT_TIMEOUT } from "../database.ts";
import { DatabaseRefused, systemQuery } from "./prepare-system.ts";

/**
 * A pooler in transaction mode does not pass on settings, so they must be set on the role. Without them, times would be
 * read in another zone and no statement would time out.
 */
export const checkRequestRoleSettings = async (database: Database): Promise<void> => {
  const wanted = buildSettings(STATEMENT_TIMEOUT);
  const [row] = await database.query(
    systemQuery(
      `select current_user as role, current_database() as name, current_setting('TimeZone') = 'UTC' and current_setting('DateStyle') like 'ISO%' and current_setting('IntervalStyle') = 'postgres'
         and not exists (select from unnest($1::text[]) as one where current_setting(one) = '0') as set`,
      [Object.keys(wanted).filter((name) => name.endsWith("_timeout"))],
    ),
  );
  if (row?.set === true) return;
  const statements = Object.entries(wanted).map(
    ([name, value]) =>
      render(
        sql`alter role ${identifier(String(row?.role))} in database ${identifier(String(row?.name))} set ${identifier(name)} = ${constant(value)};`,
      ).text,
  );
  throw new DatabaseRefused(
    "The role that the pooler uses for requests is not set up.",
    `Run this once in the database, and make the pooler reconnect (RECONNECT in PgBouncer):\n${statements.join("\n")}`,
  );
};
