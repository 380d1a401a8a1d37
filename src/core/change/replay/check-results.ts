import type { ReplayGapJson } from "../../wire/authoring/replay.ts";
import { NotKnown } from "./past-world.ts";

/** The order of checks, as in `core/derive/consistency/call-checks.ts`. */
export const ranks = {
  call: 0,
  record: 1,
  permission: 2,
  fields: 3,
  state: 4,
  input: 5,
  guard: 6,
  values: 7,
} as const;

export type Rank = keyof typeof ranks;

/** A check that refuses an act. */
export interface FailedCheck {
  readonly rank: Rank;
  readonly clause: string;
  readonly code: string;
}

/** A check that could not be decided. `key` is equal for checks of both versions with equal meaning. */
export interface OpenCheck extends Pick<ReplayGapJson, "why" | "reads"> {
  readonly rank: Rank;
  readonly clause: string;
  readonly key: string;
}

/** The checks that an act fails under one version of the document, and those that could not be decided. */
export interface CheckResults {
  readonly failed: readonly FailedCheck[];
  readonly open: readonly OpenCheck[];
}

export const joinResults = (...all: readonly CheckResults[]): CheckResults => ({
  failed: all.flatMap(({ failed }) => failed),
  open: all.flatMap(({ open }) => open),
});

/** The check that decides: the first by rank, then in document order. */
export const decidingCheck = ({ failed }: CheckResults): FailedCheck | undefined =>
  failed.toSorted((one, other) => ranks[one.rank] - ranks[other.rank])[0];

/** Collects checks. A check that throws `NotKnown` is undecided. */
export class Checks {
  readonly #failed: FailedCheck[] = [];
  readonly #open: OpenCheck[] = [];

  /** `key` identifies the condition in both versions; `holds` evaluates it. */
  check(rank: Rank, { clause, code }: Omit<FailedCheck, "rank">, key: () => string, holds: () => boolean): void {
    try {
      if (!holds()) this.#failed.push({ rank, clause, code });
    } catch (error) {
      if (!(error instanceof NotKnown)) throw error;
      this.#open.push({ rank, clause, key: key(), why: error.why, reads: error.reads });
    }
  }

  refuse(rank: Rank, { clause, code }: Omit<FailedCheck, "rank">): void {
    this.#failed.push({ rank, clause, code });
  }

  /** Adds an undecided check. */
  leave(
    rank: Rank,
    { clause }: Pick<FailedCheck, "clause">,
    { key, why, reads = null }: Pick<OpenCheck, "key" | "why"> & { readonly reads?: string | null },
  ): void {
    this.#open.push({ rank, clause, key, why, reads });
  }

  result(): CheckResults {
    return { failed: this.#failed, open: this.#open };
  }
}
