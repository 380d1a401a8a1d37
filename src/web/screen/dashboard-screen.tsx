import { useQuery } from "@tanstack/react-query";
import { useId, useMemo, useRef, useState } from "react";
import type { EntityJson, FieldJson, FieldTypeName } from "../../core/wire/entities.ts";
import type { TileDataJson } from "../../core/wire/overview.ts";
import type { AxisJson, TileJson, TilesScreenJson } from "../../core/wire/screens.ts";
import { toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import {
  useApplication,
  useClient,
  useDelayed,
  useKeys,
  useLocale,
  usePerson,
  usePhone,
  useTitle,
  useTools,
  useTwoColumns,
} from "../app/app-context.tsx";
import type { RefusedTransitionNote } from "../app/app-state.ts";
import { FigureTile } from "../dashboard/figure-tile.tsx";
import { measures } from "../dashboard/figures.ts";
import { PivotTile } from "../dashboard/pivot-tile.tsx";
import { groupNumber, layTiles, type TileStack } from "../dashboard/tile-layout.ts";
import { useFewWords } from "../field/few-words.ts";
import { FieldValue, isNothing } from "../field/field-value.tsx";
import { fields } from "../field/fields.ts";
import { findDateRangeFields } from "../format/date-range-fields.ts";
import { calledInFull } from "../format/names.ts";
import { getValue } from "../format/record-values.ts";
import { whereAddress } from "../list/filter/list-search.ts";
import { findColumns } from "../list/table/column-widths.ts";
import { findNewScreen, recordAddress } from "../routing/routes.ts";
import { IconButton } from "../ui/control/button.tsx";
import { Link } from "../ui/link.tsx";
import { ProblemNote } from "../ui/page/problem-note.tsx";
import { FailedRegion, Progress, SkeletonLine } from "../ui/page/region-status.tsx";
import { listTileActs } from "../workflow/record-acts.ts";
import "../dashboard/tiles.css";
import "../dashboard/tile-list.css";
import type { WordId } from "../../core/i18n/catalogue.ts";
import { AdministratorStart } from "../dashboard/administrator-start.tsx";
import { Chart } from "../dashboard/chart.tsx";
import { TileActions } from "../dashboard/tile-actions.tsx";
import { useTileLines } from "../dashboard/use-tile-lines.ts";
import { useWords } from "../i18n/words.tsx";
import { PhoneRow } from "../list/table/compact-rows.tsx";
import { useRowArrows } from "../list/table/use-row-keyboard.ts";
import { CreateButton } from "../ui/control/create-button.tsx";

/** A dashboard: tiles with data visible to the reader, each linked to its list. */
const DashboardScreen = ({ screen }: { screen: TilesScreenJson }) => {
  const { calls, navigation } = useClient();
  const { screens, entities } = useApplication();
  const { say, show } = useWords();
  const { today } = useLocale();
  useTitle(screen.title);
  const query = useQuery({
    queryKey: keys.overview(screen.path),
    queryFn: ({ signal }) => calls.overview(screen.path, signal),
  });
  const failure = query.error ? toFailure(query.error) : query.failureReason ? toFailure(query.failureReason) : null;
  const loading = useDelayed(query.isPending && failure === null);
  const refreshing = useDelayed(query.isFetching && !query.isPending, 400);
  const making = screen.tiles.flatMap(({ entity }) => {
    const one = entities[entity];
    return one?.create && findNewScreen(screens, entity) ? [one] : [];
  })[0];
  const create = making ? findNewScreen(screens, making.name) : null;
  useKeys({
    c: () => {
      if (create) navigation.go(create.path);
    },
  });
  const tiles = useRef<HTMLDivElement>(null);
  useRowArrows(tiles);
  const data = query.data?.tiles;
  const stacks = useTileStacks(screen, data);
  const person = usePerson();
  // An administrator without a role might take empty tiles for an error.
  const hasNoRole = person?.administrator === true && person.roles.every(isAdministrators);
  const isShown = (at: number) => !hasNoRole || data?.[at] === undefined || !isEmpty(data[at]);
  const isBare = hasNoRole && data?.every(isEmpty) === true;

  return (
    <>
      <header className="page-head">
        <h1>{screen.title}</h1>
        <span className="page-day">{show.wholeDate(today)}</span>
        <span className="grow" />
        {making && create && <CreateButton entity={making} screen={create} />}
      </header>
      <Progress shown={refreshing} />
      {hasNoRole && data && <AdministratorStart />}
      {!data && failure ? (
        <div className="region">
          <FailedRegion failure={failure} retry={() => void query.refetch()} />
        </div>
      ) : isBare ? null : (
        <div ref={tiles} className={data ? "tiles" : "tiles skeleton"} aria-busy={query.isPending || undefined}>
          {!data && (
            <p className="hidden-words" role="status">
              {loading ? say("loading") : ""}
            </p>
          )}
          {stacks.map(({ width, lines }) => (
            <div key={lines.join(" ")} className="tile-stack" data-width={width}>
              {lines
                .map((line) => line.filter(isShown))
                .filter((line) => line.length > 0)
                .map((line) => (
                  <div key={line.join(" ")} className="tile-line">
                    {line.map((at) => {
                      const tile = screen.tiles[at];
                      const entity = tile && entities[tile.entity];
                      return tile && entity ? (
                        <TileView key={tile.clause} tile={tile} entity={entity} data={data?.[at]} bones={loading} />
                      ) : null;
                    })}
                  </div>
                ))}
            </div>
          ))}
        </div>
      )}
    </>
  );
};

/**
 * The place of each tile. It depends on what the tiles show when they are first shown, and stays when that changes, so
 * that no tile moves under the pointer. Narrow windows have one column, in document order.
 */
const useTileStacks = (screen: TilesScreenJson, data: readonly TileDataJson[] | undefined): readonly TileStack[] => {
  const columns = useTwoColumns() ? 2 : 1;
  const [first, setFirst] = useState({ path: screen.path, data });
  if (first.path !== screen.path || (first.data === undefined && data !== undefined))
    setFirst({ path: screen.path, data });
  return useMemo(
    () =>
      layTiles(
        screen.tiles.map((tile, at) => ({ ...tile, data: first.data?.[at] })),
        columns,
      ),
    [columns, screen, first],
  );
};

const isEmpty = (tile: TileDataJson): boolean => {
  switch (tile.kind) {
    case "chart":
      // The sum of values that the reader cannot see is 0.
      return tile.groups.every((group) => groupNumber(group) === 0);
    case "pivot":
      return tile.pivot.count === 0;
    case "figure":
      return tile.value === null || Number(tile.value) === 0;
    default:
      return tile.count === 0;
  }
};
const isAdministrators = (role: string): boolean => role === "administrator";

const steps = {
  day: "chart.step.day",
  week: "chart.step.week",
  month: "chart.step.month",
  quarter: "chart.step.quarter",
  year: "chart.step.year",
} satisfies Record<NonNullable<AxisJson["step"]>, WordId>;

interface TileProps {
  readonly tile: TileJson;
  readonly entity: EntityJson;
  /** Absent while loading. */
  readonly data: TileDataJson | undefined;
  readonly bones: boolean;
}

const TileView = ({ tile, entity, data, bones }: TileProps) => {
  const { navigation } = useClient();
  const { say, show } = useWords();
  const heading = useId();
  const [asTable, setAsTable] = useState(false);
  const to = tile.list === null ? null : whereAddress(tile.list, tile.clause);
  const counted = data?.kind === "list" ? data.count : undefined;
  const measured = tile.kind === "chart" ? tile : null;
  const isFigure = tile.kind === "count" || tile.kind === "figure";
  const by = ({ step, label }: AxisJson) => (step === null ? label : say(steps[step]));
  // Avoids repeating the title.
  const titleContains = (words: string) => tile.title.toLocaleLowerCase().includes(words.toLocaleLowerCase());
  const subtitled =
    measured !== null &&
    !(titleContains(by(measured.per)) && (measured.value.how === "count" || titleContains(measured.value.label)));
  const canTurn = measured !== null && data?.kind === "chart" && data.groups.length > 0;
  const turnLabel = say(asTable ? "chart.as.chart" : "chart.as.table", { name: tile.title });
  useTools({
    ...(canTurn && { [turnLabel]: () => setAsTable(!asTable) }),
    ...(to !== null && { [say("tile.all.of", { title: tile.title })]: () => navigation.go(to) }),
  });
  return (
    <section className={`tile-card ${tile.kind}`} aria-labelledby={heading}>
      <header className="tile-head">
        <h2>
          <span id={heading}>
            {isFigure && to !== null ? (
              <Link className="tile-link" href={to}>
                {tile.title}
              </Link>
            ) : (
              tile.title
            )}
          </span>
          {counted !== undefined && counted !== 0 && (
            <>
              {" "}
              <span className="tile-count figures">{typeof counted === "number" ? show.number(counted) : counted}</span>
            </>
          )}
        </h2>
        {measured && subtitled && (
          <span className="tile-by">
            {measured.value.how === "count"
              ? say("chart.by", { by: by(measured.per) })
              : say("chart.of.by", {
                  what: say(measures[measured.value.how], { of: measured.value.label }),
                  by: by(measured.per),
                })}
          </span>
        )}
        {tile.partial && <span className="tile-scope">{say("tile.partial", { things: entity.many })}</span>}
        <span className="grow" />
        {canTurn && (
          <IconButton
            icon={asTable ? "chart" : "table"}
            small
            look="quiet"
            label={turnLabel}
            onClick={() => setAsTable(!asTable)}
          />
        )}
        {!isFigure && to !== null && (
          <Link className="link tile-all" href={to} aria-label={say("tile.all.of", { title: tile.title })}>
            {say("tile.all")}
          </Link>
        )}
      </header>
      {data ? (
        <TileBody tile={tile} entity={entity} data={data} asTable={asTable} />
      ) : (
        <TileBones kind={tile.kind} shown={bones} />
      )}
    </section>
  );
};

const TileBody = ({
  tile,
  entity,
  data,
  asTable,
}: Omit<TileProps, "data" | "bones"> & { data: TileDataJson; asTable: boolean }) => {
  const { say, show } = useWords();
  if (data.kind === "count")
    return (
      <p className="tile-figure">
        <b className="big-figure figures">{typeof data.count === "number" ? show.number(data.count) : data.count}</b>
        <span>{data.count === 1 ? entity.one : entity.many}</span>
      </p>
    );
  if (data.kind === "figure") return tile.kind === "figure" ? <FigureTile tile={tile} data={data} /> : null;
  if (data.kind === "list")
    return tile.kind === "list" && data.items.length > 0 ? (
      <TileList tile={tile} entity={entity} items={data.items} count={data.count} />
    ) : (
      <p className="tile-empty">{say("tile.empty", { things: entity.many, title: tile.title })}</p>
    );
  if (data.kind === "pivot")
    return tile.kind === "pivot" ? <PivotTile tile={tile} entity={entity} data={data} /> : null;
  if (tile.kind !== "chart" || data.groups.length === 0)
    return <p className="tile-empty">{say("tile.chart.empty", { things: entity.many })}</p>;
  return (
    <Chart
      kind={tile.chart}
      name={tile.title}
      per={tile.per}
      value={tile.value}
      target={tile.target}
      entity={entity}
      groups={data.groups}
      more={data.more}
      asTable={asTable}
    />
  );
};

type ListData = Extract<TileDataJson, { kind: "list" }>;

const TileList = ({
  tile,
  entity,
  items,
  count,
}: {
  tile: TileJson & { kind: "list" };
  entity: EntityJson;
  items: ListData["items"];
  count: ListData["count"];
}) => {
  const { screens } = useApplication();
  const { say, show } = useWords();
  const phone = usePhone();
  const few = useFewWords(entity);
  const columns = findColumns(tile.columns, entity);
  const span = findDateRangeFields(screens, entity);
  const last = columns.find(({ name }) => name === span?.to);
  // Start and end of a record share a cell.
  const cells = columns.filter((field) => field !== last || !columns.some(({ name }) => name === span?.from));
  const acts = entity.states !== null && items.some((item) => listTileActs(entity, item).length > 0);
  const { ref, twoLines, first } = useTileLines(entity, columns, cells, items);
  const [refused, setRefused] = useState<RefusedTransitionNote | null>(null);
  const refusedNote = refused !== null && (
    <ProblemNote title={say("record.not.made", { transition: refused.transition.label })} failure={refused.failure} />
  );
  const address = (id: string) => recordAddress(screens, entity.name, id);
  const more = typeof count === "number" ? count - items.length : null;
  const rest = more !== 0 && tile.list !== null && (
    <p className="tile-more">
      <Link className="link" href={whereAddress(tile.list, tile.clause)}>
        {more === null ? say("tile.more.many") : say("tile.more", { count: more })}
      </Link>
    </p>
  );
  if (phone || twoLines)
    return (
      <div ref={ref}>
        <ul className={phone ? "rows tile-rows" : "rows tile-rows beside"}>
          {items.map((item) => (
            <li key={item.id}>
              <PhoneRow entity={entity} item={item} columns={columns} address={address(item.id)} />
              <TileActions entity={entity} record={item} onRefused={setRefused} />
              {refused?.record === item.id && refusedNote}
            </li>
          ))}
        </ul>
        {rest}
      </div>
    );
  return (
    <div ref={ref}>
      {twoLines === false && (
        <table className="tile-table">
          <caption className="hidden-words">{tile.title}</caption>
          <thead className="hidden-words">
            <tr>
              {cells.map((field) => (
                <th key={field.name} scope="col">
                  {field.name === span?.from && last ? `${field.label} – ${last.label}` : field.label}
                </th>
              ))}
              {acts && <th scope="col">{say("tile.actions")}</th>}
            </tr>
          </thead>
          <tbody>
            {items.map((item) => {
              const to = address(item.id);
              const details = few(columns, item);
              return [
                <tr key={item.id}>
                  {cells.map((field, at) => {
                    const value = getValue(item, field.name);
                    const words = details.find((detail) => detail.field === field)?.shown ?? null;
                    return (
                      <td
                        key={field.name}
                        title={words ?? undefined}
                        className={cellClass(field, at)}
                        style={at === 0 && !short.includes(field.type) ? { inlineSize: first } : undefined}
                      >
                        {at === 0 && to !== null ? (
                          <Link
                            className="row-link cut"
                            href={to}
                            data-row={item.id}
                            aria-label={calledInFull(show.value(field, value), item._label ?? "")}
                          >
                            {isNothing(value) ? (item._label ?? "") : <FieldValue field={field} value={value} cell />}
                          </Link>
                        ) : (
                          <span className="cut figures">
                            {inWords.includes(field.type) ? words : <FieldValue field={field} value={value} cell />}
                          </span>
                        )}
                      </td>
                    );
                  })}
                  {acts && (
                    <td className="tile-acts">
                      <TileActions entity={entity} record={item} onRefused={setRefused} />
                    </td>
                  )}
                </tr>,
                refused?.record === item.id && (
                  <tr key={`${item.id} refused`} className="tile-refused">
                    <td colSpan={cells.length + 1}>{refusedNote}</td>
                  </tr>
                ),
              ];
            })}
          </tbody>
        </table>
      )}
      {rest}
    </div>
  );
};

/** Types whose values need a label, because there is no column header. */
const inWords: readonly FieldTypeName[] = ["integer", "decimal", "date", "datetime"];
const short: readonly FieldTypeName[] = [
  "integer",
  "decimal",
  "date",
  "datetime",
  "boolean",
  "state",
  "choice",
  "sequence",
  "integer sequence",
];

const cellClass = ({ type }: FieldJson, at: number): string | undefined =>
  [short.includes(type) ? (at === 0 ? "short first" : "short") : at === 0 ? "first" : "", fields[type].end ? "end" : ""]
    .filter(Boolean)
    .join(" ") || undefined;

/** A placeholder of the same size. */
const TileBones = ({ kind, shown }: { kind: TileJson["kind"]; shown: boolean }) => {
  const bone = (width: string) => (shown ? <SkeletonLine width={width} /> : null);
  if (kind === "count" || kind === "figure") return <p className="tile-figure">{bone("72px")}</p>;
  if (kind === "chart" || kind === "pivot") return <div className="plot-room">{bone("100%")}</div>;
  return (
    <div className="tile-bones">
      {["68%", "54%", "62%"].map((width) => (
        <div key={width}>{bone(width)}</div>
      ))}
    </div>
  );
};

export default DashboardScreen;
