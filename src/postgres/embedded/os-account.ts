import { readFile, stat } from "node:fs/promises";
import { type Account, runProgram } from "./processes.ts";
import { StartError } from "./start-error.ts";

export const isRoot = (): boolean => process.getuid?.() === 0;

const findAccount = async (name: string): Promise<Account | undefined> => {
  const passwd = await readFile("/etc/passwd", "utf8").catch(() => "");
  for (const line of passwd.split("\n")) {
    const [known, , uid, gid] = line.split(":");
    if (known === name && uid !== undefined && gid !== undefined) return { name, uid: Number(uid), gid: Number(gid) };
  }
  // Accounts may live in a directory service that only the system can query.
  const answer = await runProgram("id", [name]).catch(() => undefined);
  const numbers = /^uid=(\d+).* gid=(\d+)/.exec(answer?.output ?? "");
  if (answer?.code !== 0 || numbers === null) return undefined;
  return { name, uid: Number(numbers[1]), gid: Number(numbers[2]) };
};

const createAccount = async (name: string): Promise<Account | undefined> => {
  if (process.platform !== "linux") return undefined;
  const args = ["--system", "--user-group", "--no-create-home", "--home-dir", "/nonexistent"];
  for (const useradd of ["/usr/sbin/useradd", "/sbin/useradd"]) {
    const created = await runProgram(useradd, [...args, "--shell", "/usr/sbin/nologin", name]).catch(() => undefined);
    // Another process may have created the account at the same moment.
    if (created !== undefined) return findAccount(name);
  }
  return undefined;
};

/**
 * The account that runs Postgres, or undefined for our own. Postgres refuses to run as root and must be able to look up
 * its account by name. So root uses the owner of an existing cluster, else `ninefold` (created if possible), else
 * `nobody`.
 */
export const accountForPostgres = async (cluster: string): Promise<Account | undefined> => {
  if (!isRoot()) return undefined;
  const existing = await stat(cluster).catch(() => undefined);
  if (existing !== undefined && existing.uid !== 0)
    return { name: `uid ${existing.uid}`, uid: existing.uid, gid: existing.gid };
  const account = (await findAccount("ninefold")) ?? (await createAccount("ninefold")) ?? (await findAccount("nobody"));
  if (account !== undefined) return account;
  throw new StartError(
    "postgres failed",
    "Postgres refuses to run as root, and this machine has neither an account “ninefold” nor one “nobody” for it.",
    "Start Ninefold as an ordinary user, create an account named ninefold, or name a database of your own with DATABASE_URL.",
  );
};

/**
 * True if an account can enter a folder or run a program. It is tried rather than computed, because access lists,
 * mounts and containers matter too.
 */
export const canReach = async (account: Account | undefined, path: string): Promise<boolean> => {
  try {
    return (await runProgram("/bin/sh", ["-c", 'test -x "$1"', "sh", path], { account })).code === 0;
  } catch (cause) {
    throw new StartError(
      "postgres failed",
      `Ninefold runs as root but can’t start a program as the account “${account?.name}”, which Postgres needs.`,
      "Start Ninefold as an ordinary user, or name a database of your own with DATABASE_URL.",
      { cause },
    );
  }
};
