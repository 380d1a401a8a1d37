import { hash, verify } from "@node-rs/argon2";

/** OWASP's floor for argon2id: 19 MiB, two passes, one lane. Hashing runs on the thread pool, off the event loop. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Too many people are being signed in at once; nothing was checked. */
export class SignInBusy extends Error {
  override readonly name = "SignInBusy";
}

const AT_ONCE = 2;
const WAITING = 64;
let running = 0;
const waiting: (() => void)[] = [];

/** At most two hashes at a time, since each takes its memory, and a bounded queue before them. */
const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
  if (running >= AT_ONCE) {
    if (waiting.length >= WAITING) throw new SignInBusy("too many sign-ins at once");
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
  running++;
  try {
    return await work();
  } finally {
    running--;
    waiting.shift()?.();
  }
};

export const SHORTEST_PASSWORD = 10;
export const LONGEST_PASSWORD = 200;

export const hashPassword = (password: string): Promise<string> => inTurn(() => hash(password.normalize("NFKC"), cost));

/** A hash that no password has, so that a stranger's attempt takes as long as a known person's. */
let stranger: Promise<string> | undefined;

/** Whether the password is the one that was hashed; `undefined`, for an unknown person, takes the same time and is false. */
export const passwordMatches = async (kept: string | undefined, password: string): Promise<boolean> => {
  stranger ??= hash(`${Math.random()}${Date.now()}`, cost);
  const against = kept ?? (await stranger);
  const right = await inTurn(() => verify(against, password.normalize("NFKC")));
  return right && kept !== undefined;
};
