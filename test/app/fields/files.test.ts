import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import type { Problem } from "../../../src/core/wire/problems.ts";
import type { FileJson } from "../../../src/core/wire/records.ts";
import { purgeFiles } from "../../../src/server/files/file-store.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

const claims = `
# Claims

## 3. Entities and their fields
\`\`\`yaml
Claim:
  label: "{title}, {proof}"
  fields:
    title:  text
    proof:  file?
    photo:  image?
    secret: file?
    papers: { type: file, many: true }
    shots:  { type: image, many: true }
    hidden: { type: file, many: true }
    many_papers: { type: boolean, computed: "size(papers) > 1" }
    faced:  { type: boolean, computed: owner.avatar != null }
    owner:  { type: User, set: user }
\`\`\`

## 5. Validation rules
\`\`\`yaml
Claim:
  - { rule: "title != 'sick' || proof != null", else: PROOF_MISSING }
  - { rule: "title != 'trip' || size(papers) > 0", else: PAPERS_MISSING }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  member: { members: signed in }
  clerk: { members: granted }
  Claim: { owner: owner == user }
  User:  { oneself: this == user }
permissions:
  User:
    read:   [oneself, { role: member, fields: [name, avatar] }]
    update: { role: oneself, fields: [avatar] }
  Claim:
    read:   [{ role: owner }, { role: clerk, fields: [title, proof, photo, papers, shots] }]
    create: { role: member, fields: [title, proof, photo, secret, papers, shots, hidden] }
    update: { role: owner, fields: [title, proof, photo, secret, papers, shots, hidden] }
    delete: owner
\`\`\`

## 8. Error catalogue
\`\`\`yaml
PROOF_MISSING: { status: 422, message: Sick leave needs a proof., at: proof }
PAPERS_MISSING: { status: 422, message: A trip needs papers., at: papers }
\`\`\`

## 9. Business constants and limits
\`\`\`yaml
upload_size: 1 MB
\`\`\`
`;

let served: TestServer;
let url: string;
type Person = ApiClient & { readonly id: string };
let ada: Person;
let bob: Person;
let clerk: Person;
beforeAll(async () => {
  served = await serveText(claims);
  url = await served.listen();
  ada = await served.person("Ada");
  bob = await served.person("Bob");
  clerk = await served.person("Cleo", ["clerk"]);
});

const headersOf = (who: ApiClient, more: Record<string, string> = {}) => ({ cookie: who.cookie(), ...more });
const sendRaw = (
  who: ApiClient,
  bytes: Uint8Array<ArrayBuffer> | string,
  name: string,
  type = "application/octet-stream",
) =>
  fetch(`${url}/_/files?name=${encodeURIComponent(name)}`, {
    method: "POST",
    headers: headersOf(who, { "content-type": type }),
    body: bytes,
  });
const send = async (
  who: ApiClient,
  bytes: Uint8Array<ArrayBuffer> | string,
  name: string,
  type?: string,
): Promise<FileJson> => {
  const answer = await sendRaw(who, bytes, name, type);
  if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
  return (await answer.json()) as FileJson;
};
const fetched = (who: ApiClient, path: string, more: Record<string, string> = {}) =>
  fetch(url + path, { headers: headersOf(who, more) });
const make = async (who: ApiClient, values: Record<string, unknown>) =>
  (await who.post("/api/claims", { title: "Train", ...values })).record();

const PNG = Uint8Array.from(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
);

