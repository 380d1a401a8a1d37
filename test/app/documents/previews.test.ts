import { createServer as createHttpServer, get, type Server as HttpServer } from "node:http";
import { createServer, type Server } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import type { Application } from "../../../src/core/wire/application.ts";
import type { PreviewJson, PreviewsJson } from "../../../src/core/wire/authoring/previews.ts";
import { createMailer, sendMails } from "../../../src/jobs/mails.ts";
import { deliver } from "../../../src/jobs/outbox.ts";
import { connect, type Database } from "../../../src/postgres/database.ts";
import { checkDiskSpace } from "../../../src/postgres/preview/disk-space.ts";
import {
  dropPreview,
  readPreviewState,
  readPreviews,
  registerPreview,
  TooManyPreviews,
  toDatabase,
} from "../../../src/postgres/preview/preview-database.ts";
import { ChangeRefused } from "../../../src/postgres/schema/apply-steps.ts";
import { createPreviews, type RunningPreviews } from "../../../src/preview/previews.ts";
import { type Preview, removeAbandoned, startPreview } from "../../../src/preview/start-preview.ts";
import { ownMachine } from "../../../src/server/http/origin.ts";
import { type ApiClient, apiClientAt, compiled, serveText, type TestServer } from "../program.ts";

const document = (fields: string, more = "") => `
# Clinic

## 3. Entities and their fields
\`\`\`yaml
Patient:
  fields:
    name: { type: text, max: 80 }
    due: date?
${fields}
\`\`\`

## 4. States and transitions
\`\`\`yaml
Patient:
  states: [new, seen]
  transitions: { see: { from: new, to: seen, by: nurse } }
  after: { see: [{ call: lab }], create: [{ call: lab }] }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { nurse: { members: granted } }
permissions:
  Patient: { read: [nurse], create: [nurse], update: [nurse], delete: [nurse] }
  User: { read: [{ role: nurse, fields: [name] }] }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
sign in: { sign up: { emails: [example.com], roles: [nurse] } }
token: { by: nurse }
outgoing: { lab: { post: APP_LAB_URL, sends: { name } } }
${more}
\`\`\`
`;

const PASSWORD = "correct horse battery";
const log = pino({ level: "silent" });

let served: TestServer;
let nurse: ApiClient;
let chiefId = "";
let owner: Database;
/** Requests and mails that arrived outside. */
const arrived: string[] = [];
let lab: HttpServer;
let smtp: Server;

const portOf = (server: { address(): unknown }): number => (server.address() as { readonly port: number }).port;
const listening = (server: Server | HttpServer) =>
  new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));

const tryOn = (text: string, more: { readonly masked?: boolean } = {}): Promise<Preview> => {
  const draft = compiled(text);
  return startPreview(
    {
      connections: { owner: served.database.url, app: served.database.appUrl },
      host: "127.0.0.1",
      port: 0,
      site: { origin: null, proxies: [], isPreview: true },
      original: "http://desk.example",
      log,
    },
    { compiled: draft, model: draft.model, base: 1, person: chiefId, masked: more.masked === true },
  );
};
const entered = async (preview: Preview): Promise<ApiClient> => {
  const somebody = apiClientAt(preview.address, "");
  const token = /#preview=([\w-]+)$/u.exec(await preview.link())?.[1];
  expect((await somebody.post("/_/session", { preview: token })).status).toBe(204);
  return somebody;
};
const databases = async (): Promise<readonly string[]> =>
  (
    await served.database.query("select datname from pg_database where datname like 'ninefold_preview_%' order by 1")
  ).rows.map(({ datname }) => String(datname));
const names = async (somebody: ApiClient) =>
  (await somebody.get("/api/patients?sort=name")).list().items.map(({ name }) => name);

beforeAll(async () => {
  lab = createHttpServer((request, response) => {
    arrived.push(`${request.method} ${request.url}`);
    response.end();
  });
  smtp = createServer((socket) => {
    arrived.push("smtp");
    socket.end("421 no\r\n");
  });
  await Promise.all([listening(lab), listening(smtp)]);
  served = await serveText(document("    bed: text?"));
  owner = connect({ connection: served.database.url, max: 1 });
  const chief = await served.account("Chief", PASSWORD, ["administrator", "nurse"]);
  chiefId = chief.id;
  nurse = await served.person("Nora", ["nurse"]);
  for (const name of ["Ada", "Ben"]) expect((await nurse.post("/api/patients", { name })).status).toBe(201);
});
afterAll(async () => {
  await owner.end();
  await Promise.all([lab, smtp].map((server) => new Promise((resolve) => server.close(resolve))));
});

