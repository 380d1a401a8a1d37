import type { ImportAdjustments } from "../wire/imports.ts";
import type { CellAdjustment } from "./cell-value.ts";

/** Maximum numbers of rows and examples of a group. */
const MOST_ROWS = 50;
const MOST_EXAMPLES = 5;

/** A changed cell: its row number, its field, and each value of it that was changed. */
export interface AdjustedCell {
  readonly row: number;
  readonly field: string;
  readonly adjustments: readonly CellAdjustment[];
}

interface Group extends Pick<ImportAdjustments, "field" | "kind"> {
  count: number;
  readonly rows: number[];
  readonly examples: Map<string, string>;
}

/** Groups the changed cells of rows by field and kind. Its size is bounded, whatever the number of rows. */
export class AdjustmentGroups {
  readonly #groups = new Map<string, Group>();

  constructor(before: readonly ImportAdjustments[] = []) {
    for (const { field, kind, count, rows, examples } of before) {
      const group = this.#group(field, kind);
      group.count = count;
      group.rows.push(...rows);
      for (const { from, to } of examples) group.examples.set(from, to);
    }
  }

  add({ row, field, adjustments }: AdjustedCell): void {
    const [first] = adjustments;
    if (first === undefined) return;
    const group = this.#group(field, first.kind);
    group.count += 1;
    if (group.rows.length < MOST_ROWS) group.rows.push(row);
    for (const { from, to } of adjustments) if (group.examples.size < MOST_EXAMPLES) group.examples.set(from, to);
  }

  get all(): readonly ImportAdjustments[] {
    return [...this.#groups.values()].map(({ examples, ...group }) => ({
      ...group,
      examples: [...examples].map(([from, to]) => ({ from, to })),
    }));
  }

  #group(field: string, kind: ImportAdjustments["kind"]): Group {
    const key = `${kind} ${field}`;
    const group = this.#groups.get(key) ?? { field, kind, count: 0, rows: [], examples: new Map() };
    this.#groups.set(key, group);
    return group;
  }
}
