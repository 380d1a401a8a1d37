/** What the tiles of an overview hold. */

import type { Count } from "./lists.ts";
import type { RecordJson } from "./records.ts";

/** `GET /_/overview?screen=/`: what each tile of the screen holds, in the order of its tiles. */
export interface OverviewJson {
  readonly tiles: readonly TileDataJson[];
}

export type TileDataJson =
  | { readonly kind: "count"; readonly count: Count }
  | { readonly kind: "list"; readonly items: readonly RecordJson[]; readonly count: Count }
  | {
      readonly kind: "chart";
      /** Dates in their order; other groups by their value, largest first. */
      readonly groups: readonly GroupJson[];
      /** Whether there are more groups than these. */
      readonly more: boolean;
    };

export interface GroupJson {
  /** Null where what is grouped by is missing, or may not be read. */
  readonly key: string | number | boolean | null;
  /** What a reference is called. */
  readonly label?: string;
  /** A number as text, exactly; null where there is none. */
  readonly value: string | null;
}
