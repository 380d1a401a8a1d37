import { useMutation } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { type Filters, filteredField } from "../../core/derive/http/list-query.ts";
import { toTitle } from "../../core/model/inflection.ts";
import type { FieldJson } from "../../core/wire/entities.ts";
import type { TrashedJson } from "../../core/wire/trash.ts";
import { useForEach } from "../actions/for-each.ts";
import { toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { reload } from "../api/reload.ts";
import { useAddress, useApplication, useClient, useKeys, useTitle } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { FilterChip } from "../list/filter/filter-chip.tsx";
import { getFieldFilters } from "../list/filter/list-search.ts";
import { SearchBox } from "../list/filter/search-box.tsx";
import { useSelection } from "../list/selection/use-selection.ts";
import { findListScreen, recordAddress } from "../routing/routes.ts";
import { Button, IconButton } from "../ui/control/button.tsx";
import { Link } from "../ui/link.tsx";
import { useToast } from "../ui/overlay/toast.tsx";
import { ItemTable } from "../ui/page/item-table.tsx";
import { NotFound } from "../ui/page/not-found.tsx";
import { PagedRegion, usePages } from "../ui/page/paged-list.tsx";
import { FailureNote, useFailureWords } from "../ui/page/problem-note.tsx";
import { Progress } from "../ui/page/region-status.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import "../list/bulk/bulk-bar.css";
import "./trash-page.css";

/** Deleted records that the person can bring back. */
const TrashPage = () => {
  const { calls, navigation } = useClient();
  const { trash } = useApplication();
  const { path, search: address } = useAddress();
  const { say } = useWords();
  useTitle(say("trash.title"));
  const search = readTrashSearch(address, trash?.of ?? []);
  const written = writeTrashSearch(search);
  const list = usePages(keys.trash(written), (after, signal) => calls.trash(written, after, signal));
  const fields = useTrashFields();
  const hrefOf = (next: TrashSearch) => [path, writeTrashSearch(next)].filter((part) => part !== "").join("?");
  const seek = (next: TrashSearch) => navigation.go(hrefOf(next), "replace");
  const isNarrowed = search.words !== "" || Object.keys(search.filters).length > 0;
  const clear = () => seek({ ...search, words: "", filters: {} });
  useKeys({
    "/": (event) => {
      event.preventDefault();
      document.querySelector<HTMLElement>("[data-filter]")?.focus();
    },
  });
  const items = useMemo(() => list.pages?.flatMap((page) => page.items) ?? [], [list.pages]);
  const selection = useSelection(useMemo(() => items.map(({ id }) => id), [items]));
  const chosen = items.filter(({ id }) => selection.selected.has(id));
  const clearSelection = () => selection.selectAll(false);
  useKeys({ Escape: clearSelection });
  const title = useFocusAfterRows(items.length, chosen.length);
  const { back, backSeveral } = useBringBack();
  if (!trash) return <NotFound />;
  return (
    <section className="list trash" aria-labelledby="trash">
      <Progress shown={list.isRefreshing} />
      <header className="page-head">
        <h1 id="trash" ref={title} tabIndex={-1}>
          {say("trash.title")}
        </h1>
      </header>
      <p className="trash-lead">{say("trash.lead", { days: trash.days })}</p>
      {trash.of.length > 1 && <TrashKinds kinds={trash.of} search={search} hrefOf={hrefOf} />}
      {/* biome-ignore lint/a11y/useSemanticElements: these are buttons, not form controls */}
      <div className="filters" role="group" aria-label={say("list.filters")}>
        <SearchBox label={say("trash.search")} words={search.words} onSearch={(words) => seek({ ...search, words })} />
        <div className="filter-chips">
          {fields.map((field) => (
            <FilterChip
              key={field.name}
              field={field}
              filters={getFieldFilters(field, search.filters)}
              onChange={(next) => seek({ ...search, filters: { ...withoutField(search.filters, field), ...next } })}
            />
          ))}
          {isNarrowed && (
            <Button look="quiet" small onClick={clear}>
              {say("list.clear")}
            </Button>
          )}
        </div>
      </div>
      <FailureNote title={say("trash.back.failed", { label: back.variables?.label ?? "" })} error={back.error} />
      <PagedRegion
        list={list}
        none={say(isNarrowed ? "trash.no.match" : "trash.none")}
        actions={
          isNarrowed && (
            <Button small onClick={clear}>
              {say("list.clear")}
            </Button>
          )
        }
      >
        {(shown) => (
          <ItemTable
            caption={say("trash.title")}
            className="trash-table"
            items={shown}
            selection={{ ...selection, labelOf: ({ label }) => label }}
            columns={[
              { head: say("trash.record"), cell: (item) => <Deleted item={item} />, full: ({ label }) => label },
              { head: say("trash.at"), cell: ({ at }) => <RelativeTime at={at} /> },
              { head: say("trash.by"), cell: ({ person }) => <bdi>{person?.label ?? ""}</bdi> },
            ]}
            lines={(item) => (
              <>
                <p>
                  <Deleted item={item} />
                </p>
                <p className="small-words">
                  <RelativeTime at={item.at} />
                  {item.person ? ` ${say("trash.by.person", { person: item.person.label })}` : ""}
                </p>
              </>
            )}
            act={{
              head: say("trash.back"),
              button: (item) => (
                <Button
                  small
                  icon="undo"
                  busy={back.isPending && back.variables.id === item.id}
                  aria-label={say("trash.back.label", { label: item.label })}
                  onClick={() => back.isPending || back.mutate(item)}
                >
                  {say("trash.back")}
                </Button>
              ),
            }}
          />
        )}
      </PagedRegion>
      {chosen.length > 0 && (
        <ChosenBar
          count={chosen.length}
          busy={backSeveral.isPending}
          onBack={() => backSeveral.isPending || backSeveral.mutate(chosen)}
          onNone={clearSelection}
        />
      )}
    </section>
  );
};

export default TrashPage;

/** Moves the focus to the title when a pressed button is gone with its row, or with the last selected one. */
const useFocusAfterRows = (rows: number, selected: number) => {
  const title = useRef<HTMLHeadingElement>(null);
  const hadRows = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only rows and selections that go take the focus along
  useEffect(() => {
    if (hadRows.current && document.activeElement === document.body) title.current?.focus({ preventScroll: true });
    hadRows.current = rows > 0;
  }, [rows, selected === 0]);
  return title;
};

/** Brings one record back, or several: the newest first, because a record that others use was deleted after them. */
const useBringBack = () => {
  const { calls, queries } = useClient();
  const forEach = useForEach();
  const { entities, screens } = useApplication();
  const { say } = useWords();
  const toast = useToast();
  const sentence = useFailureWords();
  const update = ({ entity: name }: TrashedJson) => {
    const entity = entities[name];
    if (entity) void queries.invalidateQueries({ queryKey: keys.of(entity.calls) });
  };
  const back = useMutation({
    mutationFn: ({ entity, id }: TrashedJson) => calls.restoreFromTrash(entity, id),
    retry: false,
    onSuccess: (_, item) => {
      toast(say("trash.back.done", { label: item.label }), undefined, {
        href: recordAddress(screens, item.entity, item.id) ?? undefined,
      });
      update(item);
    },
    onSettled: () => reload(queries, { queryKey: ["trash"] }),
  });
  const backSeveral = useMutation({
    mutationFn: (items: readonly TrashedJson[]) =>
      forEach(items, ({ entity, id }) => calls.restoreFromTrash(entity, id), { atOnce: 1 }),
    onSuccess: (outcomes) => {
      const failed = outcomes.flatMap((outcome) => outcome.failed ?? []);
      const [count, done] = [outcomes.length, outcomes.length - failed.length];
      for (const { record, failed: why } of outcomes) if (why === null) update(record);
      if (failed.length === 0) toast(say("trash.back.records", { count }));
      else toast(say("trash.back.some", { done, count, why: sentence(toFailure(failed[0])) }));
    },
    onSettled: () => reload(queries, { queryKey: ["trash"] }),
  });
  return { back, backSeveral };
};

interface ChosenBarProps {
  readonly count: number;
  readonly busy: boolean;
  readonly onBack: () => void;
  readonly onNone: () => void;
}

const ChosenBar = ({ count, busy, onBack, onNone }: ChosenBarProps) => {
  const { say } = useWords();
  return (
    <section className="bulk" aria-label={say("bulk.title")}>
      <b className="figures">{say("bulk.selected", { count })}</b>
      <Button small icon="undo" className="bulk-first" busy={busy} onClick={onBack}>
        {say("trash.back.count", { count })}
      </Button>
      <IconButton icon="close" small label={say("bulk.none")} onClick={onNone} />
    </section>
  );
};

interface TrashKindsProps {
  readonly kinds: readonly string[];
  readonly search: TrashSearch;
  readonly hrefOf: (next: TrashSearch) => string;
}

/** Links to the deleted records of one entity, or of all. */
const TrashKinds = ({ kinds, search, hrefOf }: TrashKindsProps) => {
  const { entities, screens } = useApplication();
  const { say } = useWords();
  return (
    <nav className="trash-kinds" aria-label={say("trash.kinds")}>
      {[null, ...kinds].map((name) => (
        <Link
          key={name ?? ""}
          className="button small"
          href={hrefOf({ ...search, of: name })}
          aria-current={name === search.of ? "page" : undefined}
        >
          {name === null
            ? say("trash.all")
            : (findListScreen(screens, name)?.title ?? toTitle(entities[name]?.many ?? name))}
        </Link>
      ))}
    </nav>
  );
};

/** The part of the page that the person controls. It is in the address. */
interface TrashSearch {
  readonly of: string | null;
  readonly words: string;
  /** `person`, `at>`, `at<` and `at@`. */
  readonly filters: Filters;
}

const FILTERS = ["person", "at>", "at<", "at@"] as const;

const readTrashSearch = (address: string, kinds: readonly string[]): TrashSearch => {
  const query = new URLSearchParams(address);
  const filters = FILTERS.map((key) => [key, query.getAll(key).filter((value) => value !== "")] as const);
  return {
    of: kinds.find((name) => name === query.get("of")) ?? null,
    words: query.get("search") ?? "",
    filters: Object.fromEntries(filters.filter(([, values]) => values.length > 0)),
  };
};

const writeTrashSearch = ({ of, words, filters }: TrashSearch): string =>
  new URLSearchParams([
    ...(of === null ? [] : [["of", of]]),
    ...(words === "" ? [] : [["search", words]]),
    ...Object.entries(filters).flatMap(([key, values]) => values.map((value) => [key, value])),
  ]).toString();

const withoutField = (filters: Filters, { name }: FieldJson): Filters =>
  Object.fromEntries(Object.entries(filters).filter(([key]) => filteredField(key) !== name));

/** When a record was deleted and by whom, as fields that can be filtered. Who is left out for readers of no people. */
const useTrashFields = (): readonly FieldJson[] => {
  const { entities } = useApplication();
  const { say } = useWords();
  const common = { optional: false, automatic: true, sorts: false, clause: "9.trash" } as const;
  return [
    { ...common, name: "at", label: say("trash.at"), type: "datetime", filters: "range", past: true },
    ...(entities.User === undefined
      ? []
      : [
          {
            ...common,
            name: "person",
            label: say("trash.by"),
            type: "reference",
            entity: "User",
            filters: "values",
          } as const,
        ]),
  ];
};

/** The record with its kind, and how many parts come back with it. */
const Deleted = ({ item }: { item: TrashedJson }) => {
  const { entities } = useApplication();
  const { say } = useWords();
  return (
    <>
      <bdi>{item.label}</bdi>{" "}
      <span className="none">
        · {entities[item.entity]?.one ?? item.entity}
        {item.parts > 0 && ` ${say("trash.parts", { count: item.parts })}`}
      </span>
    </>
  );
};
