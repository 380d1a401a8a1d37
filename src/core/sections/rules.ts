import {
  expression,
  flag,
  keyed,
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
  text,
} from "../document/shape.ts";
import type { Scalar } from "../document/tree.ts";
import { finding } from "../findings.ts";
import type { DefaultCode } from "../model/defaults.ts";
import type { States, ValidationRule } from "../model/model.ts";
import type { NotExecuted } from "../model/not-executed.ts";
import type { Expr } from "../rule/expr.ts";
import { inlined } from "../rule/inline.ts";
import { readsOf } from "../rule/reads.ts";
import type { Template } from "../rule/template.ts";
import type { Scope } from "../rule/type.ts";
import { unfolded } from "../rule/unfold.ts";
import { heaviest, weightOf } from "../rule/weight.ts";
import { fieldNamed, type LinkedEntity } from "./entities.ts";
import type { LinkedErrors } from "./errors.ts";
import {
  checkExpression,
  clauseAt,
  type Linking,
  linkTemplate,
  madeIn,
  reportKeys,
  reportNotExecuted,
  runsIn,
  unknownName,
  weightIn,
  withoutNotes,
} from "./linking.ts";

/** Point 5: validation rules. */
const rule = record("a rule", {
  rule: optional(expression),
  "no overlap": optional(list(name("field"))),
  unique: optional(listOrOne(name("field"))),
  within: optional(listOrOne(name("field"))),
  where: optional(expression),
  with: optional(keyed("a mapping from names to expressions", expression)),
  when: optional(expression),
  during: optional(listOrOne(name("field"))),
  always: optional(flag),
  name: optional(text),
  else: required(name("error")),
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
  entities: ReadonlyMap<string, LinkedEntity>,
  states: ReadonlyMap<string, States>,
  { errors, messages }: LinkedErrors,
  scope: Scope,
  linking: Linking,
): LinkedRules => {
  const rules = new Map<string, readonly ValidationRule[]>();
  const raised = new Set<string>();
  const said: readonly Named<readonly RuleSyntax[]>[] = syntax === undefined || syntax === "none" ? [] : syntax;
  for (const { name: entity, key, value } of said) {
    const linked = entities.get(entity);
    if (linked === undefined) {
      unknownName(linking, key, "entity", entity, entities.keys());
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
        return linkRule(one, entity, messages.get(one.else.value), { ...scope, entity }, linked, linking);
      }),
    );
  }
  return { rules, raised };
};

const mains = ["rule", "no overlap", "unique"] as const;
const boolean = { kind: "boolean" } as const;

