import { not } from "../../expression/boolean-exprs.ts";
import type { Expr } from "../../expression/expr.ts";
import { type Message, say } from "../../i18n/message.ts";
import type { Precondition } from "../../model/effect.ts";
import type { Entity, Transition } from "../../model/entity.ts";
import { type ComparedLine, createLine, type Difference, withDifference } from "../compared-line.ts";
import type { Comparison } from "../comparison.ts";
import { hasSameMeaning, toMeaningKey } from "../meaning.ts";
import { matchRules } from "./rules.ts";

/** The records in which a transition is newly possible, and newly impossible, by its guard. */
export const compareGuards = (
  { earlier, later, findDifference }: Comparison,
  before: Transition,
  after: Transition,
): { readonly wider: Difference; readonly narrower: Difference } => {
  if (hasSameMeaning(before.guard, after.guard)) return { wider: undefined, narrower: undefined };
  const find = (one: Transition, prepare: typeof earlier, other: Transition, against: typeof earlier): Difference =>
    other.guard === null
      ? undefined
      : findDifference(
          [
            ...(one.guardAndPreconditions === null ? [] : [prepare(one.guardAndPreconditions)]),
            not(against(other.guard)),
          ],
          [],
        );
  return { wider: find(after, later, before, earlier), narrower: find(before, earlier, after, later) };
};

/** Lines about the rules that are checked before a transition (point 5). */
export const comparePreconditions = (
  comparison: Comparison,
  entity: Entity,
  before: Transition,
  after: Transition,
): readonly ComparedLine[] => {
  const { earlier, later, findDifference, words } = comparison;
  const name = { transition: words.transition(entity, after.name), many: words.many(entity) };
  const line = (
    { error }: Precondition,
    effect: ComparedLine["effect"],
    message: Message,
    clauses: { readonly before: Precondition | undefined; readonly after: Precondition | undefined },
  ): ComparedLine =>
    createLine(
      {
        point: 5,
        subject: `${entity.name}.${error}`,
        effect,
        message,
        loses: effect === "forbids" ? "access" : null,
      },
      clauses,
    );
  const possible = (when: Expr | null, prepare: typeof earlier): readonly Expr[] =>
    when === null ? [] : [prepare(when)];
  // Possible in one version, and refused by this rule in the other.
  const refusedNow = (rule: Precondition): Difference =>
    findDifference([...possible(before.guardAndPreconditions, earlier), not(later(rule.holds))], []);
  const refusedBefore = (rule: Precondition): Difference =>
    findDifference([...possible(after.guardAndPreconditions, later), not(earlier(rule.holds))], []);
  const lineOf = (difference: Difference, line: ComparedLine): readonly ComparedLine[] =>
    difference === undefined ? [] : [withDifference(line, difference)];

  const { both, added, removed } = matchRules(before.preconditions, after.preconditions, ({ holds }) =>
    toMeaningKey(holds),
  );
  const lines = [
    ...added.flatMap((rule) => {
      const condition = words.condition(rule.holds);
      const values = { ...name, error: rule.error };
      const message =
        condition === undefined
          ? say("precondition.added", values)
          : say("precondition.added.is", { ...values, condition });
      return lineOf(refusedNow(rule), line(rule, "forbids", message, { before: undefined, after: rule }));
    }),
    ...removed.flatMap((rule) => {
      const message = say("precondition.removed", { ...name, error: rule.error });
      return lineOf(refusedBefore(rule), line(rule, "allows", message, { before: rule, after: undefined }));
    }),
    ...both.flatMap((pair) => {
      if (hasSameMeaning(pair.before.holds, pair.after.holds)) return [];
      const values = { ...name, error: pair.after.error };
      return [
        ...lineOf(refusedNow(pair.after), line(pair.after, "forbids", say("precondition.stricter", values), pair)),
        ...lineOf(refusedBefore(pair.before), line(pair.after, "allows", say("precondition.looser", values), pair)),
      ];
    }),
  ];
  const errorsOf = ({ preconditions }: Transition) =>
    preconditions.map(({ error, holds }) => [error, toMeaningKey(holds)]);
  const isSame = hasSameMeaning(errorsOf(before), errorsOf(after));
  const [first] = [...after.preconditions, ...before.preconditions];
  // The first violated rule determines the error, so order and error codes matter too.
  const isOtherwise =
    !isSame &&
    first !== undefined &&
    (lines.length === 0 || both.some((pair) => pair.before.error !== pair.after.error));
  return [
    ...lines,
    ...(isOtherwise
      ? [
          {
            ...line(first, "changes", say("precondition.otherwise", name), {
              before: before.preconditions[0],
              after: after.preconditions[0],
            }),
            loses: "compatibility" as const,
          },
        ]
      : []),
  ];
};
