import { expect, test } from "vitest";
import type {
  AccessTrace,
  ConditionTrace,
  GrantTrace,
  RequirementTrace,
} from "../../src/core/derive/authorization/access-trace.ts";
import { disclose, type TraceResults } from "../../src/core/derive/authorization/disclosure.ts";
import type { Expr } from "../../src/core/expression/expr.ts";
import fc from "../chance.ts";

/*
 * The disclosed explanation of a refusal must be equal in two worlds that differ only in hidden data and in which
 * trying has equal outcomes; otherwise asking “why?” reveals hidden data.
 */

const condition: Expr = { kind: "constant", value: true, type: { kind: "boolean" } } as never;
const need: fc.Arbitrary<ConditionTrace> = fc.record({
  clause: fc.constant("6.Request.employee"),
  condition: fc.constant(condition),
  isDisclosed: fc.boolean(),
  sometimesReadable: fc.constant([]),
  role: fc.constantFrom(null, "employee"),
  isNamed: fc.boolean(),
});
const grantTrace: fc.Arbitrary<GrantTrace> = fc.record({
  clause: fc.constant("6.Request.update"),
  role: fc.constantFrom("employee", "boss"),
  roleCondition: fc.constant(null),
  when: fc.constant(null),
  fields: fc.constant(null),
  mayApply: fc.boolean(),
  conditions: fc.array(need, { maxLength: 3 }),
});
const must: fc.Arbitrary<RequirementTrace> = fc.record({
  condition: fc.constant(condition),
  isDisclosed: fc.boolean(),
  sometimesReadable: fc.constant([]),
  isNamed: fc.boolean(),
  clause: fc.constantFrom("4.Request.submit", "5.Request.SHORT"),
  when: fc.constant(null),
  isDecidable: fc.boolean(),
  rule: fc.constant(null),
  role: fc.constant(null),
});
const considered: fc.Arbitrary<AccessTrace> = fc.record({
  grants: fc.array(grantTrace, { maxLength: 3 }),
  from: fc.option(
    fc.record({ states: fc.constant(["draft"]), isDisclosed: fc.boolean(), sometimesReadable: fc.constant([]) }),
  ),
  requirements: fc.array(must, { maxLength: 3 }),
});

const worldsOf = (accessTrace: AccessTrace): fc.Arbitrary<TraceResults> =>
  fc.record({
    grants: fc.tuple(...accessTrace.grants.map(({ conditions }) => fc.tuple(...conditions.map(() => fc.boolean())))),
    isFrom: accessTrace.from === null ? fc.constant(true) : fc.boolean(),
    requirements: fc.tuple(...accessTrace.requirements.map(() => fc.boolean())),
  });

/** The stage that a try reaches: permissions, state, requirements. */
const stageOf = ({ grants, requirements }: AccessTrace, verdicts: TraceResults): string => {
  const isOpen = grants.some(
    (grant, i) => grant.mayApply && grant.conditions.every((_, k) => verdicts.grants[i]?.[k] === true),
  );
  if (!isOpen) return "who";
  if (!verdicts.isFrom) return "state";
  return requirements.every((requirement, i) => !requirement.isDecidable || verdicts.requirements[i] === true)
    ? "done"
    : "musts";
};

/** The world with other hidden data. */
const mixed = (accessTrace: AccessTrace, shown: TraceResults, hidden: TraceResults): TraceResults => ({
  grants: accessTrace.grants.map(({ conditions }, i) =>
    conditions.map(({ isDisclosed }, k) => (isDisclosed ? shown : hidden).grants[i]?.[k] === true),
  ),
  isFrom: (accessTrace.from?.isDisclosed === false ? hidden : shown).isFrom,
  requirements: accessTrace.requirements.map(
    ({ isDisclosed }, i) => (isDisclosed ? shown : hidden).requirements[i] === true,
  ),
});

test("the response depends only on permitted data and on how far an attempt would get", () => {
  fc.assert(
    fc.property(
      considered.chain((accessTrace) =>
        fc.tuple(fc.constant(accessTrace), worldsOf(accessTrace), worldsOf(accessTrace)),
      ),
      ([accessTrace, a, b]) => {
        const other = mixed(accessTrace, a, b);
        fc.pre(stageOf(accessTrace, a) === stageOf(accessTrace, other));
        expect(disclose(accessTrace, other)).toEqual(disclose(accessTrace, a));
      },
    ),
    { numRuns: 5_000 },
  );
});

test("the response is true", () => {
  fc.assert(
    fc.property(
      considered.chain((accessTrace) => fc.tuple(fc.constant(accessTrace), worldsOf(accessTrace))),
      ([accessTrace, verdicts]) => {
        const disclosed = disclose(accessTrace, verdicts);
        expect(disclosed.answer).toBe(stageOf(accessTrace, verdicts) === "done");
        for (const [i, { isOpen, needs }] of disclosed.grants.entries()) {
          const holds = verdicts.grants[i] ?? [];
          if (isOpen !== null) expect(isOpen).toBe(accessTrace.grants[i]?.mayApply === true && holds.every(Boolean));
          for (const [k, known] of needs.entries()) if (known !== null) expect(known).toBe(holds[k]);
        }
        for (const [i, known] of disclosed.requirements.entries())
          if (known !== null) expect(known).toBe(verdicts.requirements[i]);
        expect(disclosed.denial === undefined).toBe(disclosed.answer);
      },
    ),
    { numRuns: 5_000 },
  );
});
