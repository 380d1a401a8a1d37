import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { database, type TestDatabase } from "../../postgres.ts";
import { failed, freePort, ninefold, type Program, scratch, startProgram } from "../program.ts";
import { findPgBouncer, type Pooler, startPgBouncer } from "./pgbouncer.ts";

const desk = `
# Desk

## 3. Entities and their fields
\`\`\`yaml
Place:
  fields:
    name: { type: text, unique: true }
    left: { type: integer, min: 0, default: 5 }
Seat:
  fields: { place: Place, taken_by: { type: User, set: user }, day: { type: date, default: today } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Seat:
  field: status
  initial: wanted
  final: [given]
  states: [wanted, given]
  transitions:
    give: { from: wanted, to: given, by: member }
\`\`\`

## 5. Validation rules
\`\`\`yaml
Seat:
  - { rule: "Seat.filter(s, s.place == place).count() <= 5", else: FULL }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions:
  User: { read: [member] }
  Place: { read: [member], create: [member], update: [member] }
  Seat: { read: [member], create: [member] }
\`\`\`

## 8. Error catalogue
\`\`\`yaml
FULL: { status: 409, message: "No place is left." }
\`\`\`
`;

interface Plain {
  readonly status: number;
  readonly body: { readonly id: string; readonly code: string; readonly items: readonly unknown[] };
}
type Asker = (method: string, path: string, body?: unknown) => Promise<Plain>;

const PASSWORD = "correct horse battery";
const binary = findPgBouncer();

describe.skipIf(binary === undefined)("behind PgBouncer in transaction mode (skipped if it is not installed)", () => {
  let store: TestDatabase;
  let pooler: Pooler;
  let file: string;
  let programs: readonly Program[];
  let askers: readonly Asker[];
  const setUp = async () => {
    const name = /\/(test_\w+)/.exec(store.url)?.[1];
    for (const [setting, value] of [
      ["TimeZone", "UTC"],
      ["DateStyle", "ISO"],
      ["IntervalStyle", "postgres"],
      ["plan_cache_mode", "force_generic_plan"],
      ["statement_timeout", "15000"],
      ["lock_timeout", "5000"],
      ["idle_in_transaction_session_timeout", "30000"],
    ])
      await store.query(`alter database ${name} set ${setting} = '${value}'`);
  };
  beforeAll(async () => {
    store = await database();
    pooler = await startPgBouncer(binary ?? "", /\/(test_\w+)/.exec(store.url)?.[1] ?? "");
    file = join(await scratch(), "desk.md");
    await writeFile(file, desk);
  }, 150_000);
  afterAll(async () => {
    for (const program of programs ?? []) await program.stop();
    await pooler?.stop();
    await store?.end();
  });

  test("a start without the option says so, and a pool without its role says what to do", async () => {
    const words = async () => [
      "run",
      file,
      "--port",
      `${await freePort()}`,
      "--database",
      pooler.url,
      "--owner",
      store.url,
    ];
    const from = performance.now();
    const untold = failed(await ninefold(await words()));
    // It does not wait for a database that is busy.
    expect(performance.now() - from).toBeLessThan(25_000);
    expect([untold.exit, untold.messages.join("\n")]).toEqual([5, expect.stringContaining("--pooler")]);
    const unset = failed(await ninefold([...(await words()), "--pooler"]));
    expect([unset.exit, unset.messages[0]]).toEqual([5, "The role that the pooler uses for requests is not set up."]);
    expect(unset.messages.join("\n")).toMatch(
      /alter role "ninefold_app" in database "test_\w+" set "statement_timeout" = '15000';/,
    );
    await setUp();
    await store
      .query(
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
      )
      .catch(() => undefined);
  });

  test("two servers serve reads, writes, transitions and sign-in over connections in any order", async () => {
    const port = await freePort();
    const start = () =>
      startProgram({
        file,
        database: pooler.url,
        args: ["--owner", store.url, "--pooler", "--origin", `http://127.0.0.1:${port}`],
      });
    const first = await start();
    const token = /first=([\w-]{43})/.exec(first.output())?.[1];
    const second = await start();
    programs = [first, second];
    expect(token).toBeDefined();
    // The second start invalidated the first link; the newest is valid.
    const newest = /first=([\w-]{43})/.exec(second.output())?.[1];
    const url = (program: Program) => `http://127.0.0.1:${program.port}`;
    const ask = async (program: Program, method: string, path: string, body?: unknown, cookie = "") =>
      fetch(url(program) + path, {
        method,
        headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), cookie },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const created = await ask(second, "POST", "/_/first-administrator", {
      token: newest,
      name: "Ada",
      email: "ada@example.com",
      password: PASSWORD,
    });
    expect(created.status).toBe(204);
    const cookie = created.headers.get("set-cookie")?.split(";")[0] ?? "";
    expect(cookie.split("=")[0]).toBe(`session-${port}`);
    const caller =
      (program: Program): Asker =>
      async (method, path, body) => {
        const response = await ask(program, method, path, body, cookie);
        return { status: response.status, body: (await response.json()) as Plain["body"] };
      };
    askers = [caller(first), caller(second)];
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => askers[i % 2]?.("POST", "/api/places", { name: `Place ${i}` })),
    );
    expect(answers.map((one) => one?.status)).toEqual(answers.map(() => 201));
    for (const one of askers) expect((await one("GET", "/api/places?limit=200&sort=name")).body.items).toHaveLength(60);
  });

  test("of many who race for the last places exactly as many win as there are; a transition is made once", async () => {
    const send = (i: number, method: string, path: string, body?: unknown): Promise<Plain> => {
      const asked = askers[i % 2];
      if (asked === undefined) throw new Error("nobody to ask");
      return asked(method, path, body);
    };
    const { id } = (await send(0, "POST", "/api/places", { name: "The last" })).body;
    const seats = await Promise.all(Array.from({ length: 40 }, (_, i) => send(i, "POST", "/api/seats", { place: id })));
    const won = seats.filter(({ status }) => status === 201);
    expect([won.length, new Set(seats.filter(({ status }) => status !== 201).map(({ body }) => body.code))]).toEqual([
      5,
      new Set(["FULL"]),
    ]);
    const seat = won[0]?.body.id;
    const input = await Promise.all(
      Array.from({ length: 24 }, (_, i) => send(i, "POST", `/api/seats/${seat}/give`, {})),
    );
    expect(input.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 23 }, () => 409)]);
    const { rows } = await store.query(
      "select (select count(*) from app.seat where place = $1)::int as seats, (select count(*) from ninefold.audit where record = $2 and action = 'give')::int as lines",
      [id, seat],
    );
    expect(rows[0]).toEqual({ seats: 5, lines: 1 });
  });

  test("a pooler that restarts is unreachable only for a moment", async () => {
    const status = async () => (await askers[0]?.("GET", "/api/places?limit=1"))?.status;
    expect(await status()).toBe(200);
    await store.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'ninefold' and pid <> pg_backend_pid()",
    );
    const seen = [await status(), await status(), await status(), await status()];
    expect(seen.every((one) => one === 200 || one === 503)).toBe(true);
    expect(await status()).toBe(200);
  });
});
