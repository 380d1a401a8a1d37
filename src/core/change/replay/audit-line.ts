import type { Json } from "../../wire/json.ts";

/** The changes of a line by field: `{ "due_day": ["2026-10-21", "2026-10-23"] }`. */
export type AuditChanges = Readonly<Record<string, readonly [before: Json, after: Json]>>;

/** A line of the audit. */
export interface AuditLine {
  readonly id: number;
  readonly at: string;
  /** Null for timers, effects without a person, and the program itself. */
  readonly person: string | null;
  readonly entity: string;
  readonly record: string;
  /** `create`, `update`, `delete`, the name of a transition, or a change of an account. */
  readonly action: string;
  readonly clause: string;
  /** Version of the document at the time. */
  readonly document: number;
  readonly changes: AuditChanges;
  /** The line of the write that caused this one. */
  readonly cause: number | null;
  /** Equal for all lines of one transaction. */
  readonly transaction: string;
}

/** Lines with equal keys, in their order. */
export const groupLines = (
  lines: readonly AuditLine[],
  toKey: (line: AuditLine) => string,
): ReadonlyMap<string, readonly AuditLine[]> => {
  const groups = new Map<string, AuditLine[]>();
  for (const line of lines) {
    const key = toKey(line);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [line]);
    else group.push(line);
  }
  return groups;
};

/** A refused request. */
export interface RefusedRequest {
  readonly at: string;
  readonly person: string | null;
  readonly entity: string;
  readonly record: string | null;
  readonly action: string;
  readonly code: string;
  readonly clause: string | null;
  readonly document: number;
}

/** A record as it is stored now, with its fields in the form of a creation line. */
export interface PresentRecord {
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly changes: AuditChanges;
}
