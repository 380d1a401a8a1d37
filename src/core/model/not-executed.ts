/**
 * What a document may say and nothing can execute. A clause that does gets the finding NOT_EXECUTED and is not in force:
 * permissions that rest on it open nothing. A golden file holds the kinds; it may only shrink. The one that is left is no
 * gap of ours: what a field is that nobody decided, only the document can say.
 */
export const notExecuted = {
  "reads what is not decided": "This reads a field whose type is not shown",
} as const;

export type NotExecuted = keyof typeof notExecuted;
