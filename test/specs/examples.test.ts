import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";
import { gatesOf, nobody, type Person } from "../../src/core/derive/access.ts";
import { tablesOf } from "../../src/core/derive/tables.ts";
import type { Finding } from "../../src/core/findings.ts";
import { builtInErrors } from "../../src/core/model/errors.ts";
import type { Entity, Model } from "../../src/core/model/model.ts";
import { type NotExecuted, notExecuted } from "../../src/core/model/not-executed.ts";
import { identifier, render, sql } from "../../src/core/sql.ts";
import { placesIn } from "../../src/core/text.ts";
import { makeSample, type Sampled } from "../../src/server/sample.ts";
import { type Opened, open } from "../../src/server/serve.ts";
import { database, type TestDatabase } from "../postgres.ts";

/*
 * The whole specifications that we show: they are true to the language, and they run. What each of them says that
 * nothing executes yet stands in a golden list by its file, which may only shrink.
 */

const root = new URL("../../", import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, root), "utf8");

const files = [
  ...readdirSync(new URL("examples/", root))
    .filter((name) => name.endsWith(".md") && name !== "README.md" && name !== "founding.md")
    .sort()
    .map((name) => `examples/${name}`),
  "docs/ninefold.md",
];
const golden = JSON.parse(textOf("test/specs/examples.not-executed.json")) as {
  readonly [file: string]: readonly NotExecuted[];
};

const documents = files.map((path) => ({ path, ...compile({ file: basename(path), text: textOf(path) }) }));

type Document = (typeof documents)[number];

const modelOf = ({ path, model }: Document): Model => {
  if (model === undefined) throw new Error(`${path} has errors`);
  return model;
};

const told = ({ path, source }: Document, findings: readonly Finding[]): readonly string[] => {
  const at = placesIn(source);
  return findings.map((one) => `${path}:${at(one.span).line} ${one.code} ${one.message} ${one.hint}`);
};

const kinds = Object.keys(notExecuted) as readonly NotExecuted[];

/** The kinds of what a document says and nothing executes, in the order of the catalogue. */
const later = ({ findings }: Document): readonly NotExecuted[] =>
  kinds.filter((kind) =>
    findings.some((one) => one.code === "NOT_EXECUTED" && one.message.startsWith(`${notExecuted[kind]}:`)),
  );

test("the documents with a golden list are those that there are", () => {
  expect(Object.keys(golden)).toEqual(files);
});

describe.each(documents.map((one) => [one.path, one] as const))("%s", (_, document) => {
  test("has no error, no warning and no open point", () => {
    const wrong = document.findings.filter((one) => one.severity !== "not executed");
    expect(told(document, wrong)).toEqual([]);
    expect(document.open.map((point) => point.statement)).toEqual([]);
    expect(document.model).toBeDefined();
  });

  test("says of each kind only that is not executed what its golden list says, which may only shrink", () => {
    expect(later(document)).toEqual(golden[document.path]);
  });

  test("says what the product does in its first sentence, and leaves no default in force but those of point 7", () => {
    expect(modelOf(document).sentence).not.toBeNull();
    expect(modelOf(document).defaults.filter((code) => code !== "SIGN_UP_CLOSED")).toEqual([]);
  });
});

describe.each(documents.map((one) => [one.path, one] as const))("%s, run", (_, document) => {
  const now = new Date("2026-06-15T09:00:00Z");
  let store: TestDatabase;
  let opened: Opened;
  let sampled: Sampled;
  beforeAll(async () => {
    store = await database();
    opened = await open(modelOf(document), document, { owner: store.url, app: store.appUrl });
    sampled = await makeSample(opened.service, now);
  });
  afterAll(async () => {
    await opened.close();
    await store.end();
  });

  test("becomes tables that Postgres accepts, and opening it again changes nothing", async () => {
    expect(opened.applied.version).toBe(1);
    expect(opened.applied.done.length).toBeGreaterThanOrEqual(tablesOf(modelOf(document)).length);
    const again = await open(modelOf(document), document, { owner: store.url, app: store.appUrl });
    await again.close();
    expect(again.applied).toMatchObject({ version: 1, done: [] });
  });

  test("gets sample people, and records of every entity that any of them may make", async () => {
    const model = modelOf(document);
    expect(sampled.people).toBeGreaterThan(0);
    const people = await store.query(`select "id", "roles" from "app"."user"`);
    const persons = people.rows.map(
      (row): Person => ({ id: String(row.id), granted: new Set(row.roles as readonly string[]) }),
    );
    for (const entity of model.entities.values()) {
      if (entity.name === "User" || !entity.served || !canBeMade(model, entity, persons)) continue;
      const { text } = render(sql`SELECT count(*)::int AS "count" FROM "app".${identifier(entity.table)}`);
      const [row] = (await store.query(text)).rows;
      expect(row?.count, `${document.path}: ${entity.name} has no sample record`).toBeGreaterThan(0);
    }
  });

  test("shows its overview to nobody who is not signed in", () => {
    for (const entity of modelOf(document).entities.values())
      expect(gatesOf(modelOf(document), entity, "read", nobody).filter((gate) => gate.conditions.length === 0)).toEqual(
        [],
      );
  });
});

/** Whether some person may make a record of the entity today, and has what it refers to. */
const canBeMade = (model: Model, entity: Entity, people: readonly Person[]): boolean =>
  people.some((person) => gatesOf(model, entity, "create", person).length > 0) &&
  [...entity.fields.values()].every((field) => {
    if (field.optional || field.entity === null || field.entity === "User" || field.entity === entity.name) return true;
    const needed = model.entities.get(field.entity);
    return needed !== undefined && canBeMade(model, needed, people);
  });

// What docs/ninefold.md says of Ninefold

describe("docs/ninefold.md is true", () => {
  const own = documents.find(({ path }) => path === "docs/ninefold.md");
  const model = () => modelOf(own as Document);

  test("its error catalogue is the one that is built in, with the same statuses and sentences", () => {
    const said = [...model().errors.values()].filter((one) => one.clause !== null);
    const builtIn = Object.keys(builtInErrors);
    expect(said.map((one) => one.code).filter((code) => builtIn.includes(code)).sort()).toEqual([...builtIn].sort());
    for (const [code, { status, message }] of Object.entries(builtInErrors))
      expect(model().errors.get(code), code).toMatchObject({ status, message });
  });

  test("its limits are those in force where a document is silent", () => {
    const silent = compile({ file: "silent.md", text: "# Silent\n\n## 1. Nothing\n" }).model?.limits;
    const { pageSize, pageSizeMax, sessionHours, signInAttempts } = model().limits;
    expect({ pageSize, pageSizeMax, sessionHours, signInAttempts }).toEqual({
      pageSize: silent?.pageSize,
      pageSizeMax: silent?.pageSizeMax,
      sessionHours: silent?.sessionHours,
      signInAttempts: silent?.signInAttempts,
    });
  });
});
