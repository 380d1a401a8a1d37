import { hash, verify } from "@node-rs/argon2";

/** OWASP's minimum for argon2id: 19 MiB, two passes, one lane. Hashing runs on the thread pool. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Thrown if too many people are signing in at once. Nothing was checked. */
export class SignInBusy extends Error {
  override readonly name = "SignInBusy";
}

/** Maximum number of parallel hashes; each needs its memory. */
const MAX_PARALLEL = 2;

/** A queue for hashing with its maximum number of parallel hashes and its maximum length. */
interface Lane {
  readonly most: number;
  readonly waiting: (() => void)[];
  readonly longest: number;
  running: number;
}

/** Sign-in has its own queue, so that it does not wait for new passwords. */
const signIn: Lane = { most: MAX_PARALLEL, waiting: [], longest: 64, running: 0 };
const newPasswords: Lane = { most: MAX_PARALLEL - 1, waiting: [], longest: 16, running: 0 };
const lanes = [signIn, newPasswords];

const hasRoom = ({ running, most }: Lane): boolean =>
  running < most && lanes.reduce((sum, lane) => sum + lane.running, 0) < MAX_PARALLEL;

const inLane = async <T>(lane: Lane, work: () => Promise<T>): Promise<T> => {
  if (hasRoom(lane)) lane.running++;
  else {
    if (lane.waiting.length >= lane.longest) throw new SignInBusy("too many passwords at once");
    await new Promise<void>((resolve) => lane.waiting.push(resolve));
  }
  try {
    return await work();
  } finally {
    lane.running--;
    // Take the place before resolving, so that nobody else gets it.
    for (const item of lanes) {
      const next = hasRoom(item) ? item.waiting.shift() : undefined;
      if (next !== undefined) {
        item.running++;
        next();
      }
    }
  }
};

export const hashPassword = (password: string): Promise<string> =>
  inLane(newPasswords, () => hash(password.normalize("NFKC"), cost));

/** A hash that matches no password, so that an attempt for an unknown person takes as long as for a known one. */
let stranger: Promise<string> | undefined;

/** Checks a password against a hash. For an unknown person (`undefined`), takes as long and returns false. */
export const passwordMatches = async (storedHash: string | undefined, password: string): Promise<boolean> => {
  stranger ??= hash(`${Math.random()}${Date.now()}`, cost);
  const against = storedHash ?? (await stranger);
  const matches = await inLane(signIn, () => verify(against, password.normalize("NFKC")));
  return matches && storedHash !== undefined;
};
