import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { request as ask } from "node:http";
import { connect as connectTo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { beforeAll, describe, expect, test } from "vitest";
import type { DocumentJson } from "../../../src/core/wire/authoring/document.ts";
import { database, type TestDatabase } from "../../postgres.ts";
import { type ApiClient, type Program, scratch, startProgram } from "../program.ts";

/*
 * Attacks on a running program by strangers and by one user that try to delay all others. Meanwhile `/healthz` is
 * polled and another user works. `npm run faults` compares the figures with the promised ones on an idle machine; the
 * test suite, which runs under load, uses limits that only a defect exceeds. There, the time in which the program could
 * run but other processes had the processor is not the program's, as far as the system counts it (Linux does).
 */
const QUIET = process.env.FAULT_ROUNDS !== undefined;
/** Maximum response times in milliseconds. */
const ALIVE = QUIET ? 100 : 1_500;
/** When the processor itself is overloaded. */
const CROWDED = QUIET ? 500 : 1_500;
const SERVED = QUIET ? 1_000 : 5_000;

const notes = `
# Notes

## 3. Entities and their fields
\`\`\`yaml
Note:
  fields:
    title: text
    body:  long text?
    more:  long text?
    paper: file?
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { Note: { read: [member], create: [member], update: [member] } }
\`\`\`

## 9. Business constants and limits
\`\`\`yaml
upload_size: 2 MB
\`\`\`
`;

const PASSWORD = "correct horse battery";
const ROWS = 120_000;

/** The address of a server in a process of its own that answers every request at once. */
let control: string;
let store: TestDatabase;
let program: Program;
let ada: ApiClient;
const people = new Map<string, ApiClient>();

const CONTROL = `
  const server = require("node:http").createServer((request, response) => response.end());
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

beforeAll(async () => {
  const idle = spawn(process.execPath, ["-e", CONTROL], { stdio: ["ignore", "pipe", "inherit"] });
  const [port] = await once(idle.stdout, "data");
  control = `http://127.0.0.1:${String(port).trim()}`;
  return () => void idle.kill();
});

beforeAll(async () => {
  store = await database();
  const file = join(await scratch(), "password");
  await writeFile(file, PASSWORD);
  program = await startProgram({
    text: notes,
    database: store.appUrl,
    args: ["--owner", store.url, "--admin-email", "ada@example.com", "--admin-password-file", file],
  });
  ada = await program.signIn("ada@example.com", PASSWORD);
  for (const name of ["ben", "mia"]) {
    const created = await ada.post("/_/people", { name, email: `${name}@example.com`, roles: [] });
    const { link } = created.body as { readonly link: string };
    const person = program.visitor();
    await person.post("/_/password", { token: link.split("password=")[1], password: PASSWORD });
    people.set(name, person);
  }
  // No index serves the search; it would be built an hour later.
  await store.query(
    `insert into app.note (id, version, created_at, updated_at, title, body, more)
     select uuidv7(), 1, now(), now(), 'Note ' || n, repeat(md5(n::text) || ' ', 8), repeat(md5((n + 1)::text) || ' ', 8) from generate_series(1, ${ROWS}) n`,
  );
  await store.query("analyze app.note");
});

const person = (name: string): ApiClient => {
  const found = people.get(name);
  if (found === undefined) throw new Error(`nobody is called ${name}`);
  return found;
};

interface Watched {
  /** The slowest response times in milliseconds. */
  readonly health: number;
  /** The slowest of `/healthz`, without the program's wait for a processor. */
  readonly own: number;
  readonly other: number;
  /** The slowest of a server that does nothing else: how long this machine paused or was busy. */
  readonly control: number;
  /** Status codes of other clients' responses, with their counts. */
  readonly codes: Readonly<Record<string, number>>;
}

/** Polls `/healthz` and works as Ben until stopped, in a thread apart from the attack. */
const WATCHER = `
  const { readFileSync } = require("node:fs");
  const { parentPort, workerData: { url, cookie, pid, control } } = require("node:worker_threads");
  /** Milliseconds that the program's main thread has waited for a processor. */
  const waited = () => {
    try {
      return Number(readFileSync("/proc/" + pid + "/task/" + pid + "/schedstat", "utf8").split(" ")[1]) / 1e6;
    } catch {
      return 0;
    }
  };
  let isOver = false;
  parentPort.once("message", () => { isOver = true; });
  const seen = { health: 0, own: 0, other: 0, control: 0, codes: {} };
  const headers = { cookie, "content-type": "application/json" };
  const timed = async (what, path, body) => {
    const from = performance.now();
    const before = waited();
    const answer = await fetch((what === "control" ? control : url) + path, { headers, ...(body ? { method: "POST", body } : {}) });
    const text = await answer.text();
    const took = performance.now() - from;
    seen[what] = Math.max(seen[what], Math.round(took));
    if (what === "health") seen.own = Math.max(seen.own, Math.round(took - (waited() - before)));
    seen.codes[answer.status] = (seen.codes[answer.status] ?? 0) + 1;
    return text;
  };
  const pause = () => new Promise((go) => setTimeout(go, 10));
  const begin = async () => {
    const { id } = JSON.parse(await timed("other", "/api/notes?limit=1")).items[0];
    Object.assign(seen, { health: 0, own: 0, other: 0, control: 0, codes: {} });
    parentPort.postMessage("begun");
    await Promise.all([
      (async () => { while (!isOver) { await timed("health", "/healthz"); await pause(); } })(),
      (async () => { while (!isOver) { await timed("control", "/"); await pause(); } })(),
      (async () => {
        while (!isOver) {
          await timed("other", "/api/notes/" + id);
          await timed("other", "/api/notes?limit=5");
          await timed("other", "/api/notes", JSON.stringify({ title: "Ben's" }));
          await pause();
        }
      })(),
    ]);
    parentPort.postMessage(seen);
  };
  void begin();
`;

