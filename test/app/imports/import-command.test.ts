import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CommandFailed, exits } from "../../../src/cli/exit-codes.ts";
import { importRows } from "../../../src/cli/import/import.ts";
import type { TokenMadeJson } from "../../../src/core/wire/accounts/account.ts";
import type { ImportJson, ImportsJson } from "../../../src/core/wire/imports.ts";
import { captureOutput } from "../../captured-output.ts";
import { type ApiClient, serveText } from "../program.ts";

const output = captureOutput();

let folder: string;
let url: string;
let ada: ApiClient;
let token: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ninefold-import-"));
  const desk = await serveText(`# Desk

## 3. Entities and their fields

\`\`\`yaml
Thing: { label: "{number}", fields: { number: { type: text, unique: true }, name: text, day: date?, keys: { list: Key.thing } } }
Key: { fields: { thing: { type: Thing, part of: true }, name: text } }
\`\`\`

## 6. Roles and permissions

\`\`\`yaml
roles: { staff: signed in }
permissions:
  Thing: { read: [staff], create: [staff], update: [staff] }
  Key: { read: [staff], create: [{ like: { thing: update } }] }
\`\`\`

## 7. The calls it makes

\`\`\`yaml
token: { by: staff, longest: 30 days }
\`\`\`
`);
  ada = await desk.person("Ada");
  const created = await ada.post("/_/account/tokens", { name: "Import", days: 30, roles: [], reads: false });
  token = join(folder, "token");
  await writeFile(token, `${(created.body as TokenMadeJson).token}\n`);
  url = await desk.listen();
});
afterAll(() => rm(folder, { recursive: true }));

const file = async (name: string, content: string): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
};

const run = (list: string, path: string, ...more: string[]) =>
  importRows([list, path, "--url", url, "--token-file", token, ...more]);

const names = async () => (await ada.get("/api/things?sort=number")).list().items.map(({ name }) => name);

test("a dry run, an import, refused rows as a file, and a second import that changes records", async () => {
  const things = await file("things.csv", "Number,What,Day\nA-1,One,01/02/2026\nA-1,Two,03/02/2026\n");
  const options = ["--column", "What=name", "--days", "dmy"];
  expect(await run("things", things, "--dry-run", ...options)).toBe(exits.changeRefused);
  expect(output.printed).toBe(
    "1 to add, 0 to update, 0 unchanged, 1 refused.\n  Number is already taken. TAKEN, 3.Thing.number\n      row 3\n      “A-1”\n",
  );
  expect(await names()).toEqual([]);

  const refused = join(folder, "refused.csv");
  expect(await run("things", things, "--out", refused, ...options)).toBe(exits.changeRefused);
  expect(await readFile(refused, "utf8")).toContain("A-1,Two,03/02/2026,Number is already taken.");
  expect(await names()).toEqual(["One"]);

  const again = await file("again.tsv", "number\tname\nA-1\tUno\nA-2\tDue\n");
  output.printed = "";
  expect(await run("things", again, "--match", "number", "--all-or-nothing", "--json")).toBe(exits.done);
  expect(JSON.parse(output.printed)).toMatchObject({ state: "done", added: 1, updated: 1, refused: 0 });
  expect(await names()).toEqual(["Uno", "Due"]);
});

test("a dry run says which cells change to fit their field, and what is left out", async () => {
  const things = await file("changed.csv", "Number,Name,Day\nC-1,One,2026-02-01 14:30\nTotal,,\n");
  expect(await run("things", things, "--dry-run")).toBe(exits.done);
  expect(output.printed).toBe(
    "1 to add, 0 to update, 0 unchanged, 0 refused.\n  Day: the time of day was left out in 1 row, such as 2026-02-01 14:30 → 2026-02-01.\n  Row 3 (“Total”) is a total.\n",
  );
  output.printed = "";
  expect(await run("things", things, "--dry-run", "--json")).toBe(exits.done);
  expect(JSON.parse(output.printed)).toMatchObject({ adjustments: [{ field: "day", kind: "without time", count: 1 }] });
});

test("parts are imported like records, and name their record in a column", async () => {
  const keys = await file("keys.csv", "Thing,Name\nA-1,Front\nA-9,Back\n");
  expect(await run("keys", keys)).toBe(exits.changeRefused);
  expect(output.printed).toContain("1 added, 0 updated, 0 unchanged, 1 refused.");
  expect(output.printed).toContain("NO_SUCH_REFERENCE, 3.Key.thing");
  expect((await ada.get("/api/keys?label=true")).list().items).toMatchObject([
    { name: "Front", thing: { label: "A-1" } },
  ]);
});

test("an error is one sentence", async () => {
  const things = await file("one.csv", "Number,Name\nB-1,One\n");
  const failure = async (work: Promise<number>): Promise<CommandFailed> => {
    const failed = await work.catch((error: unknown) => error);
    if (!(failed instanceof CommandFailed))
      throw new Error("The command did not fail as it should.", { cause: failed });
    return failed;
  };
  expect((await failure(run("nothing", things))).hint).toBe(
    "Check the token, and name the list by its address: “things” for /api/things.",
  );
  expect((await failure(run("things", join(folder, "none.csv")))).exit).toBe(exits.usage);
  expect((await failure(run("things", things, "--column", "Number=nothing"))).message).toMatch(/names no column/u);
  expect((await failure(run("things", things, "--days", "ddd"))).exit).toBe(exits.usage);
  expect((await failure(importRows(["things", things, "--url", url]))).message).toMatch(/--token-file/u);
  const dates = await file("dates.csv", "Number,Name,Day\nB-2,Two,01/02/2026\n");
  expect((await failure(run("things", dates))).message).toMatch(/some columns can be read in two ways/u);
});

test("a token cannot open the import of a session, which can have more roles", async () => {
  const sent = await ada.send("POST", "/api/things/import?name=things.csv", undefined, {
    raw: "Number,Name\nT-90,Saw\n",
    headers: { "content-type": "text/csv" },
  });
  const { id } = sent.body as ImportJson;
  const path = `/api/things/import/${id}`;
  const headers = { authorization: `Bearer ${(await readFile(token, "utf8")).trim()}` };
  const bearer = async (method: string, address: string) =>
    fetch(url + address, {
      method,
      headers: { ...headers, "content-type": "application/json" },
      ...(method === "POST" ? { body: "{}" } : {}),
    });
  for (const [method, address] of [
    ["GET", path],
    ["GET", `${path}/refused.csv`],
    ["POST", `${path}/run`],
    ["POST", `${path}/cancel`],
  ] as const)
    expect([address, (await bearer(method, address)).status]).toEqual([address, 404]);
  const { items } = (await (await bearer("GET", "/api/things/import")).json()) as ImportsJson;
  expect(items.map((one) => one.id)).not.toContain(id);
  expect((await ada.get(path)).status).toBe(200);
});
