import { type CallRefusal, permissionRefusal } from "../core/derive/consistency/check-refusals.ts";
import type { KindName, QueryProblem } from "../core/i18n/catalogue.ts";
import type { Message } from "../core/i18n/message.ts";
import { placeInQuery } from "../core/model/error-entry.ts";

/**
 * A request that is not allowed or not valid: a value, not an exception. Its code is that of an error entry.
 * Its clause is the one that the refusal cites: for a missing permission, the first of the action.
 */
export interface Refusal {
  readonly kind: "refusal";
  readonly code: string;
  /** Absent only if no document decides: for a malformed body or an unknown address. */
  readonly clause?: string;
  /** Values for the placeholders of the message, formatted. */
  readonly values: Readonly<Record<string, string>>;
  readonly message?: string;
  readonly elsewhere?: Relocation;
  readonly at: readonly RefusalAt[];
  /** The reason on the record, and who could do it, as sentences that the caller may know. */
  readonly because?: string;
  readonly could?: string;
  /** An undecided permission: `Box.read`. */
  readonly undecided?: string;
}

export interface RefusalAt {
  /** A JSON pointer, `/due_day`, or a query parameter of a call, `?day`. */
  readonly at: string;
  readonly code: string;
  readonly clause: string;
  readonly values: Readonly<Record<string, string>>;
  /** The message, if it was already evaluated on the record. */
  readonly message?: string;
  /** The message as data, from which each language words its own text. Precedes `message`. */
  readonly messageData?: Message;
  readonly elsewhere?: Relocation;
}

/** The current name or address, or the version that removed it, in place of the entry's message. */
export type Relocation =
  | { readonly says: "renamed"; readonly name: string; readonly now: string }
  | { readonly says: "moved"; readonly now: string }
  | { readonly says: "removedBy"; readonly name: string; readonly version: string };

/** A refusal as an exception, for places that cannot return one. The error handler turns it back into a response. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.code);
    this.refusal = refusal;
  }
}

export const refuse = (code: string, clause?: string, values: Readonly<Record<string, string>> = {}): Refusal => ({
  kind: "refusal",
  code,
  ...(clause === undefined ? {} : { clause }),
  values,
  at: [],
});

/** The refusal of a check that concerns the whole call. */
export const refuseCall = ({ code, clause }: Pick<CallRefusal, "code"> & Partial<CallRefusal>): Refusal =>
  refuse(code, clause);

export const isRefusal = (value: unknown): value is Refusal =>
  typeof value === "object" && value !== null && "kind" in value && value.kind === "refusal";

/** Refuses an invalid query parameter or header; `word` is its value. */
export const badQuery = (
  detail: QueryProblem,
  values: { readonly word?: string; readonly now?: string; readonly most?: string } = {},
  clause?: string,
): Refusal =>
  refuse("BAD_QUERY", clause, { detail, ...values, ...(values.word === undefined ? {} : { member: values.word }) });

/** An error in a query parameter of a custom endpoint. */
export const parameterError = (
  parameter: string,
  clause: string,
  detail: QueryProblem,
  values: Readonly<Record<string, string>> = { word: parameter },
): RefusalAt => ({
  at: placeInQuery(parameter),
  code: "BAD_QUERY",
  clause,
  values: { detail, ...values, member: parameter },
});

/** Refuses an action that no clause allows this person, or not on this record. The message tells who can. */
export const forbid = (clause: string, message: string): Refusal => ({
  ...refuseCall(permissionRefusal(clause)),
  message,
});

/**
 * Combines several errors: the first determines the status, and all are reported in order. Identical errors at the same
 * place are reported once, and so is NOT_ONE, whose message does not depend on the clause.
 */
export const refuseAt = (errors: readonly RefusalAt[]): Refusal => {
  const known = new Map<string, RefusalAt>();
  for (const error of errors) {
    const { code, at } = error;
    const key = code === "NOT_ONE" ? `${code} ${at}` : JSON.stringify(error);
    if (!known.has(key)) known.set(key, error);
  }
  const at = [...known.values()];
  const [first] = at;
  if (first === undefined) throw new Error("a refusal without errors");
  return at.length === 1
    ? { ...first, kind: "refusal", at }
    : { kind: "refusal", code: "INVALID", clause: first.clause, values: {}, at };
};

/** The error for a value of an unexpected type. */
export const typeMismatch = (
  at: string,
  clause: string,
  values: { readonly field: string; readonly type: KindName },
): RefusalAt => ({ at, code: "WRONG_TYPE", clause, values });

/** The error for `null` where a list is expected. A client that forgot a list and one that empties it would send the same. */
export const nullForList = (
  at: string,
  { clause, title }: { readonly clause: { readonly id: string }; readonly title: string },
): RefusalAt => typeMismatch(at, clause.id, { field: title, type: "list in place of null" });
