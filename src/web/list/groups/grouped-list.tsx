import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { findGroupFieldJson, groupsCall, isAddedUp } from "../../../core/derive/http/list-query.ts";
import { toFailure } from "../../api/api-error.ts";
import { keys } from "../../api/query-keys.ts";
import { useClient, usePhone } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { usePrintShortcut } from "../../ui/dom/use-print.ts";
import { FailedRegion, SkeletonLine } from "../../ui/page/region-status.tsx";
import { useChosenColumns } from "../table/column-chooser.tsx";
import { findColumns } from "../table/column-widths.ts";
import { GroupFigures } from "./group-head.tsx";
import { orderGroups } from "./group-search.ts";
import { GroupedTable } from "./grouped-table.tsx";
import { type GroupedListProps, type GroupsView, useUnfoldedGroups } from "./groups-view.ts";
import { PhoneGroups } from "./phone-groups.tsx";
import "./grouped-list.css";

/** A list in groups: each with its count and sums, and its rows when it is unfolded. */
const GroupedList = (props: GroupedListProps) => {
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
  const groups = orderGroups(query.data?.groups ?? [], search.sort, summed);
  const { open, toggle } = useUnfoldedGroups(screen, search, groups);
  usePrintShortcut();
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
  const { more, ...total } = query.data;
  const fields = search.grouped.flatMap((group) => findGroupFieldJson(entity, group) ?? []);
  const view: GroupsView = { ...props, columns, summed, fields, open, toggle };
  const cut = more && <p className="aside-words">{say("groups.more")}</p>;
  return phone ? (
    <div className="grouped-rows">
      <PhoneGroups {...view} groups={groups} depth={0} path="" within={search} />
      <p className="group-total">
        <b>{say("groups.total")}</b> <GroupFigures {...view} figures={total} to={null} />
      </p>
      {cut}
    </div>
  ) : (
    <>
      <GroupedTable {...view} groups={groups} total={total} />
      {cut}
    </>
  );
};

export default GroupedList;
