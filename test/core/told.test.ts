import { expect, test } from "vitest";
import { toldOf, type Verdicts } from "../../src/core/derive/authorization/disclosure.ts";
import type { Considered, Must, Need, Way } from "../../src/core/derive/authorization/explain-access.ts";
import type { Expr } from "../../src/core/expression/expr.ts";
import fc from "../chance.ts";

/*
 * What is told of a refusal must be the same in two worlds that differ in what is hidden alone, as long as trying it would
 * come out the same: otherwise somebody who asks why learns what they may not read.
 */

const condition: Expr = { kind: "constant", value: true, type: { kind: "boolean" } } as never;
const need: fc.Arbitrary<Need> = fc.record({
  clause: fc.constant("6.Request.employee"),
  condition: fc.constant(condition),
  isTold: fc.boolean(),
  sights: fc.constant([]),
  role: fc.constantFrom(null, "employee"),
  isNamed: fc.boolean(),
});
const way: fc.Arbitrary<Way> = fc.record({
  clause: fc.constant("6.Request.update"),
  role: fc.constantFrom("employee", "boss"),
  held: fc.constant(null),
  when: fc.constant(null),
  fields: fc.constant(null),
  isHeld: fc.boolean(),
  needs: fc.array(need, { maxLength: 3 }),
});
const must: fc.Arbitrary<Must> = fc.record({
  condition: fc.constant(condition),
  isTold: fc.boolean(),
  sights: fc.constant([]),
  isNamed: fc.boolean(),
  clause: fc.constantFrom("4.Request.submit", "5.Request.SHORT"),
  when: fc.constant(null),
  isJudged: fc.boolean(),
  rule: fc.constant(null),
  role: fc.constant(null),
});
const considered: fc.Arbitrary<Considered> = fc.record({
  ways: fc.array(way, { maxLength: 3 }),
  from: fc.option(fc.record({ states: fc.constant(["draft"]), isTold: fc.boolean(), sights: fc.constant([]) })),
  musts: fc.array(must, { maxLength: 3 }),
});

const worldsOf = (one: Considered): fc.Arbitrary<Verdicts> =>
  fc.record({
    ways: fc.tuple(...one.ways.map(({ needs }) => fc.tuple(...needs.map(() => fc.boolean())))),
    isFrom: one.from === null ? fc.constant(true) : fc.boolean(),
    musts: fc.tuple(...one.musts.map(() => fc.boolean())),
  });

/** How far a try comes: past the clauses that allow it, past the state, past what has to hold. */
const stageOf = ({ ways, musts }: Considered, verdicts: Verdicts): string => {
  const isOpen = ways.some((one, i) => one.isHeld && one.needs.every((_, k) => verdicts.ways[i]?.[k] === true));
  if (!isOpen) return "who";
  if (!verdicts.isFrom) return "state";
  return musts.every((one, i) => !one.isJudged || verdicts.musts[i] === true) ? "done" : "musts";
};

/** The same world, but for what is hidden. */
const mixed = (one: Considered, shown: Verdicts, hidden: Verdicts): Verdicts => ({
  ways: one.ways.map(({ needs }, i) => needs.map(({ isTold }, k) => (isTold ? shown : hidden).ways[i]?.[k] === true)),
  isFrom: (one.from?.isTold === false ? hidden : shown).isFrom,
  musts: one.musts.map(({ isTold }, i) => (isTold ? shown : hidden).musts[i] === true),
});

test("what is told depends on what may be told, and on how far a try would come, alone", () => {
  fc.assert(
    fc.property(
      considered.chain((one) => fc.tuple(fc.constant(one), worldsOf(one), worldsOf(one))),
      ([one, a, b]) => {
        const other = mixed(one, a, b);
        fc.pre(stageOf(one, a) === stageOf(one, other));
        expect(toldOf(one, other)).toEqual(toldOf(one, a));
      },
    ),
    { numRuns: 5_000 },
  );
});

test("what is told is true", () => {
  fc.assert(
    fc.property(
      considered.chain((one) => fc.tuple(fc.constant(one), worldsOf(one))),
      ([one, verdicts]) => {
        const told = toldOf(one, verdicts);
        expect(told.answer).toBe(stageOf(one, verdicts) === "done");
        for (const [i, { isOpen, needs }] of told.ways.entries()) {
          const holds = verdicts.ways[i] ?? [];
          if (isOpen !== null) expect(isOpen).toBe(one.ways[i]?.isHeld === true && holds.every(Boolean));
          for (const [k, known] of needs.entries()) if (known !== null) expect(known).toBe(holds[k]);
        }
        for (const [i, known] of told.musts.entries()) if (known !== null) expect(known).toBe(verdicts.musts[i]);
        expect(told.lack === undefined).toBe(told.answer);
      },
    ),
    { numRuns: 5_000 },
  );
});
