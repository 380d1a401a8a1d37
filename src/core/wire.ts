/**
 * What server and browser say to each other: plain JSON, derived from the model for one person. Nobody is sent a
 * clause, field, screen or transition that the document does not open to them.
 */

/** A JSON Schema, draft 2020-12, as OpenAPI 3.1 has it. */
export type JsonSchema = { readonly [keyword: string]: Json };

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A problem detail (RFC 9457) as Ninefold answers it. `clause` is absent only where no document decides (a fault, a bad address). */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  /** A whole sentence for the person. */
  readonly detail: string;
  readonly clause?: string;
  /** What to do about it, where the document or the program knows. */
  readonly help?: string;
  readonly errors?: readonly ProblemAt[];
  /** What an operator finds this request by in the log. */
  readonly reference?: string;
  /** What on the record stands against it, as far as who asks may know: "You are not the employee's manager." */
  readonly because?: string;
  /** Who could: roles in the document's words. */
  readonly could?: string;
  /** What nobody decided yet, `Box.read`: one may ask for that, with `POST /_/questions`. */
  readonly undecided?: string;
}

/** One thing to put right. `at` is a JSON pointer into what was sent: `/due_day`. */
export interface ProblemAt {
  readonly at: string;
  readonly code: string;
  readonly clause: string;
  readonly message: string;
  readonly help?: string;
}

/** A record: flat, its fields by name. What the person may not read is absent. */
export interface RecordJson {
  readonly id: string;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
  /** Its label in words, when asked for with `label=true`. No field can bear this name. */
  readonly _label?: string;
  /** The fields that the screen it was asked for with does not show on this record. */
  readonly _hidden?: readonly string[];
  /**
   * When the clock makes which of its transitions, as far as that is known: a moment or a day, by the transition's name.
   * With `_label`, on a single record.
   */
  readonly _ahead?: { readonly [transition: string]: string };
  /** What the person may do with it: always on a single record, in lists when asked for with `may=true`. */
  readonly may?: May;
  readonly [field: string]: Json | May | undefined;
}

/** Money as it is read; it may be written so, or as the amount alone. */
export interface MoneyJson {
  /** With the decimal places of its currency: `12.50`. */
  readonly amount: string;
  readonly currency: string;
}

/** A file as it is read, and as sending it is answered; it is written as the id alone. */
export interface FileJson {
  readonly id: string;
  readonly name: string;
  /** A media type, as the bytes show it. */
  readonly type: string;
  /** Bytes. */
  readonly size: number;
}

/** A reference as it is read. It is written as the id alone. */
export interface ReferenceJson {
  readonly id: string;
  readonly label: string;
}

export interface May {
  /** The fields that may be changed now. */
  readonly update: readonly string[];
  readonly delete: boolean;
  /** The transitions that may be made now, in document order. */
  readonly transitions: readonly string[];
  /** Why each other transition may not be made now. Those that no state would open to this person are absent. */
  readonly refused: { readonly [transition: string]: WhyNot };
  /** Why nothing may be changed, or it may not be deleted, where that is open to this person on other records. */
  readonly updateRefused?: WhyNot;
  readonly deleteRefused?: WhyNot;
  /** Why nothing may be added to a list of the record now, such as `Line.order`, where that is open on other records. */
  readonly addRefused?: { readonly [list: string]: WhyNot };
}

export interface WhyNot {
  readonly code: string;
  readonly clause: string;
  /** A whole sentence. */
  readonly because: string;
}

/**
 * `GET /api/why?do=Request.grant&record=…`: the clauses that decide whether a person may do something with a record, what
 * each needs, and what was found. `as=…` asks for somebody else, which administrators may.
 */
export interface WhyJson {
  /** `unseen`: it is not there, or not for who asks to see. `depends`: on what is given, or on the record that was not named. */
  readonly answer: "yes" | "no" | "unseen" | "depends";
  /** Whole sentences. */
  readonly because: string;
  /** Who could: roles in the document's words; null where the answer is yes, or nobody could. */
  readonly could: string | null;
  /** Nobody decided it yet: one may ask for that, with `POST /_/questions`. */
  readonly undecided?: true;
  /** One open way is enough. */
  readonly ways: readonly WayJson[];
  /** What has to hold whichever way is open: the state, the guard, the rules. */
  readonly musts: readonly StepJson[];
}

