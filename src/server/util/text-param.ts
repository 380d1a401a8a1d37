/** A member of a body or of a query that is a text of bearable length; empty where it is none. */
export const textIn = (body: unknown, key: string): string => {
  const given =
    typeof body === "object" && body !== null && Object.hasOwn(body, key)
      ? (body as Record<string, unknown>)[key]
      : undefined;
  return typeof given === "string" && given.length <= 1_000 && !given.includes("\0") ? given : "";
};
