/** A model, or anything in it, as plain values, without where it stands in the document. */
export const withoutPlaces = (value: unknown): unknown => {
  if (value instanceof Map) return Array.from(value, ([key, one]) => [key, withoutPlaces(one)]);
  if (value instanceof Set) return Array.from(value, withoutPlaces);
  if (Array.isArray(value)) return value.map(withoutPlaces);
  if (typeof value !== "object" || value === null) return typeof value === "function" ? undefined : value;
  // What is neither a list nor a plain object says what it is when it is written.
  if (Object.getPrototypeOf(value) !== Object.prototype) return String(value);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== "span")
      .map(([key, one]) => [key, withoutPlaces(one)]),
  );
};