const linkRule = (
  syntax: RuleSyntax,
  entity: string,
  message: Scalar | undefined,
  scope: Scope,
  linked: LinkedEntity,
  linking: Linking,
): readonly ValidationRule[] => {
  const clause = clauseAt(`5.${entity}.${syntax.else.value}`, syntax.span);
  const [main, second] = mains.filter((key) => key in syntax.keys);
  if (main === undefined) {
    linking.report(
      finding(
        "MISSING_KEY",
        syntax.span,
        `A rule needs “rule”, “no overlap” or “unique”.`,
        "Add “rule:” with what must hold, quoted.",
        { clause: clause.id },
      ),
    );
    return [];
  }
  if (second !== undefined)
    linking.report(
      finding(
        "BAD_VALUE",
        syntax.keys[second] ?? syntax.span,
        `A rule says one thing, and this one says “${main}” and “${second}”.`,
        "Make two rules of it.",
        { clause: clause.id },
      ),
    );
  reportKeys(linking, syntax.keys, ["name"], clause.id);
  const parts = linkParts(syntax.with ?? [], scope, linking);
  const given = syntax.when === undefined ? undefined : checkExpression(syntax.when, parts.scope, boolean, linking);
  const condition = checkExpression(syntax.rule, parts.scope, boolean, linking, {
    unguarded: true,
    ...(given === undefined ? {} : { given }),
  });
  for (const one of [...(syntax["no overlap"] ?? []), ...(syntax.unique ?? []), ...(syntax.within ?? [])])
    fieldNamed(entity, linked, one, linking);
  checkExpression(syntax.where, scope, boolean, linking);
  const always = syntax.always?.value === true;
  if (always && syntax.during !== undefined)
    linking.report(
      finding(
        "BAD_VALUE",
        syntax.keys.during ?? syntax.span,
        "A rule that holds always is not judged at some moments alone.",
        "Take “during” or “always” out.",
        { clause: clause.id },
      ),
    );

  const written = [condition, given].flatMap((expr) => (expr === undefined ? [] : [inlined(expr, parts.exprs)]));
  const later = laterKind(main, written, linking);
  const template = linkMessage(
    message,
    parts.scope,
    clause.id,
    later === undefined ? linking : withoutNotes(linking),
    parts.exprs,
  );
  if (later !== undefined) {
    reportNotExecuted(linking, later, syntax.span, clause.id);
    return [];
  }
  const [rule, when] = written;
  if (rule === undefined || condition === undefined || (syntax.when !== undefined && given === undefined)) return [];
  const ofField = weightIn(linking, ({ as }) => as === "live");
  if (written.some((expr) => weightOf(expr, ofField) > heaviest)) {
    linking.report(
      finding("BAD_EXPRESSION", syntax.span, "This rule says too much at once.", "Make several rules of it.", {
        clause: clause.id,
      }),
    );
    return [];
  }
  // What a computed field is made of comes after it: a form shows the error at the last, which somebody can change.
  const reads = [...written, ...written.map((expr) => unfolded(expr, madeIn(linking)))].map(readsOf);
  // What is kept changes with its own record alone, and so is read as it stands.
  const standing = written.map((expr) =>
    unfolded(
      expr,
      madeIn(linking, ({ as }) => as !== "kept"),
    ),
  );
  return [
    {
      clause,
      rule,
      when: when ?? null,
      during: syntax.during?.map((one) => one.value) ?? null,
      always,
      error: syntax.else.value,
      message: template,
      reads: [...new Set(reads.flatMap(({ fields }) => [...fields]))],
      footprint: standing.flatMap((expr) => readsOf(expr).footprint),
    },
  ];
};

/** Named parts: as names for the rule's texts, and as what each stands for. Each may name those before it. */
interface Parts {
  readonly scope: Scope;
  readonly exprs: ReadonlyMap<string, Expr>;
}

const linkParts = (parts: readonly Named<Scalar>[], scope: Scope, linking: Linking): Parts => {
  const names = new Map(scope.names ?? []);
  const exprs = new Map<string, Expr>();
  for (const { name: given, key, value } of parts) {
    const expr = checkExpression(value, { ...scope, names: new Map(names) }, undefined, linking);
    if (scope.entities.get(scope.entity ?? "")?.fields.has(given))
      linking.report(
        finding("NAME_TWICE", key, `${scope.entity} has a field ${given} already.`, "Give the part another name."),
      );
    names.set(given, { type: expr?.type ?? { kind: "unknown" }, optional: expr?.missing ?? false });
    if (expr === undefined) continue;
    const whole = inlined(expr, exprs);
    if (weightOf(whole) <= heaviest) exprs.set(given, whole);
    else
      linking.report(
        finding(
          "BAD_EXPRESSION",
          value.span,
          "This part, with the parts that it names, says too much at once.",
          "Say less, or make several rules of it.",
        ),
      );
  }
  return { scope: { ...scope, names }, exprs };
};

/** What keeps a rule from being in force. */
const laterKind = (main: (typeof mains)[number], exprs: readonly Expr[], linking: Linking): NotExecuted | undefined => {
  if (main === "no overlap") return "no overlap";
  if (main === "unique") return "unique together";
  return exprs.every(runsIn(linking)) ? undefined : "reads what is not executed";
};

/** What an error's message names in braces is read on the record that the rule judges. */
const linkMessage = (
  written: Scalar | undefined,
  scope: Scope,
  clause: string,
  linking: Linking,
  names: ReadonlyMap<string, Expr>,
): Template => (written === undefined ? { parts: [] } : linkTemplate(written, scope, linking, clause, names));

export const silentRules = (syntax: RulesSyntax | undefined): readonly DefaultCode[] =>
  syntax === undefined ? ["TYPES_ALONE"] : [];
