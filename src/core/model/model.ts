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
 * The finished model: what the document says, resolved and typed. It exists only for a document without errors, is
 * never changed, and everything that runs is derived from it.
 */
export interface Model {
  readonly name: string;
  /** The first sentence of point 1, when it says something. */
  readonly sentence: string | null;
  readonly locale: string;
  readonly timezone: string;
  readonly accent: string | null;
  /** By language, then by the text as the document's own language has it. */
  readonly translations: ReadonlyMap<string, ReadonlyMap<string, Translation>>;
  /** In document order; `User` first. */
  readonly entities: ReadonlyMap<string, Entity>;
  /** Roles that a person holds everywhere; those held record by record stand at their entity. */
  readonly roles: ReadonlyMap<string, Role>;
  readonly screens: readonly Screen[];
  readonly signIn: SignIn;
  readonly outgoing: ReadonlyMap<string, Outgoing>;
  /** The calls that point 7 shows, beside the conventional ones. */
  readonly calls: readonly Call[];
  /** What the calls that it shows have in common, and how programs say who they are. */
  readonly callSettings: CallSettings;
  /** What answers are made of, by `Request.entry`. */
  readonly shapes: ReadonlyMap<string, Gives>;
  readonly errors: ReadonlyMap<string, ErrorEntry>;
  readonly limits: Limits;
  /** What the document says that it called otherwise before; entities first. */
  readonly renamings: readonly Renaming[];
  readonly open: readonly OpenPoint[];
  readonly defaults: readonly DefaultCode[];
}

/** What decides a behaviour: `5.Loan.DUE_BEFORE_START`, and where it is written. */
export interface Clause {
  readonly id: string;
  readonly span: Span;
}

/** `was: old_name`, as the document says it. It is carried out where the old name is live and the new one is not. */
export interface Renaming extends Rename {
  readonly clause: Clause;
}

/** What a text that people read is called in another language. */
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
  /** What one of its records is called in running text, and several: `claim line`, `claim lines`. */
  readonly called: { readonly one: string; readonly many: string };
  /** Whether the document gives the entity a table of its own; the built-in User is served only where the document speaks of it. */
  readonly served: boolean;
  readonly fields: ReadonlyMap<string, Field>;
  /** What its rows exist because of; null for an entity whose records people and clauses make. */
  readonly rows: RowsOf | null;
  readonly states: States | null;
  readonly rules: readonly ValidationRule[];
  /** The records that the document keeps, by their keys. */
  readonly records: ReadonlyMap<string, KeptRecord>;
  /** What follows a write, by `create`, `update`, `delete` or a transition's name. */
  readonly after: ReadonlyMap<string, readonly Effect[]>;
  /** What holds between its records: `unique`, `no overlap`. */
  readonly together: readonly UniquenessRule[];
  /** Roles that a person holds on one record and not on another. */
  readonly roles: ReadonlyMap<string, HeldRole>;
  /** `null` where point 6 does not speak of the entity: administrators only. */
  readonly permissions: Permissions | null;
}

/** A record that the document keeps: `Kind.travel`. What it says of it is the document's, and nobody changes it. */
export interface KeptRecord {
  readonly key: string;
  readonly id: string;
  readonly clause: Clause;
  /** What it says, as it is stored. */
  readonly values: ReadonlyMap<string, Stored>;
}

/**
 * One row for each combination of its sources that meets the condition: of the records of entities, and of the elements of
 * lists that a record of an earlier one gives. Each source is a field of the row.
 */
export interface RowsOf {
  readonly clause: Clause;
  readonly sources: readonly RowSource[];
  /** On the row; it reads the sources alone. */
  readonly where: Expr | null;
}

export type RowSource =
  | { readonly name: string; readonly entity: string }
  /** `of` is the source whose record gives the list. */
  | { readonly name: string; readonly of: string; readonly list: Expr };

/**
 * How a field's value is had. What is computed is written by nobody; of what stands in no column, lists know nothing but
 * what they compute for each row.
 */
export type Holding =
  /** In a column, which people or the program write. */
  | { readonly as: "column" }
  /** In a column that Postgres computes from the others of its row whenever one of them is written. */
  | { readonly as: "generated"; readonly from: Expr }
  /** In a column that is computed with each write of its own record, and stays until the next. */
  | { readonly as: "kept"; readonly from: Expr }
  /** Nowhere: it is computed whenever it is read, since it reads other records, the person or the clock. */
  | { readonly as: "live"; readonly from: Expr }
  /** With others: the records of `entity` whose reference `by` names this one. A record does not bear them. */
  | { readonly as: "list"; readonly entity: string; readonly by: string };

