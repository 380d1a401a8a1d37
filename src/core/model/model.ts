import type { Type } from "../expression/values/type.ts";
import type { Finding } from "../findings.ts";
import type { Source, Span } from "../source-text.ts";
import type { Clause } from "./clause.ts";
import type { DefaultCode } from "./defaults.ts";
import type { Outgoing } from "./effect.ts";
import type { Call, CallSettings, ErrorShape, Gives } from "./endpoint.ts";
import type { Entity } from "./entity.ts";
import type { Mention } from "./mention.ts";
import type { Approval, Deputies, Role } from "./permissions.ts";
import type { Rename } from "./renaming.ts";
import type { Screen } from "./screen.ts";
import type { SignIn } from "./sign-in.ts";

/**
 * The model of a document: resolved and typed. It exists only for a document without errors, is immutable, and
 * everything that runs is derived from it.
 */
export interface Model {
  readonly name: string;
  /** The first sentence of point 1, unless it is an open point. */
  readonly sentence: string | null;
  /** The sentences of point 1, except open points. */
  readonly purpose: readonly string[];
  readonly locale: string;
  readonly timezone: string;
  readonly accent: string | null;
  /** A square PNG as Base64. */
  readonly logo: string | null;
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
  /** Null if nobody can have a deputy. */
  readonly deputies: Deputies | null;
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

/** A rename declared with `was: old_name`. It is carried out if the database has the old name but not the new one. */
export interface Renaming extends Rename {
  readonly clause: Clause;
}

/** The translation of a displayed text. */
export interface Translation {
  readonly text: string;
  readonly clause: Clause;
}

/** An error entry: one of the error catalogue (point 8), or a built-in one. */
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
  /** For how many days a deleted record can be brought back; 0 if it cannot. */
  readonly trashDays: number;
  /** For how many hours a transition can be made from a mail; 0 if mails offer none. */
  readonly mailTransitionHours: number;
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

/** The result of compiling a document. There is a model only if no finding is an error. */
export interface Compiled {
  /** The files of the document. Findings refer to them. */
  readonly sources: readonly Source[];
  /** The document as one text, all files concatenated: stored as a version, and hashed. */
  readonly source: Source;
  readonly model: Model | undefined;
  readonly findings: readonly Finding[];
  readonly open: readonly OpenPoint[];
  /** The places where clauses outside of expressions name something of an entity. */
  readonly mentions: readonly Mention[];
}
