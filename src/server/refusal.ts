import { type CallRefusal, permissionRefusal } from "../core/derive/consistency/check-refusals.ts";
import { getPhrasesFor, type Phrases } from "../core/explain/language.ts";
import { fillBraces } from "../core/expression/compile/template.ts";
import { toJs } from "../core/expression/compile/to-js.ts";
import { noRecord } from "../core/expression/values/value.ts";
import type { FixedReason, KindName, QueryProblem, TableSize } from "../core/i18n/catalogue.ts";
import { messageText } from "../core/i18n/languages.ts";
import type { Message } from "../core/i18n/message.ts";
import type { Call, ErrorShape } from "../core/model/endpoint.ts";
import { entryFor, parameterAt, placeInQuery, type Subject } from "../core/model/error-entry.ts";
import { type BuiltInError, builtInErrors } from "../core/model/errors.ts";
import { placeTitles } from "../core/model/facts/place-titles.ts";
import type { ErrorEntry, Model } from "../core/model/model.ts";
import type { Json } from "../core/wire/json.ts";
import type { Problem } from "../core/wire/problems.ts";

/**
 * A request that is not allowed or not valid: a value, not an exception. Its code is an entry of the error catalogue.
 * Its clause is the one that decided it.
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
  /** The message as data, for languages other than English. */
  readonly messageData?: Message;
  readonly elsewhere?: Relocation;
}

/** The current name or address, or the version that removed it, in place of the entry's message. */
export type Relocation =
  | { readonly says: "renamed"; readonly name: string; readonly now: string }
  | { readonly says: "moved"; readonly now: string }
  | { readonly says: "removedBy"; readonly name: string; readonly version: string };

const newPlaceText = ({ errors, format }: Phrases, elsewhere: Relocation | undefined): string | undefined => {
  if (elsewhere === undefined) return undefined;
  const { says, ...values } = elsewhere;
  return format(errors[says], values);
};

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
  if (first === undefined) throw new Error("a refusal without anything to put right");
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

/**
 * Translates the values of a message. Only WRONG_TYPE has a `type`, and only four errors have a `detail`, that the
 * catalogue words. The values of a message of the document are its own, whatever their names are.
 */
const translateValues = (
  code: string,
  { errors, format }: Phrases,
  values: Readonly<Record<string, string>>,
  say: (text: string) => string,
): Readonly<Record<string, string>> => {
  const translated = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, say(value)]));
  const { type, many, detail } = values;
  if (code === "WRONG_TYPE" && type !== undefined) {
    const kind = format(errors.kinds[type as KindName], translated);
    return { ...translated, type: many === undefined ? kind : format(errors.kinds.list, { kind }) };
  }
  if (code === "BAD_QUERY" && detail !== undefined)
    return { ...translated, detail: format(errors.queries[detail as QueryProblem], translated) };
  if ((code === "DOCUMENT_FIXED" || code === "NO_PREVIEWS") && detail !== undefined)
    return { ...translated, detail: format(errors.reasons[detail as FixedReason], translated) };
  if (code === "TABLE_TOO_LARGE" && detail !== undefined) {
    const rows = format("{rows, number}", translated);
    return { ...translated, rows, detail: format(errors.sizes[detail as TableSize], translated) };
  }
  return translated;
};

/**
 * Values in the document's own messages are data. Values in built-in messages are names from the document, and are
 * translated.
 */
const formatMessage = (
  phrases: Phrases,
  { clause, code }: ErrorEntry,
  text: string,
  values: Readonly<Record<string, string>>,
  titles: ReadonlyMap<string, string>,
): string => {
  const { say, errors, format } = phrases;
  if (clause === null) return format(errors.texts[code as BuiltInError], translateValues(code, phrases, values, say));
  const translated = translateValues(code, phrases, values, (value) => value);
  return fillBraces(say(text), (place) => translated[place] ?? say(titles.get(place) ?? "…"));
};

const findEntry = (model: Model, code: string, about: Subject) => {
  const entry = entryFor(model, code, about);
  if (entry === undefined) throw new Error(`the catalogue has no ${code}`);
  return entry;
};

/** True for errors whose message is composed for each refusal, unless the document has its own. */
const isReason = (code: string): boolean => code === "FORBIDDEN" || code === "WRONG_STATE" || code === "GUARD";

/** The call that was refused: its entity, and the custom endpoint if it is one. */
export interface RefusedCall {
  readonly entity?: string | undefined;
  readonly call?: Pick<Call, "errors" | "does"> | undefined;
  /** The body of the request. */
  readonly body?: unknown;
}

/**
 * The form of a refusal by a custom endpoint: `shape` and `at` of its entry in point 8. A null shape means a problem
 * document; `at` names an error that belongs to no field.
 */
