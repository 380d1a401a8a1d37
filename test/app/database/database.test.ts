import { once } from "node:events";
import { type AddressInfo, createConnection, createServer } from "node:net";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, type Database, StoreAway, StoreSlow } from "../../../src/postgres/database.ts";
import { MessageSplitter } from "../../../src/postgres/driver/backend-messages.ts";
import { MOST_PREPARED } from "../../../src/postgres/driver/statement-cache.ts";
import { prepareSystem } from "../../../src/postgres/schema/prepare-system.ts";
import { database } from "../../postgres.ts";

test("a test’s database is empty, its own, and Postgres 18 in UTC with UTF-8", async () => {
  const [one, other] = await Promise.all([database(), database()]);
  await one.query("create table loan (id int)");
  expect((await other.query("select to_regclass('loan') as found")).rows).toEqual([{ found: null }]);
  const settings = ["server_version_num", "TimeZone", "server_encoding", "fsync", "listen_addresses"];
  const { rows } = await one.query(`select ${settings.map((name) => `current_setting('${name}') as "${name}"`)}`);
  expect(rows).toEqual([
    {
      server_version_num: expect.stringMatching(/^18/),
      TimeZone: "UTC",
      server_encoding: "UTF8",
      fsync: "on",
      listen_addresses: "",
    },
  ]);
  await Promise.all([one.end(), other.end()]);
});

test("the role of requests has no rights to the owner’s tables until they are granted", async () => {
  const own = await database();
  await own.query("create schema app; create table app.loan (id int)");
  const client = new pg.Client(own.appUrl);
  await client.connect();
  await expect(client.query("select * from app.loan")).rejects.toThrow("permission denied for schema app");
  await expect(client.query("create table mine (id int)")).rejects.toThrow("permission denied for schema public");
  await own.query("grant usage on schema app to ninefold_app; grant select on app.loan to ninefold_app");
  expect((await client.query("select * from app.loan")).rows).toEqual([]);
  client.on("error", () => {});
  await own.end();
  await client.end();
});

test("requests can’t change the data that decides a version: text, names, retired and former values, job", async () => {
  const own = await database();
  const owner = connect({ connection: own.url, max: 1, statementTimeout: 60_000 });
  await prepareSystem(owner, "ninefold_app");
  await owner.end();
  const { rows } = await own.query(
    `select c.relname as table, array_agg(lower(a.privilege_type) order by a.privilege_type) as may
     from pg_class c, aclexplode(c.relacl) a join pg_roles r on r.oid = a.grantee
     where c.relnamespace = 'ninefold'::regnamespace and c.relkind = 'r' and r.rolname = 'ninefold_app' group by 1`,
  );
  await own.end();
  const may = new Map(rows.map((row) => [String(row.table), row.may as readonly string[]]));
  for (const table of ["version", "renaming", "retired", "release", "job", "preview", "secret"])
    expect([table, may.get(table)]).toEqual([table, ["select"]]);
  expect(may.get("former_value")).toBeUndefined();
  for (const table of ["audit", "proposal_event"])
    expect([table, may.get(table)]).toEqual([table, ["insert", "select"]]);
  expect(may.get("proposal")).toEqual(["insert", "select", "update"]);
  const rare = [...may].filter(([, rights]) =>
    rights.some((right) => !["select", "insert", "update", "delete"].includes(right)),
  );
  expect(rare).toEqual([]);
});

test.each(["query", "batch", "transaction"] as const)(
  "a connection that dies during a %s fails that request, and nothing else",
  async (kind) => {
    const store = await database();
    const own = connect({ connection: store.url, max: 1 });
    const sleeping = { text: "select pg_sleep(20)", values: [] };
    const asked = {
      query: () => own.query(sleeping),
      batch: () => own.batch([sleeping, sleeping]),
      transaction: () => own.transaction((query) => query(sleeping)),
    }[kind]();
    const refused = expect(asked).rejects.toThrow(StoreAway);
    for (let ended = 0; ended === 0; )
      ended = Number(
        (
          await store.query(
            "select count(pg_terminate_backend(pid))::int as ended from pg_stat_activity where datname = current_database() and query like '%pg_sleep(20)%' and pid <> pg_backend_pid()",
          )
        ).rows[0]?.ended,
      );
    await refused;
    expect(await own.query({ text: "select 1 as one", values: [] })).toEqual([{ one: 1 }]);
    await own.end();
    await store.end();
  },
);

