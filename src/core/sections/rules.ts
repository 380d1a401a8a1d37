import {
  expression,
  later,
  list,
  listOrOne,
  type Named,
  name,
  named,
  optional,
  orNone,
  type Read,
  record,
  required,
} from "../document/shape.ts";
import type { Scalar } from "../document/tree.ts";
import { finding } from "../findings.ts";
import type { DefaultCode } from "../model/defaults.ts";
import type { States, ValidationRule } from "../model/model.ts";
import { readsOf } from "../rule/reads.ts";
import { readTemplate, type Template } from "../rule/template.ts";
import type { Scope } from "../rule/type.ts";
import type { EntityDraft } from "./entities.ts";
import type { LinkedErrors } from "./errors.ts";
import { clauseAt, type Linking, linkExpression, unknownName } from "./linking.ts";

/** Point 5: validation rules. */
const rule = record("a rule", {
  rule: optional(expression),
  when: optional(expression),
  during: optional(listOrOne(name("field"))),
  else: required(name("error")),
  with: later,
  "no overlap": later,
  unique: later,
  within: later,
  where: later,
  always: later,
  source: later,
});

export const rulesShape = orNone(named("entity", list(rule)));

export type RulesSyntax = Read<typeof rulesShape>;
type RuleSyntax = Read<typeof rule>;

export interface LinkedRules {
  readonly rules: ReadonlyMap<string, readonly ValidationRule[]>;
  /** The codes that rules raise, of rules that have no effect yet too. */
  readonly raised: ReadonlySet<string>;
}

export const linkRules = (
  syntax: RulesSyntax | undefined,
  drafts: ReadonlyMap<string, EntityDraft>,
  states: ReadonlyMap<string, States>,
  { errors, messages }: LinkedErrors,
  scope: Scope,
  linking: Linking,
): LinkedRules => {
  const rules = new Map<string, readonly ValidationRule[]>();
  const raised = new Set<string>();
  const said: readonly Named<readonly RuleSyntax[]>[] = syntax === undefined || syntax === "none" ? [] : syntax;
  for (const { name: entity, key, value } of said) {
    if (!drafts.has(entity)) {
      unknownName(linking, key, "entity", entity, drafts.keys());
      continue;
    }
    const moments = ["create", "update", ...(states.get(entity)?.transitions.keys() ?? [])];
    rules.set(
      entity,
      value.flatMap((one) => {
        raised.add(one.else.value);
        if (!errors.has(one.else.value))
          unknownName(
            linking,
            one.else.span,
            "error in point 8 called",
            one.else.value,
            errors.keys(),
            "NO_ERROR_ENTRY",
          );
        for (const moment of one.during ?? [])
          if (!moments.includes(moment.value))
            unknownName(linking, moment.span, `transition of ${entity}`, moment.value, moments);
        return linkRule(one, entity, messages.get(one.else.value), { ...scope, entity }, linking);
      }),
    );
  }
  return { rules, raised };
};

const linkRule = (
  syntax: RuleSyntax,
  entity: string,
  message: Scalar | undefined,
  scope: Scope,
  linking: Linking,
): readonly ValidationRule[] => {
  const clause = clauseAt(`5.${entity}.${syntax.else.value}`, syntax.span);
  if (syntax.rule === undefined) {
    // Another main key (“no overlap”, “unique”) was reported as NOT_EXECUTED; a rule without any is a mistake.
    if (!["rule", "no overlap", "unique"].some((key) => key in syntax.keys))
      linking.report(
        finding("MISSING_KEY", syntax.span, "A rule needs “rule”.", "Add “rule:” with what must hold, quoted.", {
          clause: clause.id,
        }),
      );
    return [];
  }
  // A rule with named parts is not executed without them.
  if ("with" in syntax.keys) return [];
  const boolean = { kind: "boolean" } as const;
  const when = syntax.when === undefined ? null : linkExpression(syntax.when, scope, boolean, linking);
  const given = when === null || when === undefined ? {} : { given: when };
  const condition = linkExpression(syntax.rule, scope, boolean, linking, { unguarded: true, ...given });
  const template = linkMessage(message, scope, linking);
  if (condition === undefined || when === undefined) return [];
  const reads = new Set([...readsOf(condition).fields, ...(when === null ? [] : readsOf(when).fields)]);
  const during = syntax.during?.map((one) => one.value) ?? null;
  return [{ clause, rule: condition, when, during, error: syntax.else.value, message: template, reads: [...reads] }];
};

/** What an error's message names in braces is read on the record that the rule judges. */
const linkMessage = (written: Scalar | undefined, scope: Scope, linking: Linking): Template => {
  if (written === undefined) return { parts: [] };
  const { value, findings } = readTemplate(written.text, written.span, scope, { locate: written.locate });
  for (const one of findings) linking.report(one);
  return value;
};

export const silentRules = (syntax: RulesSyntax | undefined): readonly DefaultCode[] =>
  syntax === undefined ? ["TYPES_ALONE"] : [];
