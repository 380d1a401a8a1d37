import { randomBytes } from "node:crypto";
import { readdir, readFile, rename, stat, unlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { placeOfProcesses, readStartTime } from "./processes.ts";
import { findErrorCode, StartError } from "./start-error.ts";

/**
 * A lock that gives a data folder one owner at a time. Node has no file locks. So each program that wants a folder
 * first writes a claim under a unique name and then reads the claims of others: of two that arrive together, at least
 * one sees the other and withdraws. A claim records the process and its start time, so it cannot be mistaken for
 * another process's. A dead claim can be removed at any time without affecting a live one.
 */
export interface Claim {
  readonly process: number;
  readonly beginning: string;
  /** The set of processes that the process id belongs to; see `placeOfProcesses`. */
  readonly place: string;
  /** False while the process is still checking for other owners. */
  readonly isEstablished: boolean;
  /** URL of the application, once it is listening. */
  readonly url?: string;
  /** The private folder of the Postgres socket, once it exists. */
  readonly socket?: string;
}

/** The JSON in the file, whose `held` is `isEstablished`. */
type ClaimFile = Omit<Claim, "isEstablished"> & { readonly held: boolean };

const toFile = ({ isEstablished, ...claim }: Claim): ClaimFile => ({ ...claim, held: isEstablished });
const toClaim = ({ held, ...claim }: ClaimFile): Claim => ({ ...claim, isEstablished: held });

export interface Ownership {
  /** Socket folders of owners that did not stop properly. */
  readonly abandoned: readonly string[];
  update(more: Pick<Claim, "url" | "socket">): Promise<void>;
  release(): Promise<void>;
}

/**
 * Interval in milliseconds at which an owner renews its claim, for programs that cannot see its process; and the time
 * for which a claim is valid.
 */
const renewInterval = 2_000;
const claimValidity = 10_000;

const claimName = /^owner-.*\.json$/;

interface Found {
  readonly path: string;
  readonly claim: Claim;
  readonly touched: number;
}

const readClaims = async (folder: string): Promise<readonly Found[]> => {
  const names = (await readdir(folder).catch(() => [])).filter((name) => claimName.test(name));
  const found = await Promise.all(
    names.map(async (name): Promise<Found | undefined> => {
      const path = join(folder, name);
      try {
        const [text, { mtimeMs }] = await Promise.all([readFile(path, "utf8"), stat(path)]);
        return { path, claim: toClaim(JSON.parse(text) as ClaimFile), touched: mtimeMs };
      } catch (thrown) {
        // ENOENT: removed in the meantime. Claims are renamed into place when complete, so anything that is not JSON
        // was left by a power failure.
        if (findErrorCode(thrown) !== "ENOENT") await unlink(path).catch(() => {});
        return undefined;
      }
    }),
  );
  return found.filter((found) => found !== undefined);
};

/**
 * True if the owner is alive: checked by its process if it is visible here, otherwise (another container or machine) by
 * the age of its claim.
 */
const isAlive = async ({ claim, touched }: Found, place: string, now: number): Promise<boolean> =>
  claim.place === place ? (await readStartTime(claim.process)) === claim.beginning : touched > now - claimValidity;

const refuse = (folder: string, { process, url }: Claim): never => {
  throw new StartError(
    "data in use",
    `The data in ${folder} is in use by process ${process}${url === undefined ? "" : ` at ${url}`}.`,
    "Use that process, stop it first, or name another folder with --data.",
    { holder: url === undefined ? { process } : { process, url } },
  );
};

/** Becomes the owner of a data folder, or throws a `StartError` of kind "data in use". */
export const takeOwnership = async (folder: string): Promise<Ownership> => {
  const path = join(folder, `owner-${process.pid}-${randomBytes(4).toString("hex")}.json`);
  const place = await placeOfProcesses();
  let ownClaim: Claim = {
    process: process.pid,
    beginning: (await readStartTime(process.pid)) ?? "",
    place,
    isEstablished: false,
  };
  const write = async () => {
    await writeFile(`${path}.new`, JSON.stringify(toFile(ownClaim)), { mode: 0o640 });
    await rename(`${path}.new`, path);
  };
  const abandoned: string[] = [];
  const firstBeat = new Map<string, number>();
  // Long enough for the claim of a dead owner in another container to expire.
  const end = performance.now() + claimValidity + renewInterval;
  for (;;) {
    await write();
    // The clock of the file system, which the other owner shares.
    const now = (await stat(path)).mtimeMs;
    let rival: Found | undefined;
    for (const other of await readClaims(folder)) {
      if (other.path === path) continue;
      if (await isAlive(other, place, now)) {
        rival = other;
        continue;
      }
      if (other.claim.socket !== undefined) abandoned.push(other.claim.socket);
      await unlink(other.path).catch(() => {});
    }
    if (rival === undefined) break;
    await unlink(path);
    const seen = rival.claim.place === place;
    const beats = rival.touched > (firstBeat.get(rival.path) ?? rival.touched);
    if ((rival.claim.isEstablished && (seen || beats)) || performance.now() > end) refuse(folder, rival.claim);
    if (!firstBeat.has(rival.path)) firstBeat.set(rival.path, rival.touched);
    await sleep(seen ? 20 + Math.random() * 60 : 250);
  }
  ownClaim = { ...ownClaim, isEstablished: true };
  await write();
  const heart = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, renewInterval).unref();
  return {
    abandoned,
    update: async (more) => {
      ownClaim = { ...ownClaim, ...more };
      await write();
    },
    release: async () => {
      clearInterval(heart);
      await unlink(path).catch(() => {});
    },
  };
};

/** The live owner of a data folder. */
export const findOwner = async (folder: string): Promise<Claim | undefined> => {
  const place = await placeOfProcesses();
  for (const found of await readClaims(folder))
    if (found.claim.isEstablished && (await isAlive(found, place, Date.now()))) return found.claim;
  return undefined;
};
