import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { parseServers } from "../../../src/postgres/driver/open-client.ts";
import { PositionSeal } from "../../../src/server/auth/read-positions.ts";
import { freePort } from "../../free-port.ts";
import { statementsOn, type TestDatabase } from "../../postgres.ts";
import { type PostgresServer, startReplicated } from "../../replication.ts";
import { type ApiClient, scratch, serveText, type TestServer } from "../program.ts";

/*
 * Reading from a standby of real streaming replication. The standby says which statements it ran, because no response does.
 */
const shelf = `
# Shelf

## 3. Entities and their fields
\`\`\`yaml
Book: { fields: { title: { type: text, max: 200 }, lent: boolean, note: text? } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { Book: { read: { role: member, when: title != "Hidden", fields: [title, lent] }, create: [member], update: [member], delete: [member] } }
\`\`\`

## 7. Calls
\`\`\`yaml
calls:
  GET /library: { list: Book, gives: { titles: "page.map(b, b.title)" } }
\`\`\`
`;

const main = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

let primary: PostgresServer;
let standby: PostgresServer;
let served: TestServer;
/** On a copy of the database. */
let twin: TestServer;
let ada: ApiClient;
let bo: ApiClient;
/** A record of Ada's. */
let book: string;

/** The address of several servers. */
const addressOf = (servers: readonly PostgresServer[], role: string, name: string): string =>
  `postgresql://${role}@${servers.map(({ port }) => `127.0.0.1:${port}`).join()}/${name}?target_session_attrs=read-write`;

/** A database of a primary, also after its standby has taken over. */
const storeOf = (name: string): TestDatabase => {
  const all = [primary, standby];
  const pool = new pg.Pool({ connectionString: primary.urlOf("ninefold_owner", name), max: 2 });
  pool.on("error", () => undefined);
  return {
    name,
    url: addressOf(all, "ninefold_owner", name),
    appUrl: addressOf(all, "ninefold_app", name),
    ...statementsOn(() => pool),
    replicas: [standby.urlOf("ninefold_app", name)],
    replayed: () => Promise.resolve(),
    rest: () => Promise.resolve(),
    end: () => pool.end(),
  };
};

beforeAll(async () => {
  const folder = await scratch();
  const servers = await startReplicated(folder, 1);
  primary = servers.primary;
  standby = servers.standbys[0] as PostgresServer;
  const store = storeOf("ninefold");
  const first = await serveText(shelf, { database: store });
  const people = [await first.person("Ada"), await first.person("Bo")] as const;
  book = (await people[0].post("/api/books", { title: "First" })).record().id;
  await first.stop();
  // A database with connections cannot be copied.
  await store.end();
  await primary.query("create database twin template ninefold");
  served = await serveText(shelf, { database: storeOf("ninefold") });
  twin = await serveText(shelf, { database: storeOf("twin") });
  [ada, bo] = people.map((person) => served.signedIn(tokenOf(person))) as [ApiClient, ApiClient];
}, 60_000);

const tokenOf = (person: ApiClient): string => person.cookie().split("=")[1] ?? "";

const LIST = "/api/books?sort=title";
const titles = async (reader: Pick<ApiClient, "get">) =>
  (await reader.get(LIST)).list().items.map(({ title }) => title);

/** When a server last began a statement of a request about books, as text that can be compared. */
const lastReadAt = async (server: PostgresServer): Promise<string> => {
  const [row] = await server.query(
    `select coalesce(max(query_start)::text, '') as at from pg_stat_activity where application_name = 'ninefold' and query like '%"app"."book"%'`,
  );
  return String(row?.at);
};

/** Sends a request until the standby is seen to answer some of them. */
const answeredByStandby = async (address: string): Promise<void> => {
  const before = await lastReadAt(standby);
  await expect
    .poll(
      async () => {
        expect((await ada.get(address)).status).toBe(200);
        return lastReadAt(standby);
      },
      { timeout: 20_000, interval: 50 },
    )
    .not.toBe(before);
};

