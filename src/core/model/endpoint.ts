import type { Expr } from "../expression/expr.ts";
import type { FieldTypeName } from "../wire/entities.ts";
import type { Clause } from "./clause.ts";
import type { Paging, Sorting } from "./paging.ts";

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
  /** The roles that may call it; null: everybody who can do what it does. */
  readonly by: readonly string[] | null;
  readonly status: number | null;
  readonly headers: ReadonlyMap<string, string>;
  /** True if members of the body that `takes` does not name, and query words that `query` does not name, are ignored. */
  readonly ignoresUnknown: boolean;
  /** True if members of the response whose value is missing are left out. */
  readonly omitsMissing: boolean;
  /** Forms of the body that the call accepts besides JSON, with booleans as themselves. */
  readonly accepts: BodyForms;
  /** The error entries that it answers in place of built-in errors, by their codes. */
  readonly errors: ReadonlyMap<string, string>;
}

/** `texts`: booleans as the texts “true” and “false”. `forms`: bodies of HTML forms, whose values are texts. */
export type BodyForms = { readonly [Form in (typeof bodyForms)[number]]: boolean };
export const bodyForms = ["texts", "forms"] as const;

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

/**
 * Members of a refusal that an error shape may use; `messages` are the messages of fields, by field, and `request` is the
 * id of the request, as in its header and in the log.
 */
export const problemMembers = [
  "code",
  "status",
  "title",
  "message",
  "clause",
  "help",
  "request",
  "errors",
  "messages",
] as const;
/**
 * Members of one error in a list: `at` is a JSON pointer, `field` the last part of it, `path` all parts (`lines.0.amount`), and
 * `value` the JSON that was sent there.
 */
export const errorMembers = [
  "code",
  "status",
  "title",
  "message",
  "clause",
  "help",
  "at",
  "field",
  "path",
  "value",
] as const;
export type ErrorMember = (typeof problemMembers)[number] | (typeof errorMembers)[number];

export type ErrorShape =
  | { readonly kind: "names"; readonly of: readonly (readonly [name: string, shape: ErrorShape])[] }
  | { readonly kind: "member"; readonly member: ErrorMember }
  /** A constant, or an expression over the single members. */
  | { readonly kind: "value"; readonly value: Expr }
  /** A list with one element for each error. */
  | { readonly kind: "each"; readonly of: ErrorShape }
  /** An object with a member for each field, or for each place, that has errors. The form is that of its first error. */
  | { readonly kind: "fields"; readonly by: "field" | "path"; readonly of: ErrorShape };

export interface TokenSettings {
  readonly clause: Clause;
  /** The roles that may create tokens; empty: nobody. */
  readonly by: readonly string[];
  readonly longestDays: number;
  /** The header in which programs send a token. */
  readonly header: string;
  /** The word in front of a token in the header; null: the token alone. */
  readonly scheme: string | null;
  /** The cookie in which a call can send a token too; null: none. */
  readonly cookie: string | null;
}

/** The body of a sign-in or sign-out, and its response, which is evaluated on the person. */
interface SigningBody {
  readonly takes: readonly TakenField[];
  readonly gives: Gives | null;
  /** Parameters that only have rules. */
  readonly query: readonly CallQuery[];
}

/** A condition on the caller under which a call is open. */
interface CallerCondition {
  /** `null`: the call is always open. */
  readonly when: Expr | null;
}

/** A call about signing in or out. */
export type Signing = SigningBody & SigningAct;

type SigningAct =
  /** Takes credentials, or the token of a session. */
  | { readonly kind: "sign in" }
  /**
   * Requests a registration: the body holds an address, to which a link is mailed. If addresses are not verified, the body
   * holds the password and fields of the new person, who is created and signed in.
   */
  | ({ readonly kind: "sign up" } & CallerCondition)
  /**
   * Mails a link for a new password. The response is the same for every address, so it reads no record. `link`: the name of
   * the environment variable with the address of the page that the link opens; null: the page of this application.
   */
  | { readonly kind: "forgot password"; readonly link: string | null }
  /** Sets the password of the person to whom the token was mailed, and signs them in. */
  | { readonly kind: "reset password" }
  /**
   * Takes nothing, or the token of the session. The response is evaluated before the session ends. Somebody who is not
   * signed in can sign out too, if there is no response.
   */
  | { readonly kind: "sign out" }
  /** Deactivates the account of the caller, as an administrator can. The response is evaluated before the session ends. */
  | ({ readonly kind: "close" } & CallerCondition);

/** Signing out, or closing one's own account. */
export type Leaving = Extract<Signing, { readonly kind: "sign out" | "close" }>;
export const isLeaving = (does: Signing): does is Leaving => does.kind === "sign out" || does.kind === "close";

