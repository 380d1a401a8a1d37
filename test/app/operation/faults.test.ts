import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { connect as connectTo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { fastify } from "fastify";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { DocumentJson } from "../../../src/core/wire/authoring/document.ts";
import type { PreviewsJson } from "../../../src/core/wire/authoring/previews.ts";
import { type Embedded, startEmbedded, toConnectionUrl } from "../../../src/postgres/embedded/index.ts";
import { servePage } from "../../../src/server/pages/spa.ts";
import { freePort, type Program, scratch, serveText, startProgram, type TestServer } from "../program.ts";
import { fillDisk, mountSmallDisk } from "./small-disk.ts";

/*
 * Faults of the environment during writes. `npm run faults` runs a long version and writes its results to
 * docs/evidence/faults.json; the test suite runs a short one.
 */
const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 3);
const WRITERS = 32;
/** Two seconds in milliseconds; more in the test suite, where the machine is slow. */
const AT_ONCE = process.env.FAULT_ROUNDS === undefined ? 5_000 : 2_000;

const shelf = `
# Shelf

## 3. Entities and their fields
\`\`\`yaml
Book: { fields: { title: { type: text, max: 200 } } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { Book: { read: [member], create: [member], update: [member], delete: [member] } }
\`\`\`
`;

const PASSWORD = "correct horse battery";
const ORIGIN = "http://127.0.0.1:1";

interface Told {
  readonly status: number;
  /** Since the request or the last kill, whichever was later; slowness alone is no fault. */
  readonly ms: number;
}

/** Time of the last kill. */
let killedAt = 0;

/** Writes continuously: each title is sent with its key until a server acknowledges it. */
class Writer {
  readonly acknowledged = new Map<string, string>();
  readonly refused: Told[] = [];
  sent = 0;
  #on = true;
  readonly #done: Promise<void>;
  constructor(name: string, servers: () => readonly string[], cookie: string) {
    this.#done = this.#write(name, servers, cookie);
  }

  async #write(name: string, servers: () => readonly string[], cookie: string): Promise<void> {
    for (let count = 0; this.#on; count++) {
      const title = `${name} ${count}`;
      const key = randomUUID();
      for (let tried = 0; ; tried++) {
        const all = servers();
        const url = all[(count + tried) % all.length];
        if (url === undefined) throw new Error("no server to ask");
        const told = await this.#send(url, title, key, cookie);
        if (told) break;
        await sleep(20 + randomInt(60));
      }
    }
  }

  async #send(url: string, title: string, key: string, cookie: string): Promise<boolean> {
    const from = performance.now();
    this.sent++;
    try {
      const response = await fetch(`${url}/api/books`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": key, cookie },
        body: JSON.stringify({ title }),
      });
      const text = await response.text();
      if (response.status === 201) {
        this.acknowledged.set(title, (JSON.parse(text) as { readonly id: string }).id);
        return true;
      }
      this.refused.push({ status: response.status, ms: performance.now() - Math.max(from, killedAt) });
      return false;
    } catch {
      // After a broken connection the outcome is unknown, so the request is repeated with its key.
      return false;
    }
  }

  stop(): Promise<void> {
    this.#on = false;
    return this.#done;
  }
}

const until = async (holds: () => boolean | Promise<boolean>, what: string, patience = 80_000): Promise<number> => {
  const from = performance.now();
  while (!(await holds())) {
    if (performance.now() - from > patience) throw new Error(`in vain: ${what}`);
    await sleep(10);
  }
  return performance.now() - from;
};

/** A machine that pauses makes some times long, and the median none. */
const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

interface Round {
  readonly killed: "database" | "server";
  /** From the kill until every writer had a later request acknowledged. */
  readonly recovered: number;
}

const evidence: Record<string, unknown> = {};
const file = fileURLToPath(new URL("../../../docs/evidence/faults.json", import.meta.url));
afterAll(async () => {
  if (process.env.FAULT_ROUNDS === undefined) return;
  const about = { measured: new Date().toISOString().slice(0, 10), node: process.version, unit: "milliseconds" };
  await writeFile(file, `${JSON.stringify({ ...about, ...evidence }, null, 2)}\n`);
});

