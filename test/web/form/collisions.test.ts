import { expect, test } from "vitest";
import { collisionQueries } from "../../../src/web/form/state/collisions.ts";

const rule = {
  clause: "5.Leave.OVERLAP",
  from: "first_day",
  to: "last_day",
  closed: true,
  same: [],
  where: null,
} as never;

const queriesOf = (isOptional: boolean, values: { readonly [field: string]: string }) =>
  collisionQueries(
    { fields: [{ name: "last_day", optional: isOptional }] } as never,
    rule,
    (name) => values[name],
    20,
  ).map(String);

test("nothing is in the way of a range whose required end is not filled in yet, but everything later of one without an end", () => {
  expect(queriesOf(false, { first_day: "2026-12-01" })).toEqual([]);
  expect(queriesOf(false, { first_day: "2026-12-01", last_day: "2026-12-03" })).toHaveLength(1);
  expect(queriesOf(true, { first_day: "2026-12-01" })).toHaveLength(2);
});
