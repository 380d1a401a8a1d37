import { execFile, spawn } from "node:child_process";
import { readFile, readlink } from "node:fs/promises";
import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { findErrorCode } from "./start-error.ts";

/** An account of the operating system. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

const linux = process.platform === "linux";

const ps = async (pid: number, columns: string): Promise<string | undefined> => {
  try {
    const { stdout } = await promisify(execFile)("ps", ["-ww", "-o", columns, "-p", String(pid)]);
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
};

/**
 * The start time of a process as an opaque token; undefined if it does not exist. Process ids are reused, in a
 * container immediately, so an id alone does not identify a process. A zombie counts as gone: if Node is process 1,
 * nobody reaps orphans.
 */
export const readStartTime = async (pid: number): Promise<string | undefined> => {
  if (!linux) {
    const line = await ps(pid, "state=,lstart=");
    return line === undefined || line.startsWith("Z") ? undefined : line.replace(/^\S+\s+/, "");
  }
  try {
    const stat = await readFile(`/proc/${pid}/stat`, "utf8");
    // The second field is the program's name in brackets and may contain anything, so fields are counted from the last
    // bracket.
    const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" || state === "X" ? undefined : fields[18];
  } catch {
    return undefined;
  }
};

/** The command line of a process, its arguments separated by spaces; undefined if the process is gone. */
export const readCommandLine = async (pid: number): Promise<string | undefined> => {
  if (!linux) return ps(pid, "args=");
  try {
    return (await readFile(`/proc/${pid}/cmdline`, "utf8")).replaceAll("\0", " ").trim() || undefined;
  } catch {
    return undefined;
  }
};

/** True if a process that we can signal has this id, even one that has exited and was not reaped. */
export const isTaken = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Identifies the set of processes visible from here: one boot of a machine, or of a container. */
export const placeOfProcesses = async (): Promise<string> => {
  if (!linux) return hostname();
  const boot = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => "");
  const namespace = await readlink("/proc/self/ns/pid").catch(() => "");
  return [hostname(), boot.trim(), namespace].join(" ");
};

/** Polls until the condition holds; returns false after `atMost` milliseconds. */
export const waitUntil = async (holds: () => Promise<boolean>, atMost: number, every = 10): Promise<boolean> => {
  const end = performance.now() + atMost;
  while (!(await holds())) {
    if (performance.now() > end) return false;
    await sleep(every);
  }
  return true;
};

export const signal = (pid: number, name: NodeJS.Signals): void => {
  try {
    process.kill(pid, name);
  } catch (thrown) {
    if (findErrorCode(thrown) !== "ESRCH") throw thrown;
  }
};

/**
 * The environment of child processes. Nothing is inherited: PGOPTIONS, PGDATA or a locale would change how Postgres
 * behaves.
 */
export const environment = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" } as const;

/** Spawn options to run as another account if we are root; otherwise as ourselves. */
export const as = (account: Account | undefined): { uid?: number; gid?: number } =>
  account === undefined ? {} : { uid: account.uid, gid: account.gid };

/** Runs a program to its end. Resolves with its exit code or signal and its output; rejects if it cannot be started. */
export const runProgram = (
  program: string,
  args: readonly string[],
  options: { readonly account?: Account | undefined; readonly input?: string } = {},
): Promise<{ readonly code: number | NodeJS.Signals; readonly output: string }> =>
  new Promise((resolve, reject) => {
    // Started from "/" because the account may not be able to enter the working directory.
    const child = spawn(program, args, { cwd: "/", env: environment, stdio: "pipe", ...as(options.account) });
    let output = "";
    const hear = (data: string) => {
      output = (output + data).slice(-64_000);
    };
    child.stdout.setEncoding("utf8").on("data", hear);
    child.stderr.setEncoding("utf8").on("data", hear);
    // The program may exit before reading its input; its exit code is what counts.
    child.stdin.on("error", () => {});
    child.stdin.end(options.input ?? "");
    child.on("error", reject);
    child.on("close", (code, by) => resolve({ code: code ?? by ?? 1, output }));
  });
