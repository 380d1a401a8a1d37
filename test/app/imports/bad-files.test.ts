import { writeXlsx } from "hucre/xlsx";
import { beforeAll, expect, test } from "vitest";
import type { ImportJson } from "../../../src/core/wire/imports.ts";
import { waitUntil } from "../../wait.ts";
import { zipFile } from "../../zip-file.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

let desk: TestServer;
let ada: ApiClient;

beforeAll(async () => {
  desk = await serveText(`# Desk

## 3. Entities and their fields

\`\`\`yaml
Thing: { fields: { number: text, name: text?, day: date?, price: decimal? } }
\`\`\`

## 6. Roles and permissions

\`\`\`yaml
roles: { staff: signed in }
permissions: { Thing: { read: [staff], create: [staff] } }
\`\`\`
`);
  ada = await desk.person("Ada");
});

const send = (content: string | Buffer, name = "x.csv", query = "", language = "en") =>
  ada.send("POST", `/api/things/import?name=${name}${query}`, undefined, {
    raw: content,
    headers: { "content-type": "application/octet-stream", "accept-language": language },
  });

const job = async (content: string | Buffer, name?: string): Promise<ImportJson> => {
  const answer = await send(content, name);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body as ImportJson;
};

const imports = async () =>
  (await desk.database.query("select count(*)::int as count from ninefold.import")).rows[0]?.count;

test.each([
  ["nothing", ""],
  ["one quote", '"'],
  ["a header alone", "Number,Name\n"],
  ["empty rows", ",,,\n,,,\n"],
  ["an image", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 1])],
  ["a ZIP file without a directory", Buffer.from("PK\u0003\u0004nothing")],
])("%s is no table, and leaves nothing behind", async (_, content) => {
  const before = await imports();
  const refused = await send(content);
  expect(refused.status).toBe(422);
  expect(refused.problem().code).toBe("NOT_A_TABLE");
  expect(await imports()).toBe(before);
});

/** A workbook whose only sheet claims to have this size. */
const bomb = (claims: number): Buffer =>
  zipFile([
    { path: "[Content_Types].xml", bytes: "" },
    { path: "xl/worksheets/sheet1.xml", bytes: Buffer.alloc(4 * 2 ** 20), claims },
  ]);

test.each([
  ["claims", 2 ** 31 - 1],
  ["hides", 1_000],
])("a workbook that %s its size is not unpacked", async (_, claimed) => {
  const refused = await send(bomb(claimed), "bomb.xlsx");
  expect(refused.status).toBe(413);
  expect(refused.problem().code).toBe("TABLE_TOO_LARGE");
});

test("a file that says that it has 200 MB is refused before it is read", async () => {
  const refused = await ada.send("POST", "/api/things/import?name=x.csv", undefined, {
    raw: "Number\nA\n",
    headers: { "content-type": "text/csv", "content-length": String(200 * 2 ** 20) },
  });
  expect(refused.status).toBe(413);
  expect(refused.problem()).toMatchObject({
    code: "TABLE_TOO_LARGE",
    detail: "A table can have at most 200000 rows, 300 columns and 32 MB. Split the file.",
  });
});

test("301 columns are refused, 300 are not", async () => {
  const wide = (columns: number) => {
    const at = Array.from({ length: columns }, (_, i) => i);
    return `${at.map((i) => `Column ${i} x`).join(",")}\n${at.join(",")}\n`;
  };
  expect((await send(wide(301))).problem().code).toBe("TABLE_TOO_LARGE");
  expect((await job(wide(300))).columns).toHaveLength(300);
});

test("titles, notes, totals and empty rows are left out, and rows keep their numbers", async () => {
  const { rows, remarks, columns } = await job(
    "Stock 2026,,,\n,,,\nNumber,Name,Day,Price\nA-1,One,2026-01-01,1\n,,,\nsee below,,,\nTotal,,,1\nA-2,Two,2026-01-02,2\n",
  );
  expect(rows).toBe(2);
  expect(columns[0]?.samples).toEqual(["A-1", "A-2"]);
  expect(remarks).toEqual([
    "Row 1 (“Stock 2026”) is above the header.",
    "Row 6 (“see below”) has a single value, like a note.",
    "Row 7 (“Total”) is a total.",
  ]);
});

