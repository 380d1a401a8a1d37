import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCompiler } from "../../src/core/compile.ts";
import type { Model } from "../../src/core/model/model.ts";
import type { Source } from "../../src/core/source-text.ts";
import { connect, type Database } from "../../src/postgres/database.ts";
import { applyDocument } from "../../src/postgres/schema/apply-document.ts";
import { ChangeRefused } from "../../src/postgres/schema/apply-steps.ts";
import { prepareSystem } from "../../src/postgres/schema/prepare-system.ts";
import { example, sampledDatabase } from "../app/program.ts";
import fc, { cases, seedOr } from "../chance.ts";
import { database, type TestDatabase } from "../postgres.ts";
import { takesTurns, thirdOfDay } from "../turns.ts";
import { generated } from "../worlds/documents.ts";
import { draftsOf } from "../worlds/drafts.ts";
import { randomFrom } from "../worlds/requests.ts";
import { type MutationName, mutations } from "./mutants.ts";
import { newValues, rowsOf, type Small, small, textOf } from "./small-documents.ts";
import { dropRetired, insertSql, readStored } from "./stored.ts";

/*
 * A version is applied to a database with records and undone. Afterwards every row and every definition is as before. A
 * version that is refused changes nothing.
 */

/** An ordinary run tries a few of them, different ones each day; `npm run prove` tries more. */
const day = seedOr(20261123);

interface Version {
  readonly model: Model;
  readonly source: Source;
}

/** Most texts differ little from the one before. */
const compile = createCompiler();

const versionOf = (text: string): Version | undefined => {
  const { model, source } = compile({ file: "specification.md", text });
  return model === undefined ? undefined : { model, source };
};

let owner: Database | undefined;
let store: TestDatabase | undefined;
const close = async () => {
  await owner?.end();
  await store?.end();
  [owner, store] = [undefined, undefined];
};
afterAll(close);

/** Opens a copy of the samples of a document. */
const openSamples = async (text: string): Promise<void> => {
  await close();
  store = await sampledDatabase(text);
  owner = connect({ connection: store.url, max: 1, statementTimeout: 60_000 });
};

const apply = async ({ model, source }: Version): Promise<readonly string[] | ChangeRefused> => {
  if (owner === undefined) throw new Error("no database is open");
  return applyDocument(owner, model, source).then(
    ({ done }) => done,
    (error: unknown) => {
      if (error instanceof ChangeRefused) return error;
      throw error;
    },
  );
};

const stored = () => {
  if (store === undefined) throw new Error("no database is open");
  return readStored(store);
};

/** Removes a field, and every mention of it in a list. */
const withoutField = (text: string): readonly string[] =>
  [...text.matchAll(/^ {4}(\w+): +(?:\{ type: .*\}|[A-Za-z ]+\??)$\n/gmu)].map(([line, name = ""]) =>
    text
      .replace(line, "")
      .replaceAll(new RegExp(`(?<=[[{ ])-?${name}, |, -?${name}(?=[\\]} ,])`, "gu"), "")
      .replaceAll(new RegExp(`\\[${name}\\]`, "gu"), "[]"),
  );

interface Edit {
  readonly what: string;
  readonly text: string;
}

const editsOf = (text: string, most: number): readonly Edit[] => {
  const random = randomFrom(day);
  const kinds = random.some(Object.keys(mutations) as MutationName[], 99).flatMap((what) => {
    const item = random.pick(mutations[what](text));
    return item === undefined || item === text ? [] : [{ what, text: item }];
  });
  const fields = random.some(
    withoutField(text).map((item) => ({ what: "a field is removed", text: item })),
    99,
  );
  /** The first ones that compile; the others are not compiled. */
  const valid = (edits: readonly Edit[]): readonly Edit[] => {
    const found: Edit[] = [];
    for (const edit of edits) {
      if (found.length >= most / 3) break;
      if (versionOf(edit.text) !== undefined) found.push(edit);
    }
    return found;
  };
  return [...valid(kinds), ...valid(fields), ...draftsOf(text, random, Math.ceil(most / 3))];
};

let settled = 0;
let [applied, refused] = [0, 0];

/** The line in which two texts differ. */
const difference = (one: string, other: string): string => {
  const [a, b] = [one.split("\n"), other.split("\n")];
  const i = a.findIndex((line, at) => line !== b[at]);
  return `- ${a[i]}\n+ ${b[i]}`;
};

const check = async (base: string, edit: Edit, before: Awaited<ReturnType<typeof stored>>): Promise<string | null> => {
  const [from, to] = [versionOf(base), versionOf(edit.text)];
  if (from === undefined || to === undefined) return null;
  const done = await apply(to);
  if (done instanceof ChangeRefused) {
    refused++;
    expect(await stored(), `refused: ${edit.what}`).toEqual(before);
    return null;
  }
  applied++;
  const back = await apply(from);
  const context = `${edit.what}\n${difference(base, edit.text)}\n${done.join("\n")}`;
  if (back instanceof ChangeRefused)
    throw new Error(`${context}\nback: ${back.refused.map(({ says }) => says).join("\n")}`);
  // The next version drops empty columns of the version in between.
  const next = versionOf(`${base}\n<!-- ${settled++} -->\n`);
  if (next !== undefined) await apply(next);
  expect(await stored(), `${context}\nback:\n${back.join("\n")}`).toEqual(before);
  return null;
};

