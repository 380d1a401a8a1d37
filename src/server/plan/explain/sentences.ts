import {
  type AccessTrace,
  type ConditionTrace,
  type EntityOperation,
  type GrantTrace,
  isUndecided,
  type RequirementTrace,
} from "../../../core/derive/authorization/access-trace.ts";
import type { Disclosure } from "../../../core/derive/authorization/disclosure.ts";
import type { Phrases } from "../../../core/explain/language.ts";
import { isAlternative, phraseCondition } from "../../../core/explain/phrase.ts";
import { findExcludedPerson, findHolders, findStatesIn } from "../../../core/explain/role-holders.ts";
import {
  describeAllGrantees,
  entityNoun,
  granteesSentence,
  otherState,
  otherStateFor,
  permissionSentence,
  transitionSentence,
} from "../../../core/explain/who-may.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import { fillBraces } from "../../../core/expression/syntax/braces.ts";
import type { Entity, ValidationRule } from "../../../core/model/entity.ts";
import { placeTitles } from "../../../core/model/facts/place-titles.ts";
import type { Row } from "../../../postgres/database.ts";
import { readColumn } from "../result-columns.ts";
import { messageValues } from "../row/labels.ts";
import { type ExplainContext, requirementWordsColumn, STATE } from "./explain-context.ts";

/* The sentences of an answer: who has the permission, its conditions, and the reason for a denial. */

/**
 * Words the conditions of the permission as one phrase, if they are short enough: one of the alternatives, and the
 * state. Of too many alternatives, chooses the simplest: a granted role first, then the fewest conditions.
 */
export const dependencyText = (explainContext: ExplainContext): string => {
  const {
    request: { entity, operation },
    known: { trace },
    phrasing: { model, phrases },
  } = explainContext;
  const applicable = trace.grants.filter(({ mayApply }) => mayApply);
  const isGranted = ({ roleCondition, role }: GrantTrace) =>
    roleCondition === null && model.roles.get(role)?.members === "granted";
  const asks = ({ conditions }: GrantTrace) =>
    conditions.reduce((sum, { condition }) => sum + countLeaves(condition), 0);
  const easiest = [...applicable].sort((a, b) => Number(isGranted(b)) - Number(isGranted(a)) || asks(a) - asks(b));
  const alternatives = [...new Set(easiest.map(({ conditions }) => joinConditions(conditions, explainContext)))];
  const state = trace.from === null ? [] : [stateText(entity, operation, trace.from, phrases)];
  const [first = "", ...others] = alternatives;
  if (alternatives.includes("")) return phrases.sentences.dependsOn(phrases.and(state), 0);
  if (
    applicable.every(({ conditions }) => conditions.length === 1) &&
    state.length === 0 &&
    alternatives.length <= MAX_ALTERNATIVES
  )
    return phrases.sentences.dependsOn(phrases.or(alternatives), 0);
  return phrases.sentences.dependsOn(phrases.and([first, ...state]), others.length);
};

/** Maximum number of alternatives in a sentence. */
const MAX_ALTERNATIVES = 2;

const countLeaves = (condition: Expr): number =>
  condition.kind === "call" && (condition.row === "boolean && boolean" || condition.row === "boolean || boolean")
    ? condition.args.reduce((sum, part) => sum + countLeaves(part), 0)
    : 1;

/** Joins conditions with "and". A disjunction within them begins with "either". */
const joinConditions = (conditions: readonly ConditionTrace[], explainContext: ExplainContext): string =>
  explainContext.phrasing.phrases.and([
    ...new Set(
      conditions.map((condition) => {
        const phrase = conditionText(condition, explainContext);
        return conditions.length > 1 && condition.isNamed && isAlternative(condition.condition)
          ? explainContext.phrasing.phrases.either(phrase)
          : phrase;
      }),
    ),
  ]);

/** The condition that the record is in a source state of the transition. */
export const stateText = (
  entity: Entity,
  operation: EntityOperation,
  from: NonNullable<AccessTrace["from"]>,
  phrases: Phrases,
): string => {
  if (!from.isDisclosed)
    return phrases.atItsStage(operation.kind === "transition" ? phrases.say(operation.transition.title) : "");
  const title = phrases.say(entity.fields.get(entity.states?.field ?? "")?.title ?? "");
  return phrases.isOneOf(
    phrases.own(title),
    from.states.map((state) => phrases.named(phrases.say(stateTitle(entity, state)))),
    false,
  );
};

