import { expect, test } from "vitest";
import { overlapQueries } from "../../../src/web/form/state/overlaps.ts";

const rule = { clause: "5.Booking.1", from: "begins", to: "ends", closed: false, same: ["room"], where: null };
const days = { ...rule, closed: true };
const read = (of: typeof rule, values: Readonly<Record<string, string | null | { id: string }>>, endless = false) =>
  overlapQueries(of, (name) => values[name], { limit: 20, endless }).map((query) => decodeURIComponent(`${query}`));

test("an end that belongs to the range overlaps a begin at it, and another one does not", () => {
  expect(read(days, { room: "red", begins: "2127-03-03", ends: "2127-03-04" })).toEqual([
    "room=red&sort=begins&limit=20&begins<=2127-03-04&ends>=2127-03-03",
  ]);
  expect(read(rule, { room: "red", begins: "2127-03-03T10:00:00Z", ends: "2127-03-03T11:00:00Z" })).toEqual([
    "room=red&sort=begins&limit=20&begins<=2127-03-03T10:59:59.999Z&ends>=2127-03-03T10:00:00.001Z",
  ]);
});

test("without an end, a record overlaps everything after its begin", () => {
  const begun = { room: { id: "r1" }, begins: "2127-03-03", ends: null };
  expect(read(days, begun)).toEqual(["room=r1&sort=begins&limit=20&ends>=2127-03-03"]);
  expect(read(days, { ...begun, ends: "2127-03-04" }, true)).toEqual([
    "room=r1&sort=begins&limit=20&begins<=2127-03-04&ends>=2127-03-03",
    "room=r1&sort=begins&limit=20&begins<=2127-03-04&ends=",
  ]);
});

test("a record without a begin or a value that both must have overlaps none", () => {
  expect(read(days, { room: "red", begins: null, ends: "2127-03-04" })).toEqual([]);
  expect(read(days, { room: null, begins: "2127-03-03", ends: "2127-03-04" })).toEqual([]);
});
