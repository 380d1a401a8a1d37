import type { Route } from "../core/derive/http/routes.ts";
import { isPeriodName, type PeriodName } from "../core/expression/values/periods.ts";
import { findInstant } from "../core/field/datetime.ts";
import { isId } from "../core/field/reference.ts";
import { listWords } from "../core/model/facts/grouping.ts";
import type { Model } from "../core/model/model.ts";
import type { Json } from "../core/wire/json.ts";
import { badQuery, type Refusal, refuse } from "./refusal.ts";

/**
 * The parts by which a repeated request with an idempotency key is recognised, if not by its values: a call of the document
 * can set others each time, such as `now`.
 */
export type KeyedRequest = readonly Json[];

/** A request as data, before the caller is known. */
export type Intent =
  | ListIntent
  | { readonly kind: "overview"; readonly screen: string }
  /** The letter of a record in a language of the document. */
  | { readonly kind: "letter"; readonly screen: string; readonly id: string; readonly language: string }
  /** The records of a list grouped by fields, outermost first, or as a pivot of two fields, with the sums of others. */
  | {
      readonly kind: "groups" | "pivot";
      readonly list: ListIntent;
      readonly by: readonly string[];
      readonly sums: readonly string[];
      /** True for a pivot with as few lines as in a tile. */
      readonly isSmall?: boolean;
    }
  | {
      readonly kind: "read";
      readonly entity: string;
      readonly id: string;
      readonly label: boolean;
      /** The screen whose conditional fields are evaluated. */
      readonly screen: string | null;
      /** True to include parts. */
      readonly parts?: boolean;
    }
  | { readonly kind: "history"; readonly entity: string; readonly id: string }
  | { readonly kind: "visit"; readonly entity: string; readonly id: string }
  | {
      readonly kind: "visited";
      readonly entity: string;
      readonly id: string;
      /** Time of the newest change shown. */
      readonly seen: string;
    }
  | {
      readonly kind: "create";
      readonly entity: string;
      readonly values: Values;
      readonly key: string | null;
      readonly request?: KeyedRequest;
      readonly label: boolean;
    }
  | {
      readonly kind: "update";
      readonly entity: string;
      readonly id: string;
      readonly values: Values;
      readonly version: number | null;
      readonly label: boolean;
    }
  | {
      readonly kind: "transition";
      readonly entity: string;
      readonly id: string;
      readonly transition: string;
      readonly values: Values;
      readonly version: number | null;
      /** The idempotency key; absent if the transition comes from no request of its own. */
      readonly key?: string | null;
      readonly request?: KeyedRequest;
      readonly label: boolean;
    }
  | { readonly kind: "delete"; readonly entity: string; readonly id: string; readonly version: number | null }
  /** Deleted records. `of`: their entity; null for all entities. */
  | TrashIntent
  | { readonly kind: "bring back"; readonly entity: string; readonly id: string };

/** The action that was refused, as far as the reason for the refusal depends on it. */
export type Attempt = Intent | { readonly kind: "list"; readonly entity: string };

export interface TrashIntent {
  readonly kind: "trash";
  /** Null for all entities. */
  readonly of: string | null;
  readonly search: string | null;
  /** Ids of the people who deleted the records; empty for anybody. */
  readonly people: readonly string[];
  /** The bounds of the time of the deletion; null for an open end. */
  readonly from: string | null;
  readonly to: string | null;
  readonly during: PeriodName | null;
  readonly after: string | null;
}

export interface ListIntent {
  readonly kind: "list";
  readonly entity: string;
  /** Ids of clauses in point 2 whose conditions apply. */
  readonly where: readonly string[];
  /**
   * Values by field. A field name followed by `>` or `<` gives the bounds of a range, by `@` a period, and by `~` search
   * words.
   */
  readonly filters: readonly (readonly [field: string, values: readonly string[]])[];
  readonly sort: readonly string[];
  readonly limit: number;
  readonly after: string | null;
  /** True for the number up to a limit; "exact" for the whole number, however long that takes. */
  readonly count: boolean | "exact";
  readonly may: boolean;
  readonly label: boolean;
  readonly search: string | null;
  readonly among: AmongIntent | null;
}

/** The candidates for a reference, in an existing record or one being created. */
export interface AmongIntent {
  readonly entity: string;
  readonly field: string;
  readonly record: string | null;
  /** Current values of the other fields in the form, as text. */
  readonly given: readonly (readonly [field: string, value: string])[];
}

export type Values = { readonly [field: string]: Json };

export interface Request {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: unknown;
  readonly ifMatch: string | undefined;
  readonly idempotencyKey: string | undefined;
}

/** Parses a request into an intent. Malformed requests are refused here; permissions are checked later. */
export const parseIntent = (route: Route, request: Request, model: Model): Intent | Refusal => {
  const { entity, does } = route;
  if (does.kind === "list") return parseListIntent(entity, request, model);
  const label = request.query.label === "true";
  if (does.kind === "create") {
    const values = parseBody(request);
    if (values === undefined) return refuse("MALFORMED");
    const key = parseKey(request.idempotencyKey);
    if (key === undefined) return badQuery("KEY_LENGTH");
    return { kind: "create", entity, values, key, label };
  }
  // An invalid id is treated like one that does not exist.
  const id = request.params.id?.toLowerCase() ?? "";
  const known = isId(id) ? id : NO_RECORD;
  const { screen } = request.query;
  if (does.kind === "read")
    return {
      kind: "read",
      entity,
      id: known,
      label,
      screen: typeof screen === "string" ? screen : null,
      parts: request.query.parts === "true",
    };
  if (does.kind === "history") return { kind: "history", entity, id: known };
  const version = parseIfMatch(request.ifMatch);
  if (version === undefined) return badQuery("IF_MATCH");
  if (does.kind === "delete") return { kind: "delete", entity, id: known, version };
  const values = parseBody(request);
  if (values === undefined) return refuse("MALFORMED");
  if (does.kind === "update") return { kind: "update", entity, id: known, values, version, label };
  const key = parseKey(request.idempotencyKey);
  if (key === undefined) return badQuery("KEY_LENGTH");
  return { kind: "transition", entity, id: known, transition: does.transition, values, version, key, label };
};

