/*
 * The checks of the calls on records. Each is declared here once: the server decides refusals in this order, and OpenAPI
 * lists the refusals of the same checks (`core/derive/http/possible-errors.ts`). A check that lacks one of the two does not
 * compile.
 */

/** Checks in the order in which they decide. The errors of a round are reported together. */
type Rounds = readonly (readonly string[])[];

interface Checks {
  /** Decided by the plan, before a statement is sent. */
  readonly plan: Rounds;
  /** Decided by the row of the statement, which writes only if all of them hold. */
  readonly row: Rounds;
  /** Decided after the statement, by what was written with the record. */
  readonly after: Rounds;
}

/** The values of the record as it would be. */
const values = ["files", "conditions", "rules", "uniqueness", "affected rules"] as const;

/**
 * The checks of each call. The order discloses nothing: a caller who cannot read a record learns only that it is not
 * found, and values are not checked against a record that the caller cannot read. A wrong state precedes broken rules,
 * which are meaningless in that state.
 */
export const callChecks = {
  list: { plan: [["permission"], ["cursor"]], row: [], after: [] },
  read: { plan: [], row: [["record"]], after: [] },
  create: {
    plan: [["permission"], ["fields"], ["input"]],
    row: [["key"], ["references"], ["permission"], ["fields"], ["defaults", ...values]],
    after: [["parts"]],
  },
  update: {
    plan: [],
    row: [["record"], ["permission"], ["fields"], ["version"], ["input"], ["references"], ["change"], values],
    after: [["parts"]],
  },
  transition: {
    plan: [],
    row: [
      ["key"],
      ["record"],
      ["permission"],
      ["fields"],
      ["version"],
      ["state"],
      ["input"],
      ["guard"],
      ["references"],
      values,
    ],
    after: [],
  },
  delete: {
    plan: [],
    row: [["record"], ["permission"], ["version"], ["affected rules"]],
    after: [["referring records"]],
  },
} as const satisfies Readonly<Record<string, Checks>>;

/** A kind of call with checks. */
export type CheckedCall = keyof typeof callChecks;

/** The checks of a call at one of its stages. */
export type CheckAt<C extends CheckedCall, M extends keyof Checks> = (typeof callChecks)[C][M][number][number];

/** Any check of a call. */
export type CallCheck = CheckAt<CheckedCall, keyof Checks>;

/** All checks of a call, each once. */
export const checksOfCall = (call: CheckedCall): readonly CallCheck[] => {
  const { plan, row, after }: Readonly<Record<keyof Checks, readonly (readonly CallCheck[])[]>> = callChecks[call];
  return [...new Set([...plan, ...row, ...after].flat())];
};