/** The status of the answer, or the error of the connection. */
const answerOnNewConnection = (url: string): Promise<string> =>
  new Promise((resolve) => {
    get(url, { agent: false }, (response) => {
      response.resume();
      resolve(String(response.statusCode));
    }).on("error", ({ message }) => resolve(message));
  });

describe("a preview", () => {
  let preview: Preview;
  let chief: ApiClient;
  beforeAll(async () => {
    preview = await tryOn(document("    room: { type: text, fill: \"'unknown'\" }"));
    chief = await entered(preview);
  });
  afterAll(() => preview.end());

  test("has the data and the draft, and leaves the original unchanged", async () => {
    expect(await names(chief)).toEqual(["Ada", "Ben"]);
    const [ada] = (await chief.get("/api/patients?sort=name")).list().items;
    expect(ada).toMatchObject({ name: "Ada", room: "unknown" });
    expect((await chief.patch(`/api/patients/${ada?.id}`, { name: "Somebody else" })).status).toBe(200);
    expect((await chief.get(`/api/patients/${ada?.id}/history`)).history().length).toBeGreaterThan(1);

    // Before it ends, its reader learns what is lost with it.
    expect((await chief.get("/_/preview")).body).toEqual({ people: [], more: 0, changes: 1 });

    expect(await names(nurse)).toEqual(["Ada", "Ben"]);
    expect((await served.database.query("select number from ninefold.version")).rows).toHaveLength(1);
  });

  test("says to everyone who opens it what it is", async () => {
    const { preview: about } = (await apiClientAt(preview.address, "").get("/_/application")).body as Application;
    expect(about).toEqual({
      base: 1,
      endsAt: preview.row.endsAt,
      masked: false,
      hasData: true,
      original: "http://desk.example",
    });
    expect(((await served.visitor().get("/_/application")).body as Application).preview).toBeUndefined();
  });

  test("accepts people’s passwords, and no other credentials of the original", async () => {
    const somebody = apiClientAt(preview.address, "");
    expect((await somebody.post("/_/session", { email: "chief@example.com", password: PASSWORD })).status).toBe(204);
    const cookie = `session=${nurse.cookie().split("=")[1]}`;
    expect((await apiClientAt(preview.address, cookie).get("/api/patients")).status).toBe(401);
    const issued = (await nurse.post("/_/tokens", { name: "mine", roles: ["nurse"], reads: false, days: 1 })).body;
    const token = (issued as { readonly token?: string }).token;
    const second = await apiClientAt(preview.address, "").get("/api/patients", { authorization: `Bearer ${token}` });
    expect(second.status).toBe(401);
  });

  test("has a link that works once, and only there", async () => {
    const token = /#preview=([\w-]+)$/u.exec(await preview.link())?.[1];
    expect((await served.visitor().post("/_/session", { preview: token })).status).toBe(401);
    expect((await apiClientAt(preview.address, "").post("/_/session", { preview: token })).status).toBe(204);
    expect((await apiClientAt(preview.address, "").post("/_/session", { preview: token })).problem().code).toBe(
      "LINK_USED",
    );
  });

  test("sends nothing, and nobody can turn that on", async () => {
    expect((await chief.post("/api/patients", { name: "Cem", room: "4" })).status).toBe(201);
    expect((await apiClientAt(preview.address, "").post("/_/sign-up", { email: "new@example.com" })).status).toBe(202);
    const copy = connect({ connection: toDatabase(served.database.url, preview.row.place), max: 1 });
    try {
      await copy.query({
        text: "insert into ninefold.mail (recipient, subject, text, at, next_at) values ('a@example.com', 'a', 'a', now(), now())",
        values: [],
      });
      expect((await chief.post("/_/held/let-go", { old: true })).problem().code).toBe("PREVIEW_SENDS_NOTHING");
      await expect(
        copy.query({ text: "update ninefold.release set held_since = null, held_from = null", values: [] }),
      ).rejects.toThrow(/preview_sends_nothing/u);
      const environment = {
        APP_LAB_URL: `http://127.0.0.1:${portOf(lab)}/`,
        NINEFOLD_SMTP: `smtp://127.0.0.1:${portOf(smtp)}?ignoreTLS=true`,
        NINEFOLD_MAIL_FROM: "desk@example.com",
      };
      const mailer = createMailer(environment);
      if (mailer === undefined) throw new Error("no mailer");
      const outside = { environment, fetch };
      const { model } = compiled(document(""));
      const later = new Date(Date.now() + 3_600_000);
      await deliver(copy, model.outgoing, outside, later, log);
      await sendMails(copy, mailer, later);
      expect(arrived).toEqual([]);
      // Everything that would have been sent can be seen.
      expect((await chief.get("/_/held")).body).toMatchObject({ held: { mails: 1 } });
      // The original sends as before.
      await deliver(served.opened.service.database, model.outgoing, outside, later, log);
      expect(arrived).toEqual(["POST /", "POST /"]);
    } finally {
      await copy.end();
    }
  });

  test("can’t be published from, and is ended by administrators alone", async () => {
    expect((await chief.get("/_/document")).body).toMatchObject({ fixed: "this is a preview" });
    const inGerman = await chief.get("/_/document", { "accept-language": "de" });
    expect(inGerman.body).toMatchObject({ fixed: "dies ist eine Vorschau" });
    for (const method of ["get", "delete"] as const)
      expect((await apiClientAt(preview.address, "")[method]("/_/preview")).status).toBe(401);
    expect(await databases()).toEqual([preview.row.place]);
    expect((await chief.delete("/_/preview")).status).toBe(204);
    expect(await preview.ended).toBe("asked");
    expect(await databases()).toEqual([]);
    expect(await readPreviews(owner)).toEqual([]);
    await expect(fetch(preview.address)).rejects.toThrow();
  });
});