/** `POST /_/questions`: something of which nobody decided who may do it, `do`, or the address of a screen or a call, `where`. */
export interface DecisionWanted {
  readonly do?: string;
  readonly record?: string;
  readonly field?: string;
  readonly where?: string;
}

/** `GET /_/questions?where=/boxes`, for anybody: what nobody decided of what that screen shows; null where that is nothing. */
export interface UndecidedJson {
  readonly undecided: string | null;
}

/** `GET /_/questions`, for administrators: what somebody was refused because nobody decided it yet. */
export interface QuestionsJson {
  readonly items: readonly QuestionJson[];
}

export interface QuestionJson {
  /** `Request.grant` */
  readonly do: string;
  /** The transition's; null for reading, making, changing and deleting. */
  readonly title: string | null;
  /** What holds until somebody decides, in a sentence or two. */
  readonly says: string;
  readonly clause: string;
  readonly entity: string;
  /** The one field that it was wanted for. */
  readonly field: string | null;
  /** Who asked, newest first; `name` is null for somebody who is gone. `where`: the screen or the call by which they did. */
  readonly asked: readonly {
    readonly at: string;
    readonly name: string | null;
    readonly record: string | null;
    readonly where: string | null;
  }[];
  /** How many records it is about now, up to 10,000. */
  readonly records: number;
  readonly answers: readonly AnswerJson[];
}

/** A clause that would answer a question, and what it would open now. */
export interface AnswerJson {
  readonly role: string;
  /** Whom it would be for, in running text: "a keeper". */
  readonly whom: string;
  /** The field by which a record is somebody's own, where it opens those alone. */
  readonly own: string | null;
  /** As it will stand in the document: `read: [{ role: staff, when: "owner == user" }]`. */
  readonly writes: string;
  /** How many people hold the role; null where the record decides who does. */
  readonly people: number | null;
  /** How many records, up to 10,000; null where they are made. */
  readonly records: number | null;
}

/** `GET /_/permissions?of=Request&record=…`: everything that somebody may or may not do with an entity's records, or with one. */
export interface PermissionsJson {
  readonly items: readonly PermissionJson[];
}

export interface PermissionJson extends WhyJson {
  /** `Request.grant` */
  readonly do: string;
  /** A transition's title; null for reading, making, changing and deleting. */
  readonly transition: string | null;
}

export interface WayJson {
  readonly clause: string;
  readonly role: string;
  /** What the reader reads for its name. */
  readonly title: string;
  /** Null where that is not for who asks to know. */
  readonly open: boolean | null;
  /** Whether the role is held at all, before any record is looked at. */
  readonly held: boolean;
  readonly needs: readonly StepJson[];
}

export interface StepJson {
  readonly clause: string;
  /** A phrase: "you are the employee's manager". */
  readonly says: string;
  /** Null where that is not for who asks to know. */
  readonly holds: boolean | null;
  /** What is given with it decides: it is not known before. */
  readonly later?: true;
  /** The values that it reads of the record, in words, as who asks may see them. */
  readonly found: readonly { readonly field: string; readonly value: string }[];
}

export interface ListJson {
  readonly items: readonly RecordJson[];
  /** Hand back as `after` for the next page; null at the end. */
  readonly next: string | null;
  /** Exact up to 10,000; "10,000+" beyond. Present when asked for with `count=true`. */
  readonly count?: Count;
}

/** One line of a record's history, newest first. */
export interface HistoryLine {
  readonly at: string;
  readonly person: ReferenceJson | null;
  /** `create`, `update`, `delete` or a transition's name. */
  readonly action: string;
  readonly clause: string;
  /** The document's version under which it happened. */
  readonly document: number;
  readonly changes: readonly { readonly field: string; readonly before: Json; readonly after: Json }[];
  /** What was done to another record, from which this followed; absent where nothing was, or not for who reads to see. */
  readonly cause?: LineCause;
  /** The parts that were given with it; absent where there were none. */
  readonly parts?: readonly PartLine[];
}

/** A write of another record. */
export interface LineCause {
  readonly entity: string;
  readonly id: string;
  readonly label: string;
  readonly action: string;
}

