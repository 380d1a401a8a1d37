import type { Query, Row } from "../../postgres/database.ts";
import { toQuery, type Written } from "./statements.ts";

/** Statements that are sent as one message. */
export type StatementBatch = readonly Query[];

/** The rows of each statement of a batch. */
export type BatchRows = readonly (readonly Row[])[];

/**
 * A pure computation that needs the database: it yields batches and is resumed with their rows.
 * `server/execution/execute.ts` runs it.
 */
export type Steps<T> = Generator<StatementBatch, T, BatchRows>;

/** Sends one statement and returns its rows. */
export function* send(statement: Written<unknown>, slots: Readonly<Record<string, unknown>>): Steps<readonly Row[]> {
  const [rows = []] = yield [toQuery(statement, slots)];
  return rows;
}

/** A computation that has begun: its next batch, or its result. */
interface Running<T> {
  readonly steps: Steps<T>;
  next: IteratorResult<StatementBatch, T>;
}

const start = <T>(steps: Steps<T>): Running<T> => ({ steps, next: steps.next() });

const getResult = <T>({ next }: Running<T>): T => {
  if (next.done !== true) throw new Error("this computation is still running");
  return next.value;
};

/** Runs a computation and a list of others side by side: one message carries the next batch of each. */
export function* sideBySide<A, B>(first: Steps<A>, others: readonly Steps<B>[]): Steps<readonly [A, readonly B[]]> {
  const [head, tail] = [start(first), others.map(start)];
  const running: readonly Running<A | B>[] = [head, ...tail];
  for (;;) {
    const waiting = running.flatMap((item) => (item.next.done === true ? [] : [{ one: item, batch: item.next.value }]));
    if (waiting.length === 0) break;
    const rows = yield waiting.flatMap(({ batch }) => batch);
    let from = 0;
    for (const { one, batch } of waiting) {
      one.next = one.steps.next(rows.slice(from, from + batch.length));
      from += batch.length;
    }
  }
  return [getResult(head), tail.map(getResult)];
}
