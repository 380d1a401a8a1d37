/** Entities as one person sees them: fields, states and transitions. */

import type { Json } from "./json.ts";
import type { WhyNot } from "./records.ts";

export interface EntityJson {
  readonly name: string;
  /** In running text: "loan", "loans". */
  readonly one: string;
  readonly many: string;
  /** Path of the API: `/api/loans`. */
  readonly calls: string;
  readonly clause: string;
  readonly fields: readonly FieldJson[];
  /** Values that transitions ask for and that no record keeps. Only dialogs and the history show them. */
  readonly acts?: readonly FieldJson[];
  readonly states: StatesJson | null;
  /** Roles held on a record through a field: `{ borrower: "member" }`. */
  readonly holders?: { readonly [role: string]: string };
  /** Those of them for which this person cannot be chosen, because the field offers only people with another role. */
  readonly neverHeld?: readonly string[];
  /** The fields that this person can set on creation; null if they cannot create records, with the reason. */
  readonly create: readonly string[] | null;
  readonly createRefused: WhyNot | null;
  /** The fields that this person can change on some records; absent if there are none. */
  readonly update?: readonly string[];
  /** Rules that a form can check while the user types. */
  readonly rules?: readonly RuleJson[];
  /** The conditions of rules that only the server checks, as phrases by clause, as far as this person may know them. */
  readonly requirements?: { readonly [clause: string]: string };
  /** Reminders of its records, as far as this person may know them. */
  readonly reminders?: readonly ReminderJson[];
  /** The rules against overlaps by which this person can look up the records that are in the way of another. */
  readonly overlaps?: readonly OverlapRuleJson[];
  /** The rules against equal values, as `overlaps`. */
  readonly unique?: readonly UniquenessRuleJson[];
}

/** Two records that meet `where` do not have the same values in `same`. */
export interface UniquenessRuleJson {
  readonly clause: string;
  /** The field at which a form names the records in the way; null for none. */
  readonly at: string | null;
  readonly same: readonly string[];
  /** In the format of `core/expression/rewrite/serialize.ts`. */
  readonly where: Json | null;
}

/** A reminder. `_ahead` of a record has its time under `action`. */
export interface ReminderJson {
  readonly action: string;
  readonly follows: readonly FollowJson[];
}

/** Two records that meet `where` and have the same values in `same` do not overlap from `from` to `to`. */
export interface OverlapRuleJson extends UniquenessRuleJson {
  readonly from: string;
  readonly to: string;
  /** True if a range includes its end, so that the next one starts later. */
  readonly closed: boolean;
  /** The states in which it holds, if the values in `same` are people: others are then busy at the time of such records. */
  readonly concurrent?: readonly string[];
}

/**
 * A rule that reads only values a form may hold. The server still checks it on every write. Expressions are in the
 * format of `core/expression/rewrite/serialize.ts`.
 */