test("a draft that the data does not fit leaves nothing behind", async () => {
  await expect(tryOn(document("    room: text"))).rejects.toThrow(ChangeRefused);
  expect([await databases(), await readPreviews(owner)]).toEqual([[], []]);
});

test("a copy for which the disk has no room is refused before it begins", async () => {
  const [{ size } = { size: "0" }] = await owner.query({
    text: "select pg_database_size(current_database())::text as size",
    values: [],
  });
  const needed = 2 * Number(size) + 64 * 1024 * 1024;
  const leaving = (bytes: number) => () => Promise.resolve(bytes);
  await expect(checkDiskSpace(owner, "/data", leaving(needed - 1))).rejects.toThrow("not enough disk space");
  await checkDiskSpace(owner, "/data", leaving(needed));
  // A database elsewhere has a disk that nobody here can see.
  await checkDiskSpace(owner, null, leaving(0));
});

test("at most two previews exist; remains of a dead process are removed", async () => {
  const input = { hash: "h", base: 1, person: null, masked: false, folder: null };
  const remaining = [await registerPreview(owner, input), await registerPreview(owner, input)];
  await expect(registerPreview(owner, input)).rejects.toThrow(TooManyPreviews);
  for (const { place } of remaining) await owner.query({ text: `create database ${place}`, values: [] });
  const connections = { owner: served.database.url, app: served.database.appUrl };
  // A process may be about to connect.
  await removeAbandoned(connections);
  expect(await databases()).toHaveLength(2);
  await owner.query({ text: "update ninefold.preview set started_at = now() - interval '1 hour'", values: [] });
  const [used] = remaining;
  const user = connect({ connection: toDatabase(served.database.url, used?.place ?? ""), max: 1 });
  await user.query({ text: "select 1", values: [] });
  await removeAbandoned(connections);
  expect(await databases()).toEqual([used?.place]);
  await owner.query({ text: "update ninefold.preview set ends_at = now()", values: [] });
  await removeAbandoned(connections);
  expect([await databases(), await readPreviews(owner)]).toEqual([[], []]);
  await user.end();
});

test("a preview that is removed from the list ends", async () => {
  const preview = await tryOn(document("    bed: text?"));
  await dropPreview(owner, preview.row, true);
  expect(await preview.ended).toBe("asked");
});