/** Addresses of reads that standbys answer. */
const reads: readonly (readonly [string, () => string])[] = [
  ["lists", () => LIST],
  ["counts", () => "/api/books?count=true"],
  ["searches", () => "/api/books?search=abc"],
  ["calls of point 7", () => "/api/library"],
  ["groups", () => "/_/groups/books?groups.by=lent"],
  ["exports", () => "/_/export/books.csv"],
  ["deleted records", () => "/_/trash"],
  ["histories", () => `/api/books/${book}/history`],
  ["why-questions", () => `/api/why?do=Book.update&record=${book}`],
];

describe("with a standby that replays", () => {
  test.each(reads)("%s are read there", (_, address) => answeredByStandby(address()));

  test("data that a person cannot read makes no difference to any of these answers", async () => {
    await twin.database.query(`update app."book" set "note" = 'another'`);
    await twin.database.query(
      `insert into app."book" select (jsonb_populate_record(b, jsonb_build_object('id', gen_random_uuid(), 'title', 'Hidden'))).*
       from app."book" b where "id" = $1`,
      [book],
    );
    const other = twin.signedIn(tokenOf(bo));
    const [row] = (await twin.database.query("select pg_current_wal_lsn()::text as at")).rows;
    const isReplayed = () => standby.query(`select pg_last_wal_replay_lsn() >= '${row?.at}' as yes`);
    await expect.poll(isReplayed, { timeout: 20_000 }).toEqual([{ yes: true }]);
    for (const [, address] of reads) {
      const [here, there] = [await bo.get(address()), await other.get(address())];
      expect([there.status, there.text]).toEqual([here.status, here.text]);
      expect(here.status).toBe(200);
    }
  });

  test("people see their own writes at once, and those of others soon", async () => {
    for (let i = 0; i < 30; i++) {
      const title = `Own ${String(i).padStart(2, "0")}`;
      await ada.post("/api/books", { title });
      expect(await titles(ada)).toContain(title);
    }
    await expect.poll(() => titles(bo), { timeout: 20_000 }).toContain("Own 29");
  });
});

describe("while the standby does not replay", () => {
  const paused = async (work: () => Promise<unknown>): Promise<void> => {
    await answeredByStandby(LIST);
    await standby.query("select pg_wal_replay_pause()");
    try {
      await work();
    } finally {
      await standby.query("select pg_wal_replay_resume()");
    }
  };

  test("people see their own writes, in any session or program that sends the position back", () =>
    paused(async () => {
      const created = await ada.post("/api/books", { title: "Written" });
      expect(created.status).toBe(201);
      expect(await titles(ada)).toContain("Written");
      const position = created.headers.get("ninefold-position") ?? "";
      expect((await bo.get(LIST, { "ninefold-position": position })).list().items).toContainEqual(
        expect.objectContaining({ title: "Written" }),
      );
      // Others see it at the latest when the primary was polled twice.
      await expect.poll(() => titles(bo), { timeout: 20_000 }).toContain("Written");
    }));

  test("an ended session is ended at once", () =>
    paused(async () => {
      const session = bo.cookie();
      const again = await served.person("Cy");
      expect((await again.get(LIST)).status).toBe(200);
      expect((await again.send("DELETE", "/_/session")).status).toBe(204);
      expect((await served.visitor().get(LIST, { cookie: session })).status).toBe(200);
      expect((await again.get(LIST)).status).toBe(401);
    }));

  test("a response does not show which server was asked", async () => {
    const names = async () => {
      const answer = await bo.get(LIST);
      return [answer.status, [...answer.headers.keys()].toSorted()];
    };
    await answeredByStandby(LIST);
    const usual = await names();
    await paused(async () => {
      await ada.post("/api/books", { title: "Late" });
      await expect.poll(() => titles(bo), { timeout: 20_000 }).toContain("Late");
      expect(await names()).toEqual(usual);
    });
  });
});

/** Stops a server and its connections of requests without closing them, and returns a function that lets them go on. */
const freeze = async (server: PostgresServer): Promise<() => void> => {
  const rows = await server.query("select pid from pg_stat_activity where application_name = 'ninefold'");
  const send = (signal: NodeJS.Signals) => {
    for (const { pid } of rows) process.kill(Number(pid), signal);
    server.signal(signal);
  };
  send("SIGSTOP");
  return () => send("SIGCONT");
};

