import { setImmediate as nextTurn } from "node:timers/promises";
import type { Database } from "../../postgres/database.ts";
import { type Caller, type PlanContext, principalKey } from "../plan/context.ts";
import { changeAudienceSql, decodeReader, seesAllOrNone, toReaderId } from "../plan/row/change-visibility.ts";

/** Maximum number of readers of one statement. */
const READERS_AT_ONCE = 500;

/** Readers with the same roles who ask about the same lines. */
interface Audience {
  readonly readers: Set<string>;
  readonly seeing: Promise<ReadonlySet<string>>;
}

/**
 * Decides who sees changed records. A change wakes all waiting pages at once, so readers with the same roles share one
 * statement.
 */
export class ChangeAudience {
  readonly #context: PlanContext;
  readonly #database: Database;
  /** Audiences whose statement has not been sent yet, by lines, entity and roles. */
  readonly #gathering = new Map<readonly number[], Map<string, Audience>>();

  constructor(context: PlanContext, database: Database) {
    this.#context = context;
    this.#database = database;
  }

  /** True if the caller sees a record of these audit lines, before or after the change. */
  async sees(entity: string, lines: readonly number[], caller: Caller): Promise<boolean> {
    const known = seesAllOrNone(this.#context, entity, caller.principal);
    if (known !== undefined) return known;
    const reader = toReaderId(caller.principal);
    const audience = this.#findAudience(entity, lines, caller);
    audience.readers.add(reader);
    return (await audience.seeing).has(reader);
  }

  #findAudience(entity: string, lines: readonly number[], caller: Caller): Audience {
    const key = `${entity} ${principalKey(caller.principal)}`;
    const ofLines = this.#gathering.get(lines) ?? new Map<string, Audience>();
    this.#gathering.set(lines, ofLines);
    const known = ofLines.get(key);
    if (known !== undefined && known.readers.size < READERS_AT_ONCE) return known;
    const readers = new Set<string>();
    const ask = async (): Promise<ReadonlySet<string>> => {
      await nextTurn();
      if (ofLines.get(key) === audience) ofLines.delete(key);
      if (ofLines.size === 0) this.#gathering.delete(lines);
      const query = changeAudienceSql(this.#context, entity, lines, [...readers], caller);
      return new Set((await this.#database.query(query)).map(decodeReader));
    };
    const audience: Audience = { readers, seeing: ask() };
    ofLines.set(key, audience);
    return audience;
  }
}
