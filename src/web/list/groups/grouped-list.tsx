import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { findGroupFieldJson, groupsCall, isAddedUp } from "../../../core/derive/http/list-query.ts";
import { toLastFailure } from "../../api/api-error.ts";
import { keys } from "../../api/query-keys.ts";
import { useClient, usePhone } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { usePrintShortcut } from "../../ui/dom/use-print.ts";
import { FailedRegion, SkeletonLine } from "../../ui/page/region-status.tsx";
import { addActingFields } from "../table/acting-fields.ts";
import { findColumns } from "../table/column-widths.ts";
import { SelectAllRow } from "../table/compact-rows.tsx";
import { MOST_SELECTED } from "../table/loaded-pages.ts";
import { useChosenColumns } from "../table/use-chosen-columns.ts";
import { GroupCount, GroupSums } from "./group-head.tsx";
import { orderGroups } from "./group-search.ts";
import type { GroupedRows } from "./grouped-rows.ts";
import { GroupedTable } from "./grouped-table.tsx";
import {
  findInnermost,
  type GroupedListProps,
  type GroupsView,
  type InnermostGroup,
  isHeld,
  useGroupRows,
  useUnfoldedGroups,
} from "./groups-view.ts";
import { PhoneGroups } from "./phone-groups.tsx";
import "./grouped-list.css";

/** A list in groups: each with its count and sums, and its rows when it is unfolded. */
const GroupedList = (props: GroupedListProps) => {
  const { screen, entity, search, grouped } = props;
  const { calls } = useClient();
  const phone = usePhone();
  const chosen = useChosenColumns(screen, entity).join(",");
  const by = search.grouped.join(",");
  // The heads of the groups name these values. The first column opens the rows.
  const columns = useMemo(
    () =>
      addActingFields(findColumns(chosen.split(","), entity), screen, entity, search).filter(
        ({ name }, at) => at === 0 || !by.split(",").includes(name),
      ),
    [chosen, screen, entity, search, by],
  );
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
  const groups = orderGroups(query.data?.groups ?? [], search.sort, summed);
  const { open, toggle } = useUnfoldedGroups(screen, search, groups);
  usePrintShortcut();
  const { say } = useWords();
  const fields = search.grouped.flatMap((group) => findGroupFieldJson(entity, group) ?? []);
  const innermost = findInnermost(groups, fields, open, { path: "", within: search, isOpen: true });
  useInnermost(grouped, innermost);
  const failure = query.error ? toLastFailure(query.error) : null;
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
  const { more, ...total } = query.data;
  const view: GroupsView = { ...props, columns, summed, fields, open, toggle, innermost };
  const folded = innermost.filter(({ isOpen, path }) => !isOpen && isHeld(props, path));
  const held = folded.map((group) => <HeldRows key={group.path} {...view} group={group} />);
  const cut = more && <p className="aside-words">{say("groups.more")}</p>;
  return phone ? (
    <div className="grouped-rows">
      {props.selecting && (
        <SelectAllRow selection={props.selection} shown={Math.min(total.count, MOST_SELECTED)} isOfGroups />
      )}
      <PhoneGroups {...view} groups={groups} depth={0} path="" within={search} />
      <p className="group-total">
        <span>
          <b>{say("groups.total")}</b> <GroupCount {...view} figures={total} to={null} />
        </span>
        <GroupSums {...view} figures={total} />
      </p>
      {held}
      {cut}
    </div>
  ) : (
    <>
      <GroupedTable {...view} groups={groups} total={total} />
      {held}
      {cut}
    </>
  );
};

/** The selection of whole groups needs to know all of them. */
const useInnermost = ({ setInnermost }: GroupedRows, innermost: readonly InnermostGroup[]): void => {
  const paths = innermost.map(({ path }) => path).join("\n");
  useEffect(() => setInnermost(paths === "" ? [] : paths.split("\n")), [setInnermost, paths]);
  useEffect(() => () => setInnermost([]), [setInnermost]);
};

/** The rows of a folded group, which are kept because some are selected. */
const HeldRows = (props: GroupsView & { group: InnermostGroup }): null => {
  const { path, within, count } = props.group;
  useGroupRows(props, path, within, count);
  return null;
};

export default GroupedList;