test("a connection that Postgres closes while it opens fails that request, and nothing else", async () => {
  const store = await database();
  const { host, port, user, database: name } = new pg.Client(store.url);
  // Holds Postgres's messages back, so that the client reads the end of the first connection together with its
  // beginning.
  let connections = 0;
  const relay = createServer((client) => {
    const isHeld = connections++ === 0;
    const server = createConnection(`${host}/.s.PGSQL.${port}`);
    const said: Buffer[] = [];
    client.on("data", (piece) => server.write(piece)).on("close", () => server.destroy());
    server.on("data", (piece) => void (isHeld ? said.push(piece) : client.write(piece)));
    server.on("close", () => client.end(Buffer.concat(said)));
    for (const socket of [client, server]) socket.on("error", () => undefined);
  });
  await once(relay.listen(0, "127.0.0.1"), "listening");
  const connection = { host: "127.0.0.1", port: (relay.address() as AddressInfo).port, user, database: name };
  const own = connect({ connection, max: 1 });
  const refused = expect(own.query({ text: "select 1 as one", values: [] })).rejects.toThrow(StoreAway);
  // A connection is idle once it has received that it is ready.
  for (let ended = 0; ended === 0; )
    ended = Number(
      (
        await store.query(
          "select count(pg_terminate_backend(pid))::int as ended from pg_stat_activity where datname = current_database() and state = 'idle' and pid <> pg_backend_pid()",
        )
      ).rows[0]?.ended,
    );
  await refused;
  expect(await own.query({ text: "select 1 as one", values: [] })).toEqual([{ one: 1 }]);
  await own.end();
  relay.close();
  await store.end();
});

describe.each(["query", "batch", "transaction"] as const)("a %s that fails without losing its connection", (kind) => {
  let store: Awaited<ReturnType<typeof database>>;
  let own: Database;
  beforeAll(async () => {
    store = await database();
    await store.query("create table note (it int)");
    own = connect({ connection: store.url, max: 1 });
  });
  afterAll(async () => {
    await own.end();
    await store.end();
  });
  const plain = (text: string) => ({ text, values: [] });
  const ask = (text: string) =>
    ({
      query: () => own.query(plain(text)),
      batch: () => own.batch([plain("select 1"), { name: text, text, values: [] }]),
      transaction: () => own.transaction((query) => query(plain(text))),
    })[kind]();
  const backend = async () => (await own.query(plain("select pg_backend_pid() as it")))[0]?.it;

  test("on a read-only server gives up the connection: the next request gets another one that writes", async () => {
    const before = await backend();
    // Like a server that became a standby: it responds but accepts no writes.
    await own.query(plain("set default_transaction_read_only = on"));
    await expect(ask("insert into note values (1)")).rejects.toThrow(StoreAway);
    await ask("insert into note values (2)");
    expect(await backend()).not.toBe(before);
    expect((await store.query("select it from note")).rows).toEqual([{ it: 2 }]);
  });

  test("because it was cancelled, for example after its timeout, keeps the connection outside a transaction", async () => {
    const before = await backend();
    await expect(ask("select pg_cancel_backend(pg_backend_pid()), pg_sleep(60)")).rejects.toThrow(StoreSlow);
    await ask("select 1");
    expect(await backend()).toBe(before);
  });
});

