import { keepPreviousData, type QueryKey, useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useLayoutEffect, useRef } from "react";
import { toFailureOf } from "../../api/api-error.ts";
import { useDelayed } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../control/button.tsx";
import { SearchInput } from "../control/search-input.tsx";
import { Icon } from "../icon.tsx";
import { FailedRegion, RegionNote, SkeletonLine } from "./region-status.tsx";

interface Page<Item> {
  readonly items: readonly Item[];
  /** Key of the next page; null on the last. */
  readonly next: string | null;
}

/** Loads a list page by page. Rows of the previous search are shown until new ones arrive. */
export const usePages = <Item, Of extends Page<Item>>(
  queryKey: QueryKey,
  fetchPage: (after: string | null, signal: AbortSignal) => Promise<Of>,
  /** Milliseconds after which it is loaded again; false for never. */
  every: number | false = false,
) => {
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => fetchPage(pageParam, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }: Of) => next,
    placeholderData: keepPreviousData,
    refetchInterval: every,
  });
  return {
    query,
    pages: query.data?.pages,
    isRefreshing: useDelayed(query.isFetching && !query.isPending, 400),
    isLoading: useDelayed(query.isPending),
    failure: toFailureOf(query),
  };
};

export const SearchField = ({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) => (
  <div className="box search-box">
    <Icon name="search" />
    <SearchInput
      type="search"
      aria-label={label}
      value={value}
      placeholder={label}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  </div>
);

const findStops = (rows: Element): readonly HTMLElement[] => [...rows.querySelectorAll<HTMLElement>("a[href], button")];

/** Returns a function to call before the next page: once that page is shown, a focus that is lost moves to its first row. */
const useNewRowFocus = (count: number) => {
  const pressed = useRef<{ readonly rows: Element; readonly stops: number; readonly count: number } | null>(null);
  useLayoutEffect(() => {
    const before = pressed.current;
    if (before === null || count <= before.count) return;
    pressed.current = null;
    // The last page removes the button.
    if (document.activeElement !== document.body) return;
    const stops = findStops(before.rows);
    (stops[before.stops] ?? stops.at(-1) ?? document.getElementById("main"))?.focus();
  }, [count]);
  return (button: HTMLElement): void => {
    const rows = button.closest("footer")?.previousElementSibling;
    pressed.current = rows == null ? null : { rows, stops: findStops(rows).length, count };
  };
};

/** The rows of a paged list, or a message if there are none. */
export const PagedRegion = <Item,>({
  list: { query, pages, isLoading, failure },
  none,
  actions,
  children,
}: {
  readonly list: Pick<ReturnType<typeof usePages<Item, Page<Item>>>, "query" | "pages" | "isLoading" | "failure">;
  /** Message for an empty list. */
  readonly none: string;
  /** Buttons below this message. */
  readonly actions?: ReactNode;
  readonly children: (items: readonly Item[]) => ReactNode;
}) => {
  const { say } = useWords();
  const follow = useNewRowFocus(pages?.reduce((sum, page) => sum + page.items.length, 0) ?? 0);
  if (pages === undefined)
    return failure ? (
      <div className="region">
        <FailedRegion failure={failure} retry={() => void query.refetch()} />
      </div>
    ) : (
      isLoading && <Skeleton />
    );
  const items = pages.flatMap((page) => page.items);
  return (
    <>
      {items.length === 0 ? (
        <RegionNote icon={actions ? "filter" : "empty"} title={none} actions={actions} />
      ) : (
        children(items)
      )}
      {query.hasNextPage && (
        <footer className="list-foot">
          <Button
            small
            busy={query.isFetchingNextPage}
            onClick={({ currentTarget }) => {
              follow(currentTarget);
              void query.fetchNextPage();
            }}
          >
            {say("page.more")}
          </Button>
        </footer>
      )}
    </>
  );
};

const Skeleton = () => (
  <div className="rows skeleton" aria-busy="true">
    <p className="hidden-words" role="status">
      {useWords().say("loading")}
    </p>
    {["62%", "44%", "70%", "52%", "58%"].map((width) => (
      <div key={width} className="phone-row">
        <SkeletonLine width={width} />
      </div>
    ))}
  </div>
);
