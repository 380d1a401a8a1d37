import { type Phrases, phrasesFor } from "../core/explain/language.ts";
import type { Asked } from "../core/explain/query-errors.ts";
import { filledIn } from "../core/expression/compile/template.ts";
import { entryFor, type Subject } from "../core/model/error-entry.ts";
import type { BuiltInError } from "../core/model/errors.ts";
import type { ErrorEntry, ErrorShape, Model } from "../core/model/model.ts";
import type { Json } from "../core/wire/json.ts";
import type { Problem } from "../core/wire/problems.ts";

/**
 * A request that is not allowed or not valid: a value, never thrown through the house. Its code is an entry of the
 * error catalogue, its clause is what decided it.
 */
export interface Refusal {
  readonly kind: "refusal";
  readonly code: string;
  /** Absent only where no document decides: an unreadable body, an unknown address. */
  readonly clause?: string;
  /** What the entry's message names in braces, already in words. */
  readonly values: Readonly<Record<string, string>>;
  readonly message?: string;
  readonly at: readonly RefusalAt[];
  /** What on the record stands against it, and who could: whole sentences and words, as who asks may know. */
  readonly because?: string;
  readonly could?: string;
  /** What the document does not say who may do: `Box.read`. */
  readonly undecided?: string;
}

export interface RefusalAt {
  /** A JSON pointer: `/due_day`. */
  readonly at: string;
  readonly code: string;
  readonly clause: string;
  readonly values: Readonly<Record<string, string>>;
  /** The entry's message with what it names already in it, where it reads the record. */
  readonly message?: string;
}

/** A refusal where nothing can be answered but to the request as a whole: caught in one place, with the faults. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super(refusal.code);
    this.refusal = refusal;
  }
}

export const refuse = (
  code: BuiltInError,
  clause?: string,
  values: Readonly<Record<string, string>> = {},
): Refusal => ({
  kind: "refusal",
  code,
  ...(clause === undefined ? {} : { clause }),
  values,
  at: [],
});

export const isRefusal = (given: unknown): given is Refusal =>
  typeof given === "object" && given !== null && "kind" in given && given.kind === "refusal";

/** What an address or a header asks for and does not get: `word` is what stood there. */
export const badQuery = (
  detail: Asked,
  values: { readonly word?: string; readonly now?: string; readonly most?: string } = {},
  clause?: string,
): Refusal => refuse("BAD_QUERY", clause, { detail, ...values });

/** An action that no clause opens to this person, or not on this record: who may, in a sentence. */
export const forbid = (clause: string, message: string): Refusal => ({ ...refuse("FORBIDDEN", clause), message });

/**
 * Several things to put right at once; the first sets the status, and all are reported in the order given. Records that are
 * refused for the same reason in the same words, at the same place, are reported once.
 */
export const refuseAt = (given: readonly RefusalAt[]): Refusal => {
  const at = [...new Map(given.map((one) => [JSON.stringify(one), one])).values()];
  const [first] = at;
  if (first === undefined) throw new Error("a refusal without anything to put right");
  return at.length === 1
    ? { ...first, kind: "refusal", at }
    : { kind: "refusal", code: "INVALID", clause: first.clause, values: {}, at };
};

/**
 * What the document's own sentences name are people's values; what the program's name are texts of the document. Those
 * are in the reader's language, where the document does not word them itself.
 */
const saidIn = (
  { messages, say }: Phrases,
  { clause, code, message }: ErrorEntry,
  text: string,
  values: Readonly<Record<string, string>>,
): string => {
  if (clause !== null) return filledIn(say(text), (place) => values[place] ?? "…");
  const built = text === message ? messages.errors?.[code as BuiltInError] : undefined;
  return filledIn(built ?? text, (place) => {
    const value = values[place] ?? "…";
    if (place === "type") return messages.kinds[value] ?? value;
    if (place === "detail") return filledIn(messages.asked[value] ?? value, (name) => say(values[name] ?? "…"));
    return say(value);
  });
};

