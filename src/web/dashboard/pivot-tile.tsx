import type { EntityJson } from "../../core/wire/entities.ts";
import type { TileDataJson } from "../../core/wire/overview.ts";
import type { TileJson } from "../../core/wire/screens.ts";
import { useApplication } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { unfilteredSearch } from "../list/filter/list-search.ts";
import { buildPivotAddress, findPivotFields } from "../list/pivot/pivot-lines.ts";
import { PivotTable } from "../list/pivot/pivot-table.tsx";

/** A pivot in a tile. Its figures open the list of the tile, with the tile's condition. */
export const PivotTile = ({
  tile,
  entity,
  data: { pivot },
}: {
  tile: TileJson & { readonly kind: "pivot" };
  entity: EntityJson;
  data: TileDataJson & { readonly kind: "pivot" };
}) => {
  const { screens } = useApplication();
  const { say } = useWords();
  const fields = findPivotFields(entity, tile);
  const list = screens.find((screen) => screen.kind === "list" && screen.path === tile.list);
  if (fields === undefined || pivot.count === 0)
    return <p className="tile-empty">{say("tile.empty", { things: entity.many })}</p>;
  return (
    <PivotTable
      title={tile.title}
      entity={entity}
      fields={fields}
      pivot={pivot}
      addressOf={(row, column) =>
        list?.kind === "list"
          ? buildPivotAddress(list, { ...unfilteredSearch, sort: list.sort, where: tile.clause }, fields, row, column)
          : null
      }
      isSmall
    />
  );
};
