import type { Phrases } from "../../core/explain/language.ts";
import { type Query, StoreRefusal } from "../../postgres/database.ts";
import { insteadOf, planned, run } from "../execution/execute.ts";
import type { Service } from "../execution/service.ts";
import type { Intent } from "../intent.ts";
import type { Action, Reply } from "../plan/action.ts";
import type { Refusal } from "../refusal.ts";
import { doerOf, isAnother, type SignedIn, sameSessionQuery, sessionQuery, signedInBy } from "./sessions.ts";

/** Tokens of which it is remembered who bore them; of more, the oldest are forgotten. */
const MOST = 10_000;

/**
 * Who bore a token the last time. Nothing is decided by it: it says for whom a statement is likely to be, and the session
 * is read with every request.
 */
export class Bearers {
  readonly #known = new Map<string, SignedIn>();
  /** Tokens for programs, by their persons: each request of theirs asks anew. */
  readonly #programs = new Map<string, string>();

  last(token: string): SignedIn | undefined {
    return this.#known.get(token);
  }

  /** Whose token it was the last time, a session's or one for programs. */
  idOf(token: string): string | undefined {
    const known = this.#known.get(token);
    return known === undefined ? this.#programs.get(token) : doerOf(known);
  }

  sawProgram(token: string, person: string): void {
    if (this.#programs.size >= MOST)
      for (const oldest of this.#programs.keys()) if (this.#programs.delete(oldest)) break;
    this.#programs.set(token, person);
  }

  forget(token: string): void {
    this.#known.delete(token);
  }

  saw(token: string, person: SignedIn | null): void {
    if (person === null) this.forget(token);
    else {
      if (this.#known.size >= MOST) for (const oldest of this.#known.keys()) if (this.#known.delete(oldest)) break;
      this.#known.set(token, person);
    }
  }
}

const isSame = (a: SignedIn, b: SignedIn): boolean =>
  a.id === b.id && a.granted.size === b.granted.size && [...a.granted].every((role) => b.granted.has(role));

/** What was done for whoever bears a token. */
export interface Performed {
  readonly person: SignedIn;
  readonly outcome: Reply | Refusal;
}

/**
 * Does what the bearer of a token asks for, with the session in the same round trip: its statement and those of the request
 * go out together, the request's written for who bore the token the last time. Where the session says otherwise, nothing of
 * it counts: what was read is thrown away, and what was to be written is not, because the session's statement fails.
 * Undefined where it has to be asked one after the other.
 */
export const performTogether = async (
  service: Service,
  bearers: Bearers,
  token: string,
  intent: Intent,
  { now, tongue: phrases }: { readonly now: Date; readonly tongue: Phrases },
): Promise<Performed | undefined> => {
  const guess = bearers.last(token);
  if (guess === undefined) return undefined;
  const action = service.plan(intent, service.asker(guess, now, phrases));
  if (action.kind === "refusal") return undefined;
  try {
    if (!isReading(intent)) {
      return {
        person: guess,
        outcome: await run(service.database, behind(sameSessionQuery(token, guess, now), action)),
      };
    }
    const [session, ...results] = await service.database.batch([sessionQuery(token, now), ...action.queries]);
    const person = signedInBy(session?.[0]);
    if (person !== null && isSame(person, guess)) {
      const outcome = action.settle(results);
      if (outcome === "wide") return { person, outcome: await planned(service.database, insteadOf(action, outcome)) };
      return typeof outcome === "string" ? undefined : { person, outcome };
    }
  } catch (error) {
    // A plan that outlived its tables: alone, each statement is tried again.
    if (!(isReading(intent) && error instanceof StoreRefusal) && !isAnother(error)) throw error;
  }
  bearers.forget(token);
  return undefined;
};

/** A write behind a statement without which it is not done, whichever of its ways it takes. */
const behind = (first: Query, action: Action): Action => {
  const { judged } = action;
  return {
    ...action,
    queries: [first, ...action.queries],
    settle: (results) => action.settle(results.slice(1)),
    ...(judged === undefined ? {} : { judged: () => behind(first, judged()) }),
  };
};

const isReading = ({ kind }: Intent): boolean => kind === "read" || kind === "list" || kind === "history";
