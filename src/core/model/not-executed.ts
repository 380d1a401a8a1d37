/**
 * What the language says and no layer executes yet. A document that uses one gets the finding NOT_EXECUTED with its
 * clause, and the clause is not in force: permissions that rest on it open nothing. A golden file holds the kinds; it
 * may only shrink.
 */
export const notExecuted = {
  "reads what is not executed": "An expression that reads what nothing keeps yet, such as a person's picture",
} as const;

export type NotExecuted = keyof typeof notExecuted;