/** The sentence on who has the permission, with names if a record was read. */
export const holdersSentence = ({
  request: { entity, operation, field, id },
  phrasing: { phrases },
  grantees,
}: ExplainContext): string => {
  const isOfRecord = id !== null && !(operation.kind === "action" && operation.action === "create");
  const isSaidElsewhere = isUndecided(entity, operation) || (entity.rows !== null && grantees.length === 0);
  if (operation.kind === "transition") {
    const { by, title } = operation.transition;
    if (isSaidElsewhere || by?.length === 0)
      return transitionSentence(phrases, entity, operation.transition, isOfRecord);
    const { who, only } = describeAllGrantees(phrases, grantees);
    return phrases.sentences.whoMayMake(phrases.say(title), entityNoun(phrases, entity, isOfRecord), who, only);
  }
  if (isSaidElsewhere) return permissionSentence(phrases, entity, operation.action, isOfRecord);
  if (field === null)
    return granteesSentence(phrases, entity, operation.action, entityNoun(phrases, entity, isOfRecord), grantees);
  return phrases.sentences.onlyRolesFor(
    operation.action,
    phrases.say(field.title),
    describeAllGrantees(phrases, grantees).who,
  );
};

/** Words a condition. For fields that the reader cannot know, says only that there is a condition. */
export const conditionText = (
  trace: ConditionTrace | RequirementTrace,
  { request: { entity }, phrasing }: ExplainContext,
  not = false,
): string => {
  const { phrases } = phrasing;
  // The clause names the role, although the conditions of the role may be undisclosed.
  if (!trace.isNamed || (trace.role !== null && phrases.isDeputy(trace.role, entity)))
    return trace.role === null
      ? phrases.something
      : phrases.hasRole(phrases.role(trace.role, entity), phrasing.who, not);
  const phrase = phraseCondition(trace.condition, phrasing, not);
  return "when" in trace && trace.when !== null && !not
    ? phrases.where(phraseCondition(trace.when, phrasing), phrase)
    : phrase;
};

/** Words the reason for a denial in one sentence. */
export const denialText = (
  explainContext: ExplainContext,
  { denial, requirements }: Disclosure,
  state: string | null,
  row: Row,
  shown: Row,
): string => {
  const { request, known, phrasing } = explainContext;
  const { sentences } = phrasing.phrases;
  const isExcluded = (requirement: RequirementTrace, i: number): boolean =>
    requirements[i] === false && requirement.isNamed && findExcludedPerson(requirement.condition) !== undefined;
  /** A requirement names the reader as the one person who cannot: "You are the employee." */
  const exclusion = known.trace.requirements.filter(isExcluded).slice(0, 1);
  const withExclusion = (sentence: string): string =>
    [...exclusion.map((one) => sentences.because(conditionText(one, explainContext, true))), sentence].join(" ");
  if (denial === undefined)
    return known.trace.requirements.every(({ isDecidable }) => isDecidable)
      ? sentences.mayBeDone
      : sentences.mayBeTried;
  switch (denial.kind) {
    case "role":
      return withExclusion(holdersSentence(explainContext));
    case "need":
      return withExclusion(describeUnmet(explainContext, denial.need, row));
    case "must": {
      const { must } = denial;
      // A violated rule is explained by its own message.
      const nth = known.trace.requirements.findIndex(({ rule }) => rule === must.rule);
      const words = readColumn(shown, requirementWordsColumn(nth));
      if (must.rule !== null) return writeRuleMessage(must.rule, words, explainContext);
      return must.isNamed ? sentences.because(conditionText(must, explainContext, true)) : sentences.hidden;
    }
    case "state":
      return request.operation.kind === "transition"
        ? otherState(phrasing.phrases, request.entity, request.operation.transition, state)
        : sentences.hidden;
    case "hidden":
      return sentences.hidden;
  }
};

/**
 * Words the reason for an unmet condition. For a condition on the person, names the permitted persons; otherwise
 * negates the condition.
 */
const describeUnmet = (explainContext: ExplainContext, trace: ConditionTrace, row: Row): string => {
  const { request, phrasing } = explainContext;
  const { entity, operation } = request;
  const { phrases } = phrasing;
  const isAboutThem = findHolders(trace.condition).length > 0;
  const isExcept = findExcludedPerson(trace.condition) !== undefined;
  const itself = () => phrases.sentences.because(conditionText(trace, explainContext, true));
  if (isExcept && trace.isNamed) return `${itself()} ${holdersSentence(explainContext)}`;
  if (trace.role !== null || isAboutThem) return holdersSentence(explainContext);
  const states = findStatesIn(entity, trace.condition);
  const isSaid = states !== undefined && trace.isDisclosed && operation.kind === "action" && request.field === null;
  if (!isSaid) return itself();
  return otherStateFor(phrases, entity, operation.action, states, {
    state: readColumn(row, STATE),
    who: phrasing.who,
  });
};

const writeRuleMessage = (
  rule: Pick<ValidationRule, "error" | "message">,
  words: unknown,
  { context, phrasing, format }: ExplainContext,
): string => {
  const values = messageValues(context.model, rule, words, format);
  const message = context.model.errors.get(rule.error)?.message ?? "";
  const titles = placeTitles(context.model, rule.error);
  const { say } = phrasing.phrases;
  return fillBraces(say(message), (place) => values[place] ?? say(titles.get(place) ?? "…"));
};

/** The title of a state in the document. */
export const stateTitle = (entity: Entity, state: string): string =>
  entity.states?.states.find(({ name }) => name === state)?.title ?? state;