test("a person uploads a picture of themselves, which permitted people see and expressions read", async () => {
  const own = `/api/users/${ada.id}`;
  const claim = await make(ada, {});
  expect(claim).toMatchObject({ faced: false });
  expect((await ada.patch(own, { avatar: (await send(ada, "no picture", "face.txt")).id })).problem()).toMatchObject({
    errors: [{ at: "/avatar", code: "NO_SUCH_PICTURE", clause: "3.User.avatar" }],
  });
  const { id } = await send(ada, PNG, "face.png");
  expect((await ada.patch(own, { avatar: id })).record()).toMatchObject({ avatar: { id, type: "image/png" } });
  expect((await bob.patch(own, { avatar: null })).status).toBe(403);
  expect((await ada.get(`/api/claims/${claim.id}`)).record()).toMatchObject({ faced: true });
  expect((await bob.get(own)).record()).toMatchObject({ name: "Ada", avatar: { id } });
  expect((await fetched(bob, `${own}/files/${id}`)).headers.get("content-type")).toBe("image/png");
  expect((await fetched(served.visitor(), `${own}/files/${id}`)).status).toBe(401);
});

describe("a file", () => {
  test("is uploaded, referred to by a record, and returned byte for byte, whatever its size", async () => {
    for (const size of [0, 1, 524_288, 524_289, 1_000_000]) {
      const bytes = Uint8Array.from({ length: size }, (_, i) => (i * 31) % 251);
      const sent = await send(ada, bytes, "ticket.bin");
      expect(sent).toMatchObject({ name: "ticket.bin", size, type: size === 0 ? "text/plain" : expect.any(String) });
      const claim = await make(ada, { proof: sent.id });
      expect(claim.proof).toEqual(sent);
      const back = await fetched(ada, `/api/claims/${claim.id}/files/${sent.id}`);
      expect(back.status).toBe(200);
      expect(back.headers.get("content-length")).toBe(String(size));
      expect(Buffer.from(await back.arrayBuffer()).equals(Buffer.from(bytes))).toBe(true);
    }
  });

  test("can be uploaded by a form", async () => {
    const form = new FormData();
    form.set("file", new File(["a,b\n1,2\n"], "Übersicht 2026.csv", { type: "text/html" }));
    const answer = await fetch(`${url}/_/files`, { method: "POST", headers: headersOf(ada), body: form });
    expect(await answer.json()).toMatchObject({ name: "Übersicht 2026.csv", type: "text/csv", size: 8 });
  });

  test("is shown by its name in lists, labels and history, and rules can test if it is there", async () => {
    const sent = await send(ada, "x", "note.txt");
    expect((await ada.post("/api/claims", { title: "sick" })).problem().code).toBe("PROOF_MISSING");
    const { id } = await make(ada, { title: "sick", proof: sent.id });
    expect((await ada.get(`/api/claims/${id}?label=true`)).record()._label).toBe("sick, note.txt");
    const other = await send(ada, "y", "other.txt");
    expect((await ada.patch(`/api/claims/${id}`, { proof: other.id })).record().proof).toEqual(other);
    expect((await ada.patch(`/api/claims/${id}`, { proof: other.id, title: "Sick" })).record().proof).toEqual(other);
    expect((await ada.patch(`/api/claims/${id}`, { proof: null })).record().proof).toBeNull();
    const lines = (await ada.get(`/api/claims/${id}/history`))
      .history()
      .map(({ changes }) => changes.find(({ field }) => field === "proof"));
    expect(lines).toEqual([
      { field: "proof", before: other, after: null },
      undefined,
      { field: "proof", before: sent, after: other },
      { field: "proof", before: null, after: sent },
    ]);
    expect((await ada.get("/api/claims?limit=1")).list().items[0]).toHaveProperty("proof");
  });

  test("can be used only by the person who uploaded it, once it is complete, within a day", async () => {
    const sent = await send(bob, "x", "bob.txt");
    const refused = async (proof: unknown) => (await ada.post("/api/claims", { title: "x", proof })).problem().code;
    expect(await refused(sent.id)).toBe("NO_SUCH_FILE");
    expect(await refused("00000000-0000-4000-8000-000000000000")).toBe("NO_SUCH_FILE");
    expect(await refused("nothing")).toBe("WRONG_TYPE");
    expect(await refused({ id: 5 })).toBe("WRONG_TYPE");
    const own = await send(ada, "x", "mine.txt");
    await served.database.query("update ninefold.file set size = null where id = $1", [own.id]);
    expect(await refused(own.id)).toBe("NO_SUCH_FILE");
    await served.database.query(
      "update ninefold.file set size = 1, made_at = now() - interval '25 hours' where id = $1",
      [own.id],
    );
    expect(await refused(own.id)).toBe("NO_SUCH_FILE");
  });

  test("can be read only through its record and field", async () => {
    const [proof, secret, loose] = [
      await send(ada, "p", "p.txt"),
      await send(ada, "s", "s.txt"),
      await send(ada, "l", "l.txt"),
    ];
    const { id } = await make(ada, { proof: proof.id, secret: secret.id });
    const other = await make(ada, {});
    const status = async (who: ApiClient, path: string) => (await fetched(who, path)).status;
    expect(await status(ada, `/api/claims/${id}/files/${proof.id}`)).toBe(200);
    expect(await status(ada, `/api/claims/${id}/files/${secret.id}`)).toBe(200);
    expect(await status(clerk, `/api/claims/${id}/files/${proof.id}`)).toBe(200);
    expect(await status(clerk, `/api/claims/${id}/files/${secret.id}`)).toBe(404);
    expect(await status(bob, `/api/claims/${id}/files/${proof.id}`)).toBe(404);
    expect(await status(ada, `/api/claims/${other.id}/files/${proof.id}`)).toBe(404);
    expect(await status(ada, `/api/claims/${id}/files/${loose.id}`)).toBe(404);
    expect(await status(ada, `/api/claims/${id}/files/x`)).toBe(404);
    expect(await status(served.visitor(), `/api/claims/${id}/files/${proof.id}`)).toBe(401);
    expect(await status(ada, `/_/files/${loose.id}`)).toBe(200);
    expect(await status(bob, `/_/files/${loose.id}`)).toBe(404);
    expect((await sendRaw(served.visitor(), "x", "x.txt")).status).toBe(401);
  });

  test("that has not changed is not sent again", async () => {
    const sent = await send(ada, "x", "x.txt");
    const { id } = await make(ada, { proof: sent.id });
    const tag = (await fetched(ada, `/api/claims/${id}/files/${sent.id}`)).headers.get("etag") ?? "";
    expect((await fetched(ada, `/api/claims/${id}/files/${sent.id}`, { "if-none-match": tag })).status).toBe(304);
  });
});

