import { writeXlsx } from "hucre/xlsx";
import { beforeAll, expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import type { DraftedFileJson } from "../../../src/core/wire/authoring/drafted-file.ts";
import type { ImportJson } from "../../../src/core/wire/imports.ts";
import { waitUntil } from "../../wait.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

let desk: TestServer;
let author: ApiClient;

beforeAll(async () => {
  desk = await serveText(
    "# Desk\n\n## 3. Entities and their fields\n\n```yaml\nNote: { fields: { text: text } }\nPiece: { fields: { name: long text, price: { type: integer, min: 1 } } }\n```\n",
  );
  author = await desk.person("Ada", ["administrator"]);
});

const send = (person: ApiClient, content: string | Buffer, name = "stock.csv") =>
  person.send("POST", `/_/draft?name=${name}`, undefined, {
    raw: content,
    headers: { "content-type": "application/octet-stream" },
  });

test("a workbook becomes a document without errors, and its rows files in the order of their references", async () => {
  const sheet = (name: string, rows: string[][]) => ({ name, rows });
  const bytes = await writeXlsx({
    sheets: [
      sheet("Loans", [
        ["Item", "Day"],
        ["A-12", "2026-03-02"],
        ["A-13", "2026-03-05"],
        ["A-12", "2026-04-01"],
      ]),
      sheet("Items", [
        ["Number", "Room"],
        ["A-12", "Workshop"],
        ["A-13", "Studio"],
      ]),
    ],
  });
  const answer = await send(author, Buffer.from(bytes), "desk.xlsx");
  expect(answer.status).toBe(200);
  const { text, tables, imports } = answer.body as DraftedFileJson;
  const { model, findings } = compile([{ file: "desk.md", text }]);
  expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
  expect(model?.entities.get("Loan")?.fields.get("item")?.entity).toBe("Item");
  expect(tables.map(({ entity, rows, columns }) => [entity, rows, columns])).toEqual([
    ["Loan", 3, 2],
    ["Item", 2, 2],
  ]);
  expect(imports.map(({ entity, match, csv }) => [entity, match, csv.split("\r\n")[0]])).toEqual([
    ["Item", null, "number,room"],
    ["Loan", null, "item,day"],
  ]);
});

test("only people who can change the document can draft one, and nothing is stored", async () => {
  const refused = await send(await desk.person("Bo"), "Name\nDrill\n");
  expect(refused.status).toBe(403);
  expect((await send(author, '"')).problem().code).toBe("QUOTE_NOT_CLOSED");
  expect((await send(author, Buffer.alloc(9 * 2 ** 20, 65))).problem()).toMatchObject({
    status: 413,
    detail: "This file has 9 MB. A table can have at most 200,000 rows, 300 columns and 8 MB. Split the file.",
  });
  const { rows } = await desk.database.query("select count(*)::int as count from ninefold.import");
  expect(rows[0]?.count).toBe(0);
});

test("drafted rows keep their numbers in the file, below a title, past a total and an empty row", async () => {
  const content = 'Price list\n\nas of May\nName,Price\nDrill,0\n\nTotal,0\nSaw,2\n"Spot\nlamp",3\nVice,0\nSum,5\n';
  const { imports } = (await send(author, content, "pieces.csv")).body as DraftedFileJson;
  const [pieces] = imports;
  const sent = await author.send("POST", "/api/pieces/import?name=pieces.csv", undefined, {
    raw: pieces?.csv ?? "",
    headers: { "content-type": "application/octet-stream" },
  });
  const { id, settings, rows, remarks } = sent.body as ImportJson;
  expect([pieces?.rows, rows, remarks]).toEqual([4, 4, []]);
  await author.send("POST", `/api/pieces/import/${id}/run`, settings);
  let job: ImportJson | undefined;
  await waitUntil(async () => {
    job = (await author.get(`/api/pieces/import/${id}`)).body as ImportJson;
    return !["checking", "running"].includes(job.state);
  }, "the import ends");
  expect(job?.refusals.map((refusal) => refusal.rows)).toEqual([[5, 10]]);
});
