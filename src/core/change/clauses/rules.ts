import { not } from "../../expression/boolean-exprs.ts";
import type { Expr } from "../../expression/expr.ts";
import { andList, type Message, type MessageValue, say } from "../../i18n/message.ts";
import type { Entity, UniquenessRule, ValidationRule } from "../../model/entity.ts";
import { type ComparedLine, createLine, withDifference } from "../compared-line.ts";
import type { Comparison } from "../comparison.ts";
import { compareConditions } from "../conditions.ts";
import { hasSameMeaning, toMeaningKey } from "../meaning.ts";

/** Lines about the rules of an entity (point 5). */
export const compareRules = (comparison: Comparison, before: Entity, after: Entity): readonly ComparedLine[] => {
  const shared = new Set([...findSharedIds(before), ...findSharedIds(after)]);
  const isShared = (id: string | null): boolean => id !== null && shared.has(id);
  return [...compareValidation(comparison, before, after), ...compareUniqueness(comparison, before, after)].map(
    (line) => (isShared(line.before) || isShared(line.after) ? { ...line, hasSharedId: true } : line),
  );
};

/** The ids of clauses that several rules have, because they give the same error. */
const findSharedIds = ({ rules, uniquenessRules }: Entity): readonly string[] => {
  const ids = [...rules, ...uniquenessRules].map(({ clause }) => clause.id);
  return ids.filter((id, i) => ids.indexOf(id) !== i);
};

interface MatchedPair<T> {
  readonly both: readonly { readonly before: T; readonly after: T }[];
  readonly added: readonly T[];
  readonly removed: readonly T[];
}

/** Pairs rules with equal meaning first, then rules with the same error, in document order. */
export const matchRules = <T extends { readonly error: string }>(
  before: readonly T[],
  after: readonly T[],
  meaning: (rule: T) => string,
): MatchedPair<T> => {
  const unmatched = [...before];
  const pairs = new Map<T, T>();
  const match = (isMatch: (item: T, other: T) => boolean): void => {
    for (const rule of after) {
      if (pairs.has(rule)) continue;
      const at = unmatched.findIndex((item) => isMatch(item, rule));
      const [found] = at < 0 ? [] : unmatched.splice(at, 1);
      if (found !== undefined) pairs.set(rule, found);
    }
  };
  match((one, other) => meaning(one) === meaning(other) && one.error === other.error);
  match((one, other) => one.error === other.error);
  match((one, other) => meaning(one) === meaning(other));
  return {
    both: after.flatMap((rule) => {
      const old = pairs.get(rule);
      return old === undefined ? [] : [{ before: old, after: rule }];
    }),
    added: after.filter((rule) => !pairs.has(rule)),
    removed: unmatched,
  };
};

const compareValidation = (comparison: Comparison, before: Entity, after: Entity): readonly ComparedLine[] => {
  const many = comparison.words.many(after);
  const { both, added, removed } = matchRules(before.rules, after.rules, ({ rule, when, during }) =>
    toMeaningKey([rule, when, during?.toSorted()]),
  );
  const about = ({ error }: ValidationRule) => ({ point: 5 as const, subject: `${after.name}.${error}` });
  return [
    ...both.flatMap((pair) => compareRule(comparison, after, pair.before, pair.after)),
    ...added.flatMap((rule) => {
      const difference = comparison.findDifference(violation(rule, comparison.later), []);
      const line = createLine(
        {
          ...about(rule),
          effect: "forbids",
          message: withDuring(
            comparison,
            after,
            rule,
            describeCondition(comparison, rule, "rule.added", { error: rule.error, many }),
          ),
        },
        { before: undefined, after: rule },
      );
      // A rule that no record can violate changes nothing.
      return difference === undefined ? [] : [withDifference(line, difference)];
    }),
    ...removed.map((rule) => {
      const difference = comparison.findDifference(violation(rule, comparison.earlier), []);
      const line = createLine(
        {
          ...about(rule),
          effect: "allows",
          message: describeCondition(comparison, rule, "rule.removed", { error: rule.error, many }),
        },
        { before: rule, after: undefined },
      );
      return difference === undefined ? line : withDifference(line, difference);
    }),
  ];
};

/** The message, with the rule as a phrase if it has a short one. */
const describeCondition = (
  { words }: Comparison,
  { rule }: ValidationRule,
  id: "rule.added" | "rule.removed" | "rule.stricter" | "rule.looser" | "rule.different",
  values: { readonly error: string; readonly many: MessageValue },
): Message => {
  const condition = words.condition(rule);
  return condition === undefined ? say(id, values) : say(`${id}.is`, { ...values, condition });
};

/** The message, with the actions on which the rule is checked if it names them. */
const withDuring = (comparison: Comparison, entity: Entity, rule: ValidationRule, message: Message): Message =>
  rule.during === null
    ? message
    : say("rule.added.during", { rule: message, now: duringWords(comparison, entity, rule) });

/** The conditions under which a record violates a rule. */
const violation = ({ rule, when }: ValidationRule, prepare: (condition: Expr) => Expr): readonly Expr[] => [
  ...(when === null ? [] : [prepare(when)]),
  not(prepare(rule)),
];

