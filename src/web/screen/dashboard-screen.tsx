import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import { groupNumber } from "../../core/derive/client/measured-values.ts";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { OverviewJson, TileDataJson } from "../../core/wire/overview.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { TileJson, TilesScreenJson } from "../../core/wire/screens.ts";
import { useTrialsAwaited } from "../actions/use-tried-record.ts";
import { toFailureOf } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import {
  useApplication,
  useClient,
  useDelayed,
  useKeys,
  useLocale,
  usePerson,
  useTitle,
  useTwoColumns,
} from "../app/app-context.tsx";
import { usePressEarlyRowKeys } from "../app/early-row-keys.ts";
import { AdministratorStart } from "../dashboard/administrator-start.tsx";
import { isWidePivot, layTiles, type TileStack } from "../dashboard/tile-layout.ts";
import { TileView } from "../dashboard/tile-view.tsx";
import { useTileSelection } from "../dashboard/use-tile-selection.ts";
import { useWords } from "../i18n/words.tsx";
import { useReturnRow, useTileRowKeys } from "../list/table/use-row-keyboard.ts";
import { findNewScreen } from "../routing/routes.ts";
import { CreateButton } from "../ui/control/create-button.tsx";
import { FailedRegion, Progress, SkeletonLine } from "../ui/page/region-status.tsx";
import { useHeldWhile } from "../util/use-held-while.ts";
import { listTileActs } from "../workflow/record-acts.ts";

