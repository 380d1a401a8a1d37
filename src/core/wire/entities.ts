/** Entities as one person knows them: their fields, states and transitions. */

import type { Json } from "./json.ts";
import type { WhyNot } from "./records.ts";

export interface EntityJson {
  readonly name: string;
  /** In running text: "loan", "loans". */
  readonly one: string;
  readonly many: string;
  /** Where its calls are: `/api/loans`. */
  readonly calls: string;
  readonly clause: string;
  readonly fields: readonly FieldJson[];
  readonly states: StatesJson | null;
  /** The roles on a record that are held by whoever stands in a field of it: `{ borrower: "member" }`. */
  readonly holders?: { readonly [role: string]: string };
  /** The fields that this person may give when making one; null where they may not, with why. */
  readonly create: readonly string[] | null;
  readonly createRefused: WhyNot | null;
  /** Rules that a form can answer by itself, while one types. */
  readonly rules?: readonly RuleJson[];
}

/**
 * A rule over nothing but what a form may hold. The server judges it with every write all the same; expressions are
 * written as `core/expression/rewrite/serialize.ts` does.
 */
export interface RuleJson {
  readonly clause: string;
  /** The field at which it is said, where the document says so; else the last that it reads. */
  readonly at: string | null;
  readonly rule: Json;
  /** It is judged only when this holds. */
  readonly when: Json | null;
  /** `create`, `update` or transitions; null: on create and on every change of what it reads. */
  readonly during: readonly string[] | null;
  /** The transitions in whose dialog it can be answered too: that judge it, and change by themselves nothing that it reads. */
  readonly with: readonly string[];
  /** Fields of the record, and those that the computed ones among them are made of. */
  readonly reads: readonly string[];
  /** With places in braces, as in the document; `values` has the expression of each. */
  readonly message: string;
  readonly help: string | null;
  readonly values: { readonly [place: string]: Json };
}

export type FieldTypeName =
  | "text"
  | "long text"
  | "rich text"
  | "integer"
  | "decimal"
  | "money"
  | "boolean"
  | "date"
  | "time"
  | "datetime"
  | "duration"
  | "choice"
  | "email"
  | "url"
  | "phone"
  | "file"
  | "image"
  | "json"
  | "sequence"
  | "slug"
  | "position"
  | "reference"
  | "state";

export interface FieldJson {
  readonly name: string;
  /** For people: "Due day". */
  readonly label: string;
  readonly type: FieldTypeName;
  readonly optional: boolean;
  /** Written by the program alone (`set`, `computed`, a state). */
  readonly automatic: boolean;
  /** How a list is narrowed by it: by values, by the ends of a range, by words in it; null: not at all. */
  readonly filters: "values" | "range" | "words" | null;
  readonly sorts: boolean;
  readonly clause: string;
  /** Choice values or states, in document order. */
  readonly values?: readonly { readonly value: string; readonly label: string }[];
  /** What a reference is limited to, as the list call is asked for it, and the fields beside it on which that depends. */
  readonly among?: { readonly of: string; readonly given: readonly string[] };
  /** Somebody whose name stands in it after an @ is told. */
  readonly mentions?: true;
  /** It holds several values: a list, which may be empty. */
  readonly many?: true;
  /** The entity that a reference refers to. */
  readonly entity?: string;
  /** The document keeps all its records, and few: their names in its order, so that they are chosen as the values of a choice are. */
  readonly few?: readonly string[];
  readonly min?: string;
  readonly max?: string;
  readonly unit?: string;
  /** Of money: `EUR`. */
  readonly currency?: string;
  readonly help?: string;
  readonly examples?: readonly string[];
  /**
   * What stands there when nobody gives anything, where that is known before there is a record: a form begins with it. A
   * value, whoever makes it, or an expression as `core/expression/rewrite/serialize.ts` writes it, which reads nothing but the clock.
   */
  readonly default?: { readonly value: Json } | { readonly reckoned: Json } | "person";
  /** The program writes whoever makes the record there. */
  readonly maker?: true;
  /** What it is computed of, where that stands in the form: an expression as `core/expression/rewrite/serialize.ts` writes it. */
  readonly reckoned?: Json;
}

export interface StatesJson {
  readonly field: string;
  readonly states: readonly StateJson[];
  readonly transitions: readonly TransitionJson[];
}

export interface StateJson {
  readonly name: string;
  readonly label: string;
  readonly mark: StateMark;
}

/** How a state is drawn wherever it appears; see `core/derive/client/state-icons.ts`. */
export interface StateMark {
  readonly hue:
    | "neutral"
    | "blue"
    | "amber"
    | "violet"
    | "olive"
    | "teal"
    | "plum"
    | "bronze"
    | "indigo"
    | "red"
    | "green";
  readonly shape:
    | { readonly kind: "dashed" }
    | { readonly kind: "pie"; readonly part: number }
    | { readonly kind: "disc"; readonly cut: "none" | "bar" | "slash" | "dot" }
    | { readonly kind: "square" };
  /** A second round through the hues: the mark wears a ring. */
  readonly ring: boolean;
}

export interface TransitionJson {
  readonly name: string;
  readonly label: string;
  readonly from: readonly string[];
  readonly to: string;
  readonly asks: readonly string[];
  /** Those of them that may be left out. */
  readonly asksIfAny?: readonly string[];
  /** The roles that may make it, by their titles; `administrator` has none, which the document does not name. */
  readonly by: readonly { readonly role: string; readonly title?: string }[];
  /** It happens by itself; when, in words: "after 14 days". Null where that is long, or not for this person to know. */
  readonly itself?: string | null;
  /** Where its condition does not hold, nobody can make it: it asks nothing of who does. */
  readonly guarded?: true;
  /**
   * That condition, where it follows from what a form may hold and the transition leads on from a new record: an expression as
   * `core/expression/rewrite/serialize.ts` writes it.
   */
  readonly guard?: Json;
  /** What comes of it, in the document's order, as far as this person may know. */
  readonly follows?: readonly FollowJson[];
  readonly clause: string;
}

/** What comes of a transition beside the change of state. */
export interface FollowJson {
  readonly kind: "tell" | "call" | "create" | "change" | "delete" | "move";
  /** Who is told, what is made, changed or deleted, or which call is made: "the employee", "a comment". */
  readonly what: string;
  /** The field of the record that says who is told. */
  readonly field?: string;
  /** On what condition, as a phrase; absent: in any case. */
  readonly when?: string;
  /** True for a call that is not sent yet, because the program has no address for it. */
  readonly waits?: true;
}
