import { useQueries } from "@tanstack/react-query";
import type { EntityJson } from "../../core/wire/entities.ts";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { findListScreen } from "../routing/routes.ts";
import { Link } from "../ui/link.tsx";

interface ReferringRecordsProps {
  readonly entity: EntityJson;
  readonly id: string;
  /** Called when a link to the records is followed. */
  readonly onLeave: () => void;
}

/** How many records refer to a record that cannot be deleted, as far as this person sees them, with links to them. */
export const ReferringRecords = ({ entity, id, onLeave }: ReferringRecordsProps) => {
  const { calls } = useClient();
  const { entities, screens } = useApplication();
  const { say } = useWords();
  const references = Object.values(entities).flatMap((other) =>
    other.fields
      .filter((field) => field.entity === entity.name && field.filters === "values")
      .map((field) => ({ other, field })),
  );
  const counts = useQueries({
    queries: references.map(({ other, field }) => {
      const query = new URLSearchParams({ [field.name]: id, limit: "1", count: "exact" });
      return {
        queryKey: keys.drawn(other.calls, query.toString()),
        queryFn: ({ signal }: { signal: AbortSignal }) => calls.list(other.calls, query, signal),
        retry: false,
      };
    }),
    combine: (results) => results.map(({ data }) => data?.count),
  });
  const lines = references.flatMap(({ other, field }, i) => {
    const count = counts[i];
    if (typeof count !== "number" || count === 0) return [];
    const words = say("delete.used", { count, thing: other.one, things: other.many, field: field.label });
    const path = findListScreen(screens, other.name)?.path;
    const href = path === undefined ? null : `${path}?${new URLSearchParams({ [field.name]: id })}`;
    return [{ key: `${other.name}.${field.name}`, words, href }];
  });
  if (lines.length === 0) return null;
  return (
    <ul className="dialog-words">
      {lines.map(({ key, words, href }) => (
        <li key={key}>
          {href === null ? (
            words
          ) : (
            <Link className="link" href={href} onClick={onLeave}>
              {words}
            </Link>
          )}
        </li>
      ))}
    </ul>
  );
};
