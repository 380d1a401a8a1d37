import { expect, test } from "vitest";
import type { StepJson, WayJson } from "../../../src/core/wire/why.ts";
import { findRecordsInTheWay, mergeSteps } from "../../../src/web/permissions/merge-steps.ts";

const step = (clause: string, says: string, holds = true): StepJson => ({ clause, says, holds, found: [] });
const way = (...needs: readonly StepJson[]): WayJson => ({
  clause: "4.Request.approve",
  role: "approver",
  title: "Approver",
  open: true,
  held: true,
  needs,
});

test("a condition of a grant that is always required is said once, with both clauses", () => {
  const { ways, musts } = mergeSteps({
    ways: [way(step("6.roles.approver", "you are the head"), step("6.roles.approver", "you are not the requester"))],
    musts: [
      step("4.Request.approve", "you are not the requester"),
      step("4.Request.approve", "the sum is small", false),
    ],
  });
  expect(ways[0]?.needs.map(({ says }) => says)).toEqual(["you are the head"]);
  expect(musts.map(({ says, clauses }) => [says, clauses])).toEqual([
    ["you are not the requester", ["4.Request.approve", "6.roles.approver"]],
    ["the sum is small", ["4.Request.approve"]],
  ]);
});

test("a condition that holds for one clause and is hidden in another is said twice", () => {
  const hidden = { ...step("5.Request.rule", "the sum is small"), holds: null };
  const { musts } = mergeSteps({ ways: [], musts: [step("4.Request.approve", "the sum is small"), hidden] });
  expect(musts).toHaveLength(2);
});

test("the records in the way are those of the deciding clause, also if another condition is refused first", () => {
  const of = (id: string) => ({ entity: "Loan", items: [{ id, label: id }], more: 0 });
  const lent = { ...step("5.Loan.LENT", "it is not lent", false), records: of("lent") };
  const other = { ...step("5.Loan.OTHER", "it is not reserved", false), records: of("reserved") };
  const small = step("4.Loan.lend", "the sum is small", false);
  expect(findRecordsInTheWay({ musts: [small, other, lent] }, "5.Loan.LENT")).toEqual(of("lent"));
  expect(findRecordsInTheWay({ musts: [small, other] }, "4.Loan.lend")).toEqual(of("reserved"));
  expect(findRecordsInTheWay({ musts: [{ ...lent, holds: null }] }, "5.Loan.LENT")).toEqual(of("lent"));
  // A rule that holds is not in the way, and one that only another trial would decide is not known to be.
  expect(findRecordsInTheWay({ musts: [{ ...lent, holds: true }] }, "5.Loan.LENT")).toBeUndefined();
  expect(findRecordsInTheWay({ musts: [{ ...lent, holds: null }] }, "4.Loan.lend")).toBeUndefined();
});
