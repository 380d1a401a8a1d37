import { expect, test } from "vitest";
import { areOverlapping, overlapQueries } from "../../../src/web/form/state/collisions.ts";

const rule = {
  clause: "5.Booking.1",
  at: "begins",
  from: "begins",
  to: "ends",
  closed: false,
  same: ["room"],
  where: null,
};
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

test("two records overlap in a browser as they do in the queries", () => {
  type Values = Readonly<Record<string, string | null | { id: string }>>;
  const overlap = (of: typeof rule, one: Values, other: Values) =>
    [
      areOverlapping(
        of,
        (name) => one[name],
        (name) => other[name],
      ),
      areOverlapping(
        of,
        (name) => other[name],
        (name) => one[name],
      ),
    ].join();
  const hours = (begins: string, ends: string | null, room: string | { id: string } | null = "red") => ({
    room,
    begins: `2127-03-03T${begins}:00Z`,
    ends: ends && `2127-03-03T${ends}:00.000Z`,
  });
  const both = "true,true";
  const none = "false,false";
  expect(overlap(rule, hours("10:00", "12:00"), hours("11:30", "13:00"))).toBe(both);
  expect(overlap(rule, hours("10:00", "12:00"), hours("10:30", "11:00"))).toBe(both);
  expect(overlap(rule, hours("10:00", "12:00"), hours("12:00", "13:00"))).toBe(none);
  expect(overlap(rule, hours("10:00", null), hours("12:00", "13:00"))).toBe(both);
  expect(overlap(rule, hours("10:00", "12:00"), hours("11:00", "11:00"))).toBe(none);
  expect(overlap(rule, hours("10:00", "12:00"), hours("11:00", "13:00", "blue"))).toBe(none);
  expect(overlap(rule, hours("10:00", "12:00", null), hours("11:00", "13:00", null))).toBe(none);
  expect(overlap(rule, hours("10:00", "12:00", { id: "r1" }), hours("11:00", "13:00", { id: "r1" }))).toBe(both);
  const stay = (begins: string | null, ends: string) => ({ room: "red", begins, ends });
  expect(overlap(days, stay("2127-03-03", "2127-03-05"), stay("2127-03-05", "2127-03-09"))).toBe(both);
  expect(overlap(days, stay("2127-03-03", "2127-03-05"), stay("2127-03-06", "2127-03-09"))).toBe(none);
  expect(overlap(days, stay(null, "2127-03-05"), stay("2127-03-05", "2127-03-09"))).toBe(none);
});
