import { type ReactNode, useMemo } from "react";
import type { ListSearch } from "../../../core/derive/http/list-query.ts";
import { isAddedUp } from "../../../core/derive/http/list-query.ts";
import type { FiguresJson, GroupedJson } from "../../../core/wire/groups.ts";
import { useApplication, useClient, useStore } from "../../app/app-context.tsx";
import { scaleLength } from "../../app/font-scale.ts";
import { fields as kinds } from "../../field/fields.ts";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { SelectAllBox } from "../../ui/control/row-box.tsx";
import { Link } from "../../ui/link.tsx";
import { SkeletonLine } from "../../ui/page/region-status.tsx";
import { ColumnHeader } from "../table/column-header.tsx";
import { setColumnWidth } from "../table/column-widths.ts";
import { ListRow, showTruncatedText } from "../table/list-row.tsx";
import {
  findEditableFields,
  getPageWidth,
  gridClass,
  MENU_WIDTH,
  TableColumns,
  useWidths,
} from "../table/list-table.tsx";
import { MOST_SELECTED } from "../table/loaded-pages.ts";
import { useLockedCells } from "../table/use-locked-cells.ts";
import { GroupBox } from "./group-box.tsx";
import { GroupHead } from "./group-head.tsx";
import { buildGroupAddress, narrowToGroup, toSumValue } from "./group-search.ts";
import { type GroupLevel, type GroupsView, groupPath, useGroupRows } from "./groups-view.ts";

/** The groups as one table: a line for each group, its rows below it, and the totals at the end. */
export const GroupedTable = (props: GroupsView & { groups: readonly GroupedJson[]; total: FiguresJson }) => {
  const { screen, search, sort, columns, items, answer, groups, total, selection } = props;
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
  const { wrap, least, fits, isTight, widths } = useWidths({
    columns,
    pulled,
    besides: MENU_WIDTH,
    items: measured,
    answer,
    by: search.sort[0],
    guess: getPageWidth,
  });
  return (
    <div ref={wrap} className={fits ? "table-wrap" : "table-wrap scrolls"}>
      {widths && (
        <table
          className={gridClass({ grouped: true, tight: isTight, choosing: selection.selected.size > 0 })}
          style={fits ? undefined : { width: scaleLength(least) }}
        >
          <caption className="hidden-words">{say("groups.caption", { title: screen.title })}</caption>
          <TableColumns columns={columns} widths={widths} menu />
          <thead>
            <tr>
              {columns.map((field, at) => (
                <ColumnHeader
                  key={field.name}
                  field={field}
                  sort={sort}
                  by={search.sort[0]}
                  width={widths[at]}
                  pull={(width) => setColumnWidth(store, field.name, width)}
                  box={
                    at === 0 ? (
                      <SelectAllBox selection={selection} shown={Math.min(total.count, MOST_SELECTED)} isOfGroups />
                    ) : null
                  }
                />
              ))}
              <th scope="col" className="row-end">
                <span className="hidden-words">{say("row.menus")}</span>
              </th>
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
}: GroupsView & { figures: FiguresJson; to: string | null; head: ReactNode }) => {
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
      <td className="row-end" />
    </>
  );
};

const TableGroups = (props: GroupsView & GroupLevel): ReactNode => {
  const { groups, depth, path, within, fields, screen, open, entity } = props;
  const { say, show } = useWords();
  const field = fields[depth];
  if (field === undefined) return null;
  return groups.map((group) => {
    const own = groupPath(path, group);
    const inside = narrowToGroup(within, field, group.key);
    const to = buildGroupAddress(screen, inside);
    return [
      <tbody key={own}>
        <tr className="group-row" data-depth={depth}>
          <FigureCells
            {...props}
            figures={group}
            to={to}
            head={
              <>
                <GroupBox {...props} field={field} group={group} path={own} />
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
          <TableRows key={`${own} rows`} {...props} path={own} within={inside} count={group.count} />
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

/** The editable fields whose values only the heads of the groups show. */
const findFieldsInHead = ({ fields, columns }: GroupsView, editable: ReadonlySet<string>): string =>
  fields
    .map(({ name }) => name)
    .filter((name) => editable.has(name) && !columns.some((column) => column.name === name))
    .join(" ");

const TableRows = (props: GroupsView & { path: string; within: ListSearch; count: number }) => {
  const { columns, addressOf, path, within, count, entity, selection, onMenu, onEdit } = props;
  const { say } = useWords();
  const { screens } = useApplication();
  const editable = useMemo(() => findEditableFields(screens, entity), [screens, entity]);
  const inHead = findFieldsInHead(props, editable);
  const showLocks = useLockedCells(entity);
  const { query, rows, more, showMore, place, awaited } = useGroupRows<HTMLTableSectionElement>(
    props,
    path,
    within,
    count,
  );
  return (
    <tbody ref={place} aria-busy={query.isFetching} onMouseMove={showTruncatedText} onPointerOver={showLocks}>
      {query.isError && (
        <tr>
          <td colSpan={columns.length + 1}>{say("list.more.failed")}</td>
        </tr>
      )}
      {Array.from({ length: awaited }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: placeholders have no other identity
        <tr key={at}>
          <td colSpan={columns.length + 1}>
            <SkeletonLine width="40%" />
          </td>
        </tr>
      ))}
      {rows.map((item) => (
        <ListRow
          key={item.id}
          item={item}
          columns={columns}
          address={addressOf(item.id)}
          index={undefined}
          selected={selection.selected.has(item.id)}
          select={selection.select}
          tinted={false}
          onMenu={onMenu}
          editable={editable}
          onEdit={onEdit}
          inHead={inHead}
        />
      ))}
      {query.hasNextPage && (
        <tr className="group-more">
          <td colSpan={columns.length + 1}>
            <Button small look="quiet" busy={query.isFetchingNextPage} onClick={showMore}>
              {say("list.more", { count: more })}
            </Button>
          </td>
        </tr>
      )}
    </tbody>
  );
};
