import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { groupsCall, type ListPage, type ListSearch, pageSize } from "../../../core/derive/http/list-query.ts";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { FiguresJson, GroupedJson } from "../../../core/wire/groups.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import type { ListScreenJson } from "../../../core/wire/screens.ts";
import { toFailure } from "../../api/api-error.ts";
import { keys } from "../../api/query-keys.ts";
import { useClient, usePhone, useStore } from "../../app/app-context.tsx";
import { scaleLength } from "../../app/font-scale.ts";
import { FieldValue } from "../../field/field-value.tsx";
import { fields as kinds } from "../../field/fields.ts";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Link } from "../../ui/link.tsx";
import { FailedRegion, SkeletonLine } from "../../ui/page/region-status.tsx";
import { listQuery, writeSearch } from "../filter/list-search.ts";
import { useChosenColumns } from "../table/column-chooser.tsx";
import { ColumnHeader } from "../table/column-header.tsx";
import { findColumns } from "../table/column-widths.ts";
import { CompactRows } from "../table/compact-rows.tsx";
import { ListRow } from "../table/list-row.tsx";
import { getPageWidth, TableColumns, useWidths } from "../table/list-table.tsx";
import { isAddedUp, narrowToGroup, toSumValue } from "./group-search.ts";
import "./grouped-list.css";

interface GroupedProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly search: ListSearch;
  readonly sort: (field: string) => void;
  /** The first rows of the list, on which the widths of the columns are measured. */
  readonly items: readonly RecordJson[];
  readonly addressOf: (id: string) => string | null;
}

/** A list in groups: each with its count and sums, and its rows when it is unfolded. */
const GroupedList = (props: GroupedProps) => {
  const { screen, entity, search } = props;
  const { calls } = useClient();
  const phone = usePhone();
  const chosen = useChosenColumns(screen, entity).join(",");
  const columns = useMemo(() => findColumns(chosen.split(","), entity), [chosen, entity]);
  const summed = columns.filter(isAddedUp);
  const call = new URLSearchParams(
    groupsCall(
      search,
      screen,
      summed.map(({ name }) => name),
    ),
  );
  const query = useQuery({
    queryKey: keys.groups(entity.calls, call.toString()),
    queryFn: ({ signal }) => calls.groups(entity.calls, call, signal),
    placeholderData: keepPreviousData,
  });
  const { open, toggle } = useUnfolded(screen, search);
  const { say } = useWords();
  const failure = query.error ? toFailure(query.error) : null;
  if (query.data === undefined)
    return failure ? (
      <FailedRegion failure={failure} retry={() => void query.refetch()} />
    ) : (
      <div className="region skeleton" aria-busy="true">
        <p className="hidden-words">{say("loading")}</p>
        <SkeletonLine width="40%" />
        <SkeletonLine width="60%" />
      </div>
    );
  const { groups, more, ...total } = query.data;
  const fields = search.grouped.flatMap((name) => entity.fields.find((field) => field.name === name) ?? []);
  const shown = { ...props, columns, summed, fields, open, toggle };
  const cut = more && <p className="aside-words">{say("groups.more")}</p>;
  return phone ? (
    <div className="grouped-rows">
      <PhoneGroups {...shown} groups={groups} depth={0} path="" within={search} />
      <p className="group-total">
        <b>{say("groups.total")}</b> <Figures {...shown} figures={total} to={null} />
      </p>
      {cut}
    </div>
  ) : (
    <>
      <GroupedTable {...shown} groups={groups} total={total} />
      {cut}
    </>
  );
};

export default GroupedList;

/** Maximum number of unfolded groups that are remembered. */
const MOST_UNFOLDED = 40;

/** The unfolded groups, remembered with the list until it is grouped by other fields. */
const useUnfolded = (screen: ListScreenJson, search: ListSearch) => {
  const store = useClient().preferences.screen(screen.path);
  const { unfolded } = useStore(store);
  const by = search.grouped.join(",");
  const groups = unfolded?.by === by ? unfolded.groups : [];
  return {
    open: new Set(groups),
    toggle: (path: string) => {
      const others = groups.filter((one) => one !== path);
      const next = others.length < groups.length ? others : [...groups, path].slice(-MOST_UNFOLDED);
      store.set({ ...store.get(), unfolded: { by, groups: next } });
    },
  };
};

interface Shown extends GroupedProps {
  readonly columns: readonly FieldJson[];
  readonly summed: readonly FieldJson[];
  /** The fields of the groups, outermost first. */
  readonly fields: readonly FieldJson[];
  /** Paths of unfolded groups. */
  readonly open: ReadonlySet<string>;
  readonly toggle: (path: string) => void;
}

