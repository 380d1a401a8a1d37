import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Count, EntityJson, FormScreenJson, LayoutJson, ListScreenJson } from "../../core/wire.ts";
import { failureOf } from "../client/failure.ts";
import { keys } from "../client/queries.ts";
import { newScreenOf, recordAddress } from "../client/routes.ts";
import {
  filtersOf,
  isNarrowed,
  type ListSearch,
  listQuery,
  pageSize,
  readSearch,
  rowsToCome,
  sortBy,
  whole,
  writeSearch,
} from "../client/search.ts";
import { rangeOf } from "../client/selection.ts";
import { Button, buttonClass, IconButton } from "../part/button.tsx";
import {
  useAddress,
  useApplication,
  useClient,
  useKeys,
  useLasting,
  usePhone,
  useStore,
  useTitle,
} from "../part/context.tsx";
import { Icon, type IconName } from "../part/icon.tsx";
import { Link } from "../part/link.tsx";
import { FailedRegion, Progress, RegionNote } from "../part/region.tsx";
import { useSay } from "../part/spoken.tsx";
import type { WordId } from "../words/languages.ts";
import { useWords } from "../words/words.tsx";
import { BulkBar } from "./bulk-bar.tsx";
import { CreateControl, useMakingWords } from "./create-control.tsx";
import { ExportButton, useExport } from "./export.tsx";
import { ColumnsButton } from "./list-columns.tsx";
import { ListFilters, useFilterWords } from "./list-filters.tsx";
import { ListRows, RowsSkeleton } from "./list-rows.tsx";
import { ListTable, TableSkeleton, useSortWords } from "./list-table.tsx";
import { useFreshRows } from "./use-fresh-rows.ts";
import { ViewsButton } from "./views.tsx";

interface ListProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
}

const Board = lazy(() => import("./board.tsx"));
const CalendarLayout = lazy(() => import("./calendar-layout.tsx"));

/** A list of the document: what it is narrowed and sorted by, and how it is laid out, stands in the address. */
export const ListScreen = ({ screen, entity }: ListProps) => {
  const { navigation, preferences } = useClient();
  const { screens } = useApplication();
  const { path, search: written } = useAddress();
  useTitle(screen.title);
  const preference = preferences.screen(screen.path);
  const liked = useStore(preference).layout;
  const search = useMemo(() => readSearch(written, screen, entity), [written, screen, entity]);
  const [firstLayout] = screen.layouts;
  const layout =
    screen.layouts.find(({ kind }) => kind === (search.layout ?? liked)) ?? firstLayout ?? ({ kind: "table" } as const);
  const seek = useCallback(
    (next: ListSearch) => {
      const words = writeSearch(next, screen);
      navigation.go(words === "" ? path : `${path}?${words}`, "replace");
    },
    [navigation, path, screen],
  );
  const [count, setCount] = useState<Count | undefined>(undefined);
  const create = newScreenOf(screens, entity.name);
  useKeys({
    "/": (event) => {
      const first = document.querySelector<HTMLElement>("[data-filter]");
      if (first) event.preventDefault();
      first?.focus();
    },
    c: () => {
      if (create && entity.create) navigation.go(create.path);
    },
  });
  const fieldNamed = (name: string | null) => entity.fields.find((field) => field.name === name) ?? null;
  const [board, from] = [
    layout.kind === "board" ? fieldNamed(layout.field) : null,
    layout.kind === "calendar" ? fieldNamed(layout.from) : null,
  ];
  const drawn = { screen, entity, search };

  return (
    <>
      <header className="page-head">
        <h1>{screen.title}</h1>
        {layout.kind === "table" && count !== undefined && <HeadCount entity={entity} count={count} />}
        <span className="grow" />
        {screen.layouts.length > 1 && (
          <LayoutChoice
            layouts={screen.layouts}
            chosen={layout.kind}
            onChoose={(kind) => {
              preference.set({ ...preference.get(), layout: kind });
              seek({ ...search, layout: kind });
            }}
          />
        )}
        <CreateControl entity={entity} screen={create} />
      </header>
      <ListFilters screen={screen} entity={entity} search={search} seek={seek}>
        <span className="grow" />
        <WhatButton entity={entity} />
        <ViewsButton screen={screen} query={writeSearch(search, screen)} />
        <ExportButton screen={screen} entity={entity} search={search} />
        {layout.kind === "table" && (
          <span className="from-tablet">
            <ColumnsButton screen={screen} entity={entity} />
          </span>
        )}
      </ListFilters>
      <Suspense fallback={<div className="list" aria-busy="true" />}>
        {board ? (
          <Board {...drawn} field={board} />
        ) : from && layout.kind === "calendar" ? (
          <CalendarLayout {...drawn} from={from} to={fieldNamed(layout.to)} seek={seek} />
        ) : (
          <ListTableBody {...drawn} seek={seek} onCount={setCount} />
        )}
      </Suspense>
    </>
  );
};

