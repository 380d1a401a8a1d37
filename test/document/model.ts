/** A model or a part of it as plain values without spans. */
export const withoutPlaces = (value: unknown): unknown => {
  if (value instanceof Map) return Array.from(value, ([key, inner]) => [key, withoutPlaces(inner)]);
  if (value instanceof Set) return Array.from(value, withoutPlaces);
  if (Array.isArray(value)) return value.map(withoutPlaces);
  if (typeof value !== "object" || value === null) return typeof value === "function" ? undefined : value;
  // Writes objects other than lists and plain objects as text.
  if (Object.getPrototypeOf(value) !== Object.prototype) return String(value);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== "span")
      .map(([key, inner]) => [key, withoutPlaces(inner)]),
  );
};