test.each([
  ["frozen", () => freeze(standby)],
  ["gone", () => standby.stop("SIGKILL").then(() => () => standby.start())],
])("a standby that is %s is passed over, and used again when it returns", async (_, take) => {
  await answeredByStandby(LIST);
  const bring = await take();
  for (let i = 0; i < 5; i++) expect((await ada.get(LIST)).status).toBe(200);
  expect((await ada.post("/api/books", { title: "Meanwhile" })).status).toBe(201);
  expect(await titles(ada)).toContain("Meanwhile");
  await bring();
  await answeredByStandby(LIST);
});

test("each of several applications in one program is read from its own database there", async () => {
  const folder = await scratch();
  const rooms = shelf.replace("signed in", "anyone");
  await writeFile(join(folder, "rooms.md"), rooms);
  const port = await freePort();
  const servers = ["--database", primary.url, "--owner", primary.ownerUrl, "--replica", standby.url];
  const program = spawn(process.execPath, [main, "host", folder, "--port", String(port), ...servers], {
    stdio: "pipe",
  });
  const ended = once(program, "exit");
  try {
    let output = "";
    for await (const chunk of program.stdout.setEncoding("utf8")) {
      output += chunk;
      if (output.includes("1 of 1 applications run")) break;
    }
    const statusOfList = () =>
      new Promise<number | undefined>((resolve, reject) => {
        request({ host: "127.0.0.1", port, path: LIST, headers: { host: `rooms.localhost:${port}` } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .once("error", reject)
          .end();
      });
    const readers = async () => {
      expect(await statusOfList()).toBe(200);
      return standby.query(`select from pg_stat_activity where datname = 'rooms' and query like '%"app"."book"%'`);
    };
    await expect.poll(readers, { timeout: 20_000 }).not.toEqual([]);
  } finally {
    program.kill("SIGTERM");
    await ended;
  }
});

describe("an address of several servers", () => {
  const hosts = (address: string) =>
    parseServers(address).servers.map(({ connectionString = "" }) => new pg.Client({ connectionString }));

  test.each([
    ["postgresql://u:p%40@a:5433,b,[::1]:5434/desk", ["a:5433", "b:5432", "::1:5434"]],
    ["postgresql://u@/desk?host=/a,/b&port=5433,5434&target_session_attrs=read-write", ["/a:5433", "/b:5434"]],
    ["postgresql://u@a,b/desk?target_session_attrs=primary&application_name=x", ["a:5432", "b:5432"]],
  ])("is split into servers: %s", (address, parts) => {
    expect(hosts(address).map(({ host, port }) => `${host}:${port}`)).toEqual(parts);
    expect(hosts(address).map(({ user, database }) => [user, database])).toEqual(parts.map(() => ["u", "desk"]));
    expect(parseServers(address).writable).toBe(true);
  });

  test("of one server stays as it is", () => {
    const address = "postgresql://u:p@a:5432/desk?sslmode=disable";
    expect(parseServers(address)).toEqual({ servers: [{ connectionString: address }], writable: false });
  });

  test("cannot ask for a server that refuses writes", () => {
    expect(() => parseServers("postgresql://a,b/desk?target_session_attrs=standby")).toThrow("target_session_attrs");
  });

  // The last test with these servers.
  test("is followed to the standby that is promoted", async () => {
    expect((await ada.post("/api/books", { title: "Before" })).status).toBe(201);
    await expect.poll(() => titles(bo), { timeout: 20_000 }).toContain("Before");
    await primary.stop("SIGKILL");
    expect((await ada.post("/api/books", { title: "Between" })).status).toBe(503);
    await standby.query("select pg_promote()");
    const write = async () => (await ada.post("/api/books", { title: "After" })).status;
    await expect.poll(write, { timeout: 20_000 }).toBe(201);
    expect(await titles(ada)).toEqual(expect.arrayContaining(["Before", "After"]));
  });
});

test("a position is readable only for the servers of its database", () => {
  const seal = new PositionSeal(Buffer.alloc(32, 1));
  const sealed = seal.seal(123n);
  expect(seal.open(sealed)).toBe(123n);
  expect(seal.seal(123n)).not.toBe(sealed);
  expect(new PositionSeal(Buffer.alloc(32, 2)).open(sealed)).toBeUndefined();
  for (const text of ["", "0/16B3748", `${sealed}A`, sealed.slice(0, -1), `A${sealed.slice(1)}`])
    expect(seal.open(text)).toBeUndefined();
});