/** What came of a part of the record in the same step. */
export interface PartLine {
  /** The list that it stands in, and the entity that it is of. */
  readonly list: string;
  readonly entity: string;
  readonly action: "create" | "update" | "delete";
  readonly label: string;
  readonly changes: HistoryLine["changes"];
}

/** `GET /_/visits?of=&record=`: when one looked at a record last, and the moment of the newest write that one was shown. */
export interface VisitJson {
  readonly at: string | null;
  readonly seen: string | null;
}

export interface HistoryJson {
  readonly items: readonly HistoryLine[];
}

/** `GET /_/application`: everything the browser draws from, for who asks. */
export interface Application {
  readonly name: string;
  /** The first sentence of point 1's prose, in the document's voice; null where none is shown. */
  readonly sentence: string | null;
  /** The language that it is in, for who asks. */
  readonly locale: string;
  /** Those that it can be read in, the document's own first. */
  readonly languages: readonly string[];
  readonly timezone: string;
  /** `#rrggbb`, or null for the platform's own. */
  readonly accent: string | null;
  /** Counts the versions of the document that this database has run, from 1. */
  readonly version: number;
  readonly person: PersonJson | null;
  /** What people read for the names of roles; `administrator`, which the document does not name, is not among them. */
  readonly roles: { readonly [name: string]: string };
  readonly signIn: SignInJson;
  /** In document order; the first is where one lands. Those that a person may not read are absent. */
  readonly screens: readonly ScreenJson[];
  readonly entities: { readonly [name: string]: EntityJson };
}

export interface PersonJson {
  readonly id: string;
  readonly name: string;
  readonly roles: readonly string[];
  /** The roles that everybody has who is signed in. */
  readonly everybody: readonly string[];
  readonly administrator: boolean;
  /** An administrator looks as this person: nothing can be changed. */
  readonly looked?: true;
}

export interface SignInJson {
  readonly password: boolean;
  readonly signUp: {
    readonly open: boolean;
    readonly clause: string;
    readonly because: string;
    /** The domains of the addresses that may register; null: any. */
    readonly emails: readonly string[] | null;
  };
  readonly providers: readonly { readonly name: string; readonly label: string }[];
  /** The sample people of a demonstration, on loopback alone; absent elsewhere. */
  readonly demonstration?: readonly {
    readonly name: string;
    readonly roles: readonly string[];
    readonly token: string;
  }[];
}

export type ScreenJson = ListScreenJson | RecordScreenJson | FormScreenJson | TilesScreenJson;

export interface ListScreenJson {
  readonly kind: "list";
  /** `/loans` */
  readonly path: string;
  readonly title: string;
  readonly clause: string;
  readonly entity: string;
  readonly columns: readonly string[];
  readonly filters: readonly string[];
  /** `-due_day` sorts downwards. */
  readonly sort: readonly string[];
  /** The clause to name as `where` so that the list's condition holds; null where it has none. */
  readonly where: string | null;
  /** The first is shown first; never empty. */
  readonly layouts: readonly LayoutJson[];
  /** The most rows that a call gives at once. */
  readonly atOnce: number;
}

export type LayoutJson =
  | { readonly kind: "table" }
  /** A column for each value of a state or a choice. */
  | { readonly kind: "board"; readonly field: string }
  /** Dates or datetimes; without `to` each record stands on one day. */
  | { readonly kind: "calendar"; readonly from: string; readonly to: string | null };

/** An overview: what its tiles hold is asked for with `GET /_/overview?screen=`. */
export interface TilesScreenJson {
  readonly kind: "tiles";
  readonly path: string;
  readonly title: string;
  readonly clause: string;
  readonly tiles: readonly TileJson[];
}

export type TileJson = {
  readonly title: string;
  readonly clause: string;
  readonly entity: string;
  /** The list that shows the same records, with this tile's condition; null where none does. */
  readonly list: string | null;
} & (
  | { readonly kind: "count" }
  | { readonly kind: "list"; readonly columns: readonly string[] }
  | {
      readonly kind: "chart";
      readonly chart: "columns" | "bars" | "lines" | "parts";
      readonly per: AxisJson;
      readonly value: MeasureJson;
    }
);