describe("a field with several files", () => {
  test("accepts their ids, keeps their order, and appears in history like one", async () => {
    const [a, b, c] = [
      await send(ada, "a", "a.txt"),
      await send(ada, "b", "b, {b}.txt"),
      await send(ada, "c", "c.txt"),
    ];
    expect((await ada.post("/api/claims", { title: "trip" })).problem().code).toBe("PAPERS_MISSING");
    expect(await make(ada, {})).toMatchObject({ papers: [], shots: [], hidden: [], many_papers: false });
    const { id, papers, many_papers } = await make(ada, { title: "trip", papers: [b.id, a.id, b.id] });
    expect([papers, many_papers]).toEqual([[b, a], true]);
    expect((await ada.get(`/api/claims/${id}`)).record().papers).toEqual([b, a]);
    expect((await ada.get("/api/claims?limit=1")).list().items[0]?.papers).toEqual([b, a]);
    const patched = async (input: unknown) => (await ada.patch(`/api/claims/${id}`, { papers: input })).record().papers;
    expect(await patched([b, a.id, c.id])).toEqual([b, a, c]);
    expect(await patched([c.id, b.id])).toEqual([c, b]);
    expect((await ada.patch(`/api/claims/${id}`, { papers: [] })).problem().code).toBe("PAPERS_MISSING");
    expect((await ada.patch(`/api/claims/${id}`, { title: "home", papers: [] })).record().papers).toEqual([]);
    const lines = (await ada.get(`/api/claims/${id}/history`))
      .history()
      .map(({ changes }) => changes.find(({ field }) => field === "papers"));
    expect(lines).toEqual([
      { field: "papers", before: [c, b], after: [] },
      { field: "papers", before: [b, a, c], after: [c, b] },
      { field: "papers", before: [b, a], after: [b, a, c] },
      { field: "papers", before: null, after: [b, a] },
    ]);
  });

  test("is refused as a whole if one of the files can’t be used, and keeps the current ones", async () => {
    const [own, other, page, dot] = [
      await send(ada, "m", "m.txt"),
      await send(bob, "o", "o.txt"),
      await send(ada, "<html>", "page.png"),
      await send(ada, PNG, "dot.png"),
    ];
    const refused = async (values: Record<string, unknown>) => {
      const { code, errors } = (await ada.post("/api/claims", { title: "x", ...values })).problem();
      return [code, errors?.map(({ at }) => at)];
    };
    expect(await refused({ papers: [own.id, other.id] })).toEqual(["NO_SUCH_FILE", ["/papers"]]);
    expect(await refused({ shots: [dot.id, page.id] })).toEqual(["NO_SUCH_PICTURE", ["/shots"]]);
    expect(await refused({ papers: own.id })).toEqual(["WRONG_TYPE", ["/papers"]]);
    expect(await refused({ papers: [own.id, "x"] })).toEqual(["WRONG_TYPE", ["/papers"]]);
    const { id } = await make(ada, { papers: [own.id], shots: [dot.id] });
    await served.database.query("update ninefold.file set made_at = now() - interval '25 hours' where id = $1", [
      own.id,
    ]);
    const fresh = await send(ada, "f", "f.txt");
    const changed = await ada.patch(`/api/claims/${id}`, { papers: [fresh.id, own.id] });
    expect(changed.record().papers).toEqual([fresh, own]);
    // A file of this record's field cannot be moved to another record.
    expect((await ada.patch(`/api/claims/${id}`, { hidden: [own.id] })).problem().code).toBe("NO_SUCH_FILE");
  });

  test("gives each file to people who can read the record and the field", async () => {
    const [paper, deleted, hidden] = [
      await send(ada, "p", "p.txt"),
      await send(ada, "g", "g.txt"),
      await send(ada, "h", "h.txt"),
    ];
    const { id } = await make(ada, { papers: [deleted.id, paper.id], hidden: [hidden.id] });
    await ada.patch(`/api/claims/${id}`, { papers: [paper.id] });
    const status = async (who: ApiClient, file: FileJson) =>
      (await fetched(who, `/api/claims/${id}/files/${file.id}`)).status;
    expect([await status(ada, paper), await status(ada, deleted), await status(ada, hidden)]).toEqual([200, 404, 200]);
    expect([await status(clerk, paper), await status(clerk, deleted), await status(clerk, hidden)]).toEqual([
      200, 404, 404,
    ]);
    expect([await status(bob, paper), await status(served.visitor(), paper)]).toEqual([404, 401]);
    expect((await clerk.get(`/api/claims/${id}`)).record()).not.toHaveProperty("hidden");
  });
});

