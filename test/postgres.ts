import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { urlOf } from "../src/postgres/embedded.ts";

export interface TestDatabase {
  readonly name: string;
  /** As the role that owns the database and everything in it; migrations use it. */
  readonly url: string;
  /** As the role of requests, which may only do what it was granted. */
  readonly appUrl: string;
  query(text: string, values?: readonly unknown[]): Promise<{ readonly rows: Record<string, unknown>[] }>;
  /** Closes the connections of `query`, which may be asked again. */
  rest(): Promise<void>;
  /** Drops the database, also under connections that are still open. */
  end(): Promise<void>;
}

/** A fresh database on the one Postgres of this run: empty, or as another is, to which nobody speaks. Call `end` when done. */
export const database = async (template?: Pick<TestDatabase, "name">): Promise<TestDatabase> => {
  const owner = inject("postgres");
  const name = `test_${randomBytes(6).toString("hex")}`;
  const administer = async (statement: string) => {
    const client = new pg.Client(urlOf(owner));
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await administer(`create database ${name}${template === undefined ? "" : ` template ${template.name}`}`);
  const url = urlOf({ ...owner, database: name });
  const fresh = () => {
    const made = new pg.Pool({ connectionString: url, max: 4 });
    // Dropping the database ends what is still connected to it.
    made.on("error", () => undefined);
    return made;
  };
  let pool = fresh();
  return {
    name,
    url,
    appUrl: urlOf({ ...owner, database: name, user: "ninefold_app" }),
    query: (text, values = []) => pool.query<Record<string, unknown>>(text, [...values]),
    rest: async () => {
      await pool.end();
      pool = fresh();
    },
    end: async () => {
      await pool.end();
      await administer(`drop database ${name} with (force)`);
    },
  };
};
