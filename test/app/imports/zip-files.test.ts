import { beforeAll, expect, test } from "vitest";
import type { ImportJson } from "../../../src/core/wire/imports.ts";
import { waitUntil } from "../../wait.ts";
import { type ZipEntry, zipFile } from "../../zip-file.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

let desk: TestServer;
let keeper: ApiClient;

beforeAll(async () => {
  desk = await serveText(`# Desk

## 3. Entities and their fields

\`\`\`yaml
Thing:
  fields:
    number: { type: text, unique: true }
    photo: image?
    papers: { type: file, many: true }
Note: { fields: { text: text } }
\`\`\`

## 6. Roles and permissions

\`\`\`yaml
roles: { staff: signed in, keeper: granted, clerk: granted }
permissions:
  Thing: { read: [staff], create: [keeper, { role: clerk, fields: [number, papers] }], update: [keeper], delete: [keeper] }
  Note: { read: [staff], create: [keeper] }
\`\`\`

## 9. Limits and constants

\`\`\`yaml
upload_size: 20 kB
trash: 0
\`\`\`
`);
  keeper = await desk.person("Kim", ["keeper"]);
});

const PNG = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(40)]);

const upload = (who: ApiClient, content: Buffer, query = "", path = "things") =>
  who.send("POST", `/api/${path}/import?name=stock.zip${query}`, undefined, {
    raw: content,
    headers: { "content-type": "application/zip" },
  });

/** Sends a ZIP file with a table, and waits until the act that `query` names has ended. */
const send = async (who: ApiClient, table: string, entries: readonly ZipEntry[], query = "&then=run") => {
  const answer = await upload(who, zipFile([{ path: "stock.csv", bytes: table }, ...entries]), query);
  if (answer.status !== 201) throw new Error(answer.text);
  return settled(who, answer.body as ImportJson);
};

const settled = async (who: ApiClient, { id }: Pick<ImportJson, "id">): Promise<ImportJson> => {
  let job: ImportJson | undefined;
  await waitUntil(async () => {
    job = (await who.get(`/api/things/import/${id}`)).body as ImportJson;
    return !["checking", "running", "undoing"].includes(job.state);
  }, "the import ends");
  return job as unknown as ImportJson;
};

const count = async (): Promise<number> =>
  Number((await desk.database.query("select count(*)::int as n from ninefold.file")).rows[0]?.n);

const toRefusals = ({ refusals }: ImportJson) =>
  refusals
    .map(({ code, clause, field, message, rows }) => ({ code, clause, field, message, rows }))
    .toSorted((a, b) => (a.rows[0] ?? 0) - (b.rows[0] ?? 0));

test("files are found by name or path, stored once with their record, and deleted when the import is undone", async () => {
  const before = await count();
  const job = await send(
    keeper,
    "Number,Photo,Papers\nZ-1,a.png,papers/one.txt; two.txt\nZ-2,PHOTOS\\A.PNG,\nZ-3,,\n",
    [
      { path: "photos/", bytes: "" },
      { path: "photos/a.png", bytes: PNG },
      { path: "papers/one.txt", bytes: "one" },
      { path: "papers/two.txt", bytes: "two" },
      { path: "papers/three.txt", bytes: "three" },
      { path: "__MACOSX/photos/._a.png", bytes: "clutter" },
    ],
    "",
  );
  expect(job.settings.columns.map(({ field }) => field)).toEqual(["number", "photo", "papers"]);
  expect(job.fields.filter(({ name }) => name !== "number").map(({ matches }) => matches)).toEqual([false, false]);
  expect(job.remarks).toEqual(["No row names the file “papers/three.txt”, so it is left out."]);
  // Stored with the upload, so a server that goes on with the rows of a killed one stores nothing twice.
  expect(await count()).toBe(before + 3);

  await keeper.post(`/api/things/import/${job.id}/check`);
  expect(await settled(keeper, job)).toMatchObject({ state: "checked", added: 3, refused: 0 });
  await keeper.post(`/api/things/import/${job.id}/run`);
  expect(await settled(keeper, job)).toMatchObject({ state: "done", added: 3, refused: 0 });
  expect(await count()).toBe(before + 3);

  const { items } = (await keeper.get("/api/things?sort=number")).list();
  expect(items[0]).toMatchObject({
    photo: { name: "a.png", type: "image/png", size: PNG.length },
    papers: [{ name: "one.txt", type: "text/plain" }, { name: "two.txt" }],
  });
  const { id, photo } = items[0] as unknown as { id: string; photo: { id: string } };
  expect((await keeper.get(`/api/things/${id}/files/${photo.id}`)).status).toBe(200);

  await keeper.post(`/api/things/import/${job.id}/undo`);
  expect(await settled(keeper, job)).toMatchObject({ state: "undone", refused: 0 });
  expect((await keeper.get("/api/things")).list().items).toEqual([]);
  expect(await count()).toBe(before);
});

