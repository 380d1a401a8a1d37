import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import type { ImportJson } from "../../../src/core/wire/imports.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

let desk: TestServer;

beforeAll(async () => {
  desk = await serveText(`# Desk

## 3. Entities and their fields

\`\`\`yaml
Thing: { fields: { number: { type: text, unique: true }, maker: { type: User, set: user } } }
\`\`\`

## 4. States and transitions

\`\`\`yaml
Thing:
  after:
    create: { notify: "User.filter(u, 'chief' in u.roles)", text: "New: {number}" }
\`\`\`

## 6. Roles and permissions

\`\`\`yaml
roles: { staff: signed in, keeper: granted, chief: granted }
permissions: { Thing: { read: [staff], create: [keeper], delete: [keeper] } }
\`\`\`
`);
});

const file = (prefix: string, rows: number) =>
  `Number\n${Array.from({ length: rows }, (_, at) => `${prefix}-${at}`).join("\n")}\n`;

const begin = async (who: ApiClient, content: string, query = "&then=run"): Promise<ImportJson> => {
  const answer = await who.send("POST", `/api/things/import?name=x.csv${query}`, undefined, {
    raw: content,
    headers: { "content-type": "text/csv" },
  });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body as ImportJson;
};

const look = async (who: ApiClient, { id }: ImportJson) =>
  (await who.get(`/api/things/import/${id}`)).body as ImportJson;

/** The import as soon as something is true of it. */
const when = async (who: ApiClient, of: ImportJson, holds: (job: ImportJson) => boolean): Promise<ImportJson> => {
  for (const end = Date.now() + 80_000; ; ) {
    const job = await look(who, of);
    if (holds(job)) return job;
    if (Date.now() > end) throw new Error(`it stays ${JSON.stringify(job)}`);
    await sleep(5);
  }
};

const count = async (prefix: string): Promise<number> =>
  Number(
    (await desk.database.query(`select count(*)::int as n from app.thing where number like '${prefix}-%'`)).rows[0]?.n,
  );

test("a cancelled import keeps whole parts, and another server goes on after the last of them", async () => {
  const keeper = await desk.person("Kim", ["keeper"]);
  const begun = await begin(keeper, file("C", 800));
  await when(keeper, begun, ({ done }) => done > 0);
  await keeper.post(`/api/things/import/${begun.id}/cancel`);
  const cancelled = await when(keeper, begun, ({ state }) => state === "done");
  expect(cancelled).toMatchObject({ cancelled: true, added: cancelled.done });
  expect(cancelled.done).toBeLessThan(800);
  expect(await count("C")).toBe(cancelled.added);

  // As a killed server leaves it: in progress, without a heartbeat.
  await desk.database.query(
    `update ninefold.import set state = 'running', cancelled = false, runner = gen_random_uuid(), changed_at = now() - interval '1 minute' where id = '${begun.id}'`,
  );
  const done = await when(keeper, begun, ({ state }) => state === "done");
  expect(done).toMatchObject({ added: 800, refused: 0, done: 800 });
  expect(await count("C")).toBe(800);
});

test("a role that is removed during an import ends what it permitted", async () => {
  const keeper = await desk.person("Kay", ["keeper"]);
  const begun = await begin(keeper, file("W", 800));
  await when(keeper, begun, ({ done }) => done > 0);
  await desk.database.query(`update app."user" set roles = '{}' where name = 'Kay'`);
  for (const end = Date.now() + 80_000; ; await sleep(20)) {
    const [row] = (await desk.database.query(`select * from ninefold.import where id = '${begun.id}'`)).rows;
    if (Date.now() > end) throw new Error("the import does not end");
    if (row?.state !== "done") continue;
    expect(Number(row?.added) + Number(row?.refused)).toBe(800);
    expect(await count("W")).toBe(Number(row?.added));
    // The person still sees what became of the rows, and cannot go on.
    expect(await look(keeper, begun)).toMatchObject({
      state: "done",
      refusals: [{ code: "FORBIDDEN", clause: "6.Thing.create", message: "Only a keeper can create a thing." }],
    });
    expect((await keeper.get(`/api/things/import/${begun.id}/refused.csv`)).status).toBe(200);
    expect((await keeper.post(`/api/things/import/${begun.id}/undo`)).status).toBe(403);
    break;
  }
});

test("two imports at once take turns, and each is complete", async () => {
  const [one, two] = [await desk.person("Ona", ["keeper"]), await desk.person("Tom", ["keeper"])];
  const [first, second] = await Promise.all([begin(one, file("O", 300)), begin(two, file("T", 300))]);
  const done = ({ state }: ImportJson) => state === "done";
  expect([(await when(one, first, done)).added, (await when(two, second, done)).added]).toEqual([300, 300]);
  expect([await count("O"), await count("T")]).toEqual([300, 300]);
});

test("people are notified once for each kind of notification", async () => {
  const chief = await desk.person("Carla", ["chief"]);
  const keeper = await desk.person("Kurt", ["keeper"]);
  const begun = await begin(keeper, file("N", 250));
  await when(keeper, begun, ({ state }) => state === "done");
  const { body } = await chief.get("/_/notifications");
  expect(body).toMatchObject({ items: [{ text: "New: N-0" }], unread: 1 });
});

test("an import is undone only if the person can delete", async () => {
  const keeper = await desk.person("Kira", ["keeper"]);
  const begun = await begin(keeper, file("U", 120));
  await when(keeper, begun, ({ state }) => state === "done");
  await desk.database.query(`update app."user" set roles = '{}' where name = 'Kira'`);
  expect((await keeper.post(`/api/things/import/${begun.id}/undo`)).status).toBe(403);
  await desk.database.query(`update app."user" set roles = '{keeper}' where name = 'Kira'`);
  await keeper.post(`/api/things/import/${begun.id}/undo`);
  expect(await when(keeper, begun, ({ state }) => state === "undone")).toMatchObject({ refused: 0 });
  expect(await count("U")).toBe(0);
});
