import { expect, test } from "vitest";
import type { StepJson, WayJson } from "../../../src/core/wire/why.ts";
import { mergeSteps } from "../../../src/web/permissions/merge-steps.ts";

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
