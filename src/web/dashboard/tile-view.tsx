import { useId, useState } from "react";
import { tileAddress } from "../../core/derive/client/list-address.ts";
import { findGroupFieldJson } from "../../core/derive/http/list-query.ts";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { TileDataJson } from "../../core/wire/overview.ts";
import type { AxisJson, TileJson } from "../../core/wire/screens.ts";
import { useApplication, useClient, useTools } from "../app/app-context.tsx";
import { IconButton } from "../ui/control/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import { SkeletonLine } from "../ui/page/region-status.tsx";
import { measures } from "./chart/figures.ts";
import { FigureTile } from "./figure-tile.tsx";
import { PivotTile } from "./pivot-tile.tsx";
import "./tiles.css";
import "./tile-list.css";
import type { WordId } from "../../core/i18n/catalogue.ts";
import { useWords } from "../i18n/words.tsx";
import { unfilteredSearch } from "../list/filter/list-search.ts";
import { buildGroupAddress, findRowsLayout, narrowToGroup } from "../list/groups/group-search.ts";
import { useRowHandover } from "../list/table/use-row-handover.ts";
import { Chart } from "./chart/chart.tsx";
import type { GroupAddress } from "./chart/chart-groups.ts";
import { TileList } from "./tile-list.tsx";
import { useSteadyHeight } from "./use-steady-height.ts";
import type { TileSelection } from "./use-tile-selection.ts";

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
  readonly showsSkeleton: boolean;
  readonly selection: TileSelection;
}

/** All rows of a tile are drawn: one that is missing has gone. */
const always = () => true;

/** A tile with its title, its link and its content, or a placeholder. */
export const TileView = ({ tile, entity, data, showsSkeleton, selection }: TileProps) => {
  const { navigation } = useClient();
  const { say, show } = useWords();
  const heading = useId();
  const [asTable, setAsTable] = useState(false);
  const card = useSteadyHeight<HTMLElement>(data?.kind === "list");
  useRowHandover(card, always);
  const to = tileAddress(tile);
  // A skeleton has no links: with the data, all tiles are drawn anew in their places, and the focus would be lost.
  const href = data === undefined ? null : to;
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
    <section ref={card} className={`tile-card ${tile.kind}`} aria-labelledby={heading}>
      <header className="tile-head">
        <h2>
          <span id={heading}>
            {isFigure && href !== null ? (
              <Link className="tile-link" href={href}>
                {tile.title}
              </Link>
            ) : (
              tile.title
            )}
          </span>
          {counted !== undefined && counted !== 0 && (
            <>
              {" "}
              <span className={tile.overdue ? "tile-count late figures" : "tile-count figures"}>
                {typeof counted === "number" ? show.number(counted) : counted}
              </span>
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
        {!isFigure && href !== null && (
          <Link className="link tile-all" href={href} aria-label={say("tile.all.of", { title: tile.title })}>
            {say("tile.all")}
          </Link>
        )}
      </header>
      {data ? (
        <TileBody tile={tile} entity={entity} data={data} asTable={asTable} selection={selection} />
      ) : (
        <TileSkeleton kind={tile.kind} shown={showsSkeleton} />
      )}
    </section>
  );
};

const TileBody = ({
  tile,
  entity,
  data,
  asTable,
  selection,
}: Omit<TileProps, "data" | "showsSkeleton"> & { data: TileDataJson; asTable: boolean }) => {
  const { say, show } = useWords();
  if (data.kind === "count")
    return (
      <p className={tile.overdue && data.count !== 0 ? "tile-figure overdue" : "tile-figure"}>
        {tile.overdue && data.count !== 0 && <Icon name="alert" size={20} />}
        <b className="big-figure figures">{typeof data.count === "number" ? show.number(data.count) : data.count}</b>
        <span>{data.count === 1 ? entity.one : entity.many}</span>
      </p>
    );
  if (data.kind === "figure") return tile.kind === "figure" ? <FigureTile tile={tile} data={data} /> : null;
  if (data.kind === "list")
    return tile.kind === "list" && data.items.length > 0 ? (
      <TileList tile={tile} entity={entity} items={data.items} count={data.count} selection={selection} />
    ) : (
      <p className="tile-empty">{say("tile.empty", { things: entity.many })}</p>
    );
  if (data.kind === "pivot")
    return tile.kind === "pivot" ? <PivotTile tile={tile} entity={entity} data={data} /> : null;
  if (tile.kind !== "chart" || data.groups.length === 0)
    return <p className="tile-empty">{say("tile.chart.empty", { things: entity.many })}</p>;
  return <ChartTile tile={tile} entity={entity} data={data} asTable={asTable} />;
};

/** A chart whose groups open the list of the tile, with the tile's condition. */
const ChartTile = ({
  tile,
  entity,
  data,
  asTable,
}: {
  readonly tile: TileJson & { readonly kind: "chart" };
  readonly entity: EntityJson;
  readonly data: TileDataJson & { readonly kind: "chart" };
  readonly asTable: boolean;
}) => {
  const { screens } = useApplication();
  const list = screens.find((screen) => screen.kind === "list" && screen.path === tile.list);
  const field = tile.per.group === null ? undefined : findGroupFieldJson(entity, tile.per.group);
  const addressOf: GroupAddress = ({ key }) =>
    list?.kind !== "list" || field === undefined || typeof key === "number"
      ? null
      : buildGroupAddress(
          list,
          narrowToGroup(
            { ...unfilteredSearch, sort: list.sort, where: tile.clause, layout: findRowsLayout(list) },
            field,
            key,
          ),
        );
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
      addressOf={addressOf}
    />
  );
};

/** A placeholder of the same size. */
const TileSkeleton = ({ kind, shown }: { kind: TileJson["kind"]; shown: boolean }) => {
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
