import type { Template } from "../expression/compile/template.ts";
import type { Expr } from "../expression/expr.ts";
import type { RecordRead } from "../expression/inspect/read-set.ts";
import type { Type } from "../expression/values/type.ts";
import type { Stored } from "../field/kind.ts";
import type { SeriesPart } from "../field/sequence.ts";
import type { Span } from "../source-text.ts";
import type { FieldTypeName } from "../wire/entities.ts";
import type { DefaultCode } from "./defaults.ts";
import type { Rename } from "./renaming.ts";

/**
 * The model of a document: resolved and typed. It exists only for a document without errors, is immutable, and
 * everything that runs is derived from it.
 */
export interface Model {
  readonly name: string;
  /** The first sentence of point 1, unless it is an open point. */
  readonly sentence: string | null;
  readonly locale: string;
  readonly timezone: string;
  readonly accent: string | null;
  /** The currency of amounts whose field names none. */
  readonly currency: string;
  /** By language, then by the text in the document's own language. */
  readonly translations: ReadonlyMap<string, ReadonlyMap<string, Translation>>;
  /** In document order, except that `User` comes first. */
  readonly entities: ReadonlyMap<string, Entity>;
  /** Roles that apply everywhere; roles held on single records belong to their entity. */
  readonly roles: ReadonlyMap<string, Role>;
  /** The people who propose and approve changes of the document. */
  readonly approval: Approval;
  readonly screens: readonly Screen[];
  readonly signIn: SignIn;
  readonly outgoing: ReadonlyMap<string, Outgoing>;
  /** The calls in point 7, in addition to the conventional ones. */
  readonly calls: readonly Call[];
  /** Settings shared by these calls, and authentication of programs. */
  readonly callSettings: CallSettings;
  /** Response shapes, by `Request.entry`. */
  readonly shapes: ReadonlyMap<string, Gives>;
  readonly errors: ReadonlyMap<string, ErrorEntry>;
  readonly limits: Limits;
  /** Renames declared in the document; entities first. */
  readonly renamings: readonly Renaming[];
  readonly open: readonly OpenPoint[];
  readonly defaults: readonly DefaultCode[];
}

/** The clause that decides a behaviour, `5.Loan.DUE_BEFORE_START`, and its location. */
export interface Clause {
  readonly id: string;
  readonly span: Span;
}

/** A rename declared with `was: old_name`. It is carried out if the database has the old name but not the new one. */
export interface Renaming extends Rename {
  readonly clause: Clause;
}

/** The translation of a displayed text. */
export interface Translation {
  readonly text: string;
  readonly clause: Clause;
}

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
  readonly records: ReadonlyMap<string, KeptRecord>;
  /** Effects, by `create`, `update`, `delete` or the name of a transition. */
  readonly after: ReadonlyMap<string, readonly Effect[]>;
  /** Rules between its records: `unique`, `no overlap`. */
  readonly together: readonly UniquenessRule[];
  /** Roles held on single records. */
  readonly roles: ReadonlyMap<string, HeldRole>;
  /** `null` if point 6 does not mention the entity: administrators only. */
  readonly permissions: Permissions | null;
}

