import { titleOfValue } from "../../core/derive/http/list-capabilities.ts";
import { getPhrasesFor, type Phrases } from "../../core/explain/language.ts";
import { splitBraces } from "../../core/expression/syntax/braces.ts";
import type { FixedReason, KindName, QueryProblem, TableSize } from "../../core/i18n/catalogue.ts";
import { messageText } from "../../core/i18n/languages.ts";
import { type TextValue, withoutSecondDay } from "../../core/i18n/period-text.ts";
import { entryFor, type Subject } from "../../core/model/error-entry.ts";
import { type BuiltInError, builtInErrors } from "../../core/model/errors.ts";
import { isDatePlace, placeTitles } from "../../core/model/facts/place-titles.ts";
import type { ErrorEntry, Model } from "../../core/model/model.ts";
import type { Json } from "../../core/wire/json.ts";
import type { Problem } from "../../core/wire/problems.ts";
import type { Refusal, RefusalAt, Relocation } from "../refusal.ts";
import { lastPart, type RequestDetails, sentValue } from "./request-details.ts";

/** Converts a refusal into a problem detail (RFC 9457) in the reader's language. */
export const toProblem = (
  model: Model,
  refusal: Refusal,
  phrases: Phrases = getPhrasesFor(model.locale),
  requestDetails: RequestDetails = {},
): Problem => {
  const { entity, call } = requestDetails;
  const nameOf = (code: string): string => call?.errors.get(code) ?? code;
  const formatEntry = (entry: ErrorEntry, text: string, values: Readonly<Record<string, string>>): string =>
    formatMessage(model, phrases, entry, text, values);
  const [only] = refusal.at.length === 1 ? refusal.at : [];
  const entry = findEntry(model, nameOf(refusal.code), { clause: refusal.clause, at: only?.at, entity });
  const withSent = (error: RefusalAt): RefusalAt["values"] =>
    Object.hasOwn(builtInErrors, error.code)
      ? {
          ...sentValues(error.at, sentValue(error, requestDetails)),
          ...(error.code === "NOT_A_CHOICE" ? { choices: choicesInWords(model, error.clause, phrases) } : {}),
          ...error.values,
        }
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

/**
 * Translates the values of a message. Only WRONG_TYPE has a `type`, and only four errors have a `detail`, that the
 * language words. The values of a message of the document are its own, whatever their names are.
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
  model: Model,
  phrases: Phrases,
  { clause, code }: ErrorEntry,
  text: string,
  values: Readonly<Record<string, string>>,
): string => {
  const { say, errors, format } = phrases;
  if (clause === null) return format(errors.texts[code as BuiltInError], translateValues(code, phrases, values, say));
  const translated = translateValues(code, phrases, values, (value) => value);
  const titles = placeTitles(model, code);
  const parts = splitBraces(say(text)).map((part): string | TextValue => {
    if (typeof part === "string") return part;
    const value = translated[part.place];
    if (value === undefined) return { text: say(titles.get(part.place) ?? "…") };
    return isDatePlace(model, code, part.place) ? { text: value, day: value } : { text: value };
  });
  return withoutSecondDay(parts).join("");
};

const findEntry = (model: Model, code: string, about: Subject) => {
  const entry = entryFor(model, code, about);
  if (entry === undefined) throw new Error(`there is no error entry ${code}`);
  return entry;
};

/**
 * True for errors whose message is composed for each refusal, unless the document has its own. Of these, WRONG_STATE needs
 * no further query (`explainedCodes` in `explain/why-answers.ts`).
 */
const isReason = (code: string): boolean => code === "FORBIDDEN" || code === "WRONG_STATE" || code === "GUARD";

const newPlaceText = ({ errors, format }: Phrases, elsewhere: Relocation | undefined): string | undefined => {
  if (elsewhere === undefined) return undefined;
  const { says, ...values } = elsewhere;
  return format(errors[says], values);
};

/** Maximum number of choices that a message names. */
const NAMED_CHOICES = 5;

/** The values of the choice that a clause declares: "Camera, Lens or Tripod". Of many, the first are named. */
const choicesInWords = (model: Model, clause: string, { errors, format, say, or }: Phrases): string => {
  const [titles] = [...model.entities.values()].flatMap((entity) => {
    const field = [...entity.fields.values()].find((one) => one.clause.id === clause);
    return field === undefined ? [] : [field.values.map((value) => say(titleOfValue(entity, field, value)))];
  });
  if (titles === undefined || titles.length === 0) return errors.choices.unknown;
  // One more takes no more room than the words that replace it.
  const isAll = titles.length <= NAMED_CHOICES + 1;
  const count = String(titles.length - NAMED_CHOICES);
  return or(isAll ? titles : [...titles.slice(0, NAMED_CHOICES), format(errors.choices.more, { count })]);
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
