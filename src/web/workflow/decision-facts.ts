import { useQueries } from "@tanstack/react-query";
import type { EntityJson, FactJson, FieldJson } from "../../core/wire/entities.ts";
import type { Json } from "../../core/wire/json.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient } from "../app/app-context.tsx";
import { isReference } from "../format/value-shapes.ts";

/** A value on which a decision depends. */
export interface DecisionFact {
  readonly key: string;
  readonly field: FieldJson;
  /** The record that has the value; undefined while it is loading. */
  readonly in: RecordJson | undefined;
  /** The name of the record that has the value, if it is another: the value alone would not say whose it is. */
  readonly owner: string | null;
}

interface KnownFact extends Pick<DecisionFact, "key" | "field" | "owner"> {
  /** The record that has the value, if it is another. */
  readonly other: { readonly path: string; readonly id: string } | null;
}

/** A record, or the values of one that does not exist yet. */
type FactSource = RecordJson | { readonly [field: string]: Json | undefined };

/** The facts of a transition, with the records that have them. Those that this person cannot read are left out. */
export const useDecisionFacts = (
  entity: EntityJson,
  facts: readonly FactJson[],
  source: FactSource,
): readonly DecisionFact[] => {
  const { calls } = useClient();
  const { entities } = useApplication();
  const known = facts.flatMap(({ field: name, of }): readonly KnownFact[] => {
    const other = entities[entity.fields.find((field) => field.name === of)?.entity ?? ""];
    const field = (of === undefined ? entity : other)?.fields.find((field) => field.name === name);
    if (field === undefined) return [];
    if (of === undefined) return [{ key: name, field, owner: null, other: null }];
    const reference: unknown = source[of];
    return isReference(reference) && other !== undefined
      ? [
          {
            key: `${of}.${name}`,
            field,
            owner: reference.label ?? null,
            other: { path: other.calls, id: reference.id },
          },
        ]
      : [];
  });
  const others = known.flatMap(({ other }) => other ?? []);
  const loaded = useQueries({
    queries: others.map(({ path, id }) => ({
      queryKey: keys.record(path, id),
      queryFn: ({ signal }: { signal: AbortSignal }) => calls.record(path, id, signal),
    })),
  });
  return known.flatMap(({ key, field, owner, other }): readonly DecisionFact[] => {
    if (other === null) return [{ key, field, owner, in: source as RecordJson }];
    const found = loaded[others.indexOf(other)];
    return found?.isError ? [] : [{ key, field, owner, in: found?.data }];
  });
};
