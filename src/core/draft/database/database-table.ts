/** A column as the catalogue of a database describes it. */
export interface DatabaseColumn {
  readonly name: string;
  /** The type as Postgres writes it: `character varying(40)`, `numeric(10,2)`, `integer[]`. That of a domain is its base type. */
  readonly type: string;
  /** The labels of an enumerated type; undefined for other types. */
  readonly labels: readonly string[] | undefined;
  readonly isRequired: boolean;
  readonly comment: string | undefined;
  /** The default as SQL; of a generated column, its formula. */
  readonly default: string | undefined;
  /** `generated`: computed from other columns. `numbered`: an identity, or the next value of a sequence. */
  readonly fill: "entered" | "numbered" | "generated";
  /** Conditions of the column's domain, in which the value is called `VALUE`. */
  readonly domainChecks: readonly string[];
}

/** A unique constraint, or a unique index over columns. */
export interface DatabaseKey {
  readonly name: string;
  readonly columns: readonly string[];
  /** True if missing counts as a value. */
  readonly missingIsSame: boolean;
}

export interface ForeignKey {
  readonly name: string;
  readonly columns: readonly string[];
  /** `schema.table`. */
  readonly to: string;
  readonly toColumns: readonly string[];
}

/** A constraint as SQL: `price > 0::numeric`. */
export interface DatabaseCheck {
  readonly name: string;
  readonly sql: string;
}

/** A table as the catalogue of a database describes it. */
export interface DatabaseTable {
  readonly schema: string;
  readonly name: string;
  readonly comment: string | undefined;
  readonly columns: readonly DatabaseColumn[];
  readonly primaryKey: readonly string[];
  readonly unique: readonly DatabaseKey[];
  readonly foreignKeys: readonly ForeignKey[];
  readonly checks: readonly DatabaseCheck[];
  /** Constraints that a document cannot say, as SQL: partial unique indexes, exclusions. */
  readonly others: readonly DatabaseCheck[];
}

/** Facts about the texts or times of a column, seen in some of its rows. */
export interface SeenValues {
  readonly rows: number;
  /** Number of rows with an empty text. */
  readonly empty: number;
  /** True if a text has several lines, or more characters than a line of text can have. */
  readonly isLong: boolean;
  /** The type that each of them has, if any has a value. A time at midnight is a date. */
  readonly form: "email" | "url" | "date" | undefined;
}

/** `schema.table.column` → facts about its values. */
export type SeenColumns = ReadonlyMap<string, SeenValues>;
