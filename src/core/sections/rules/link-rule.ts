import type { Named } from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import { every, not, some } from "../../expression/boolean-exprs.ts";
import type { Template } from "../../expression/compile/template.ts";
import { type Expr, subexpressions } from "../../expression/expr.ts";
import { heaviest, sqlWeight } from "../../expression/inspect/complexity.ts";
import { conditionForOne, listsOfOne } from "../../expression/inspect/exactly-one.ts";
import { collectReadSet } from "../../expression/inspect/read-set.ts";
import { expandComputed } from "../../expression/rewrite/expand-computed.ts";
import { inlineNames } from "../../expression/rewrite/inline.ts";
import type { Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import type { Clause } from "../../model/clause.ts";
import type { ValidationRule } from "../../model/entity.ts";
import type { NotExecuted } from "../../model/not-executed.ts";
import type { LinkedEntity } from "../entities/entities.ts";
import {
  checkExpression,
  computedExprs,
  isExecutableIn,
  type Linking,
  linkTemplate,
  reportNotExecuted,
  weightIn,
  withoutNotes,
} from "../linking/link-context.ts";
import { type EntityRule, type RuleSyntax, ruleClause } from "./rule.ts";
import { type LinkedUniqueness, linkUniqueness } from "./uniqueness.ts";

/** `unique` and `no overlap`. */
export const linkUniquenessRule = (
  rule: EntityRule,
  linked: LinkedEntity,
  linking: Linking,
): LinkedUniqueness | undefined => {
  const { id } = ruleClause(rule);
  checkMains(rule.syntax, id, linking);
  return linkUniqueness(rule, linkMessage(rule.message, rule.scope, id, linking, new Map()), linked, linking);
};

const mains = ["rule", "no overlap", "unique"] as const;
const boolean = { kind: "boolean" } as const;

/** Links a rule on single records. `asked`: the fields that each of its transitions asks for. */
export const linkRule = (
  written: EntityRule,
  linking: Linking,
  asked: readonly string[] = [],
): readonly ValidationRule[] => {
  const { syntax, message, scope } = written;
  const clause = ruleClause(written);
  const main = checkMains(syntax, clause.id, linking);
  if (main === undefined) {
    linking.report(
      finding(
        "MISSING_KEY",
        syntax.span,
        `A rule needs “rule”, “no overlap” or “unique”.`,
        "Add “rule:” with a condition in quotes.",
        { clause: clause.id },
      ),
    );
    return [];
  }
  const parts = linkParts(
    syntax.with ?? [],
    syntax.before === undefined ? { ...scope, old: "present" } : scope,
    linking,
  );
  const whenExpr = syntax.when === undefined ? undefined : checkExpression(syntax.when, parts.scope, boolean, linking);
  const condition = checkExpression(syntax.rule, parts.scope, boolean, linking, {
    unguarded: asked,
    ...(whenExpr === undefined ? {} : { guard: whenExpr }),
  });
  for (const key of ["within", "where", "missing"] as const)
    if (key in syntax.keys)
      linking.report(
        finding(
          "BAD_VALUE",
          syntax.keys[key] ?? syntax.span,
          `“${key}” is only for “unique” and “no overlap”.`,
          "Write it in the condition, or use “when”.",
          { clause: clause.id },
        ),
      );
  const always = syntax.always?.value === true;
  if (always && syntax.during !== undefined)
    linking.report(
      finding(
        "BAD_VALUE",
        syntax.keys.during ?? syntax.span,
        "“always” and “during” exclude each other.",
        "Remove “during” or “always”.",
        { clause: clause.id },
      ),
    );

  const conditions = [condition, whenExpr].flatMap((expr) =>
    expr === undefined ? [] : [inlineNames(expr, parts.exprs)],
  );
  const isCompared = conditions.some((expr) => collectReadSet(expr).old);
  if (isCompared) checkOld(syntax, conditions, clause.id, linking);
  // After a mistake in a named part, the rule cannot be classified.
  const areAllRead = parts.exprs.size === (syntax.with ?? []).length;
  const later = areAllRead ? laterKind([...conditions, ...parts.exprs.values()], linking) : undefined;
  const template = linkMessage(
    message,
    isCompared ? parts.scope : withoutOld(parts.scope),
    clause.id,
    later === undefined && areAllRead ? linking : withoutNotes(linking),
    parts.exprs,
  );
  if (later !== undefined) {
    reportNotExecuted(linking, later, syntax.span, clause.id);
    return [];
  }
  const [rule, when] = conditions;
  const during = syntax.during?.map((item) => item.value) ?? null;
  if (
    !areAllRead ||
    rule === undefined ||
    condition === undefined ||
    (syntax.when !== undefined && whenExpr === undefined)
  )
    return [];
  // `.one` is evaluated only if `when` holds.
  const found = conditionForOne(when === undefined ? rule : (some([not(when), rule]) ?? rule));
  const ofField = weightIn(linking, ({ as }) => as === "virtual");
  if ([...conditions, ...(found === undefined ? [] : [found])].some((expr) => sqlWeight(expr, ofField) > heaviest)) {
    linking.report(
      finding("BAD_EXPRESSION", syntax.span, "This rule is too complex.", "Split it into several rules.", {
        clause: clause.id,
      }),
    );
    return [];
  }
  return [
    // Precedes the rule itself, which cannot check a missing record.
    ...(found === undefined ? [] : [onlyOne(clause, { found, of: conditions }, linking, { during, always })]),
    {
      clause,
      rule,
      when: every([when, found].filter((item) => item !== undefined)) ?? null,
      during,
      always,
      error: syntax.else.value,
      message: withAmounts(template, conditions),
      ...readsOf(conditions, linking),
      ...(parts.exprs.size === 0 ? {} : { words: { rule: condition, when: whenExpr ?? null } }),
    },
  ];
};

/** A number of point 9 that the rule compares with money is an amount in the message too: “€2,500.00” for `2500`. */
const withAmounts = (template: Template, conditions: readonly Expr[]): Template => {
  const { parts } = template;
  if (!parts.some((part) => typeof part !== "string" && part.kind === "constant")) return template;
  const amounts = new Map(conditions.flatMap(findAmounts).map((amount) => [amount.limit, amount]));
  return {
    parts: parts.map((part) => {
      const amount = typeof part !== "string" && part.kind === "constant" ? amounts.get(part.limit) : undefined;
      return typeof part === "string" || amount === undefined ? part : { ...amount, span: part.span };
    }),
  };
};

type Constant = Expr & { readonly kind: "constant" };

/** The constants of point 9 that an expression reads as money. */
const findAmounts = (expr: Expr): readonly Constant[] =>
  expr.kind === "constant"
    ? expr.limit !== undefined && expr.type.kind === "money"
      ? [expr]
      : []
    : subexpressions(expr).flatMap(findAmounts);

const withoutOld = (scope: Scope): Scope => {
  if (scope.old === undefined) return scope;
  const { old: _, ...others } = scope;
  return others;
};

/** Reports `old` where there is no earlier record, or where the earlier value is not stored. */
const checkOld = (syntax: RuleSyntax, written: readonly Expr[], clause: string, linking: Linking): void => {
  for (const action of syntax.during ?? [])
    if (action.value === "create")
      linking.report(
        finding(
          "BAD_VALUE",
          action.span,
          "This rule reads “old”, and a record that is being created has no values from before.",
          "Remove “create” from “during”.",
          { clause },
        ),
      );
  if (syntax.always?.value === true)
    linking.report(
      finding(
        "BAD_VALUE",
        syntax.keys.always ?? syntax.span,
        "This rule reads “old”, so it can’t be checked when only other records change.",
        "Remove “always”.",
        { clause },
      ),
    );
  for (const read of written.flatMap(oldFields)) {
    const isLive = linking.computedForms.get(`${read.entity.name}.${read.field.name}`)?.storage.as === "virtual";
    if (!isLive && read.field.inverse === undefined) continue;
    linking.report(
      finding(
        "BAD_EXPRESSION",
        read.span,
        `“old” knows only values that are stored with the record, but ${read.field.name} is ${isLive ? "computed when it is read" : "a list of other records"}.`,
        isLive ? `Add “kept: true” to ${read.field.name}, or compare stored fields.` : "Compare fields of the record.",
        { clause },
      ),
    );
  }
};

/** The places where an expression reads a field of the record before the write. */
const oldFields = (expr: Expr): readonly (Expr & { readonly kind: "field" })[] => [
  ...(expr.kind === "field" && expr.of.kind === "old" ? [expr] : []),
  ...subexpressions(expr).flatMap(oldFields),
];

/** The read sets of a condition, on its own record and on others. */
const readsOf = (written: readonly Expr[], linking: Linking): Pick<ValidationRule, "reads" | "recordReads"> => {
  // Inputs of a computed field follow it: a form shows the error at the last one, which the user can edit.
  const reads = [...written, ...written.map((expr) => expandComputed(expr, computedExprs(linking)))].map(
    collectReadSet,
  );
  // A computed field marked `kept` changes only with its own record, so it counts as a plain column.
  const expanded = written.map((expr) =>
    expandComputed(
      expr,
      computedExprs(linking, ({ as }) => as !== "stored"),
    ),
  );
  return {
    reads: [...new Set(reads.flatMap(({ fields }) => [...fields]))],
    recordReads: expanded.flatMap((expr) => collectReadSet(expr).recordReads),
  };
};

/**
 * A rule of the same clause that `.one` finds exactly one record. It reads the fields by which it looks last, because a
 * form shows its error at the last field: `open ? Rate.one(r, r.zone == zone) : null` at `zone`.
 */
export const onlyOne = (
  clause: Clause,
  { found, of }: { readonly found: Expr; readonly of: readonly Expr[] },
  linking: Linking,
  when: Pick<ValidationRule, "during" | "always">,
): ValidationRule => {
  const { reads, recordReads } = readsOf([found], linking);
  const looked = new Set(readsOf(of.flatMap(listsOfOne), linking).reads);
  return {
    clause,
    rule: found,
    when: null,
    ...when,
    error: "NOT_ONE",
    message: { parts: [] },
    reads: [...reads.filter((name) => !looked.has(name)), ...reads.filter((name) => looked.has(name))],
    recordReads,
  };
};

/** Named parts (`with:`): their names in the rule's scope and their expressions. Each can use earlier ones. */
interface Parts {
  readonly scope: Scope;
  readonly exprs: ReadonlyMap<string, Expr>;
}

const linkParts = (parts: readonly Named<Scalar>[], scope: Scope, linking: Linking): Parts => {
  if (parts.length === 0) return { scope, exprs: new Map() };
  const names = new Map(scope.names ?? []);
  const exprs = new Map<string, Expr>();
  for (const { name, key, value } of parts) {
    const expr = checkExpression(value, { ...scope, names: new Map(names) }, undefined, linking);
    if (scope.entities.get(scope.entity ?? "")?.fields.has(name))
      linking.report(
        finding("NAME_TWICE", key, `${scope.entity} already has a field ${name}.`, "Give the part another name."),
      );
    names.set(name, { type: expr?.type ?? { kind: "unknown" }, optional: expr?.missing ?? false });
    if (expr === undefined) continue;
    const inlined = inlineNames(expr, exprs);
    if (sqlWeight(inlined) <= heaviest) exprs.set(name, inlined);
    else
      linking.report(
        finding(
          "BAD_EXPRESSION",
          value.span,
          "This part is too complex, together with the parts that it names.",
          "Shorten it, or split it into several rules.",
        ),
      );
  }
  return { scope: { ...scope, names }, exprs };
};

/** The reason why a rule is not in force; undefined if it is. */
const laterKind = (exprs: readonly Expr[], linking: Linking): NotExecuted | undefined =>
  exprs.every(isExecutableIn(linking)) ? undefined : "reads what is not decided";

/** Requires exactly one main key in a rule. */
const checkMains = (syntax: RuleSyntax, clause: string, linking: Linking): (typeof mains)[number] | undefined => {
  const [main, second] = mains.filter((key) => key in syntax.keys);
  if (second !== undefined)
    linking.report(
      finding(
        "BAD_VALUE",
        syntax.keys[second] ?? syntax.span,
        `A rule has one kind of condition, but this one has “${main}” and “${second}”.`,
        "Split it into two rules.",
        { clause },
      ),
    );
  return main;
};

/** Links the expressions in an error message on the record that the rule checks. */
const linkMessage = (
  written: Scalar | undefined,
  scope: Scope,
  clause: string,
  linking: Linking,
  names: ReadonlyMap<string, Expr>,
): Template => (written === undefined ? { parts: [] } : linkTemplate(written, scope, linking, clause, names));
