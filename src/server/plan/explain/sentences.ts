import type { Disclosure } from "../../../core/derive/authorization/disclosure.ts";
import {
  type AccessTrace,
  type ConditionTrace,
  type EntityOperation,
  type GrantTrace,
  isUndecided,
  type RequirementTrace,
} from "../../../core/derive/authorization/explain-access.ts";
import type { Phrases } from "../../../core/explain/language.ts";
import { isAlternative, phraseOf } from "../../../core/explain/phrase.ts";
import { exceptedBy, holdersOf, statesIn } from "../../../core/explain/role-holders.ts";
import {
  allThrough,
  onlyThese,
  otherState,
  otherStateFor,
  thingOf,
  whoMay,
  whoMayMake,
} from "../../../core/explain/who-may.ts";
import { filledIn } from "../../../core/expression/compile/template.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import type { Entity, ValidationRule } from "../../../core/model/model.ts";
import type { Row } from "../../../postgres/database.ts";
import { messageValues } from "../row/labels.ts";
import type { ExplainContext } from "./explain-context.ts";

/* The sentences in which an answer is told: who could, on what it depends, and what stands against it. */

/**
 * What it depends on, as one condition where it is short enough to be said: some way, and the state. Of more, the one that is
 * met most easily is said: that of a role that was granted, then the one that asks least.
 */
export const dependencyText = (telling: ExplainContext): string => {
  const {
    asked: { entity, operation },
    known: { trace },
    phrasing: { model, phrases },
  } = telling;
  const ways = trace.grants.filter(({ mayApply }) => mayApply);
  const isGranted = ({ held, role }: GrantTrace) => held === null && model.roles.get(role)?.members === "granted";
  const asks = ({ conditions }: GrantTrace) => conditions.reduce((sum, { condition }) => sum + leavesOf(condition), 0);
  const easiest = [...ways].sort((a, b) => Number(isGranted(b)) - Number(isGranted(a)) || asks(a) - asks(b));
  const alternatives = [...new Set(easiest.map(({ conditions }) => allOf(conditions, telling)))];
  const state = trace.from === null ? [] : [stateText(entity, operation, trace.from, phrases)];
  const [first = "", ...others] = alternatives;
  if (alternatives.includes("")) return phrases.sentences.dependsOn(phrases.and(state), 0);
  if (ways.every(({ conditions }) => conditions.length === 1) && state.length === 0 && alternatives.length <= MOST_SAID)
    return phrases.sentences.dependsOn(phrases.or(alternatives), 0);
  return phrases.sentences.dependsOn(phrases.and([first, ...state]), others.length);
};

/** More alternatives are too long for one sentence. */
const MOST_SAID = 2;

const leavesOf = (condition: Expr): number =>
  condition.kind === "call" && (condition.row === "boolean && boolean" || condition.row === "boolean || boolean")
    ? condition.args.reduce((sum, part) => sum + leavesOf(part), 0)
    : 1;

/** Conditions that hold together; alternatives among them say where they begin. */
const allOf = (needs: readonly ConditionTrace[], telling: ExplainContext): string =>
  telling.phrasing.phrases.and([
    ...new Set(
      needs.map((need) => {
        const phrase = conditionText(need, telling);
        return needs.length > 1 && need.isNamed && isAlternative(need.condition)
          ? telling.phrasing.phrases.either(phrase)
          : phrase;
      }),
    ),
  ]);

/** That the record is in a state from which the transition leads. */
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