describe("a file that could run code", () => {
  test.each([
    ["page.html", "<html><script>alert(1)</script></html>", "text/html", "text/plain"],
    ["drawing.svg", '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', "image/svg+xml", "text/plain"],
    ["code.js", "alert(1)", "text/javascript", "text/plain"],
    ["picture.png", "<script>alert(1)</script>", "image/png", "text/plain"],
    ["report.pdf", "%PDF-1.7 <script>", "application/pdf", "application/pdf"],
  ])("%s keeps its type and is sent as a download", async (name, text, claimed, type) => {
    const sent = await send(ada, text, name, claimed);
    expect(sent.type).toBe(type);
    const { id } = await make(ada, { proof: sent.id });
    const { headers } = await fetched(ada, `/api/claims/${id}/files/${sent.id}`);
    expect(headers.get("content-type")).toMatch(new RegExp(`^${type}`));
    expect(headers.get("content-disposition")).toMatch(/^attachment; /);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toBe("default-src 'none'; sandbox");
    expect((await ada.post("/api/claims", { title: "x", photo: sent.id })).problem().code).toBe("NO_SUCH_PICTURE");
  });

  test("is shown in place only if it is a picture", async () => {
    const sent = await send(ada, PNG, "dot.png", "text/html");
    expect(sent.type).toBe("image/png");
    const { id, photo } = await make(ada, { photo: sent.id });
    expect(photo).toEqual(sent);
    const { headers } = await fetched(ada, `/api/claims/${id}/files/${sent.id}`);
    expect([headers.get("content-type"), headers.get("content-disposition")]).toEqual([
      "image/png",
      `inline; filename="dot.png"; filename*=UTF-8''dot.png`,
    ]);
  });

  test("has a plain name without folders and without bidirectional control characters", async () => {
    const names: [string, string][] = [
      ["../../etc/passwd", "passwd"],
      ["C:\\temp\\a.txt", "a.txt"],
      ["evil\u202egnp.exe", "evilgnp.exe"],
      ["a\r\nset-cookie: x", "aset-cookie: x"],
      ["", "file"],
      ['é"%.txt', 'é"%.txt'],
    ];
    for (const [given, stored] of names) expect((await send(ada, "x", given)).name).toBe(stored);
  });
});