/** Observes other clients during an attack and shortly after it. */
const watched = async (attack: () => Promise<unknown>): Promise<Watched> => {
  const watcher = new Worker(WATCHER, {
    eval: true,
    workerData: { url: program.url, cookie: person("ben").cookie(), pid: program.pid, control },
  });
  await once(watcher, "message");
  const seen = once(watcher, "message");
  await Promise.all([attack(), sleep(500)]);
  watcher.postMessage("over");
  const [found] = (await seen) as [Watched];
  return found;
};

const expectServed = (name: string, { health, own, other, control, codes }: Watched, alive = ALIVE): void => {
  if (QUIET) console.log(name, { health, own, other, control, codes });
  expect(Object.keys(codes).toSorted()).toEqual(["200", "201"]);
  // An answer passes through the program and Postgres, which the machine can both delay as long as the control.
  const delay = QUIET ? 0 : 4 * control;
  expect(QUIET ? health : own).toBeLessThan(alive + delay);
  const served = Math.max(SERVED, alive);
  expect(health).toBeLessThan(served + delay);
  expect(other).toBeLessThan(served + delay);
};

/** Sends bytes from a separate client; returns the status, or 0 for a closed connection. */
const send = (path: string, body: Buffer, headers: Readonly<Record<string, string>> = {}): Promise<number> =>
  new Promise((resolve) => {
    const request = ask(
      `${program.url}${path}`,
      { method: "POST", agent: false, headers: { "content-type": "application/json", ...headers } },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    );
    request.on("error", () => resolve(0));
    request.end(body);
  });

const MB = 1024 * 1024;
/** As many fields as a signed-in client may send. */
const wide = Buffer.from(`{${Array.from({ length: 19_000 }, (_, i) => `"f${i}":1`).join()}}`);