const documents = {
  ...Object.fromEntries(
    (process.env.MANY_CASES === undefined
      ? ["lending", "booking"]
      : ["lending", "help-desk", "leave-desk", "purchasing", "booking"]
    ).map((name) => [name, () => readFileSync(example(name), "utf8")]),
  ),
  "a generated document": () => generated(day).text,
} as Readonly<Record<string, () => string>>;

describe.each(thirdOfDay(Object.keys(documents)))("%s", (name) => {
  const base = documents[name]?.() ?? "";
  let before: Awaited<ReturnType<typeof stored>>;
  beforeAll(async () => {
    await openSamples(base);
    before = await stored();
  });

  test("is as it was after a version is applied and taken back", { timeout: 600_000 }, async () => {
    const problems: string[] = [];
    for (const edit of editsOf(base, cases(6, 300)))
      await check(base, edit, before).catch(async (error: unknown) => {
        problems.push(String((error as Error).message).slice(0, 3000));
        await openSamples(base);
      });
    expect(problems).toEqual([]);
  });
});

test("enough is tried", () => {
  expect(applied).toBeGreaterThan(takesTurns ? 3 : 10);
  if (!takesTurns) expect(refused).toBeGreaterThan(0);
});

describe("any two small documents", () => {
  let testDatabase: TestDatabase;
  let its: Database;
  beforeAll(async () => {
    testDatabase = await database();
    its = connect({ connection: testDatabase.url, max: 1, statementTimeout: 60_000 });
    await prepareSystem(its, "ninefold_app");
  });
  afterAll(async () => {
    await its.end();
    await testDatabase.end();
  });

  const publish = async (document: Small) => {
    const statements = rowsOf(document).map(({ table, row }) => insertSql(table, row));
    await testDatabase.query(`begin; set constraints all deferred; ${statements.join(";\n")}; commit`);
  };

  /** All that is not retired. */
  const live = async () => {
    const { rows: retired } = await testDatabase.query("select table_name, column_name from ninefold.retired");
    const retiredTables = new Set(
      retired.filter((row) => row.column_name === null).map((row) => String(row.table_name)),
    );
    const { rows } = await readStored(testDatabase);
    return Object.fromEntries(
      Object.entries(rows)
        .filter(([table]) => !retiredTables.has(table))
        .map(([table, found]) => {
          const hidden = retired.filter((row) => row.table_name === table).map((row) => String(row.column_name));
          const shown = (found as readonly { row: Record<string, unknown> }[]).map(({ row }) =>
            Object.fromEntries(Object.entries(row).filter(([column]) => !hidden.includes(column))),
          );
          return [table, shown];
        }),
    );
  };

  const outcome = async (version: Version) =>
    applyDocument(its, version.model, version.source).then(
      ({ done }) => done,
      (error: unknown) => {
        if (error instanceof ChangeRefused) return error;
        throw error;
      },
    );

  let [attempts, changed, entered] = [0, 0, 0];
  const prop = async (a: Small, b: Small, enters: boolean): Promise<void> => {
    const texts = [textOf(a, null), textOf(b, a)] as const;
    const [from, to] = texts.map(versionOf);
    if (from === undefined || to === undefined) return;
    await testDatabase.query(
      "drop schema app cascade; create schema app; truncate ninefold.version, ninefold.retired, ninefold.former_value, ninefold.renaming",
    );
    attempts++;
    await outcome(from);
    await publish(a);
    const [before, shown] = [await readStored(testDatabase), await live()];
    const done = await outcome(to);
    if (done instanceof ChangeRefused) {
      expect(await readStored(testDatabase), "a refused version changes nothing").toEqual(before);
      return;
    }
    changed++;
    const between = await live();
    let expected = between;
    if (enters) {
      // Each record is read in both versions; only new columns get other values.
      await testDatabase.query(newValues(a, b));
      expected = await live();
    }
    const back = await outcome(from);
    const context = `${texts.join("\n→\n")}\n${done.join("\n")}`;
    if (back instanceof ChangeRefused)
      throw new Error(`${context}\n${back.message} ${back.refused.map(({ says }) => says).join("\n")}`);
    expect(await live(), `${context}\nback\n${back.join("\n")}`).toEqual(shown);
    if (enters && JSON.stringify(expected) !== JSON.stringify(between)) {
      entered++;
      const again = await outcome(to);
      if (again instanceof ChangeRefused)
        throw new Error(`${context}\nagain: ${again.refused.map(({ says }) => says).join("\n")}`);
      expect(await live(), `${context}\nagain\n${again.join("\n")}`).toEqual(expected);
      return;
    }
    // Fields that the version in between added are retired, and can be deleted.
    await dropRetired(testDatabase);
    expect(await readStored(testDatabase), context).toEqual(before);
  };

  test("are applied one after the other and taken back", { timeout: 900_000 }, async () => {
    await fc.assert(fc.asyncProperty(small, small, fc.boolean(), prop), {
      numRuns: Number(process.env.RUNS ?? cases(40, 3000)),
    });
    expect([attempts > 15, changed > 10, entered > 0]).toEqual([true, true, true]);
  });
});
