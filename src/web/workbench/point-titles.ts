import type { WordId } from "../../core/i18n/catalogue.ts";

/** What each point is about; 0 is what stands before the first. */
export const points: readonly WordId[] = [
  "point.0",
  "point.1",
  "point.2",
  "point.3",
  "point.4",
  "point.5",
  "point.6",
  "point.7",
  "point.8",
  "point.9",
];

/** In the order of the points, and within a point in the order given. */
export const byPoint = <T extends { readonly point: number }>(all: readonly T[]): ReadonlyMap<number, readonly T[]> => {
  const grouped = new Map<number, T[]>();
  for (const one of [...all].sort((a, b) => a.point - b.point)) {
    const group = grouped.get(one.point);
    if (group) group.push(one);
    else grouped.set(one.point, [one]);
  }
  return grouped;
};
