import {
  either,
  expression,
  keyed,
  later,
  list,
  listOrOne,
  map,
  type Named,
  name,
  named,
  optional,
  orNone,
  type Read,
  record,
  required,
  type Said,
  word,
} from "../document/shape.ts";
import type { Scalar } from "../document/tree.ts";
import { finding } from "../findings.ts";
import type { DefaultCode } from "../model/defaults.ts";
import type { State, States, Transition } from "../model/model.ts";
import { titleOf } from "../model/words.ts";
import type { Expr } from "../rule/expr.ts";
import type { Scope } from "../rule/type.ts";
import type { LinkedEntity, StateNames } from "./entities.ts";
import { clauseAt, type Linking, linkExpression, unknownName } from "./linking.ts";

/** Point 4: states and transitions. */
const stateKeys = record("a state", {
  tone: optional(word("good", "bad", "warning", "neutral")),
  title: optional(expression),
  was: later,
});

/** `draft`, or `granted: { tone: good }`. */
const state = either<{ readonly name: Said<string>; readonly more?: Read<typeof stateKeys> }>(
  "a state's name, or a name with its keys",
  {
    scalar: map(name("field"), (said) => ({ name: said })),
    mapping: {
      takes: "a state's name with its keys",
      read: (tree, report) => {
        const [only] = named("field", stateKeys).read(tree, report) ?? [];
        return only && { name: { value: only.name, span: only.key }, more: only.value };
      },
    },
  },
);

const transition = record("a transition", {
  from: required(listOrOne(name("field"))),
  to: required(name("field")),
  by: optional(listOrOne(name("role"))),
  asks: optional(listOrOne(name("field"))),
  when: optional(expression),
  set: optional(keyed("a mapping from fields to expressions", expression)),
  title: optional(expression),
  timeout: later,
  once: later,
  was: later,
});

const entityStates = record("the states of an entity", {
  field: optional(name("field")),
  initial: optional(name("field")),
  final: optional(listOrOne(name("field"))),
  states: required(list(state)),
  transitions: optional(named("field", transition)),
  after: later,
});

export const statesShape = orNone(named("entity", entityStates));

export type StatesSyntax = Read<typeof statesShape>;

const said = (syntax: StatesSyntax | undefined): readonly Named<Read<typeof entityStates>>[] =>
  syntax === undefined || syntax === "none" ? [] : syntax;

export const declareStates = (syntax: StatesSyntax | undefined): StateNames =>
  new Map(
    said(syntax).map(({ name, key, value }) => [
      name,
      { field: value.field?.value ?? "state", names: value.states.map((one) => one.name.value), key },
    ]),
  );

export const linkStates = (
  syntax: StatesSyntax | undefined,
  entities: ReadonlyMap<string, LinkedEntity>,
  scope: Scope,
  linking: Linking,
): ReadonlyMap<string, States> => {
  const all = new Map<string, States>();
  for (const { name: entity, key, value } of said(syntax)) {
    const fields = entities.get(entity)?.fields;
    if (fields === undefined) continue;
    const states: State[] = value.states.map((one) => ({
      name: one.name.value,
      title: one.more?.title?.text ?? titleOf(one.name.value),
      tone: one.more?.tone?.value ?? null,
      clause: clauseAt(`4.${entity}.${one.name.value}`, one.name.span),
    }));
    const names = states.map((one) => one.name);
    const known = (given: Said<string>): boolean => {
      if (names.includes(given.value)) return true;
      unknownName(linking, given.span, `state of ${entity}`, given.value, names);
      return false;
    };
    const twice = value.states.find((one, i) => names.indexOf(one.name.value) !== i);
    if (twice !== undefined)
      linking.report(
        finding("NAME_TWICE", twice.name.span, `${entity} has the state ${twice.name.value} twice.`, "Take one out."),
      );
    if (value.initial !== undefined) known(value.initial);
    const transitions = new Map<string, Transition>();
    for (const one of value.transitions ?? []) {
      const from = one.value.from.filter(known).map((state) => state.value);
      if (!known(one.value.to)) continue;
      transitions.set(one.name, {
        name: one.name,
        title: one.value.title?.text ?? titleOf(one.name),
        clause: clauseAt(`4.${entity}.${one.name}`, one.key),
        from,
        to: one.value.to.value,
        by: one.value.by?.map((role) => role.value) ?? null,
        asks: (one.value.asks ?? [])
          .filter((asked) => knownField(fields, asked, entity, linking))
          .map((asked) => asked.value),
        when:
          one.value.when === undefined
            ? null
            : (linkExpression(one.value.when, { ...scope, entity }, { kind: "boolean" }, linking) ?? null),
        set: linkSet(one.value.set ?? [], fields, { ...scope, entity }, entity, linking),
      });
    }
    all.set(entity, {
      clause: clauseAt(`4.${entity}`, key),
      field: value.field?.value ?? "state",
      initial: value.initial?.value ?? names[0] ?? "",
      final: new Set((value.final ?? []).filter(known).map((one) => one.value)),
      states,
      transitions,
    });
  }
  return all;
};

const knownField = (fields: LinkedEntity["fields"], asked: Said<string>, entity: string, linking: Linking): boolean => {
  const field = fields.get(asked.value);
  if (field !== undefined && field.type !== "state") return true;
  unknownName(linking, asked.span, `field of ${entity}`, asked.value, fields.keys());
  return false;
};

const linkSet = (
  syntax: readonly Named<Scalar>[],
  fields: LinkedEntity["fields"],
  scope: Scope,
  entity: string,
  linking: Linking,
): ReadonlyMap<string, Expr> => {
  const set = new Map<string, Expr>();
  for (const { name, key, value } of syntax) {
    const field = fields.get(name);
    if (field === undefined || field.type === "state") {
      unknownName(linking, key, `field of ${entity}`, name, fields.keys());
      continue;
    }
    const expr = linkExpression(value, scope, field.ruleType, linking);
    if (expr !== undefined) set.set(name, expr);
  }
  return set;
};

/** A state that no path reaches, and one that nothing leaves though it is not final. */
export const checkStates = (entity: string, states: States, linking: Linking): void => {
  const reached = new Set([states.initial]);
  for (let before = 0; before < reached.size; ) {
    before = reached.size;
    for (const transition of states.transitions.values())
      if (transition.from.some((from) => reached.has(from))) reached.add(transition.to);
  }
  const left = new Set([...states.transitions.values()].flatMap((transition) => transition.from));
  for (const state of states.states) {
    if (!reached.has(state.name))
      linking.report(
        finding(
          "UNREACHABLE_STATE",
          state.clause.span,
          `No ${entity} can ever be ${state.name}.`,
          "Add a transition that leads to it, or take the state out.",
          { clause: state.clause.id },
        ),
      );
    else if (!left.has(state.name) && !states.final.has(state.name))
      linking.report(
        finding(
          "DEAD_END",
          state.clause.span,
          `Nothing leaves the state ${state.name}, and it is not final.`,
          `Name it under “final:”, or add a transition from it.`,
          { clause: state.clause.id },
        ),
      );
  }
};

export const silentStates = (syntax: StatesSyntax | undefined): readonly DefaultCode[] =>
  syntax === undefined ? ["NO_STATES", "NO_TRANSITIONS"] : [];
