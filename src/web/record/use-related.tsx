import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { limitPage } from "../../core/derive/http/list-query.ts";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { Count } from "../../core/wire/lists.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { SectionJson } from "../../core/wire/screens.ts";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient } from "../app/app-context.tsx";
import { useLimits } from "../field/control/sibling-values.tsx";
import { useCandidates } from "../field/control/use-candidates.ts";
import { useWords } from "../i18n/words.tsx";

export type ListSection = Extract<SectionJson, { kind: "list" }>;

/** The records that refer to this one: `options` give page size and order. */
export const useRelated = (
  entity: EntityJson,
  { by }: ListSection,
  { id }: RecordJson,
  { limit, ...options }: { readonly limit: number } & { readonly [word: string]: string | number },
) => {
  const { calls } = useClient();
  const { screens } = useApplication();
  const words = (after: string | null): URLSearchParams =>
    new URLSearchParams({
      [by]: id,
      label: "true",
      count: "true",
      limit: String(limitPage(screens, limit)),
      ...Object.fromEntries(Object.entries(options).map(([word, value]) => [word, String(value)])),
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
 * For a list with a derived reference: true if something can be added, such as a delivery for an incomplete order line.
 * False if the reference is entered directly.
 */
export const useAddable = (entity: EntityJson, { through }: ListSection, record: string): boolean => {
  const field = entity.fields.find(({ name }) => name === through?.field);
  const limits = useLimits(field ?? { name: "" });
  const own: readonly (readonly [string, string])[] = through === undefined ? [] : [[through.of, record]];
  return useCandidates(field?.entity, "", field !== undefined, [...limits, ...own]).found.length > 0;
};

/** The number of records beside the title; nothing if there are none. */
export const RelatedCount = ({ of }: { of: Count | undefined }) => {
  const { show } = useWords();
  if (of === undefined || of === 0) return null;
  return <span className="count">{typeof of === "number" ? show.number(of) : of}</span>;
};