/** A record defined in the document: `Kind.travel`. Its values belong to the document and cannot be edited. */
export interface KeptRecord {
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

/**
 * Where a field's value comes from. Computed fields are read-only. Fields without a column cannot be indexed: a list
 * evaluates them per row.
 */
export type FieldStorage =
  /** A column written by people or by the program. */
  | { readonly as: "column" }
  /** A generated column: Postgres computes it from other columns of the row on every write. */
  | { readonly as: "generated"; readonly from: Expr }
  /** A column computed on each write of its own record, and unchanged in between. */
  /** `until` is null if every write computes it again. */
  | { readonly as: "stored"; readonly from: Expr; readonly until: KeptUntil | null }
  /** Computed on every read, because it depends on other records, the user or the clock. */
  | { readonly as: "virtual"; readonly from: Expr }
  /**
   * The inverse of a reference: the records of `entity` whose reference `by` points here. Not part of the record
   * itself.
   */
  | { readonly as: "inverse"; readonly entity: string; readonly by: string };

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
  /** The former fields that `fill` reads as `was.name`; empty if it computes no stored values again. */
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

/** The writes that compute a kept value again: changes of fields of its record, and transitions. */
export interface KeptUntil {
  readonly fields: readonly string[];
  readonly transitions: readonly string[];
}

/** The formula of a computed field; null for others. */
export const computedExpr = ({ storage }: Field): Expr | null => ("from" in storage ? storage.from : null);

/** True if the field has a column. */
export const isStored = ({ storage }: Field): boolean =>
  storage.as === "column" || storage.as === "generated" || storage.as === "stored";

/** True if the value is entered or set, not computed. */
export const isGiven = ({ storage }: Field): boolean => storage.as === "column";

/** True if Ninefold writes the column; false for generated columns. */
export const isWritten = ({ storage }: Field): boolean => storage.as === "column" || storage.as === "stored";

/** True if the field is part of the record, rather than the inverse of a reference. */
export const isOfRecord = ({ storage }: Field): boolean => storage.as !== "inverse";

/** A condition on a record, and the fields that it reads. */
export interface Condition {
  readonly holds: Expr;
  readonly reads: ReadonlySet<string>;
}

/** The possible targets of a reference: as a list, and as a condition on the record with the reference. */
export interface Among extends Condition {
  readonly list: Expr;
}

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
  readonly clause: Clause;
}