/** What may be done with these records, and why not. */
const WhatButton = ({ entity }: { entity: EntityJson }) => {
  const { asking } = useClient();
  const { say } = useWords();
  return (
    <IconButton
      icon="why"
      small
      label={say("may.what")}
      aria-haspopup="dialog"
      onClick={() => asking.set({ entity: entity.name, record: null })}
    />
  );
};

const HeadCount = ({ entity, count }: { entity: EntityJson; count: Count }) => {
  const { say, show } = useWords();
  return (
    <span className="count" title={say("list.count", { count: String(count), things: entity.many })}>
      {typeof count === "number" ? show.number(count) : count}
    </span>
  );
};

const layouts = {
  table: { words: "layout.table", icon: "list" },
  board: { words: "layout.board", icon: "board" },
  calendar: { words: "layout.calendar", icon: "calendar" },
} as const satisfies Record<LayoutJson["kind"], { readonly words: WordId; readonly icon: IconName }>;

/** How the records are laid out: one of a few, each with a word where there is room for it. */
const LayoutChoice = ({
  layouts: offered,
  chosen,
  onChoose,
}: {
  layouts: readonly LayoutJson[];
  chosen: LayoutJson["kind"];
  onChoose: (kind: LayoutJson["kind"]) => void;
}) => {
  const { say } = useWords();
  return (
    // biome-ignore lint/a11y/useSemanticElements: buttons that are pressed, not the choices of a form
    <div className="layouts" role="group" aria-label={say("layout.choose")}>
      {offered.map(({ kind }) => (
        <button
          key={kind}
          type="button"
          aria-pressed={kind === chosen}
          title={say(layouts[kind].words)}
          onClick={() => onChoose(kind)}
        >
          <Icon name={layouts[kind].icon} />
          <span className="layout-words">{say(layouts[kind].words)}</span>
        </button>
      ))}
    </div>
  );
};

interface BodyProps extends ListProps {
  readonly search: ListSearch;
  readonly seek: (next: ListSearch) => void;
  readonly onCount: (count: Count | undefined) => void;
}