test("a preview of a proposed text ends when the proposal is withdrawn, and ignores a version that is being published", async () => {
  await served.database.query(
    `insert into ninefold.job (base, file, hash, source, note, state) values ('', 'clinic.md', '', '', '', 'paused')`,
  );
  const text = document("    bed: text?\n    ward: text?");
  const preview = await tryOn(text);
  const { hash } = preview.row;
  const { rows } = await served.database.query(
    `insert into ninefold.proposal (source, base, file, hash, text) values ('command', 1, 'clinic.md', $1, $2) returning number`,
    [hash, text],
  );
  const number = Number(rows[0]?.number);
  await served.database.query(
    "insert into ninefold.proposal_event (proposal, kind, revision, hash) values ($1, 'proposed', 1, $2)",
    [number, hash],
  );
  try {
    expect(await readPreviewState(owner, preview.row.id)).toBe("listed");
    const copy = connect({ connection: toDatabase(served.database.url, preview.row.place), max: 1 });
    const jobs = await copy.query({ text: "select from ninefold.job", values: [] }).finally(() => copy.end());
    expect(jobs).toEqual([]);
    await served.database.query(
      "update ninefold.proposal set state = 'withdrawn', changed_at = now() where number = $1",
      [number],
    );
    expect(await preview.ended).toBe("decided");
    expect([await databases(), await readPreviews(owner)]).toEqual([[], []]);
    // Somebody can try the text again.
    const again = await tryOn(text);
    expect(await readPreviewState(owner, again.row.id)).toBe("listed");
    await again.end();
  } finally {
    await preview.end();
    await served.database.query("delete from ninefold.job");
  }
});

test("a role that cannot create databases gets sample data", async () => {
  // The role of requests may not; it needs the list besides.
  await served.database.query("grant all on ninefold.preview to ninefold_app");
  const poor = served.database.appUrl;
  const draft = compiled(document("    bed: text?"));
  const preview = await startPreview(
    {
      connections: { owner: poor, app: served.database.appUrl },
      host: "127.0.0.1",
      port: 0,
      site: { origin: null, proxies: [], isPreview: true },
      original: null,
      log,
    },
    { compiled: draft, model: draft.model, base: 1, person: chiefId, masked: false },
  );
  try {
    expect(preview.row.hasData).toBe(false);
    const somebody = await entered(preview);
    expect(((await somebody.get("/_/application")).body as Application).preview).toMatchObject({ hasData: false });
    expect((await somebody.get("/_/people")).status).toBe(200);
  } finally {
    await preview.end();
  }
  expect(await readPreviews(owner)).toEqual([]);
});

