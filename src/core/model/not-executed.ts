/**
 * Constructs that are understood but cannot be executed. A clause that uses one gets the finding NOT_EXECUTED and has
 * no effect: permissions that depend on it grant nothing. A golden file lists the kinds and may only shrink. The
 * remaining one is inherent: only the document can say what an undecided field is.
 */
export const notExecuted = {
  "reads what is not decided": "This reads a field whose type is “not shown”",
} as const;

export type NotExecuted = keyof typeof notExecuted;
