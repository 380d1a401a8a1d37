import { randomInt, randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { parsePosition } from "../../../src/postgres/standbys.ts";
import { copyServer, createServerFiles, followPrimary, PostgresServer } from "../../replication.ts";
import { freePort, type Program, scratch, startProgram } from "../program.ts";

/*
 * A failover drill: a primary with two standbys, two servers, 32 writers and 8 readers. The primary is killed, and the
 * standby that has received most is promoted. `npm run drill` runs many rounds and writes docs/evidence/drill.json.
 */
const ROUNDS = Number(process.env.DRILL_ROUNDS ?? 0);
const WRITERS = 32;
const READERS = 8;

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

const ORIGIN = "http://127.0.0.1:1";
const ROLE = { app: "ninefold_app", owner: "ninefold_owner" };

/** The address of all servers, of which one accepts writes. */
const addressOf = (servers: readonly PostgresServer[], role: string): string =>
  `postgresql://${role}@${servers.map(({ port }) => `127.0.0.1:${port}`).join()}/ninefold?target_session_attrs=read-write`;

const startServer = async (file: string, servers: readonly PostgresServer[], replicas: readonly PostgresServer[]) => {
  const { owner, app } = ROLE;
  const named = replicas.flatMap(({ url }) => ["--replica", url]);
  const args = ["--owner", addressOf(servers, owner), "--origin", ORIGIN, "--no-sample", ...named];
  return startProgram({ file, database: addressOf(servers, app), port: await freePort(), args });
};

/** Requests that are sent one after another until `stop`. */
class Client {
  readonly acknowledged = new Map<string, { readonly id: string; readonly at: number }>();
  refused = 0;
  answered = 0;
  #on = true;
  readonly #done: Promise<void>;

  constructor(work: (client: Client) => Promise<void>) {
    this.#done = (async () => {
      while (this.#on) await work(this);
    })();
  }

  get isOn(): boolean {
    return this.#on;
  }

  stop(): Promise<void> {
    this.#on = false;
    return this.#done;
  }
}

const writer = (name: string, urls: readonly string[], cookie: string): Client => {
  let count = 0;
  return new Client(async (client) => {
    const title = `${name} ${count++}`;
    const key = randomUUID();
    for (let tried = 0; client.isOn; tried++) {
      const response = await fetch(`${urls[(count + tried) % urls.length]}/api/books`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": key, cookie },
        body: JSON.stringify({ title }),
      }).catch(() => undefined);
      const body = (await response?.json().catch(() => undefined)) as { readonly id: string } | undefined;
      if (response?.status === 201 && body !== undefined) {
        client.acknowledged.set(title, { id: body.id, at: performance.now() });
        return;
      }
      client.refused++;
      await sleep(20 + randomInt(60));
    }
  });
};

const reader = (name: number, urls: readonly string[], cookie: string): Client => {
  let count = name;
  return new Client(async (client) => {
    const address = `${urls[count++ % urls.length]}/api/books?limit=20`;
    const response = await fetch(address, { headers: { cookie } }).catch(() => undefined);
    await response?.text();
    if (response?.status === 200) client.answered++;
    else client.refused++;
    await sleep(20 + randomInt(20));
  });
};

interface Round {
  readonly acknowledged: number;
  readonly lost: number;
  readonly twice: number;
  /** Seconds between the last acknowledged write before the promotion and the first after it. */
  readonly "seconds without writes": number;
  readonly "seconds from promotion to the first write": number;
  readonly "reads answered": number;
  readonly "reads refused": number;
}

/** Ends of each server's log as far as it was received, to promote the one that has most. */
const received = async (server: PostgresServer): Promise<bigint> => {
  const [row] = await server.query("select pg_last_wal_receive_lsn()::text as position");
  return parsePosition(String(row?.position));
};

const seconds = (milliseconds: number): number => Math.round(milliseconds / 10) / 100;

describe.skipIf(ROUNDS === 0)("a failover", () => {
  const evidence: Record<string, unknown> = {};
  const file = fileURLToPath(new URL("../../../docs/evidence/drill.json", import.meta.url));
  afterAll(async () => {
    const about = { measured: new Date().toISOString().slice(0, 10), node: process.version };
    const setting = { writers: WRITERS, readers: READERS, servers: 2, standbys: 2, "detected after seconds": 1 };
    await writeFile(file, `${JSON.stringify({ ...about, ...setting, ...evidence }, null, 2)}\n`);
  });

  test.each(["synchronous", "asynchronous"] as const)(
    "with %s standbys: connections move by themselves",
    async (kind) => {
      const folder = await scratch();
      const document = join(folder, "shelf.md");
      await writeFile(document, shelf);
      const files = await createServerFiles(join(folder, "files"));
      const cookie = await prepare(files.cluster, document);
      const rounds: Round[] = [];
      for (let round = 0; round < ROUNDS; round++)
        rounds.push(await runRound(kind, { files, folder: join(folder, `round-${round}`), document, cookie }));
      const most = (name: keyof Round) => Math.max(...rounds.map((one) => one[name]));
      const sum = (name: keyof Round) => rounds.reduce((all, one) => all + one[name], 0);
      evidence[kind] = {
        rounds: ROUNDS,
        acknowledged: sum("acknowledged"),
        lost: sum("lost"),
        twice: sum("twice"),
        "most seconds without writes": most("seconds without writes"),
        "most seconds from promotion to the first write": most("seconds from promotion to the first write"),
        "reads answered": sum("reads answered"),
        "reads refused": sum("reads refused"),
        each: rounds,
      };
      expect(sum("twice")).toBe(0);
      if (kind === "synchronous") expect(sum("lost")).toBe(0);
    },
    60_000 + ROUNDS * 60_000,
  );
});

