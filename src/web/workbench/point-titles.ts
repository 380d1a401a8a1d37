import type { WordId } from "../../core/i18n/catalogue.ts";

/** Titles of the points; 0 is the introduction. */
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

/** Groups by point, keeping the order within a point. */
export const byPoint = <T extends { readonly point: number }>(all: readonly T[]): ReadonlyMap<number, readonly T[]> => {
  const grouped = new Map<number, T[]>();
  for (const item of [...all].sort((a, b) => a.point - b.point)) {
    const group = grouped.get(item.point);
    if (group) group.push(item);
    else grouped.set(item.point, [item]);
  }
  return grouped;
};
