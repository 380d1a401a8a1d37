import { beforeAll, describe, expect, test } from "vitest";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

const till = `
# Till

## 1. Product
\`\`\`yaml
timezone: Europe/Berlin
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Sale:
  fields:
    note: { type: long text, max: 500 }
    price: money
    tip: { type: money?, currency: JPY }
    double: { type: money, computed: price * 2 }
    sold: datetime
    at: time
    pieces: integer
    kind: { type: choice, values: [cash, card] }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { clerk: { members: signed in } }
permissions: { Sale: { read: [clerk], create: [clerk], update: none, delete: none } }
\`\`\`
`;

let served: TestServer;
let clerk: ApiClient;
let nth = 0;
beforeAll(async () => {
  served = await serveText(till);
  clerk = await served.person("Ada");
});

const sell = async (more: object = {}) => {
  const sale = {
    note: "x",
    price: "12.50",
    sold: "2026-10-25T00:30:00Z",
    at: "18:00",
    pieces: -2,
    kind: "cash",
    ...more,
  };
  const answer = await clerk.post("/api/sales", sale);
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.record();
};
const linesOf = async (columns: string, search = "") => {
  const file = await clerk.get(`/_/export/sales.csv?columns=${columns}${search}`);
  expect(file.status).toBe(200);
  return file.text.replace(/^\uFEFF/u, "").split("\r\n");
};

describe("an export as CSV", () => {
  test("has money as numbers with the currency in the head, and datetimes in the document’s time zone", async () => {
    await sell({ tip: "300" });
    await sell({ price: "-1.00", sold: "2026-07-31T22:15:30Z" });
    const [head, ...lines] = await linesOf("price,tip,double,sold,at,pieces,kind");
    expect(head).toBe("Price (EUR),Tip (JPY),Double (EUR),Sold,At,Pieces,Kind");
    expect(lines.filter((line) => line !== "").toSorted()).toEqual([
      "-1.00,,-2.00,2026-08-01 00:15:30,18:00:00,-2,Cash",
      "12.50,300,25.00,2026-10-25 02:30:00,18:00:00,-2,Cash",
    ]);
  });

  test.each([
    ["=1+1", "'=1+1"],
    ["+1", "'+1"],
    ["-1", "'-1"],
    ["@SUM(A1)", "'@SUM(A1)"],
    ["＝1+1", "'＝1+1"],
    ["＋1", "'＋1"],
    ["－1", "'－1"],
    ["＠SUM(A1)", "'＠SUM(A1)"],
    [" =1+1", "' =1+1"],
    ["x;=1+1", "x;'=1+1"],
    ['x; "=1+1"', `"x;' ""=1+1"""`],
    ["x\t＝1+1", "x\t'＝1+1"],
    ["x\n=1+1", '"x\n\'=1+1"'],
    ["a = b, 5-3; x@example.com", '"a = b, 5-3; x@example.com"'],
  ])("has no cell that a spreadsheet takes for a formula, whatever its separator is: %j", async (note, cell) => {
    const pieces = ++nth;
    await sell({ note, pieces });
    const [, line] = await linesOf("note", `&pieces=${pieces}`);
    expect(line).toBe(cell);
  });
});

test("a column of an export is empty where its reader cannot see the value, and missing where they never can", async () => {
  const desk = await serveText(`
# Offers

## 3. Entities and their fields
\`\`\`yaml
Offer:
  fields: { title: text, margin: integer, secret: text?, owner: { type: User, set: user } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { seller: { members: signed in }, Offer: { owner: owner == user } }
permissions:
  Offer:
    read: [{ role: seller, fields: [title] }, { role: owner, fields: [title, margin] }]
    create: seller
\`\`\`
`);
  const [ada, ben] = [await desk.person("Ada"), await desk.person("Ben")];
  for (const [who, title] of [
    [ada, "Chairs"],
    [ben, "Tables"],
  ] as const)
    expect((await who.post("/api/offers", { title, margin: 30, secret: "hush" })).status).toBe(201);
  const { status, text } = await ada.get("/_/export/offers.csv?columns=title,margin&sort=title");
  expect(status).toBe(200);
  expect(
    text
      .replace(/^\uFEFF/u, "")
      .trim()
      .split("\r\n"),
  ).toEqual(["Title,Margin", "Chairs,30", "Tables,"]);
  const hidden = await ada.get("/_/export/offers.csv?columns=title,secret");
  expect(hidden.text).not.toMatch(/secret|hush/iu);
});
