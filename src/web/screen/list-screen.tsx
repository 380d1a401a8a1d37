import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { findPivot, type ListSearch } from "../../core/derive/http/list-query.ts";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { Count } from "../../core/wire/lists.ts";
import type { LayoutJson, ListScreenJson } from "../../core/wire/screens.ts";
import {
  useAddress,
  useApplication,
  useClient,
  useKeys,
  usePhone,
  useStore,
  useTitle,
  useTools,
} from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { ListFilters } from "../list/filter/list-filters.tsx";
import { exactQuery, findUnknownParts, searchIn, writeSearch } from "../list/filter/list-search.ts";
import { GroupButton } from "../list/groups/group-button.tsx";
import { IgnoredFilters } from "../list/late-empty-states.tsx";
import { LayoutSwitch } from "../list/layout-switch.tsx";
import { ListBody } from "../list/list-body.tsx";
import { MoreMenu } from "../list/more-menu.tsx";
import { findPivotFields } from "../list/pivot/pivot-lines.ts";
import { ViewsButton } from "../list/saved-views.tsx";
import { SortButton } from "../list/sort-button.tsx";
import { ColumnsButton } from "../list/table/column-chooser.tsx";
import { useHiddenSort } from "../list/table/sort-text.ts";
import { useChosenColumns } from "../list/table/use-chosen-columns.ts";
import { findNewScreen } from "../routing/routes.ts";
import { Button, IconButton } from "../ui/control/button.tsx";
import { CreateButton } from "../ui/control/create-button.tsx";
import { useToast } from "../ui/overlay/toast.tsx";
import { UndoButton } from "../ui/overlay/undo-button.tsx";
import { lazyComponent } from "../ui/page/lazy.tsx";
import { LoadingBoundary } from "../util/loading-boundary.tsx";

interface ListProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
}

const Board = lazyComponent(() => import("../board/board.tsx"));
const PivotLayout = lazyComponent(() => import("../list/pivot-layout.tsx"));
const CalendarLayout = lazyComponent(() => import("../calendar/calendar.tsx"));

/** Layouts that say if nothing matches. Boards and calendars show their empty columns and days. */
const SAYS_EMPTY: ReadonlySet<LayoutJson["kind"]> = new Set(["table", "pivot"]);

/** The layout in the address, else the one that the reader chose last, else the first of the document. */
const useLayout = (screen: ListScreenJson, entity: EntityJson, search: ListSearch) => {
  const preference = useClient().preferences.screen(screen.path);
  const liked = useStore(preference).layout;
  const [firstLayout] = screen.layouts;
  const chosen = search.layout ?? liked;
  const pivot = findPivot(screen, search);
  const pivotFields = pivot === null ? undefined : findPivotFields(entity, pivot);
  const layout: LayoutJson =
    chosen === "pivot" && pivot !== null
      ? { kind: "pivot", ...pivot }
      : (screen.layouts.find(({ kind }) => kind === chosen) ?? firstLayout ?? { kind: "table" });
  // A pivot that the reader chose is not among the layouts of the document.
  const layouts = screen.layouts.some(({ kind }) => kind === layout.kind)
    ? screen.layouts
    : [...screen.layouts, layout];
  const remember = (kind: LayoutJson["kind"]) => preference.set({ ...preference.get(), layout: kind });
  return { layout, layouts, pivotFields, remember };
};

