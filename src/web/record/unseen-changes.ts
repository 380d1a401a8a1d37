import type { HistoryLine, VisitJson } from "../../core/wire/history.ts";
import type { Json } from "../../core/wire/json.ts";

/** What others did to a record since somebody looked at it last. */
export interface News {
  /** When that was. */
  readonly since: string;
  readonly lines: readonly HistoryLine[];
  /** What the fields that changed held then. */
  readonly before: ReadonlyMap<string, Json>;
}

/** `lines` are the newest first. Null where there is nothing new, or one never looked before. */
export const newsOf = (lines: readonly HistoryLine[], { at, seen }: VisitJson, person: string): News | null => {
  if (at === null || seen === null) return null;
  const since = Date.parse(seen);
  // A line that does not say when it happened is newer than every line below it.
  const oldest = lines.findLastIndex(({ at }) => at !== undefined && Date.parse(at) > since);
  const fresh = lines.slice(0, oldest + 1).filter((line) => line.person?.id !== person);
  if (fresh.length === 0) return null;
  // Of several changes the first says what it was.
  const before = new Map<string, Json>();
  for (const { changes } of fresh)
    for (const { field, before: was } of changes) if (was !== undefined) before.set(field, was);
  return { since: at, lines: fresh, before };
};
