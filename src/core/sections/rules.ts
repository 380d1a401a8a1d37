import { memoized, orNone } from "../document/shape/combinators.ts";
import { list, named } from "../document/shape/list-and-mapping.ts";
import type { Named, ShapeValue } from "../document/shape.ts";
import type { Scalar } from "../document/tree.ts";
import { every, not, some } from "../expression/boolean-exprs.ts";
import type { Template } from "../expression/compile/template.ts";
import { type Expr, subexpressions } from "../expression/expr.ts";
import { heaviest, sqlWeight } from "../expression/inspect/complexity.ts";
import { conditionForOne } from "../expression/inspect/exactly-one.ts";
import { collectReadSet } from "../expression/inspect/read-set.ts";
import { expandComputed } from "../expression/rewrite/expand-computed.ts";
import { inlineNames } from "../expression/rewrite/inline.ts";
import type { Scope } from "../expression/values/type.ts";
import { finding } from "../findings.ts";
import type { Clause } from "../model/clause.ts";
import type { DefaultCode } from "../model/defaults.ts";
import type { Precondition } from "../model/effect.ts";
import type { States, UniquenessRule, ValidationRule } from "../model/entity.ts";
import { isWithoutField } from "../model/errors.ts";
import type { NotExecuted } from "../model/not-executed.ts";
import type { LinkedEntity } from "./entities/entities.ts";
import { isBuiltIn } from "./errors.ts";
import type { LinkedErrors } from "./linking/error-catalogue.ts";
import {
  checkExpression,
  clauseAt,
  isExecutableIn,
  type Linking,
  linkTemplate,
  madeIn,
  reportNotExecuted,
  reportUnknownName,
  weightIn,
  withoutNotes,
} from "./linking/link-context.ts";
import { type RuleSyntax, rule } from "./rule.ts";
import { type LinkedUniqueness, linkTogether } from "./uniqueness.ts";

/** Point 5: validation rules. */
export const rulesShape = orNone(named("entity", memoized(list(rule))));

export type RulesSyntax = ShapeValue<typeof rulesShape>;
export interface LinkedRules {
  readonly rules: ReadonlyMap<string, readonly ValidationRule[]>;
  readonly together: ReadonlyMap<string, readonly UniquenessRule[]>;
  /** By entity, then by transition. */
  readonly preconditions: ReadonlyMap<string, Preconditions>;
  /** Error codes that rules raise, including rules that are not in force. */
  readonly raised: ReadonlySet<string>;
}

type Preconditions = ReadonlyMap<string, readonly Precondition[]>;

/** States whose transitions have the preconditions of point 5 in their guards. */
export const withPreconditions = (states: States | undefined, found: Preconditions | undefined): States | undefined =>
  states === undefined || found === undefined
    ? states
    : {
        ...states,
        transitions: new Map(
          [...states.transitions].map(([name, transition]) => {
            const preconditions = [...transition.preconditions, ...(found.get(name) ?? [])];
            const all = [
              ...(transition.guard === null ? [] : [transition.guard]),
              ...preconditions.map(({ holds }) => holds),
            ];
            return [name, { ...transition, when: every(all) ?? null, preconditions }];
          }),
        ),
      };

