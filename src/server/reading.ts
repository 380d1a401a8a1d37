import type { Tongue } from "../core/explain/tongue.ts";
import { StoreRefusal } from "../postgres/database.ts";
import type { Intent } from "./ask.ts";
import type { Reply } from "./plan/action.ts";
import { plan } from "./plan.ts";
import type { Refusal } from "./refusal.ts";
import type { Service } from "./service.ts";
import { type SignedIn, sessionQuery, signedInBy } from "./sessions.ts";

/** Tokens of which it is remembered who bore them; of more, the oldest are forgotten. */
const MOST = 10_000;

/**
 * Who bore a token the last time. Nothing is decided by it: it says for whom a statement is likely to be, and the session
 * is read with every request.
 */
export class Bearers {
  readonly #known = new Map<string, SignedIn>();

  last(token: string): SignedIn | undefined {
    return this.#known.get(token);
  }

  saw(token: string, person: SignedIn | null): void {
    if (person === null) this.#known.delete(token);
    else {
      if (this.#known.size >= MOST) for (const oldest of this.#known.keys()) if (this.#known.delete(oldest)) break;
      this.#known.set(token, person);
    }
  }
}

const isSame = (a: SignedIn, b: SignedIn): boolean =>
  a.id === b.id && a.granted.size === b.granted.size && [...a.granted].every((role) => b.granted.has(role));

/**
 * Reads for whoever bears a token, with the session in the same round trip: its statement and those of the reading go
 * out together, the reading's written for who bore the token the last time. Where the session says otherwise, what came
 * back is thrown away. Undefined where it has to be asked one after the other.
 */
export const readTogether = async (
  service: Service,
  bearers: Bearers,
  token: string,
  intent: Intent,
  now: Date,
  tongue: Tongue,
): Promise<{ readonly person: SignedIn; readonly outcome: Reply | Refusal } | undefined> => {
  const guess = isReading(intent) ? bearers.last(token) : undefined;
  if (guess === undefined) return undefined;
  const action = plan(service.context, intent, service.asker(guess, now, tongue), service.format, "");
  if (action.kind === "refusal" || action.follow !== undefined) return undefined;
  try {
    const [session, ...results] = await service.database.batch([sessionQuery(token, now), ...action.queries]);
    const person = signedInBy(session?.[0]);
    if (person === null || !isSame(person, guess)) {
      bearers.saw(token, person);
      return undefined;
    }
    const outcome = action.settle(results);
    return outcome === "repeated" ? undefined : { person, outcome };
  } catch (error) {
    // A plan that outlived its tables: alone, each statement is tried again.
    if (error instanceof StoreRefusal) return undefined;
    throw error;
  }
};

const isReading = ({ kind }: Intent): boolean => kind === "read" || kind === "list" || kind === "history";
