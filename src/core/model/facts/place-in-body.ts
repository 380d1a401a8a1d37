import type { TakenField } from "../endpoint.ts";

/** JSON pointer (RFC 6901) to a member. */
export const jsonPointer = (path: readonly string[]): string =>
  path.map((part) => `/${part.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/**
 * The pointer to a field at its place in the body of a custom endpoint: `/lines/2/amount` becomes `/items/2/quantity`. `*`
 * stands for any part. A pointer to something that the body does not have stays as it is.
 */
export const placeInBody = (takes: readonly TakenField[] | null, at: string): string => {
  const take = takes?.find(({ field }) => `${at}/`.startsWith(`/${field}/`));
  if (take === undefined) return at;
  const inside = at.slice(take.field.length + 1);
  const [, nth, rest = ""] = /^\/(\d+|\*)(.*)$/su.exec(inside) ?? [];
  const place = jsonPointer(take.path);
  return take.parts === undefined || nth === undefined
    ? place + inside
    : `${place}/${nth}${placeInBody(take.parts.takes, rest)}`;
};