/** The content of each tile; null for one that this person does not have. */
type TilesData = readonly (Exclude<TileDataJson, { readonly kind: "absent" }> | null)[];

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
  const failure = toFailureOf(query);
  const isAwaited = useRowsAwaited(screen, query.data);
  const begun = useHeldWhile(isAwaited, !isAwaited);
  const answered = query.data?.tiles.map((tile) => (tile.kind === "absent" ? null : tile));
  const data = begun ? answered : undefined;
  const loading = useDelayed(data === undefined && failure === null);
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
  const { selection, acts } = useTileSelection(screen.tiles, data);
  useTileRowKeys(tiles, acts);
  useReturnRow(data !== undefined);
  usePressEarlyRowKeys(data !== undefined);
  const places = useTilePlaces(screen, answered);
  const stacks = useTileStacks(screen, places);
  const person = usePerson();
  // An administrator without a role might take empty tiles for an error.
  const hasNoRole = person?.administrator === true && person.roles.every(isAdministrators);
  const isShown = (at: number) => !hasNoRole || data?.[at] == null || !isEmpty(data[at]);
  const isBare = hasNoRole && data?.every((tile) => tile === null || isEmpty(tile)) === true;

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
      ) : isBare ? null : data && places.length === 0 ? (
        <p className="tile-empty">{say("overview.none")}</p>
      ) : (
        // The skeleton is replaced as a whole: the rows of a list decide how far below it the next tile is.
        <div
          key={data ? "tiles" : "skeleton"}
          ref={tiles}
          className={data ? "tiles" : "tiles skeleton"}
          aria-busy={!data || undefined}
        >
          {!data && (
            <p className="hidden-words" role="status">
              {loading ? say("loading") : ""}
            </p>
          )}
          {!data && loading && places.length === 0 && <PlacelessSkeleton />}
          {stacks.map(({ width, lines }, nth) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a tile that comes or goes must not draw its stack anew
            <div key={nth} className="tile-stack" data-width={width}>
              {lines
                .map((line) => line.filter(isShown))
                .filter((line) => line.length > 0)
                .map((line) => (
                  <div key={line.join(" ")} className="tile-line">
                    {line.map((at) => {
                      const tile = screen.tiles[at];
                      const entity = tile && entities[tile.entity];
                      return tile && entity ? (
                        <TileView
                          key={tile.clause}
                          tile={tile}
                          entity={entity}
                          data={data && (data[at] ?? nothingIn(tile))}
                          showsSkeleton={loading}
                          selection={selection}
                        />
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
 * True until the rows of lists are there, with what rules on other records refuse: lines that say so would move the rows and
 * buttons below them.
 */
const useRowsAwaited = ({ tiles }: TilesScreenJson, overview: OverviewJson | undefined): boolean => {
  const { entities } = useApplication();
  const isAwaited = useTrialsAwaited(
    (overview?.tiles ?? []).flatMap((data, at) => {
      const entity = entities[tiles[at]?.entity ?? ""];
      return data.kind === "list" && entity ? [{ entity, records: data.items }] : [];
    }),
  );
  return overview === undefined || isAwaited;
};

/**
 * The tiles in their order, in which none moves another while the page is open: one that comes is the last, and one that
 * goes stays, empty. In one column, those whose rows wait for the reader come first: below others, they would be overlooked.
 * These, and a tile for a role on records, are only known with the data, and so are the places of the others.
 */
const useTilePlaces = ({ tiles }: TilesScreenJson, data: TilesData | undefined): readonly number[] => {
  const { entities } = useApplication();
  const isOneColumn = !useTwoColumns();
  // Decisions change no places.
  const waiting = useRef<{ readonly of: TilesScreenJson["tiles"]; readonly tiles: ReadonlySet<number> } | null>(null);
  const known = useRef<{ readonly of: TilesScreenJson["tiles"]; readonly places: readonly number[] }>({
    of: tiles,
    places: [],
  });
  const all = [...tiles.keys()];
  if (data === undefined) return isOneColumn || tiles.some(({ conditional }) => conditional) ? [] : all;
  const waits = (at: number) => {
    const [tile, entity] = [data[at], entities[tiles[at]?.entity ?? ""]];
    return tile?.kind === "list" && entity !== undefined && isWaiting(entity, tile.items);
  };
  if (waiting.current?.of !== tiles) waiting.current = { of: tiles, tiles: new Set(all.filter(waits)) };
  const { tiles: first } = waiting.current;
  // A new version of the document can have others.
  const before = known.current.of === tiles ? known.current.places : [];
  const isKept = (at: number) => data[at] != null || nothingIn(tiles[at]) !== undefined;
  const added = all.filter((at) => data[at] != null && !before.includes(at));
  const places = [...before.filter(isKept), ...added];
  known.current = { of: tiles, places };
  return isOneColumn ? [...places.filter((at) => first.has(at)), ...places.filter((at) => !first.has(at))] : places;
};

/** True if the reader is expected to act on each of the rows. */
const isWaiting = (entity: EntityJson, rows: readonly RecordJson[]): boolean =>
  rows.length > 0 && rows.every((row) => listTileActs(entity, row).length > 0);

/** The content of a list tile that has gone; undefined for others, which say nothing without a figure. */
const nothingIn = (tile: TileJson | undefined): TileDataJson | undefined =>
  tile?.kind === "list" ? { kind: "list", items: [], count: 0 } : undefined;

/** Cards with rows and their buttons, while nobody knows where the tiles will be. */
const PlacelessSkeleton = () => {
  const half = useTwoColumns() ? "half" : "full";
  return ["38%", "52%", "44%"].map((width) => (
    <div key={width} className="tile-stack" data-width={half} aria-hidden="true">
      <div className="tile-card list">
        <div className="tile-head">
          <SkeletonLine width={width} />
        </div>
        {["72%", "64%"].map((title) => (
          <div key={title} className="card-bones">
            <SkeletonLine width={title} />
            <SkeletonLine width="48%" />
            <SkeletonLine width="96px" />
          </div>
        ))}
      </div>
    </div>
  ));
};

/** The place of each tile that is present. Narrow windows have one column. */
const useTileStacks = ({ tiles }: TilesScreenJson, places: readonly number[]): readonly TileStack[] => {
  const { entities } = useApplication();
  const columns = useTwoColumns() ? 2 : 1;
  const shown = places.join(" ");
  return useMemo(() => {
    const indexes = shown.split(" ").filter(Boolean).map(Number);
    const laid = indexes.flatMap((at) => {
      const tile = tiles[at];
      if (tile === undefined) return [];
      const entity = entities[tile.entity];
      return [{ kind: tile.kind, isWide: entity !== undefined && isWidePivot(tile, entity) }];
    });
    const placeOf = (nth: number) => indexes[nth] ?? nth;
    return layTiles(laid, columns).map(({ width, lines }) => ({
      width,
      lines: lines.map((line) => line.map(placeOf)),
    }));
  }, [columns, tiles, shown, entities]);
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

export default DashboardScreen;
