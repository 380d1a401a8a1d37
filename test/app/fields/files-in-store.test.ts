import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { ImportJson } from "../../../src/core/wire/imports.ts";
import type { FileJson } from "../../../src/core/wire/records.ts";
import { writeBackup } from "../../../src/postgres/backup/backup.ts";
import { restoreBackup } from "../../../src/postgres/backup/restore-backup.ts";
import type { Service } from "../../../src/server/execution/service.ts";
import { purgeFiles, purgeObjects } from "../../../src/server/files/file-store.ts";
import { checkFiles, countFiles, moveFiles } from "../../../src/server/files/move-files.ts";
import { readFromObjects } from "../../../src/server/files/outside-files.ts";
import type { ObjectStore } from "../../../src/storage/object-store.ts";
import { openBucket, parseBucketAddress } from "../../../src/storage/s3-store.ts";
import { database } from "../../postgres.ts";
import { waitUntil } from "../../wait.ts";
import { zipFile } from "../../zip-file.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";
import { type S3Server, startS3Server } from "../s3-server.ts";

const papers = `
# Papers

## 3. Entities and their fields
\`\`\`yaml
Paper:
  fields:
    title: text
    scan:  file?
    owner: { type: User, set: user }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  member: { members: signed in }
  Paper: { owner: owner == user }
permissions:
  Paper: { read: owner, create: member, update: owner, delete: owner }
\`\`\`

## 9. Business constants and limits
\`\`\`yaml
upload_size: 20 MB
\`\`\`
`;

let s3: S3Server;
let objects: ObjectStore;
let served: TestServer;
let service: Service;
let url: string;
let ada: ApiClient;
let bob: ApiClient;
beforeAll(async () => {
  s3 = await startS3Server();
  objects = await openBucket({ bucket: "files", prefix: "papers/" });
  served = await serveText(papers, {
    log: "silent",
    service: (plain) => {
      service = { ...plain, objects };
      return service;
    },
  });
  url = await served.listen();
  ada = await served.person("Ada");
  bob = await served.person("Bob");
});

const pattern = Uint8Array.from({ length: 251 }, (_, i) => (i * 31) % 251);
const bytesOf = (size: number): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.alloc(size, pattern));
const upload = (who: ApiClient, bytes: Uint8Array<ArrayBuffer>, name = "scan.bin") =>
  fetch(`${url}/_/files?name=${name}`, { method: "POST", headers: { cookie: who.cookie() }, body: bytes });
const send = async (who: ApiClient, bytes: Uint8Array<ArrayBuffer>): Promise<FileJson> => {
  const response = await upload(who, bytes);
  if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as FileJson;
};
/** A record with a file: the path of the file. */
const createPaper = async (bytes: Uint8Array<ArrayBuffer>): Promise<{ path: string; record: string; id: string }> => {
  const { id } = await send(ada, bytes);
  const { id: record } = (await ada.post("/api/papers", { title: "Contract", scan: id })).record();
  return { path: `/api/papers/${record}/files/${id}`, record: String(record), id };
};
const open = (path: string, who = ada, headers: Record<string, string> = {}) =>
  fetch(url + path, { headers: { cookie: who.cookie(), ...headers } });
const read = async (path: string): Promise<Buffer> => Buffer.from(await (await open(path)).arrayBuffer());
const keyOf = async (id: string): Promise<string | null> => {
  const { rows } = await served.database.query("select object from ninefold.file where id = $1", [id]);
  return rows[0]?.object === null ? null : `papers/${rows[0]?.object}`;
};

test("addresses of buckets", () => {
  expect(parseBucketAddress("s3://desk-files")).toEqual({ bucket: "desk-files", prefix: "" });
  expect(parseBucketAddress("s3://company/apps/desk/")).toEqual({ bucket: "company", prefix: "apps/desk/" });
  for (const wrong of ["", "s3://", "s3://A", "https://desk-files", "s3://a b", "s3:///desk"])
    expect(parseBucketAddress(wrong), wrong).toBeUndefined();
});