/** An idempotency key; null without one, undefined if invalid. */
export const parseKey = (header: string | undefined): string | null | undefined =>
  header === undefined ? null : header === "" || header.length > 255 ? undefined : header;

/** The nil UUID, which no record has. */
const NO_RECORD = "00000000-0000-0000-0000-000000000000";

export const parseBody = ({ body }: Pick<Request, "body">): Values | undefined => {
  if (body === undefined || body === null) return {};
  return typeof body === "object" && !Array.isArray(body) ? (body as Values) : undefined;
};

/** `"3"` is version 3; `*` and a missing header mean any. Undefined if invalid. */
export const parseIfMatch = (header: string | undefined): number | null | undefined => {
  if (header === undefined || header === "*") return null;
  const match = /^"(\d{1,9})"$/u.exec(header.trim());
  return match === null ? undefined : Number(match[1]);
};

const parseListIntent = (entity: string, { query }: Request, model: Model): ListIntent | Refusal => {
  const filters: (readonly [string, readonly string[]])[] = [];
  const where: string[] = [];
  const entered: (readonly [string, string])[] = [];
  let limit = model.limits.pageSize;
  const single: Record<string, string> = {};
  for (const [key, sent] of Object.entries(query)) {
    const values: readonly string[] = sent === undefined ? [] : typeof sent === "string" ? [sent] : sent;
    // Field names contain no dot.
    if (key.startsWith("given.")) entered.push([key.slice("given.".length), values[0] ?? ""]);
    else if (key === "where") where.push(...values);
    else if (!words.has(key)) filters.push([key, values]);
    else if (values.length !== 1) return badQuery("TWICE", { word: key });
    else single[key] = values[0] ?? "";
  }
  if (single.limit !== undefined) {
    limit = /^\d{1,4}$/u.test(single.limit) ? Number(single.limit) : 0;
    if (limit < 1 || limit > model.limits.pageSizeMax)
      return badQuery("LIMIT", { word: "limit", most: String(model.limits.pageSizeMax) }, "9.page_size_max");
  }
  if (single.search?.includes("\0") === true) return badQuery("SEARCH");
  if (where.length > 5 || filters.length > 20 || filters.some(([, values]) => values.length > 100))
    return badQuery("TOO_MANY_FILTERS");
  const among = parseAmong(single.among, entered);
  if (among === undefined) return badQuery("AMONG");
  return {
    kind: "list",
    entity,
    where,
    filters,
    sort: single.sort === undefined || single.sort === "" ? [] : single.sort.split(","),
    limit,
    after: single.after ?? null,
    count: single.count === "exact" ? "exact" : single.count === "true",
    may: single.may === "true",
    label: single.label === "true",
    search: single.search?.trim() || null,
    among,
  };
};

/**
 * Parses `of`, `search`, `person`, `at>`, `at<`, `at@` and `after`: the records that were deleted by one of the people,
 * between two moments, in a period.
 */
export const parseTrashQuery = (query: Request["query"]): TrashIntent | Refusal => {
  const values = (key: string): readonly string[] => [query[key] ?? []].flat();
  const people = values("person");
  const [from = null, to = null, during = null] = ["at>", "at<", "at@"].map((key) => values(key)[0] ?? null);
  const search = values("search")[0] ?? "";
  if (search.includes("\0")) return badQuery("SEARCH");
  if (people.length > 100) return badQuery("TOO_MANY_FILTERS");
  if (!people.every(isId)) return badQuery("VALUE", { word: "person" });
  if (from !== null && findInstant(from) === undefined) return badQuery("VALUE", { word: "at>" });
  if (to !== null && findInstant(to) === undefined) return badQuery("VALUE", { word: "at<" });
  if (during !== null && (!isPeriodName(during) || during === "overdue")) return badQuery("VALUE", { word: "at@" });
  return {
    kind: "trash",
    of: values("of")[0] ?? null,
    search: search.trim() || null,
    people: [...new Set(people)],
    from,
    to,
    during,
    after: values("after")[0] ?? null,
  };
};

/** Parses `Request.kind`, or `Request.kind/ID` for an existing record. Undefined if invalid. */
const parseAmong = (word: string | undefined, entered: AmongIntent["given"]): AmongIntent | null | undefined => {
  if (word === undefined) return null;
  const [, entity, field, record] = /^([A-Z]\w*)\.([a-z]\w*)(?:\/(.+))?$/u.exec(word) ?? [];
  if (entity === undefined || field === undefined || (record !== undefined && !isId(record))) return undefined;
  return { entity, field, record: record ?? null, given: entered };
};

const words: ReadonlySet<string> = new Set(listWords);