export const formOfRefusal = (
  model: Model,
  { code, clause, at }: Refusal,
  { entity, call }: RefusedCall,
): { readonly shape: ErrorShape | "none" | null; readonly field: string | null } => {
  const [only] = at.length === 1 ? at : [];
  const entry = entryFor(model, call?.errors.get(code) ?? code, { clause, at: only?.at, entity });
  // The entry can name an error of an address too, but not one of the body.
  const isOfBody = at.some((error) => parameterAt(error.at) === undefined);
  return { shape: entry?.shape ?? model.callSettings.errorShape, field: isOfBody ? null : (entry?.at ?? null) };
};

/**
 * The JSON that a request sent at a place; undefined if it sent none. Only for values of fields, never for passwords
 * and for members that the call does not know.
 */
const sentValue = ({ at, clause }: Pick<RefusalAt, "at" | "clause">, { call, body }: RefusedCall): Json | undefined => {
  const holdsPassword = credentialPlaces(call).some((place) => `${place}/`.startsWith(`${at}/`));
  if (at === "" || holdsPassword || !isFieldClause.test(clause)) return undefined;
  let value: unknown = body;
  for (const part of at.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value as Json | undefined;
};

/** Matches a clause of a field or of a rule: `3.Task.title`, `5.Task.DUE`. */
const isFieldClause = /^(?:3\.[A-Z][A-Za-z0-9]*\.[a-z]|5\.[A-Z])/u;

/** The JSON pointers of passwords in the body of a call. */
const credentialPlaces = (call: RefusedCall["call"]): readonly string[] => {
  const takes = call !== undefined && "takes" in call.does ? (call.does.takes ?? []) : [];
  return takes
    .filter(({ field, isCredential }) => isCredential === true || field === "password")
    .map(({ path }) => `/${path.join("/")}`);
};

/** Maximum length of a sent value in a message. */
const SENT_CHARACTERS = 200;

/** The values `{member}` and `{value}` of a message about a field. */
const sentValues = (at: string, value: Json | undefined): Readonly<Record<string, string>> => {
  const text = typeof value === "string" ? value : value === undefined ? "…" : JSON.stringify(value);
  const characters = [...text];
  return {
    member: lastPart(at) ?? "…",
    value: characters.length > SENT_CHARACTERS ? `${characters.slice(0, SENT_CHARACTERS).join("")}…` : text,
  };
};

/** Converts a refusal into a problem detail (RFC 9457) in the reader's language. */
export const toProblem = (
  model: Model,
  refusal: Refusal,
  phrases: Phrases = getPhrasesFor(model.locale),
  refusedCall: RefusedCall = {},
): Problem => {
  const { entity, call } = refusedCall;
  const nameOf = (code: string): string => call?.errors.get(code) ?? code;
  const formatEntry = (entry: ErrorEntry, text: string, values: Readonly<Record<string, string>>): string =>
    formatMessage(phrases, entry, text, values, placeTitles(model, entry.code));
  const [only] = refusal.at.length === 1 ? refusal.at : [];
  const entry = findEntry(model, nameOf(refusal.code), { clause: refusal.clause, at: only?.at, entity });
  const withSent = (error: RefusalAt): RefusalAt["values"] =>
    Object.hasOwn(builtInErrors, error.code)
      ? { ...sentValues(error.at, sentValue(error, refusedCall)), ...error.values }
      : error.values;
  const errors = refusal.at.map((error) => {
    const { at, code, clause, message, messageData: text, elsewhere } = error;
    const values = withSent(error);
    const own = findEntry(model, nameOf(code), { clause, at, entity });
    return {
      at,
      code: nameOf(code),
      clause,
      message:
        isReason(code) && own.clause !== null
          ? formatEntry(own, own.message, values)
          : ((text === undefined ? message : messageText(text, phrases.language)) ??
            newPlaceText(phrases, elsewhere) ??
            formatEntry(own, own.message, values)),
      ...(own.help === null ? {} : { help: formatEntry(own, own.help, values) }),
    };
  });
  // With several errors, the first determines the status.
  const status =
    refusal.code === "INVALID" && refusal.at[0] !== undefined
      ? findEntry(model, nameOf(refusal.at[0].code), { ...refusal.at[0], entity }).status
      : entry.status;
  // If the document has no message, platform refusals tell who can.
  const ownWords =
    entry.clause === null && refusal.code === "FORBIDDEN"
      ? phrases.sentences.platform[refusal.clause ?? ""]
      : undefined;
  // The document's message comes first, then the reason on this record, then who can.
  const reason =
    isReason(refusal.code) && entry.clause !== null
      ? undefined
      : (refusal.because ?? refusal.message ?? newPlaceText(phrases, refusal.elsewhere) ?? ownWords);
  return {
    type: "about:blank",
    title: phrases.errors.titles[status] ?? phrases.errors.refused,
    status,
    code: nameOf(refusal.code),
    detail: reason ?? formatEntry(entry, entry.message, only === undefined ? refusal.values : withSent(only)),
    ...(refusal.clause === undefined ? {} : { clause: refusal.clause }),
    ...(refusal.because === undefined ? {} : { because: refusal.because }),
    ...(refusal.could === undefined ? {} : { could: refusal.could }),
    ...(refusal.undecided === undefined ? {} : { undecided: refusal.undecided }),
    ...(entry.help === null ? {} : { help: formatEntry(entry, entry.help, refusal.values) }),
    ...(errors.length === 0 ? {} : { errors }),
  };
};

/** A problem with everything that an error shape can read. */
interface ShapedProblem {
  readonly problem: Problem;
  /** The name of an error that belongs to no field. */
  readonly field: string | null;
  readonly now: Date;
  readonly request: RefusedCall;
  /** As in the header of the response. */
  readonly requestId: string;
}

/** Converts a problem into the document's own error shape. */
export const shapeProblem = (shape: ErrorShape, shaped: ShapedProblem): Json => {
  const { code, status, title, detail, clause, help, errors = [] } = shaped.problem;
  const problem = {
    code,
    status,
    title,
    message: detail,
    clause: clause ?? null,
    help: help ?? null,
    request: shaped.requestId,
  };
  return shapeMembers(shape, { single: problem, value: null }, shaped, () =>
    errors.length === 0
      ? [{ single: { ...problem, at: null, field: shaped.field, path: shaped.field }, value: null }]
      : errors.map((error) => ({
          single: {
            ...problem,
            code: error.code,
            message: error.message,
            clause: error.clause,
            help: error.help ?? null,
            at: error.at === "" ? null : error.at,
            field: fieldAt(error.at, shaped.field),
            path: pathAt(error.at, shaped.field),
          },
          value: sentValue(error, shaped.request) ?? null,
        })),
  );
};

/** The members of an error, or of the problem. */
interface ShapedMembers {
  /** Those with a single value, as expressions read them. */
  readonly single: Readonly<Record<string, string | number | null>>;
  /** The JSON that was sent. */
  readonly value: Json;
}

const shapeMembers = (
  shape: ErrorShape,
  members: ShapedMembers,
  shaped: ShapedProblem,
  list: () => readonly ShapedMembers[],
): Json => {
  switch (shape.kind) {
    case "names":
      return Object.fromEntries(
        shape.of.map(([name, errorShape]) => [name, shapeMembers(errorShape, members, shaped, list)]),
      );
    case "each":
      return list().map((shapedMembers) => shapeMembers(shape.of, shapedMembers, shaped, list));
    case "fields":
      return Object.fromEntries(
        [...groupByField(list(), shape.by, shaped)].map(([name, [first = members, ...others]]) => [
          name,
          shapeMembers(shape.of, first, shaped, () => [first, ...others]),
        ]),
      );
    case "value": {
      const now = shaped.now.toISOString();
      return toJs(shape.value)(noRecord, {
        names: members.single,
        now,
        today: now.slice(0, 10),
        rows: () => [],
      }) as Json;
    }
    case "member":
      if (shape.member === "value") return members.value;
      if (shape.member === "errors") return (shaped.problem.errors ?? []).map((error) => ({ ...error }));
      return shape.member === "messages"
        ? shapeMembers(MESSAGES, members, shaped, list)
        : (members.single[shape.member] ?? null);
  }
};

/** The messages of a problem by field. */
const MESSAGES = {
  kind: "fields",
  by: "field",
  of: { kind: "each", of: { kind: "member", member: "message" } },
} as const;

/** The name of an error: the member of the body, or the query parameter unless the document names it. */
const fieldAt = (at: string, named: string | null): string | null =>
  (parameterAt(at) === undefined ? null : named) ?? lastPart(at) ?? null;

/** The whole name of an error: `lines.0.amount` for `/lines/0/amount`. */
const pathAt = (at: string, named: string | null): string | null =>
  at.startsWith("/") ? at.slice(1).split("/").map(unescapePart).join(".") : fieldAt(at, named);

const unescapePart = (part: string): string => part.replaceAll("~1", "/").replaceAll("~0", "~");

/** The last part of a place: `title` in `/article/title`, `day` in `?day`. */
const lastPart = (at: string): string | undefined =>
  parameterAt(at) ?? (unescapePart(at.split("/").at(-1) ?? "") || undefined);

/** The errors of a problem by field name; general ones under their own name, or under `body`. */
const groupByField = (
  errors: readonly ShapedMembers[],
  by: "field" | "path",
  { field }: ShapedProblem,
): ReadonlyMap<string, readonly ShapedMembers[]> => {
  const fields = new Map<string, ShapedMembers[]>();
  for (const error of errors) {
    const name = String(error.single[by] ?? field ?? "body");
    fields.set(name, [...(fields.get(name) ?? []), error]);
  }
  return fields;
};
