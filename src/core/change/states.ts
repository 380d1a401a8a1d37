import type { Entity, States, Transition } from "../model/model.ts";
import { type ComparedLine, createLine, findOtherMembers, pairUp, withDifference } from "./compared-line.ts";
import type { Comparison } from "./comparison.ts";
import { compareConditions } from "./conditions.ts";
import { hasSameMeaning } from "./meaning.ts";
import { compareTransitionRoles } from "./permissions.ts";
import { andList } from "./words.ts";

/** Lines about the states and transitions of an entity (point 4). */
export const compareStates = (comparison: Comparison, before: Entity, after: Entity): readonly ComparedLine[] => {
  const { words } = comparison;
  const many = words.many(after);
  const [one, other] = [before.states, after.states];
  if (one === null && other === null) return [];
  const line = (effect: ComparedLine["effect"], text: string, more: Partial<ComparedLine> = {}): ComparedLine =>
    createLine(
      { point: 4, subject: after.name, effect, text, ...more },
      { before: one ?? undefined, after: other ?? undefined },
    );
  if (one === null) return [line("adds", `There are now states of ${many}.`)];
  if (other === null) return [line("removes", `${many} no longer have states or transitions.`, { loses: "data" })];
  const named = (states: States) => new Map(states.states.map((state) => [state.name, state]));
  const states = pairUp(named(one), named(other));
  const transitions = pairUp(one.transitions, other.transitions);
  const initial = one.initial === other.initial ? [] : [`begin as ${words.state(after, other.initial)}`];
  const ends = [...other.final].filter((state) => !one.final.has(state));
  const goesOn = [...one.final].filter(
    (state) => !other.final.has(state) && states.both.some(({ name }) => name === state),
  );
  return [
    ...states.added.map((state) =>
      createLine(
        {
          point: 4,
          subject: `${after.name}.${state.name}`,
          effect: "adds",
          text: `There is a new state ${words.state(after, state.name)} of ${many}.`,
        },
        { before: undefined, after: state },
      ),
    ),
    ...states.removed.map((state) =>
      createLine(
        {
          point: 4,
          subject: `${after.name}.${state.name}`,
          effect: "removes",
          loses: "data",
          text: `The state ${words.state(before, state.name)} of ${many} is removed.`,
        },
        { before: state, after: undefined },
      ),
    ),
    ...states.both.flatMap((pair) =>
      findOtherMembers(pair.before, pair.after, ["name"]).map((member) =>
        createLine(
          {
            point: 4,
            subject: `${after.name}.${pair.name}`,
            effect: "changes",
            text: `The state ${words.state(after, pair.name)} of ${many} has another ${member}.`,
          },
          pair,
        ),
      ),
    ),
    ...initial.map((begins) => line("changes", `New ${many} ${begins}.`)),
    ...ends.map((state) => line("changes", `${words.state(after, state)} is now a final state of ${many}.`)),
    ...goesOn.map((state) => line("changes", `${words.state(after, state)} is no longer a final state of ${many}.`)),
    ...transitions.added.map((transition) => addedTransition(comparison, after, transition)),
    ...transitions.removed.map((transition) =>
      createLine(
        {
          point: 4,
          subject: `${after.name}.${transition.name}`,
          effect: "removes",
          loses: "access",
          text: `The transition ${words.transition(before, transition.name)} of ${many} is removed.`,
        },
        { before: transition, after: undefined },
      ),
    ),
    ...transitions.both.flatMap((pair) => compareTransition(comparison, before, after, pair.before, pair.after)),
  ];
};

const addedTransition = ({ words }: Comparison, entity: Entity, transition: Transition): ComparedLine => {
  const by =
    transition.by === null
      ? "administrators"
      : transition.by.length === 0
        ? null
        : andList(transition.by.map((role) => words.holders(role, entity, entity.roles.has(role))));
  return createLine(
    {
      point: 4,
      subject: `${entity.name}.${transition.name}`,
      effect: "adds",
      text: `There is a new transition ${words.transition(entity, transition.name)} of ${words.many(entity)}, ${by === null ? "which happens automatically" : `for ${by}`}.`,
    },
    { before: undefined, after: transition },
  );
};