/** A field of the document's. The state is one too, written by transitions alone. */
export interface Field {
  readonly name: string;
  readonly clause: Clause;
  readonly title: string;
  readonly type: FieldTypeName;
  readonly ruleType: Type;
  readonly held: Holding;
  /** Whether it holds several values of its type, in a column; none of them is an empty list. */
  readonly many: boolean;
  readonly optional: boolean;
  readonly unique: boolean;
  /** Of a unique field: missing is a value like others, which one record may have. */
  readonly countsMissing: boolean;
  /** Never changed after creation. */
  readonly once: boolean;
  /** What the program writes when the record is made; a person never does. */
  readonly set: Expr | null;
  /** What stands there when the person gives nothing. */
  readonly default: Expr | null;
  readonly values: readonly string[];
  /** The record belongs to the one that this reference names: it cannot be without it, and goes with it. */
  readonly partOf: boolean;
  /** What a reference may name, where that is limited. */
  readonly among: Among | null;
  /** A condition on which it is needed though it may be missing otherwise. */
  readonly needed: Condition | null;
  /** The entity that a reference refers to; null for the other side of one too. */
  readonly entity: string | null;
  readonly min: string | null;
  readonly max: string | null;
  /** Of money: `EUR`. */
  readonly currency: string | null;
  /** Of a sequence: how its numbers are written, and the transition that draws one; without it the creation does. */
  readonly series: { readonly parts: readonly SeriesPart[]; readonly gapless: string | null } | null;
  /** Of a slug: the field that it is made of. Of a position: the reference to the record whose parts it orders. */
  readonly from: string | null;
  readonly unit: string | null;
  readonly help: string | null;
  readonly examples: readonly string[];
  /** Whether it bears the name of a record that the document keeps. */
  readonly isKey: boolean;
}

/** What a field is made of; null for one that is not computed. */
export const madeOf = ({ held }: Field): Expr | null => ("from" in held ? held.from : null);

/** Whether it has a column in its entity's table. */
export const isStored = ({ held }: Field): boolean =>
  held.as === "column" || held.as === "generated" || held.as === "kept";

/** Whether it is what a person or a clause gave, and not computed. */
export const isGiven = ({ held }: Field): boolean => held.as === "column";

/** Whether a write says what stands in it, and not Postgres. */
export const isWritten = ({ held }: Field): boolean => held.as === "column" || held.as === "kept";

/** Whether a record bears it. The other side of a reference is asked for where its records are. */
export const isOfRecord = ({ held }: Field): boolean => held.as !== "list";

/** A condition on a record, and the fields of it on which that depends. */
export interface Condition {
  readonly holds: Expr;
  readonly reads: ReadonlySet<string>;
}

/** The records that a reference may name, as a list and as a condition on the record that it stands in. */
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
  /** `null` where no role is named: administrators only, until someone decides. */
  readonly by: readonly string[] | null;
  /** Of some of these roles, the condition on which they may. */
  readonly conditions: ReadonlyMap<string, Expr>;
  /** Fields that the person gives with it. */
  readonly asks: readonly string[];
  /** Those of them that the person may leave out. */
  readonly asksIfAny: ReadonlySet<string>;
  readonly when: Expr | null;
  readonly set: ReadonlyMap<string, Expr>;
  /** How long after the state was entered it happens by itself. */
  readonly timeout: Expr | null;
  /** The condition on which it happens by itself. */
  readonly once: Expr | null;
}

/**
 * What follows a write, with the document's authority: `for` each element of lists, `when` it holds. Expressions read the
 * record whose write it follows, as it is and (`old`) as it was, and the elements by their names.
 */
