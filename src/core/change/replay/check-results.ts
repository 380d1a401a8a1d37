import { NotKnown } from "./past-world.ts";

/** The order in which checks decide, as in `core/derive/consistency/call-checks.ts`. */
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

/** A check that could not be made. `key` is equal for checks of both versions that mean the same. */
export interface OpenCheck {
  readonly rank: Rank;
  readonly clause: string;
  readonly key: string;
}

/** The checks of one version of the document that an act fails, and those that could not be made. */
export interface CheckResults {
  readonly failed: readonly FailedCheck[];
  readonly open: readonly OpenCheck[];
}

export const joinResults = (...all: readonly CheckResults[]): CheckResults => ({
  failed: all.flatMap(({ failed }) => failed),
  open: all.flatMap(({ open }) => open),
});

/** The check that decides: the first by rank, and by the order of the document within a rank. */
export const decidingCheck = ({ failed }: CheckResults): FailedCheck | undefined =>
  failed.toSorted((one, other) => ranks[one.rank] - ranks[other.rank])[0];

/** Collects checks. A check that throws `NotKnown` stays open. */
export class Checks {
  readonly #failed: FailedCheck[] = [];
  readonly #open: OpenCheck[] = [];

  /** `key` identifies the condition in both versions; `holds` evaluates it. */
  check(rank: Rank, { clause, code }: Omit<FailedCheck, "rank">, key: () => string, holds: () => boolean): void {
    try {
      if (!holds()) this.#failed.push({ rank, clause, code });
    } catch (error) {
      if (!(error instanceof NotKnown)) throw error;
      this.#open.push({ rank, clause, key: key() });
    }
  }

  /** Adds a check that has failed. */
  refuse(rank: Rank, { clause, code }: Omit<FailedCheck, "rank">): void {
    this.#failed.push({ rank, clause, code });
  }

  /** Adds a check that cannot be made. */
  leave(rank: Rank, { clause }: Pick<FailedCheck, "clause">, key: string): void {
    this.#open.push({ rank, clause, key });
  }

  result(): CheckResults {
    return { failed: this.#failed, open: this.#open };
  }
}