describe("the limits of uploads", () => {
  test("refuse a file by its declared size at once, or when it exceeds it", async () => {
    const large = new Uint8Array(1_000_001);
    const refused = await sendRaw(ada, large, "large.bin");
    expect([refused.status, ((await refused.json()) as { code: string; detail: string }).detail]).toEqual([
      413,
      "A file can have at most 1 MB.",
    ]);
    const before = process.memoryUsage().rss;
    const { port, hostname } = new URL(url);
    const text = await new Promise<string>((resolve) => {
      const socket = connect(Number(port), hostname);
      let text = "";
      socket.setEncoding("utf8").on("data", (data: string) => {
        text += data;
      });
      socket.on("error", () => undefined);
      socket.on("close", () => resolve(text));
      socket.write(
        `POST /_/files?name=x HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncookie: ${ada.cookie()}\r\ncontent-type: application/octet-stream\r\ntransfer-encoding: chunked\r\n\r\n`,
      );
      const chunk = "x".repeat(65_536);
      const more = async () => {
        for (let i = 0; i < 1_600 && !socket.destroyed && text === ""; i++) {
          if (!socket.write(`10000\r\n${chunk}\r\n`)) await sleep(1);
        }
        setTimeout(() => socket.destroy(), 500);
      };
      void more();
    });
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
    expect(process.memoryUsage().rss - before).toBeLessThan(60_000_000);
    const { rows } = await served.database.query("select count(*)::int as n from ninefold.file where size is null");
    expect(rows).toEqual([{ n: 0 }]);
  });

  test("count the unused files of one person, whether sent at once or one by one; used ones do not count", async () => {
    const una = await served.person("Una");
    const bytes = new Uint8Array(900_000);
    const readStored = async () =>
      Number(
        (
          await served.database.query("select coalesce(sum(size), 0)::int as n from ninefold.file where person = $1", [
            una.id,
          ])
        ).rows[0]?.n,
      );
    const sent = await Promise.all(Array.from({ length: 16 }, (_, i) => sendRaw(una, bytes, `${i}.bin`)));
    expect(sent.map(({ status }) => status).toSorted()).toEqual([...Array(8).fill(201), ...Array(8).fill(429)]);
    expect(await readStored()).toBe(7_200_000);
    const refused = await sendRaw(una, bytes, "one more.bin");
    expect([refused.status, ((await refused.json()) as Problem).code]).toEqual([429, "TOO_MANY_FILES"]);
    // Others can upload, and so can she once a record uses her files.
    expect((await sendRaw(bob, bytes, "his.bin")).status).toBe(201);
    const files = await Promise.all(sent.filter(({ ok }) => ok).map((answer) => answer.json() as Promise<FileJson>));
    await make(una, { papers: files.map(({ id }) => id) });
    served.ahead(10_000);
    expect((await sendRaw(una, bytes, "one more.bin")).status).toBe(201);
    served.ahead(0);
  });

  test("allow three hundred files per quarter of an hour, however small", async () => {
    const vera = await served.person("Vera");
    const codes = new Map<number, number>();
    for (let i = 0; i < 31; i++)
      for (const { status } of await Promise.all(Array.from({ length: 10 }, () => sendRaw(vera, "x", "x.txt"))))
        codes.set(status, (codes.get(status) ?? 0) + 1);
    expect(Object.fromEntries(codes)).toEqual({ 201: 200, 429: 110 });
  });

  test("leave nothing of an interrupted upload", async () => {
    const { port, hostname } = new URL(url);
    const count = async () =>
      (
        await served.database.query(
          "select (select count(*)::int from ninefold.file) as files, (select count(*)::int from ninefold.file_chunk) as chunks",
        )
      ).rows[0];
    const before = await count();
    const socket = connect(Number(port), hostname);
    socket.on("error", () => undefined);
    socket.write(
      `POST /_/files?name=x HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncookie: ${ada.cookie()}\r\ncontent-type: application/octet-stream\r\ncontent-length: 900000\r\n\r\n${"x".repeat(700_000)}`,
    );
    await sleep(400);
    socket.destroy();
    for (let i = 0; i < 40 && JSON.stringify(await count()) !== JSON.stringify(before); i++) await sleep(50);
    expect(await count()).toEqual(before);
  });
});

