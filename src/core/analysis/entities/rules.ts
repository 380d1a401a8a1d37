import { grantedFields, isAutomatic } from "../../derive/authorization/grants.ts";
import { every, exists, not } from "../../expression/boolean-exprs.ts";
import type { Expr } from "../../expression/expr.ts";
import { collectReadSet } from "../../expression/inspect/read-set.ts";
import { type Finding, finding } from "../../findings.ts";
import type { Entity, ValidationRule } from "../../model/entity.ts";
import { inState } from "../../satisfiability/assume-state.ts";
import type { Truth } from "../../satisfiability/satisfiability.ts";
import { ownField, withFields } from "../../satisfiability/structural-key.ts";
import type { CheckedEntity, EntityAnalyzer } from "../analyzer.ts";
import { entityWithArticle, orList } from "../witness-text.ts";

/** Finds rules that always hold, rules that no record can meet, and rules checked only where they have no effect. */
export const analyzeRules: EntityAnalyzer = (checked, entity) =>
  entity.rules.flatMap((rule) => {
    const about: About = { ...checked, entity, rule };
    const findings = checkCondition(about);
    return findings.length > 0 ? findings : [...checkRule(about), ...findNeverChecked(about)];
  });

interface About extends CheckedEntity {
  readonly entity: Entity;
  readonly rule: ValidationRule;
}

/** Analyzes `when` on its own. */
const checkCondition = ({ rule: { when, clause }, decide }: About): readonly Finding[] => {
  if (when === null) return [];
  const truth = decide.truthOf(when);
  if (truth === "sometimes") return [];
  return [
    finding(
      truth === "never" ? "NEVER_TRUE" : "ALWAYS_TRUE",
      when.span,
      truth === "never"
        ? "This condition is never true, so the rule is never checked."
        : "This condition is always true, so it has no effect.",
      "Change or remove the condition.",
      { clause: clause.id },
    ),
  ];
};

const checkRule = (about: About): readonly Finding[] => {
  const { rule, entity, decide } = about;
  const { clause, when, during } = rule;
  const report = (code: "NEVER_TRUE" | "ALWAYS_TRUE", message: string, hint: string) =>
    finding(code, rule.rule.span, message, hint, { clause: clause.id });

  const truth = decide.truthOf(rule.rule);
  if (truth === "always" || (when !== null && !decide.canHold(when, not(rule.rule))))
    return [
      report(
        "ALWAYS_TRUE",
        "This rule is true for every record, so it never refuses anything.",
        "Correct or remove the rule.",
      ),
    ];
  // An author writes “never, if …” as a constant false rule with `when`.
  if (truth === "never")
    return rule.rule.kind === "constant" && when !== null
      ? []
      : [
          report(
            "NEVER_TRUE",
            `No ${entity.name} can meet this rule${when === null ? "" : " when it is checked"}.`,
            "Correct or remove the rule.",
          ),
        ];

  const actions = (during ?? []).map((action) => ({ action, truth: getTruth(about, action) }));
  const [barred, idle] = (["never", "always"] as const).map((wanted) =>
    actions.flatMap(({ action, truth }) => (truth === wanted ? [action] : [])),
  );
  return [
    ...(barred === undefined || barred.length === 0
      ? []
      : [
          report(
            "NEVER_TRUE",
            `This rule refuses every ${orList(barred)}, because it checks the record as it is after that step.`,
            "Write what must be true afterwards, or change “during:”.",
          ),
        ]),
    ...(idle === undefined || idle.length === 0
      ? []
      : [
          report(
            "ALWAYS_TRUE",
            `This rule is always true during ${orList(idle)}, so it never refuses anything there.`,
            idle.length === actions.length ? "Correct or remove the rule." : `Remove ${orList(idle)} from “during:”.`,
          ),
        ]),
  ];
};

/**
 * The truth of a rule on an action that checks it. A rule with a condition can exclude all records that meet the
 * condition; that is its purpose.
 */
const getTruth = ({ rule, entity, decide }: About, action: string): Truth => {
  const conditions = getAskedConditions(rule, entity, action);
  const atWrite = afterAction(rule.rule, entity, action);
  if (rule.when === null && conditions.length === 0) return decide.truthOf(atWrite);
  const when = rule.when === null ? [] : [afterAction(rule.when, entity, action)];
  if (!decide.canHold(...conditions, ...when, not(atWrite))) return "always";
  return rule.when === null && !decide.canHold(...conditions, atWrite) ? "never" : "sometimes";
};

/** The condition as evaluated on a created record, or after a transition. */
const afterAction = (expr: Expr, entity: Entity, action: string): Expr => {
  const { states } = entity;
  if (states === null) return expr;
  const transition = states.transitions.get(action);
  if (transition === undefined)
    return action === "create" ? (inState([expr], entity, states.initial)[0] ?? expr) : expr;
  // Ignores values computed from the record before the write, since the condition reads the record after it.
  const set = [...transition.set].filter(([, value]) => collectReadSet(value).fields.size === 0);
  const after = withFields(expr, new Map(set));
  const [state, another] = transition.to;
  return another !== undefined || state === undefined ? after : (inState([after], entity, state)[0] ?? after);
};

/** Input of a transition is present. */
const getAskedConditions = (rule: ValidationRule, entity: Entity, action: string): readonly Expr[] =>
  (entity.states?.transitions.get(action)?.asks ?? []).flatMap((name) => {
    const field = ownField(name, every([rule.rule, ...(rule.when === null ? [] : [rule.when])]) ?? rule.rule);
    return field === undefined || field.type.kind === "boolean" || field.type.kind === "list" ? [] : [exists(field)];
  });

/** Finds rules that only updates check although no update can change their fields. */
const findNeverChecked = ({ rule, entity, people, unsettled }: About): readonly Finding[] => {
  const { during, clause } = rule;
  if (during?.length !== 1 || during[0] !== "update" || entity.permissions === null) return [];
  if (unsettled(`6.${entity.name}.update`)) return [];
  const reads = collectReadSet(every([rule.rule, ...(rule.when === null ? [] : [rule.when])]) ?? rule.rule);
  if (reads.clock || reads.user || reads.recordReads.length > 0 || reads.fields.size === 0) return [];
  const open = grantedFields(entity, people.grantsOf(entity, "update", people.ofAll));
  const isOpen = (name: string) =>
    open.has(name) && !isAutomatic(entity, name) && entity.fields.get(name)?.once === false;
  if ([...reads.fields].some(isOpen)) return [];
  return [
    finding(
      "NEVER_TOUCHED",
      rule.rule.span,
      `No update of ${entityWithArticle(entity)} can change ${orList([...reads.fields])}, but this rule is checked only on updates.`,
      "Remove “during:”, or name the action that changes it.",
      { clause: clause.id },
    ),
  ];
};