const entryOf = (model: Model, code: string, about: Subject) => {
  const entry = entryFor(model, code, about);
  if (entry === undefined) throw new Error(`the catalogue has no ${code}`);
  return entry;
};

/** Errors whose sentence the program words anew for each refusal, where the document has none of its own. */
const isReason = (code: string): boolean => code === "FORBIDDEN" || code === "WRONG_STATE" || code === "GUARD";

/**
 * A refusal in the document's words, as RFC 9457 has it, in the language of who is told. `entity` is what was asked for.
 */
export const problemOf = (
  model: Model,
  refusal: Refusal,
  phrases: Phrases = phrasesFor(model.locale),
  entity?: string | undefined,
): Problem => {
  const said = (entry: ErrorEntry, text: string, values: Readonly<Record<string, string>>): string =>
    saidIn(phrases, entry, text, values);
  const [only] = refusal.at.length === 1 ? refusal.at : [];
  const entry = entryOf(model, refusal.code, { clause: refusal.clause, at: only?.at, entity });
  const errors = refusal.at.map(({ at, code, clause, values, message }) => {
    const own = entryOf(model, code, { clause, at, entity });
    return {
      at,
      code,
      clause,
      message:
        isReason(code) && own.clause !== null
          ? said(own, own.message, values)
          : (message ?? said(own, own.message, values)),
      ...(own.help === null ? {} : { help: said(own, own.help, values) }),
    };
  });
  // Several failures answer with the status of the first.
  const status =
    refusal.code === "INVALID" && refusal.at[0] !== undefined
      ? entryOf(model, refusal.at[0].code, { ...refusal.at[0], entity }).status
      : entry.status;
  // Where the document has no words of its own, what the platform refuses says who may.
  const ownWords =
    entry.clause === null && refusal.code === "FORBIDDEN"
      ? phrases.sentences.platform[refusal.clause ?? ""]
      : undefined;
  // The document's own words come first, then what stands against it on this record, then who may at all.
  const reason =
    isReason(refusal.code) && entry.clause !== null ? undefined : (refusal.because ?? refusal.message ?? ownWords);
  return {
    type: "about:blank",
    title: phrases.messages.titles[status] ?? phrases.messages.refused,
    status,
    code: refusal.code,
    detail: reason ?? said(entry, entry.message, refusal.values),
    ...(refusal.clause === undefined ? {} : { clause: refusal.clause }),
    ...(refusal.because === undefined ? {} : { because: refusal.because }),
    ...(refusal.could === undefined ? {} : { could: refusal.could }),
    ...(refusal.undecided === undefined ? {} : { undecided: refusal.undecided }),
    ...(entry.help === null ? {} : { help: said(entry, entry.help, refusal.values) }),
    ...(errors.length === 0 ? {} : { errors }),
  };
};

/** A problem in the form that the document shows for its calls. */
export const shapedAs = (shape: ErrorShape, problem: Problem): Json => {
  if (shape.kind === "names") return Object.fromEntries(shape.of.map(([name, one]) => [name, shapedAs(one, problem)]));
  const { code, status, title, detail, clause, help, errors } = problem;
  const members: Readonly<Record<typeof shape.member, Json>> = {
    code,
    status,
    title,
    message: detail,
    clause: clause ?? null,
    help: help ?? null,
    errors: (errors ?? []).map((one) => ({ ...one })),
    messages: messagesIn(problem),
  };
  return members[shape.member];
};

/** The sentences of a problem by the last name of their place; what is about the whole is about the `body`. */
const messagesIn = ({ detail, errors = [] }: Problem): Json => {
  const messages = new Map<string, string[]>();
  for (const { at, message } of errors.length === 0 ? [{ at: "", message: detail }] : errors) {
    const name = at.split("/").at(-1)?.replaceAll("~1", "/").replaceAll("~0", "~") || "body";
    messages.set(name, [...(messages.get(name) ?? []), message]);
  }
  return Object.fromEntries(messages);
};
