import { not } from "../expression/boolean-exprs.ts";
import type { Expr } from "../expression/expr.ts";
import type { Entity, UniquenessRule, ValidationRule } from "../model/model.ts";
import { type ComparedLine, createLine, withDifference } from "./compared-line.ts";
import type { Comparison } from "./comparison.ts";
import { compareConditions } from "./conditions.ts";
import { hasSameMeaning, meaningOf } from "./meaning.ts";
import { andList } from "./words.ts";

/** Lines about the rules of an entity (point 5). */
export const compareRules = (comparison: Comparison, before: Entity, after: Entity): readonly ComparedLine[] => [
  ...compareValidation(comparison, before, after),
  ...compareTogether(comparison, before, after),
];

interface Matched<T> {
  readonly both: readonly { readonly before: T; readonly after: T }[];
  readonly added: readonly T[];
  readonly removed: readonly T[];
}

/** Pairs rules that mean the same, then those with the same error, in document order. */
const matchRules = <T extends { readonly error: string }>(
  before: readonly T[],
  after: readonly T[],
  meaning: (rule: T) => string,
): Matched<T> => {
  const left = [...before];
  const pairs = new Map<T, T>();
  const match = (isMatch: (one: T, other: T) => boolean): void => {
    for (const rule of after) {
      if (pairs.has(rule)) continue;
      const at = left.findIndex((one) => isMatch(one, rule));
      const [found] = at < 0 ? [] : left.splice(at, 1);
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
    removed: left,
  };
};

const compareValidation = (comparison: Comparison, before: Entity, after: Entity): readonly ComparedLine[] => {
  const many = comparison.words.many(after);
  const { both, added, removed } = matchRules(before.rules, after.rules, ({ rule, when, during }) =>
    meaningOf([rule, when, during]),
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
          text: `There is a new rule for ${many}, ${rule.error}${requires(comparison, rule)}.`,
        },
        { before: undefined, after: rule },
      );
      // A rule that nothing violates changes nothing.
      return difference === undefined ? [] : [withDifference(line, difference)];
    }),
    ...removed.map((rule) => {
      const difference = comparison.findDifference(violation(rule, comparison.earlier), []);
      const line = createLine(
        { ...about(rule), effect: "allows", text: `The rule ${rule.error} for ${many} is removed.` },
        { before: rule, after: undefined },
      );
      return difference === undefined ? line : withDifference(line, difference);
    }),
  ];
};

/** ": the due day is after the from day" */
const requires = ({ words }: Comparison, { rule }: ValidationRule): string => {
  const phrase = words.condition(rule, "that person");
  return phrase === undefined ? "" : `: ${phrase}`;
};

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
  const line = (effect: ComparedLine["effect"], text: string, more: Partial<ComparedLine> = {}): ComparedLine =>
    createLine({ point: 5, subject: `${entity.name}.${after.error}`, effect, text, ...more }, { before, after });
  const [one, other] = [violation(before, earlier), violation(after, later)];
  const tighter = findDifference(other, [one]);
  const looser = findDifference(one, [other]);
  const name = `The rule ${after.error} for ${words.many(entity)}`;
  const isElsewhere = !hasSameMeaning(before.during, after.during) || before.always !== after.always;
  return [
    ...(tighter === undefined
      ? []
      : [withDifference(line("forbids", `${name} is stricter${requires(comparison, after)}.`), tighter)]),
    ...(looser === undefined
      ? []
      : [withDifference(line("allows", `${name} is less strict${requires(comparison, after)}.`), looser)]),
    ...(isElsewhere ? [line("changes", `${name} is checked ${moments(after)} instead of ${moments(before)}.`)] : []),
    ...(before.error === after.error
      ? []
      : [line("changes", `${name} was called ${before.error}.`, { loses: "compatibility" })]),
  ];
};

/** "on create and submit" */
const moments = ({ during, always }: ValidationRule): string => {
  const on = during === null ? "on each change" : `on ${andList(during)}`;
  return always ? `${on} and when related records change` : on;
};

const compareTogether = (comparison: Comparison, before: Entity, after: Entity): readonly ComparedLine[] => {
  const { words } = comparison;
  const { both, added, removed } = matchRules(before.together, after.together, ({ same, range, where }) =>
    meaningOf([same.toSorted(), range, where]),
  );
  const said = (entity: Entity, { same, range }: UniquenessRule): string => {
    const fields = same.length === 0 ? "" : ` with the same ${words.fields(entity, same).replace(/^the /u, "")}`;
    return range === null
      ? `Two ${words.many(entity)}${fields}`
      : `Two ${words.many(entity)}${fields} that overlap in time`;
  };
  const line = (
    effect: ComparedLine["effect"],
    text: string,
    one: UniquenessRule | undefined,
    other: UniquenessRule | undefined,
  ): ComparedLine =>
    createLine(
      { point: 5, subject: `${after.name}.${(other ?? one)?.error ?? ""}`, effect, text },
      { before: one, after: other },
    );
  return [
    ...added.map((rule) => line("forbids", `${said(after, rule)} are no longer possible.`, undefined, rule)),
    ...removed.map((rule) => line("allows", `${said(before, rule)} are now possible.`, rule, undefined)),
    ...both.flatMap(({ before: one, after: other }): readonly ComparedLine[] => {
      const here = (effect: ComparedLine["effect"], text: string): ComparedLine => line(effect, text, one, other);
      const isFewer = one.same.every((field) => other.same.includes(field));
      const isMore = other.same.every((field) => one.same.includes(field));
      const fields =
        isFewer && isMore
          ? []
          : [
              here(
                isMore ? "forbids" : isFewer ? "allows" : "changes",
                isMore || isFewer
                  ? `${said(after, other)} are ${isMore ? "no longer" : "the only ones that are not"} possible.`
                  : `${said(after, other)} are not possible, instead of others.`,
              ),
            ];
      const { wider, narrower } = hasSameMeaning(one.where, other.where)
        ? { wider: undefined, narrower: undefined }
        : compareConditions(comparison, one.where, other.where);
      const range = hasSameMeaning(one.range, other.range)
        ? []
        : [
            other.range === null
              ? here("forbids", `${said(after, other)} are not possible, even if they do not overlap.`)
              : here(one.range === null ? "allows" : "changes", `${said(after, other)} are not possible.`),
          ];
      return [
        ...fields,
        ...range,
        ...(wider === undefined
          ? []
          : [withDifference(here("forbids", `${said(after, other)} are now refused in more cases.`), wider)]),
        ...(narrower === undefined
          ? []
          : [withDifference(here("allows", `${said(after, other)} are now refused in fewer cases.`), narrower)]),
        ...(one.countsMissing === other.countsMissing
          ? []
          : [
              here(
                other.countsMissing ? "forbids" : "allows",
                `For ${said(after, other).toLowerCase()}, a missing value ${other.countsMissing ? "now" : "no longer"} counts as a value.`,
              ),
            ]),
        ...(one.error === other.error
          ? []
          : [
              {
                ...here("changes", `The rule ${other.error} for ${words.many(after)} was called ${one.error}.`),
                loses: "compatibility" as const,
              },
            ]),
      ];
    }),
  ];
};
