import type { Sql } from "../../sql.ts";
import type { Zone } from "../values/calendar.ts";
import type { Type } from "../values/type.ts";
import type { Value } from "../values/value.ts";
import type { ValueKind } from "../values/value-kinds.ts";
import type { SqlCondition, SqlList } from "./sql-forms.ts";

/** The context of an operation: the type that `same` or `ordered` stand for here, and the time zone. */
export interface OperationContext {
  readonly kind: ValueKind;
  readonly zone: Zone;
  /** The zone's name as an SQL constant. */
  readonly zoneName: Sql;
  /** The last operand, if it is a constant. */
  readonly last: Value;
}

/**
 * The meaning of an operator or function. JavaScript receives values. SQL receives each operand in the form that the
 * signature asks for: a condition, a list, or a value that needs no parentheses in any context; a row must return such
 * a value too. The context is the last argument.
 */
export type OperationRow = {
  readonly about: string;
  readonly returns: TypeName;
  /** The reason why the result can be missing although all operands exist. */
  readonly fails?: "overflow" | "division by zero" | "of none" | "unreadable";
  /** How often the SQL repeats an operand; once by default. */
  readonly repeats?: number;
  /** True if the SQL is a query, which Postgres refuses in a CHECK and in a generated column. */
  readonly queries?: true;
  /** The range of a whole-number result, given the ranges of its operands; undefined if unknown. */
  readonly bounds?: (...operands: readonly (Bounds | undefined)[]) => Bounds | undefined;
  /** SQL to use if `bounds` proves that the result cannot overflow. */
  readonly within?: (...operands: never[]) => Sql;
  /** Requires a constant last operand; returns the error message for an invalid one. */
  readonly constant?: (last: Value) => string | undefined;
  /** Marks a comparison. JavaScript has specialised functions for its most common operands. */
  readonly compares?: {
    /** Values for which `compare` agrees with JavaScript's `===` ("same") or `<` ("ordered"). */
    readonly by: "same" | "ordered";
    readonly holds: Orders | "among";
  };
} & (Spreads | Refuses | HandlesMissing | Settles | Lists);

/**
 * Orders of the first operand relative to the second for which a comparison is true. Types without an order report
 * unequal values as `above`.
 */
export interface Orders {
  readonly below: boolean;
  readonly same: boolean;
  readonly above: boolean;
}

export type Bounds = readonly [least: number, most: number];

/** A type in a signature. */
export type TypeName = Stem | `[${Stem}]`;
/**
 * A type, or a type variable with one value per signature: `same` stands for types with `==`, `ordered` for types with
 * `<`, `ranked` for those without durations (a day and 24 hours are equally long but not equal), `any` for all but
 * lists.
 */
export type Stem = Type["kind"] | "same" | "ordered" | "ranked" | "any";

/** The result is missing if an operand is. */
interface Spreads {
  readonly missing: "spreads";
  readonly js: (...operands: never[]) => Value;
  readonly sql: (...operands: never[]) => Sql;
}

/** A condition that is false if an operand is missing. Its negation adds `OR a IS NULL`. */
interface Refuses {
  readonly missing: "refuses";
  readonly js: (...operands: never[]) => boolean;
  readonly truth: (...operands: never[]) => Sql;
  readonly falsehood: (...operands: never[]) => Sql;
}

/** The row handles missing operands: JavaScript receives `null`, SQL is told which operands can be missing. */
interface HandlesMissing {
  readonly missing: "met";
  readonly js: (...operands: never[]) => Value;
  /** The result is one of the operands, so it can be missing only if an operand can. */
  readonly passes?: boolean;
  readonly sql?: (...operands: never[]) => Sql;
  readonly condition?: (...operands: never[]) => SqlCondition;
}

/** Returns a list, which is empty if an operand is missing. */
interface Lists {
  readonly missing: "empties";
  readonly js: (...operands: never[]) => readonly Value[];
  /** Takes the SQL alias of the elements. */
  readonly list: (...operands: never[]) => (alias: Sql) => SqlList;
  readonly sql?: never;
  readonly condition?: never;
  readonly passes?: never;
}

/**
 * A short-circuit operator: if the first condition has this value, it is the result; otherwise the second condition is.
 */
interface Settles {
  readonly missing: "met";
  readonly settles: boolean;
  readonly condition: (...operands: never[]) => SqlCondition;
  readonly sql?: never;
  readonly passes?: never;
}