/** The records as rows, page after page. */
const ListTableBody = ({ screen, entity, search, seek, onCount }: BodyProps) => {
  const { calls, queries, navigation, trail } = useClient();
  const { say, show } = useWords();
  const { screens } = useApplication();
  const { path, search: written } = useAddress();
  const phone = usePhone();
  const { politely } = useSay();
  const sortWords = useSortWords(screen, entity);
  const listKey = keys.list(entity.calls, listQuery(search, screen, null).toString());
  const query = useInfiniteQuery({
    queryKey: listKey,
    queryFn: ({ pageParam, signal }) => calls.list(entity.calls, listQuery(search, screen, pageParam), signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
    placeholderData: keepPreviousData,
  });
  const pages = query.data?.pages;
  const items = useMemo(() => pages?.flatMap((page) => page.items) ?? [], [pages]);
  const count = pages?.[0]?.count;
  const failure = query.error ? failureOf(query.error) : query.failureReason ? failureOf(query.failureReason) : null;
  const loading = useLasting(query.isPending && failure === null);
  const refreshing = useLasting(query.isFetching && !query.isPending && !query.isFetchingNextPage);
  const narrowed = isNarrowed(search);
  const fresh = useFreshRows(
    entity,
    listKey,
    () => calls.list(entity.calls, listQuery(search, screen, null)),
    query.isPlaceholderData ? undefined : query.data,
  );

  useEffect(() => onCount(count), [onCount, count]);
  const sort = (field: string) => {
    const next = sortBy(search, field);
    seek(next);
    politely(sortWords(next.sort));
  };

  useEffect(() => {
    if (!pages || query.isPlaceholderData) return;
    trail.set({
      entity: entity.name,
      title: screen.title,
      address: written === "" ? path : `${path}?${written}`,
      ids: items.map(({ id }) => id),
      count: count ?? null,
    });
  }, [pages, query.isPlaceholderData, trail, entity.name, screen.title, path, written, items, count]);

  const exportRecords = useExport(screen, entity);
  const ids = useMemo(() => items.map(({ id }) => id), [items]);
  useReturnRow(ids);
  const region = useRef<HTMLElement>(null);
  const links = () => [...(region.current?.querySelectorAll<HTMLElement>("[data-row]") ?? [])];
  const { selected, select, selectAll, keep, last } = useSelection(ids);
  const [gathering, setGathering] = useState(false);
  const records = useMemo(() => items.filter(({ id }) => selected.has(id)), [items, selected]);
  /** All that match, as far as one may act on at once. */
  const gather = async () => {
    setGathering(true);
    let result = await query.fetchNextPage();
    while (result.hasNextPage && (result.data?.pages.length ?? 0) * pageSize < mostSelected)
      result = await result.fetchNextPage();
    setGathering(false);
    keep(result.data?.pages.flatMap((page) => page.items.map(({ id }) => id)) ?? []);
  };
  const move = (by: 1 | -1) => (event: KeyboardEvent) => {
    const all = links();
    const row = (document.activeElement as HTMLElement | null)
      ?.closest("tr, li")
      ?.querySelector<HTMLElement>("[data-row]");
    const at = row ? all.indexOf(row) : -1;
    const to = at < 0 ? (by === 1 ? all[0] : undefined) : all[at + by];
    if (!to) return;
    event.preventDefault();
    const goal = to.dataset.row;
    if (event.shiftKey && goal) {
      if (last() === null && row?.dataset.row) select(row.dataset.row, false);
      select(goal, true);
    }
    to.focus({ preventScroll: true });
    to.scrollIntoView({ block: "nearest" });
  };
  const showMore = async () => {
    const shown = items.length;
    await query.fetchNextPage();
    // The last page takes the button away; the rows that came are where one goes on.
    requestAnimationFrame(() => {
      if (document.activeElement === document.body) links()[shown]?.focus({ preventScroll: true });
    });
  };
  const create = newScreenOf(screens, entity.name);
  useKeys({
    ArrowDown: move(1),
    ArrowUp: move(-1),
    x: () => {
      const id = (document.activeElement as HTMLElement | null)
        ?.closest("tr")
        ?.querySelector<HTMLElement>("[data-row]");
      if (id?.dataset.row) select(id.dataset.row, false);
    },
    Escape: () => {
      if (selected.size > 0) keep([]);
    },
  });
  // What is scrolled towards is there when one comes to it.
  const end = useRef<HTMLDivElement>(null);
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = query;
  const scrolls = (pages?.length ?? 0) > 1;
  useEffect(() => {
    const node = end.current;
    if (!node || !hasNextPage || isFetching || isFetchNextPageError || !scrolls) return;
    // A page that is busy hears of several moments at once, the oldest first.
    const watch = new IntersectionObserver(
      (moments) => {
        if (moments.some(({ isIntersecting }) => isIntersecting)) void fetchNextPage();
      },
      { rootMargin: "1200px" },
    );
    watch.observe(node);
    return () => watch.disconnect();
  }, [hasNextPage, isFetching, isFetchNextPageError, fetchNextPage, scrolls]);

  const rows = {
    screen,
    entity,
    items,
    search,
    sort,
    addressOf: (id: string) => recordAddress(screens, entity.name, id),
    selection: { selected, select, selectAll },
    tinted: fresh.tinted,
  };
  const failed =
    failure?.kind === "refused" && failure.problem.status === 400 && written !== "" ? (
      <BadSearch words={failure.problem.detail} clear={() => navigation.go(path, "replace")} />
    ) : (
      failure && <FailedRegion failure={failure} retry={() => void query.refetch()} />
    );
  const toCome = rowsToCome(count, items.length);

  return (
    <>
      <section ref={region} className="list" aria-label={screen.title} aria-busy={query.isFetching}>
        <Progress shown={refreshing} />
        {fresh.waiting && items.length > 0 && (
          <p className="fresh" role="status">
            <Button
              small
              icon="retry"
              onClick={() => {
                fresh.seen();
                void queries.resetQueries({ queryKey: listKey });
              }}
            >
              {say("list.fresh")}
            </Button>
          </p>
        )}
        {items.length > 0 ? (
          phone ? (
            <ListRows {...rows} />
          ) : (
            <ListTable {...rows} />
          )
        ) : query.isPending ? (
          failure ? (
            failed
          ) : loading ? (
            phone ? (
              <RowsSkeleton />
            ) : (
              <TableSkeleton screen={screen} entity={entity} />
            )
          ) : null
        ) : query.isError ? (
          failed
        ) : narrowed ? (
          <NoMatch entity={entity} search={search} clear={() => seek(whole(search))} />
        ) : (
          <Empty entity={entity} create={create} />
        )}
      </section>
      {items.length > 0 && (
        <footer className="list-foot">
          <span className="figures">
            {count === items.length
              ? say("list.shown.all", { count })
              : count === undefined
                ? say("list.shown", { shown: items.length })
                : say("list.shown.of", {
                    shown: items.length,
                    count: typeof count === "number" ? show.number(count) : count,
                  })}
          </span>
          {query.hasNextPage && (
            <Button small busy={query.isFetchingNextPage} onClick={showMore}>
              {say("list.more", { count: toCome })}
            </Button>
          )}
          {query.isFetchNextPageError && <span className="aside-words">{say("list.more.failed")}</span>}
          <div ref={end} />
        </footer>
      )}
      {records.length > 0 && (
        <BulkBar
          entity={entity}
          records={records}
          more={
            records.length === items.length && query.hasNextPage
              ? { count: String(count ?? ""), select: () => void gather(), busy: gathering }
              : null
          }
          onKeep={keep}
          onExport={() => exportRecords(records)}
        />
      )}
    </>
  );
};

/** An address, typed or kept from another version of the document, that this list does not understand. */
const BadSearch = ({ words, clear }: { words: string; clear: () => void }) => {
  const { say } = useWords();
  return (
    <RegionNote
      icon="filter"
      title={words}
      actions={
        <Button small onClick={clear}>
          {say("list.whole")}
        </Button>
      }
    />
  );
};

const NoMatch = ({ entity, search, clear }: { entity: EntityJson; search: ListSearch; clear: () => void }) => {
  const { say, show } = useWords();
  const words = useFilterWords();
  const named = entity.fields.flatMap((field) => {
    const own = filtersOf(field, search.filters);
    return Object.keys(own).length > 0 ? [field.type === "reference" ? field.label : words(field, own)] : [];
  });
  const all = [...named, ...(search.words === "" ? [] : [say("list.filter.holds", { words: search.words })])];
  return (
    <RegionNote
      icon="filter"
      title={say("list.no.match", { things: entity.many })}
      actions={
        <Button small onClick={clear}>
          {say("list.clear")}
        </Button>
      }
    >
      {all.length > 0 && <p>{say("list.no.match.by", { filters: show.list(all) })}</p>}
    </RegionNote>
  );
};

const Empty = ({ entity, create }: { entity: EntityJson; create: FormScreenJson | null }) => {
  const { say } = useWords();
  const making = useMakingWords();
  return (
    <RegionNote
      icon="empty"
      title={say("list.empty", { things: entity.many })}
      actions={
        create &&
        entity.create && (
          <Link href={create.path} className={buttonClass("plain", "small")}>
            <Icon name="plus" />
            {making(create, entity)}
          </Link>
        )
      }
    >
      <p>{say("list.empty.words", { things: entity.many })}</p>
    </RegionNote>
  );
};

/** As many as one may act on at once. */
const mostSelected = 1000;

/** Which rows are selected; those that are gone are no longer. */
const useSelection = (ids: readonly string[]) => {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const lastOne = useRef<string | null>(null);
  const selected = useMemo(() => new Set(ids.filter((id) => chosen.has(id))), [ids, chosen]);
  const keep = useCallback((next: readonly string[]) => {
    if (next.length === 0) lastOne.current = null;
    setChosen(new Set(next));
  }, []);
  const select = (id: string, extend: boolean) => {
    const from = extend ? lastOne.current : null;
    lastOne.current = id;
    setChosen((now) => {
      const next = new Set(now);
      if (from !== null) for (const one of rangeOf(ids, from, id)) next.add(one);
      else if (!next.delete(id)) next.add(id);
      return next;
    });
  };
  return { selected, select, selectAll: (on: boolean) => keep(on ? ids : []), keep, last: () => lastOne.current };
};

/** Coming back from a record, focus returns to its row. */
const useReturnRow = (ids: readonly string[]) => {
  const { navigation, lastRecord } = useClient();
  const first = useRef(true);
  useEffect(() => {
    if (!first.current || ids.length === 0) return;
    first.current = false;
    const id = lastRecord.get();
    if (navigation.scrolled() === null || id === null) return;
    document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`)?.focus({ preventScroll: true });
  }, [ids, navigation, lastRecord]);
};