export type Effect = {
  readonly clause: Clause;
  readonly each: readonly { readonly name: string; readonly list: Expr }[];
  readonly when: Expr | null;
} /** `message`: the text as the document has it, by which it is translated. */ & (
  | { readonly kind: "notify"; readonly to: Expr; readonly text: Template; readonly message: string }
  | { readonly kind: "call"; readonly call: string; readonly sends: ReadonlyMap<string, Expr> }
  | { readonly kind: "create"; readonly entity: string; readonly set: ReadonlyMap<string, Expr> }
  /** Makes a record, or changes the one that has the same values in the fields of `key`. */
  | {
      readonly kind: "put";
      readonly entity: string;
      readonly key: readonly string[];
      readonly set: ReadonlyMap<string, Expr>;
    }
  /** In `set`, `it` is the record that is changed. */
  | { readonly kind: "update"; readonly entity: string; readonly of: Expr; readonly set: ReadonlyMap<string, Expr> }
  | { readonly kind: "delete"; readonly entity: string; readonly of: Expr }
  /** Makes a transition of the records of `of`; `null`: of the record itself. */
  | {
      readonly kind: "make";
      readonly entity: string;
      readonly transition: string;
      readonly of: Expr | null;
      readonly set: ReadonlyMap<string, Expr>;
    }
);

/** A call to another program, which effects make. Address and secret are names of the environment. */
export interface Outgoing {
  readonly name: string;
  readonly clause: Clause;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly address: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly retries: number;
  readonly secret: string | null;
}

/** The names in the environment without which an outgoing call is not sent. */
export const requiredSettings = ({ address, secret }: Outgoing): readonly string[] =>
  secret === null ? [address] : [address, secret];

export interface ValidationRule {
  readonly clause: Clause;
  readonly rule: Expr;
  /** Judged only when it holds. */
  readonly when: Expr | null;
  /** `create`, `update` or transitions; `null`: on create and on every change of what it reads. */
  readonly during: readonly string[] | null;
  /** Whether it is judged also where what it reads of other records changes. */
  readonly always: boolean;
  /** What it says of two records it says of both: who writes one of them need not judge the other too. */
  readonly mutual?: true;
  readonly error: string;
  /** The error's message over the record that was judged. */
  readonly message: Template;
  /** The fields of its own record that it reads, and those that the computed ones among them are made of. */
  readonly reads: readonly string[];
  /** The records beside its own on which it depends. */
  readonly recordReads: readonly RecordRead[];
}

/**
 * No two records that meet `where` are the same in the fields of `same`; or, with a range, are so and take up the same
 * time. Missing values are compared only where the clause counts them.
 */
export interface UniquenessRule {
  readonly clause: Clause;
  readonly error: string;
  /** The error's message over the record that was judged. */
  readonly message: Template;
  readonly same: readonly string[];
  readonly range: { readonly from: string; readonly to: string } | null;
  readonly where: Expr | null;
  readonly countsMissing: boolean;
  /** The fields on which it depends. */
  readonly reads: readonly string[];
}

/** The one role that no document declares. */
export const ADMINISTRATOR = "administrator";

export interface Role {
  readonly name: string;
  readonly clause: Clause;
  readonly members: "anyone" | "signed in" | "granted";
  /** What people read for its name: "Stock keeper". */
  readonly title: string;
}

export interface HeldRole {
  readonly name: string;
  readonly clause: Clause;
  readonly title: string;
  readonly condition: Expr;
  /** The entity on whose records it is held, where these are parts of them; null where it is held on these. */
  readonly from: string | null;
}

export const actions = ["read", "create", "update", "delete"] as const;
export type Action = (typeof actions)[number];
export const isAction = (name: string): name is Action => actions.some((one) => one === name);

export interface Permissions {
  readonly clause: Clause;
  readonly actions: { readonly [A in Action]: readonly Permission[] };
  /** The actions of which it says nothing: nobody may, until someone decides. */
  readonly silent: ReadonlySet<Action>;
}

export interface Permission {
  readonly clause: Clause;
  /** A role of the model, or one held record by record. */
  readonly role: string;
  /** The condition under which the role is held on the record; null for one that is held everywhere. */
  readonly held: Expr | null;
  readonly when: Expr | null;
  /** `null`: every field. */
  readonly fields: ReadonlySet<string> | null;
  /** What it follows from, where that is a permission on another record: one clause stands for several. */
  readonly like: Following | null;
}

/** A permission on the record that a reference leads to, and what the clause that follows it asks besides. */
export interface Following {
  readonly path: Expr;
  readonly action: Action;
  readonly of: Pick<Permission, "role" | "held" | "when" | "fields">;
  readonly when: Expr | null;
}

/** When a record was made and last changed: every record has these, and a screen may show them. */
export const moments = ["created_at", "updated_at"] as const;
export const isMoment = (name: string): name is (typeof moments)[number] => moments.some((one) => one === name);

