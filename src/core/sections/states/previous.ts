import type { Named, ReportFinding } from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import { finding } from "../../findings.ts";
import type { Span } from "../../source-text.ts";
import type { EntitiesSyntax, EntitySyntax, FieldsSyntax } from "../entities/entities-syntax.ts";
import { fieldsShape } from "../entities/field-syntax.ts";
import { buildList, buildMapping, buildScalar } from "../linking/build-tree.ts";
import type { EntityStates, StatesSyntax, TransitionSyntax } from "./states-syntax.ts";
import { namesSameState, returnsToPrevious } from "./target-words.ts";

/*
 * A transition back to the previous state: `resume: { from: on_hold, to: previous, recorded in: held_from }`. Ninefold
 * adds the field `held_from`, a choice of the states from which a transition leads to `on_hold`. Each of these
 * transitions writes it, and `resume` empties it. So all other stages see an ordinary field and ordinary transitions.
 * Only the state that `resume` writes comes from the field.
 */

interface Points {
  readonly entities: EntitiesSyntax | undefined;
  readonly states: StatesSyntax | undefined;
}

/**
 * A field with the previous state. `leaving`: the states that transitions back leave. `targets`: the states that they
 * lead to.
 */
interface PreviousState {
  readonly entity: string;
  readonly field: string;
  readonly span: Span;
  readonly leaving: ReadonlySet<string>;
  readonly targets: readonly string[];
}

/** Expands `to: previous` in the syntax. Reports transitions for which that is not possible. */
export const expandPrevious = <P extends Points>(points: P, report: ReportFinding): P => {
  const states = listNamed(points.states);
  const entities = listNamed(points.entities);
  const fieldsOf = new Map(entities.map(({ name, value }) => [name, value.fields]));
  const found = states.flatMap((state) => readPrevious(state, fieldsOf.get(state.name) ?? [], report));
  if (found.length === 0) return points;
  return {
    ...points,
    entities: entities.map((entry) =>
      withFields(
        entry,
        found.filter(({ entity }) => entity === entry.name),
        states.find(({ name }) => name === entry.name)?.value,
      ),
    ),
    states: states.map((state) =>
      withRecording(
        state,
        found.filter(({ entity }) => entity === state.name),
      ),
    ),
  };
};

const listNamed = <T>(syntax: readonly Named<T>[] | "none" | undefined): readonly Named<T>[] =>
  syntax === undefined || syntax === "none" ? [] : syntax;

const listBack = (states: EntityStates): readonly Named<TransitionSyntax>[] =>
  (states.transitions ?? []).filter(({ value }) => returnsToPrevious(states, value));

const listOnward = (states: EntityStates): readonly Named<TransitionSyntax>[] =>
  (states.transitions ?? []).filter(({ value }) => !returnsToPrevious(states, value));

/** The states from which a transition leads to one of these. */
const listBefore = (states: EntityStates, to: ReadonlySet<string>): readonly string[] => {
  const known = new Set(states.states?.map(({ name }) => name.value));
  const before = listOnward(states)
    .filter(({ value }) => to.has(value.to.value))
    .flatMap(({ value }) => value.from.filter((item) => item.value !== value.to.value && known.has(item.value)));
  return [...new Set(before.map(({ value }) => value))];
};

const readPrevious = (
  { name: entity, value: states }: Named<EntityStates>,
  fields: FieldsSyntax,
  report: ReportFinding,
): readonly PreviousState[] => {
  const byField = new Map<string, { readonly span: Span; readonly leaving: Set<string> }>();
  for (const { name, key, value } of listBack(states)) {
    const clause = { clause: `4.${entity}.${name}` };
    const field = value["recorded in"];
    if (field === undefined) {
      if (value.keys["recorded in"] === undefined)
        report(
          finding(
            "MISSING_KEY",
            value.to.span,
            `The transition ${name} needs “recorded in”.`,
            "Add “recorded in:” with a name for the field with the previous state, such as held_from.",
            clause,
          ),
        );
      continue;
    }
    const previous = byField.get(field.value) ?? { span: field.span, leaving: new Set<string>() };
    for (const { value: from } of value.from) previous.leaving.add(from);
    byField.set(field.value, previous);
    const declared = fields.find((other) => other.name === field.value)?.value;
    if (declared !== undefined && declared.type?.value !== "choice?")
      report(
        finding(
          "BAD_VALUE",
          field.span,
          `${field.value} can’t hold a previous state.`,
          `Write “${field.value}: { type: choice? }”, or remove the field from point 3.`,
          clause,
        ),
      );
    if (listBefore(states, new Set(value.from.map((from) => from.value))).length === 0)
      report(
        finding(
          "NOBODY_MAY",
          value.to.span ?? key,
          `No one can make the transition ${name}: no record has a previous state there.`,
          `Add a transition that leads to ${value.from.map((from) => from.value).join(" or ")}, or name a state after “to:”.`,
          clause,
        ),
      );
  }
  return [...byField].map(([field, { span, leaving }]) => {
    const targets = listBefore(states, leaving);
    const both = targets.find((target) => leaving.has(target));
    if (both !== undefined)
      report(
        finding(
          "BAD_VALUE",
          span,
          `A record can get from ${both} to another state that ${field} is for, and then the state before ${both} is no longer known.`,
          "Write a transition of its own for each state, with a “recorded in” of its own.",
          { clause: `4.${entity}` },
        ),
      );
    return { entity, field, span, leaving, targets };
  });
};