test("a column without a header is named by its letter, in the language of the person", async () => {
  const untitled = "Number,,Name\nA-1,shelf,One\n";
  const headers = (body: unknown) => (body as ImportJson).columns.map(({ header }) => header);
  expect(headers((await send(untitled)).body)).toEqual(["Number", "Column B", "Name"]);
  expect(headers((await send(untitled, "x.csv", "", "de")).body)).toEqual(["Number", "Spalte B", "Name"]);
});

test("Windows and UTF-16 encodings, marks and separators are read", async () => {
  const german = "Number;Name\r\nA-1;Säge\r\n";
  for (const bytes of [
    Buffer.from(`\ufeff${german}`),
    Buffer.from(german, "latin1"),
    Buffer.from(`\ufeff${german}`, "utf16le"),
  ])
    expect((await job(bytes)).columns[1]?.samples).toEqual(["Säge"]);
});

test("a column with dates in three orders is read without asking, cell by cell", async () => {
  const { columns, questions } = await job("Number,Day\nA,31/12/2025\nB,12/31/2025\nC,2025/12/31\n");
  expect(columns[1]?.days).toBe("mixed");
  // Each row is read alone: a date that fits one order only has that one.
  expect(questions).toEqual([]);
  expect((await job("Number,Day\nA,01/02/2026\n")).questions).toEqual([1]);
});

test("hidden sheets are left out, and a formula counts as its value", async () => {
  const bytes = await writeXlsx({
    sheets: [
      { name: "Secret", hidden: true, rows: [["Number"], ["hidden"]] },
      {
        name: "Things",
        rows: [
          ["Number", "Name", "Price"],
          ["A-1", "=1+1", 2.5],
        ],
      },
    ],
  });
  const { columns, remarks } = await job(Buffer.from(bytes), "things.xlsx");
  expect(columns.map(({ samples }) => samples)).toEqual([["A-1"], ["=1+1"], ["2.5"]]);
  expect(remarks).toEqual(["The sheet “Secret” is hidden."]);
});

test("of merged cells, the first has the value: its row is named if a field needs one in the others", async () => {
  const bytes = await writeXlsx({
    sheets: [
      {
        name: "Things",
        rows: [
          ["Stock of the workshop", null, null],
          ["Number", "Name", "Price"],
          ["A-1", "Drill", 3],
          [null, "Saw", 4],
        ],
        merges: [
          { startRow: 0, startCol: 0, endRow: 0, endCol: 2 },
          { startRow: 2, startCol: 0, endRow: 3, endCol: 0 },
        ],
      },
    ],
  });
  const { id, rows, remarks } = await job(Buffer.from(bytes), "things.xlsx");
  expect([rows, remarks]).toEqual([2, ["Row 1 (“Stock of the workshop”) is above the header."]]);
  await ada.post(`/api/things/import/${id}/check`);
  await waitUntil(
    async () => ((await ada.get(`/api/things/import/${id}`)).body as ImportJson).state === "checked",
    "the check ends",
  );
  const { added, refusals } = (await ada.get(`/api/things/import/${id}`)).body as ImportJson;
  expect(added).toBe(1);
  expect(refusals).toMatchObject([{ code: "REQUIRED", field: "number", rows: [4], message: "Number is required." }]);
});

test("settings that fit no field, or a column twice, are refused", async () => {
  const { id } = await job("Number,Name\nA,B\n");
  const act = (body: unknown) => ada.post(`/api/things/import/${id}/check`, body);
  expect((await act({ columns: [{ field: "nothing" }, { field: null }] })).status).toBe(400);
  expect((await act({ columns: [{ field: "name" }, { field: "name" }] })).status).toBe(400);
  expect((await act({ columns: [] })).status).toBe(400);
  expect((await act({ match: ["price"] })).status).toBe(400);
  expect((await ada.post(`/api/things/import/${id}/burn`)).status).toBe(404);
  expect((await ada.post(`/api/things/import/${id}/cancel`)).status).toBe(409);
});
