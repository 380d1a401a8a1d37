/** A text member of a body or query, limited in length; empty if it is not a text. */
export const parseTextParam = (body: unknown, key: string): string => {
  const text =
    typeof body === "object" && body !== null && Object.hasOwn(body, key)
      ? (body as Record<string, unknown>)[key]
      : undefined;
  return typeof text === "string" && text.length <= 1_000 && !text.includes("\0") ? text : "";
};