/** What a chart groups by. */
export interface AxisJson {
  /** "First day". */
  readonly label: string;
  /** How far apart two groups of dates are; null where the groups are no dates. */
  readonly step: "day" | "week" | "month" | null;
  /** The field that is grouped by as it stands: its values have words, marks and a filter. Null for what is made of one. */
  readonly field: string | null;
}

/** What a chart shows of each group. */
export interface MeasureJson {
  readonly how: "count" | "sum" | "min" | "max" | "avg";
  /** "Days"; for a count what is counted. */
  readonly label: string;
  readonly unit: string | null;
}

/** `GET /_/overview?screen=/`: what each tile of the screen holds, in the order of its tiles. */
export interface OverviewJson {
  readonly tiles: readonly TileDataJson[];
}

export type TileDataJson =
  | { readonly kind: "count"; readonly count: Count }
  | { readonly kind: "list"; readonly items: readonly RecordJson[]; readonly count: Count }
  | {
      readonly kind: "chart";
      /** Dates in their order; other groups by their value, largest first. */
      readonly groups: readonly GroupJson[];
      /** Whether there are more groups than these. */
      readonly more: boolean;
    };

export interface GroupJson {
  /** Null where what is grouped by is missing, or may not be read. */
  readonly key: string | number | boolean | null;
  /** What a reference is called. */
  readonly label?: string;
  /** A number as text, exactly; null where there is none. */
  readonly value: string | null;
}

/** `GET /_/views`: one's own, and those that others share. */
export interface ViewsJson {
  readonly items: readonly ViewJson[];
}

export interface ViewJson {
  readonly id: string;
  /** The path of its list. */
  readonly screen: string;
  readonly title: string;
  /** What follows the question mark of the list's address. */
  readonly query: string;
  readonly shared: boolean;
  /** Whether one may take it away. */
  readonly own: boolean;
}

/** `GET /_/changes?after=`: answered when something changes, or after a while. */
export interface ChangesJson {
  /** What to ask after next. */
  readonly at: string;
  /** The entities of which something changed; null: it is not known, and everything may have. */
  readonly changed: readonly string[] | null;
}

/** Exact up to 10,000. */
export type Count = number | "10,000+";

export interface RecordScreenJson {
  readonly kind: "record";
  /** `/loans/{id}` */
  readonly path: string;
  readonly title: string;
  readonly clause: string;
  readonly entity: string;
  readonly sections: readonly SectionJson[];
}

export type SectionJson =
  | {
      readonly kind: "fields";
      readonly title?: string;
      readonly fields: readonly string[];
      /** Those that are shown on a condition alone: a record asked for with this screen says which are not. */
      readonly conditional?: readonly string[];
    }
  /** The records of an entity whose reference `by` names the record that is shown. */
  | {
      readonly kind: "list";
      readonly title: string;
      readonly entity: string;
      readonly by: string;
      readonly columns: readonly string[];
      /** Where they are parts of the record: how they are edited in their place, with it. */
      readonly parts?: PartsJson;
      /** Where they are what people say about the record: drawn as such, and not as a table. */
      readonly conversation?: ConversationJson;
    }
  | { readonly kind: "history" };

/** The fields of something said. */
export interface ConversationJson {
  readonly author: string;
  readonly text: string;
}

export interface FormScreenJson {
  readonly kind: "form";
  /** `/loans/new` makes one, `/loans/{id}/edit` changes one. */
  readonly path: string;
  readonly title: string;
  readonly clause: string;
  readonly entity: string;
  /** Fields of the record, and the lists of `parts`. */
  readonly fields: readonly string[];
  readonly parts?: readonly PartsJson[];
}

/** A list of parts that a form takes. */
export interface PartsJson {
  /** The list: `lines`. */
  readonly field: string;
  readonly label: string;
  readonly help?: string;
  readonly clause: string;
  /** The entity of the parts, and its reference to the record. */
  readonly entity: string;
  readonly by: string;
  /** The field that keeps their order; null where that is the order in which they were made. */
  readonly place: string | null;
  readonly columns: readonly string[];
  /** The lists of their own parts. */
  readonly parts?: readonly PartsJson[];
}

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
   * value, whoever makes it, or an expression as `core/rule/carried.ts` writes it, which reads nothing but the clock.
   */
  readonly default?: { readonly value: Json } | { readonly reckoned: Json } | "person";
  /** The program writes whoever makes the record there. */
  readonly maker?: true;
  /** What it is computed of, where that stands in the form: an expression as `core/rule/carried.ts` writes it. */
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

