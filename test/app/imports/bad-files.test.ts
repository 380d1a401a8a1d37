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
Thing: { fields: { number: text, name: text?, day: date?, price: decimal?, cost: { type: money?, min: 0 } } }
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

test.each([
  ["one quotation mark", '"', "A1"],
  ["a quotation mark among rows", 'Number,Name\nA-1,"Saw\nwith a guard"\nA-2,"Drill\nA-3,Lamp\n', "B3"],
])("%s that is never closed is named by its cell, and no row is lost in it", async (_, content, cell) => {
  const before = await imports();
  const refused = await send(content);
  expect(refused.status).toBe(422);
  expect(refused.problem()).toMatchObject({
    code: "QUOTE_NOT_CLOSED",
    detail: `The quotation mark in cell ${cell} is never closed, so the rows after it can’t be read. Close or delete it.`,
  });
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
    headers: { "content-type": "text/csv", "content-length": String(200 * 2 ** 20 + 200) },
  });
  expect(refused.status).toBe(413);
  expect(refused.problem()).toMatchObject({
    code: "TABLE_TOO_LARGE",
    detail: "This file has 200 MB. A table can have at most 200,000 rows, 300 columns and 32 MB. Split the file.",
  });
});

test("301 columns are refused, 300 are not", async () => {
  const wide = (columns: number) => {
    const at = Array.from({ length: columns }, (_, i) => i);
    return `${at.map((i) => `Column ${i} x`).join(",")}\n${at.join(",")}\n`;
  };
  const { code, detail } = (await send(wide(301), "x.csv", "", "de")).problem();
  expect([code, detail]).toEqual([
    "TABLE_TOO_LARGE",
    "Diese Tabelle hat 301 Spalten. Eine Tabelle kann höchstens 200.000 Zeilen, 300 Spalten und 32 MB haben. Teilen Sie die Datei.",
  ]);
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
  // The euro sign and the dash have bytes that ISO 8859-1 leaves to control characters.
  const euro = Buffer.from("Number;Name\r\nA-1;Säge \x96 5 \x80\r\n", "latin1");
  expect((await job(euro)).columns[1]?.samples).toEqual(["Säge – 5 €"]);
});

test("a column with dates in three orders is read without asking, cell by cell", async () => {
  const { columns, questions } = await job("Number,Day\nA,31/12/2025\nB,12/31/2025\nC,2025/12/31\n");
  expect(columns[1]?.days).toBe("mixed");
  // Each row is read alone: a date that fits one order only has that one.
  expect(questions).toEqual([]);
  expect((await job("Number,Day\nA,01/02/2026\n")).questions).toEqual([1]);
});

const act = async (id: string, name: "check" | "run", settings?: object): Promise<ImportJson> => {
  const path = `/api/things/import/${id}`;
  const begun = await ada.post(`${path}/${name}`, settings);
  if (begun.status >= 300) throw new Error(begun.text);
  let done = begun.body as ImportJson;
  await waitUntil(async () => {
    done = (await ada.get(path)).body as ImportJson;
    return done.state !== "checking" && done.state !== "running";
  }, "the rows are read");
  return done;
};

/** Checks a table, and returns the sentences of its refused rows with their cells. */
const sentences = async (content: string, columns: readonly object[]) => {
  const { id } = await job(content);
  const done = await act(id, "check", { columns });
  return done.refusals.map(({ message, values, clause }) => [message, values[0], clause]);
};

test("a date in a third order is refused with the order in which its column is read", async () => {
  const columns = [{ field: "number" }, { field: "day", days: "mdy" }];
  expect(await sentences("Number,Day\nA,31/12/2025\nB,12/31/2025\nC,13/05/12\n", columns)).toEqual([
    [
      "Day must be a date in the order month, day, year, like the other dates of its column.",
      "13/05/12",
      "3.Thing.day",
    ],
  ]);
  const open = [{ field: "number" }, { field: "day" }];
  expect(await sentences("Number,Day\nA,31/12/2025\nB,12/31/2025\nC,01/02/2025\n", open)).toEqual([
    [
      "Day must be a date in a known order: choose the order of day and month for its column.",
      "01/02/2025",
      "3.Thing.day",
    ],
  ]);
});

test("a number with too many digits is refused with the numbers of digits", async () => {
  const columns = [{ field: "number" }, { field: "price" }];
  const long = "12345678901234567890123456789";
  expect(await sentences(`Number,Price\nA,${long}\nB,two\n`, columns)).toEqual([
    ["Price must be a number with at most 28 digits before and 10 after the decimal separator.", long, "3.Thing.price"],
  ]);
});