describe("a file in the object store", () => {
  test("is stored and returned byte for byte, whatever its size, and only to people who can read its record", async () => {
    for (const size of [0, 1, 600_000, 5 * 1024 * 1024, 12_000_001]) {
      const { path, id } = await createPaper(bytesOf(size));
      expect(await s3.keys()).toContain(await keyOf(id));
      expect((await read(path)).equals(Buffer.from(bytesOf(size))), String(size)).toBe(true);
      expect((await open(path, bob)).status).toBe(404);
    }
    const { rows } = await served.database.query("select count(*)::int as chunks from ninefold.file_chunk");
    expect(rows).toEqual([{ chunks: 0 }]);
  });

  test("also if it comes in a ZIP file with the rows of an import", async () => {
    const zip = zipFile([
      { path: "papers.csv", bytes: "Title,Scan\nImported,scan.bin\n" },
      { path: "scans/scan.bin", bytes: Buffer.from(bytesOf(600_000)) },
    ]);
    const sent = await ada.send("POST", "/api/papers/import?name=papers.zip&then=run", undefined, { raw: zip });
    const { id: job } = sent.body as ImportJson;
    const look = async () => (await ada.get(`/api/papers/import/${job}`)).body as ImportJson;
    await waitUntil(async () => (await look()).state === "done", "the import ends");
    expect(await look()).toMatchObject({ added: 1, refused: 0 });
    const [paper] = (await ada.get("/api/papers?title=Imported")).list().items;
    const { id, scan } = paper as unknown as { readonly id: string; readonly scan: FileJson };
    expect(await s3.keys()).toContain(await keyOf(scan.id));
    expect((await read(`/api/papers/${id}/files/${scan.id}`)).equals(Buffer.from(bytesOf(600_000)))).toBe(true);
  });

  test("answers ranges", async () => {
    const { path } = await createPaper(bytesOf(1_000));
    await expectRanges(path, bytesOf(1_000));
  });

  test("that is too large or interrupted leaves an object that is deleted after a week, and no file", async () => {
    const before = await countFiles(service.database);
    expect((await upload(ada, bytesOf(20_000_001))).status).toBe(413);
    expect(await countFiles(service.database)).toEqual(before);
  });

  test("stays for a week after its record is deleted for good", async () => {
    const { id } = await createPaper(bytesOf(10));
    const key = (await keyOf(id)) ?? "";
    await served.database.query("delete from app.paper where scan ->> 'id' = $1", [id]);
    await served.database.query("update ninefold.file set made_at = now() - interval '2 days' where id = $1", [id]);
    expect(await purgeFiles(service.database)).toBe(1);
    expect(await purgeObjects(service)).toBe(0);
    expect(await s3.keys()).toContain(key);
    await served.database.query("update ninefold.unused_object set at = at - interval '8 days'");
    expect(await purgeObjects(service)).toBeGreaterThan(0);
    expect(await s3.keys()).not.toContain(key);
  });
});

/** Requests parts of a file, and compares them. */
const expectRanges = async (path: string, bytes: Uint8Array): Promise<void> => {
  const size = bytes.length;
  for (const [range, start, end] of [
    ["bytes=0-0", 0, 0],
    ["bytes=10-19", 10, 19],
    [`bytes=${size - 5}-`, size - 5, size - 1],
    ["bytes=-7", size - 7, size - 1],
    [`bytes=5-${size * 2}`, 5, size - 1],
  ] as const) {
    const response = await open(path, ada, { range });
    expect([response.status, response.headers.get("content-range")], range).toEqual([
      206,
      `bytes ${start}-${end}/${size}`,
    ]);
    expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(bytes.slice(start, end + 1))), range).toBe(
      true,
    );
  }
  const whole = await open(path);
  expect([whole.status, whole.headers.get("accept-ranges")]).toEqual([200, "bytes"]);
  const etag = whole.headers.get("etag") ?? "";
  await whole.arrayBuffer();
  for (const headers of [
    { range: "bytes=a-b" },
    { range: "bytes=0-1,4-5" },
    { range: "bytes=0-1", "if-range": '"other"' },
  ]) {
    const response = await open(path, ada, headers);
    expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([200, size]);
  }
  expect((await open(path, ada, { range: "bytes=0-1", "if-range": etag })).status).toBe(206);
  const beyond = await open(path, ada, { range: `bytes=${size}-` });
  expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, `bytes */${size}`]);
};

