import type { Kept } from "./seed-record.ts";

/**
 * The types of expressions. A field's type says what its values are; whether a value may be missing is kept beside it
 * (`missing` on an expression, `optional` on a field), since it is known per place and not per type.
 */
export type Type =
  | { readonly kind: "boolean" }
  | { readonly kind: "integer" }
  | { readonly kind: "decimal" }
  | { readonly kind: "money"; readonly currency: string }
  | { readonly kind: "text" }
  | { readonly kind: "date" }
  | { readonly kind: "time" }
  | { readonly kind: "datetime" }
  | { readonly kind: "duration" }
  | { readonly kind: "file" }
  | { readonly kind: "json" }
  /** One of some bare names: a choice's values or the states of an entity. `of` names the set: `Loan.status`. */
  | { readonly kind: "choice"; readonly of: string; readonly values: readonly string[] }
  | { readonly kind: "record"; readonly entity: string }
  | { readonly kind: "list"; readonly of: Type }
  /** The type of `null`: it fits wherever something may be missing. */
  | { readonly kind: "null" }
  /** After a mistake that was already reported: it fits everywhere, so that one mistake gives one finding. */
  | { readonly kind: "unknown" };

/** A field as expressions see it. Reference columns hold the id of the record they refer to. */
export interface FieldShape {
  readonly name: string;
  readonly type: Type;
  /** Whether a value may be missing. Lists and booleans never are. */
  readonly optional: boolean;
  /** The name under which SQL reads it; absent for what nothing executes and for the other side of a reference. */
  readonly column?: string;
  /** It is made of other fields, and may so be missing where nobody thought of it: a sum that overflows. */
  readonly computed?: true;
  /** For `list: Comment.request`: the records of `entity` whose field `by` is this record. */
  readonly inverse?: { readonly entity: string; readonly by: string };
}

/** An entity as expressions see it: `id` and the other columns that every record has are among its fields. */
export interface EntityShape {
  readonly name: string;
  readonly table: string;
  readonly fields: ReadonlyMap<string, FieldShape>;
  /** Its rows exist because of records of other entities, and come and go with them. */
  readonly because?: ReadonlySet<string>;
}

/** A name that the place gives; `kept` is the record that it stands for, where the document keeps one. */
export interface Given {
  readonly type: Type;
  readonly optional: boolean;
  readonly kept?: Kept;
}

/** What the names in an expression mean at its place in the document. */
export interface Scope {
  /** The entity of the record at hand (`this`, and its fields by bare name); absent where there is none. */
  readonly entity?: string;
  /** Whether `old`, the record before the write, may be named. */
  readonly old?: boolean;
  /** Whether the place has a person (`user`). */
  readonly user: boolean;
  /** Roles by name, which are no conditions, each with what is to be written in its place. */
  readonly roles?: ReadonlyMap<string, string>;
  /** Names that the place gives, each whole: `taken` of a rule's `with:`, `input.kind` of a query. */
  readonly names?: ReadonlyMap<string, Given>;
  readonly entities: ReadonlyMap<string, EntityShape>;
  /** The constants of point 9: `limits.page_size`, or a bare name. */
  readonly limits: ReadonlyMap<string, { readonly type: Type; readonly value: string }>;
  /** The document's zone, IANA name: where days begin. */
  readonly timezone: string;
}