/** How a state is drawn wherever it appears; see `core/derive/state-marks.ts`. */
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
}

/** `GET /_/document`, for administrators: the document in force, whole. The browser reads it with the same compiler. */
export interface DocumentJson {
  readonly version: number;
  /** What names this text: hand it back as `base` with a change. */
  readonly hash: string;
  readonly files: readonly SourceJson[];
  /** Why it cannot be changed here; null where it can. */
  readonly fixed: string | null;
}

export interface SourceJson {
  readonly file: string;
  readonly text: string;
}

/** `GET /_/document/states`, for administrators: how many records are in each state. A state that no record is in is absent. */
export interface StateCountsJson {
  readonly entities: { readonly [entity: string]: { readonly [state: string]: number } };
}

/** What `POST /_/document/plan` and `POST /_/document` are sent: every file whole, and the text that they were made from. */
export interface DraftJson {
  readonly base: string;
  readonly files: readonly SourceJson[];
}

/** What a change of the document does to what is stored. */
export interface ChangeJson {
  /** What is done to the tables, a sentence each; empty where they stay as they are. */
  readonly steps: readonly string[];
  /** Why it cannot be made; empty where it can. */
  readonly refused: readonly { readonly clause: string; readonly says: string }[];
}

/** `POST /_/document`: the version that is in force from now on. */
export interface AppliedJson {
  readonly version: number;
  readonly hash: string;
  readonly steps: readonly string[];
}

/** `GET /_/open-points`, for administrators: what nobody decided. */
export interface OpenPointsJson {
  readonly document: { readonly name: string; readonly file: string; readonly hash: string; readonly version: number };
  readonly open: readonly OpenPointJson[];
  /** Every default in force, silent or said. */
  readonly defaults: readonly DefaultJson[];
  readonly findings: readonly {
    readonly code: string;
    readonly severity: string;
    /** Of a document of several files, the one that it stands in. */
    readonly file: string | null;
    readonly line: number;
    readonly column: number;
    readonly message: string;
    readonly hint: string;
    readonly clause: string | null;
  }[];
}

/** A statement that says something is not shown, or a point without a block. `point` 0 is the introduction. */
export interface OpenPointJson {
  readonly point: number;
  /** Of a document of several files, the one that it stands in. */
  readonly file: string | null;
  readonly line: number;
  /** The author's words; empty for a point that says nothing at all. */
  readonly statement: string;
  readonly default: DefaultJson;
}

export interface DefaultJson {
  readonly code: string;
  readonly point: number;
  /** What is silent: "point 6 shows no roles". */
  readonly silent: string;
  /** What is in force instead, as a sentence. */
  readonly inForce: string;
}

/** Somebody's account, as administrators see it. */
export interface AccountJson {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly active: boolean;
  readonly roles: readonly string[];
  readonly created_at: string;
  /** Whether they have a password; who was invited has none yet. */
  readonly password: boolean;
  /** Until when the link holds by which they set one; null where there is none. */
  readonly link_until: string | null;
  /** How many sessions of theirs are open. */
  readonly sessions: number;
}

/** `GET /_/people`, for administrators, by name. */
export interface PeopleJson {
  readonly items: readonly AccountJson[];
  /** Hand back as `after` for the next page; null at the end. */
  readonly next: string | null;
  /** The roles that can be granted, in document order, `administrator` last. */
  readonly roles: readonly string[];
  /** What has to be said of a new person: name, email address, and what else the document needs. */
  readonly fields: readonly FieldJson[];
}

/** `GET /_/people/:id`, for administrators. */
export interface PersonAccountJson extends AccountJson {
  readonly open: readonly SessionJson[];
  readonly tokens: readonly TokenJson[];
  readonly history: readonly AccountLine[];
  /** As in `PeopleJson.roles`. */
  readonly grantable: readonly string[];
}

/** A session that is open. Its token is never told again. */
export interface SessionJson {
  readonly id: string;
  readonly made_at: string;
  readonly expires_at: string;
  /** What the browser called itself, and the address that it came from; empty where neither is known. */
  readonly agent: string;
  readonly address: string;
  /** Whether it is the one that asks. */
  readonly current: boolean;
}

