import { byKind, map, memoized, orNone, withDefault } from "../../document/shape/combinators.ts";
import { keyed, list, listOrOne, named, single } from "../../document/shape/list-and-mapping.ts";
import { name } from "../../document/shape/name.ts";
import { optional, record, required } from "../../document/shape/record.ts";
import { expression, flag, plainText, template, word } from "../../document/shape/scalar.ts";
import type { Named, ShapeValue, Spanned } from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import type { DefaultCode } from "../../model/defaults.ts";
import type { DeclaredAct } from "../entities/act-values.ts";
import type { StateNames } from "../entities/declare-entities.ts";
import { type FieldSyntax, fieldsShape } from "../entities/field-syntax.ts";
import { effectsShape } from "./effect-syntax.ts";
import type { EffectNames } from "./effects.ts";
import { reminderShape } from "./reminders.ts";

/** Point 4: states and transitions. */
const stateKeys = record("a state", {
  tone: optional(word("good", "bad", "warning", "neutral")),
  title: optional(template),
  deadline: optional(name("field")),
  was: optional(listOrOne(name("value"))),
});

/** `draft`, or `granted: { tone: good }`. */
const state = byKind<{ readonly name: Spanned<string>; readonly more?: ShapeValue<typeof stateKeys> }>(
  "a state's name, or a name with its keys",
  {
    scalar: map(name("value"), (name) => ({ name })),
    mapping: map(single("one state's name with its keys", "value", stateKeys), (only) => ({
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

/** A field that a transition asks for, or a value of the act with its definition. */
export interface AskSyntax extends Spanned<string> {
  readonly field?: FieldSyntax;
}

/** `supplier`, `supplier?`, or `added: { type: integer }`: a value that no record keeps. */
const ask = byKind<readonly AskSyntax[]>("a field's name, or a name with the keys of a field", {
  scalar: map(plainText, (name) => [name]),
  mapping: map(fieldsShape, (values) =>
    values.map(({ name, key, value }) => ({ value: name, span: key, field: value })),
  ),
});

export const transitionShape = record("a transition", {
  from: required(listOrOne(name("value"))),
  to: required(name("value")),
  by: optional(withDefault("TRANSITION_BY_ADMINISTRATORS", orNone(listOrOne(maker)))),
  asks: optional(map(listOrOne(ask), (asks) => asks.flat())),
  when: optional(expression),
  set: optional(keyed("a mapping from fields to expressions", expression)),
  title: optional(template),
  timeout: optional(expression),
  once: optional(expression),
  needs: optional(needs),
  "recorded in": optional(name("field")),
  until: optional(orNone(listOrOne(name("field")))),
  main: optional(flag),
  shows: optional(orNone(listOrOne(expression))),
  discloses: optional(flag),
  was: optional(name("field")),
});

const stateFieldKeys = record("a state's field", { title: optional(plainText), was: optional(name("field")) });

/** The name of a state field, its label and its former name. */
export interface StateFieldSyntax {
  readonly name: Spanned<string>;
  readonly title?: Spanned<string> | undefined;
  readonly was?: Spanned<string> | undefined;
}

/** `status`, or `status: { title: Progress, was: state }`. */
const stateField = byKind<StateFieldSyntax>("a field's name, or a name with its keys", {
  scalar: map(name("field"), (name) => ({ name })),
  mapping: map(single("one field's name with its keys", "field", stateFieldKeys), (only) => ({
    name: { value: only.name, span: only.key },
    title: only.value.title,
    was: only.value.was,
  })),
});

const entityStates = record("the states of an entity", {
  field: optional(stateField),
  initial: optional(name("value")),
  final: optional(listOrOne(name("value"))),
  states: optional(list(state)),
  transitions: optional(named("field", transitionShape)),
  after: optional(effectsShape),
  remind: optional(named("field", reminderShape)),
});

export const statesShape = orNone(named("entity", memoized(entityStates)));

export type StatesSyntax = ShapeValue<typeof statesShape>;
export type EntityStates = ShapeValue<typeof entityStates>;
export type TransitionSyntax = ShapeValue<typeof transitionShape>;

export const listEntityStates = (
  syntax: StatesSyntax | undefined,
): readonly Named<ShapeValue<typeof entityStates>>[] => (syntax === undefined || syntax === "none" ? [] : syntax);

export const declareStates = (syntax: StatesSyntax | undefined): StateNames =>
  new Map(
    listEntityStates(syntax).flatMap(({ name, key, value }) =>
      value.states === undefined
        ? []
        : [
            [
              name,
              {
                field: value.field?.name.value ?? "state",
                title: value.field?.title?.value,
                names: value.states.map((state) => state.name.value),
                acts: declareActs(value),
                key,
              },
            ],
          ],
    ),
  );

/** Values that the record does not keep, as the first transition that asks for each defines it. */
const declareActs = ({ transitions = [] }: EntityStates): readonly DeclaredAct[] =>
  transitions.flatMap(({ name: transition, value: { asks = [] } }) =>
    asks.flatMap(({ value: name, span: key, field }) =>
      field === undefined ? [] : [{ name, key, value: field, transition, transitions: listAskers(transitions, name) }],
    ),
  );

const listAskers = (transitions: readonly Named<TransitionSyntax>[], name: string): readonly string[] =>
  transitions
    .filter(({ value: { asks = [] } }) => asks.some(({ value }) => value.replace(/\?$/u, "") === name))
    .map((transition) => transition.name);

/** Names of the transitions by entity. */
export const transitionNames = (syntax: StatesSyntax | undefined): EffectNames["transitions"] =>
  new Map(
    listEntityStates(syntax).map(({ name, value }) => [
      name,
      new Set((value.transitions ?? []).map((transition) => transition.name)),
    ]),
  );

/** The transitions that need several people, by `Request.approve`. */
export const sharedTransitions = (syntax: StatesSyntax | undefined): EffectNames["shared"] =>
  new Set(
    listEntityStates(syntax).flatMap(({ name: entity, value }) =>
      (value.transitions ?? []).flatMap((transition) =>
        transition.value.needs === undefined ? [] : [`${entity}.${transition.name}`],
      ),
    ),
  );

export const listMakers = ({ by }: TransitionSyntax): readonly ShapeValue<typeof maker>[] =>
  by === undefined || by === "none" ? [] : by;

/** Roles named in transitions, with their spans; point 6 resolves them. */
export const transitionRoles = (
  syntax: StatesSyntax | undefined,
): readonly { readonly entity: string; readonly role: Spanned<string> }[] =>
  listEntityStates(syntax).flatMap(({ name: entity, value }) =>
    (value.transitions ?? []).flatMap((transition) =>
      listMakers(transition.value).map(({ role }) => ({ entity, role })),
    ),
  );

export const listStateDefaults = (syntax: StatesSyntax | undefined): readonly DefaultCode[] => {
  if (syntax === undefined) return ["NO_STATES", "NO_TRANSITIONS"];
  const entities = listEntityStates(syntax).map((states) => states.value);
  const transitions = entities.flatMap((entity) => entity.transitions ?? []).map((entity) => entity.value);
  const byNobody = transitions.some(
    (transition) => transition.by === undefined && transition.timeout === undefined && transition.once === undefined,
  );
  return [
    ...(entities.some((entity) => entity.states !== undefined && entity.initial === undefined)
      ? (["FIRST_STATE_BEGINS"] as const)
      : []),
    ...(entities.some((entity) => entity.states?.some((state) => state.more?.tone === undefined))
      ? (["COLOURS_BY_ORDER"] as const)
      : []),
    ...(entities.some(
      ({ after, remind }) =>
        after?.some(({ value }) => value.some(({ notify }) => notify !== undefined)) ||
        remind?.some(({ value }) => value.notify !== undefined),
    )
      ? (["NOTIFICATIONS_AT_ONCE"] as const)
      : []),
    ...(byNobody ? (["TRANSITION_BY_ADMINISTRATORS"] as const) : []),
  ];
};
