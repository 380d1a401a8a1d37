// Many small applications in one process: how long `ninefold host` takes until all answer, the memory of the program and of
// Postgres, the processor while nobody does anything, and how long a list takes. `npm run bench:host -- [--applications 50]`;
// writes docs/evidence/host.json. Nothing is asserted.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:http";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values: options } = parseArgs({
  options: { applications: { type: "string", default: "50" }, idle: { type: "string", default: "30" } },
});
const count = Number(options.applications);
const idleSeconds = Number(options.idle);
const PORT = 9_377;

const cabinet = (number: number): string => `# Key cabinet ${number}

## 2. Screens and routes
\`\`\`yaml
/keys: { list: Key, columns: [number, door, lent] }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Key:
  label: "{number}"
  fields:
    number: { type: text, unique: true, max: 20 }
    door:   text
    lent:   boolean
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  member: { members: signed in }
permissions:
  Key: { read: member, create: member, update: member }
\`\`\`
`;

/** The processes that descend from one, and itself. */
const processTree = (root: number): readonly number[] => {
  const parents = readdirSync("/proc")
    .filter((name) => /^\d+$/u.test(name))
    .flatMap((name) => {
      const stat = readStat(Number(name));
      return stat === undefined ? [] : [{ pid: Number(name), parent: Number(stat[1]) }];
    });
  const tree = [root];
  for (const pid of tree) tree.push(...parents.filter(({ parent }) => parent === pid).map((child) => child.pid));
  return tree;
};

/** The fields of /proc/PID/stat after the name. */
const readStat = (pid: number): readonly string[] | undefined => {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /u, "")
      .split(" ");
  } catch {
    return undefined;
  }
};

/** Memory in megabytes, with shared pages divided among those that use them. */
const megabytes = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => {
    const rollup = existsSync(`/proc/${pid}/smaps_rollup`) ? readFileSync(`/proc/${pid}/smaps_rollup`, "utf8") : "";
    return sum + Number(/^Pss:\s+(\d+)/mu.exec(rollup)?.[1] ?? 0) / 1_024;
  }, 0);

/** Seconds of a processor that processes have used. */
const processorSeconds = (pids: readonly number[]): number =>
  pids.reduce((sum, pid) => {
    const stat = readStat(pid);
    return sum + (Number(stat?.[11] ?? 0) + Number(stat?.[12] ?? 0)) / 100;
  }, 0);

/** Requests a path of an application; resolves with milliseconds. */
const time = (name: string, path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const begun = performance.now();
    request({ host: "127.0.0.1", port: PORT, path, headers: { host: `${name}.localhost:${PORT}` } }, (response) => {
      response.resume().once("end", () => resolve(performance.now() - begun));
    })
      .once("error", reject)
      .end();
  });

const round = (value: number, places = 0): number => Number(value.toFixed(places));
const folder = mkdtempSync(join(tmpdir(), "ninefold-host-"));
// The bundled Postgres runs under an account of its own if root starts it.
chmodSync(folder, 0o755);
mkdirSync(join(folder, "applications"));
const names = Array.from({ length: count }, (_, i) => `cabinet-${i + 1}`);
for (const [i, name] of names.entries()) writeFileSync(join(folder, "applications", `${name}.md`), cabinet(i + 1));

const start = async () => {
  const ready = join(folder, "ready");
  rmSync(ready, { force: true });
  const begun = performance.now();
  const program = spawn(
    process.execPath,
    [
      fileURLToPath(new URL("../dist/cli/main.js", import.meta.url)),
      ...["host", join(folder, "applications"), "--port", String(PORT)],
      ...["--data", join(folder, "data"), "--ready-file", ready],
    ],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  while (!existsSync(ready)) {
    if (program.exitCode !== null) throw new Error("the program ended before it was ready");
    await sleep(50);
  }
  return { program, pid: program.pid ?? 0, seconds: (performance.now() - begun) / 1_000 };
};
const stop = async ({ program }: Awaited<ReturnType<typeof start>>): Promise<void> => {
  program.kill("SIGTERM");
  await once(program, "exit");
};

try {
  const first = await start();
  await stop(first);
  const again = await start();
  const tree = processTree(again.pid);
  const [own, postgres] = [[again.pid], tree.filter((pid) => pid !== again.pid)];
  const before = { own: processorSeconds(own), postgres: processorSeconds(postgres) };
  await sleep(idleSeconds * 1_000);
  const idle = {
    own: (processorSeconds(own) - before.own) / idleSeconds,
    postgres: (processorSeconds(postgres) - before.postgres) / idleSeconds,
  };
  const times: number[] = [];
  for (let nth = 0; nth < 10; nth++) for (const name of names) times.push(await time(name, "/_/application"));
  times.sort((a, b) => a - b);
  const at = (share: number): number => round(times[Math.floor(times.length * share)] ?? Number.NaN, 1);
  const evidence = {
    measured: new Date().toISOString().slice(0, 10),
    node: process.version,
    load: round(loadavg()[0] ?? 0, 1),
    applications: count,
    "first start with samples, seconds": round(first.seconds, 1),
    "later start, seconds": round(again.seconds, 1),
    "memory of the program, MB": round(megabytes(own)),
    "memory of Postgres, MB": round(megabytes(processTree(again.pid).filter((pid) => pid !== again.pid))),
    "processor of the program without requests, share of one": round(idle.own, 3),
    "processor of Postgres without requests, share of one": round(idle.postgres, 3),
    "first request of a page, ms": { median: at(0.5), p95: at(0.95) },
  };
  await stop(again);
  writeFileSync(new URL("../docs/evidence/host.json", import.meta.url), `${JSON.stringify(evidence, undefined, 2)}\n`);
  console.log(evidence);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