interface Level {
  readonly groups: readonly GroupedJson[];
  readonly depth: number;
  /** The path of the group around these; "" at the outermost level. */
  readonly path: string;
  /** The records of that group. */
  readonly within: ListSearch;
}

const addressIn = (screen: ListScreenJson, search: ListSearch): string => {
  const words = writeSearch(search, screen);
  return words === "" ? screen.path : `${screen.path}?${words}`;
};

/** The value that the records of a group share. */
const GroupName = ({ field, group: { key, label } }: { field: FieldJson; group: GroupedJson }) => {
  const { say, locale } = useWords();
  if (key === null) return <span className="none">{say("groups.none", { field: field.label })}</span>;
  if (field.type === "date")
    return new Intl.DateTimeFormat(locale, { month: "long", year: "numeric", timeZone: "UTC" }).format(
      new Date(`${String(key)}T00:00:00Z`),
    );
  if (field.type === "boolean") return say(key === true ? "value.yes" : "value.no");
  // A reference is no link here, because the button around it unfolds the group.
  if (field.type === "reference") return <bdi>{label ?? "…"}</bdi>;
  return <FieldValue field={field} value={key} />;
};

const GroupHead = ({
  field,
  group,
  path,
  open,
  toggle,
}: Shown & { field: FieldJson; group: GroupedJson; path: string }) => {
  const isOpen = open.has(path);
  return (
    <button type="button" className="group-fold" aria-expanded={isOpen} onClick={() => toggle(path)}>
      <Icon name={isOpen ? "down" : "next"} size={14} />
      <span className="cut">
        <span className="small-words">{field.label}:</span> <GroupName field={field} group={group} />
      </span>
    </button>
  );
};

/** The number of records and the sums, in one line. */
const Figures = ({ summed, figures, to, entity }: Shown & { figures: FiguresJson; to: string | null }) => {
  const { say, show } = useWords();
  const count = say("bulk.things", { count: figures.count, thing: entity.one, things: entity.many });
  return (
    <span className="small-words figures">
      {to === null ? count : <Link href={to}>{count}</Link>}
      {summed.map((field) => (
        <span key={field.name}>
          {" · "}
          {say("label.value", {
            label: field.label,
            value: show.value(field, toSumValue(field, figures.sums[field.name] ?? "0")) ?? "",
          })}
        </span>
      ))}
    </span>
  );
};

const GroupedTable = (props: Shown & { groups: readonly GroupedJson[]; total: FiguresJson }) => {
  const { screen, search, sort, columns, items, groups, total } = props;
  const { preferences } = useClient();
  const { say, show } = useWords();
  const store = preferences.screen(screen.path);
  const { widths: pulled } = useStore(store);
  // The sums are wider than the values that they add up.
  const measured = useMemo(() => {
    const sums = Object.fromEntries(
      columns.filter(isAddedUp).map((field) => [field.name, toSumValue(field, total.sums[field.name] ?? "0")]),
    );
    const id = JSON.stringify(total.sums);
    return [{ id, version: 0, created_at: "", updated_at: "", ...sums }, ...items];
  }, [columns, items, total.sums]);
  const { wrap, least, fits, widths } = useWidths(columns, pulled, 0, measured, getPageWidth);
  const pull = (name: string, width: number) =>
    store.set({ ...store.get(), widths: { ...store.get().widths, [name]: Math.max(64, Math.round(width)) } });
  return (
    <div ref={wrap} className={fits ? "table-wrap" : "table-wrap scrolls"}>
      {widths && (
        <table className="grid grouped" style={fits ? undefined : { width: scaleLength(least) }}>
          <caption className="hidden-words">{say("groups.caption", { title: screen.title })}</caption>
          <TableColumns columns={columns} widths={widths} />
          <thead>
            <tr>
              {columns.map((field, at) => (
                <ColumnHeader
                  key={field.name}
                  field={field}
                  sort={sort}
                  by={search.sort[0]}
                  width={widths[at]}
                  pull={(width) => pull(field.name, width)}
                  box={null}
                />
              ))}
            </tr>
          </thead>
          <TableGroups {...props} groups={groups} depth={0} path="" within={search} />
          <tfoot>
            <tr className="group-row">
              <FigureCells
                {...props}
                figures={total}
                to={null}
                head={
                  <>
                    <b>{say("groups.total")}</b> <span className="count">{show.number(total.count)}</span>
                  </>
                }
              />
            </tr>
          </tfoot>
        </table>
      )}
    </div>
  );
};