const compareTransition = (
  comparison: Comparison,
  before: Entity,
  after: Entity,
  one: Transition,
  other: Transition,
): readonly ComparedLine[] => {
  const { words } = comparison;
  const name = `${words.transition(after, other.name)} of ${words.many(after)}`;
  const line = (effect: ComparedLine["effect"], text: string, more: Partial<ComparedLine> = {}): ComparedLine =>
    createLine(
      { point: 4, subject: `${after.name}.${other.name}`, effect, text, ...more },
      { before: one, after: other },
    );
  const exists = (states: States | null, state: string): boolean =>
    states?.states.some((known) => known.name === state) === true;
  const more = other.from.filter((state) => !one.from.includes(state));
  const fewer = one.from.filter((state) => !other.from.includes(state) && exists(after.states, state));
  const stateIs = (state: string | undefined) => ({
    role: null,
    record: { [after.states?.field ?? "state"]: state ?? "" },
  });
  const said = (states: readonly string[]): string => andList(states.map((state) => words.state(after, state)));
  const guard = hasSameMeaning(one.when, other.when)
    ? { wider: undefined, narrower: undefined }
    : compareConditions(comparison, one.when, other.when);
  const asked = (field: string, { asks, asksIfAny }: Transition): "required" | "optional" | "not" =>
    asks.includes(field) ? (asksIfAny.has(field) ? "optional" : "required") : "not";
  const asks = [...new Set([...one.asks, ...other.asks])].flatMap((field) => {
    const [was, is] = [asked(field, one), asked(field, other)];
    if (was === is) return [];
    const what = words.field(is === "not" ? before : after, field);
    if (is === "not") return [line("changes", `${name} no longer asks for ${what}.`)];
    return [
      line(
        is === "required" ? "forbids" : "allows",
        is === "required" ? `${name} now requires ${what}.` : `${name} now asks for ${what}, which can be left empty.`,
      ),
    ];
  });
  const changed = (member: "set" | "timeout" | "once", text: string): readonly ComparedLine[] =>
    hasSameMeaning(one[member], other[member]) ? [] : [line("changes", text)];
  const others = findOtherMembers(one, other, [
    ...(["name", "title", "from", "to", "by", "conditions", "asks", "asksIfAny", "when", "set"] as const),
    ...(["timeout", "once"] as const),
  ]);
  return [
    ...(more.length === 0
      ? []
      : [line("allows", `${name} is now possible from ${said(more)}.`, { witness: stateIs(more[0]) })]),
    ...(fewer.length === 0
      ? []
      : [
          line("forbids", `${name} is no longer possible from ${said(fewer)}.`, {
            witness: stateIs(fewer[0]),
            loses: "access",
          }),
        ]),
    ...(one.to === other.to ? [] : [line("changes", `${name} now leads to ${words.state(after, other.to)}.`)]),
    ...compareTransitionRoles(comparison, before, after, one, other),
    ...(guard.wider === undefined
      ? []
      : [
          withDifference(
            line("allows", `${name} is now possible in more cases${only(comparison, other)}.`),
            guard.wider,
          ),
        ]),
    ...(guard.narrower === undefined
      ? []
      : [
          withDifference(
            line("forbids", `${name} is now possible in fewer cases${only(comparison, other)}.`, { loses: "access" }),
            guard.narrower,
          ),
        ]),
    ...asks,
    ...changed("set", `${name} now sets other values.`),
    ...changed(
      "timeout",
      `${name} ${automatically(one.timeout !== null, other.timeout !== null, "after another time")}.`,
    ),
    ...changed("once", `${name} ${automatically(one.once !== null, other.once !== null, "on another condition")}.`),
    ...(one.title === other.title ? [] : [line("changes", `${name} was called “${one.title}”.`)]),
    ...(others.length === 0
      ? []
      : [line("changes", `${name} reads differently: ${others.join(", ")}.`, { certainty: "possible" })]),
  ];
};

/** ": only if the amount is more than 0" */
const only = ({ words }: Comparison, { when }: Transition): string => {
  const phrase = when === null ? undefined : words.condition(when, "that person");
  return phrase === undefined ? "" : `: only if ${phrase}`;
};

const automatically = (was: boolean, is: boolean, differently: string): string => {
  if (was && is) return `now happens automatically ${differently}`;
  return is ? "now also happens automatically" : "no longer happens automatically";
};
