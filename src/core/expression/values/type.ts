import type { SeedRecord } from "./seed-record.ts";

/**
 * The types of expressions. A type describes values that exist; optionality is stored beside it (`missing` on an
 * expression, `optional` on a field), because it depends on the place rather than the type.
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
  /**
   * One of a set of bare names: the values of a choice or the states of an entity. `of` names the set, such as
   * `Loan.status`.
   */
  | { readonly kind: "choice"; readonly of: string; readonly values: readonly string[] }
  | { readonly kind: "record"; readonly entity: string }
  | { readonly kind: "list"; readonly of: Type }
  /** The type of `null`, assignable to every optional place. */
  | { readonly kind: "null" }
  /** The type after a reported mistake. It is assignable everywhere, so one mistake gives one finding. */
  | { readonly kind: "unknown" };

/** A field in expressions. A reference column holds the id of the target record. */
export interface FieldShape {
  readonly name: string;
  readonly type: Type;
  /** True if the value can be missing. Lists and booleans are never missing. */
  readonly optional: boolean;
  /** The SQL column; absent if nothing executes the field and for the inverse side of a reference. */
  readonly column?: string;
  /** Set for computed fields: their value can be missing even if all inputs exist, for example after an overflow. */
  readonly computed?: true;
  /** For `list: Comment.request`: the records of `entity` whose field `by` refers to this record. */
  readonly inverse?: { readonly entity: string; readonly by: string };
}

/** An entity in expressions. Its fields include `id` and the other columns of every record. */
export interface EntityShape {
  readonly name: string;
  readonly table: string;
  readonly fields: ReadonlyMap<string, FieldShape>;
  /** Values that transitions ask for and that are no part of the record, by name. */
  readonly acts?: ReadonlyMap<string, ActShape>;
  /** The entities whose records this entity's rows are derived from; rows appear and disappear with those records. */
  readonly because?: ReadonlySet<string>;
}

/** A value of an act, and the transitions that ask for it. Only their clauses can read it. */
export interface ActShape {
  readonly shape: FieldShape;
  readonly transitions: readonly string[];
}

/** A name that the context defines; `seedRecord` is the record that it denotes, if it is one. */
export interface ContextName {
  readonly type: Type;
  readonly optional: boolean;
  readonly seedRecord?: SeedRecord;
}

/** The names that an expression can use at its place in the document. */
export interface Scope {
  /** The entity of the current record (`this`, and its fields by bare name); absent if there is no current record. */
  readonly entity?: string;
  /** Another name of the current record: in `rows of`, its name as a source. */
  readonly self?: string;
  /** The transitions at which the expression is evaluated, if nothing else evaluates it: values of all of them exist. */
  readonly during?: readonly string[];
  /** Available if `old` is: the record before the write. An effect of a creation sees none. */
  readonly old?: "present" | "can be missing";
  /** True if `user` is available. */
  readonly user: boolean;
  /** True if nobody signs in to the application, so that there is no `user` anywhere. */
  readonly isWithoutUsers?: boolean;
  /**
   * Role names, each with the expression to write instead. A role is not a condition; the entry is for the error
   * message.
   */
  readonly roles?: ReadonlyMap<string, string>;
  /** Names that the context defines, matched as a whole: `taken` of a rule's `with:`, `input.kind` of a query. */
  readonly names?: ReadonlyMap<string, ContextName>;
  readonly entities: ReadonlyMap<string, EntityShape>;
  /** The constants of point 9, as `limits.page_size` or by bare name. */
  readonly limits: ReadonlyMap<
    string,
    { readonly type: Type; readonly value: string; readonly items?: readonly string[] }
  >;
  /** IANA name of the document's time zone, which decides where days begin. */
  readonly timezone: string;
}
