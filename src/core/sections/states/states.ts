import { byKind, map, memoized, orNone, withDefault } from "../../document/shape/combinators.ts";
import { keyed, list, listOrOne, named, single } from "../../document/shape/list-and-mapping.ts";
import { name } from "../../document/shape/name.ts";
import { optional, record, required } from "../../document/shape/record.ts";
import { expression, flag, plainText, template, word } from "../../document/shape/scalar.ts";
import type { Named, ShapeValue, Spanned } from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import { every } from "../../expression/boolean-exprs.ts";
import type { Expr } from "../../expression/expr.ts";
import type { Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import type { Clause } from "../../model/clause.ts";
import type { DefaultCode } from "../../model/defaults.ts";
import type { Effect, Precondition } from "../../model/effect.ts";
import type { Entity, Needs, State, States, Transition } from "../../model/entity.ts";
import { type Field, isPlainColumn } from "../../model/field.ts";
import { toTitle } from "../../model/inflection.ts";
import type { Span } from "../../source-text.ts";
import { type LinkedEntity, resolveField, type StateNames } from "../entities/entities.ts";
import { buildScalar } from "../linking/build-tree.ts";
import { clauseAt, type Linking, linkExpression, reportUnknownName } from "../linking/link-context.ts";
import { toCompletionName } from "./completion.ts";
import { checkEffectCycles, type EffectNames, effectsShape, linkEffects } from "./effects.ts";
import { leadsBack } from "./leads-back.ts";

/** Point 4: states and transitions. */
const stateKeys = record("a state", {
  tone: optional(word("good", "bad", "warning", "neutral")),
  title: optional(template),
  deadline: optional(name("field")),
  was: optional(listOrOne(name("field"))),
});

/** `draft`, or `granted: { tone: good }`. */
const state = byKind<{ readonly name: Spanned<string>; readonly more?: ShapeValue<typeof stateKeys> }>(
  "a state's name, or a name with its keys",
  {
    scalar: map(name("field"), (said) => ({ name: said })),
    mapping: map(single("one state's name with its keys", "field", stateKeys), (only) => ({
      name: { value: only.name, span: only.key },
      more: only.value,
    })),
  },
);

/** A role, optionally with a condition. */
const maker = record("who may", { role: required(name("role")), when: optional(expression) }, "role");

/** `2`, an expression, or the roles whose members act one after the other. */
const needs = byKind<Scalar | readonly ShapeValue<typeof maker>[]>("a number, an expression, or a list of roles", {
  scalar: expression,
  list: list(maker),
});

export const transitionShape = record("a transition", {
  from: required(listOrOne(name("field"))),
  to: required(name("field")),
  by: optional(withDefault("TRANSITION_BY_ADMINISTRATORS", orNone(listOrOne(maker)))),
  asks: optional(listOrOne(plainText)),
  when: optional(expression),
  set: optional(keyed("a mapping from fields to expressions", expression)),
  title: optional(template),
  timeout: optional(expression),
  once: optional(expression),
  needs: optional(needs),
  "recorded in": optional(name("field")),
  until: optional(orNone(listOrOne(name("field")))),
  main: optional(flag),
  discloses: optional(flag),
  was: optional(name("field")),
});

/** `status`, or `status: { was: state }`. */
const stateField = byKind<{ readonly name: Spanned<string>; readonly was?: Spanned<string> | undefined }>(
  "a field's name, or a name with its keys",
  {
    scalar: map(name("field"), (said) => ({ name: said })),
    mapping: map(
      single("one field's name with its keys", "field", record("a state's field", { was: optional(name("field")) })),
      (only) => ({ name: { value: only.name, span: only.key }, was: only.value.was }),
    ),
  },
);

const entityStates = record("the states of an entity", {
  field: optional(stateField),
  initial: optional(name("field")),
  final: optional(listOrOne(name("field"))),
  states: optional(list(state)),
  transitions: optional(named("field", transitionShape)),
  after: optional(effectsShape),
});

export const statesShape = orNone(named("entity", memoized(entityStates)));

export type StatesSyntax = ShapeValue<typeof statesShape>;
export type EntityStates = ShapeValue<typeof entityStates>;
export type TransitionSyntax = ShapeValue<typeof transitionShape>;

const said = (syntax: StatesSyntax | undefined): readonly Named<ShapeValue<typeof entityStates>>[] =>
  syntax === undefined || syntax === "none" ? [] : syntax;

export const declareStates = (syntax: StatesSyntax | undefined): StateNames =>
  new Map(
    said(syntax).flatMap(({ name, key, value }) =>
      value.states === undefined
        ? []
        : [
            [
              name,
              { field: value.field?.name.value ?? "state", names: value.states.map((one) => one.name.value), key },
            ],
          ],
    ),
  );

/** Names of the transitions by entity. */
export const transitionNames = (syntax: StatesSyntax | undefined): EffectNames["transitions"] =>
  new Map(said(syntax).map(({ name, value }) => [name, new Set((value.transitions ?? []).map((one) => one.name))]));

/** The transitions that need several people, by `Request.approve`. */
export const sharedTransitions = (syntax: StatesSyntax | undefined): EffectNames["shared"] =>
  new Set(
    said(syntax).flatMap(({ name: entity, value }) =>
      (value.transitions ?? []).flatMap((one) => (one.value.needs === undefined ? [] : [`${entity}.${one.name}`])),
    ),
  );

const listMakers = ({ by }: TransitionSyntax): readonly ShapeValue<typeof maker>[] =>
  by === undefined || by === "none" ? [] : by;

/** Roles named in transitions, with their spans; point 6 resolves them. */
export const transitionRoles = (
  syntax: StatesSyntax | undefined,
): readonly { readonly entity: string; readonly role: Spanned<string> }[] =>
  said(syntax).flatMap(({ name: entity, value }) =>
    (value.transitions ?? []).flatMap((one) => listMakers(one.value).map(({ role }) => ({ entity, role }))),
  );

export interface LinkedStates {
  readonly states: ReadonlyMap<string, States>;
  /** Effects by entity. */
  readonly after: ReadonlyMap<string, Entity["after"]>;
}

export const linkStates = (
  syntax: StatesSyntax | undefined,
  names: EffectNames,
  scope: Scope,
  linking: Linking,
): LinkedStates => {
  const all = new Map<string, States>();
  const after = new Map<string, ReadonlyMap<string, readonly Effect[]>>();
  for (const { name: entity, key, value } of said(syntax)) {
    const linked = names.entities.get(entity);
    if (linked === undefined) continue;
    const states = linkEntityStates(entity, key, value, linked, { ...scope, entity }, linking);
    if (states !== undefined) all.set(entity, states);
    after.set(entity, linkEffects(entity, value.after ?? [], names, scope, linking));
    if (states !== undefined) checkCircle(entity, states, linking);
  }
  checkEffectCycles(after, linking);
  for (const { name: entity, value } of said(syntax))
    for (const one of value.transitions ?? []) checkMade(entity, one, linking);
  return { states: all, after };
};

/** Reports a transition `by: none` without a timeout, a condition or an effect that makes it. */
const checkMade = (entity: string, { name, key, value }: Named<TransitionSyntax>, linking: Linking): void => {
  if (value.by !== "none" || value.timeout !== undefined || value.once !== undefined) return;
  if (linking.madeByEffects.has(`${entity}.${name}`)) return;
  linking.report(
    finding(
      "NOBODY_MAY",
      value.keys.by ?? key,
      `No one can make the transition ${name}, and no effect makes it.`,
      "Name a role after “by:”, or add an effect with “make:”.",
      { clause: `4.${entity}.${name}` },
    ),
  );
};

/** The smallest number that a count of people can be; 0 if it is not obvious. */
const leastCount = (count: Expr): number => {
  if (count.kind === "constant") return Number(count.value);
  const [first, second, third] = count.kind === "call" ? count.args : [];
  if (count.kind !== "call" || first === undefined || second === undefined) return 0;
  if (third !== undefined) return Math.min(leastCount(second), leastCount(third));
  return count.row === "integer + integer" ? leastCount(first) + leastCount(second) : 0;
};

/**
 * True if people have to make the transition each time: the list of an approval is empty when the record enters its
 * state, so a completion ends each chain of automatic transitions.
 */
const waitsForPeople = (transition: Transition, transitions: ReadonlyMap<string, Transition>): boolean =>
  !transition.to.some((state) => transition.from.includes(state)) &&
  [...transitions.values()].some(
    ({ needs }) => needs !== undefined && needs.completion === transition.name && leastCount(needs.count) > 0,
  );

/** Reports cycles of automatic transitions, which might never end. */
const checkCircle = (entity: string, { transitions }: States, linking: Linking): void => {
  const byItself = [...transitions.values()].filter((one) => one.once !== null && !waitsForPeople(one, transitions));
  for (const one of byItself) {
    const seen = new Set(one.to);
    for (const state of seen)
      for (const next of byItself) if (next.from.includes(state)) for (const to of next.to) seen.add(to);
    if (one.from.some((state) => seen.has(state)))
      linking.report(
        finding(
          "CYCLE",
          one.clause.span,
          `Automatic transitions would lead ${entity} back to where ${one.name} starts, in an endless circle.`,
          "Let a person make one of these transitions.",
          { clause: one.clause.id },
        ),
      );
  }
};

/** Names of the conventional actions. A transition of such a name would be ambiguous in `during:` and in addresses. */
const conventional = new Set(["list", "read", "create", "update", "delete", "history"]);

const linkEntityStates = (
  entity: string,
  key: Span,
  value: EntityStates,
  linked: LinkedEntity,
  scope: Scope,
  linking: Linking,
): States | undefined => {
  if (value.states === undefined) {
    if (!("after" in value.keys) && !("states" in value.keys))
      linking.report(
        finding("MISSING_KEY", key, `The states of ${entity} need “states”.`, "Add “states: [draft, done]”."),
      );
    return undefined;
  }
  const states = value.states.map(
    (one): State => ({
      name: one.name.value,
      title: one.more?.title?.text ?? toTitle(one.name.value),
      tone: one.more?.tone?.value ?? null,
      ...linkDeadline(entity, one.more?.deadline, linked, linking),
      clause: clauseAt(`4.${entity}.${one.name.value}`, one.name.span),
    }),
  );
  const names = states.map((one) => one.name);
  const known = (given: Spanned<string>): boolean => {
    if (names.includes(given.value)) return true;
    reportUnknownName(linking, given.span, `state of ${entity}`, given.value, names);
    return false;
  };
  for (const [i, one] of value.states.entries()) {
    if (names.indexOf(one.name.value) !== i)
      linking.report(
        finding("NAME_TWICE", one.name.span, `${entity} has the state ${one.name.value} twice.`, "Remove one."),
      );
  }
  if (value.initial !== undefined) known(value.initial);
  const transitions = new Map<string, Transition>();
  for (const one of value.transitions ?? []) {
    if (conventional.has(one.name))
      linking.report(
        finding(
          "RESERVED_NAME",
          one.key,
          `Every entity has an action “${one.name}”, so a transition can’t have this name.`,
          "Choose another name.",
          { clause: `4.${entity}.${one.name}` },
        ),
      );
    const from = one.value.from.filter(known).map((state) => state.value);
    if (transitions.has(one.name))
      linking.report(
        finding("NAME_TWICE", one.key, `${entity} has the transition ${one.name} twice.`, "Choose another name.", {
          clause: `4.${entity}.${one.name}`,
        }),
      );
    const to = leadsBack(value, one.value)
      ? findPrevious(one.value, linked)
      : known(one.value.to)
        ? [one.value.to.value]
        : undefined;
    if (to !== undefined) transitions.set(one.name, linkTransition(entity, one, from, to, linked, scope, linking));
  }
  for (const one of value.transitions ?? []) {
    const transition = transitions.get(one.name);
    const needs = findNeeds(one, transitions);
    if (transition !== undefined && needs !== undefined) transitions.set(one.name, { ...transition, needs });
  }
  return {
    clause: clauseAt(`4.${entity}`, key),
    field: value.field?.name.value ?? "state",
    initial: value.initial?.value ?? names[0] ?? "",
    final: new Set((value.final ?? []).filter(known).map((one) => one.value)),
    states,
    transitions,
  };
};

/** The states that a transition back leads to; undefined if a mistake in it was reported already. */
const findPrevious = (
  { "recorded in": field }: TransitionSyntax,
  { fields }: LinkedEntity,
): readonly string[] | undefined => {
  const type = field === undefined ? undefined : fields.get(field.value)?.ruleType;
  return type?.kind === "choice" ? [...type.values] : undefined;
};

/** The deadline of a state is one date or one moment of the record. */
const linkDeadline = (
  entity: string,
  said: Spanned<string> | undefined,
  linked: LinkedEntity,
  linking: Linking,
): Pick<State, "deadline"> => {
  if (said === undefined) return {};
  const field = resolveField(entity, linked, said, linking);
  if (field === undefined) return {};
  if (!field.many && (field.type === "date" || field.type === "datetime")) return { deadline: field.name };
  linking.report(
    finding(
      "BAD_VALUE",
      said.span,
      `${said.value} is no deadline: it is neither a date nor a datetime.`,
      "Name a field of type date or datetime.",
    ),
  );
  return {};
};

/** The number of people is the right side of the condition that completes the transition. */
const findNeeds = (
  { name, value }: Named<TransitionSyntax>,
  transitions: ReadonlyMap<string, Transition>,
): Needs | undefined => {
  const field = value["recorded in"]?.value;
  const once = transitions.get(toCompletionName(name))?.once;
  const count = once?.kind === "call" ? once.args[1] : undefined;
  if (value.needs === undefined || field === undefined || count === undefined) return undefined;
  return { count, field, completion: toCompletionName(name) };
};

const linkTransition = (
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
  const said = value.when === undefined ? null : linkExpression(value.when, scope, boolean, linking, clause.id);
  const previous = value.needs === undefined ? value["recorded in"] : undefined;
  const isKnown =
    previous &&
    linkExpression(buildScalar(`${previous.value} != null`, previous.span), scope, boolean, linking, clause.id);
  const when =
    said == null || isKnown == null
      ? said === undefined
        ? undefined
        : (isKnown ?? said)
      : (every([isKnown, said]) ?? null);
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
  const inputFields = (value.asks ?? []).flatMap((one) => {
    const ifAny = one.value.endsWith("?");
    const said = { value: one.value.replace(/\?$/u, ""), span: one.span };
    const field = writableNamed(entity, linked, said, linking)?.name;
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

/** The main action is offered to people, so somebody has to be able to make it. */
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

/** Nobody makes a transition twice that needs several people. */
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
  const text = `!(user in ${field.value})`;
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
  said: Spanned<string>,
  linking: Linking,
): Field | undefined => {
  const field = resolveField(entity, linked, said, linking);
  if (field !== undefined && !isPlainColumn(field)) {
    linking.report(
      finding(
        "BAD_VALUE",
        said.span,
        `${said.value} is computed, so no one can enter it.`,
        "Remove it, or name a field that it is computed from.",
      ),
    );
    return undefined;
  }
  if (field?.type !== "state") return field;
  linking.report(
    finding(
      "BAD_VALUE",
      said.span,
      `${said.value} is the state, which only transitions can change.`,
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

export const silentStates = (syntax: StatesSyntax | undefined): readonly DefaultCode[] => {
  if (syntax === undefined) return ["NO_STATES", "NO_TRANSITIONS"];
  const entities = said(syntax).map((one) => one.value);
  const transitions = entities.flatMap((one) => one.transitions ?? []).map((one) => one.value);
  const byNobody = transitions.some(
    (one) => one.by === undefined && one.timeout === undefined && one.once === undefined,
  );
  return [
    ...(entities.some((one) => one.states !== undefined && one.initial === undefined)
      ? (["FIRST_STATE_BEGINS"] as const)
      : []),
    ...(entities.some((one) => one.states?.some((state) => state.more?.tone === undefined))
      ? (["COLOURS_BY_ORDER"] as const)
      : []),
    ...(byNobody ? (["TRANSITION_BY_ADMINISTRATORS"] as const) : []),
  ];
};
