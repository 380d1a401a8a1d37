import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { complete } from "../../src/cli/author/complete.ts";
import { examples } from "../../src/cli/author/example-files.ts";
import { explain } from "../../src/cli/author/explain.ts";
import { kit } from "../../src/cli/author/kit.ts";
import { createNew } from "../../src/cli/author/new.ts";
import { check } from "../../src/cli/check.ts";
import { exits } from "../../src/cli/exit-codes.ts";
import { compile } from "../../src/core/compile.ts";
import { captureOutput, failureOf } from "../captured-output.ts";

const output = captureOutput();

const root = fileURLToPath(new URL("../../", import.meta.url));
const lending = join(root, "examples/lending.md");
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ninefold-author-"));
});
afterAll(() => rm(folder, { recursive: true }));

const mistakesIn = (text: string) =>
  compile([{ file: "x.md", text }]).findings.filter(({ severity }) => severity !== "open");

test("the kit has the guide, the reference, how-to pages, the schema and the examples, and overwrites nothing", async () => {
  const to = join(folder, "kit");
  expect(await kit([to])).toBe(exits.done);
  expect((await readdir(to)).sort()).toEqual([
    "AGENTS.md",
    "calls.md",
    "errors.md",
    "examples",
    "how-to",
    "language.md",
    "schema.json",
  ]);
  const guide = await readFile(join(to, "AGENTS.md"), "utf8");
  for (const page of await readdir(join(to, "how-to"))) expect(guide).toContain(`\`${page.replace(".md", "")}\``);
  expect(JSON.parse(await readFile(join(to, "schema.json"), "utf8")).$schema).toContain("2020-12");
  const named = (await readdir(join(root, "examples"))).filter((name) => name.endsWith(".story.yaml"));
  expect((await readdir(join(to, "examples"))).sort()).toEqual(named.map((name) => name.replace(".story.yaml", ".md")));
  expect(Object.keys(examples).sort()).toEqual(named.map((name) => name.replace(".story.yaml", "")));
  expect((await failureOf(kit([to]))).message).toBe(`The folder ${to} is not empty.`);
});

test("the guide’s example, and specifications written with the kit alone, have no findings but open points", async () => {
  const guide = await readFile(join(root, "docs/kit/AGENTS.md"), "utf8");
  const [, example = ""] = /^````markdown \{whole\}\n(.*?)^````$/msu.exec(guide) ?? [];
  expect(mistakesIn(example)).toEqual([]);
  const written = await readFile(join(root, "test/author/food-bank.md"), "utf8");
  expect(mistakesIn(written)).toEqual([]);
  expect(compile([{ file: "x.md", text: written }]).open.map(({ point }) => point)).toEqual([1, 3, 4, 6, 9]);
  for (const [name, codes] of Object.entries({ parking: ["TELLS_HIDDEN"], catering: [], shifts: [] })) {
    const text = await readFile(join(root, `test/author/${name}.md`), "utf8");
    expect(mistakesIn(text).map(({ code }) => code)).toEqual(codes);
  }
});

test("check tells programs what the reference promises", async () => {
  const path = join(folder, "mistake.md");
  await writeFile(path, "# X\n\n## 3. E\n\n```yaml\nKey:\n  feilds: { name: text }\n```\n");
  expect(await check([path, "--json"])).toBe(exits.badDocument);
  const json = JSON.parse(output.printed);
  expect(Object.keys(json)).toEqual(["file", "files", "runs", "findings", "open", "defaults"]);
  expect(json.runs).toBe(false);
  expect(json.findings[0]).toMatchObject({
    code: "UNKNOWN_KEY",
    severity: "error",
    file: "mistake.md",
    line: 7,
    column: 3,
    endLine: 7,
    endColumn: 9,
    nearest: "fields",
    fix: [{ text: "fields" }],
  });
  expect(Object.keys(json.open[0])).toEqual(["point", "file", "line", "statement", "default", "inForce"]);
});

