/** Contents of the tiles of a dashboard. */

import type { PivotJson } from "./groups.ts";
import type { Count } from "./lists.ts";
import type { RecordJson } from "./records.ts";

/** `GET /_/overview?screen=/`: the content of each tile, in order. */
export interface OverviewJson {
  readonly tiles: readonly (TileDataJson | AbsentTileJson)[];
}

/** In place of a tile for a role that the reader holds on no record that they can read. */
export interface AbsentTileJson {
  readonly kind: "absent";
}

export type TileDataJson =
  | { readonly kind: "count"; readonly count: Count }
  | { readonly kind: "list"; readonly items: readonly RecordJson[]; readonly count: Count }
  | {
      readonly kind: "chart";
      /** Dates in chronological order, choices and states as declared; other groups by value, largest first. */
      readonly groups: readonly GroupJson[];
      /** True if there are more groups. */
      readonly more: boolean;
    }
  | { readonly kind: "pivot"; readonly pivot: PivotJson }
  /** Numbers as exact text; null if there is none, such as the average of no records. */
  | { readonly kind: "figure"; readonly value: string | null; readonly compared: string | null };

export interface GroupJson {
  /** Null if the value is missing or hidden. */
  readonly key: string | number | boolean | null;
  /** Label of a reference. */
  readonly label?: string;
  /** A number as exact text; null if there is none. */
  readonly value: string | null;
}
