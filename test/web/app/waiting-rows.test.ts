import { afterEach, expect, test } from "vitest";
import {
  areStillWaiting,
  importWaitingRows,
  listWaitingEntities,
  waitingRows,
} from "../../../src/web/workbench/waiting-rows.ts";

afterEach(() => waitingRows.set(null));

const rooms = {
  file: "rooms.csv",
  imports: [{ entity: "Room", match: null, rows: 2, csv: "number\nR-1\nR-2\n" }],
  done: [],
  isRunning: false,
  isWanted: false,
};
const done = {
  entity: "Room",
  id: null,
  isSecond: false,
  added: 2,
  updated: 0,
  refused: 0,
  adjusted: 0,
  asks: false,
  failure: null,
};
const calls = {} as Parameters<typeof importWaitingRows>[0];

test("the rows of a draft wait until their import begins, and a later version does not import them again", async () => {
  waitingRows.set(rooms);
  expect([areStillWaiting(waitingRows.get()), listWaitingEntities()]).toEqual([true, ["Room"]]);
  for (const later of [
    { ...rooms, isRunning: true },
    { ...rooms, done: [done] },
  ]) {
    waitingRows.set(later);
    expect([areStillWaiting(waitingRows.get()), listWaitingEntities()]).toEqual([false, []]);
    await importWaitingRows(calls, () => {
      throw new Error("the rows are sent again");
    });
    expect(waitingRows.get()).toEqual(later);
  }
});