test("files move to the database and back, while they are read, and nothing changes for their readers", async () => {
  const bytes = bytesOf(3_000_000);
  const { path } = await createPaper(bytes);
  const { store } = await countFiles(service.database);
  expect(await moveFiles(service, "database")).toMatchObject({ ...store, lost: [] });
  expect(await countFiles(service.database)).toMatchObject({ store: { files: 0, bytes: 0 }, database: store });
  expect((await read(path)).equals(Buffer.from(bytes))).toBe(true);
  await expectRanges(path, bytes);
  // A reader has the first bytes from the database, and the rest from the store.
  const response = await open(path);
  const reader = response.body?.getReader();
  const first = await reader?.read();
  expect(await moveFiles(service, "store")).toMatchObject({ ...store, lost: [] });
  const parts = [Buffer.from(first?.value ?? [])];
  for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
    parts.push(Buffer.from(next.value));
  expect(Buffer.concat(parts).equals(Buffer.from(bytes))).toBe(true);
  expect(await moveFiles(service, "store")).toEqual({ files: 0, bytes: 0, lost: [] });
  expect((await checkFiles(service)).lost).toEqual([]);
});

test("a backup has the files of the store, and a restored copy has them in its database", async () => {
  const { id } = await createPaper(bytesOf(700_000));
  const folder = await mkdtemp(join(tmpdir(), "ninefold-backup-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [file, copy] = [join(folder, "papers.backup"), await database()];
  await expect(writeBackup(served.database.url, file, { demonstration: false })).rejects.toThrow("in an object store");
  await writeBackup(served.database.url, file, { demonstration: false, readOutside: readFromObjects(objects) });
  await restoreBackup(copy.url, file, undefined);
  const counts = await countFiles(service.database);
  const restored = { database: copy, objects: null };
  const { rows } = await copy.query(
    "select count(*)::int as files, sum(octet_length(bytes))::int as bytes, count(*) filter (where file = $1)::int as chunks from ninefold.file_chunk",
    [id],
  );
  expect(rows[0]).toMatchObject({ bytes: counts.store.bytes + counts.database.bytes, chunks: 2 });
  const inside = await copy.query("select count(*)::int as outside from ninefold.file where object is not null");
  expect([restored.objects, inside.rows[0]]).toEqual([null, { outside: 0 }]);
});

describe("a store that", () => {
  test("is away refuses files alone, and loses nothing", async () => {
    const { path, record } = await createPaper(bytesOf(100));
    s3.behave("away");
    onTestFinished(() => s3.behave("normal"));
    const refused = await upload(ada, bytesOf(100));
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
    expect(await refused.json()).toMatchObject({ code: "FILES_AWAY", title: "Files unavailable" });
    expect((await open(path)).status).toBe(503);
    expect((await ada.get(`/api/papers/${record}`)).status).toBe(200);
    await expect(objects.check()).rejects.toThrow(/ECONNRESET|socket/u);
    s3.behave("normal");
    expect((await read(path)).length).toBe(100);
  });

  test("has lost or changed a file: the record says so, and a check and a backup name it", async () => {
    const [gone, changed] = [await createPaper(bytesOf(50)), await createPaper(bytesOf(60))];
    await s3.lose((await keyOf(gone.id)) ?? "");
    const response = await open(gone.path);
    expect([response.status, await response.json()]).toEqual([410, expect.objectContaining({ code: "FILE_LOST" })]);
    const key = ((await keyOf(changed.id)) ?? "").replace("papers/", "");
    await objects.put(key, one(Buffer.alloc(60)));
    // The status is sent before the last byte is compared, so the transfer breaks off.
    await expect(open(changed.path).then((broken) => broken.arrayBuffer())).rejects.toThrow();
    const lost = [gone.id, changed.id].sort();
    expect((await checkFiles(service)).lost.map(({ id }) => id)).toEqual(lost);
    const named: string[] = [];
    const folder = await mkdtemp(join(tmpdir(), "ninefold-backup-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeBackup(served.database.url, join(folder, "papers.backup"), {
      demonstration: false,
      readOutside: readFromObjects(objects, ({ id }) => named.push(id)),
    });
    expect(named).toEqual(lost);
    expect((await moveFiles(service, "database")).lost.map(({ id }) => id)).toEqual(lost);
  });
});

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}
