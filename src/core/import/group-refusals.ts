import type { ImportRefusals } from "../wire/imports.ts";

/** A refused row: its number, and the reasons. */
export interface RefusedRow {
  readonly row: number;
  readonly errors: readonly RowError[];
}

export interface RowError {
  readonly code: string;
  readonly clause: string | null;
  readonly field: string | null;
  readonly message: string;
  /** The text of the cell. */
  readonly value?: string;
}

const MOST_GROUPS = 100;

/** Maximum numbers of rows and values of a group. The file of refused rows has all of them. */
const MOST_ROWS = 50;
const MOST_VALUES = 5;

interface Group extends Omit<ImportRefusals, "rows" | "values" | "count" | "differs"> {
  differs: boolean;
  count: number;
  readonly rows: number[];
  readonly values: Set<string>;
}

/** Groups refused rows by the clause and the code of the refusal. Its size is bounded, whatever the number of rows. */
export class RefusalGroups {
  readonly #groups = new Map<string, Group>();

  constructor(before: readonly ImportRefusals[] = []) {
    for (const group of before)
      this.#groups.set(JSON.stringify([group.code, group.clause, group.field]), {
        ...group,
        rows: [...group.rows],
        values: new Set(group.values),
      });
  }

  add({ row, errors }: RefusedRow): void {
    for (const { code, clause, field, message, value } of errors) {
      const key = JSON.stringify([code, clause, field]);
      const known = this.#groups.get(key);
      if (known === undefined && this.#groups.size >= MOST_GROUPS) continue;
      const group = known ?? { code, clause, field, message, differs: false, count: 0, rows: [], values: new Set() };
      if (known === undefined) this.#groups.set(key, group);
      group.count += 1;
      group.differs ||= group.message !== message;
      if (group.rows.length < MOST_ROWS) group.rows.push(row);
      if (value !== undefined && value !== "" && group.values.size < MOST_VALUES) group.values.add(value);
    }
  }

  /** All groups, largest first. */
  get all(): readonly ImportRefusals[] {
    return [...this.#groups.values()]
      .toSorted((a, b) => b.count - a.count)
      .map((group) => ({ ...group, values: [...group.values] }));
  }
}
