import type { Named, Spanned } from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import { every } from "../../expression/boolean-exprs.ts";
import type { Expr } from "../../expression/expr.ts";
import type { Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import type { Clause } from "../../model/clause.ts";
import type { Precondition } from "../../model/effect.ts";
import type { Transition } from "../../model/entity.ts";
import { alwaysHasDefault } from "../../model/facts/act-values.ts";
import { type Field, isActValue, isPlainColumn } from "../../model/field.ts";
import { toTitle } from "../../model/inflection.ts";
import { toRepresentedField } from "../../model/permissions.ts";
import type { Span } from "../../source-text.ts";
import { type LinkedEntity, resolveField } from "../entities/entities.ts";
import { buildScalar } from "../linking/build-tree.ts";
import { clauseAt, type Linking, linkExpression } from "../linking/link-context.ts";
import { linkShownFacts } from "./shown-facts.ts";
import { type AskSyntax, listMakers, type TransitionSyntax } from "./states-syntax.ts";

/** Everything that the parts of one transition are linked against. */
interface TransitionContext {
  readonly entity: string;
  readonly clause: Clause;
  readonly linked: LinkedEntity;
  readonly scope: Scope;
  readonly linking: Linking;
}

const boolean = { kind: "boolean" } as const;

export const linkTransition = (
  { name, key, value }: Named<TransitionSyntax>,
  target: Pick<Transition, "from" | "to" | "previous">,
  place: Omit<TransitionContext, "clause">,
): Transition => {
  const { entity, scope, linking } = place;
  const clause = clauseAt(`4.${entity}.${name}`, key);
  const context = { ...place, clause };
  if (value.discloses?.value === true) linking.disclosed.add(clause.id);
  const guard = linkGuard(value, context);
  const byItself = value.timeout !== undefined || value.once !== undefined;
  const timeout =
    value.timeout === undefined ? null : linkExpression(value.timeout, scope, { kind: "duration" }, linking, clause.id);
  const once = value.once === undefined ? null : linkExpression(value.once, scope, boolean, linking, clause.id);
  checkMain(name, value, byItself, context);
  const own = onlyOncePerPerson(value, context);
  const { roles, conditions } = linkMakers(name, key, value, context);
  const inputFields = linkInputFields(value.asks ?? [], context);
  if (byItself) checkActsExist(name, value.asks ?? [], inputFields, context);
  const isExecutable = guard !== undefined;
  return {
    name,
    title: value.title?.text ?? toTitle(name),
    clause,
    ...target,
    ...(value.needs === undefined && value["recorded in"] !== undefined
      ? { previous: value["recorded in"].value }
      : {}),
    // A guard that is not executable rejects everyone.
    by: isExecutable ? (roles ?? (byItself ? [] : null)) : [],
    conditions,
    asks: inputFields.map(({ field }) => field),
    asksIfAny: new Set(inputFields.flatMap(({ field, ifAny }) => (ifAny ? [field] : []))),
    guardAndPreconditions: every([...(guard == null ? [] : [guard]), ...own.map(({ holds }) => holds)]) ?? null,
    guard: guard ?? null,
    preconditions: own,
    set: linkSet(value.set ?? [], { ...context, scope: { ...scope, during: [name] } }),
    timeout: isExecutable ? (timeout ?? null) : null,
    once: isExecutable ? (once ?? null) : null,
    ...(value.main?.value === true ? { main: true } : {}),
    ...(value.shows === undefined
      ? {}
      : {
          shows: linkShownFacts(
            value.shows,
            inputFields.map(({ field }) => field),
            { scope, linking, clause: clause.id },
          ),
        }),
  };
};

/**
 * The condition of a transition; null without one, undefined if it is not executable. A transition that returns to the
 * previous state also needs that state.
 */
const linkGuard = (value: TransitionSyntax, { clause, scope, linking }: TransitionContext): Expr | null | undefined => {
  const guard = value.when === undefined ? null : linkExpression(value.when, scope, boolean, linking, clause.id);
  const previous = value.needs === undefined ? value["recorded in"] : undefined;
  if (previous === undefined) return guard;
  const text = buildScalar(`${previous.value} != null`, previous.span);
  const isKnown = linkExpression(text, scope, boolean, linking, clause.id);
  if (guard === undefined) return undefined;
  return guard === null || isKnown == null ? (isKnown ?? guard) : (every([isKnown, guard]) ?? null);
};

/** The roles that can make a transition, with their conditions. Roles are null without `by`. */
const linkMakers = (
  name: string,
  key: Span,
  value: TransitionSyntax,
  { clause, scope, linking }: TransitionContext,
): { readonly roles: readonly string[] | null; readonly conditions: ReadonlyMap<string, Expr> } => {
  const makers = listMakers(value);
  if (value.by !== undefined && value.by !== "none" && makers.length === 0)
    linking.report(
      finding(
        "NOBODY_MAY",
        value.keys.by ?? key,
        `No one can make the transition ${name}.`,
        "Name a role after “by:”, or write “by: none” if an effect makes it.",
        { clause: clause.id },
      ),
    );
  const conditions = new Map<string, Expr>();
  const closed = new Set<string>();
  for (const { role, when } of makers) {
    if (makers.find((other) => other.role.value === role.value)?.role !== role)
      linking.report(
        finding("NAME_TWICE", role.span, `${role.value} occurs twice.`, "Combine the two conditions into one.", {
          clause: clause.id,
        }),
      );
    if (when === undefined) continue;
    const condition = linkExpression(when, scope, boolean, linking, clause.id);
    if (condition === undefined) closed.add(role.value);
    else conditions.set(role.value, condition);
  }
  const roles = makers.map(({ role }) => role.value).filter((role) => !closed.has(role));
  return { roles: value.by === undefined ? null : roles, conditions };
};

/** The fields and values of the act that a transition asks for. One that ends in `?` can be left empty. */
const linkInputFields = (
  asks: readonly AskSyntax[],
  context: TransitionContext,
): readonly { readonly field: string; readonly ifAny: boolean }[] =>
  asks.flatMap(({ value, span, field: definition }) => {
    const name = { value: value.replace(/\?$/u, ""), span };
    const field = writableNamed(name, context, { acts: true })?.name;
    const ifAny = definition === undefined ? value.endsWith("?") : definition.type?.value.endsWith("?") === true;
    return field === undefined ? [] : [{ field, ifAny }];
  });

/** Reports a value that an automatic transition would need, although nobody gives it. */
const checkActsExist = (
  transition: string,
  asks: readonly AskSyntax[],
  inputFields: ReturnType<typeof linkInputFields>,
  { clause, linked, linking }: TransitionContext,
): void => {
  for (const { field: name, ifAny } of inputFields) {
    const field = linked.fields.get(name);
    const at = asks.find(({ value }) => value.replace(/\?$/u, "") === name)?.span;
    if (field === undefined || at === undefined || ifAny || field.many || !isActValue(field)) continue;
    if (alwaysHasDefault(field)) continue;
    linking.report(
      finding(
        "BAD_VALUE",
        at,
        `${transition} also happens automatically, and then no one gives ${name}.`,
        `Let it be missing (“${field.type}?”), add a “default” that is never missing, or write another transition that asks for it.`,
        { clause: clause.id },
      ),
    );
  }
};

/** Reports a main action that nobody can make, since people are offered it. */
const checkMain = (
  name: string,
  { main, by }: TransitionSyntax,
  byItself: boolean,
  { clause, linking }: TransitionContext,
): void => {
  if (main?.value !== true || (by !== "none" && (by !== undefined || !byItself))) return;
  linking.report(
    finding(
      "BAD_VALUE",
      main.span,
      `${name} is the main action of its states, but no person makes it.`,
      "Remove “main:”, or name a role after “by:”.",
      { clause: clause.id },
    ),
  );
};

/** A person can make a transition that needs several people only once. */
const onlyOncePerPerson = (
  value: TransitionSyntax,
  { clause, linked: { named }, scope, linking }: TransitionContext,
): readonly Precondition[] => {
  const field = value["recorded in"];
  // Without the field, a mistake in the transition was reported already.
  if (value.needs === undefined || field === undefined || !named.has(field.value)) return [];
  const { span } = field;
  const others = toRepresentedField(field.value);
  // A person and their deputy never both count.
  const text = `!(user in ${field.value})${named.has(others) ? ` && !(user in ${others})` : ""}`;
  const condition: Scalar = { kind: "scalar", text, span, quoted: true, origin: () => span.start };
  const holds = linkExpression(condition, scope, { kind: "boolean" }, linking, clause.id);
  return holds === undefined || holds === null
    ? []
    : [{ clause, holds, error: "NEEDS_ANOTHER_PERSON", message: { parts: [] } }];
};

/** Resolves a field that a transition can write: any field except the state and computed ones. */
const writableNamed = (
  name: Spanned<string>,
  { linked, linking }: TransitionContext,
  options: { readonly acts?: boolean } = {},
): Field | undefined => {
  const field = resolveField(linked, name, linking, options);
  if (field !== undefined && !isPlainColumn(field) && !isActValue(field)) {
    linking.report(
      finding(
        "BAD_VALUE",
        name.span,
        `${name.value} is computed, so no one can enter it.`,
        "Remove it, or name a field that it is computed from.",
      ),
    );
    return undefined;
  }
  if (field?.type !== "state") return field;
  linking.report(
    finding(
      "BAD_VALUE",
      name.span,
      `${name.value} is the state, which only transitions can change.`,
      "Remove it. “to:” sets the state.",
    ),
  );
  return undefined;
};

const linkSet = (syntax: readonly Named<Scalar>[], context: TransitionContext): ReadonlyMap<string, Expr> => {
  const { entity, clause, scope, linking } = context;
  const set = new Map<string, Expr>();
  for (const { name, key, value } of syntax) {
    linking.fieldsSet.add(`${entity}.${name}`);
    const field = writableNamed({ value: name, span: key }, context);
    const expr = field === undefined ? undefined : linkExpression(value, scope, field.ruleType, linking, clause.id);
    if (expr !== undefined) set.set(name, expr);
  }
  return set;
};