interface ScreenBase {
  readonly path: string;
  readonly title: string;
  readonly clause: Clause;
  /** The roles that see it; null: whoever may read what it shows. */
  readonly for: readonly string[] | null;
}

export interface ListScreen extends ScreenBase {
  readonly kind: "list";
  readonly entity: string;
  readonly columns: readonly string[];
  readonly filters: readonly string[];
  readonly sort: readonly string[];
  /** The condition that its records meet, in the eyes of who reads them; null: every record. */
  readonly where: Expr | null;
  /** The first is shown first; never empty. */
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
  /** Of a list of parts, the columns that the document names. */
  readonly columns: ReadonlyMap<string, readonly string[]>;
}

export interface TilesScreen extends ScreenBase {
  readonly kind: "tiles";
  readonly tiles: readonly Tile[];
}

export type Screen = ListScreen | RecordScreen | FormScreen | TilesScreen;

/** How the records of a list are laid out: a board has a column for each value of a field, a calendar shows days. */
export type Layout =
  | { readonly kind: "table" }
  | { readonly kind: "board"; readonly field: string }
  | { readonly kind: "calendar"; readonly from: string; readonly to: string | null };

/** A part of an overview. What it counts, shows or sums up is what its reader may see. */
export type Tile = {
  readonly title: string;
  readonly clause: Clause;
  readonly entity: string;
  readonly where: Expr | null;
} & (
  | { readonly kind: "count" }
  | { readonly kind: "list"; readonly columns: readonly string[]; readonly sort: readonly string[] }
  | { readonly kind: "chart"; readonly chart: ChartKind; readonly per: Expr; readonly value: Aggregate }
);

export const chartKinds = ["columns", "bars", "lines", "parts"] as const;
export type ChartKind = (typeof chartKinds)[number];

export const aggregates = ["count", "sum", "min", "max", "avg"] as const;

/** What a group comes to: how many records, or a number taken of them. */
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
      /** The fields that are shown on a condition alone. */
      readonly when: ReadonlyMap<string, Expr>;
    }
  /** The records of a field that is the other side of a reference. */
  | { readonly kind: "list"; readonly title: string | null; readonly field: string }
  | { readonly kind: "history" };

/** An entry of the error catalogue: the document's, or one that is built in. */
export interface ErrorEntry {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly help: string | null;
  readonly at: string | null;
  /** `null` for a built-in entry that the document does not change. */
  readonly clause: Clause | null;
}

export interface Limits {
  /** Those that the program reads. */
  readonly pageSize: number;
  readonly pageSizeMax: number;
  readonly sessionHours: number;
  readonly signInAttempts: number;
  /** Bytes that a file may have. */
  readonly uploadSize: number;
  readonly all: ReadonlyMap<string, Limit>;
}

export interface Limit {
  readonly name: string;
  /** As it is written; an amount of money without its currency, which is in the type. */
  readonly value: string;
  readonly type: Type;
  readonly clause: Clause | null;
}

/** A statement of the author's that something is not shown, or a point that says nothing. `point` 0 is the introduction. */
export interface OpenPoint {
  readonly point: number;
  readonly span: Span;
  readonly statement: string;
  readonly default: DefaultCode;
}

/** A call that the document shows, served exactly as it is shown. */
export interface Call {
  /** As it is written: `POST /leave/{id}/submit`. */
  readonly name: string;
  readonly clause: Clause;
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** With the base before it: `/api/leave/{id}/submit`. */
  readonly path: string;
  readonly does: /** One after the other, all or none; the last one answers. */
  { readonly kind: "steps"; readonly steps: readonly Step[] } | Signing;
  /** The roles that may call; null: whoever may do what it does. */
  readonly by: readonly string[] | null;
  readonly status: number | null;
  readonly headers: ReadonlyMap<string, string>;
}

/** How people sign in. */
export interface SignIn {
  readonly clause: Clause | null;
  readonly password: boolean;
  readonly providers: readonly Provider[];
  /** Null: nobody registers, and an administrator makes accounts. */
  readonly signUp: SignUp | null;
}

/** Who signs people in elsewhere, by OpenID Connect. Its client is registered there, and named in the environment here. */
export interface Provider {
  readonly name: string;
  readonly clause: Clause;
  readonly title: string;
  /** A name of the environment, or an address that everybody knows. */
  readonly issuer: string;
  /** Names of the environment. */
  readonly client: string;
  readonly secret: string;
}

