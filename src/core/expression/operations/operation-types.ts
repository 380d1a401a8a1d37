import type { Sql } from "../../sql.ts";
import type { Zone } from "../values/calendar.ts";
import type { Type } from "../values/type.ts";
import type { Value } from "../values/value.ts";
import type { Kind } from "../values/value-kinds.ts";
import type { Condition, List } from "./sql-forms.ts";

/** What a row knows of its place: the kind that `same` or `ordered` stand for, and where days begin. */
export interface Place {
  readonly kind: Kind;
  readonly zone: Zone;
  /** The zone's name, as a constant. */
  readonly zoneName: Sql;
  /** The last operand, where it is a constant. */
  readonly last: Value;
}

/**
 * What an operator or a function means. In JavaScript operands are values. In SQL they come in the form that the
 * signature asks for: a condition, a list, or a value that stands anywhere without brackets, as the one that the row
 * gives does. The place comes last.
 */
export type Row = {
  readonly about: string;
  readonly gives: Word;
  /** Why the result may be missing though every operand is there. */
  readonly fails?: "overflow" | "division by zero" | "of none";
  /** How many times SQL writes an operand; once where nothing is said. */
  readonly repeats?: number;
  /** Between which whole numbers the result lies, of operands that lie between these; undefined: nothing is known. */
  readonly bounds?: (...operands: readonly (Bounds | undefined)[]) => Bounds | undefined;
  /** The same in SQL where `bounds` says that it cannot overflow. */
  readonly within?: (...operands: never[]) => Sql;
  /** The last operand must be a constant; says what is wrong with it. */
  readonly constant?: (last: Value) => string | undefined;
  /** A comparison, for whose commonest operands JavaScript has functions of their own (`shapes.ts`). */
  readonly compares?: {
    /** The values that need JavaScript's own `===`, or `<`, alone: of kinds that are `same`, or `ordered`, so. */
    readonly by: "same" | "ordered";
    readonly holds: Orders | "among";
  };
} & (Spreads | Refuses | Meets | Settles | Lists);

/** For which orders of its first operand to its second a comparison holds. What is only the same or not is above where not. */
export interface Orders {
  readonly below: boolean;
  readonly same: boolean;
  readonly above: boolean;
}

export type Bounds = readonly [least: number, most: number];

/** A type in a signature. */
export type Word = Stem | `[${Stem}]`;
/**
 * A kind of value, or what stands for several and is the same wherever it stands in one signature: `same` is what `==`
 * takes, `ordered` what `<` takes, `ranked` the same without durations (a day and 24 hours are as long, and not the
 * same), `any` all but lists.
 */
export type Stem = Type["kind"] | "same" | "ordered" | "ranked" | "any";

/** Missing when an operand is. */
interface Spreads {
  readonly missing: "spreads";
  readonly js: (...operands: never[]) => Value;
  readonly sql: (...operands: never[]) => Sql;
}

/** A condition that is false when an operand is missing; `OR a IS NULL` then completes its falsehood. */
interface Refuses {
  readonly missing: "refuses";
  readonly js: (...operands: never[]) => boolean;
  readonly truth: (...operands: never[]) => Sql;
  readonly falsehood: (...operands: never[]) => Sql;
}

/** The row meets the missing itself: JavaScript is given `null`, SQL knows what may be missing. */
interface Meets {
  readonly missing: "met";
  readonly js: (...operands: never[]) => Value;
  /** The result is one of the operands, and may be missing where one of them may. */
  readonly passes?: boolean;
  readonly sql?: (...operands: never[]) => Sql;
  readonly condition?: (...operands: never[]) => Condition;
}

/** Gives a list, which is empty when an operand is missing. */
interface Lists {
  readonly missing: "empties";
  readonly js: (...operands: never[]) => readonly Value[];
  /** Given the alias that its elements have in SQL. */
  readonly list: (...operands: never[]) => (alias: Sql) => List;
  readonly sql?: never;
  readonly condition?: never;
  readonly passes?: never;
}

/** Two conditions of which the first, when it has this value, settles the result; else the result is the second. */
interface Settles {
  readonly missing: "met";
  readonly settles: boolean;
  readonly condition: (...operands: never[]) => Condition;
  readonly sql?: never;
  readonly passes?: never;
}
