import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { type ListSearch, pivotCall } from "../../core/derive/http/list-query.ts";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { Count } from "../../core/wire/lists.ts";
import type { ListScreenJson, PivotFieldsJson } from "../../core/wire/screens.ts";
import { toFailureOf } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient, useDelayed } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { findNewScreen } from "../routing/routes.ts";
import { FailedRegion, Progress, SkeletonLine } from "../ui/page/region-status.tsx";
import { clearFilters, isNarrowed } from "./filter/list-search.ts";
import { Empty, NoMatch } from "./late-empty-states.tsx";
import { buildPivotAddress, type PivotFields } from "./pivot/pivot-lines.ts";
import { PivotTable } from "./pivot/pivot-table.tsx";

interface PivotLayoutProps {
  readonly screen: ListScreenJson;
  readonly entity: EntityJson;
  readonly search: ListSearch;
  readonly pivot: PivotFieldsJson;
  readonly fields: PivotFields;
  readonly onCount: (count: Count | undefined, about: undefined, isOfSearch: boolean) => void;
  readonly seek: (next: ListSearch) => void;
}

/** A list as a pivot. */
const PivotLayout = ({ screen, entity, search, pivot, fields, onCount, seek }: PivotLayoutProps) => {
  const { calls } = useClient();
  const { screens } = useApplication();
  const { say } = useWords();
  const call = new URLSearchParams(pivotCall(search, screen, pivot));
  const query = useQuery({
    queryKey: keys.pivot(entity.calls, call.toString()),
    queryFn: ({ signal }) => calls.pivot(entity.calls, call, signal),
    placeholderData: keepPreviousData,
  });
  const { data, isPlaceholderData } = query;
  const count = data?.count;
  useEffect(() => onCount(count, undefined, !isPlaceholderData), [onCount, count, isPlaceholderData]);
  const failure = toFailureOf(query);
  const loading = useDelayed(data === undefined && failure === null);
  const refreshing = useDelayed(query.isFetching && data !== undefined);
  const isCut = data !== undefined && [...data.rows, ...data.columns].some(({ others }) => others !== undefined);
  return (
    <section className="list" aria-label={screen.title} aria-busy={query.isFetching}>
      <Progress shown={refreshing} />
      {data === undefined ? (
        failure ? (
          <FailedRegion failure={failure} retry={() => void query.refetch()} />
        ) : loading ? (
          <div className="region skeleton">
            <p className="hidden-words">{say("loading")}</p>
            <SkeletonLine width="60%" />
            <SkeletonLine width="60%" />
          </div>
        ) : null
      ) : data.count === 0 ? (
        isNarrowed(search) ? (
          <NoMatch entity={entity} search={search} clear={() => seek(clearFilters(search))} />
        ) : (
          <Empty screen={screen} entity={entity} create={findNewScreen(screens, entity.name)} />
        )
      ) : (
        <>
          <PivotTable
            title={screen.title}
            entity={entity}
            fields={fields}
            pivot={data}
            addressOf={(row, column) => buildPivotAddress(screen, search, fields, row, column)}
          />
          {isCut && <p className="aside-words pivot-cut">{say("pivot.cut")}</p>}
        </>
      )}
    </section>
  );
};

export default PivotLayout;