export interface SignUp {
  readonly clause: Clause;
  /** The domains of the addresses that may register; null: any. */
  readonly emails: readonly string[] | null;
  /** The roles that who registers is granted. */
  readonly roles: readonly string[];
}

export interface CallSettings {
  /** Where the calls that the document shows stand: `/api`, or `""` for anywhere. */
  readonly base: string;
  /** How calls that the document shows are refused; null: with problem details. */
  readonly errorShape: ErrorShape | null;
  /** Other sites whose pages may call: origins, or names of the environment. */
  readonly cors: readonly string[];
  /** Null where the document does not speak of tokens: nobody makes any. */
  readonly token: TokenSettings | null;
}

/** What a refusal is made of beside the names that a document gives it; `messages` are those of fields, by field. */
export const problemMembers = ["code", "status", "title", "message", "clause", "help", "errors", "messages"] as const;

export type ErrorShape =
  | { readonly kind: "names"; readonly of: readonly (readonly [name: string, shape: ErrorShape])[] }
  | { readonly kind: "member"; readonly member: (typeof problemMembers)[number] };

export interface TokenSettings {
  readonly clause: Clause;
  /** The roles whose holders make tokens of their own; empty: nobody. */
  readonly by: readonly string[];
  readonly longestDays: number;
  /** The word before a token in the header Authorization. */
  readonly scheme: string;
}

/** Lets somebody in by what they send, or out. What it answers is read on the person. */
export type Signing =
  | { readonly kind: "sign in"; readonly takes: readonly Taken[]; readonly gives: Gives | null }
  /** Asks for a registration: what is sent is an address, and a link goes there. */
  | { readonly kind: "sign up"; readonly takes: readonly Taken[] }
  | { readonly kind: "sign out" };

/** What a call does with records, judged as the conventional call of that kind. */
export interface Step {
  readonly entity: string;
  readonly does:
    | {
        readonly kind: "list";
        readonly sort: readonly string[];
        readonly paging: "offset" | "cursor" | "none";
      }
    | { readonly kind: "read" | "create" | "update" | "delete" | "delete all" }
    | { readonly kind: "transition"; readonly transition: string }
    /** Made where there is none that has the same in the fields of `key`, of which no two records have the same. */
    | { readonly kind: "ensure"; readonly key: readonly string[] };
  /** What stands in braces in the path, in order. */
  readonly parameters: readonly CallParameter[];
  /** What the records meet; null: every one that the path names. */
  readonly where: Expr | null;
  readonly query: readonly CallQuery[];
  /** What is written beside what was sent. */
  readonly set: ReadonlyMap<string, Expr>;
  /** Where in the body each field stands; null: under its own name. */
  readonly takes: readonly Taken[] | null;
  /** What is answered; null: the record or the page as the conventional calls answer it. */
  readonly gives: Gives | null;
}

/** A field, or a path of references that ends in one: the records whose it is. */
export interface CallParameter {
  readonly name: string;
  /** Read on the step's records, or for a creation on those of the entity that its reference leads to; null: what is fixed is the value itself. */
  readonly at: Expr | null;
  /** The field at its end: how what stands in the address is read. `id` is one too. */
  readonly field: { readonly entity: string; readonly name: string };
  /** For a creation: the field that it fixes. */
  readonly fixes: string | null;
}

export interface CallQuery {
  readonly name: string;
  readonly type: FieldTypeName;
  /** The field whose values it takes, where it is of a field's type. */
  readonly field: { readonly entity: string; readonly name: string } | null;
  /** What it adds when it is given; null: it is named elsewhere alone. */
  readonly where: Expr | null;
  /** What stands for it where it is not given, as it would stand in the address. */
  readonly default: string | null;
}

export interface Taken {
  readonly path: readonly string[];
  readonly field: string;
}

/** What an answer is made of. */
export type Gives =
  | { readonly kind: "names"; readonly of: readonly (readonly [name: string, gives: Gives])[] }
  | { readonly kind: "value"; readonly value: Expr }
  /** A shape of the record or the records that an expression leads to, or of those of the page. */
  | { readonly kind: "shape"; readonly shape: string; readonly of: "page" | Expr }
  /** How many records the page has, or were found; and the token of the page after it. */
  | { readonly kind: "count"; readonly of: "page" | "found" }
  | { readonly kind: "next" }
  /** The token of the session that was begun. */
  | { readonly kind: "token" };
