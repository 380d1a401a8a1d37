import { beforeAll, describe, expect, test } from "vitest";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

/** Claims that a clerk reminds of, any number of times, and hands over to others, whose claims the clerk cannot read. */
const claims = `
# Claims

## 3. Entities and their fields
\`\`\`yaml
Claim:
  label: "{title}"
  fields: { title: text, note: text?, reminders: { type: integer, default: 0 }, seen_at: datetime? }
Letter:
  label: "{words}"
  fields: { claim: Claim, words: text }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Claim:
  field: status
  initial: open
  final: [granted, away]
  states: [open, granted, away]
  transitions:
    grant:  { from: open, to: granted, by: clerk, asks: [note] }
    remind: { from: open, to: same, by: clerk, asks: [note], set: { reminders: reminders + 1 } }
    count:  { from: open, to: same, by: clerk, set: { reminders: reminders + 1 } }
    pass:   { from: open, to: away, by: clerk }
    see:    { from: open, to: same, by: clerk, asks: [seen_at], set: { reminders: reminders + 1 } }
  after:
    remind: { create: Letter, set: { claim: this, words: note } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { clerk: granted, other: granted }
permissions:
  Claim:
    read:   [{ role: clerk, when: "status != away" }, other]
    create: [clerk, other]
  Letter: { read: [clerk, other] }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
sign in: { password: true }
conventional: all
calls:
  POST /reminders/{id}: { transition: Claim.remind, by: clerk }
  POST /open/{id}: { transition: Claim.grant, by: clerk, where: status == open }
  POST /sights/{id}: { transition: Claim.see, by: clerk, takes: {}, set: { seen_at: now } }
\`\`\`
`;

let served: TestServer;
let clerk: ApiClient;
let other: ApiClient;
beforeAll(async () => {
  served = await serveText(claims);
  [clerk, other] = [await served.person("Cleo", ["clerk"]), await served.person("Otto", ["other"])];
});

const create = async (): Promise<string> => (await clerk.post("/api/claims", { title: "Bus" })).record().id;
const make = (id: string, transition: string, key: string, body: object = {}, headers: Record<string, string> = {}) =>
  clerk.post(`/api/claims/${id}/${transition}`, body, { "idempotency-key": key, ...headers });
const reminders = async (id: string) => (await other.get(`/api/claims/${id}`)).record().reminders;
const letters = async (id: string) => (await other.get(`/api/letters?claim=${id}`)).list().items.length;
const reused = { status: 422, code: "KEY_REUSED" };

describe("a transition with an Idempotency-Key", () => {
  test("is made once, and its repetition gives the same response, also with the version of before", async () => {
    const id = await create();
    const first = await make(id, "grant", "once", { note: "fine" }, { "if-match": '"1"' });
    const second = await make(id, "grant", "once", { note: "fine" }, { "if-match": '"1"' });
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get("etag")).toBe(first.headers.get("etag"));
    // Without the key, the repetition is one of a record that has moved on.
    expect((await clerk.post(`/api/claims/${id}/grant`, { note: "fine" })).problem().code).toBe("WRONG_STATE");
  });

  test("is made once if it could be made again, and so are its effects", async () => {
    const id = await create();
    for (let time = 0; time < 3; time++) {
      expect((await make(id, "remind", "again", { note: "please" })).status).toBe(200);
      expect((await make(id, "count", "counted")).status).toBe(200);
    }
    expect([await reminders(id), await letters(id)]).toEqual([2, 1]);
    expect((await make(id, "remind", "another", { note: "please" })).record().reminders).toBe(3);
  });

  test("is made once by several requests at the same moment", async () => {
    const [same, moved, counted] = [await create(), await create(), await create()];
    const six = <T>(send: () => Promise<T>) => Promise.all(Array.from({ length: 6 }, send));
    const answers = [
      ...(await six(() => make(same, "remind", "moment", { note: "now" }))),
      ...(await six(() => make(moved, "grant", "moment of grant", { note: "now" }))),
      ...(await six(() => make(counted, "count", "moment of count"))),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect([await reminders(same), await letters(same), await reminders(counted)]).toEqual([1, 1, 1]);
  });

  test("is refused if the key was used with another body, another record, another transition or a creation", async () => {
    const [id, another] = [await create(), await create()];
    await make(id, "remind", "taken", { note: "a" });
    await clerk.post("/api/claims", { title: "Train" }, { "idempotency-key": "taken by a creation" });
    for (const answer of [
      await make(id, "remind", "taken", { note: "b" }),
      await make(another, "remind", "taken", { note: "a" }),
      await make(id, "grant", "taken", { note: "a" }),
      await make(id, "remind", "taken by a creation", { note: "a" }),
      await clerk.post("/api/claims", { title: "Train" }, { "idempotency-key": "taken" }),
    ])
      expect(answer.problem()).toMatchObject(reused);
    expect([await reminders(id), await reminders(another)]).toEqual([1, 0]);
  });

  test("does not use up the key if it is refused", async () => {
    const id = await create();
    expect((await make(id, "remind", "retry", {})).status).toBe(422);
    expect((await make(id, "remind", "retry", { note: "please" })).status).toBe(200);
  });

  test("gives its result to somebody who can no longer read the record, and tells nothing of later changes", async () => {
    const id = await create();
    const first = await make(id, "pass", "passed");
    expect([first.status, first.body]).toEqual([200, { id, version: 2 }]);
    await served.database.query("update app.claim set version = 9 where id = $1", [id]);
    const second = await make(id, "pass", "passed");
    expect([second.status, second.body]).toEqual([200, first.body]);
    // A new key finds no record.
    expect((await make(id, "pass", "passed again")).status).toBe(404);
  });

  test("is honoured by a call of the document, and has 1 to 255 characters", async () => {
    const id = await create();
    const call = (key: string) => clerk.post(`/api/reminders/${id}`, { note: "x" }, { "idempotency-key": key });
    for (let time = 0; time < 2; time++) expect((await call("by call")).status).toBeLessThan(300);
    expect(await reminders(id)).toBe(1);
    // The request is the same, although the call sets another time.
    for (let time = 0; time < 2; time++) {
      const answer = await clerk.post(`/api/sights/${id}`, {}, { "idempotency-key": "by sight" });
      expect(answer.status).toBeLessThan(300);
    }
    expect(await reminders(id)).toBe(2);
    // It finds only claims that are open, and its first request leaves none.
    const grant = (key: string) => clerk.post(`/api/open/${id}`, { note: "x" }, { "idempotency-key": key });
    const [first, second] = [await grant("by grant"), await grant("by grant")];
    expect(first.status).toBeLessThan(300);
    expect([second.status, second.body]).toEqual([first.status, first.body]);
    expect((await grant("by another")).status).toBe(404);
    for (const key of ["", "k".repeat(256)]) {
      expect((await make(id, "count", key)).problem()).toMatchObject({ status: 400, code: "BAD_QUERY" });
      expect((await call(key)).problem()).toMatchObject({ status: 400, code: "BAD_QUERY" });
    }
  });
});
