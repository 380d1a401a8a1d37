import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect as connectTo, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import { connect, restoreStoreError, StoreAway, StoreBusy, StoreSlow } from "../../../src/postgres/database.ts";
import { findRunning } from "../../../src/postgres/embedded/index.ts";
import { database, type TestDatabase } from "../../postgres.ts";
import { waitUntil } from "../../wait.ts";
import { type Answer, type ApiClient, command, freePort, type Program, startProgram } from "../program.ts";

const shelf = `# Shelf

## 3. Entities and their fields

\`\`\`yaml
Book:
  fields:
    title: text
\`\`\`

## 6. Roles and permissions

\`\`\`yaml
roles:
  reader: { members: signed in }
permissions:
  Book: { read: [reader], create: [reader], update: [reader] }
\`\`\`
`;

test("an error that leaves a worker thread still says if the database is away, busy or slow", async () => {
  for (const sent of [new StoreAway("It cannot be reached."), new StoreBusy(), new StoreSlow("It took too long.")]) {
    const { name, message } = sent;
    const thrown = `throw Object.assign(new Error("${message}", { cause: new Error("refused") }), { name: "${name}" })`;
    const [error] = (await once(new Worker(thrown, { eval: true }), "error").catch((error) => [error])) as [Error];
    expect(error).not.toBeInstanceOf(StoreAway);
    const restored = restoreStoreError(error) as StoreAway;
    expect(restored.constructor).toBe(sent.constructor);
    expect(restored.because).toBe(`${message.slice(0, -1)}: refused.`);
  }
});

/** The answer and its time in milliseconds. */
const timed = async (ask: () => Promise<Answer>): Promise<{ readonly answer: Answer; readonly took: number }> => {
  const from = performance.now();
  const answer = await ask();
  return { answer, took: performance.now() - from };
};

