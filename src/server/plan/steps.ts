import type { Query, Row } from "../../postgres/database.ts";
import { toQuery, type Written } from "./statements.ts";

/** Statements that are sent as one message. */
export type StatementBatch = readonly Query[];

/** The rows of each statement of a batch. */
export type BatchRows = readonly (readonly Row[])[];

/**
 * A computation that needs the database, and is pure nevertheless: it yields batches, and is resumed with their rows.
 * `server/execution/execute.ts` runs it.
 */
export type Steps<T> = Generator<StatementBatch, T, BatchRows>;

/** Sends one statement, and returns its rows. */
export function* send(statement: Written<unknown>, slots: Readonly<Record<string, unknown>>): Steps<readonly Row[]> {
  const [rows = []] = yield [toQuery(statement, slots)];
  return rows;
}

/** Runs several computations side by side: one message carries the next batch of each. */
export function* sideBySide<T extends readonly unknown[]>(
  all: {
    readonly [I in keyof T]: Steps<T[I]>;
  },
): Steps<T> {
  const running = (all as readonly Steps<unknown>[]).map((steps) => ({ steps, next: steps.next() }));
  for (;;) {
    const waiting = running.flatMap((one) => (one.next.done === true ? [] : [{ one, batch: one.next.value }]));
    if (waiting.length === 0) break;
    const rows = yield waiting.flatMap(({ batch }) => batch);
    let from = 0;
    for (const { one, batch } of waiting) {
      one.next = one.steps.next(rows.slice(from, from + batch.length));
      from += batch.length;
    }
  }
  return running.map(({ next }) => next.value) as unknown as T;
}
