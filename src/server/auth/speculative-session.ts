import { LRUCache } from "lru-cache";
import type { Phrases } from "../../core/explain/language.ts";
import { type Query, type Row, StoreRefusal } from "../../postgres/database.ts";
import { executeOnly, executeRest } from "../execution/execute.ts";
import { type MinPosition, readBatch } from "../execution/read.ts";
import type { Service } from "../execution/service.ts";
import type { Intent } from "../intent.ts";
import type { Outcome } from "../plan/outcome.ts";
import type { Ending, Plan } from "../plan/plan.ts";
import type { Steps } from "../plan/steps.ts";
import type { Refusal } from "../refusal.ts";
import {
  decodeSession,
  getOwnSession,
  getResponsibleId,
  isOtherPersonError,
  requireSessionQuery,
  type SignedIn,
  sameSessionQuery,
  sessionQuery,
} from "./sessions.ts";

/** Remembers at most this many tokens; the least recently used are forgotten first. With `max`, space for all would be filled at once. */
const TOKENS = { maxSize: 10_000, sizeCalculation: () => 1 };

/**
 * Remembers the last known user of each token. This is only a guess that decides for whom to prepare a statement; each
 * request still verifies the session.
 */
export class LastKnownSessions {
  readonly #known = new LRUCache<string, SignedIn>(TOKENS);
  /** API tokens by owner. Each request still verifies them. */
  readonly #programs = new LRUCache<string, string>(TOKENS);

  last(token: string): SignedIn | undefined {
    return this.#known.get(token);
  }

  /** The last known user of a session or API token. */
  idOf(token: string): string | undefined {
    const known = this.#known.get(token);
    return known === undefined ? this.#programs.get(token) : getResponsibleId(known);
  }

  sawProgram(token: string, person: string): void {
    this.#programs.set(token, person);
  }

  forget(token: string): void {
    this.#known.delete(token);
  }

  saw(token: string, person: SignedIn | null): void {
    if (person === null) this.forget(token);
    else this.#known.set(token, person);
  }
}

/** The statement that verifies a session. Views as somebody else have more to verify than other sessions. */
const sessionCheck = ({ model }: Service, token: string, guess: SignedIn, now: Date): Query =>
  guess.impersonator === null ? sameSessionQuery(model, token, guess, now) : sessionQuery(model, token, now);

/** True if the row of `sessionCheck` says that the session belongs to the person. */
const isVerified = (row: Row | undefined, guess: SignedIn): boolean => {
  if (row === undefined || guess.impersonator === null) return row !== undefined;
  const person = decodeSession(row);
  return person !== null && person.impersonator === guess.impersonator && isSame(person, guess);
};

const isSame = (a: SignedIn, b: SignedIn): boolean =>
  a.id === b.id && a.granted.size === b.granted.size && [...a.granted].every((role) => b.granted.has(role));

/** The result of a request and the verified user. */
export interface SpeculativeResult {
  readonly person: SignedIn;
  readonly outcome: Outcome | Refusal;
}

/**
 * Executes a request together with the session check in one round trip. The statements are prepared for the last known
 * user of the token. Most check the session in their own condition; otherwise a statement precedes them. If the session belongs
 * to somebody else, reads are discarded and writes are rolled back, because that statement fails. Undefined if the request
 * must be executed step by step.
 */
export const executeSpeculatively = async (
  service: Service,
  lastKnownSessions: LastKnownSessions,
  token: string,
  intent: Intent,
  { now, phrases, minPosition }: { readonly now: Date; readonly phrases: Phrases; readonly minPosition: MinPosition },
): Promise<SpeculativeResult | undefined> => {
  const guess = lastKnownSessions.last(token);
  if (guess === undefined) return undefined;
  // A standby may not know yet that a session has ended.
  const isElsewhere = isReading(intent) && service.database.standbys !== undefined;
  const ownSession = guess.impersonator !== null || isElsewhere ? undefined : getOwnSession(token, guess);
  const plan = service.plan(intent, service.caller(guess, now, phrases), ownSession);
  if (plan.kind === "refusal") return undefined;
  try {
    if (!isReading(intent)) {
      return {
        person: guess,
        outcome: await executeOnly(
          service.database,
          behind(() => requireSessionQuery(service.model, token, guess, now), plan),
        ),
      };
    }
    const steps = plan.steps();
    const first = steps.next();
    const batch = first.done === true ? [] : first.value;
    const check = () => sessionCheck(service, token, guess, now);
    const isChecked = plan.checksSession === true && batch.length > 0;
    const position = plan.mayUseStandby === true ? minPosition : undefined;
    const { first: sessions, rows } = await readBatch(service.database, batch, position, isChecked ? [] : [check()]);
    const isConfirmed = isChecked && (rows[0] ?? []).length > 0;
    // Without rows, a statement that checks the session itself does not tell if there is no session or nothing to read.
    const session = isChecked && !isConfirmed ? await service.database.query(check()) : sessions[0];
    if (isConfirmed || isVerified(session?.[0], guess)) {
      const next = first.done === true ? first : steps.next(rows);
      return { person: guess, outcome: await executeRest(service.database, plan, steps, next, minPosition) };
    }
  } catch (error) {
    // A plan may have become invalid; retry step by step.
    if (!(isReading(intent) && error instanceof StoreRefusal) && !isOtherPersonError(error)) throw error;
  }
  lastKnownSessions.forget(token);
  return undefined;
};

/**
 * Prepends the session statement to a plan: to its first batch, unless that checks the session itself, and to each further
 * batch that is its own transaction.
 */
const behind = (session: () => Query, plan: Plan): Plan => ({
  ...plan,
  steps: () => stepsBehind(session, plan),
});

function* stepsBehind(session: () => Query, plan: Plan): Steps<Ending<Outcome>> {
  const steps = plan.steps();
  let step = steps.next();
  for (let isFirst = true; step.done !== true; isFirst = false) {
    if (isFirst ? plan.checksSession !== true : plan.transaction === "each batch") {
      const [, ...rows] = yield [session(), ...step.value];
      step = steps.next(rows);
    } else step = steps.next(yield step.value);
  }
  return step.value;
}

const isReading = ({ kind }: Intent): boolean => kind === "read" || kind === "list" || kind === "history";
