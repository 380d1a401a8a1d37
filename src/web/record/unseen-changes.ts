import type { HistoryLine, VisitJson } from "../../core/wire/history.ts";
import type { Json } from "../../core/wire/json.ts";

/** Changes of a record by others since the user's previous visit. */
export interface UnseenChanges {
  /** Time of the previous visit. */
  readonly since: string;
  readonly lines: readonly HistoryLine[];
  /** Previous values of the changed fields. */
  readonly before: ReadonlyMap<string, Json>;
}

/** `lines`: newest first. Null if there is nothing new, or no previous visit. */
export const collectUnseenChanges = (
  lines: readonly HistoryLine[],
  { at, seen }: VisitJson,
  person: string,
): UnseenChanges | null => {
  if (at === null || seen === null) return null;
  const since = Date.parse(seen);
  // A line without a time is newer than all lines below it.
  const oldest = lines.findLastIndex(({ at }) => at !== undefined && Date.parse(at) > since);
  const fresh = lines.slice(0, oldest + 1).filter((line) => line.person?.id !== person);
  if (fresh.length === 0) return null;
  // Of several changes of a field, the earliest has the original value.
  const before = new Map<string, Json>();
  for (const { changes } of fresh)
    for (const { field, before: was } of changes) if (was !== undefined) before.set(field, was);
  return { since: at, lines: fresh, before };
};
