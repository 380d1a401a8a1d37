import { commaList, type Message, say } from "../../i18n/message.ts";
import type { Limit, Model } from "../../model/model.ts";
import { type ComparedLine, createLine, pairUp } from "../compared-line.ts";
import type { Comparison } from "../comparison.ts";
import { hasSameMeaning } from "../meaning.ts";
import { findLimitUses } from "./limit-uses.ts";

/** Lines about the constants (point 9), with the clauses that read each. */
export const compareLimits = ({ before, after }: Comparison): readonly ComparedLine[] => {
  const { both, added, removed } = pairUp(before.limits.all, after.limits.all);
  const about = (limit: Limit) => ({ point: 9 as const, subject: limit.name });
  return [
    ...added.map((limit) =>
      createLine(
        {
          ...about(limit),
          effect: "adds",
          message: say("constant.added", { name: limit.name, value: String(limit.value) }),
        },
        { before: undefined, after: limit },
      ),
    ),
    ...removed.map((limit) =>
      createLine(
        {
          ...about(limit),
          effect: "removes",
          message: say("constant.removed", { name: limit.name, value: String(limit.value) }),
        },
        { before: limit, after: undefined },
      ),
    ),
    ...both.flatMap((pair) =>
      pair.before.value === pair.after.value && hasSameMeaning(pair.before.type, pair.after.type)
        ? []
        : [
            createLine(
              {
                ...about(pair.after),
                effect: "changes",
                message: describeLimitChange(after, pair.before, pair.after),
              },
              pair,
            ),
          ],
    ),
  ];
};

/** The value as written, with its type or currency where only these differ: "900 EUR". */
const describeLimit = ({ value, type }: Limit, other: Limit): string => {
  if (value !== other.value) return value;
  return `${value} ${type.kind === "money" ? type.currency : type.kind}`;
};

/** More clauses are counted. */
const MOST_CLAUSES = 5;

const describeLimitChange = (model: Model, before: Limit, after: Limit): Message => {
  const values = { name: after.name, now: describeLimit(after, before), before: describeLimit(before, after) };
  const clauses = findLimitUses(model, after.name);
  // Ninefold itself reads some constants.
  if (clauses.length === 0) return say("constant.changed", values);
  const more = clauses.length - MOST_CLAUSES;
  const used =
    more <= 0
      ? say("constant.used", { clauses: commaList(clauses) })
      : say("constant.used.more", { clauses: commaList(clauses.slice(0, MOST_CLAUSES)), count: more });
  return say("constant.changed.used", { ...values, used });
};