describe("the workbench", () => {
  const files = (text: string) => compiled(text).sources;
  const listOf = async (somebody: ApiClient) => (await somebody.get("/_/previews")).body as PreviewsJson;
  let desk: TestServer;
  let chief: ApiClient;
  let base = "";
  let running: RunningPreviews | undefined;
  const previewsIn = (site = ownMachine): RunningPreviews =>
    createPreviews({
      connections: { owner: served.database.url, app: served.database.appUrl },
      database: served.opened.service.database,
      host: "127.0.0.1",
      site,
      original: null,
      addresses: [],
      log,
      compile: async (input) => [compile(input)].find(({ model }) => model !== undefined),
    });
  beforeAll(async () => {
    running = previewsIn();
    desk = await serveText(document("    bed: text?"), { database: served.database, app: { previews: running } });
    chief = await desk.person("Olga", ["administrator"]);
    base = desk.opened.applied.hash;
  });
  afterAll(() => running?.stop());

  test("starts a preview, signs in to it, and ends it", async () => {
    const started = await chief.post("/_/previews?mask=true", { base, files: files(document("    room: text?")) });
    expect([started.status, started.body]).toEqual([
      202,
      expect.objectContaining({ masked: true, hasData: true, base: 1 }),
    ]);
    const { id } = started.body as PreviewJson;
    await expect.poll(async () => (await listOf(chief)).items[0]?.address, { timeout: 20_000 }).toMatch(/^http/u);
    const [shown] = (await listOf(chief)).items;
    expect(shown).toMatchObject({ id, by: { label: "Olga" } });
    const { link } = (await chief.post(`/_/previews/${id}/link`, {})).body as { readonly link: string };
    const [address = "", token = ""] = link.split("/sign-in#preview=");
    const inside = apiClientAt(address, "");
    expect((await inside.post("/_/session", { preview: token })).status).toBe(204);
    const { person } = (await inside.get("/_/application")).body as Application;
    expect(person).toMatchObject({ name: "Olga", administrator: true });
    const other = await desk.person("Vera", ["administrator"]);
    const use = async (somebody: ApiClient) => (await somebody.get(`/_/previews/${id}/use`)).body;
    // Personal values are made up in this copy; its list names people as they are called.
    expect([await use(chief), await use(other)]).toEqual([
      { people: [], more: 0, changes: 0 },
      { people: ["Olga"], more: 0, changes: 0 },
    ]);
    // A preview starts no previews.
    expect((await inside.get("/_/previews")).status).toBe(404);
    // Its address never refuses a connection, also while a page in it waits for changes and the copy is deleted.
    const seen = new Set<string>();
    let isLooking = true;
    const looking = (async () => {
      while (isLooking) {
        seen.add(await answerOnNewConnection(`${address}/patients`));
        await sleep(5);
      }
    })();
    const waits = fetch(`${address}/_/changes`, { headers: { Cookie: inside.cookie() } }).catch(() => undefined);
    expect((await chief.delete(`/_/previews/${id}`)).status).toBe(204);
    isLooking = false;
    await Promise.all([looking, waits]);
    expect([...seen]).toEqual(["200", "410"]);
    expect([await listOf(chief), await databases()]).toEqual([{ items: [], failed: null }, []]);
    expect((await chief.delete(`/_/previews/${id}`)).status).toBe(404);
    // People who are still inside see a page that says so.
    const visit = () => fetch(`${address}/patients`, { headers: { "Accept-Language": "de" } });
    await expect
      .poll(() =>
        visit().then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(410);
    const page = await visit();
    expect(page.headers.get("ninefold-preview")).toBe("ended");
    expect(await page.text()).toContain("Diese Vorschau ist beendet");
  });

  test("tells the person who started a preview why it failed", async () => {
    const started = await chief.post("/_/previews", { base, files: files(document("    room: text")) });
    expect(started.status).toBe(202);
    await expect.poll(async () => (await listOf(chief)).failed, { timeout: 20_000 }).toMatch(/Patient\.room/u);
    const german = (await chief.get("/_/previews", { "accept-language": "de" })).body as PreviewsJson;
    expect(german.failed).toMatch(/^3\.Patient\.room kann nicht als Pflichtfeld hinzukommen: /u);
    expect([(await listOf(chief)).items, await databases()]).toEqual([[], []]);
    const other = await desk.person("Pia", ["administrator"]);
    expect((await listOf(other)).failed).toBe(null);
  });

  test("refuses another base, a draft with errors, and a proxy without an address for previews", async () => {
    const good = files(document("    room: text?"));
    const refused = async (body: unknown) => (await chief.post("/_/previews", body)).problem().code;
    expect(await refused({ base: "other", files: good })).toBe("DOCUMENT_CHANGED");
    expect(
      await refused({ base, files: good.map(({ file }) => ({ file, text: "# X\n\n## 3. E\n```yaml\nA: 1\n```\n" })) }),
    ).toBe("DOCUMENT_INVALID");
    expect(await refused({ base })).toBe("MALFORMED");
    const behind = previewsIn({ origin: "https://desk.example", proxies: [] });
    const draft = compiled(document("    room: text?"));
    expect(await behind.start({ compiled: draft, base: 1, person: chiefId, masked: false })).toMatchObject({
      code: "NO_PREVIEWS",
    });
  });

  test("is hidden from people who are not administrators", async () => {
    const nora = await desk.person("Quinn", ["nurse"]);
    const id = "00000000-0000-4000-8000-000000000000";
    const asked: readonly (readonly [string, string])[] = [
      ["GET", "/_/previews"],
      ["POST", "/_/previews"],
      ["GET", `/_/previews/${id}/use`],
      ["POST", `/_/previews/${id}/link`],
      ["DELETE", `/_/previews/${id}`],
    ];
    for (const [method, path] of asked) {
      expect((await desk.visitor().send(method, path)).status).toBe(401);
      expect((await nora.send(method, path)).status).toBe(403);
    }
  });
});