/** Without the database, the program responds with an error and a time to retry. */
const expectAway = ({ answer }: Awaited<ReturnType<typeof timed>>) => {
  expect(answer.problem()).toMatchObject({
    status: 503,
    code: "STORE_AWAY",
    title: "Database unavailable",
    detail: expect.stringMatching(/Your data is safe/),
    reference: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  expect(answer.headers.get("retry-after")).toMatch(/^[1-9]$/);
  expect(answer.headers.get("content-type")).toMatch(/^application\/problem\+json/);
};

/** It also responds promptly. The median counts, because a machine that pauses delays some answers. */
const expectAllAway = (answers: readonly Awaited<ReturnType<typeof timed>>[], promptly = 2_000) => {
  answers.forEach(expectAway);
  const times = answers.map(({ took }) => took).toSorted((a, b) => a - b);
  expect(times[Math.floor(times.length / 2)] ?? 0).toBeLessThan(promptly);
};

/** Writes as fast as responses arrive until stopped, each record with a key. */
const writing = (reader: ApiClient, name: string) => {
  const acknowledged = new Map<string, string>();
  const away: Awaited<ReturnType<typeof timed>>[] = [];
  const unanswered: string[] = [];
  let stop = false;
  const done = (async () => {
    for (let i = 0; !stop; i++) {
      const title = `${name} ${i}`;
      const input = await timed(() => reader.post("/api/books", { title }, { "idempotency-key": title }));
      if (input.answer.status === 201) acknowledged.set(title, input.answer.record().id);
      else {
        away.push(input);
        unanswered.push(title);
        await sleep(10);
      }
    }
  })();
  return {
    acknowledged,
    away,
    unanswered,
    stop: async () => {
      stop = true;
      await done;
    },
  };
};

const idsByTitle = async (reader: ApiClient): Promise<ReadonlyMap<string, readonly string[]>> => {
  const found = new Map<string, string[]>();
  for (let after = ""; ; ) {
    const page = (await reader.get(`/api/books?limit=200${after}`)).list();
    for (const { id, title } of page.items) found.set(String(title), [...(found.get(String(title)) ?? []), id]);
    if (page.next === null) return found;
    after = `&after=${page.next}`;
  }
};

/** An acknowledged write exists once; an unacknowledged one exists once after a retry with its key. */
const nothingLost = async (reader: ApiClient, writers: readonly ReturnType<typeof writing>[]) => {
  for (const { unanswered } of writers)
    for (const title of unanswered) (await reader.post("/api/books", { title }, { "idempotency-key": title })).record();
  const found = await idsByTitle(reader);
  for (const { acknowledged, unanswered } of writers) {
    expect(acknowledged.size).toBeGreaterThan(0);
    for (const [title, id] of acknowledged) expect([title, found.get(title)]).toEqual([title, [id]]);
    for (const title of unanswered) expect([title, found.get(title)?.length]).toEqual([title, 1]);
  }
};

describe("when the embedded Postgres is killed", () => {
  let program: Program;
  let reader: ApiClient;
  beforeAll(async () => {
    program = await startProgram({ text: shelf });
    reader = await program.signInAs(null);
  });
  afterAll(() => program.stop());
  const postmaster = () => Number.parseInt(readFileSync(join(program.data, "postgres", "postmaster.pid"), "utf8"), 10);
  const answers = async () => (await reader.get("/readyz")).status === 200;
  /** During a start, the file contains no process id. */
  const startedAnew = (before: number) => {
    try {
      return ![before, Number.NaN].includes(postmaster());
    } catch {
      return false;
    }
  };

  test("requests get 503 within two seconds, it restarts by itself, and no acknowledged write is lost", async () => {
    const writers = [writing(reader, "a"), writing(reader, "b"), writing(reader, "c")];
    await waitUntil(() => writers.every(({ acknowledged }) => acknowledged.size > 5), "all write");
    const before = postmaster();
    // It is back so soon that a request may wait for it instead of getting an error: then it is killed once more.
    do {
      const killed = postmaster();
      process.kill(killed, "SIGKILL");
      await waitUntil(() => startedAnew(killed), "another has been started");
      await waitUntil(answers, "it answers");
    } while (writers.every(({ away }) => away.length === 0));
    const soFar = writers.map(({ acknowledged }) => acknowledged.size);
    await waitUntil(
      () => writers.every(({ acknowledged }, i) => acknowledged.size > (soFar[i] ?? 0) + 5),
      "all write again",
    );
    for (const writer of writers) await writer.stop();
    expect(postmaster()).not.toBe(before);
    expectAllAway(writers.flatMap(({ away }) => away));
    await nothingLost(reader, writers);
    expect(program.output()).toContain("Restarting it…");
  });

  test("several times, it restarts each time, and sessions survive", async () => {
    for (let i = 0; i < 2; i++) {
      const before = postmaster();
      process.kill(before, "SIGKILL");
      await waitUntil(() => startedAnew(before), "another has been started");
      await waitUntil(answers, "it answers");
      expect((await reader.get("/api/books?limit=1")).status).toBe(200);
    }
  });

  test("if one connection dies, the others are replaced too, and the program goes on", async () => {
    const running = await findRunning(program.data);
    const client = new pg.Client({ ...running?.owner });
    await client.connect();
    const [row] = (
      await client
        .query<{ pid: number }>("select pid from pg_stat_activity where usename = 'ninefold_app' limit 1")
        .finally(() => client.end())
    ).rows;
    const backend = row?.pid;
    expect(backend).toBeGreaterThan(1);
    process.kill(Number(backend), "SIGKILL");
    // Postgres might notice late, even after the write, and then closes all connections: callers get an error and retry.
    const retried = async (ask: () => Promise<Answer>): Promise<Answer> => {
      let last = await timed(ask);
      for (; last.answer.status === 503; last = await timed(ask)) {
        expectAway(last);
        await sleep(20);
      }
      return last.answer;
    };
    const key = { "idempotency-key": "after" };
    (await retried(() => reader.post("/api/books", { title: "after" }, key))).record();
    expect((await retried(() => reader.get("/api/books?title=after"))).list().items).toHaveLength(1);
  });
});

/** A proxy to the tests' Postgres that can be cut, with a reset or silently. */
class Way {
  readonly port: number;
  readonly #to: string;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  silent = false;
  /** While shut, the proxy rejects connections and counts them. */
  shut = false;
  came = 0;

  constructor(port: number) {
    const { host, port: own } = inject("postgres");
    this.port = port;
    this.#to = join(host, `.s.PGSQL.${own}`);
  }

  async open(): Promise<void> {
    const server = createServer((from) => {
      this.came += 1;
      if (this.shut) {
        from.destroy();
        return;
      }
      const to = connectTo(this.#to);
      for (const [one, other] of [
        [from, to],
        [to, from],
      ] as const) {
        this.#sockets.add(one);
        one.on("data", (data: Buffer) => {
          if (!this.silent) other.write(data);
        });
        one.on("error", () => undefined);
        one.on("close", () => {
          this.#sockets.delete(one);
          other.destroy();
        });
      }
    });
    this.#server = server;
    server.listen(this.port, "127.0.0.1");
    await once(server, "listening");
  }

  async cut(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = once(server, "close");
    server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

describe("when a database given by address is unreachable", () => {
  let store: TestDatabase;
  let way: Way;
  let address: string;
  let program: Program;
  let reader: ApiClient;
  const PASSWORD = "a good long password";

  beforeAll(async () => {
    store = await database();
    way = new Way(await freePort());
    await way.open();
    const { user } = inject("postgres");
    const name = /\/(test_\w+)/.exec(store.url)?.[1];
    address = `postgresql://${user}@127.0.0.1:${way.port}/${name}`;
    program = await startProgram({ text: shelf, database: address });
    const token = /first=([\w-]{43})/.exec(program.output())?.[1];
    reader = program.visitor();
    const person = { token, name: "Ada", email: "ada@example.com", password: PASSWORD };
    expect((await reader.post("/_/first-administrator", person)).status).toBe(204);
  });
  afterEach(async () => {
    way.silent = false;
    way.shut = false;
    await way.cut();
    await way.open();
  });
  afterAll(async () => {
    await program.stop();
    await way.cut();
    await store.end();
  });

  test("a start waits for a database that is busy, and says so", async () => {
    way.silent = true;
    const args = ["--port", `${await freePort()}`, "--database", address];
    const starting = command(["run", program.file, ...args]);
    const said = (text: string) => waitUntil(() => starting.output().includes(text), starting.output);
    await said("The database does not answer yet. Waiting for it …");
    // Longer than a request waits, and longer than one attempt to connect.
    await sleep(6_000);
    way.silent = false;
    await said(" runs at http://");
    starting.signal("SIGTERM");
    expect((await starting.ended).exit).toBe(0);
  });

  test("every call says so within two seconds, and the same session works when it is back", async () => {
    const { id } = (await reader.post("/api/books", { title: "before" })).record();
    await way.cut();
    for (const ask of [
      () => reader.get("/api/books"),
      () => reader.get(`/api/books/${id}`),
      () => reader.post("/api/books", { title: "lost" }),
      () => reader.patch(`/api/books/${id}`, { title: "changed" }),
      () => reader.get("/_/application"),
      () => reader.get("/_/open-points"),
      () => reader.get("/readyz"),
      () => program.visitor().post("/_/session", { email: "ada@example.com", password: PASSWORD }),
      () => reader.delete("/_/session"),
    ])
      expectAway(await timed(ask));
    await way.open();
    await waitUntil(async () => (await reader.get("/readyz")).status === 200, "it answers");
    expect((await reader.get(`/api/books/${id}`)).record()).toMatchObject({ title: "before", version: 1 });
    expect((await reader.get("/api/books?title=lost")).list().items).toEqual([]);
    expect((await program.signIn("ada@example.com", PASSWORD)).cookie()).not.toBe("");
  });

  test("the page and the health check need no database", async () => {
    await way.cut();
    const page = await timed(() => program.visitor().get("/books"));
    expect([page.answer.status, page.answer.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect((await program.visitor().get("/healthz")).body).toEqual({ ok: true });
    expect((await program.visitor().get("/api/nothing")).status).toBe(404);
  });

  test("a hundred simultaneous requests get their responses promptly", async () => {
    const ask = () => Promise.all(Array.from({ length: 100 }, () => timed(() => reader.get("/api/books"))));
    const usual = Math.max(...(await ask()).map(({ took }) => took));
    await way.cut();
    expectAllAway(await ask(), 2_000 + 3 * usual);
  });

  test("no acknowledged write is lost, however often the connection breaks, and nothing is written twice", async () => {
    const writers = [writing(reader, "x"), writing(reader, "y"), writing(reader, "z")];
    for (let i = 0; i < 4; i++) {
      const soFar = writers.map(({ acknowledged }) => acknowledged.size);
      await waitUntil(
        () => writers.every(({ acknowledged }, one) => acknowledged.size > (soFar[one] ?? 0) + 3),
        "all write",
      );
      await way.cut();
      const told = writers.map(({ away }) => away.length);
      await waitUntil(() => writers.every(({ away }, one) => away.length > (told[one] ?? 0)), "all are told");
      await way.open();
    }
    for (const writer of writers) await writer.stop();
    expectAllAway(writers.flatMap(({ away }) => away));
    await nothingLost(reader, writers);
  });

  test("connections that an administrator terminates are replaced, and at most one response is 503", async () => {
    await Promise.all(Array.from({ length: 6 }, () => reader.get("/api/books?limit=1")));
    await store.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    const answers = await Promise.all(Array.from({ length: 6 }, () => timed(() => reader.get("/api/books?limit=1"))));
    for (const one of answers) if (one.answer.status !== 200) expectAway(one);
    await waitUntil(async () => (await reader.get("/api/books?limit=1")).status === 200, "it answers");
  });

  test("a database that is read-only during a failover gives 503 to writes", async () => {
    const name = /\/(test_\w+)/.exec(store.url)?.[1];
    const set = async (readOnly: string) => {
      await store.query(`alter database ${name} set default_transaction_read_only = ${readOnly}`);
      await way.cut();
      await way.open();
    };
    await set("on");
    expect((await reader.get("/api/books?limit=1")).status).toBe(200);
    expectAway(await timed(() => reader.post("/api/books", { title: "not now" })));
    await store.query(
      `begin; set transaction read write; alter database ${name} reset default_transaction_read_only; commit`,
    );
    await waitUntil(async () => (await reader.post("/api/books", { title: "now" })).status === 201, "it writes again");
  });

  const through = (max: number) =>
    connect({ connection: `postgresql://${inject("postgres").user}@127.0.0.1:${way.port}/postgres`, max });
  const one = { text: "select 1 as one", values: [] };

  test("only few connections are tried, however many requests come, while the database starts", async () => {
    const own = through(4);
    way.shut = true;
    const before = way.came;
    const rounds = 4;
    for (let round = 0; round < rounds; round++) {
      const answers = await Promise.allSettled(Array.from({ length: 200 }, () => own.query(one)));
      for (const answer of answers) expect(answer).toMatchObject({ reason: expect.any(StoreAway) });
    }
    // Usually each of the four connections once, then one in each further round. A slow machine takes longer than the pause
    // after a failure.
    expect(way.came - before).toBeLessThanOrEqual(4 * rounds);
    way.shut = false;
    expect(await Promise.all(Array.from({ length: 200 }, () => own.query(one)))).toHaveLength(200);
    await own.end();
  });

  test("a request that can’t have a connection of its own shares an existing one", async () => {
    const own = through(2);
    const asked = await own.transaction(async (query) => {
      await query(one);
      way.shut = true;
      const before = way.came;
      // Not awaited: it completes when this transaction releases its connection.
      const other = own.query(one);
      await waitUntil(() => way.came > before, "another was tried");
      return { other };
    });
    expect(await asked.other).toEqual([{ one: 1 }]);
    await own.end();
  });

  test("a hanging attempt does not decide for requests that came meanwhile", async () => {
    const own = through(1);
    way.silent = true;
    const before = way.came;
    const early = own.query(one).catch((error: unknown) => error);
    await waitUntil(() => way.came > before, "the first was tried");
    await sleep(600);
    way.silent = false;
    const late = own.query(one).catch((error: unknown) => error);
    expect([await early, await late]).toEqual([expect.any(StoreAway), [{ one: 1 }]]);
    await own.end();
  });

  test("a connection that stops responding is given up, and its query is repeated", async () => {
    const own = connect({
      connection: `postgresql://${inject("postgres").user}@127.0.0.1:${way.port}/postgres`,
      statementTimeout: 1_000,
    });
    const ask = () => own.query({ text: "select 1 as one", values: [] });
    expect(await ask()).toEqual([{ one: 1 }]);
    way.silent = true;
    await expect(ask()).rejects.toThrow(StoreAway);
    await expect(own.transaction((query) => query({ text: "select 1", values: [] }))).rejects.toThrow(StoreAway);
    way.silent = false;
    expect(await ask()).toEqual([{ one: 1 }]);
    await own.end();
  });
});
