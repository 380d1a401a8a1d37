import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chown, stat, writeFile } from "node:fs/promises";
import { connect as connectTo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { inject } from "vitest";
import { freePort, scratch } from "../program.ts";

/** Finds PgBouncer, or installs Debian's package if possible; undefined otherwise. */
export const findPgBouncer = (): string | undefined => {
  const known = () => ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].find((path) => existsSync(path));
  if (known() === undefined && process.getuid?.() === 0 && existsSync("/usr/bin/apt-get"))
    try {
      execFileSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", "pgbouncer"], {
        stdio: "ignore",
        timeout: 120_000,
        env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
      });
    } catch {
      // The tests are then skipped and report that.
    }
  return known();
};

export interface Pooler {
  /** The database through the pooler, with the role of requests. */
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts PgBouncer in transaction mode for a test database, with fewer connections than clients. */
export const startPgBouncer = async (binary: string, database: string): Promise<Pooler> => {
  const { host, port } = inject("postgres");
  const own = await freePort();
  const folder = await scratch();
  const settings = join(folder, "pgbouncer.ini");
  await writeFile(
    settings,
    `[databases]
${database} = host=${host} port=${port} dbname=${database} user=ninefold_app
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
max_client_conn = 200
`,
  );
  // PgBouncer refuses to run as root, and only its owner can open the socket's folder.
  const { uid, gid } = await stat(host);
  await chown(settings, uid, gid);
  const child: ChildProcess = spawn(binary, [settings], { uid, gid, stdio: ["ignore", "ignore", "pipe"] });
  let output = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const answers = () =>
    new Promise<boolean>((resolve) => {
      const socket = connectTo(own, "127.0.0.1");
      socket.once("connect", () => {
        socket.destroy();
        resolve(true);
      });
      socket.once("error", () => resolve(false));
    });
  for (let tried = 0; !(await answers()); tried++) {
    if (tried > 200 || child.exitCode !== null) throw new Error(`PgBouncer does not answer: ${output}`);
    await sleep(20);
  }
  return {
    url: `postgresql://ninefold_app@127.0.0.1:${own}/${database}`,
    stop: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
};
