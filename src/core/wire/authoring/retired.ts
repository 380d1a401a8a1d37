/** Fields and entities that the document no longer has, but whose values are stored. */

import type { Json } from "../json.ts";
import type { ReferenceJson } from "../records.ts";
import type { CountedRecords } from "./document.ts";

/** A retired field or entity with values. */
export interface RetiredJson {
  /** `Book.pages` or `Book`; with `#7`, the version that retired it, if several have the name. */
  readonly name: string;
  readonly kind: "field" | "entity";
  readonly entity: string;
  readonly field: string | null;
  /** Number of records with a value. */
  readonly records: number;
  /** True if there are more records: counting stops at 10,000. */
  readonly hasMore: boolean;
  /** The first version of the document without it. */
  readonly version: number;
  readonly at: string;
  /** The author of that version; null if it was published on the server. */
  readonly author: ReferenceJson | null;
}

/** `GET /_/retired`, for administrators: oldest first. */
export interface RetiredListJson {
  readonly items: readonly RetiredItemJson[];
}

export interface RetiredItemJson extends RetiredJson {
  /** True if the reader can read all values, and so can export them. */
  readonly exportable: boolean;
}

/** `GET /_/retired/sample`, for administrators. */
export interface RetiredSampleJson {
  /** The records with a value, as far as the reader can read them; null if the document no longer has their entity. */
  readonly records: CountedRecords | null;
  /** The first values, by column; null if the reader could not read all values, and so cannot export them. */
  readonly values: readonly RetiredValuesJson[] | null;
}

/** The values of one record: one of a field, or all that a retired entity had. */
export interface RetiredValuesJson {
  readonly id: string;
  readonly values: { readonly [column: string]: Json };
}

/**
 * `GET /_/retired/sample`, `GET /_/retired/export` and `POST /_/retired/delete`, for administrators. The version prevents that the name means
 * something that was retired later.
 */
export type RetiredKey = Pick<RetiredJson, "name" | "version">;

/** `POST /_/retired/delete` deletes the values permanently. */
export interface DeletedRetiredJson {
  readonly name: string;
  /** Number of records that had a value; 10,000 means 10,000 or more. */
  readonly records: number;
}