export const linkRules = (
  syntax: RulesSyntax | undefined,
  entities: ReadonlyMap<string, LinkedEntity>,
  states: ReadonlyMap<string, States>,
  { errors, messages, places }: LinkedErrors,
  scope: Scope,
  linking: Linking,
): LinkedRules => {
  const rules = new Map<string, readonly ValidationRule[]>();
  const together = new Map<string, UniquenessRule[]>();
  const preconditions = new Map<string, Map<string, readonly Precondition[]>>();
  const raised = new Set<string>();
  const misplaced = new Set<string>();
  const said: readonly Named<readonly RuleSyntax[]>[] = syntax === undefined || syntax === "none" ? [] : syntax;
  for (const { name: entity, key, value } of said) {
    const linked = entities.get(entity);
    if (linked === undefined) {
      reportUnknownName(linking, key, "entity", entity, entities.keys());
      continue;
    }
    const moments = ["create", "update", ...(states.get(entity)?.transitions.keys() ?? [])];
    rules.set(
      entity,
      value.flatMap((written) => {
        const one = withCompletions(written, states.get(entity));
        if (one.discloses?.value === true) linking.disclosed.add(`5.${entity}.${one.name?.value ?? one.else.value}`);
        raised.add(one.else.value);
        if (!errors.has(one.else.value))
          reportUnknownName(
            linking,
            one.else.span,
            "error in point 8 called",
            one.else.value,
            errors.keys(),
            "NO_ERROR_ENTRY",
          );
        const place = places.get(one.else.value);
        if (place !== undefined && !misplaced.has(one.else.value)) {
          linking.mentions.push({ of: "field", entity, name: place.value, span: place.span });
          if (!linked.named.has(place.value)) {
            misplaced.add(one.else.value);
            reportUnknownName(linking, place.span, `field of ${entity}`, place.value, linked.named);
          }
        }
        for (const moment of one.during ?? [])
          if (!moments.includes(moment.value))
            reportUnknownName(linking, moment.span, `transition of ${entity}`, moment.value, moments);
        const message = messages.get(one.else.value);
        const inRecord = { ...scope, entity };
        if (!("rule" in one.keys) && ("unique" in one.keys || "no overlap" in one.keys)) {
          const own = linkBetween(one, entity, message, inRecord, linked, linking);
          if (own === undefined || "rule" in own) return own === undefined ? [] : [own.rule];
          together.set(entity, [...(together.get(entity) ?? []), own.together]);
          return [];
        }
        if (one.before !== undefined) {
          const found = linkPrecondition(one, entity, message, inRecord, linking);
          const known = preconditions.get(entity) ?? new Map<string, readonly Precondition[]>();
          preconditions.set(entity, known);
          const transitions = moments.filter((moment) => !conventional.has(moment));
          for (const { value, span } of one.before)
            if (!transitions.includes(value))
              reportUnknownName(linking, span, `transition of ${entity}`, value, transitions);
            else if (found !== undefined) known.set(value, [...(known.get(value) ?? []), found]);
          return [];
        }
        return linkRule(one, entity, message, inRecord, linking);
      }),
    );
  }
  for (const [entity, { fields, rows }] of entities) {
    if (rows !== null) continue;
    const during = ["create", "update", ...(states.get(entity)?.transitions.keys() ?? [])];
    const kept = [...fields.values()].flatMap(({ clause, storage }) => {
      const found = storage.as === "stored" ? conditionForOne(storage.from) : undefined;
      const until = storage.as === "stored" ? storage.until : null;
      const moments =
        until === null ? during : ["create", ...(until.fields.length === 0 ? [] : ["update"]), ...until.transitions];
      return found === undefined ? [] : [onlyOne(clause, found, linking, { during: moments, always: false })];
    });
    if (kept.length > 0) rules.set(entity, [...kept, ...(rules.get(entity) ?? [])]);
  }
  // A form place has no effect for a built-in error that no rule raises and that names its own field.
  for (const [code, place] of places)
    if (!raised.has(code) && isBuiltIn(code) && !isWithoutField(code))
      linking.report(
        finding("BAD_VALUE", place.span, `No rule raises ${code}, so “at” has no effect.`, "Remove “at”.", {
          clause: `8.${code}`,
        }),
      );
  return { rules, together, preconditions, raised };
};

const conventional: ReadonlySet<string> = new Set(["create", "update"]);

/** A rule during a transition that needs several people is also checked when they are enough. */
const withCompletions = (syntax: RuleSyntax, states: States | undefined): RuleSyntax => {
  const completed = (syntax.during ?? []).flatMap(({ value, span }) => {
    const completion = states?.transitions.get(value)?.needs?.completion;
    return completion === undefined ? [] : [{ value: completion, span }];
  });
  return completed.length === 0 ? syntax : { ...syntax, during: [...(syntax.during ?? []), ...completed] };
};

/** A rule with `before`: it is checked like a guard, on the record as it is before a transition. */
const linkPrecondition = (
  syntax: RuleSyntax,
  entity: string,
  message: Scalar | undefined,
  scope: Scope,
  linking: Linking,
): Precondition | undefined => {
  for (const key of ["during", "always"] as const)
    if (key in syntax.keys)
      linking.report(
        finding(
          "BAD_VALUE",
          syntax.keys[key] ?? syntax.span,
          `“before” and “${key}” exclude each other.`,
          `Remove “${key}”, or write two rules.`,
          { clause: `5.${entity}.${syntax.name?.value ?? syntax.else.value}` },
        ),
      );
  if (syntax.discloses?.value === true)
    for (const { value } of syntax.before ?? []) linking.disclosed.add(`4.${entity}.${value}`);
  const rule = linkRule(syntax, entity, message, scope, linking).at(-1);
  if (rule === undefined) return undefined;
  const { clause, error, message: said } = rule;
  return {
    clause,
    holds: rule.when === null ? rule.rule : (some([not(rule.when), rule.rule]) ?? rule.rule),
    error,
    message: said,
  };
};

/** `unique` and `no overlap`. */
const linkBetween = (
  syntax: RuleSyntax,
  entity: string,
  message: Scalar | undefined,
  scope: Scope,
  linked: LinkedEntity,
  linking: Linking,
): LinkedUniqueness | undefined => {
  const clause = clauseAt(`5.${entity}.${syntax.name?.value ?? syntax.else.value}`, syntax.span);
  checkMains(syntax, clause.id, linking);
  const template = linkMessage(message, scope, clause.id, linking, new Map());
  return linkTogether(syntax, entity, linked, clause, template, scope, linking);
};

const mains = ["rule", "no overlap", "unique"] as const;
const boolean = { kind: "boolean" } as const;

