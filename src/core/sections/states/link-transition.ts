import type { Named, Spanned } from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import { every } from "../../expression/boolean-exprs.ts";
import type { Expr } from "../../expression/expr.ts";
import type { Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import type { Clause } from "../../model/clause.ts";
import type { Precondition } from "../../model/effect.ts";
import type { Transition } from "../../model/entity.ts";
import { type Field, isPlainColumn } from "../../model/field.ts";
import { toTitle } from "../../model/inflection.ts";
import { toRepresentedField } from "../../model/permissions.ts";
import { type LinkedEntity, resolveField } from "../entities/entities.ts";
import { buildScalar } from "../linking/build-tree.ts";
import { clauseAt, type Linking, linkExpression } from "../linking/link-context.ts";
import { listMakers, type TransitionSyntax } from "./states-syntax.ts";

export const linkTransition = (
  entity: string,
  { name, key, value }: Named<TransitionSyntax>,
  from: readonly string[],
  to: readonly string[],
  linked: LinkedEntity,
  scope: Scope,
  linking: Linking,
): Transition => {
  const clause = clauseAt(`4.${entity}.${name}`, key);
  if (value.discloses?.value === true) linking.disclosed.add(clause.id);
  const boolean = { kind: "boolean" } as const;
  const guard = value.when === undefined ? null : linkExpression(value.when, scope, boolean, linking, clause.id);
  const previous = value.needs === undefined ? value["recorded in"] : undefined;
  const isKnown =
    previous &&
    linkExpression(buildScalar(`${previous.value} != null`, previous.span), scope, boolean, linking, clause.id);
  const when =
    guard == null || isKnown == null
      ? guard === undefined
        ? undefined
        : (isKnown ?? guard)
      : (every([isKnown, guard]) ?? null);
  const byItself = value.timeout !== undefined || value.once !== undefined;
  const timeout =
    value.timeout === undefined ? null : linkExpression(value.timeout, scope, { kind: "duration" }, linking, clause.id);
  const once = value.once === undefined ? null : linkExpression(value.once, scope, boolean, linking, clause.id);
  checkMain(name, value, byItself, clause, linking);
  const own = onlyOncePerPerson(value, linked.named, scope, clause, linking);
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
  const roles = value.by === undefined ? (byItself ? [] : null) : makers.map(({ role }) => role.value);
  const conditions = new Map<string, Expr>();
  const closed = new Set<string>();
  for (const { role, when: only } of makers) {
    if (makers.filter((other) => other.role.value === role.value)[0]?.role !== role)
      linking.report(
        finding("NAME_TWICE", role.span, `${role.value} occurs twice.`, "Combine the two conditions into one.", {
          clause: clause.id,
        }),
      );
    if (only === undefined) continue;
    const condition = linkExpression(only, scope, boolean, linking, clause.id);
    if (condition === undefined) closed.add(role.value);
    else conditions.set(role.value, condition);
  }
  const inputFields = (value.asks ?? []).flatMap((item) => {
    const ifAny = item.value.endsWith("?");
    const name = { value: item.value.replace(/\?$/u, ""), span: item.span };
    const field = writableNamed(entity, linked, name, linking)?.name;
    return field === undefined ? [] : [{ field, ifAny }];
  });
  return {
    name,
    title: value.title?.text ?? toTitle(name),
    clause,
    from,
    to,
    ...(previous === undefined ? {} : { previous: previous.value }),
    // A guard that is not executable rejects everyone.
    by: when === undefined ? [] : (roles?.filter((role) => !closed.has(role)) ?? null),
    conditions,
    asks: inputFields.map(({ field }) => field),
    asksIfAny: new Set(inputFields.flatMap(({ field, ifAny }) => (ifAny ? [field] : []))),
    when: every([...(when == null ? [] : [when]), ...own.map(({ holds }) => holds)]) ?? null,
    guard: when ?? null,
    preconditions: own,
    set: linkSet(entity, value.set ?? [], linked, scope, linking, clause.id),
    timeout: when === undefined ? null : (timeout ?? null),
    once: when === undefined ? null : (once ?? null),
    ...(value.main?.value === true ? { main: true } : {}),
  };
};

/** Reports a main action that nobody can make, since people are offered it. */
const checkMain = (
  name: string,
  { main, by }: TransitionSyntax,
  byItself: boolean,
  clause: Clause,
  linking: Linking,
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
  named: LinkedEntity["named"],
  scope: Scope,
  clause: Clause,
  linking: Linking,
): readonly Precondition[] => {
  const field = value["recorded in"];
  // Without the field, a mistake in the transition was reported already.
  if (value.needs === undefined || field === undefined || !named.has(field.value)) return [];
  const { span } = field;
  const others = toRepresentedField(field.value);
  // A person and their deputy never both count.
  const text = `!(user in ${field.value})${named.has(others) ? ` && !(user in ${others})` : ""}`;
  const condition: Scalar = { kind: "scalar", text, span, quoted: true, locate: () => span.start };
  const holds = linkExpression(condition, scope, { kind: "boolean" }, linking, clause.id);
  return holds === undefined || holds === null
    ? []
    : [{ clause, holds, error: "NEEDS_ANOTHER_PERSON", message: { parts: [] } }];
};

/** Resolves a field that a transition can write: any field except the state and computed ones. */
const writableNamed = (
  entity: string,
  linked: LinkedEntity,
  name: Spanned<string>,
  linking: Linking,
): Field | undefined => {
  const field = resolveField(entity, linked, name, linking);
  if (field !== undefined && !isPlainColumn(field)) {
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

const linkSet = (
  entity: string,
  syntax: readonly Named<Scalar>[],
  linked: LinkedEntity,
  scope: Scope,
  linking: Linking,
  clause: string,
): ReadonlyMap<string, Expr> => {
  const set = new Map<string, Expr>();
  for (const { name, key, value } of syntax) {
    const field = writableNamed(entity, linked, { value: name, span: key }, linking);
    const expr = field === undefined ? undefined : linkExpression(value, scope, field.ruleType, linking, clause);
    if (expr !== undefined) set.set(name, expr);
  }
  return set;
};
