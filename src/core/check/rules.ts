import { fieldsThrough, gatesOf, isAutomatic } from "../derive/access.ts";
import { type Finding, finding } from "../findings.ts";
import type { Entity, ValidationRule } from "../model/model.ts";
import type { Expr } from "../rule/expr.ts";
import { readsOf } from "../rule/reads.ts";
import type { Check, Checked } from "./check.ts";
import { canHold, holdsAlways } from "./decide.ts";
import { holderOfAll } from "./people.ts";
import { canHoldTogether, inState } from "./questions.ts";
import { every, isThere, not, ownField, withFields } from "./structure.ts";
import { anyOf, one } from "./words.ts";

/** Rules that hold whatever the record says, that no record can meet, and that are judged where they say nothing. */
export const rules: Check = (checked) =>
  [...checked.model.entities.values()].flatMap((entity) =>
    entity.rules.flatMap((rule) => {
      const about: About = { ...checked, entity, rule };
      const ofWhen = ofCondition(about);
      return ofWhen.length > 0 ? ofWhen : [...ofRule(about), ...untouched(about)];
    }),
  );

interface About extends Checked {
  readonly entity: Entity;
  readonly rule: ValidationRule;
}

/** `when` as a condition of its own. */
const ofCondition = ({ rule: { when, clause }, model }: About): readonly Finding[] => {
  if (when === null) return [];
  const report = (code: "NEVER_TRUE" | "ALWAYS_TRUE", message: string) =>
    finding(code, when.span, message, "Change the condition, or take it out.", { clause: clause.id });
  if (!canHold(when, model.entities)) return [report("NEVER_TRUE", "This never holds, so the rule is never judged.")];
  if (holdsAlways(when, model.entities)) return [report("ALWAYS_TRUE", "This always holds, so it narrows nothing.")];
  return [];
};

const ofRule = (about: About): readonly Finding[] => {
  const { rule, entity, model } = about;
  const { clause, when, during } = rule;
  const report = (code: "NEVER_TRUE" | "ALWAYS_TRUE", message: string, hint: string) =>
    finding(code, rule.rule.span, message, hint, { clause: clause.id });
  const isLost = (conditions: readonly Expr[]) => !canHoldTogether(conditions, model.entities);
  const given = when === null ? [] : [when];

  if (isLost([...given, not(rule.rule)]))
    return [
      report(
        "ALWAYS_TRUE",
        "This rule holds whatever the record says: it refuses nothing.",
        "Say what was meant, or take the rule out.",
      ),
    ];
  // “Never, when …” is written as a rule that is plainly false.
  const isPlain = rule.rule.kind === "constant" && when !== null;
  if (!isPlain && isLost([rule.rule]))
    return [
      report(
        "NEVER_TRUE",
        `No ${entity.name} can meet this rule${when === null ? "" : " where it is judged"}.`,
        "Say what was meant, or take the rule out.",
      ),
    ];

  const moments = (during ?? []).map((moment) => ({
    moment,
    at: (expr: Expr) => atMoment(expr, entity, moment),
    asked: askedAt(rule, entity, moment),
  }));
  const barred = moments.filter(({ at, asked }) => when === null && isLost([...asked, at(rule.rule)]));
  const idle = moments.filter(({ at, asked }) => isLost([...asked, ...given.map(at), not(at(rule.rule))]));
  return [
    ...(barred.length === 0
      ? []
      : [
          report(
            "NEVER_TRUE",
            `This rule refuses every ${anyOf(barred.map(({ moment }) => moment))}: it is judged of the record as it is then.`,
            "Say what must hold afterwards, or change “during:”.",
          ),
        ]),
    ...(idle.length === 0
      ? []
      : [
          report(
            "ALWAYS_TRUE",
            `In ${anyOf(idle.map(({ moment }) => moment))} this rule always holds, so it refuses nothing there.`,
            idle.length === moments.length
              ? "Say what was meant, or take the rule out."
              : `Take ${anyOf(idle.map(({ moment }) => moment))} out of “during:”.`,
          ),
        ]),
  ];
};

/** A condition as it is when a rule is judged: of a record just made, or of one that a transition has moved. */
const atMoment = (expr: Expr, entity: Entity, moment: string): Expr => {
  const { states } = entity;
  if (states === null) return expr;
  const transition = states.transitions.get(moment);
  if (transition === undefined)
    return moment === "create" ? (inState([expr], entity, states.initial)[0] ?? expr) : expr;
  // What is set from the record as it was cannot be told from the record as it is.
  const set = [...transition.set].filter(([, value]) => readsOf(value).fields.size === 0);
  return inState([withFields(expr, new Map(set))], entity, transition.to)[0] ?? expr;
};

/** What a transition asks for is there. */
const askedAt = (rule: ValidationRule, entity: Entity, moment: string): readonly Expr[] =>
  (entity.states?.transitions.get(moment)?.asks ?? []).flatMap((name) => {
    const field = ownField(name, every([rule.rule, ...(rule.when === null ? [] : [rule.when])]) ?? rule.rule);
    return field === undefined || field.type.kind === "boolean" || field.type.kind === "list" ? [] : [isThere(field)];
  });

/** Judged on updates alone, and no update can change what it reads. */
const untouched = ({ rule, entity, model, unsettled }: About): readonly Finding[] => {
  const { during, clause } = rule;
  if (during?.length !== 1 || during[0] !== "update" || entity.permissions === null) return [];
  if (unsettled(`6.${entity.name}.update`)) return [];
  const reads = readsOf(every([rule.rule, ...(rule.when === null ? [] : [rule.when])]) ?? rule.rule);
  if (reads.clock || reads.user || reads.footprint.length > 0 || reads.fields.size === 0) return [];
  const open = fieldsThrough(entity, gatesOf(model, entity, "update", holderOfAll(model)));
  const isOpen = (name: string) =>
    open.has(name) && !isAutomatic(entity, name) && entity.fields.get(name)?.once === false;
  if ([...reads.fields].some(isOpen)) return [];
  return [
    finding(
      "NEVER_TOUCHED",
      rule.rule.span,
      `No update of ${one(entity)} can change ${anyOf([...reads.fields])}, and this rule is judged on updates alone.`,
      "Take “during:” out, or name the moment that changes it.",
      { clause: clause.id },
    ),
  ];
};
