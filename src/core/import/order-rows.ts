/** A row of a file: the texts by which others can name its record, and those by which it names the records of others. */
export interface NamedRow {
  readonly row: number;
  readonly keys: readonly string[];
  readonly names: readonly string[];
}

export interface RowOrder {
  /** Row numbers, each after those of the rows that it names. */
  readonly order: readonly number[];
  /** The rows that a row names; absent if there are none. */
  readonly needs: ReadonlyMap<number, readonly number[]>;
  /** The rows that name each other in a circle, by each of them. */
  readonly circles: ReadonlyMap<number, readonly number[]>;
}

/** The numbers of the rows that have a key. */
export const rowsByKey = (rows: readonly NamedRow[]): ReadonlyMap<string, readonly number[]> => {
  const found = new Map<string, number[]>();
  for (const { row, keys } of rows)
    for (const key of new Set(keys)) {
      const known = found.get(key);
      if (known === undefined) found.set(key, [row]);
      else known.push(row);
    }
  return found;
};

/**
 * Orders rows so that each comes after those that it names. Circles are found by Tarjan's algorithm, "Depth-first search
 * and linear graph algorithms" (1972), without recursion, because chains of rows can be long.
 */
export const orderRows = (
  rows: readonly NamedRow[],
  byKey: ReadonlyMap<string, readonly number[]> = rowsByKey(rows),
): RowOrder => {
  const needs = new Map<number, readonly number[]>();
  for (const { row, names } of rows) {
    const named = new Set(names.flatMap((name) => byKey.get(name) ?? []));
    if (named.size > 0) needs.set(row, [...named]);
  }
  const order: number[] = [];
  const circles = new Map<number, readonly number[]>();
  const index = new Map<number, number>();
  /** The first row of the path that a row leads back to, by index. */
  const low = new Map<number, number>();
  const open: number[] = [];
  const isOpen = new Set<number>();
  const enter = (row: number): { readonly row: number; next: number } => {
    index.set(row, index.size);
    low.set(row, index.size - 1);
    open.push(row);
    isOpen.add(row);
    return { row, next: 0 };
  };
  const lower = (row: number, to: number | undefined): void => {
    low.set(row, Math.min(low.get(row) ?? 0, to ?? 0));
  };
  const leave = (row: number): void => {
    if (low.get(row) !== index.get(row)) return;
    const together = open.splice(open.lastIndexOf(row));
    for (const member of together) isOpen.delete(member);
    const inOrder = together.toSorted((a, b) => a - b);
    order.push(...inOrder);
    if (together.length > 1 || needs.get(row)?.includes(row) === true)
      for (const member of together) circles.set(member, inOrder);
  };
  for (const { row: first } of rows) {
    if (index.has(first)) continue;
    const path = [enter(first)];
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const named = needs.get(at.row)?.[at.next++];
      if (named === undefined) {
        path.pop();
        leave(at.row);
        const before = path.at(-1);
        if (before !== undefined) lower(before.row, low.get(at.row));
      } else if (!index.has(named)) path.push(enter(named));
      else if (isOpen.has(named)) lower(at.row, index.get(named));
    }
  }
  return { order, needs, circles };
};