test("explain has the lines of a clause, who can do it and its findings; a default; a code", async () => {
  expect(await explain([lending, "6.Loan.read", "--json"])).toBe(exits.done);
  const json = JSON.parse(output.printed);
  expect(Object.keys(json)).toEqual(["clause", "file", "line", "text", "says", "findings"]);
  expect(json).toMatchObject({
    clause: "6.Loan.read",
    file: "lending.md",
    says: ["Only a keeper or a member can see a loan."],
  });
  expect(json.text).toMatch(/^ +read:/u);
  output.printed = "";
  await explain([join("test", "app", "documents", "bicycles.md"), "6.Order.create", "--json"]);
  expect(JSON.parse(output.printed).says).toEqual(["Only the front desk can create an order."]);
  output.printed = "";
  await explain([lending, "ADMINISTRATORS_ONLY"]);
  expect(output.printed).toBe("ADMINISTRATORS_ONLY\nOnly administrators can read or change records.\n");
  output.printed = "";
  await explain([lending, "UNKNOWN_NAME"]);
  expect(output.printed).toBe(
    [
      "UNKNOWN_NAME",
      "Error. Nothing declares this name. The place needs an entity, a field, a state, a role, a type or a function.",
      "  /late:",
      "    list: Repair",
      "    columns: [devise]",
      "The finding suggests the name that you probably meant. Declare a constant in point 9 and a role in point 6.",
      "Read more in docs/errors.md#unknown_name.\n",
    ].join("\n"),
  );
  output.printed = "";
  await explain([lending, "FORBIDDEN"]);
  expect(output.printed).toMatch(/^FORBIDDEN\n403: You don’t have permission to do this\.\n.*who can\nRead more/u);
  expect((await failureOf(explain([lending, "6.Lone.read"]))).hint).toBe("Did you mean 6.Loan.read?");
});

test("complete lists what fits a place", async () => {
  const path = join(folder, "typing.md");
  await writeFile(path, "# X\n\n## 3. E\n\n```yaml\nKey:\n  fields:\n    name: te\n```\n");
  expect(await complete([`${path}:8:13`, "--json"])).toBe(exits.done);
  const json = JSON.parse(output.printed);
  expect(Object.keys(json)).toEqual(["file", "line", "column", "replaces", "items"]);
  expect(json.replaces).toBe("te");
  expect(json.items).toContainEqual({ label: "text", kind: "type", detail: "field type", insert: "text" });
  expect((await failureOf(complete([`${path}:80:1`]))).exit).toBe(exits.usage);
  expect((await failureOf(complete([path]))).exit).toBe(exits.usage);
});

test("new begins with an example, with files, or with nothing", async () => {
  const at = (name: string) => join(folder, name);
  expect(await createNew([])).toBe(exits.done);
  expect(output.printed).toContain("lending");
  expect(await createNew([at("tool-shed")])).toBe(exits.done);
  const text = await readFile(at("tool-shed.md"), "utf8");
  expect(text).toContain("# Tool shed\n");
  expect(mistakesIn(text)).toEqual([]);
  expect(output.told).toContain("1. Point 3");
  expect(await createNew([at("desk.md"), "--example", "lending"])).toBe(exits.done);
  expect(await readFile(at("desk.md"), "utf8")).toBe(await readFile(lending, "utf8"));
  expect(await readFile(at("desk.story.yaml"), "utf8")).not.toBe("");
  await writeFile(at("things.csv"), "Name,Place\nDrill,Shop\nSaw,Hall\n");
  expect(await createNew([at("things.md"), "--from", at("things.csv")])).toBe(exits.done);
  expect(await readFile(at("things.md"), "utf8")).toContain("# Things\n");
  expect((await failureOf(createNew([at("desk.md")]))).message).toBe(`The file ${at("desk.md")} already exists.`);
  expect((await failureOf(createNew([at("y.md"), "--port", "9100"]))).message).toBe("--port needs --run.");
  expect((await failureOf(createNew([at("x.md"), "--example", "none"]))).message).toBe("There is no example none.");
});