// --- Point 3

const withFields = (
  entity: Named<EntitySyntax>,
  own: readonly PreviousState[],
  states: EntityStates | undefined,
): Named<EntitySyntax> => {
  if (own.length === 0) return entity;
  const recorded = new Map(own.map((previous) => [previous.field, previous]));
  const build = ({ span, targets }: PreviousState) => ({
    values: buildList(
      span,
      targets.map((target) => {
        const was = states?.states?.find(({ name }) => name.value === target)?.more?.was;
        if (was === undefined) return buildScalar(target, span);
        const names = buildList(
          span,
          was.map((item) => buildScalar(item.value, item.span)),
        );
        return buildMapping(span, { [target]: buildMapping(span, { was: names }) });
      }),
    ),
    set: buildScalar("null", span),
  });
  const read = (name: string, tree: Parameters<typeof buildMapping>[1], span: Span) =>
    fieldsShape.read(buildMapping(span, { [name]: buildMapping(span, tree) }), () => undefined)?.[0];
  const fields = (entity.value.fields ?? []).map((field): FieldsSyntax[number] => {
    const previous = recorded.get(field.name);
    if (previous === undefined) return field;
    recorded.delete(field.name);
    const more = read(field.name, { type: buildScalar("choice?", previous.span), ...build(previous) }, previous.span);
    return more === undefined
      ? field
      : {
          ...field,
          value: {
            ...field.value,
            values: more.value.values,
            set: more.value.set,
            keys: { ...field.value.keys, values: previous.span, set: previous.span },
          },
        };
  });
  const more = [...recorded].flatMap(
    ([name, previousState]) =>
      read(name, { type: buildScalar("choice?", previousState.span), ...build(previousState) }, previousState.span) ??
      [],
  );
  return { ...entity, value: { ...entity.value, fields: [...fields, ...more] } };
};

// --- Point 4

const withRecording = (entity: Named<EntityStates>, own: readonly PreviousState[]): Named<EntityStates> => {
  if (own.length === 0) return entity;
  const { value } = entity;
  const field = value.field?.name.value ?? "state";
  return {
    ...entity,
    value: {
      ...value,
      transitions: (value.transitions ?? []).map((transition) =>
        namesSameState(value, transition.value)
          ? transition
          : returnsToPrevious(value, transition.value)
            ? withSet(
                transition,
                own.filter((previous) => previous.field === transition.value["recorded in"]?.value).map(toEmpty),
              )
            : withSet(transition, getRecorded(transition, field, own)),
      ),
    },
  };
};

interface SetValue {
  readonly name: string;
  readonly span: Span;
  readonly text: string;
}

const toEmpty = ({ field, span }: PreviousState): SetValue => ({ name: field, span, text: "null" });

/**
 * The values that a transition writes. It records the state that the record leaves if a transition back can lead there
 * later. A transition to a state without a way back empties the fields of the states that it leaves.
 */
const getRecorded = (
  { value: { from, to } }: Named<TransitionSyntax>,
  state: string,
  own: readonly PreviousState[],
): readonly SetValue[] => {
  const before = [...new Set(from.map(({ value }) => value))].filter((item) => item !== to.value);
  if (before.length === 0) return [];
  const entered = own.filter(({ leaving }) => leaving.has(to.value));
  if (entered.length > 0)
    return entered.map(({ field, span, targets }) => {
      const [only = "", ...others] = before.filter((item) => targets.includes(item));
      const isEntry = from.every(({ value }) => value !== to.value);
      if (others.length === 0 && isEntry) return { name: field, span, text: `'${only}'` };
      // The field comes first because it determines the type; its value is kept if the record does not leave its state.
      const text = [only, ...others].reduce((rest, item) => `${state} != '${item}' ? (${rest}) : '${item}'`, field);
      return { name: field, span, text };
    });
  const isLeft = own.some(({ leaving }) => before.some((item) => leaving.has(item)));
  return isLeft ? own.map(toEmpty) : [];
};

const withSet = (transition: Named<TransitionSyntax>, values: readonly SetValue[]): Named<TransitionSyntax> => {
  const { value } = transition;
  const named = new Set(value.set?.map(({ name }) => name));
  const set = values
    .filter(({ name }) => !named.has(name))
    .map(({ name, span, text }): Named<Scalar> => ({ name, key: span, value: buildScalar(text, span) }));
  if (set.length === 0) return transition;
  return { ...transition, value: { ...value, set: [...(value.set ?? []), ...set] } };
};
