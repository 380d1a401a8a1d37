import { expect, test } from "vitest";
import type { FieldJson } from "../../../src/core/wire/entities.ts";
import type { RecordJson } from "../../../src/core/wire/records.ts";
import { findDeadline, isDeadlineOver } from "../../../src/web/format/deadline.ts";

const field: FieldJson = {
  name: "due",
  label: "Due",
  type: "date",
  optional: false,
  automatic: false,
  filters: "range",
  sorts: true,
  clause: "3.Loan.due",
  deadline: { field: "status", states: ["lent"], over: ["returned"] },
};
const loan = (more: object): RecordJson => ({ id: "1", version: 1, created_at: "", updated_at: "", ...more });
const now = Date.parse("2026-11-24T10:00:00Z");
const here = { today: "2026-11-24", timezone: "Europe/Berlin" };
const distance = (due: string | null, status: string | undefined = "lent", of = field) => {
  const found = findDeadline(of, loan({ due, ...(status === undefined ? {} : { status }) }), here, now);
  return found === null ? null : `${found.late ? "late" : "left"} ${found.count} ${found.unit}`;
};

test("a day is overdue when it is over, in units that a person would use", () => {
  expect(
    ["2026-11-24", "2026-11-23", "2026-11-11", "2026-11-10", "2026-09-26", "2026-09-25", "2024-11-24"].map((day) =>
      distance(day),
    ),
  ).toEqual([
    "left 0 days",
    "late 1 days",
    "late 13 days",
    "late 2 weeks",
    "late 8 weeks",
    "late 2 months",
    "late 24 months",
  ]);
});

test("a moment is overdue at once", () => {
  expect(
    [
      "2026-11-24T09:59:00Z",
      "2026-11-24T07:30:00Z",
      "2026-11-21T10:00:00Z",
      "2026-11-24T10:30:00Z",
      "2026-11-24T22:59:00Z",
    ].map((moment) => distance(moment)),
  ).toEqual(["late 1 minutes", "late 2 hours", "late 3 days", "left 30 minutes", "left 12 hours"]);
});

test("a moment of another day is counted in days of the calendar, unless it is only hours away", () => {
  expect(distance("2026-11-25T09:00:00Z")).toBe("left 1 days");
  // 37 hours later it is the day after tomorrow in Berlin.
  expect(distance("2026-11-25T23:00:00Z")).toBe("left 2 days");
  const late = Date.parse("2026-11-24T22:00:00Z");
  expect(findDeadline(field, loan({ due: "2026-11-25T05:00:00Z", status: "lent" }), here, late)).toEqual({
    late: false,
    count: 7,
    unit: "hours",
  });
  expect([distance("2026-11-30T22:00:00Z"), distance("2026-11-30T23:30:00Z")]).toEqual(["left 6 days", null]);
});

test("a date that is not near, and one in a state without a deadline, is shown as a date", () => {
  expect([distance("2026-11-30"), distance("2026-12-01")]).toEqual(["left 6 days", null]);
  expect([distance("2026-11-01", "returned"), distance(null)]).toEqual([null, null]);
  // The reader does not see the state.
  expect(findDeadline(field, loan({ due: "2026-11-01" }), here, now)).toBeNull();
  const { deadline: _, ...plain } = field;
  expect(distance("2026-11-01", "lent", plain)).toBeNull();
});

test("a deadline is over in the states that say so, and not while the state is unknown or still to come", () => {
  const isOver = (more: object) => isDeadlineOver(field, loan({ due: "2026-11-16", ...more }));
  expect([{ status: "returned" }, { status: "lent" }, { status: "asked" }, {}].map(isOver)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
