import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { Count } from "../../core/wire/lists.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { SectionJson } from "../../core/wire/screens.ts";
import { keys } from "../api/query-keys.ts";
import { useClient } from "../app/app-context.tsx";
import { useLimits } from "../field/control/sibling-values.tsx";
import { useCandidates } from "../field/type/reference.tsx";
import { useWords } from "../i18n/words.tsx";

export type ListSection = Extract<SectionJson, { kind: "list" }>;

/** The records that name this one, from the same call as any list: `asked` says how many at once, and in what order. */
export const useRelated = (
  entity: EntityJson,
  { by }: ListSection,
  { id }: RecordJson,
  asked: { readonly limit: number } & { readonly [word: string]: string | number },
) => {
  const { calls } = useClient();
  const words = (after: string | null): URLSearchParams =>
    new URLSearchParams({
      [by]: id,
      label: "true",
      count: "true",
      ...Object.fromEntries(Object.entries(asked).map(([word, value]) => [word, String(value)])),
      ...(after === null ? {} : { after }),
    });
  const query = useInfiniteQuery({
    queryKey: keys.drawn(entity.calls, words(null).toString()),
    queryFn: ({ pageParam, signal }) => calls.list(entity.calls, words(pageParam), signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });
  return {
    query,
    items: query.data?.pages.flatMap((page) => page.items) ?? [],
    count: query.data?.pages[0]?.count,
  };
};

/**
 * Whether there is anything that one can be added for, where the list's reference follows from another: something arrives for a
 * line that is still missing. False too where the reference is given itself.
 */
export const useAddable = (entity: EntityJson, { through }: ListSection, record: string): boolean => {
  const field = entity.fields.find(({ name }) => name === through?.field);
  const limits = useLimits(field ?? { name: "" });
  const own: readonly (readonly [string, string])[] = through === undefined ? [] : [[through.of, record]];
  return useCandidates(field?.entity, "", field !== undefined, [...limits, ...own]).found.length > 0;
};

/** How many there are, beside the title; nothing where there are none. */
export const RelatedCount = ({ of }: { of: Count | undefined }) => {
  const { show } = useWords();
  if (of === undefined || of === 0) return null;
  return <span className="count">{typeof of === "number" ? show.number(of) : of}</span>;
};
