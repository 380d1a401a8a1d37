import type { Database, Query } from "../../../postgres/database.ts";

const SAVE: Query = { name: "save rows", text: "savepoint import_rows", values: [] };
const RELEASE: Query = { name: "release rows", text: "release savepoint import_rows", values: [] };
const BACK: Query = { name: "back to rows", text: "rollback to savepoint import_rows", values: [] };

/**
 * Attempts items of several writes each, so that every item is written as a whole or not at all. All are attempted
 * together. If one is refused, everything is rolled back, and each half is attempted on its own.
 */
export const attemptTogether = async <Item, Result>(
  send: Database["batch"],
  items: readonly Item[],
  attempt: (items: readonly Item[]) => Promise<readonly Result[]>,
  isRefused: (result: Result) => boolean,
): Promise<readonly Result[]> => {
  if (items.length === 0) return [];
  await send([SAVE]);
  const results = await attempt(items);
  if (!results.some(isRefused)) {
    await send([RELEASE]);
    return results;
  }
  await send([BACK, RELEASE]);
  if (items.length === 1) return results;
  const half = Math.ceil(items.length / 2);
  return [
    ...(await attemptTogether(send, items.slice(0, half), attempt, isRefused)),
    ...(await attemptTogether(send, items.slice(half), attempt, isRefused)),
  ];
};
