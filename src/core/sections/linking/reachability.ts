/** True if a path leads from one node to another. `seen` collects the visited nodes. */
export const reaches = (
  edges: ReadonlyMap<string, readonly { readonly to: string }[]>,
  from: string,
  goal: string,
  seen: Set<string> = new Set(),
): boolean => {
  if (from === goal) return true;
  if (seen.has(from)) return false;
  seen.add(from);
  return (edges.get(from) ?? []).some(({ to }) => reaches(edges, to, goal, seen));
};