test("unused files are deleted after a day, and used ones stay", async () => {
  const [stored, loose, replaced, listed, struck] = [
    await send(ada, "k", "k.txt"),
    await send(ada, "l", "l.txt"),
    await send(ada, "r", "r.txt"),
    await send(ada, "m", "m.txt"),
    await send(ada, "s", "s.txt"),
  ];
  const { id } = await make(ada, { proof: replaced.id, secret: stored.id, papers: [struck.id, listed.id] });
  await ada.patch(`/api/claims/${id}`, { proof: null, papers: [listed.id] });
  const countRemaining = async () =>
    (
      await served.database.query("select name from ninefold.file where id = any($1) order by name", [
        [stored.id, loose.id, replaced.id, listed.id, struck.id],
      ])
    ).rows.map(({ name }) => name);
  const purge = () => purgeFiles(served.opened.service.database);
  await purge();
  expect(await countRemaining()).toEqual(["k.txt", "l.txt", "m.txt", "r.txt", "s.txt"]);
  await served.database.query("update ninefold.file set made_at = now() - interval '24 hours 30 minutes'");
  await purge();
  expect(await countRemaining()).toEqual(["k.txt", "l.txt", "m.txt", "r.txt", "s.txt"]);
  await served.database.query("update ninefold.file set made_at = now() - interval '26 hours'");
  expect(await purge()).toBeGreaterThanOrEqual(3);
  expect(await countRemaining()).toEqual(["k.txt", "m.txt"]);
  expect((await fetched(ada, `/api/claims/${id}/files/${listed.id}`)).status).toBe(200);
  expect((await fetched(ada, `/api/claims/${id}/files/${stored.id}`)).status).toBe(200);
});

test("a document without file fields accepts no upload", async () => {
  const plain = await serveText("# Plain\n\n## 3. Entities\n```yaml\nA: { fields: { name: text } }\n```\n");
  const mia = await plain.person("Mia");
  expect((await mia.post("/_/files", {})).status).toBe(404);
});