export interface Transition {
  readonly name: string;
  readonly title: string;
  readonly clause: Clause;
  readonly from: readonly string[];
  readonly to: string;
  /** `null` if no role is named: administrators only, until somebody decides. */
  readonly by: readonly string[] | null;
  /** Conditions of individual roles. */
  readonly conditions: ReadonlyMap<string, Expr>;
  /** Fields that the user enters with the transition. */
  readonly asks: readonly string[];
  /** Those of them that are optional. */
  readonly asksIfAny: ReadonlySet<string>;
  /** The conditions that must hold: the guard and the preconditions. */
  readonly when: Expr | null;
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

/**
 * An effect of a write, carried out with the document's authority: `for` each element of lists, `when` a condition
 * holds. Expressions read the written record as it is and (`old`) as it was, and the elements by name.
 */
export type Effect = {
  readonly clause: Clause;
  readonly each: readonly { readonly name: string; readonly list: Expr }[];
  readonly when: Expr | null;
} /** `message`: the text as the document has it, by which it is translated. */ & (
  | { readonly kind: "notify"; readonly to: Expr; readonly text: Template; readonly message: string }
  | { readonly kind: "call"; readonly call: string; readonly sends: ReadonlyMap<string, Expr> }
  | { readonly kind: "create"; readonly entity: string; readonly set: ReadonlyMap<string, Expr> }
  /** Creates a record, or updates the one with the same values in the fields of `key`. */
  | {
      readonly kind: "put";
      readonly entity: string;
      readonly key: readonly string[];
      readonly set: ReadonlyMap<string, Expr>;
    }
  /** In `set`, `it` is the record to update. */
  | { readonly kind: "update"; readonly entity: string; readonly of: Expr; readonly set: ReadonlyMap<string, Expr> }
  | { readonly kind: "delete"; readonly entity: string; readonly of: Expr }
  /** Makes a transition of the records of `of`, or of the record itself if `of` is `null`. */
  | {
      readonly kind: "make";
      readonly entity: string;
      readonly transition: string;
      readonly of: Expr | null;
      readonly set: ReadonlyMap<string, Expr>;
    }
);

/** A call to another program. Address and secret are names of environment variables. */
export interface Outgoing {
  readonly name: string;
  readonly clause: Clause;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly address: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly retries: number;
  readonly secret: string | null;
}

/** A condition on the record as it is before a transition, with the error if it does not hold. */
export interface Precondition {
  readonly clause: Clause;
  readonly holds: Expr;
  readonly error: string;
  /** The message, evaluated on the record before the transition. */
  readonly message: Template;
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

/** The one role that no document declares. */
export const ADMINISTRATOR = "administrator";

export interface Role {
  readonly name: string;
  readonly clause: Clause;
  readonly members: "anyone" | "signed in" | "granted";
  /** Label: "Stock keeper". */
  readonly title: string;
}

/** The approval of changes of the document (point 6). */
export interface Approval {
  /** `6.changes`; null if the document is silent, so that administrators publish alone. */
  readonly clause: Clause | null;
  /** Roles that apply everywhere. */
  readonly propose: readonly string[];
  readonly approve: readonly string[];
  /** How many people have to approve a change; at least 1. */
  readonly approvals: number;
  /** True if nobody may approve their own change. */
  readonly byAnother: boolean;
}

export interface HeldRole {
  readonly name: string;
  readonly clause: Clause;
  readonly title: string;
  readonly condition: Expr;
  /** For a role that parts inherit: the entity of the parent; null if the role is held on the record itself. */
  readonly from: string | null;
}

export const actions = ["read", "create", "update", "delete"] as const;
export type Action = (typeof actions)[number];
export const isAction = (name: string): name is Action => actions.some((one) => one === name);

export interface Permissions {
  readonly clause: Clause;
  readonly actions: { readonly [A in Action]: readonly Permission[] };
  /** Undecided actions: nobody may perform them until somebody decides. */
  readonly silent: ReadonlySet<Action>;
}

export interface Permission {
  readonly clause: Clause;
  /** A role of the model or of the entity. */
  readonly role: string;
  /** The condition under which the role is held on the record; null for a role that applies everywhere. */
  readonly roleCondition: Expr | null;
  readonly when: Expr | null;
  /** `null`: every field. */
  readonly fields: ReadonlySet<string> | null;
  /** For a permission inherited with `like`: one clause stands for several permissions. */
  readonly like: InheritedPermission | null;
}

/** The inherited permission on the referenced record, and further conditions. */
export interface InheritedPermission {
  readonly path: Expr;
  readonly action: Action;
  readonly of: Pick<Permission, "role" | "roleCondition" | "when" | "fields">;
  readonly when: Expr | null;
}

/** Time of creation and of the last change: every record has these fields, and screens may show them. */
export const moments = ["created_at", "updated_at"] as const;
export const isMoment = (name: string): name is (typeof moments)[number] => moments.some((one) => one === name);

interface ScreenBase {
  readonly path: string;
  readonly title: string;
  readonly clause: Clause;
  /** The roles that see the screen; null: everybody who may read its content. */
  readonly for: readonly string[] | null;
}

export interface ListScreen extends ScreenBase {
  readonly kind: "list";
  readonly entity: string;
  readonly columns: readonly string[];
  readonly filters: readonly string[];
  readonly sort: readonly string[];
  /** The condition on its records, evaluated for the reader; null: every record. */
  readonly where: Expr | null;
  /** Never empty; the first is the default. */
  readonly layouts: readonly Layout[];
}

export interface RecordScreen extends ScreenBase {
  readonly kind: "record";
  readonly entity: string;
  readonly sections: readonly Section[];
}

export interface FormScreen extends ScreenBase {
  readonly kind: "form";
  readonly entity: string;
  /** Fields of the record, and lists of its parts. */
  readonly fields: readonly string[];
  /** The columns of a list of parts, if the document names them. */
  readonly columns: ReadonlyMap<string, readonly string[]>;
}

export interface TilesScreen extends ScreenBase {
  readonly kind: "tiles";
  readonly tiles: readonly Tile[];
}

export type Screen = ListScreen | RecordScreen | FormScreen | TilesScreen;

/** The layout of a list: a board has one column per value of a field; a calendar shows days. */
export type Layout =
  | { readonly kind: "table" }
  | { readonly kind: "board"; readonly field: string }
  | { readonly kind: "calendar"; readonly from: string; readonly to: string | null };

/** A tile of a dashboard. It counts, shows or sums up only records that its reader may see. */
export type Tile = {
  readonly title: string;
  readonly clause: Clause;
  readonly entity: string;
  readonly where: Expr | null;
} & (
  | { readonly kind: "count" }
  | { readonly kind: "list"; readonly columns: readonly string[]; readonly sort: readonly string[] }
  | {
      readonly kind: "chart";
      readonly chart: ChartKind;
      readonly per: Expr;
      readonly value: Aggregate;
      readonly target: Target | null;
    }
  | {
      readonly kind: "figure";
      readonly value: Aggregate;
      /** Other records, such as those of last month, whose figure is shown beside it. */
      readonly compare: { readonly title: string; readonly where: Expr | null } | null;
      readonly target: Target | null;
    }
);

/** A bound that a figure should keep: a number, or a constant of point 9, in the unit of the figure. */
export interface Target {
  readonly bound: (typeof targetBounds)[number];
  readonly value: Expr & { readonly kind: "constant" };
}

export const targetBounds = ["at least", "at most"] as const;

export const chartKinds = ["columns", "bars", "lines", "parts"] as const;
export type ChartKind = (typeof chartKinds)[number];

export const aggregates = ["count", "sum", "min", "max", "avg", "share"] as const;

/**
 * The value of a group or a figure: the number of records, an aggregate of an expression, or the share of the records that
 * meet a condition, in percent.
 */
export interface Aggregate {
  readonly how: (typeof aggregates)[number];
  /** Null for a count. */
  readonly of: Expr | null;
}

export type Section =
  | {
      readonly kind: "fields";
      readonly title: string | null;
      readonly fields: readonly string[];
      /** The fields shown on a condition. */
      readonly when: ReadonlyMap<string, Expr>;
    }
  /** The records of a field that is the inverse of a reference. */
  | { readonly kind: "list"; readonly title: string | null; readonly field: string }
  | { readonly kind: "history" };

/** An entry of the error catalogue, from the document or built in. */
export interface ErrorEntry {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly help: string | null;
  /** The field at which a form shows it; of a built-in error without a field, its name in `messages`. */
  readonly at: string | null;
  /** The form of the response to a call of the document; `none`: no body; `null`: that of `callSettings.errorShape`. */
  readonly shape: ErrorShape | "none" | null;
  /** `null` for an unchanged built-in entry. */
  readonly clause: Clause | null;
}

export interface Limits {
  /** The limits used by the program itself. */
  readonly pageSize: number;
  readonly pageSizeMax: number;
  readonly sessionHours: number;
  readonly signInAttempts: number;
  /** The characters of a new password. */
  readonly passwordLength: { readonly least: number; readonly most: number };
  /** Maximum size of a file in bytes. */
  readonly uploadSize: number;
  readonly all: ReadonlyMap<string, Limit>;
}

export interface Limit {
  readonly name: string;
  /** As written; a list in brackets. The currency of an amount is part of its type. */
  readonly value: string;
  /** The values of a list, as written; absent for a single value. */
  readonly items?: readonly string[];
  readonly type: Type;
  readonly clause: Clause | null;
}

/** A statement that something is not shown, or a point without content. `point` 0 is the introduction. */
export interface OpenPoint {
  readonly point: number;
  readonly span: Span;
  readonly statement: string;
  readonly default: DefaultCode;
}

/** A custom endpoint: a call shown in point 7, served exactly as shown. */
export interface Call {
  /** As written: `POST /leave/{id}/submit`. */
  readonly name: string;
  readonly clause: Clause;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Including the base: `/api/leave/{id}/submit`. */
  readonly path: string;
  readonly does: /** One after the other, all or none; the last one answers. */
  { readonly kind: "steps"; readonly steps: readonly CallStep[] } | Signing;
  /** The roles that may call it; null: everybody who may do what it does. */
  readonly by: readonly string[] | null;
  readonly status: number | null;
  readonly headers: ReadonlyMap<string, string>;
  /** True if members of the body that `takes` does not name, and query words that `query` does not name, are ignored. */
  readonly ignoresUnknown: boolean;
  /** The entries of the error catalogue that it answers in place of built-in errors, by their codes. */
  readonly errors: ReadonlyMap<string, string>;
}

/** Settings for sign-in. */
export interface SignIn {
  readonly clause: Clause | null;
  /** True if nobody signs in to the application: everybody is a visitor. Administrators sign in for the workbench alone. */
  readonly isOff: boolean;
  readonly password: boolean;
  /** The unique field of `User` that the sign-in page takes beside the email address; null: the address alone. */
  readonly by: string | null;
  readonly providers: readonly Provider[];
  /** Null: nobody can register; administrators create accounts. */
  readonly signUp: SignUp | null;
}

/** An OpenID Connect provider. Credentials are environment variables. */
export interface Provider {
  readonly name: string;
  readonly clause: Clause;
  readonly title: string;
  /** Name of an environment variable, or a public address. */
  readonly issuer: string;
  /** Names of environment variables. */
  readonly client: string;
  readonly secret: string;
}

export interface SignUp {
  readonly clause: Clause;
  /** Domains whose addresses may register; null for any. */
  readonly emails: readonly string[] | null;
  /** The roles granted on registration. */
  readonly roles: readonly string[];
  /** True if an account is created only with a link that was mailed to its address. */
  readonly verifiesEmail: boolean;
}

export interface CallSettings {
  /** Base path of the calls in point 7: `/api`, or `""` for none. */
  readonly base: string;
  /** The shape of errors of these calls; null: problem details. */
  readonly errorShape: ErrorShape | null;
  /** Allowed origins for cross-site requests, or names of environment variables. */
  readonly cors: readonly string[];
  /** Null if the document does not mention tokens: nobody can create any. */
  readonly token: TokenSettings | null;
}

/** Members of a refusal that an error shape may use; `messages` are the messages of fields, by field. */
export const problemMembers = ["code", "status", "title", "message", "clause", "help", "errors", "messages"] as const;
/** Members of one error in a list: `at` is a JSON pointer, `field` the last part of it, `value` the JSON that was sent there. */
export const errorMembers = ["code", "status", "title", "message", "clause", "help", "at", "field", "value"] as const;
export type ErrorMember = (typeof problemMembers)[number] | (typeof errorMembers)[number];

export type ErrorShape =
  | { readonly kind: "names"; readonly of: readonly (readonly [name: string, shape: ErrorShape])[] }
  | { readonly kind: "member"; readonly member: ErrorMember }
  /** A constant, or an expression over the single members. */
  | { readonly kind: "value"; readonly value: Expr }
  /** A list with one element for each error. */
  | { readonly kind: "each"; readonly of: ErrorShape }
  /** An object with a member for each field that has errors. The form is that of its first error. */
  | { readonly kind: "fields"; readonly of: ErrorShape };

export interface TokenSettings {
  readonly clause: Clause;
  /** The roles that may create tokens; empty: nobody. */
  readonly by: readonly string[];
  readonly longestDays: number;
  /** The scheme in the Authorization header. */
  readonly scheme: string;
}

/** A sign-in or sign-out. Its response is evaluated on the signed-in person. */
export type Signing =
  | { readonly kind: "sign in"; readonly takes: readonly TakenField[]; readonly gives: Gives | null }
  /**
   * Requests a registration: the body holds an address, to which a link is mailed. If addresses are not verified, the body
   * holds the password and fields of the new person, who is created and signed in.
   */
  | { readonly kind: "sign up"; readonly takes: readonly TakenField[]; readonly gives: Gives | null }
  /**
   * `close`: deactivates the account of the caller, as an administrator can. The response is evaluated on the person before
   * the session ends. Nobody can sign out too, if there is no response.
   */
  | { readonly kind: "sign out" | "close"; readonly takes: readonly []; readonly gives: Gives | null };

/** A step of a custom endpoint: an operation on records, checked like the conventional call of that kind. */
export interface CallStep {
  readonly entity: string;
  readonly does:
    | {
        readonly kind: "list";
        /** A value, or a list of values, of each record: the list has each value once, in ascending order. Null: records. */
        readonly distinct: Expr | null;
        readonly sort: readonly string[];
        /** The fields by which a caller can sort, with the query parameter `sort`. */
        readonly sortable: readonly string[];
        readonly paging: "offset" | "cursor" | "none";
      }
    | { readonly kind: "read" | "create" | "update" | "delete" | "delete all" }
    | { readonly kind: "transition"; readonly transition: string }
    /** Creates a record unless one with the same values exists in the fields of `key`, which is unique. */
    | { readonly kind: "ensure"; readonly key: readonly string[] };
  /** The path parameters, in order. */
  readonly parameters: readonly CallParameter[];
  /** The condition on the records; null: all that the path selects. */
  readonly where: Expr | null;
  readonly query: readonly CallQuery[];
  /** Values written in addition to the input. */
  readonly set: ReadonlyMap<string, Expr>;
  /** The place of each field in the body; null: under its own name. */
  readonly takes: readonly TakenField[] | null;
  /** The fields that a request must have. */
  readonly asks: readonly string[];
  /** True if an update clears the fields of `takes` that are not sent. */
  readonly replaces: boolean;
  /** The response; null: the record or page in the conventional form. */
  readonly gives: Gives | null;
}

/** A path parameter: a field, or a path of references ending in a field, that selects records. */
export interface CallParameter {
  readonly name: string;
  /**
   * Evaluated on the records of the step or, on creation, on the entity that the reference points to; null: the fixed
   * value is the parameter itself.
   */
  readonly at: Expr | null;
  /** The field at the end of the path, which determines how the parameter is parsed. `id` is possible too. */
  readonly field: { readonly entity: string; readonly name: string };
  /** In a list: the record that the parameter identifies, from which a reference of the list's records leads on. */
  readonly parent: { readonly entity: string; readonly reference: string; readonly at: Expr } | null;
  /** On creation: the field that the parameter sets. */
  readonly fixes: string | null;
}

export interface CallQuery {
  readonly name: string;
  readonly type: FieldTypeName;
  /** The field whose type the query parameter has, if any. */
  readonly field: { readonly entity: string; readonly name: string } | null;
  /** The condition that it adds; null: it is used elsewhere only. */
  readonly where: Expr | null;
  /** The default, as it would appear in the address. */
  readonly default: string | null;
}

export interface TakenField {
  readonly path: readonly string[];
  readonly field: string;
  /** The unique field by whose value a reference is written; absent: its id. */
  readonly by?: CallParameter;
  /** True for a member that is no field: `password` and `current_password` of the caller's own account. */
  readonly isCredential?: true;
}

/** The shape of a response. */
export type Gives =
  | { readonly kind: "names"; readonly of: readonly (readonly [name: string, gives: Gives])[] }
  | { readonly kind: "value"; readonly value: Expr }
  /** A shape of the records that an expression leads to, or of those on the page. */
  | { readonly kind: "shape"; readonly shape: string; readonly of: "page" | Expr }
  /** The number of records on the page or in total, and the token of the next page. */
  | { readonly kind: "count"; readonly of: "page" | "found" }
  | { readonly kind: "next" }
  /** The token of the new session, or the one that the request sent. */
  | { readonly kind: "token"; readonly of: "new session" | "request" }
  /** The address of a call for the record: the values of the parameters in its path. */
  | { readonly kind: "address"; readonly path: string; readonly values: readonly Expr[] }
  /** No body. */
  | { readonly kind: "none" };