describe(`${WRITERS} writers on two servers of one database, each of which is killed at random moments`, () => {
  let folder: string;
  let store: Embedded;
  let owner: pg.Pool;
  const servers: Program[] = [];
  let text: string;
  const urls = () => servers.map(({ port }) => `http://127.0.0.1:${port}`);
  const start = async (port: number) =>
    startProgram({
      file: text,
      database: toConnectionUrl(store.app),
      port,
      args: ["--owner", toConnectionUrl(store.owner), "--origin", ORIGIN, "--no-sample"],
    });
  let cookie: string;
  beforeAll(async () => {
    folder = await scratch();
    text = join(folder, "shelf.md");
    await writeFile(text, shelf);
    store = await startEmbedded({ folder: join(folder, "data"), name: "faults", demonstration: false });
    owner = new pg.Pool({ ...store.owner, max: 1 });
    owner.on("error", () => undefined);
    servers.push(await start(await freePort()));
    const token = /first=([\w-]{43})/.exec(servers[0]?.output() ?? "")?.[1];
    const created = await fetch(`${urls()[0]}/_/first-administrator`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token, name: "Ada", email: "ada@example.com", password: PASSWORD }),
    });
    cookie = created.headers.get("set-cookie")?.split(";")[0] ?? "";
    servers.push(await start(await freePort()));
  }, 120_000);
  afterAll(async () => {
    for (const server of servers) await server.stop();
    await owner?.end();
    await store?.stop();
  });
  const postmaster = () => Number.parseInt(readFileSync(join(store.folder, "postgres", "postmaster.pid"), "utf8"), 10);

  test(
    "keep every acknowledged write with exactly one line of history, none twice, and the application recovers by itself",
    async () => {
      const writers = Array.from({ length: WRITERS }, (_, i) => new Writer(`Writer ${i}`, urls, cookie));
      const counts = () => writers.map(({ acknowledged }) => acknowledged.size);
      const rounds: Round[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        await sleep(300 + randomInt(900));
        const killed = round % 2 === 0 ? "database" : "server";
        const before = counts();
        killedAt = performance.now();
        if (killed === "database") process.kill(postmaster(), "SIGKILL");
        else {
          const at = randomInt(servers.length);
          const deleted = servers[at];
          deleted?.signal("SIGKILL");
          await deleted?.ended;
          servers.splice(at, 1);
        }
        const recovered = await until(
          () => counts().every((count, i) => count > (before[i] ?? 0) + 1),
          "everybody writes again",
        );
        rounds.push({ killed, recovered: Math.round(recovered) });
        if (killed === "server") servers.push(await start(await freePort()));
      }
      await Promise.all(writers.map((writer) => writer.stop()));

      const { rows } = await owner.query<{ title: string; ids: string[]; lines: number }>(
        `select b.title, array_agg(b.id::text) as ids, sum((select count(*) from ninefold.audit a where a.record = b.id and a.action = 'create'))::int as lines
         from app.book b group by b.title`,
      );
      const there = new Map(rows.map((row) => [row.title, row]));
      const acknowledged = writers.flatMap((writer) => [...writer.acknowledged]);
      const lost = acknowledged.filter(([title, id]) => there.get(title)?.ids.includes(id) !== true);
      const twice = rows.filter(({ ids }) => ids.length > 1).map(({ title }) => title);
      const told = rows.filter(({ lines }) => lines !== 1).map(({ title }) => title);
      const refused = writers.flatMap((writer) => writer.refused);
      const other = [...new Set(refused.map(({ status }) => status))].filter((status) => status !== 503);
      const slowest = Math.round(Math.max(0, ...refused.map(({ ms }) => ms)));
      evidence.killed = {
        writers: WRITERS,
        servers: 2,
        rounds,
        sent: writers.reduce((sum, { sent }) => sum + sent, 0),
        acknowledged: acknowledged.length,
        lost: lost.length,
        twice: twice.length,
        "without exactly one line": told.length,
        "answered 503": refused.length,
        "slowest 503 after it was sent or after the kill": slowest,
      };
      expect({ lost, twice, told, other }).toEqual({ lost: [], twice: [], told: [], other: [] });
      expect(rows).toHaveLength(acknowledged.length);
      expect(median(refused.map(({ ms }) => ms))).toBeLessThan(AT_ONCE);
    },
    60_000 + ROUNDS * 30_000,
  );
});

/** Incompressible text. */
const noise = () => randomBytes(50_000).toString("base64");

const disk = await mountSmallDisk(140);
afterAll(() => disk?.remove());

