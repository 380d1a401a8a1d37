import type { Expr } from "../expression/expr.ts";
import type { Type } from "../expression/values/type.ts";
import type { SeriesPart } from "../field/sequence.ts";
import type { FieldTypeName } from "../wire/entities.ts";
import type { Clause, Condition } from "./clause.ts";

/**
 * Where a field's value comes from. Computed fields are read-only. Fields without a column cannot be indexed: a list
 * evaluates them per row.
 */
export type FieldStorage =
  /** A column written by people or by the program. */
  | { readonly as: "column" }
  /** A generated column: Postgres computes it from other columns of the row on every write. */
  | { readonly as: "generated"; readonly from: Expr }
  /**
   * A column computed on each write of its own record and unchanged in between. `until` is null if every write
   * recomputes it.
   */
  | { readonly as: "stored"; readonly from: Expr; readonly until: KeptUntil | null }
  /** Computed on every read, because it depends on other records, the user or the clock. */
  | { readonly as: "virtual"; readonly from: Expr }
  /**
   * The inverse of a reference: the records of `entity` whose reference `by` points here. Not part of the record
   * itself.
   */
  | { readonly as: "inverse"; readonly entity: string; readonly by: string }
  /**
   * A value of an act: a transition asks for it, and only the history of the transition shows it. Its column has the
   * value while the rules and effects of the act run, and no other clause reads it.
   */
  | { readonly as: "act" };

/** A field as an earlier version had it. */
export interface FormerField {
  readonly name: string;
  readonly type: FieldTypeName;
  readonly many: boolean;
  /** The target of a reference. */
  readonly entity: string | null;
}

/** A field of an entity. The state is a field too, written only by transitions. */
export interface Field {
  readonly name: string;
  readonly clause: Clause;
  readonly title: string;
  readonly type: FieldTypeName;
  readonly ruleType: Type;
  readonly storage: FieldStorage;
  /** True for a list of values, stored in one column; an empty list has none. */
  readonly many: boolean;
  readonly optional: boolean;
  readonly unique: boolean;
  /** For a unique field: a missing value counts as a value, which only one record may have. */
  readonly countsMissing: boolean;
  /** The values are about a person: a masked copy replaces them. */
  readonly personal: boolean;
  /** Cannot be changed after creation. */
  readonly once: boolean;
  /** The value set by the program on creation; users never enter it. */
  readonly set: Expr | null;
  /** The value if the user enters none. */
  readonly default: Expr | null;
  /** The value of stored records without one, when the field is new or becomes required. */
  readonly fill: Expr | null;
  /** The former fields that `fill` reads as `was.name`; empty if it reads none. */
  readonly former: readonly FormerField[];
  readonly values: readonly string[];
  /** The record is a part of the referenced record: it requires it, and is deleted with it. */
  readonly partOf: boolean;
  /** The limit on the target of a reference. */
  readonly among: Among | null;
  /** The condition under which an optional field is required. */
  readonly needed: Condition | null;
  /** The target of a reference, or of the inverse of one. */
  readonly entity: string | null;
  readonly min: string | null;
  readonly max: string | null;
  /** For money: `EUR`. */
  readonly currency: string | null;
  /**
   * For a sequence: its number format, and the transition that assigns the number; without one, creation assigns it.
   */
  readonly series: { readonly parts: readonly SeriesPart[]; readonly gapless: string | null } | null;
  /** For a slug: the field it is derived from. For a position: the reference to the parent. */
  readonly from: string | null;
  readonly unit: string | null;
  readonly help: string | null;
  readonly examples: readonly string[];
  /** True for the field with the key of seed records. */
  readonly isKey: boolean;
}

/** The writes that recompute a kept value: changes of fields of its record, and transitions. */
export interface KeptUntil {
  readonly fields: readonly string[];
  readonly transitions: readonly string[];
}

/** The formula of a computed field; null for others. */
export const computedExpr = ({ storage }: Field): Expr | null => ("from" in storage ? storage.from : null);

/** True if the field has a column that is part of the record. */
export const isStored = ({ storage }: Field): boolean =>
  storage.as === "column" || storage.as === "generated" || storage.as === "stored";

/** True for a value that transitions ask for and that is no part of the record. */
export const isActValue = ({ storage }: Field): boolean => storage.as === "act";

/** True if the value is entered or set, not computed. */
export const isPlainColumn = ({ storage }: Field): boolean => storage.as === "column";

/** True if Ninefold writes the column; false for generated columns. */
export const isWritten = ({ storage }: Field): boolean => storage.as === "column" || storage.as === "stored";

/** True if the field is part of the record, rather than the inverse of a reference or a value of an act. */
export const isOfRecord = ({ storage }: Field): boolean => storage.as !== "inverse" && storage.as !== "act";

/** True for a field with several values, and for the other side of a reference. */
export const isList = (field: Field | undefined): boolean => field?.many === true || field?.storage.as === "inverse";

/** The possible targets of a reference: as a list, and as a condition on the record with the reference. */
export interface Among extends Condition {
  readonly list: Expr;
}

/** Time of creation and of the last change: every record has these fields, and screens may show them. */
export const timestampFields = ["created_at", "updated_at"] as const;
export const isTimestampField = (name: string): name is (typeof timestampFields)[number] =>
  timestampFields.some((field) => field === name);