describe("a statement", () => {
  let store: Awaited<ReturnType<typeof database>>;
  let own: Database;
  beforeAll(async () => {
    store = await database();
    own = connect({ connection: store.url, max: 1 });
  });
  afterAll(async () => {
    await own.end();
    await store.end();
  });
  const one = async (text: string, values: readonly unknown[], name?: string): Promise<unknown> =>
    (await own.query({ ...(name === undefined ? {} : { name }), text, values }))[0]?.it;

  test.each([
    ["text", `"it's" a \\ and a {brace}, ünïcödé 🚲`],
    ["text", ""],
    ["int", 7],
    ["bool", true],
    ["date", "2026-02-28"],
    ["text", null],
    ["text[]", ["a", `b "c" \\`, "", "NULL", null, "ü,{}"]],
    ["text[]", []],
    ["int[]", [1, 2]],
    ["bytea", Buffer.from([0, 1, 255])],
    ["jsonb", { a: [1, "ü", null] }],
  ])("receives a value of type %s unchanged: %j", async (type, value) => {
    expect(await one(`select $1::${type} as it`, [value])).toEqual(value);
  });

  test("receives bytes beside text, a datetime, and more than fits a first message", async () => {
    const moment = new Date("2026-03-29T01:30:00.125Z");
    expect(await one("select $1::timestamptz as it", [moment])).toBe("2026-03-29T01:30:00.125Z");
    const long = "ü".repeat(50_000);
    const [row] = await own.query({ text: "select $1::bytea as a, $2::text as b", values: [Buffer.from("x"), long] });
    expect(row).toEqual({ a: Buffer.from("x"), b: long });
  });

  test("with a name is prepared once, and a connection keeps the most recent ones", async () => {
    const kept = () => one("select count(*)::int as it from pg_prepared_statements where name like $1", ["nth %"]);
    const nth = (n: number) => one(`select ${n} + $1::int as it`, [1], `nth ${n}`);
    for (let n = 0; n < MOST_PREPARED + 20; n++) expect(await nth(n)).toBe(n + 1);
    expect(await kept()).toBeLessThanOrEqual(MOST_PREPARED);
    // The first was dropped and is prepared again.
    expect(await nth(0)).toBe(1);
    expect(await nth(MOST_PREPARED + 19)).toBe(MOST_PREPARED + 20);
    expect(await kept()).toBeLessThanOrEqual(MOST_PREPARED);
  });

  test("that fails can be sent again, by its name too, and later statements in the pipeline were not executed", async () => {
    await own.query({ text: "create table taken (it int primary key)", values: [] });
    const take = (n: number) => ({ name: "take", text: "insert into taken values ($1) returning it", values: [n] });
    const quotient = (n: number) => ({ name: "quotient", text: "select 1 / $1::int as it", values: [n] });
    await expect(own.batch([quotient(0), take(1)])).rejects.toMatchObject({ code: "22012" });
    await expect(own.batch([take(1), take(1)])).rejects.toMatchObject({ code: "23505" });
    expect(await own.batch([quotient(1), take(1), take(2)])).toEqual([[{ it: 1 }], [{ it: 1 }], [{ it: 2 }]]);
    await expect(own.query(take(1))).rejects.toMatchObject({ code: "23505", constraint: "taken_pkey" });
    expect(await own.query(take(3))).toEqual([{ it: 3 }]);
    await expect(
      own.transaction(async (query) => {
        await query(take(4));
        await query(quotient(0));
      }),
    ).rejects.toMatchObject({ code: "22012" });
    expect(await one("select count(*)::int as it from taken", [])).toBe(3);
  });

  test("is refused once after its tables changed, and is prepared again", async () => {
    await own.query({ text: "create table shape (it int)", values: [] });
    const all = { name: "all of shape", text: "select * from shape", values: [] };
    await own.query({ text: "insert into shape values (1)", values: [] });
    expect(await own.query(all)).toEqual([{ it: 1 }]);
    await own.query({ text: "alter table shape add more text", values: [] });
    await expect(own.query(all)).rejects.toMatchObject({ code: "0A000" });
    expect(await own.query(all)).toEqual([{ it: 1, more: null }]);
  });
});

test("responses of Postgres are parsed alike in pieces of any length", () => {
  const said = ["", "a", "ü".repeat(70), "{}".repeat(300)];
  const bytes = Buffer.concat(
    said.map((text) => {
      const message = Buffer.from(`D....${text}`);
      message.writeInt32BE(message.length - 1, 1);
      return message;
    }),
  );
  for (let length = 1; length <= bytes.length; length += length < 20 ? 1 : 37) {
    const messages = new MessageSplitter();
    const heard: string[] = [];
    for (let at = 0; at < bytes.length; at += length)
      messages.take(bytes.subarray(at, at + length), (letter, piece, from, to) =>
        heard.push(String.fromCharCode(letter) + piece.toString("utf8", from, to)),
      );
    expect(heard).toEqual(said.map((text) => `D${text}`));
  }
});