test("each row whose file cannot be used is refused with a sentence", async () => {
  const before = await count();
  const job = await send(
    keeper,
    `Number,Photo,Papers
B-1,missing.png,
B-2,../up.png,
B-3,a.png,
B-4,,locked.txt
B-5,,broken.txt
B-6,,large.txt
B-7,notes.txt,
B-8,x/a.png,
B-9,,bomb.txt
`,
    [
      { path: "../up.png", bytes: PNG },
      { path: "/etc/up.png", bytes: PNG },
      { path: "C:\\up.png", bytes: PNG },
      { path: "x/a.png", bytes: PNG },
      { path: "y/a.png", bytes: PNG },
      { path: "locked.txt", bytes: "secret", isEncrypted: true },
      { path: "broken.txt", bytes: "broken", packed: Buffer.from("nonsense") },
      { path: "large.txt", bytes: "x".repeat(20_001) },
      { path: "notes.txt", bytes: "not a picture" },
      { path: "bomb.txt", bytes: Buffer.alloc(4 * 2 ** 20), claims: 100 },
    ],
  );
  expect(job).toMatchObject({ state: "done", added: 1, refused: 8 });
  expect(job.remarks).toEqual(
    ["../up.png", "/etc/up.png", "C:/up.png"].map(
      (path) => `The path “${path}” leads out of the ZIP file, so this file is left out.`,
    ),
  );
  expect(toRefusals(job)).toEqual([
    {
      code: "NOT_IN_ZIP",
      clause: "3.Thing.photo",
      field: "photo",
      message: "The ZIP file has no file “missing.png” for Photo. Add it, or correct the name.",
      rows: [2, 3],
    },
    {
      code: "SEVERAL_IN_ZIP",
      clause: "3.Thing.photo",
      field: "photo",
      message: "Several files of the ZIP file are named “a.png”. Write the name in Photo with its folder.",
      rows: [4],
    },
    {
      code: "UNREADABLE_IN_ZIP",
      clause: "3.Thing.papers",
      field: "papers",
      message:
        "The file “locked.txt” for Papers is encrypted or damaged. Add it to the ZIP file again, without a password.",
      rows: [5, 6, 10],
    },
    {
      code: "FILE_TOO_LARGE",
      clause: "9.upload_size",
      field: "papers",
      message: "A file can have at most 20 kB.",
      rows: [7],
    },
    {
      code: "NO_SUCH_PICTURE",
      clause: "3.Thing.photo",
      field: "photo",
      message:
        "The image in Photo must be a PNG, JPEG, GIF, WebP or AVIF file that you uploaded within the last day. Upload it again.",
      rows: [8],
    },
  ]);
  // The picture of the accepted row, and the text that is no picture, which goes within a day.
  expect(await count()).toBe(before + 2);
});

test("people fill only the fields that they can write, and cells of other imports name no files", async () => {
  const clerk = await desk.person("Cleo", ["clerk"]);
  const table = "Number,Photo,Papers\nC-1,a.png,one.txt\n";
  const job = await send(clerk, table, [
    { path: "a.png", bytes: PNG },
    { path: "one.txt", bytes: "one" },
  ]);
  expect(job).toMatchObject({ added: 1, refused: 0 });
  expect(job.settings.columns.map(({ field }) => field)).toEqual(["number", null, "papers"]);
  const plain = await keeper.send("POST", "/api/things/import?name=x.csv", undefined, { raw: table });
  expect((plain.body as ImportJson).settings.columns.map(({ field }) => field)).toEqual(["number", null, null]);
});

test("a ZIP file in one folder is read from that folder, and a list without files takes its table alone", async () => {
  const before = await count();
  const folder = zipFile([
    { path: "stock/stock.csv", bytes: "Number,Photo\nF-1,photos/a.png\n" },
    { path: "stock/photos/a.png", bytes: PNG },
  ]);
  const { id } = (await upload(keeper, folder, "&then=run")).body as ImportJson;
  expect(await settled(keeper, { id })).toMatchObject({ added: 1, refused: 0, remarks: [] });
  const notes = zipFile([
    { path: "notes.csv", bytes: "Text\na.txt\n" },
    { path: "a.txt", bytes: "a" },
  ]);
  const answer = (await upload(keeper, notes, "", "notes")).body as ImportJson;
  expect(answer).toMatchObject({ rows: 1, remarks: ["No row names the file “a.txt”, so it is left out."] });
  expect(await count()).toBe(before + 1);
});

const table = { path: "stock.csv", bytes: "Number,Papers\nA,a.txt\n" };

test.each<readonly [what: string, content: Buffer, status: number, code: string]>([
  ["no table", zipFile([{ path: "a.txt", bytes: "a" }]), 422, "NOT_ONE_TABLE"],
  ["two tables", zipFile([table, { path: "more.xlsx", bytes: "x" }]), 422, "NOT_ONE_TABLE"],
  ["nothing", zipFile([]), 422, "NOT_ONE_TABLE"],
  ["a torn directory", zipFile([table]).subarray(0, 60), 422, "NOT_A_TABLE"],
  ["an encrypted table", zipFile([{ ...table, isEncrypted: true }]), 422, "NOT_A_TABLE"],
  ["a table that claims 2 GB", zipFile([{ ...table, claims: 2 ** 31 - 1 }]), 413, "TABLE_TOO_LARGE"],
  [
    "more files than one person can send",
    zipFile([
      {
        path: "stock.csv",
        bytes: `Number,Papers\n${Array.from({ length: 9 }, (_, at) => `A,${at}.txt`).join("\n")}\n`,
      },
      ...Array.from({ length: 9 }, (_, at) => ({ path: `${at}.txt`, bytes: "x".repeat(19_000) })),
    ]),
    413,
    "TOO_MUCH_IN_ZIP",
  ],
])("a ZIP file with %s is refused, and leaves nothing behind", async (what, content, status, code) => {
  const own = await desk.person(`Ann with ${what}`, ["keeper"]);
  const before = await count();
  const refused = await upload(own, content);
  expect([refused.status, refused.problem().code]).toEqual([status, code]);
  expect(await count()).toBe(before);
  expect((await own.get("/api/things/import")).body).toEqual({ items: [] });
});
