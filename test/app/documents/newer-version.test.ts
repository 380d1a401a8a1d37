import { pino } from "pino";
import { beforeAll, expect, test, vi } from "vitest";
import { connect } from "../../../src/postgres/database.ts";
import { createJob } from "../../../src/postgres/job/job-store.ts";
import { runJob } from "../../../src/postgres/job/run-job.ts";
import { draftAnswer } from "../../../src/server/authoring/draft/check-draft-sync.ts";
import { type Serving, serve } from "../../../src/server/serve.ts";
import { open } from "../../../src/server/serving/open-document.ts";
import { createMetrics } from "../../../src/server/telemetry/metrics.ts";
import { database } from "../../postgres.ts";
import { type ApiClient, apiClientAt, compiled, serveText, type TestServer } from "../program.ts";

const desk = (fields: string, rules = "") => `# Desk

## 3. Entities and their fields
\`\`\`yaml
Note: { fields: { ${fields} } }
\`\`\`
${rules}
## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { Note: { read: [member], create: [member], update: [member] } }
\`\`\`
`;

const FIRST = desk("text: text");

/** A server that nobody notifies, so that it learns of other versions from its requests alone. */
let behind: Serving;
let first: TestServer;
let ada: ApiClient;
/** The status of each response that the metrics of the server count. */
const counted: number[] = [];

beforeAll(async () => {
  first = await serveText(FIRST);
  const specification = compiled(FIRST);
  const { url: owner, appUrl: app } = first.database;
  const opened = await open(specification.model, specification, { owner, app });
  behind = await serve({
    opened: { ...opened, listenForVersions: () => ({ stop: () => Promise.resolve() }) },
    documentStore: null,
    host: "127.0.0.1",
    port: 0,
    demonstration: false,
    attempt: draftAnswer,
    metrics: { ...(await createMetrics()), answered: (_method, _route, status) => counted.push(status) },
    log: pino({ level: "silent" }),
  });
  ada = apiClientAt(behind.url, (await first.person("Ada")).cookie());
  return async () => {
    await behind.stop();
    await opened.close();
  };
});

/** Publishes a version at another server. */
const publish = (text: string) => serveText(text, { database: first.database });

test("writes that lack a field that another server's version requires are refused under that version", async () => {
  await publish(desk("text: text, size: integer"));
  counted.length = 0;
  const answers = await Promise.all([1, 2, 3, 4].map((n) => ada.post("/api/notes", { text: `${n}` })));
  for (const answer of answers) {
    expect([answer.status, answer.headers.get("ninefold-version")]).toEqual([422, "2"]);
    expect(answer.problem()).toMatchObject({ errors: [{ at: "/size", code: "REQUIRED" }] });
  }
  const made = await ada.post("/api/notes", { text: "five", size: 5 });
  await vi.waitFor(() => expect(counted.length).toBeGreaterThanOrEqual(5), 10_000);
  expect(counted.toSorted(), "each request is counted once").toEqual([201, 422, 422, 422, 422]);
  expect([made.status, made.record().size]).toEqual([201, 5]);
  expect((await ada.get("/api/notes")).list().items).toHaveLength(1);
});

test("a write that breaks a rule of another server's version is refused by that rule", async () => {
  await publish(desk("text: text, size: integer", rule));
  const refused = await ada.post("/api/notes", { text: "large", size: 500 }, { "idempotency-key": "large" });
  expect([refused.status, refused.problem().code]).toEqual([409, "TOO_LARGE"]);
  expect(refused.headers.get("ninefold-version")).toBe("3");
});

const rule = `
## 5. Validation rules
\`\`\`yaml
Note:
  - { rule: "size < 100", else: TOO_LARGE }
\`\`\`

## 8. Error catalogue
\`\`\`yaml
TOO_LARGE: { status: 409, message: "It is too large." }
\`\`\`
`;

test("reads and changes of a field that another server's version renames are answered under that version", async () => {
  await publish(desk("words: { type: text, was: text }, size: integer"));
  const list = await ada.get("/api/notes");
  expect([list.status, list.headers.get("ninefold-version")]).toEqual([200, "4"]);
  expect(list.list().items).toMatchObject([{ words: "five", size: 5 }]);
  await publish(desk("words: text, weight: { type: integer, was: size }"));
  const path = `/api/notes/${list.list().items[0]?.id}`;
  const changed = await ada.patch(path, { words: "six" });
  expect([changed.status, changed.headers.get("ninefold-version")]).toEqual([200, "5"]);
  expect(changed.record()).toMatchObject({ words: "six", weight: 5 });
});

test("a record is created once under another server's version, without a key too", async () => {
  await publish(desk("words: text, weighs: { type: integer?, was: weight }"));
  expect((await ada.get("/api/notes")).headers.get("ninefold-version")).toBe("6");
  await publish(desk("words: text, mass: { type: integer?, was: weighs }"));
  const made = await ada.post("/api/notes", { words: "seven" });
  expect([made.status, made.headers.get("ninefold-version")]).toEqual([201, "7"]);
  expect(made.record()).toMatchObject({ words: "seven", mass: null });
  await publish(desk("words: text, load: { type: integer?, was: mass }"));
  const refused = await ada.post("/api/notes", { words: "eight", mass: 8 });
  expect([refused.status, refused.headers.get("ninefold-version")]).toEqual([422, "8"]);
  const { items } = (await ada.get("/api/notes")).list();
  expect(items.map(({ words }) => words).toSorted()).toEqual(["seven", "six"]);
});

test("a server that cannot read the newest version asks to try again; without a newer version it is a fault", async () => {
  const { query } = first.database;
  await query("alter table app.note add constraint unheard_of check (words <> 'odd')");
  const odd = () => ada.post("/api/notes", { words: "odd" });
  expect((await odd()).problem()).toMatchObject({ status: 500, code: "FAULT" });
  await query(
    "insert into ninefold.version (number, file, hash, source) values (9, 'desk.md', 'unreadable', 'no text')",
  );
  const answer = await odd();
  expect(answer.problem()).toMatchObject({ status: 503, code: "TOO_BUSY" });
  expect(answer.headers.get("retry-after")).toBe("2");
  expect((await ada.get("/api/notes")).list().items).toHaveLength(2);
});

test("a server compiles a version while another one publishes it, once", async () => {
  const text = desk("text: text, size: integer, later: text?");
  const asked: string[] = [];
  const specification = compiled(FIRST);
  const store = await database();
  const connections = { owner: store.url, app: store.appUrl };
  const opened = await open(specification.model, specification, connections);
  const follower = await serve({
    opened,
    documentStore: null,
    host: "127.0.0.1",
    port: 0,
    demonstration: false,
    attempt: (request) => {
      asked.push(request.files[0]?.text ?? "");
      return draftAnswer(request);
    },
    log: pino({ level: "silent" }),
  });
  const owner = connect({ connection: store.url, max: 1 });
  try {
    const [first] = await owner.query({ text: "select hash from ninefold.version", values: [] });
    const { source } = compiled(text);
    const base = String(first?.hash);
    await createJob((work) => owner.transaction(work), { source, base, person: null, note: "" });
    await vi.waitFor(() => expect(asked).toEqual([text]), 20_000);
    expect(follower.service().version).toBe(1);
    await runJob(owner, { compile: (packed) => Promise.resolve(compiled(packed.text)) });
    await vi.waitFor(() => expect(follower.service().version).toBe(2), 20_000);
    expect(asked).toEqual([text]);
  } finally {
    await owner.end();
    await follower.stop();
    await opened.close();
    await store.end();
  }
});
