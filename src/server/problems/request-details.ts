import type { Call } from "../../core/model/endpoint.ts";
import { parameterAt } from "../../core/model/error-entry.ts";
import type { Json } from "../../core/wire/json.ts";
import type { RefusalAt } from "../refusal.ts";

/** The request that was refused: its entity, its custom endpoint if it called one, and its body. */
export interface RequestDetails {
  readonly entity?: string | undefined;
  readonly call?: Pick<Call, "errors" | "does"> | undefined;
  /** The body of the request. */
  readonly body?: unknown;
}

/**
 * The JSON that a request sent at a place; undefined if it sent none. Only for values of fields, never for passwords
 * and for members that the call does not know.
 */
export const sentValue = (
  { at, clause }: Pick<RefusalAt, "at" | "clause">,
  { call, body }: RequestDetails,
): Json | undefined => {
  const holdsPassword = credentialPlaces(call).some((place) => `${place}/`.startsWith(`${at}/`));
  if (at === "" || holdsPassword || !isFieldClause.test(clause)) return undefined;
  let value: unknown = body;
  for (const part of at.split("/").slice(1)) {
    const name = unescapePart(part);
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value as Json | undefined;
};

/** Matches a clause of a field or of a rule: `3.Task.title`, `5.Task.DUE`. */
const isFieldClause = /^(?:3\.[A-Z][A-Za-z0-9]*\.[a-z]|5\.[A-Z])/u;

/** The JSON pointers of passwords in the body of a call. */
const credentialPlaces = (call: RequestDetails["call"]): readonly string[] => {
  const takes = call !== undefined && "takes" in call.does ? (call.does.takes ?? []) : [];
  return takes
    .filter(({ field, isCredential }) => isCredential === true || field === "password")
    .map(({ path }) => `/${path.join("/")}`);
};

/** The name of an error: the member of the body, or the query parameter unless the document names it. */
export const fieldAt = (at: string, named: string | null): string | null =>
  (parameterAt(at) === undefined ? null : named) ?? lastPart(at) ?? null;

/** The whole name of an error: `lines.0.amount` for `/lines/0/amount`. */
export const pathAt = (at: string, named: string | null): string | null =>
  at.startsWith("/") ? at.slice(1).split("/").map(unescapePart).join(".") : fieldAt(at, named);

const unescapePart = (part: string): string => part.replaceAll("~1", "/").replaceAll("~0", "~");

/** The last part of a place: `title` in `/article/title`, `day` in `?day`. */
export const lastPart = (at: string): string | undefined =>
  parameterAt(at) ?? (unescapePart(at.split("/").at(-1) ?? "") || undefined);