describe.skipIf(disk === undefined)("on a disk that fills up (skipped where none can be made)", () => {
  test("writes get 503, reads go on or get 503, and all acknowledged writes are there when there is space again", async () => {
    const folder = disk?.folder ?? "";
    const program = await startProgram({ text: shelf, data: join(folder, "data"), args: ["--no-sample"] });
    const token = /first=([\w-]{43})/.exec(program.output())?.[1];
    const ada = program.visitor();
    const person = { token, name: "Ada", email: "ada@example.com", password: PASSWORD };
    expect((await ada.post("/_/first-administrator", person)).status).toBe(204);
    const acknowledged: string[] = [];
    const write = async () => {
      const answer = await ada.post("/api/books", { title: `Book ${acknowledged.length} ${"x".repeat(150)}` });
      if (answer.status === 201) acknowledged.push(answer.record().id);
      return answer;
    };
    for (let i = 0; i < 20; i++) expect((await write()).status).toBe(201);
    // A copy for a preview could fill the disk, and Postgres would stop for everybody: it does not begin.
    const ballast = join(folder, "ballast");
    await fillDisk(folder, "ballast", 64 * 1024 * 1024);
    const { hash, files } = (await ada.get("/_/document")).body as DocumentJson;
    const draft = files.map(({ file, text }) => ({ file, text: text.replace("max: 200", "max: 300") }));
    expect((await ada.post("/_/previews", { base: hash, files: draft })).status).toBe(202);
    const failed = async () => ((await ada.get("/_/previews")).body as PreviewsJson).failed;
    await expect.poll(failed).toContain("There is not enough disk space for a copy of the database.");
    await fillDisk(folder, "ballast");
    const seen = new Set<number>();
    let slowest = 0;
    for (let i = 0; i < 4_000 && !seen.has(503); i++) {
      const from = performance.now();
      seen.add((await write()).status);
      slowest = Math.max(slowest, performance.now() - from);
    }
    const reading = (await ada.get("/api/books?limit=1")).status;
    await rm(ballast);
    const recovered = await until(async () => (await write()).status === 201, "it writes again", 60_000);
    evidence["disk full"] = {
      answered: [...seen].toSorted(),
      "slowest answer": Math.round(slowest),
      reading,
      recovered: Math.round(recovered),
    };
    expect([...seen].filter((status) => status !== 201 && status !== 503)).toEqual([]);
    expect(seen.has(503)).toBe(true);
    expect([200, 503]).toContain(reading);
    for (const id of acknowledged) expect((await ada.get(`/api/books/${id}`)).status).toBe(200);
    expect((await program.stop()).exit).toBe(0);
  }, 180_000);
});