const compareRule = (
  comparison: Comparison,
  entity: Entity,
  before: ValidationRule,
  after: ValidationRule,
): readonly ComparedLine[] => {
  const { earlier, later, findDifference, words } = comparison;
  const line = (effect: ComparedLine["effect"], message: Message, more: Partial<ComparedLine> = {}): ComparedLine =>
    createLine({ point: 5, subject: `${entity.name}.${after.error}`, effect, message, ...more }, { before, after });
  const [one, other] = [violation(before, earlier), violation(after, later)];
  const tighter = findDifference(other, [one]);
  const looser = findDifference(one, [other]);
  const name = { error: after.error, many: words.many(entity) };
  const describeBothWays = (): readonly ComparedLine[] => {
    // One edit gives one line, with the example that the later version refuses.
    if (tighter !== undefined && looser !== undefined)
      return [withDifference(line("forbids", describeCondition(comparison, after, "rule.different", name)), tighter)];
    if (tighter !== undefined)
      return [withDifference(line("forbids", describeCondition(comparison, after, "rule.stricter", name)), tighter)];
    if (looser !== undefined)
      return [withDifference(line("allows", describeCondition(comparison, after, "rule.looser", name)), looser)];
    return [];
  };
  const isElsewhere =
    !hasSameMeaning(before.during?.toSorted(), after.during?.toSorted()) || before.always !== after.always;
  return [
    ...describeBothWays(),
    ...(isElsewhere
      ? [
          line(
            compareDuring(before, after),
            say("rule.moment", {
              ...name,
              now: duringWords(comparison, entity, after),
              before: duringWords(comparison, entity, before),
            }),
          ),
        ]
      : []),
    ...(before.error === after.error
      ? []
      : [line("changes", say("rule.was.called", { ...name, before: before.error }), { loses: "compatibility" })]),
  ];
};

/** A rule that is checked on fewer actions allows more. */
const compareDuring = (before: ValidationRule, after: ValidationRule): ComparedLine["effect"] => {
  if (before.always !== after.always) return after.always ? "forbids" : "allows";
  const includes = ({ during: all }: ValidationRule, { during }: ValidationRule): boolean =>
    all === null
      ? during?.every((action) => action === "create" || action === "update") !== false
      : during?.every((action) => all.includes(action)) === true;
  if (includes(after, before)) return "forbids";
  return includes(before, after) ? "allows" : "changes";
};

/** "on create and “Submit”" */
const duringWords = ({ words }: Comparison, entity: Entity, { during, always }: ValidationRule): Message => {
  if (during === null) return say("moment.each", { related: always });
  const moments = during.map((action) =>
    entity.states?.transitions.has(action) === true ? words.transition(entity, action) : action,
  );
  return say("moment.on", { moments: andList(moments), related: always });
};

const compareUniqueness = (comparison: Comparison, before: Entity, after: Entity): readonly ComparedLine[] => {
  const { words } = comparison;
  const { both, added, removed } = matchRules(before.uniquenessRules, after.uniquenessRules, ({ same, range, where }) =>
    toMeaningKey([same.toSorted(), range, where]),
  );
  const pairValues = (entity: Entity, { same, range }: UniquenessRule): { readonly pair: Message } => {
    const pairs = { many: words.many(entity), overlap: range !== null };
    return {
      pair:
        same.length === 0 ? say("pair.any", pairs) : say("pair.same", { ...pairs, fields: words.fields(entity, same) }),
    };
  };
  const line = (
    effect: ComparedLine["effect"],
    message: Message,
    one: UniquenessRule | undefined,
    other: UniquenessRule | undefined,
  ): ComparedLine =>
    createLine(
      { point: 5, subject: `${after.name}.${(other ?? one)?.error ?? ""}`, effect, message },
      { before: one, after: other },
    );
  return [
    ...added.map((rule) => line("forbids", say("pairs.not.possible", pairValues(after, rule)), undefined, rule)),
    ...removed.map((rule) => line("allows", say("pairs.possible", pairValues(before, rule)), rule, undefined)),
    ...both.flatMap(({ before: one, after: other }): readonly ComparedLine[] => {
      const pairLine = (effect: ComparedLine["effect"], message: Message): ComparedLine =>
        line(effect, message, one, other);
      const isFewer = one.same.every((field) => other.same.includes(field));
      const isMore = other.same.every((field) => one.same.includes(field));
      const fields =
        isFewer && isMore
          ? []
          : [
              pairLine(
                isMore ? "forbids" : isFewer ? "allows" : "changes",
                say(isMore ? "pairs.not.possible" : isFewer ? "pairs.only" : "pairs.instead", pairValues(after, other)),
              ),
            ];
      const { wider, narrower } = hasSameMeaning(one.where, other.where)
        ? { wider: undefined, narrower: undefined }
        : compareConditions(comparison, one.where, other.where);
      const range = hasSameMeaning(one.range, other.range)
        ? []
        : [
            other.range === null
              ? pairLine("forbids", say("pairs.even", pairValues(after, other)))
              : pairLine(one.range === null ? "allows" : "changes", say("pairs.overlap", pairValues(after, other))),
          ];
      return [
        ...fields,
        ...range,
        ...(wider === undefined
          ? []
          : [withDifference(pairLine("forbids", say("pairs.more", pairValues(after, other))), wider)]),
        ...(narrower === undefined
          ? []
          : [withDifference(pairLine("allows", say("pairs.fewer", pairValues(after, other))), narrower)]),
        ...(one.countsMissing === other.countsMissing
          ? []
          : [
              pairLine(
                other.countsMissing ? "forbids" : "allows",
                say(other.countsMissing ? "pairs.missing" : "pairs.not.missing", pairValues(after, other)),
              ),
            ]),
        ...(one.error === other.error
          ? []
          : [
              {
                ...pairLine(
                  "changes",
                  say("rule.was.called", { error: other.error, many: words.many(after), before: one.error }),
                ),
                loses: "compatibility" as const,
              },
            ]),
      ];
    }),
  ];
};