/** Who can, in a sentence; by their names where the record was looked at. */
export const whoCan = ({
  asked: { entity, operation, field, id },
  phrasing: { phrases },
  through,
}: ExplainContext): string => {
  const here = id !== null && !(operation.kind === "action" && operation.action === "create");
  const isSaidElsewhere = isUndecided(entity, operation) || (entity.rows !== null && through.length === 0);
  if (operation.kind === "transition") {
    const { by, title } = operation.transition;
    if (isSaidElsewhere || by?.length === 0) return whoMayMake(phrases, entity, operation.transition, here);
    const { who, only } = allThrough(phrases, through);
    return phrases.sentences.whoMayMake(phrases.say(title), thingOf(phrases, entity, here), who, only);
  }
  if (isSaidElsewhere) return whoMay(phrases, entity, operation.action, here);
  if (field === null) return onlyThese(phrases, entity, operation.action, thingOf(phrases, entity, here), through);
  return phrases.sentences.onlyRolesFor(operation.action, phrases.say(field.title), allThrough(phrases, through).who);
};

/** A condition in words; of what the reader may not know by name, only that there is something. */
export const conditionText = (
  need: ConditionTrace | RequirementTrace,
  { asked: { entity }, phrasing }: ExplainContext,
  not = false,
): string => {
  const { phrases } = phrasing;
  // The role is named in the clause; what it rests on may be nothing for everybody to know.
  if (!need.isNamed)
    return need.role === null ? phrases.something : phrases.hasRole(phrases.role(need.role, entity), phrasing.who, not);
  const phrase = phraseOf(need.condition, phrasing, not);
  return "when" in need && need.when !== null && !not ? phrases.where(phraseOf(need.when, phrasing), phrase) : phrase;
};

/** What stands against it, in one sentence. */
export const denialText = (
  telling: ExplainContext,
  { denial }: Disclosure,
  state: string | null,
  row: Row,
  shown: Row,
): string => {
  const { asked, known, phrasing } = telling;
  const { sentences } = phrasing.phrases;
  if (denial === undefined)
    return known.trace.requirements.every(({ isDecidable }) => isDecidable)
      ? sentences.mayBeDone
      : sentences.mayBeTried;
  switch (denial.kind) {
    case "role":
      return whoCan(telling);
    case "need":
      return lacking(telling, denial.need, row);
    case "must": {
      const { must } = denial;
      // A rule is broken in the words of the document's own error.
      const words = shown[`words:${known.trace.requirements.findIndex(({ rule }) => rule === must.rule)}`];
      if (must.rule !== null) return inTheWordsOf(must.rule, words, telling);
      return must.isNamed ? sentences.because(conditionText(must, telling, true)) : sentences.hidden;
    }
    case "state":
      return asked.operation.kind === "transition"
        ? otherState(phrasing.phrases, asked.entity, asked.operation.transition, state)
        : sentences.hidden;
    case "hidden":
      return sentences.hidden;
  }
};

/** That somebody is not who may is said by who may; another condition by what it asks. */
const lacking = (telling: ExplainContext, need: ConditionTrace, row: Row): string => {
  const { asked, phrasing } = telling;
  const { entity, operation } = asked;
  const { phrases } = phrasing;
  const isAboutThem = holdersOf(need.condition).length > 0;
  const isExcept = exceptedBy(need.condition) !== undefined;
  const itself = () => phrases.sentences.because(conditionText(need, telling, true));
  if (isExcept && need.isNamed) return `${itself()} ${whoCan(telling)}`;
  if (need.role !== null || isAboutThem) return whoCan(telling);
  const states = statesIn(entity, need.condition);
  const isSaid = states !== undefined && need.isDisclosed && operation.kind === "action" && asked.field === null;
  if (!isSaid) return itself();
  return otherStateFor(phrases, entity, operation.action, states, {
    state: String(row["is:state"]),
    who: phrasing.who,
  });
};

const inTheWordsOf = (rule: ValidationRule, words: unknown, { context, phrasing, format }: ExplainContext): string => {
  const values = messageValues(context.model, rule, words, format);
  const message = context.model.errors.get(rule.error)?.message ?? "";
  return filledIn(phrasing.phrases.say(message), (place) => values[place] ?? "…");
};

/** What a state is called in the document. */
export const stateTitle = (entity: Entity, state: string): string =>
  entity.states?.states.find(({ name }) => name === state)?.title ?? state;
