import { fillBraces } from "../../expression/syntax/braces.ts";
import type { Model } from "../../model/model.ts";
import type { ReplayCountJson, ReplayExampleJson, ReplayGapJson } from "../../wire/authoring/replay.ts";
import type { FailedCheck } from "./check-results.ts";

/** Maximum number of examples for each count. */
const MOST_EXAMPLES = 20;

/** Counts acts by their deciding clause. */
class ClauseCounter {
  readonly #counts = new Map<string, ReplayCountJson & { acts: number; examples: ReplayExampleJson[] }>();
  readonly #errors: Model["errors"];

  /** `errors`: those of the version that refuses. */
  constructor(errors: Model["errors"]) {
    this.#errors = errors;
  }

  add({ clause, code }: Pick<FailedCheck, "clause" | "code">, example: ReplayExampleJson): void {
    const key = `${clause} ${code}`;
    const known = this.#counts.get(key) ?? { clause, code, message: this.#messageOf(code), acts: 0, examples: [] };
    known.acts++;
    if (known.examples.length < MOST_EXAMPLES) known.examples.push(example);
    this.#counts.set(key, known);
  }

  #messageOf(code: string): string | null {
    const entry = this.#errors.get(code);
    // The acts have different values, so a place for a value stays open.
    return entry === undefined || entry.clause === null ? null : fillBraces(entry.message, () => "…");
  }

  sorted(): readonly ReplayCountJson[] {
    return [...this.#counts.values()].toSorted((a, b) => b.acts - a.acts || (a.clause < b.clause ? -1 : 1));
  }
}

/** Results of a replay: acts that were checked, those that differ under the draft, and those left unchecked. */
export class ReplayCounts {
  readonly refused: ClauseCounter;
  readonly allowed: ClauseCounter;
  readonly effects: ClauseCounter;
  acts = 0;
  refusals = 0;
  readonly #gaps = new Map<string, ReplayGapJson & { acts: number }>();

  constructor(before: Model, after: Model) {
    this.refused = new ClauseCounter(after.errors);
    this.allowed = new ClauseCounter(before.errors);
    this.effects = new ClauseCounter(after.errors);
  }

  /** Counts an act that could not be checked, or only in part. */
  leave(why: ReplayGapJson["why"], clause: string | null = null, reads: string | null = null): void {
    const key = `${why} ${clause ?? ""} ${reads ?? ""}`;
    const known = this.#gaps.get(key) ?? { why, clause, reads, acts: 0 };
    known.acts++;
    this.#gaps.set(key, known);
  }

  gaps(): readonly ReplayGapJson[] {
    return [...this.#gaps.values()].toSorted((a, b) => b.acts - a.acts);
  }
}