test("computed numbers of a workbook are rounded to the decimals of their field, and the check and the import say so", async () => {
  const bytes = await writeXlsx({
    sheets: [
      {
        name: "Things",
        rows: [
          ["Number", "Price", "Cost", "Name"],
          ["A-1", 2 / 3, 12.3456, 0.1 + 0.2],
          ["A-2", 0.1 + 0.2 - 0.3, 0.1 + 0.2, "x"],
          ["A-3", 1 / 3, -0.5, "refused"],
          ["A-4", 1 / 3, 1.005, "x"],
        ],
      },
    ],
  });
  const { id } = await job(Buffer.from(bytes), "things.xlsx");
  const expected = [
    {
      field: "price",
      kind: "rounded",
      count: 2,
      rows: [2, 5],
      examples: [
        { from: "0.666666666666667", to: "0.6666666667" },
        { from: "0.333333333333333", to: "0.3333333333" },
      ],
      message: "Price: rounded to 10 decimals in 2 rows, such as 0.666666666666667 → 0.6666666667.",
    },
    {
      field: "cost",
      kind: "rounded",
      count: 2,
      rows: [2, 5],
      examples: [
        { from: "12.3456", to: "12.35" },
        { from: "1.005", to: "1.01" },
      ],
      message: "Cost: rounded to 2 decimals in 2 rows, such as 12.3456 → 12.35.",
    },
  ];
  expect(await act(id, "check")).toMatchObject({ added: 3, refused: 1, adjustments: expected });
  const done = await act(id, "run");
  expect(done).toMatchObject({ added: 3, refused: 1, adjustments: expected });
  const { items } = (await ada.get("/api/things?sort=number")).list();
  expect(items.map(({ price, cost, name }) => [price, (cost as { amount: string }).amount, name])).toEqual([
    ["0.6666666667", "12.35", "0.3"],
    ["0", "0.30", "x"],
    ["0.3333333333", "1.01", "x"],
  ]);
  const german = await ada.send("GET", `/api/things/import/${id}`, undefined, { headers: { "accept-language": "de" } });
  expect((german.body as ImportJson).adjustments[1]?.message).toBe(
    "Cost: auf 2 Dezimalstellen gerundet in 2 Zeilen, zum Beispiel 12.3456 → 12.35.",
  );
});

test("numbers of a workbook do not decide how its texts are read", async () => {
  const bytes = await writeXlsx({
    sheets: [
      {
        name: "Things",
        rows: [
          ["Number", "Price", "Cost"],
          ["A-1", 7.5, "1.200 €"],
          ["A-2", 1.234, "2.500 €"],
        ],
      },
    ],
  });
  const { columns, questions } = await job(Buffer.from(bytes), "things.xlsx");
  expect(columns.map(({ decimal }) => decimal)).toEqual([null, null, "ask"]);
  expect(questions).toEqual([2]);
});

test("numbers and texts of one column are read alike", async () => {
  const bytes = await writeXlsx({
    sheets: [
      {
        name: "Things",
        rows: [
          ["Number", "Price"],
          ["B-1", 1.234],
          ["B-2", "1.234,5"],
        ],
      },
    ],
  });
  const { id } = await job(Buffer.from(bytes), "things.xlsx");
  expect(await act(id, "run")).toMatchObject({ added: 2, refused: 0 });
  const { items } = (await ada.get("/api/things?sort=number")).list();
  const prices = items.flatMap(({ number, price }) => (String(number).startsWith("B-") ? [price] : []));
  expect(prices).toEqual(["1.234", "1234.5"]);
});

test("a time is left out of a date with a remark, and refused if it does not show its day", async () => {
  const { id } = await job(
    "Number,Day\nA,2026-07-01 14:30\nB,2026-07-02 00:00\nC,2026-07-03T10:00:00Z\nD,2026-07-04T23:30:00-05:00\n",
  );
  expect(await act(id, "check")).toMatchObject({
    added: 3,
    refused: 1,
    adjustments: [
      {
        field: "day",
        kind: "without time",
        count: 2,
        rows: [2, 4],
        message: "Day: the time of day was left out in 2 rows, such as 2026-07-01 14:30 → 2026-07-01.",
      },
    ],
    refusals: [
      {
        message: "Day must be a date without a time: this moment is on another day in the time zone UTC.",
        values: ["2026-07-04T23:30:00-05:00"],
        clause: "3.Thing.day",
      },
    ],
  });
});

test("hidden sheets are left out, a formula counts as its stored result, and one without a result is named", async () => {
  const bytes = await writeXlsx({
    sheets: [
      { name: "Secret", hidden: true, rows: [["Number"], ["hidden"]] },
      {
        name: "Things",
        rows: [
          ["Number", "Name", "Price"],
          ["A-1", "=1+1", 2.5],
          ["A-2", "Saw", null],
          ["A-3", "Lamp", null],
        ],
        cells: new Map([
          ["2,2", { type: "formula", value: 5, formula: "C2*2", formulaResult: 5 }],
          ["3,2", { type: "formula", value: null, formula: "C3*2" }],
        ]),
      },
    ],
  });
  const { columns, remarks } = await job(Buffer.from(bytes), "things.xlsx");
  expect(columns.map(({ samples }) => samples)).toEqual([
    ["A-1", "A-2", "A-3"],
    ["=1+1", "Saw", "Lamp"],
    ["2.5", "5"],
  ]);
  expect(remarks).toEqual([
    "The sheet “Secret” is hidden.",
    "Column C has formulas without a stored result, such as in C4. These cells are empty. Save the file in a spreadsheet to store the results.",
  ]);
});

test("each row of merged cells gets their value, and the place is named", async () => {
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
  expect([rows, remarks]).toEqual([
    2,
    [
      "Row 1 (“Stock of the workshop”) is above the header.",
      "Column A has merged cells, such as A3:A4. Each of their rows gets the value.",
    ],
  ]);
  const { added, refusals } = await act(id, "check");
  expect([added, refusals]).toEqual([2, []]);
});

test("settings that fit no field, or a column twice, are refused", async () => {
  const { id } = await job("Number,Name\nA,B\n");
  const check = (body: unknown) => ada.post(`/api/things/import/${id}/check`, body);
  expect((await check({ columns: [{ field: "nothing" }, { field: null }] })).status).toBe(400);
  expect((await check({ columns: [{ field: "name" }, { field: "name" }] })).status).toBe(400);
  expect((await check({ columns: [] })).status).toBe(400);
  expect((await check({ match: ["price"] })).status).toBe(400);
  expect((await ada.post(`/api/things/import/${id}/burn`)).status).toBe(404);
  expect((await ada.post(`/api/things/import/${id}/cancel`)).status).toBe(409);
});