/** The place in the body of the token whose session a call is about; undefined for calls that take none. */
export const findTokenPlace = ({ does }: Pick<Call, "does">): readonly string[] | undefined => {
  if (does.kind !== "steps" && renewsSession(does)) return does.takes[0]?.path;
  const takes =
    does.kind === "steps" ? does.steps.flatMap((step) => step.takes ?? []) : isLeaving(does) ? does.takes : [];
  return takes.find(({ field, isCredential }) => isCredential === true && field === "token")?.path;
};

/** True for a sign-in by the token of a session, in place of which another begins. */
export const renewsSession = ({ kind, takes }: Signing): boolean =>
  kind === "sign in" && takes.length === 1 && takes[0]?.field === "token";

/** True if a response has the token of a session. */
export const namesToken = (gives: Gives): boolean =>
  gives.kind === "token" || (gives.kind === "names" && gives.of.some(([, value]) => namesToken(value)));

/** The query parameters and headers of a call, those of all its steps. */
export const getQuery = ({ does }: Pick<Call, "does">): readonly CallQuery[] =>
  does.kind === "steps" ? does.steps.flatMap(({ query }) => query) : does.query;

/** A step of a custom endpoint: an operation on records, checked like the conventional call of that kind. */
export interface CallStep {
  readonly entity: string;
  readonly does:
    | {
        readonly kind: "list";
        /** A value, or a list of values, of each record: the list has each value once, in ascending order. Null: records. */
        readonly distinct: Expr | null;
        readonly sort: readonly string[];
        readonly sorting: Sorting;
        readonly paging: Paging;
      }
    | { readonly kind: "read" | "create" | "update" | "delete" | "delete all" }
    | { readonly kind: "transition"; readonly transition: string }
    /** Creates a record unless one with the same values exists in the fields of `key`, which is unique. */
    | { readonly kind: "ensure"; readonly key: readonly string[] }
    /**
     * Replaces the record that the path finds, like an update with `replaces`, or creates one if there is none. `creates`: the
     * path parameters as values of the new record.
     */
    | { readonly kind: "put"; readonly creates: readonly CallParameter[] };
  /** The path parameters, in order. */
  readonly parameters: readonly CallParameter[];
  /** The condition on the records; null: all that the path selects. */
  readonly where: Expr | null;
  /**
   * The condition under which the call is open, on the record as far as the caller can read it, or on the caller alone;
   * null: always.
   */
  readonly when: Expr | null;
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
  /** The members of its records that a caller can choose, with the query parameter `fields`. */
  readonly selectable: readonly string[];
}

/** True for steps that use one record. A `put` can also create it. */
export const isOnRecord = (kind: CallStep["does"]["kind"]): boolean =>
  kind !== "list" && kind !== "delete all" && kind !== "create" && kind !== "ensure";

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
  /** The header in which it is sent; null: the address. */
  readonly header: string | null;
  /** The condition that it adds; null: it is used elsewhere only. */
  readonly where: Expr | null;
  /** A condition on the parameters, which is checked if this one is sent, and the error of point 8 for others. */
  readonly rule: { readonly holds: Expr; readonly error: string } | null;
  /** The default, as it would appear in the address. */
  readonly default: string | null;
}

export interface TakenField {
  readonly path: readonly string[];
  readonly field: string;
  /** The unique field by whose value a reference is written; absent: its id. */
  readonly by?: CallParameter;
  /** True for a member that is no field: `password` and `current_password` of the caller's own account, or the `token` of its session. */
  readonly isCredential?: true;
  /** For a list of parts in a shape: the fields of each part. Absent: under their own names. */
  readonly parts?: { readonly entity: string; readonly takes: readonly TakenField[] };
}

/** The shape of a response. */
export type Gives =
  | { readonly kind: "names"; readonly of: readonly (readonly [name: string, gives: Gives])[] }
  /** `asNumber`: decimals are JSON numbers instead of texts. */
  | { readonly kind: "value"; readonly value: Expr; readonly asNumber?: true }
  /** A shape of the records that an expression leads to, or of those on the page. */
  | {
      readonly kind: "shape";
      readonly shape: string;
      readonly of: "page" | Expr;
      /** Members of the shape that the caller did not choose. */
      readonly without?: readonly string[];
    }
  /** The number of records on the page or in total, and the token of the next page. */
  | { readonly kind: "count"; readonly of: "page" | "found" }
  | { readonly kind: "next" }
  /** The token of the new session, or the one that the request sent, after a text such as `Bearer `. */
  | { readonly kind: "token"; readonly of: "new session" | "request"; readonly before: string }
  /** The address of a call for the record: the values of the parameters in its path. */
  | { readonly kind: "address"; readonly path: string; readonly values: readonly Expr[] }
  /** No body. */
  | { readonly kind: "none" };
