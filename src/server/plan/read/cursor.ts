import { hash } from "node:crypto";
import type { ListIntent } from "../../intent.ts";
import type { SortKey } from "./sort.ts";

/** A page token belongs to one list: the entity, its order and its filters. */
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
    return values.every((value, i) => fits(value, sort[i])) ? (values as (string | null)[]) : undefined;
  } catch {
    return undefined;
  }
};

/** The values that a page begins behind. */
export const cursorParams = (cursor: readonly (string | null)[] | null): Readonly<Record<string, unknown>> => {
  const slots: Record<string, unknown> = {};
  for (const [i, value] of (cursor ?? []).entries()) slots[`after:${i}`] = value;
  return slots;
};

/** A token is a stranger's text: each value must be one that we write ourselves for a column of that type. */
const fits = (value: unknown, key: SortKey | undefined): boolean => {
  if (value === null) return key?.name !== "id";
  return typeof value === "string" && key?.isKey(value) === true;
};
