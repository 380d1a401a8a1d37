import { useQuery } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient, useKeys, useStore, useTools } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { listQuery, unfilteredSearch } from "../list/filter/list-search.ts";
import { findNeighbours, type PagerSource } from "../routing/record-pager.ts";
import { findListScreen, recordAddress } from "../routing/routes.ts";
import { IconButton } from "../ui/control/button.tsx";
import { Breadcrumbs } from "../ui/page/breadcrumbs.tsx";

/** The list the user came from, with the previous and next record. */
export const RecordTrail = ({ entity, record }: { entity: EntityJson; record: RecordJson }) => {
  const { trail, navigation } = useClient();
  const { screens } = useApplication();
  const { say, show } = useWords();
  const from = useStore(trail);
  const list = findListScreen(screens, entity.name);
  const near = findNeighbours(from, entity.name, record.id);
  const back =
    near && from ? { label: from.title, href: from.address } : list ? { label: list.title, href: list.path } : null;
  useRestOfTile(entity, from, near !== null && near.next === null);
  const go = (id: string | null | undefined) => {
    const address = id ? recordAddress(screens, entity.name, id) : null;
    if (address) navigation.go(address, "replace");
  };
  useKeys({ j: () => go(near?.next), k: () => go(near?.previous) });
  useTools({
    ...(near?.previous && { [say("record.previous")]: () => go(near.previous) }),
    ...(near?.next && { [say("record.next")]: () => go(near.next) }),
  });

  return (
    <Breadcrumbs trail={back ? [back] : []}>
      {near && (
        <span className="neighbours">
          <span className="figures">
            {say("record.position", {
              position: show.number(near.position),
              count: typeof near.count === "number" ? show.number(near.count) : near.count,
            })}
          </span>
          <IconButton
            icon="up"
            small
            label={say("record.previous")}
            aria-disabled={near.previous === null || undefined}
            // At the end it keeps the focus that it has, but is no stop on the way to the actions.
            tabIndex={near.previous === null ? -1 : 0}
            onClick={() => go(near.previous)}
          />
          <IconButton
            icon="down"
            small
            label={say("record.next")}
            aria-disabled={near.next === null || undefined}
            tabIndex={near.next === null ? -1 : 0}
            onClick={() => go(near.next)}
          />
        </span>
      )}
    </Breadcrumbs>
  );
};

/** A tile shows the first of its records only: from the last of these, the way goes on through its list. */
const useRestOfTile = (entity: EntityJson, from: PagerSource | null, isAtEnd: boolean): void => {
  const { calls, trail } = useClient();
  const { screens } = useApplication();
  const tile = screens
    .flatMap((screen) => (screen.kind === "tiles" ? screen.tiles : []))
    .find(({ clause }) => clause === from?.tile);
  const list = screens.find((screen) => screen.kind === "list" && screen.path === tile?.list);
  const isCut = from?.count === "10,000+" || (from?.count ?? 0) > (from?.ids.length ?? 0);
  const sort = (tile?.kind === "list" ? tile.sort : undefined) ?? (list?.kind === "list" ? list.sort : []);
  const query =
    tile === undefined || list?.kind !== "list"
      ? null
      : listQuery({ ...unfilteredSearch, where: tile.clause, sort }, list, { after: null, limit: list.atOnce });
  const { data } = useQuery({
    queryKey: keys.drawn(entity.calls, query?.toString() ?? ""),
    queryFn: ({ signal }) => calls.list(entity.calls, query ?? new URLSearchParams(), signal),
    enabled: query !== null && isAtEnd && isCut,
  });
  const goOn = useEffectEvent((ids: readonly string[]) => {
    if (from !== null) trail.set({ ...from, ids: [...new Set([...from.ids, ...ids])] });
  });
  const rest = data?.items.map(({ id }) => id).join(" ");
  useEffect(() => {
    if (isAtEnd && isCut && rest !== undefined && rest !== "") goOn(rest.split(" "));
  }, [isAtEnd, isCut, rest]);
};
