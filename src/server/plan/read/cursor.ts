import { hash } from "node:crypto";
import type { ListIntent } from "../../intent.ts";
import type { SortKey } from "./sort.ts";

/** Hashes entity, order and filters of a list, to tie a page token to it. */
export const cursorSeal = ({ entity, where, sort, filters, search, among }: ListIntent): string =>
  hash("sha256", JSON.stringify([entity, where, sort, filters, search, among]), "base64url").slice(0, 8);

export const writeCursor = (keys: readonly unknown[], seal: string): string =>
  Buffer.from(JSON.stringify([seal, ...keys.map((key) => (key === null ? null : String(key)))])).toString("base64url");

export const readCursor = (
  token: string,
  sort: readonly SortKey[],
  seal: string,
): readonly (string | null)[] | undefined => {
  if (token.length > 4_000) return undefined;
  try {
    const parsed: unknown = JSON.parse(Buffer.from(token, "base64url").toString("utf8"));
    if (!Array.isArray(parsed) || parsed.length !== sort.length + 1 || parsed[0] !== seal) return undefined;
    const values = parsed.slice(1) as unknown[];
    return values.every((value, i) => isKeyValue(value, sort[i])) ? (values as (string | null)[]) : undefined;
  } catch {
    return undefined;
  }
};

/** Parameters with the sort values of the last row of the previous page. */
export const cursorParams = (cursor: readonly (string | null)[] | null): Readonly<Record<string, unknown>> => {
  const slots: Record<string, unknown> = {};
  for (const [i, value] of (cursor ?? []).entries()) slots[`after:${i}`] = value;
  return slots;
};

/**
 * Validates a token, which is untrusted input. Each value must have the form that is written for a column of its type.
 */
const isKeyValue = (value: unknown, key: SortKey | undefined): boolean => {
  if (value === null) return key?.name !== "id";
  return typeof value === "string" && key?.isKey(value) === true;
};