export type AccountAct =
  | "create"
  | "activate"
  | "deactivate"
  | "grant"
  | "take"
  | "password_link"
  | "set_password"
  | "end_sessions"
  | "make_token"
  | "end_token"
  | "link_provider"
  | "look_as"
  | "ask_for";

/** What was done to an account, newest first. */
export interface AccountLine {
  readonly at: string;
  /** Who did it; null where the program did. */
  readonly person: ReferenceJson | null;
  readonly action: AccountAct;
  readonly clause: string;
  /** The roles that came and went. */
  readonly granted: readonly string[];
  readonly taken: readonly string[];
  /** The name of the token that came or went. */
  readonly token?: string;
}

/** A link that was made just now. It is told once: the database keeps only its hash. */
export interface LinkJson {
  readonly id: string;
  /** From the site's root: `/sign-in#password=…`. */
  readonly link: string;
  readonly until: string;
  /** The address to which it was sent as well; absent where no mails are sent. */
  readonly mailed?: string;
}

/** A database that was restored, and sends nothing yet; for administrators. */
export interface HeldJson {
  /** When it was restored, and from when what is in it is. */
  readonly since: string;
  readonly from: string;
  /** Calls to other programs that waited when it was saved, and those since. */
  readonly old: number;
  readonly fresh: number;
  readonly mails: number;
}

/** Somebody who asked for an account and has not come yet; for administrators. */
export interface RegistrationJson {
  readonly id: string;
  readonly email: string;
  readonly made_at: string;
  readonly until: string;
}

/** Whose registration a link completes, and what else is to be said of a new person. */
export interface RegisteringJson {
  readonly email: string;
  readonly fields: readonly FieldJson[];
}

/** Whose password a link sets. */
export interface LinkOwnerJson {
  readonly name: string;
  readonly email: string;
}

/** `GET /_/notifications`: what the document tells a person, newest first. */
export interface NotificationsJson {
  readonly items: readonly NotificationJson[];
  /** For `after`: what stands before the last of these. */
  readonly next: string | null;
  readonly unread: number;
}

export interface NotificationJson {
  readonly id: string;
  readonly at: string;
  readonly text: string;
  readonly entity: string;
  /** The record that it is about, below `/api` and in the application's own addresses; null where nothing serves it. */
  readonly path: string | null;
  /** Where the record is shown, if it has no page of its own: a comment's ticket, as far as the person may read that. */
  readonly shown?: { readonly entity: string; readonly record: string };
  /** What the record is called now, when asked for with `label=true`; null where it may not be seen, or is gone. */
  readonly label?: string | null;
  readonly clause: string;
  readonly read: boolean;
}

/** `GET /_/pictures?of=ID,ID`: the picture of each of these people that has one which may be read, and comes quickly enough to stand beside a name. */
export interface PicturesJson {
  readonly items: readonly {
    readonly id: string;
    /** The file of the person's record. */
    readonly file: string;
  }[];
}

/** A token that a person's programs bear. What it is, is told once, when it is made. */
export interface TokenJson {
  readonly id: string;
  readonly name: string;
  /** Those of the person's roles that it has, beside what everybody who is signed in may do. */
  readonly roles: readonly string[];
  /** Whether it reads alone. */
  readonly reads: boolean;
  readonly made_at: string;
  readonly expires_at: string;
  /** To the minute; null where nothing has borne it yet. */
  readonly used_at: string | null;
}

export interface TokenMadeJson {
  readonly token: string;
  readonly until: string;
}

/** `GET /_/account`: one's own. */
export interface OwnAccountJson {
  readonly name: string;
  readonly email: string;
  readonly roles: readonly string[];
  readonly password: boolean;
  readonly open: readonly SessionJson[];
  /** Null where the document lets this person make none. */
  readonly tokens: OwnTokensJson | null;
}

export interface OwnTokensJson {
  readonly items: readonly TokenJson[];
  /** How many days one may hold. */
  readonly longest: number;
  /** The word before a token in the header Authorization. */
  readonly scheme: string;
  /** The roles that one may have. */
  readonly roles: readonly string[];
}
