/** Groups items by a key, in order. Node 20 has no `Map.groupBy`. */
export const groupBy = <T>(items: readonly T[], key: (item: T) => string): ReadonlyMap<string, readonly T[]> => {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const own = key(item);
    const group = groups.get(own);
    if (group === undefined) groups.set(own, [item]);
    else group.push(item);
  }
  return groups;
};