/** A list. Its filters, order and layout are in the address. */
export const ListScreenView = ({ screen, entity }: ListProps) => {
  const { navigation } = useClient();
  const { screens } = useApplication();
  const { say } = useWords();
  const { path, search: written } = useAddress();
  useTitle(screen.title);
  const search = useMemo(() => searchIn(written, screen, entity), [written, screen, entity]);
  const aside = useMemo(() => findUnknownParts(written, screen, entity), [written, screen, entity]);
  const { layout, layouts, pivotFields, remember } = useLayout(screen, entity, search);
  const seek = useCallback(
    (next: ListSearch) => {
      const words = writeSearch(next, screen);
      navigation.go(words === "" ? path : `${path}?${words}`, "replace");
    },
    [navigation, path, screen],
  );
  const [{ count, about, isOfSearch }, setCounted] = useState<Counted>(uncounted);
  const setCount = useCallback(
    (count: Count | undefined, about?: number, isOfSearch = true) => setCounted({ count, about, isOfSearch }),
    [],
  );
  const [selecting, setSelecting] = useState(false);
  const create = findNewScreen(screens, entity.name);
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
  const selectLabel = say(selecting ? "list.select.done" : "list.select");
  const phone = usePhone();
  useTools(phone && layout.kind === "table" ? { [selectLabel]: () => setSelecting(!selecting) } : {});
  const fieldNamed = (name: string | null) => entity.fields.find((field) => field.name === name) ?? null;
  const [board, from] = [
    layout.kind === "board" ? fieldNamed(layout.field) : null,
    layout.kind === "calendar" ? fieldNamed(layout.from) : null,
  ];
  const drawn = { screen, entity, search };
  const columns = useChosenColumns(screen, entity);
  const hidden = useHiddenSort(screen, entity)(search.sort);
  const tools = { screen, entity, search, layout, count, seek };

  return (
    <>
      <header className="page-head">
        <h1>{screen.title}</h1>
        {layout.kind !== "calendar" && count !== undefined && (
          <HeadCount
            key={`${writeSearch(search, screen)} ${about}`}
            screen={screen}
            entity={entity}
            search={search}
            count={count}
            about={about}
          />
        )}
        {layout.kind === "table" && hidden !== null && <span className="count from-tablet">{hidden}</span>}
        <span className="grow" />
        {layout.kind === "table" && (
          <IconButton
            icon="select"
            className="phone-only"
            label={selectLabel}
            aria-pressed={selecting}
            onClick={() => setSelecting(!selecting)}
          />
        )}
        {!phone && (
          <div className="list-tools">
            <OrderTools {...tools} />
            <OtherTools {...tools} />
          </div>
        )}
        {layouts.length > 1 && (
          <LayoutSwitch
            layouts={layouts}
            chosen={layout.kind}
            onChoose={(kind) => {
              remember(kind);
              seek({ ...search, layout: kind });
            }}
          />
        )}
        <CreateButton entity={entity} screen={create} />
      </header>
      <ListFilters
        {...drawn}
        columns={columns}
        seek={seek}
        count={layout.kind === "calendar" ? undefined : isOfSearch ? count : null}
        isEmpty={count === 0 && SAYS_EMPTY.has(layout.kind)}
        order={phone && <OrderTools {...tools} />}
      >
        {phone && (
          <div className="list-tools">
            <OtherTools {...tools} />
          </div>
        )}
      </ListFilters>
      {aside.length > 0 && <IgnoredFilters names={aside} clear={() => seek(search)} />}
      <LoadingBoundary fallback={<div className="list" aria-busy="true" />}>
        {board ? (
          <Board {...drawn} field={board} onCount={setCount} />
        ) : from && layout.kind === "calendar" ? (
          <CalendarLayout {...drawn} from={from} to={fieldNamed(layout.to)} seek={seek} />
        ) : layout.kind === "pivot" && pivotFields ? (
          <PivotLayout {...drawn} pivot={layout} fields={pivotFields} onCount={setCount} seek={seek} />
        ) : (
          <ListBody {...drawn} seek={seek} onCount={setCount} selecting={selecting} onSelecting={setSelecting} />
        )}
      </LoadingBoundary>
    </>
  );
};

interface ListToolsProps extends ListProps {
  readonly search: ListSearch;
  readonly layout: LayoutJson;
  readonly count: Count | undefined;
  readonly seek: (next: ListSearch) => void;
}

/** Sorts and groups the rows, if the layout can. */
const OrderTools = ({ screen, entity, search, layout, seek }: ListToolsProps) => {
  const pivot = layout.kind === "pivot" ? layout : null;
  return (
    <>
      {layout.kind === "table" && <SortButton screen={screen} entity={entity} search={search} seek={seek} />}
      {(layout.kind === "table" || pivot) && (
        <GroupButton screen={screen} entity={entity} search={search} pivot={pivot} seek={seek} />
      )}
    </>
  );
};

/** The views and columns of a list, and a menu of more. */
const OtherTools = ({ screen, entity, search, layout, count }: ListToolsProps) => {
  const pivot = layout.kind === "pivot" ? layout : null;
  return (
    <>
      <UndoButton />
      <ViewsButton screen={screen} query={writeSearch(search, screen)} />
      {layout.kind === "table" && (
        <span className="from-tablet">
          <ColumnsButton screen={screen} entity={entity} />
        </span>
      )}
      <MoreMenu
        screen={screen}
        entity={entity}
        search={search}
        pivot={pivot}
        count={layout.kind === "calendar" ? undefined : count}
      />
    </>
  );
};

interface Counted {
  readonly count: Count | undefined;
  readonly about: number | undefined;
  /** False while the count is that of the previous search. */
  readonly isOfSearch: boolean;
}

const uncounted: Counted = { count: undefined, about: undefined, isOfSearch: true };

/** The number of records. Where it is a limit or an estimate, a press counts them. */
const HeadCount = ({
  screen,
  entity,
  search,
  count: limited,
  about,
}: {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly search: ListSearch;
  readonly count: Count;
  readonly about: number | undefined;
}) => {
  const { calls } = useClient();
  const { say, show } = useWords();
  const toast = useToast();
  const [exact, setExact] = useState<number | null>(null);
  const [busy, setBusy] = useState(false);
  const number = useRef<HTMLSpanElement>(null);
  // The number takes the place of the button, and its focus.
  useEffect(() => {
    if (exact !== null) number.current?.focus();
  }, [exact]);
  const count = typeof limited === "number" ? limited : (exact ?? limited);
  if (typeof count !== "number") {
    const countExactly = async () => {
      setBusy(true);
      try {
        const { count: counted } = await calls.list(entity.calls, exactQuery(search, screen));
        if (typeof counted === "number") setExact(counted);
      } catch {
        toast(say("list.count.failed"));
      } finally {
        setBusy(false);
      }
    };
    const shown = about === undefined ? count : say("list.about", { count: about });
    return (
      <Button
        look="quiet"
        small
        className="count"
        busy={busy}
        title={say("list.count.exact")}
        aria-label={`${say("list.count", { count: shown, things: entity.many })}. ${say("list.count.exact")}`}
        onClick={() => void countExactly()}
      >
        {shown}
      </Button>
    );
  }
  return (
    <span
      ref={number}
      className="count"
      tabIndex={exact === null ? undefined : -1}
      title={say("list.count", { count: String(count), things: entity.many })}
    >
      {show.number(count)}
    </span>
  );
};