describe("hostile traffic", () => {
  let program: Program;
  let cookie: string;
  beforeAll(async () => {
    program = await startProgram({ text: shelf });
    cookie = (await program.signInAs(null)).cookie();
  });
  const head = (length: number | null) =>
    `POST /api/books HTTP/1.1\r\nhost: 127.0.0.1:${program.port}\r\ncookie: ${cookie}\r\ncontent-type: application/json\r\n${length === null ? "transfer-encoding: chunked" : `content-length: ${length}`}\r\n\r\n`;
  const memory = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${program.pid}/status`, "utf8"))?.[1] ?? 0) / 1024;

  test.each([
    ["with its length", 100_000_000, Buffer.alloc(1_000_000, "x")],
    ["in chunks", null, Buffer.from(`f4240\r\n${"x".repeat(1_000_000)}\r\n`)],
  ])("with a body of 100 MB %s gets a refusal that arrives, and takes no memory", async (_, length, part) => {
    const before = memory();
    const from = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const socket = connectTo(program.port, "127.0.0.1");
        let output = "";
        socket.setEncoding("utf8").on("data", (part: string) => {
          output += part;
        });
        socket.on("error", () => undefined);
        const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
        socket.write(head(length));
        for (let i = 0; i < 100 && !socket.destroyed && socket.writable; i++) {
          if (!socket.write(part))
            await Promise.race([new Promise((go) => socket.once("drain", go)), closed, sleep(200)]);
        }
        // The answer follows the end of the body, or ten seconds later if there is none.
        if (length === null && !socket.destroyed) socket.write("0\r\n\r\n");
        await Promise.race([closed, until(() => output !== "", "an answer")]);
        socket.destroy();
        await closed;
        return output.split("\r\n")[0];
      }),
    );
    evidence[`body of 100 MB${length === null ? " in pieces" : ""}`] = {
      answered: answers[0],
      took: Math.round(performance.now() - from),
    };
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(memory() - before).toBeLessThan(60);
  });

  test("from two hundred clients that send a byte now and then delays nobody else", async () => {
    const slow = Array.from({ length: 200 }, () => {
      const socket = connectTo(program.port, "127.0.0.1");
      socket.on("error", () => undefined);
      socket.write(`${head(1_000)}{`);
      return socket;
    });
    const dribbling = setInterval(() => {
      for (const socket of slow) socket.write(" ");
    }, 50);
    const reader = await program.signInAs(null);
    const times: number[] = [];
    for (let i = 0; i < 20; i++) {
      const from = performance.now();
      expect((await reader.get("/api/books?limit=1")).status).toBe(200);
      times.push(performance.now() - from);
    }
    clearInterval(dribbling);
    for (const socket of slow) socket.destroy();
    evidence["two hundred slow clients"] = { "slowest answer to others": Math.round(Math.max(...times)) };
    expect(median(times)).toBeLessThan(2_000);
  });

  test.each([
    ["{", "400 MALFORMED"],
    ["[]", "400 MALFORMED"],
    ['{"title": "x"', "400 MALFORMED"],
    ['"\\ud800', "400 MALFORMED"],
    ["nul", "400 MALFORMED"],
  ])("with a malformed body gets 400: %s", async (raw, code) => {
    const somebody = await program.signInAs(null);
    const answer = await somebody.send("POST", "/api/books", undefined, {
      raw,
      headers: { "content-type": "application/json" },
    });
    expect(`${answer.status} ${answer.problem().code}`).toBe(code);
  });

  test("with a foreign page token gets 400", async () => {
    const somebody = await program.signInAs(null);
    for (const after of ["elsewhere", "e30", "WyJ4Il0", "a".repeat(3_000), "%00"])
      expect([400, 414, 431]).toContain((await somebody.get(`/api/books?after=${after}`)).status);
  });
});

test.each([
  ["uncompressed", {}],
  ["compressed", { "accept-encoding": "gzip" }],
])("whose reader leaves a page sent %s stops further queries", async (_, headers) => {
  const root = await scratch();
  await writeFile(join(root, "index.html"), "<html><body></body></html>");
  let input = 0;
  let ended = false;
  const app = fastify();
  onTestFinished(() => app.close());
  const page = await servePage(app, root, async function* () {
    try {
      // More than all buffers on the way.
      for (; ; input++)
        yield { address: "/api/books", language: "en", chosen: false, status: 200, headers: {}, body: noise() };
    } finally {
      ended = true;
    }
  });
  app.get("/", page);
  const { port } = new URL(await app.listen({ host: "127.0.0.1", port: 0 }));
  const socket = connectTo(Number(port), "127.0.0.1");
  socket.on("error", () => undefined);
  const asked = Object.entries({ host: "here", accept: "text/html", ...headers }).map(
    ([name, of]) => `${name}: ${of}\r\n`,
  );
  socket.write(`GET / HTTP/1.1\r\n${asked.join("")}\r\n`);
  await once(socket, "data");
  expect(ended).toBe(false);
  socket.destroy();
  await until(() => ended, "the page is given up");
  expect(input).toBeGreaterThan(0);
});

describe("a jump of the clock", () => {
  let served: TestServer;
  beforeAll(async () => {
    served = await serveText(shelf);
  });
  const HOUR = 3_600_000;

  test("by a day back or forward: records stay, versions still guard, and only expired sessions end", async () => {
    const ada = await served.person("Ada");
    const { id } = (await ada.post("/api/books", { title: "now" })).record();
    for (const hours of [-24, -1, 0, 11]) {
      served.ahead(hours * HOUR);
      expect((await ada.get(`/api/books/${id}`)).status).toBe(200);
      expect((await ada.post("/api/books", { title: `at ${hours}` })).status).toBe(201);
      const { version } = (await ada.get(`/api/books/${id}`)).record();
      const changed = await ada.patch(`/api/books/${id}`, { title: `then ${hours}` }, { "if-match": `"${version}"` });
      expect(changed.record().version).toBe(version + 1);
      expect((await ada.patch(`/api/books/${id}`, { title: "late" }, { "if-match": `"${version}"` })).status).toBe(412);
    }
    served.ahead(13 * HOUR);
    expect((await ada.get("/api/books")).problem().code).toBe("NOT_SIGNED_IN");
    served.ahead(0);
    expect((await ada.get("/api/books?count=true")).list().count).toBe(5);
    expect((await ada.get(`/api/books/${id}/history`)).history()).toHaveLength(5);
    evidence["clock that jumps"] = "nothing lost; sessions end by it and come back with it";
  });

  test("does not reuse an idempotency key: a repetition creates one record", async () => {
    const ada = await served.person("Grace");
    const keys: string[] = [];
    for (const hours of [0, -24, 5]) {
      served.ahead(hours * HOUR);
      keys.push((await ada.post("/api/books", { title: "once" }, { "idempotency-key": "one" })).record().id);
    }
    served.ahead(0);
    expect(new Set(keys).size).toBe(1);
  });
});