const linkRule = (
  syntax: RuleSyntax,
  entity: string,
  message: Scalar | undefined,
  scope: Scope,
  linking: Linking,
): readonly ValidationRule[] => {
  const clause = clauseAt(`5.${entity}.${syntax.name?.value ?? syntax.else.value}`, syntax.span);
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
  const given = syntax.when === undefined ? undefined : checkExpression(syntax.when, parts.scope, boolean, linking);
  const condition = checkExpression(syntax.rule, parts.scope, boolean, linking, {
    unguarded: true,
    ...(given === undefined ? {} : { given: given }),
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

  const written = [condition, given].flatMap((expr) => (expr === undefined ? [] : [inlineNames(expr, parts.exprs)]));
  const isCompared = written.some((expr) => collectReadSet(expr).old);
  if (isCompared) checkOld(syntax, written, clause.id, linking);
  // With a mistake in a named part, nothing more is known of the rule.
  const isWhole = parts.exprs.size === (syntax.with ?? []).length;
  const later = isWhole ? laterKind([...written, ...parts.exprs.values()], linking) : undefined;
  const template = linkMessage(
    message,
    isCompared ? parts.scope : withoutOld(parts.scope),
    clause.id,
    later === undefined && isWhole ? linking : withoutNotes(linking),
    parts.exprs,
  );
  if (later !== undefined) {
    reportNotExecuted(linking, later, syntax.span, clause.id);
    return [];
  }
  const [rule, when] = written;
  const during = syntax.during?.map((one) => one.value) ?? null;
  if (!isWhole || rule === undefined || condition === undefined || (syntax.when !== undefined && given === undefined))
    return [];
  // `.one` is evaluated only if `when` holds.
  const found = conditionForOne(when === undefined ? rule : (some([not(when), rule]) ?? rule));
  const ofField = weightIn(linking, ({ as }) => as === "virtual");
  if ([...written, ...(found === undefined ? [] : [found])].some((expr) => sqlWeight(expr, ofField) > heaviest)) {
    linking.report(
      finding("BAD_EXPRESSION", syntax.span, "This rule is too complex.", "Split it into several rules.", {
        clause: clause.id,
      }),
    );
    return [];
  }
  return [
    // Precedes the rule itself, which cannot check a missing record.
    ...(found === undefined ? [] : [onlyOne(clause, found, linking, { during, always })]),
    {
      clause,
      rule,
      when: every([when, found].filter((one) => one !== undefined)) ?? null,
      during,
      always,
      error: syntax.else.value,
      message: template,
      ...readsOf(written, linking),
    },
  ];
};

const withoutOld = ({ old: _, ...scope }: Scope): Scope => scope;

/** Reports where a rule compares with a record that is not there, or with a value that nothing has kept. */
const checkOld = (syntax: RuleSyntax, written: readonly Expr[], clause: string, linking: Linking): void => {
  for (const moment of syntax.during ?? [])
    if (moment.value === "create")
      linking.report(
        finding(
          "BAD_VALUE",
          moment.span,
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
    const isLive = linking.made.get(`${read.entity.name}.${read.field.name}`)?.storage.as === "virtual";
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
  const reads = [...written, ...written.map((expr) => expandComputed(expr, madeIn(linking)))].map(collectReadSet);
  // A computed field marked `kept` changes only with its own record, so it counts as a plain column.
  const standing = written.map((expr) =>
    expandComputed(
      expr,
      madeIn(linking, ({ as }) => as !== "stored"),
    ),
  );
  return {
    reads: [...new Set(reads.flatMap(({ fields }) => [...fields]))],
    recordReads: standing.flatMap((expr) => collectReadSet(expr).recordReads),
  };
};

/** A rule of the same clause that `.one` finds exactly one record. */
const onlyOne = (
  clause: Clause,
  found: Expr,
  linking: Linking,
  when: Pick<ValidationRule, "during" | "always">,
): ValidationRule => ({
  clause,
  rule: found,
  when: null,
  ...when,
  error: "NOT_ONE",
  message: { parts: [] },
  ...readsOf([found], linking),
});

/** Named parts (`with:`): their names in the rule's scope and their expressions. Each can use earlier ones. */
interface Parts {
  readonly scope: Scope;
  readonly exprs: ReadonlyMap<string, Expr>;
}

const linkParts = (parts: readonly Named<Scalar>[], scope: Scope, linking: Linking): Parts => {
  if (parts.length === 0) return { scope, exprs: new Map() };
  const names = new Map(scope.names ?? []);
  const exprs = new Map<string, Expr>();
  for (const { name: given, key, value } of parts) {
    const expr = checkExpression(value, { ...scope, names: new Map(names) }, undefined, linking);
    if (scope.entities.get(scope.entity ?? "")?.fields.has(given))
      linking.report(
        finding("NAME_TWICE", key, `${scope.entity} already has a field ${given}.`, "Give the part another name."),
      );
    names.set(given, { type: expr?.type ?? { kind: "unknown" }, optional: expr?.missing ?? false });
    if (expr === undefined) continue;
    const inlined = inlineNames(expr, exprs);
    if (sqlWeight(inlined) <= heaviest) exprs.set(given, inlined);
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

export const silentRules = (syntax: RulesSyntax | undefined): readonly DefaultCode[] =>
  syntax === undefined ? ["TYPES_ALONE"] : [];
