import pg from "pg";
import { expect, test } from "vitest";
import { connect, StoreAway } from "../../src/postgres/database.ts";
import { database } from "../postgres.ts";

test("a test's database is empty, its own, and Postgres 18 in UTC with UTF-8", async () => {
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

test("the role of requests has no rights to what the owner made until they are granted", async () => {
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

test.each(["query", "batch", "transaction"] as const)(
  "a connection that dies under a %s is told to who asked, and ends nothing else",
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
