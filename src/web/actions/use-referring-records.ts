import { useQueries } from "@tanstack/react-query";
import { limitPage } from "../../core/derive/http/list-query.ts";
import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { findListScreen, listShownParts } from "../routing/routes.ts";

/** The records of one entity that refer to a record: "2 notes use it as “Folder”", and the list of them. */
interface RecordUse {
  readonly key: string;
  readonly words: string;
  /** Null if no screen lists them. */
  readonly href: string | null;
}

export interface RecordUses {
  readonly seen: readonly RecordUse[];
  /** False if this person can neither change the references nor delete the records that they see. */
  readonly canFree: boolean;
  /** True if only records that this person does not see can refer to it. */
  readonly isUnseen: boolean;
}

/** Number of records of an entity of which it is found out if this person can change or delete them. */
const TRIED = 20;

/**
 * How many records refer to a record, as far as this person sees them; null while they are counted. Counts only if
 * `enabled`. Its parts do not count, because they are deleted with it.
 */
export const useReferringRecords = (entity: EntityJson, id: string, enabled: boolean): RecordUses | null => {
  const { calls } = useClient();
  const { entities, screens } = useApplication();
  const { say } = useWords();
  const parts = listShownParts(screens, entity.name);
  const isOfParts = (name: string, field: FieldJson) =>
    parts.some((part) => part.entity === name && part.by === field.name);
  const all = Object.values(entities).flatMap((other) =>
    other.fields.filter((field) => !isOfParts(other.name, field)).map((field) => ({ other, field })),
  );
  const references = all.filter(({ field }) => field.entity === entity.name && field.filters === "values");
  const arePartsUsed = all.some(({ field }) => parts.some((part) => part.entity === field.entity));
  const counts = useQueries({
    queries: references.map(({ other, field }) => {
      const limit = String(limitPage(screens, TRIED));
      const query = new URLSearchParams({ [field.name]: id, limit, count: "exact", may: "true" });
      return {
        queryKey: keys.drawn(other.calls, query.toString()),
        queryFn: ({ signal }: { signal: AbortSignal }) => calls.list(other.calls, query, signal),
        enabled,
        retry: false,
      };
    }),
    combine: (results) => ({
      isPending: results.some(({ isPending }) => isPending),
      counts: results.map(({ data }) => data?.count),
      canFree: results.some(({ data }, i) => {
        const field = references[i]?.field.name ?? "";
        const canFree = ({ may }: RecordJson) => may?.delete === true || may?.update.includes(field) === true;
        return data !== undefined && (data.next !== null || data.items.some(canFree));
      }),
    }),
  });
  if (counts.isPending) return null;
  const seen = references.flatMap(({ other, field }, i) => {
    const count = counts.counts[i];
    if (typeof count !== "number" || count === 0) return [];
    const words = say("delete.used", { count, thing: other.one, things: other.many, field: field.label });
    const path = findListScreen(screens, other.name)?.path;
    const href = path === undefined ? null : `${path}?${new URLSearchParams({ [field.name]: id })}`;
    return [{ key: `${other.name}.${field.name}`, words, href }];
  });
  return { seen, canFree: counts.canFree, isUnseen: !arePartsUsed && counts.counts.every((count) => count === 0) };
};