/** The cells of a group: its name in the first column, its sums in theirs. Each figure opens its rows. */
const FigureCells = ({
  columns,
  figures,
  to,
  head,
}: Shown & { figures: FiguresJson; to: string | null; head: ReactNode }) => {
  const { say, show } = useWords();
  const first = columns.findIndex(isAddedUp);
  const span = first < 0 ? columns.length : Math.max(first, 1);
  return (
    <>
      <th scope="row" colSpan={span} className="group-name">
        <div className="group-line">{head}</div>
      </th>
      {columns.slice(span).map((field) => {
        if (!isAddedUp(field)) return <td key={field.name} />;
        const sum = show.value(field, toSumValue(field, figures.sums[field.name] ?? "0")) ?? "";
        return (
          <td key={field.name} className={kinds[field.type].end ? "end" : undefined}>
            {to === null ? (
              <b>{sum}</b>
            ) : (
              <Link href={to} aria-label={say("groups.sum", { field: field.label, sum })}>
                {sum}
              </Link>
            )}
          </td>
        );
      })}
    </>
  );
};

const TableGroups = (props: Shown & Level): ReactNode => {
  const { groups, depth, path, within, fields, screen, open, entity } = props;
  const { say, show } = useWords();
  const field = fields[depth];
  if (field === undefined) return null;
  return groups.map((group) => {
    const own = `${path}/${String(group.key)}`;
    const inside = narrowToGroup(within, field, group.key);
    const to = addressIn(screen, inside);
    return [
      <tbody key={own}>
        <tr className="group-row" data-depth={depth}>
          <FigureCells
            {...props}
            figures={group}
            to={to}
            head={
              <>
                <GroupHead {...props} field={field} group={group} path={own} />
                <Link
                  className="count"
                  href={to}
                  aria-label={say("bulk.things", { count: group.count, thing: entity.one, things: entity.many })}
                >
                  {show.number(group.count)}
                </Link>
              </>
            }
          />
        </tr>
      </tbody>,
      open.has(own) &&
        (group.groups === undefined ? (
          <TableRows key={`${own} rows`} {...props} within={inside} />
        ) : (
          <TableGroups
            key={`${own} groups`}
            {...props}
            groups={group.groups}
            depth={depth + 1}
            path={own}
            within={inside}
          />
        )),
    ];
  });
};

/** The rows of a group, page by page. */
const useGroupRows = ({ screen, entity }: GroupedProps, within: ListSearch) => {
  const { calls } = useClient();
  const begin: ListPage = { after: null, limit: pageSize(screen, 0) };
  return useInfiniteQuery({
    queryKey: keys.drawn(entity.calls, `group ${listQuery(within, screen, begin)}`),
    queryFn: ({ pageParam, signal }) => calls.list(entity.calls, listQuery(within, screen, pageParam), signal),
    initialPageParam: begin,
    getNextPageParam: ({ next }, pages): ListPage | null =>
      next === null ? null : { after: next, limit: pageSize(screen, pages.length) },
  });
};

const TableRows = (props: Shown & { within: ListSearch }) => {
  const { columns, addressOf, within } = props;
  const { say } = useWords();
  const query = useGroupRows(props, within);
  const rows = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <tbody aria-busy={query.isFetching}>
      {query.isPending && (
        <tr>
          <td colSpan={columns.length}>{query.isError ? say("list.more.failed") : <SkeletonLine width="40%" />}</td>
        </tr>
      )}
      {rows.map((item) => (
        <ListRow
          key={item.id}
          item={item}
          columns={columns}
          address={addressOf(item.id)}
          index={undefined}
          selected={false}
          select={undefined}
          tinted={false}
          onMenu={undefined}
        />
      ))}
      {query.hasNextPage && (
        <tr>
          <td colSpan={columns.length}>
            <Button small busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              {say("related.more")}
            </Button>
          </td>
        </tr>
      )}
    </tbody>
  );
};

const PhoneGroups = (props: Shown & Level): ReactNode => {
  const { groups, depth, path, within, fields, screen, open } = props;
  const field = fields[depth];
  if (field === undefined) return null;
  return groups.map((group) => {
    const own = `${path}/${String(group.key)}`;
    const inside = narrowToGroup(within, field, group.key);
    return (
      <section key={own} className="group-section" data-depth={depth}>
        <GroupHead {...props} field={field} group={group} path={own} />
        <Figures {...props} figures={group} to={addressIn(screen, inside)} />
        {open.has(own) &&
          (group.groups === undefined ? (
            <PhoneRows {...props} within={inside} />
          ) : (
            <PhoneGroups {...props} groups={group.groups} depth={depth + 1} path={own} within={inside} />
          ))}
      </section>
    );
  });
};

const PhoneRows = (props: Shown & { within: ListSearch }) => {
  const { within, ...drawn } = props;
  const { say } = useWords();
  const query = useGroupRows(props, within);
  const rows = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      <CompactRows {...drawn} items={rows} />
      {query.hasNextPage && (
        <Button small busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {say("related.more")}
        </Button>
      )}
    </>
  );
};