/** Creates the tables and an administrator; returns the cookie of their session. */
const prepare = async (cluster: string, document: string): Promise<string> => {
  const primary = new PostgresServer("primary", await freePort(), cluster);
  await primary.start();
  const server = await startServer(document, [primary], []);
  const token = /first=([\w-]{43})/.exec(server.output())?.[1];
  const made = await fetch(`http://127.0.0.1:${server.port}/_/first-administrator`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token, name: "Ada", email: "ada@example.com", password: "correct horse battery" }),
  });
  await server.stop();
  await primary.stop();
  return made.headers.getSetCookie()[0]?.split(";")[0] ?? "";
};

interface Drill {
  readonly files: { readonly cluster: string };
  readonly folder: string;
  readonly document: string;
  readonly cookie: string;
}

const runRound = async (
  kind: "synchronous" | "asynchronous",
  { files, folder, document, cookie }: Drill,
): Promise<Round> => {
  const names = ["primary", "standby_1", "standby_2"];
  const all: PostgresServer[] = [];
  for (const name of names) all.push(await copyServer(files, { name, port: await freePort(), folder }));
  const [primary, ...standbys] = all as [PostgresServer, PostgresServer, PostgresServer];
  for (const standby of standbys) await followPrimary(standby, primary);
  await primary.start();
  await Promise.all(standbys.map((standby) => standby.start()));
  if (kind === "synchronous") {
    await primary.query("alter system set synchronous_standby_names = 'ANY 1 (standby_1, standby_2)'");
    await primary.query("select pg_reload_conf()");
  }
  const servers: Program[] = [];
  for (let i = 0; i < 2; i++) servers.push(await startServer(document, all, standbys));
  const urls = servers.map(({ port }) => `http://127.0.0.1:${port}`);
  const writers = Array.from({ length: WRITERS }, (_, i) => writer(`Writer ${i}`, urls, cookie));
  const readers = Array.from({ length: READERS }, (_, i) => reader(i, urls, cookie));
  await sleep(2_000 + randomInt(1_000));

  await primary.stop("SIGKILL");
  // A watcher such as Patroni needs time to notice; here, a second.
  await sleep(1_000);
  const [one, two] = standbys as [PostgresServer, PostgresServer];
  const [next, other] = (await received(one)) >= (await received(two)) ? [one, two] : [two, one];
  const promoted = performance.now();
  await next.query("select pg_promote()");
  const from = `host=127.0.0.1 port=${next.port} user=postgres application_name=${other.name}`;
  await other.query(`alter system set primary_conninfo = '${from}'`);
  await other.query("select pg_reload_conf()");
  if (kind === "synchronous") {
    await next.query(`alter system set synchronous_standby_names = '${other.name}'`);
    await next.query("select pg_reload_conf()");
  }
  const isRecovered = () =>
    writers.every(({ acknowledged }) => [...acknowledged.values()].some(({ at }) => at > promoted));
  for (const end = performance.now() + 60_000; !isRecovered(); await sleep(20))
    if (performance.now() > end) throw new Error(`in vain: everybody writes again. ${servers[0]?.output()}`);
  await sleep(1_000);
  await Promise.all([...writers, ...readers].map((client) => client.stop()));

  const rows = await next.query("select title, array_agg(id::text) as ids from app.book group by title");
  const there = new Map(rows.map(({ title, ids }) => [String(title), ids as readonly string[]]));
  const acknowledged = writers.flatMap((client) => [...client.acknowledged]);
  const times = acknowledged.map(([, { at }]) => at);
  const last = Math.max(...times.filter((at) => at <= promoted));
  const first = Math.min(...times.filter((at) => at > promoted));
  for (const server of servers) await server.stop("SIGKILL");
  await Promise.all(standbys.map((standby) => standby.stop("SIGQUIT")));
  return {
    acknowledged: acknowledged.length,
    lost: acknowledged.filter(([title, { id }]) => there.get(title)?.includes(id) !== true).length,
    twice: [...there.values()].filter((ids) => ids.length > 1).length,
    "seconds without writes": seconds(first - last),
    "seconds from promotion to the first write": seconds(first - promoted),
    "reads answered": readers.reduce((sum, { answered }) => sum + answered, 0),
    "reads refused": readers.reduce((sum, { refused }) => sum + refused, 0),
  };
};
