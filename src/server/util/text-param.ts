/** A text member of a body or query, limited in length; empty if it is not a text. */
export const parseTextParam = (body: unknown, key: string): string => {
  const given =
    typeof body === "object" && body !== null && Object.hasOwn(body, key)
      ? (body as Record<string, unknown>)[key]
      : undefined;
  return typeof given === "string" && given.length <= 1_000 && !given.includes("\0") ? given : "";
};
