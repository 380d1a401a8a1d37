import { afterAll, beforeAll, beforeEach } from "vitest";
import { connect, type Database } from "../../src/postgres/database.ts";
import { applyDocument } from "../../src/postgres/schema/apply-document.ts";
import { ChangeRefused } from "../../src/postgres/schema/apply-steps.ts";
import type { Applied } from "../../src/postgres/schema/newest-document.ts";
import { prepareSystem } from "../../src/postgres/schema/prepare-system.ts";
import { compiled, preparedDatabase } from "../app/program.ts";
import type { TestDatabase } from "../postgres.ts";

/** The blocks of a document, by point. */
export type Points = { readonly [point: number]: string };

/** A document of these points. */
export const shelfText = (points: Points): string =>
  [
    "# Shelf",
    ...Object.entries(points).map(([point, yaml]) => `## ${point}. Point\n\`\`\`yaml\n${yaml.trim()}\n\`\`\``),
  ].join("\n\n");

/** A database for the tests of a file; each test starts without document and versions. */
export interface Shelf {
  readonly store: TestDatabase;
  /** The connection that changes tables. */
  readonly owner: Database;
  readonly apply: (text: string) => Promise<Applied>;
  /** The reasons why a text is refused. */
  readonly refusal: (text: string) => Promise<readonly string[]>;
  readonly insert: (table: string, row: Readonly<Record<string, unknown>>) => Promise<unknown>;
}

export const openShelf = (): Shelf => {
  let store: TestDatabase;
  let owner: Database;
  beforeAll(async () => {
    store = await preparedDatabase();
    owner = connect({ connection: store.url, max: 1, statementTimeout: 60_000 });
    await prepareSystem(owner, "ninefold_app");
  });
  beforeEach(() =>
    store.query(`
      drop schema app cascade; create schema app;
      truncate ninefold.version, ninefold.retired, ninefold.former_value, ninefold.renaming`),
  );
  afterAll(async () => {
    await owner.end();
    await store.end();
  });
  const apply = (text: string): Promise<Applied> => {
    const { model, source } = compiled(text, "shelf.md");
    return applyDocument(owner, model, source);
  };
  return {
    get store() {
      return store;
    },
    get owner() {
      return owner;
    },
    apply,
    refusal: async (text) => {
      const thrown = await apply(text).catch((error: unknown) => error);
      if (!(thrown instanceof ChangeRefused))
        throw new Error(`not refused: ${JSON.stringify(thrown).slice(0, 300)}`, { cause: thrown });
      return thrown.refused.map(({ says }) => says);
    },
    insert: (table, row) => {
      const record = {
        id: crypto.randomUUID(),
        version: 1,
        created_at: "2026-01-01",
        updated_at: "2026-01-01",
        ...row,
      };
      const names = Object.keys(record).map((name) => `"${name}"`);
      return store.query(
        `insert into app."${table}" (${names.join()}) select ${names.join()} from jsonb_populate_record(null::app."${table}", $1::jsonb)`,
        [JSON.stringify(record)],
      );
    },
  };
};