export interface RuleJson {
  readonly clause: string;
  /** The field where the message appears: the one named in the document, else the last one that the rule reads. */
  readonly at: string | null;
  readonly rule: Json;
  /** The rule applies only if this holds. */
  readonly when: Json | null;
  /** `create`, `update` or transitions; null: on create and on every change of a field that it reads. */
  readonly during: readonly string[] | null;
  /** True if it compares with the record before the write, so that a new record is not checked. */
  readonly old?: true;
  /** True if it reads who the person is. */
  readonly user?: true;
  /**
   * Transitions in whose dialog the rule can also be checked: they check it, and do not set any field that it reads.
   */
  readonly with: readonly string[];
  /** Fields of the record, including the inputs of computed fields. */
  readonly reads: readonly string[];
  /** The condition as a phrase; absent if there is no short one. */
  readonly says?: string;
  /** Set if it only asks for a least number of characters, as `size(solution) >= 20` does. */
  readonly least?: { readonly field: string; readonly characters: number };
  /** The message with placeholders in braces; `values` has the expression of each. */
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
  | "integer sequence"
  | "slug"
  | "position"
  | "reference"
  | "state";

export interface FieldJson {
  readonly name: string;
  /** Its former names, so that an open form keeps its input; absent without any. */
  readonly was?: readonly string[];
  /** Label: "Due day". */
  readonly label: string;
  readonly type: FieldTypeName;
  readonly optional: boolean;
  /** Never entered by a user (`set`, `computed`, a state). */
  readonly automatic: boolean;
  /** Nobody enters it but in the dialog of a transition. */
  readonly asked?: true;
  /** How a list can be filtered by the field; null: not at all. */
  readonly filters: "values" | "range" | "words" | null;
  readonly sorts: boolean;
  readonly clause: string;
  /** Choice values or states, in document order. */
  readonly values?: readonly { readonly value: string; readonly label: string }[];
  /** The limit on a reference as a list query, and the other fields of the form on which it depends. */
  readonly among?: { readonly of: string; readonly given: readonly string[] };
  /** People who are mentioned in it with @ are notified. */
  readonly mentions?: true;
  /** A list of values, which can be empty. */
  readonly many?: true;
  /** The entity that a reference refers to. */
  readonly entity?: string;
  /** For a small set of seed records: their names in document order, offered like the values of a choice. */
  readonly few?: readonly string[];
  readonly min?: string;
  readonly max?: string;
  readonly unit?: string;
  /** For money: `EUR`. */
  readonly currency?: string;
  readonly help?: string;
  readonly examples?: readonly string[];
  /**
   * The initial value in a form, if it is known before the record exists: a value, the current user, or an expression in
   * the format of `core/expression/rewrite/serialize.ts` that reads only the clock, or other values in the form.
   */
  readonly default?: { readonly value: Json } | { readonly reckoned: Json } | SuggestionJson | "person";
  /** The label of every record contains its value. */
  readonly inLabel?: true;
  /** Set by the program to the user who creates the record. */
  readonly maker?: true;
  /** A day or a time that never lies ahead: the program notes it when it is reached, or a rule requires it. */
  readonly past?: true;
  /**
   * The date or datetime before whose value this one does not lie. `period`: both are the ends of a period, in which a
   * calendar draws the record or which overlaps no other.
   */
  readonly begin?: { readonly field: string; readonly period?: true };
  /** The record is overdue after this time while the field `field`, its state, has one of these values. */
  readonly deadline?: {
    readonly field: string;
    readonly states: readonly string[];
    /** The values with which the deadline is over. */
    readonly over: readonly string[];
  };
  /**
   * The formula of a computed field that the form can evaluate, in the format of
   * `core/expression/rewrite/serialize.ts`.
   */
  readonly reckoned?: Json;
  /** The entities whose records the formula reads. The form loads all of them first. */
  readonly rows?: readonly string[];
  /** The fields whose change recomputes it; absent if every write does. */
  readonly until?: readonly string[];
}

/** A default that depends on other values in the form, until the user enters another value. */
export interface SuggestionJson {
  readonly suggested: Json;
  /** The references whose records it reads, as paths: `["person", "person.department"]`. */
  readonly loads: readonly string[];
  /** A short description of its source, such as ““Approver” of “Person””; absent if there is none. */
  readonly says?: string;
}

export interface StatesJson {
  readonly field: string;
  readonly states: readonly StateJson[];
  readonly transitions: readonly TransitionJson[];
}

export interface StateJson {
  readonly name: string;
  readonly label: string;
  readonly mark: StateMarkJson;
}

/** Icon and colour of a state; see `core/derive/client/state-icons.ts`. */
export interface StateMarkJson {
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
  /** Second round through the hues: the icon has a ring. */
  readonly ring: boolean;
}

export interface TransitionJson {
  readonly name: string;
  readonly label: string;
  readonly from: readonly string[];
  /** Several only if it leads back to the previous state. */
  readonly to: readonly string[];
  /** The field with the previous state, if this person can read it. */
  readonly previous?: string;
  readonly asks: readonly string[];
  /** Those of them that are optional. */
  readonly asksIfAny?: readonly string[];
  /** The roles that may make it, with titles; `administrator` has none. */
  readonly by: readonly { readonly role: string; readonly title?: string }[];
  /**
   * For an automatic transition, when it happens: "after 14 days". Null if that has no short phrase or is hidden from
   * this person.
   */
  readonly itself?: string | null;
  /** It has a condition that does not depend on who makes it. */
  readonly guarded?: true;
  /**
   * That condition, if it reads only values that a form may hold and the transition starts from the initial state; in
   * the format of `core/expression/rewrite/serialize.ts`.
   */
  readonly guard?: Json;
  /** It needs several people. */
  readonly needs?: SeveralJson;
  /**
   * `GET /_/transitions` can find out that it is refused, which the record alone does not tell. The calls of the entities
   * whose changes can alter that; true for any change, because this person does not know all of these entities.
   */
  readonly tried?: readonly string[] | true;
  /** The document names it as the main action of its states. */
  readonly main?: true;
  /** The effects that this person can know of, in document order. */
  readonly follows?: readonly FollowJson[];
  /** The values on which the decision depends, as far as this person can read them. */
  readonly shows?: readonly FactJson[];
  readonly clause: string;
}

/** A value of the record, or of the record to which its reference `of` leads. */
export interface FactJson {
  readonly field: string;
  readonly of?: string;
}

/** The people that a transition needs. */
export interface SeveralJson {
  /** Null if it depends on the record: see `needed` of its capabilities. */
  readonly count: number | null;
  /** The field with the people who made it. */
  readonly field: string;
  /** The transition that happens when they are enough. */
  readonly completion: string;
}

/** An effect of a transition besides the change of state. */
export interface FollowJson {
  readonly kind: "tell" | "call" | "create" | "change" | "delete" | "move";
  /** The recipient, the record created, changed or deleted, or the call: "the employee", "a comment". */
  readonly what: string;
  /** The field that names the recipient. */
  readonly field?: string;
  /** For a new record, the title of the value that the transition asks for and the record gets: "Question". */
  readonly from?: string;
  /** Set if it creates several records. */
  readonly several?: true;
  /** The condition as a phrase; absent if there is none. */
  readonly when?: string;
  /** Set for a call that waits because no address is configured. */
  readonly waits?: true;
}
