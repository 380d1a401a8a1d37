import type { Template } from "../expression/compile/template.ts";
import type { Expr } from "../expression/expr.ts";
import type { RecordRead } from "../expression/inspect/read-set.ts";
import type { Stored } from "../field/kind.ts";
import type { Clause } from "./clause.ts";
import type { Effect, Precondition } from "./effect.ts";
import type { Field } from "./field.ts";
import type { HeldRole, Permissions } from "./permissions.ts";

export interface Entity {
  readonly name: string;
  readonly clause: Clause;
  readonly table: string;
  /** The plural in addresses: `claim-lines`. */
  readonly path: string;
  readonly label: Template;
  /** Singular and plural in running text: `claim line`, `claim lines`. */
  readonly called: { readonly one: string; readonly many: string };
  /** True if the entity has a table and calls. The built-in User has them only if the document mentions it. */
  readonly served: boolean;
  readonly fields: ReadonlyMap<string, Field>;
  /** For an entity of derived rows, their sources; null if records are created by people and clauses. */
  readonly rows: RowsOf | null;
  readonly states: States | null;
  readonly rules: readonly ValidationRule[];
  /** Seed records, by key. */
  readonly records: ReadonlyMap<string, SeedRecordDefinition>;
  /** Effects, by `create`, `update`, `delete` or the name of a transition. */
  readonly after: ReadonlyMap<string, readonly Effect[]>;
  /** Reminders by name. What each does is in `after`, under its `action`. */
  readonly reminders: ReadonlyMap<string, Reminder>;
  /** Rules between its records: `unique`, `no overlap`. */
  readonly uniquenessRules: readonly UniquenessRule[];
  /** Roles held on single records. */
  readonly roles: ReadonlyMap<string, HeldRole>;
  /** `null` if point 6 does not mention the entity: administrators only. */
  readonly permissions: Permissions | null;
}

/** A moment of each record, at which an effect happens once. */
export interface Reminder {
  readonly name: string;
  readonly clause: Clause;
  /** The key of its effect in `after`: `remind.due_soon`. */
  readonly action: string;
  /** A date or a datetime: a field of the record, or durations before or after it. */
  readonly on: Expr;
  /** The name of that field. */
  readonly field: string;
}

/** A record defined in the document: `Kind.travel`. Its values belong to the document and cannot be edited. */
export interface SeedRecordDefinition {
  readonly key: string;
  readonly id: string;
  readonly clause: Clause;
  /** Its values, as stored. */
  readonly values: ReadonlyMap<string, Stored>;
}

/**
 * Derived rows: one for each combination of the sources that meets the condition. A source is the records of an entity,
 * or the elements of a list given by an earlier source. Each source is a field of the row.
 */
export interface RowsOf {
  readonly clause: Clause;
  readonly sources: readonly RowSource[];
  /** Condition on the row; reads only the sources. */
  readonly where: Expr | null;
}

export type RowSource =
  | { readonly name: string; readonly entity: string }
  /** `of` is the source whose record gives the list. */
  | { readonly name: string; readonly of: string; readonly list: Expr };

export interface States {
  readonly clause: Clause;
  readonly field: string;
  readonly initial: string;
  readonly final: ReadonlySet<string>;
  readonly states: readonly State[];
  readonly transitions: ReadonlyMap<string, Transition>;
}

export type Tone = "good" | "bad" | "warning" | "neutral";

export interface State {
  readonly name: string;
  readonly title: string;
  readonly tone: Tone | null;
  /** The field after whose time a record in this state is overdue. */
  readonly deadline?: string;
  readonly clause: Clause;
}

export interface Transition {
  readonly name: string;
  readonly title: string;
  readonly clause: Clause;
  readonly from: readonly string[];
  /** The state that it leads to; several only if it leads back to the previous state, or stays in any of them. */
  readonly to: readonly string[];
  /** The field with the state that it leads to: the previous state, or the state field itself if it stays. */
  readonly previous?: string;
  /** `null` if no role is named: administrators only, until somebody decides. */
  readonly by: readonly string[] | null;
  /** Conditions of individual roles. */
  readonly conditions: ReadonlyMap<string, Expr>;
  /** Fields that the user enters with the transition. */
  readonly asks: readonly string[];
  /** Those of them that are optional. */
  readonly asksIfAny: ReadonlySet<string>;
  /** The conditions that must hold: the guard and the preconditions. */
  readonly guardAndPreconditions: Expr | null;
  /** The condition of the document's `when` alone, which has the built-in error. */
  readonly guard: Expr | null;
  /** Conditions with an error of their own. */
  readonly preconditions: readonly Precondition[];
  readonly set: ReadonlyMap<string, Expr>;
  /** The delay after which the transition happens automatically. */
  readonly timeout: Expr | null;
  /** The condition on which the transition happens automatically. */
  readonly once: Expr | null;
  /** Of a transition that several people have to make. */
  readonly needs?: Needs;
  /** The main action of its states: the button that stands out. */
  readonly main?: true;
  /** The values that its dialog shows; absent if it chooses them itself. */
  readonly shows?: readonly ShownFact[];
}

/** A value in the dialog of a transition: of the record, or of the one to which its reference `of` leads. */
export interface ShownFact {
  readonly field: string;
  readonly of?: { readonly reference: string; readonly entity: string };
}

/** Several people make a transition. Each of them keeps the record in its state; another transition completes it. */
export interface Needs {
  /** The number of people. */
  readonly count: Expr;
  /** The field with the people who have made it. */
  readonly field: string;
  /** The transition that happens when they are enough. */
  readonly completion: string;
}

export interface ValidationRule {
  readonly clause: Clause;
  readonly rule: Expr;
  /** The rule applies only if this holds. */
  readonly when: Expr | null;
  /** `create`, `update` or transitions; `null`: on create and on every change of a field that it reads. */
  readonly during: readonly string[] | null;
  /** True if the rule is also checked when other records that it reads change. */
  readonly always: boolean;
  /** The rule is symmetric between two records: a write of one need not check the other as well. */
  readonly mutual?: true;
  readonly error: string;
  /** The message, evaluated on the checked record. */
  readonly message: Template;
  /** With the names of its parts (`with`) instead of their expressions, for explanations. Absent without parts. */
  readonly words?: { readonly rule: Expr; readonly when: Expr | null };
  /** The fields of its own record that it reads, including the inputs of computed fields. */
  readonly reads: readonly string[];
  /** The other records on which it depends. */
  readonly recordReads: readonly RecordRead[];
}

/**
 * No two records that meet `where` have the same values in the fields of `same`; with a range, none of these overlap.
 * Missing values are compared only if the clause says so.
 */
export interface UniquenessRule {
  readonly clause: Clause;
  readonly error: string;
  /** The message, evaluated on the checked record. */
  readonly message: Template;
  readonly same: readonly string[];
  readonly range: { readonly from: string; readonly to: string } | null;
  readonly where: Expr | null;
  readonly countsMissing: boolean;
  /** The fields that it reads. */
  readonly reads: readonly string[];
}
