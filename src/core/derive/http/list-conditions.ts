import type { Expr } from "../../expression/expr.ts";
import type { Model } from "../../model/model.ts";
import { mightSeeTile, type Principal, seesScreen } from "../authorization/grants.ts";

/** The conditions of the lists and tiles visible to the caller, by clause; null for all records. */
export const listConditions = (model: Model, person: Principal, entity: string): ReadonlyMap<string, Expr | null> =>
  new Map(
    model.screens
      .filter((screen) => seesScreen(model, screen, person))
      .flatMap((screen) =>
        screen.kind === "tiles"
          ? screen.tiles.filter((tile) => mightSeeTile(model, tile, person))
          : screen.kind === "list"
            ? [screen]
            : [],
      )
      .filter((shown) => shown.entity === entity)
      .map((shown) => [shown.clause.id, shown.where] as const),
  );