describe("strangers do not slow down others when they send", () => {
  test.each(["/_/document/plan", "/_/document"])("drafts of 24 MB with endless nesting: %s", async (path) => {
    const deep = Buffer.alloc(24 * MB - 1, "[");
    const statuses: number[] = [];
    const seen = await watched(async () => {
      statuses.push(...(await Promise.all(Array.from({ length: 8 }, () => send(path, deep)))));
    });
    expect(statuses.filter((status) => status !== 0)).toEqual(statuses.filter((status) => status === 401));
    expectServed(`eight drafts to ${path}`, seen);
  });

  test("bodies of a megabyte, deep and wide, to every call that accepts one", async () => {
    const deep = Buffer.alloc(MB - 1, "[");
    const statuses = new Set<number>();
    const seen = await watched(async () => {
      for (let round = 0; round < 5; round++)
        for (const path of ["/_/session", "/api/notes", "/_/password", "/_/first-administrator"])
          for (const body of [deep, wide])
            for (const status of await Promise.all(Array.from({ length: 4 }, () => send(path, body))))
              statuses.add(status);
    });
    expect([...statuses]).toEqual([413]);
    expectServed("bodies of a megabyte", seen);
  });

  test("eighty guesses at once at the first administrator’s link and at passwords", async () => {
    const statuses = new Map<number, number>();
    const signIn = (cookie: string) =>
      fetch(`${program.url}/_/session`, {
        method: "POST",
        headers: { "content-type": "application/json", cookie },
        body: JSON.stringify({ email: "ada@example.com", password: PASSWORD }),
      });
    const device = (await signIn("")).headers.getSetCookie()[1]?.split(";")[0] ?? "";
    const seen = await watched(async () => {
      const guesses = Array.from({ length: 160 }, (_, i) =>
        i % 2 === 0
          ? send(
              "/_/first-administrator",
              Buffer.from(JSON.stringify({ token: `${i}`, name: "Eve", email: "eve@example.com", password: PASSWORD })),
            )
          : send("/_/session", Buffer.from(JSON.stringify({ email: "ada@example.com", password: `wrong ${i}` }))),
      );
      // Meanwhile the attacked person can sign in with a browser used before.
      expect((await signIn(device)).status).toBe(204);
      for (const status of await Promise.all(guesses)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    });
    expect([...statuses.keys()].every((status) => [401, 403, 429].includes(status))).toBe(true);
    expectServed("guesses", seen);
    const { rows } = await store.query("select count(*)::int as n from ninefold.attempt");
    expect(Number(rows[0]?.n)).toBeLessThan(10);
  });

  test("six hundred simultaneous requests without permission", async () => {
    const seen = await watched(() =>
      Promise.all(Array.from({ length: 600 }, () => fetch(`${program.url}/api/notes`).then((answer) => answer.text()))),
    );
    expectServed("six hundred strangers", seen, CROWDED);
  });
});

describe("one signed-in person does not slow down others when they", () => {
  test("search a hundred and twenty thousand records, eight requests at a time", async () => {
    const mia = person("mia");
    const statuses = new Map<number, number>();
    const seen = await watched(async () => {
      const end = performance.now() + 1_000;
      const search = async () => {
        while (performance.now() < end) {
          const { status } = await mia.get("/api/notes?count=true&search=neither");
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      };
      await Promise.all(Array.from({ length: 8 }, search));
    });
    expectServed("eight searches", seen, CROWDED);
    expect([...statuses.keys()].every((status) => status === 200 || status === 503)).toBe(true);
    expect(statuses.get(200)).toBeGreaterThan(0);
  });

  test("upload files without pause", async () => {
    const cookie = person("mia").cookie();
    const bytes = Buffer.alloc(1_900_000, "x");
    const statuses = new Map<number, number>();
    const seen = await watched(async () => {
      const sent = Array.from({ length: 40 }, () =>
        send("/_/files?name=x", bytes, { "content-type": "application/octet-stream", cookie }),
      );
      for (const status of await Promise.all(sent)) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    });
    expectServed("forty files", seen);
    expect(statuses.get(201)).toBeLessThanOrEqual(8);
    const { rows } = await store.query("select coalesce(sum(length(bytes)), 0)::int as n from ninefold.file_chunk");
    expect(Number(rows[0]?.n)).toBeLessThanOrEqual(16_000_000);
  });

  test("send the maximum number of values, eight requests at a time", async () => {
    const mia = person("mia");
    const seen = await watched(async () => {
      for (let round = 0; round < 3; round++)
        await Promise.all(Array.from({ length: 8 }, () => send("/api/notes", wide, { cookie: mia.cookie() })));
    });
    expectServed("wide bodies of a person", seen);
  });
});

describe("an administrator does not slow down others when they", () => {
  /** The notes with thousands of screens, each with a condition: a megabyte where the figures are recorded. */
  const large = (page: number): string => {
    const screens = Array.from(
      { length: QUIET ? 8_000 : 3_000 },
      (_, i) =>
        `/notes-${i}: { list: Note, where: "title > 'Note ${i}' && title < 'Note ${i + page}' && body != null", columns: [title, body] }`,
    );
    return notes.replace("## 3.", `## 2. Screens\n\`\`\`yaml\n${screens.join("\n")}\n\`\`\`\n\n## 3.`);
  };

  test("publish a document of a megabyte, and change it", { timeout: 120_000 }, async () => {
    const versions: unknown[] = [];
    let longest = 0;
    const seen = await watched(async () => {
      for (const page of [100, 200]) {
        const { hash, files } = (await ada.get("/_/document")).body as DocumentJson;
        const changed = files.map(({ file }) => ({ file, text: large(page) }));
        const from = performance.now();
        versions.push((await ada.post("/_/document", { base: hash, files: changed })).body);
        longest = Math.max(longest, performance.now() - from);
      }
    });
    expect(versions).toMatchObject([{ version: 2 }, { version: 3 }]);
    // On a machine that is short of processors everything is slow; others never wait for a whole publication.
    expectServed("a document of a megabyte", seen, QUIET ? ALIVE : Math.max(ALIVE, longest / 2));
  });
});

test.skipIf(!QUIET)(
  "a client that sends a request slowly, or none, is disconnected after half a minute",
  { timeout: 120_000 },
  async () => {
    const head = (path: string, more: string) => `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${more}`;
    const json = "content-type: application/json\r\ncontent-length: 1000\r\n\r\n{";
    const starts = {
      nothing: "",
      headers: head("/_/session", "x-slow: "),
      body: head("/_/session", json),
      draft: head("/_/document", json),
      file: head("/_/files?name=x", "content-type: text/plain\r\ncontent-length: 1000\r\n\r\nx"),
    };
    const took = await Promise.all(
      Object.entries(starts).map(async ([name, start]) => {
        const socket = connectTo(program.port, "127.0.0.1");
        socket.on("error", () => undefined).resume();
        const from = performance.now();
        const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
        if (start !== "") socket.write(start);
        const slowly = setInterval(() => start !== "" && !socket.destroyed && socket.write(" "), 1_000);
        await closed;
        clearInterval(slowly);
        return [name, Math.round((performance.now() - from) / 1_000)] as const;
      }),
    );
    console.log("closed after seconds", Object.fromEntries(took));
    for (const [, seconds] of took) expect(seconds).toBeLessThanOrEqual(33);
  },
);
