import type { EntityJson } from "../../core/wire/entities.ts";
import type { Count } from "../../core/wire/lists.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { TileJson } from "../../core/wire/screens.ts";
import { useApplication, useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import BulkBar from "../list/bulk/bulk-bar.tsx";
import { useExport } from "../list/export/export.tsx";
import { useWholeRecords } from "../list/selection/use-selection.ts";
import type { useRowMenu } from "../list/use-row-menu.ts";
import { findSelectionAddress } from "../routing/select-all.ts";
import type { TileSelection } from "./use-tile-selection.ts";

interface TileBarProps {
  readonly tile: TileJson & { readonly kind: "list" };
  readonly entity: EntityJson;
  /** The rows of the tile. */
  readonly items: readonly RecordJson[];
  readonly count: Count;
  readonly selection: TileSelection;
  readonly menu: Pick<ReturnType<typeof useRowMenu>, "menu" | "closeMenu">;
}

const nothing: readonly RecordJson[] = [];

/** The bar of a list, for the selected rows of a tile. More records than the tile shows are selected in their list. */
const TileBar = ({ tile, entity, items, count, selection, menu: { menu, closeMenu } }: TileBarProps) => {
  const { navigation } = useClient();
  const { screens } = useApplication();
  const { say, show } = useWords();
  const { selected, bar, keep } = selection;
  const rows = items.filter(({ id }) => selected.has(id));
  // Without states, the rows of a tile come without permissions.
  const { found, pending } = useWholeRecords(entity, entity.states === null ? rows : nothing);
  const list = screens.find((screen) => screen.kind === "list" && screen.path === tile.list);
  const own = { path: tile.clause, columns: tile.columns, title: tile.title };
  const exportRecords = useExport(list?.kind === "list" ? list : own, entity, tile.title);
  const all = findSelectionAddress(screens, tile);
  const isMore = rows.length === items.length && count !== items.length;
  const records = rows.map((row) => found.get(row.id) ?? row);
  return (
    <BulkBar
      entity={entity}
      records={records}
      pending={pending}
      focus={{ ...bar, menuAt: menu?.ofAll ?? null, onMenuClosed: closeMenu }}
      onNotForAll={bar.onReached}
      more={
        all === null || !isMore
          ? null
          : {
              label: say("tile.select.rest", { count: typeof count === "number" ? show.number(count) : count }),
              select: () => navigation.go(all),
              busy: false,
            }
      }
      onKeep={(ids) => keep(tile.clause, ids)}
      onExport={() => void exportRecords(records)}
    />
  );
};

export default TileBar;
