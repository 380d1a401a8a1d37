import type { Named, Spanned } from "../../document/shape.ts";
import type { Scope } from "../../expression/values/type.ts";
import { finding } from "../../findings.ts";
import type { Effect } from "../../model/effect.ts";
import type { Entity, Needs, State, States, Transition } from "../../model/entity.ts";
import { toValueTitle } from "../../model/inflection.ts";
import { type LinkedEntity, resolveField } from "../entities/entities.ts";
import { clauseAt, type Linking, reportUnknownName } from "../linking/link-context.ts";
import { linkOnce } from "../linking/link-once.ts";
import { scopeOn } from "../linking/scope-on.ts";
import { toCompletionName } from "./completion.ts";
import { checkEffectCycles } from "./effect-cycles.ts";
import { type EffectNames, linkEffects } from "./effects.ts";
import { linkTransition } from "./link-transition.ts";
import { linkReminders } from "./reminders.ts";
import { type EntityStates, listEntityStates, type StatesSyntax, type TransitionSyntax } from "./states-syntax.ts";
import { namesSameState, returnsToPrevious } from "./target-words.ts";

export interface LinkedStates {
  readonly states: ReadonlyMap<string, States>;
  /** Effects by entity, with those of reminders. */
  readonly after: ReadonlyMap<string, Entity["after"]>;
  readonly reminders: ReadonlyMap<string, Entity["reminders"]>;
}

export const linkStates = (
  syntax: StatesSyntax | undefined,
  names: EffectNames,
  scope: Scope,
  linking: Linking,
): LinkedStates => {
  const all = new Map<string, States>();
  const after = new Map<string, ReadonlyMap<string, readonly Effect[]>>();
  const reminders = new Map<string, Entity["reminders"]>();
  for (const { name: entity, key, value } of listEntityStates(syntax)) {
    const linked = names.entities.get(entity);
    if (linked === undefined) continue;
    const states = linkOnce(linking, value, [key, linked], (linking) =>
      linkEntityStates({ key, value }, linked, scopeOn(scope, entity), linking),
    );
    if (states !== undefined) all.set(entity, states);
    const linkedReminders = linkReminders(linked, value.remind ?? [], names, scope, linking);
    reminders.set(entity, linkedReminders.reminders);
    after.set(
      entity,
      new Map([...linkEffects(entity, value.after ?? [], names, scope, linking), ...linkedReminders.effects]),
    );
  }
  checkEffectCycles(after, linking);
  for (const { name: entity, value } of listEntityStates(syntax))
    for (const transition of value.transitions ?? []) checkTriggered(entity, transition, linking);
  return { states: all, after, reminders };
};

/** Reports a transition `by: none` without a timeout, a condition or an effect that makes it. */
const checkTriggered = (entity: string, { name, key, value }: Named<TransitionSyntax>, linking: Linking): void => {
  if (value.by !== "none" || value.timeout !== undefined || value.once !== undefined) return;
  if (linking.transitionsByEffects.has(`${entity}.${name}`)) return;
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

/** Names of the conventional actions. A transition of such a name would be ambiguous in `during:` and in addresses. */
const conventional = new Set(["list", "read", "create", "update", "delete", "history"]);

const linkEntityStates = (
  { key, value }: Omit<Named<EntityStates>, "name">,
  linked: LinkedEntity,
  scope: Scope,
  linking: Linking,
): States | undefined => {
  const entity = linked.name;
  if (value.states === undefined) {
    if (!["after", "remind", "states"].some((name) => name in value.keys))
      linking.report(
        finding("MISSING_KEY", key, `The states of ${entity} need “states”.`, "Add “states: [draft, done]”."),
      );
    return undefined;
  }
  const states = value.states.map(
    (state): State => ({
      name: state.name.value,
      title: state.more?.title?.text ?? toValueTitle(state.name.value),
      tone: state.more?.tone?.value ?? null,
      ...linkDeadline(state.more?.deadline, linked, linking),
      clause: clauseAt(`4.${entity}.${state.name.value}`, state.name.span),
    }),
  );
  const names = states.map((state) => state.name);
  const known = (state: Spanned<string>): boolean => {
    if (names.includes(state.value)) return true;
    reportUnknownName(linking, state.span, `state of ${entity}`, state.value, names);
    return false;
  };
  for (const [i, inner] of value.states.entries()) {
    if (names.indexOf(inner.name.value) !== i)
      linking.report(
        finding("NAME_TWICE", inner.name.span, `${entity} has the state ${inner.name.value} twice.`, "Remove one."),
      );
  }
  if (value.initial !== undefined) known(value.initial);
  const transitions = new Map<string, Transition>();
  for (const transition of value.transitions ?? []) {
    if (conventional.has(transition.name))
      linking.report(
        finding(
          "RESERVED_NAME",
          transition.key,
          `Every entity has an action “${transition.name}”, so a transition can’t have this name.`,
          "Choose another name.",
          { clause: `4.${entity}.${transition.name}` },
        ),
      );
    const from = transition.value.from.filter(known).map((state) => state.value);
    if (transitions.has(transition.name))
      linking.report(
        finding(
          "NAME_TWICE",
          transition.key,
          `${entity} has the transition ${transition.name} twice.`,
          "Choose another name.",
          {
            clause: `4.${entity}.${transition.name}`,
          },
        ),
      );
    const stays = namesSameState(value, transition.value);
    const to = stays
      ? from
      : returnsToPrevious(value, transition.value)
        ? findPrevious(transition.value, linked)
        : known(transition.value.to)
          ? [transition.value.to.value]
          : undefined;
    const previous = stays ? { previous: value.field?.name.value ?? "state" } : {};
    if (to !== undefined) {
      const target = { from, to, ...previous };
      const linkedTransition = linkOnce(linking, transition, [target, linked], (linking) =>
        linkTransition(transition, target, { entity, linked, scope, linking }),
      );
      transitions.set(transition.name, linkedTransition);
    }
  }
  for (const entry of value.transitions ?? []) {
    const transition = transitions.get(entry.name);
    const needs = findNeeds(entry, transitions);
    if (transition !== undefined && needs !== undefined) transitions.set(entry.name, { ...transition, needs });
  }
  return {
    clause: clauseAt(`4.${entity}`, key),
    field: value.field?.name.value ?? "state",
    initial: value.initial?.value ?? names[0] ?? "",
    final: new Set((value.final ?? []).filter(known).map((item) => item.value)),
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
  written: Spanned<string> | undefined,
  linked: LinkedEntity,
  linking: Linking,
): Pick<State, "deadline"> => {
  if (written === undefined) return {};
  const field = resolveField(linked, written, linking);
  if (field === undefined) return {};
  if (!field.many && (field.type === "date" || field.type === "datetime")) return { deadline: field.name };
  linking.report(
    finding(
      "BAD_VALUE",
      written.span,
      `${written.value} is no deadline: it is neither a date nor a datetime.`,
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
