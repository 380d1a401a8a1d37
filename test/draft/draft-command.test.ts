import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeXlsx } from "hucre/xlsx";
import { afterAll, beforeAll, expect, test } from "vitest";
import { draft } from "../../src/cli/draft/draft.ts";
import { type CommandFailed, exits } from "../../src/cli/exit-codes.ts";
import { captureOutput, failureOf } from "../captured-output.ts";

const output = captureOutput();

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "ninefold-draft-"));
});
afterAll(() => rm(folder, { recursive: true }));

const file = async (name: string, content: string | Uint8Array): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
};

const failure = (...args: string[]): Promise<CommandFailed> => failureOf(draft(args));

test("files of different kinds become one document", async () => {
  const csv = await file("things.csv", Buffer.from("\ufeffNumber;Name\r\nA-1;Bohrer\r\nA-2;Säge\r\nA-3;Wagen\r\n"));
  const places = await file("places.tsv", Buffer.from("Platz\tGr\u00f6\u00dfe\nHof\t12\nB\u00fcro\t3\n", "latin1"));
  const book = await file(
    "loans.xlsx",
    await writeXlsx({
      sheets: [
        {
          name: "Loans",
          rows: [
            ["Thing", "Due", "Count"],
            ["A-1", new Date("2024-05-01T00:00:00Z"), 3],
            ["A-3", new Date("2024-05-02T00:00:00Z"), 4],
            ["A-2", new Date("2024-05-02T00:00:00Z"), 1.5],
          ],
        },
        { name: "Old loans", hidden: true, rows: [["Thing"], ["A-1"]] },
      ],
    }),
  );
  const out = join(folder, "desk.md");
  expect(await draft([csv, places, book, "--out", out])).toBe(exits.done);
  const text = await readFile(out, "utf8");
  expect(text).toContain("# Desk\n");
  expect(text).toContain('thing: { type: Thing, source: "each value is a “Number” of things.csv" }');
  expect(text).toContain("due: date\n    count: decimal\n");
  expect(text).toContain('grosse: { type: integer, title: "Größe" }');
  expect(text).toContain('label: "{platz}"');
  expect(output.told).toContain("loans.xlsx: the sheet “Old loans” is hidden.");
  expect(output.told).toMatch(/desk\.md: 3 entities, \d+ open points\./u);
  expect(output.printed).toBe("");

  // It never overwrites a file.
  const again = await failure(csv, "--out", out);
  expect(again.exit).toBe(exits.usage);
  expect(again.message).toBe(`The file ${out} already exists.`);
  expect(await readFile(out, "utf8")).toBe(text);
});

test("--json has the text, what was left out, and what is open", async () => {
  const path = await file("stock.csv", "Stock of May,,\n,,\nName,Place,Count\nDrill,Shop,2\nTotal,,2\n");
  expect(await draft([path, "--json"])).toBe(exits.done);
  const json = JSON.parse(output.printed);
  expect(json.text).toContain("# Stock\n");
  expect(json.tables).toEqual([
    {
      name: "stock",
      source: "stock.csv",
      rows: 1,
      columns: 3,
      leftOut: ["Row 1 (“Stock of May”) is above the header.", "Row 5 (“Total”) is a total."],
    },
  ]);
  expect(json.openPoints).toContainEqual({ point: 6, statement: "No roles and permissions are shown." });
});

test("a file that is no table is refused with a sentence that names it", async () => {
  const none = await failure(join(folder, "none.csv"));
  expect(none.message).toBe(`There is no file ${join(folder, "none.csv")}.`);
  expect((await failure(folder)).message).toBe(`${folder} is a folder.`);
  const quote = await file("quote.csv", '"');
  expect((await failure(quote)).message).toBe(`${quote} has a quotation mark in cell A1 that is never closed.`);
  const picture = await file("picture.csv", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 1]));
  expect((await failure(picture)).message).toBe(`${picture} is not a text file.`);
  const broken = await file("broken.xlsx", Buffer.from("PK\u0003\u0004 and then nothing"));
  expect((await failure(broken)).message).toContain(`${broken} can’t be read as a workbook: `);
  expect((await failure()).exit).toBe(exits.usage);

  // Before anything is written.
  const description = await file("api.yaml", "openapi: 3.1.0\n");
  const drafted = join(folder, "api.md");
  expect((await failure(description, "--with-rows", "--out", drafted)).message).toBe("An API description has no rows.");
  await expect(readFile(drafted)).rejects.toThrow("ENOENT");
});
