import type { Expr } from "../../expression/expr.ts";
import { andList, type Message, type MessageValue, quoted, say } from "../../i18n/message.ts";
import type { Entity, State, States, Transition } from "../../model/entity.ts";
import { staysInState } from "../../model/facts/transition-targets.ts";
import {
  type ComparedLine,
  createLine,
  findChangedKeys,
  findOtherMembers,
  pairUp,
  withDifference,
} from "../compared-line.ts";
import type { Comparison } from "../comparison.ts";
import { compareConditions } from "../conditions.ts";
import { hasSameMeaning } from "../meaning.ts";
import { findMerged } from "./fields/accepted-values.ts";
import { compareTransitionRoles } from "./permissions.ts";
import { compareGuards, comparePreconditions } from "./preconditions.ts";
import { isReordered } from "./screen-order.ts";

/** Lines about the states and transitions of an entity (point 4). */
export const compareStates = (comparison: Comparison, before: Entity, after: Entity): readonly ComparedLine[] => {
  const { words } = comparison;
  const many = words.many(after);
  const [one, other] = [before.states, after.states];
  if (one === null && other === null) return [];
  const line = (effect: ComparedLine["effect"], message: Message, more: Partial<ComparedLine> = {}): ComparedLine =>
    createLine(
      { point: 4, subject: after.name, effect, message, ...more },
      { before: one ?? undefined, after: other ?? undefined },
    );
  if (one === null) return [line("adds", say("state.first", { many }))];
  if (other === null) return [line("removes", say("state.none", { many }), { loses: "data" })];
  const named = { before: byName(one), after: byName(other) };
  const states = pairUp(named.before, named.after);
  const transitions = pairUp(one.transitions, other.transitions);
  const initial = one.initial === other.initial ? [] : [words.state(after, other.initial)];
  const ends = [...other.final].filter(
    (state) => !one.final.has(state) && states.both.some(({ name }) => name === state),
  );
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
          message: say(other.final.has(state.name) ? "state.added.final" : "state.added", {
            state: words.state(after, state.name),
            many,
          }),
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
          // A record in it needs `was`, so that nothing is retired.
          loses: "access",
          message: say("state.removed", { state: words.state(before, state.name), many }),
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
            message: describeState(member, pair, { state: words.state(after, pair.name), many }, (field) =>
              words.field(after, field),
            ),
          },
          pair,
        ),
      ),
    ),
    ...mergedStates(comparison, one, after),
    ...initial.map((state) => line("changes", say("state.initial", { many, state }))),
    ...(isReordered([...named.before.keys()], [...named.after.keys()])
      ? [line("changes", say("state.order", { many }))]
      : []),
    ...ends.map((state) => line("changes", say("state.final", { many, state: words.state(after, state) }))),
    ...goesOn.map((state) => line("changes", say("state.not.final", { many, state: words.state(after, state) }))),
    ...transitions.added.map((transition) => addedTransition(comparison, after, transition)),
    ...transitions.removed.map((transition) =>
      createLine(
        {
          point: 4,
          subject: `${after.name}.${transition.name}`,
          effect: "removes",
          loses: "access",
          message: removedWords(comparison, before, transition),
        },
        { before: transition, after: undefined },
      ),
    ),
    ...transitions.both.flatMap((pair) => compareTransition(comparison, before, after, pair.before, pair.after)),
  ];
};

/**
 * States by name. Of several states merged into one, the one that already had the name is used, otherwise the first.
 */
const byName = ({ states }: States): ReadonlyMap<string, States["states"][number]> => {
  const named = new Map<string, States["states"][number]>();
  for (const state of states)
    if (!named.has(state.name) || state.clause.id.endsWith(`.${state.name}`)) named.set(state.name, state);
  return named;
};

/** The difference of a member of a state. */
const describeState = (
  member: string,
  { before, after }: { readonly before: State; readonly after: State },
  names: { readonly state: MessageValue; readonly many: MessageValue },
  fieldWords: (field: string) => MessageValue,
): Message => {
  if (member === "title")
    return say("transition.was.called", {
      transition: names.state,
      many: names.many,
      before: quoted(before.title),
    });
  if (member === "tone") return say("state.tone", { ...names, now: after.tone ?? "", before: before.tone ?? "" });
  if (member !== "deadline") return say("state.other", { ...names, member });
  if (after.deadline === undefined) return say("state.no.deadline", names);
  const now = fieldWords(after.deadline);
  return before.deadline === undefined
    ? say("state.deadline", { ...names, now })
    : say("state.deadline.other", { ...names, now, before: fieldWords(before.deadline) });
};

/** Lines about states that are merged into another one (`was`). */
const mergedStates = ({ former, words }: Comparison, before: States, after: Entity): readonly ComparedLine[] => {
  const [, name = ""] = before.clause.id.split(".");
  const entity = former.entities.get(name);
  const own = entity?.states?.states.map((state) => state.name) ?? [];
  if (entity === undefined) return [];
  return findMerged(
    own,
    before.states.map((state) => state.name),
  ).flatMap(({ now, names }) =>
    names.map((state) =>
      createLine(
        {
          point: 4,
          subject: `${after.name}.${now}`,
          effect: "removes",
          loses: "data",
          message: say("state.merged", {
            state: words.state(entity, state),
            many: words.many(after),
            now: words.state(after, now),
          }),
        },
        {
          before: entity.states?.states.find((candidate) => candidate.name === state),
          after: after.states?.states.find((state) => state.name === now),
        },
      ),
    ),
  );
};

/** The roles that can make a transition; null if nobody can, because it happens automatically. */
const transitionHolders = ({ words }: Comparison, entity: Entity, { by }: Transition): MessageValue | null => {
  if (by === null) return { inside: say("holders.administrators", {}) };
  const holders = by.map((role) => ({ inside: words.holders(role, entity, entity.roles.has(role)) }));
  return by.length === 0 ? null : andList(holders);
};

const removedWords = (comparison: Comparison, entity: Entity, transition: Transition): Message => {
  const { words } = comparison;
  const by = transitionHolders(comparison, entity, transition);
  const name = { transition: words.transition(entity, transition.name), many: words.many(entity) };
  return by === null ? say("transition.removed", name) : say("transition.removed.for", { ...name, by });
};

const addedTransition = (comparison: Comparison, entity: Entity, transition: Transition): ComparedLine => {
  const { words } = comparison;
  const by = transitionHolders(comparison, entity, transition);
  const name = { transition: words.transition(entity, transition.name), many: words.many(entity) };
  return createLine(
    {
      point: 4,
      subject: `${entity.name}.${transition.name}`,
      effect: "adds",
      message: by === null ? say("transition.added.automatic", name) : say("transition.added", { ...name, by }),
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
  const name = { transition: words.transition(after, other.name), many: words.many(after) };
  const line = (effect: ComparedLine["effect"], message: Message, more: Partial<ComparedLine> = {}): ComparedLine =>
    createLine(
      { point: 4, subject: `${after.name}.${other.name}`, effect, message, ...more },
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
  const listStates = (states: readonly string[]): MessageValue =>
    andList(states.map((state) => words.state(after, state)));
  const guard = compareGuards(comparison, one, other);
  const getRequirement = (field: string, { asks, asksIfAny }: Transition): "required" | "optional" | "not" =>
    asks.includes(field) ? (asksIfAny.has(field) ? "optional" : "required") : "not";
  const asks = [...new Set([...one.asks, ...other.asks])].flatMap((field) => {
    const [was, is] = [getRequirement(field, one), getRequirement(field, other)];
    if (was === is) return [];
    const what = words.field(is === "not" ? before : after, field);
    if (is === "not") return [line("changes", say("transition.asks.not", { ...name, field: what }))];
    return [
      line(
        is === "required" ? "forbids" : "allows",
        is === "required"
          ? say("transition.requires", { ...name, field: what })
          : say("transition.asks", { ...name, field: what }),
      ),
    ];
  });
  // A completion waits for the people of its transition.
  const isCompletion = [before, after].every(({ states }) =>
    [...(states?.transitions.values() ?? [])].some(({ needs }) => needs?.completion === other.name),
  );
  const lineIfChanged = (member: "timeout", message: Message): readonly ComparedLine[] =>
    hasSameMeaning(one[member], other[member]) ? [] : [line("changes", message)];
  const others = findOtherMembers(one, other, [
    ...([
      "name",
      "title",
      "from",
      "to",
      "by",
      "conditions",
      "asks",
      "asksIfAny",
      "guardAndPreconditions",
      "set",
    ] as const),
    "guard",
    "preconditions",
    ...(["timeout", "once", "main", "shows", "previous", "needs"] as const),
  ]);
  const stays = ({ states }: Entity, made: Transition) => states !== null && staysInState(states, made);
  const compareTargets = (): readonly ComparedLine[] => {
    if (stays(after, other)) return stays(before, one) ? [] : [line("changes", say("transition.stays", name))];
    return !stays(before, one) && hasSameMeaning([...one.to].sort(), [...other.to].sort())
      ? []
      : [line("changes", say("transition.to", { ...name, state: listStates(other.to) }))];
  };
  const recordedIn = (entity: Entity, made: Transition) => (stays(entity, made) ? undefined : made.previous);
  const isRecordedElsewhere =
    recordedIn(before, one) !== recordedIn(after, other) || one.needs?.field !== other.needs?.field;
  const members = [...others, ...(isRecordedElsewhere ? ["recorded in"] : [])];
  return [
    ...(more.length === 0
      ? []
      : [line("allows", say("transition.from", { ...name, states: listStates(more) }), { witness: stateIs(more[0]) })]),
    ...(fewer.length === 0
      ? []
      : [
          line("forbids", say("transition.not.from", { ...name, states: listStates(fewer) }), {
            witness: stateIs(fewer[0]),
            loses: "access",
          }),
        ]),
    ...compareTargets(),
    ...compareTransitionRoles(comparison, before, after, one, other),
    ...(guard.wider === undefined
      ? []
      : [withDifference(line("allows", withGuard(comparison, other, "transition.more", name)), guard.wider)]),
    ...(guard.narrower === undefined
      ? []
      : [
          withDifference(
            line("forbids", withGuard(comparison, other, "transition.fewer", name), { loses: "access" }),
            guard.narrower,
          ),
        ]),
    ...comparePreconditions(comparison, after, one, other),
    ...asks,
    ...compareSets(comparison, after, one, other).map((message) => line("changes", message)),
    ...lineIfChanged("timeout", describeTime(comparison, one.timeout, other.timeout, name)),
    ...(isCompletion ? [] : compareOnce(comparison, one.once, other.once, name, line)),
    ...compareNeeds(one, other, name, line),
    ...(one.main === other.main
      ? []
      : [line("changes", other.main === true ? say("transition.main", name) : say("transition.not.main", name))]),
    ...compareShows(comparison, after, one, other).map((message) => line("changes", message)),
    ...(one.title === other.title
      ? []
      : [line("changes", say("transition.was.called", { ...name, before: quoted(one.title) }))]),
    ...(members.length === 0
      ? []
      : [
          line("changes", say("transition.other", { ...name, members: members.join(", ") }), { certainty: "possible" }),
        ]),
  ];
};

/** The values that the dialog of a transition shows now. */
const compareShows = (
  { words, after: model }: Comparison,
  after: Entity,
  one: Transition,
  other: Transition,
): readonly Message[] => {
  if (hasSameMeaning(one.shows, other.shows)) return [];
  const name = { transition: words.transition(after, other.name), many: words.many(after) };
  if (other.shows === undefined) return [say("transition.shows.itself", name)];
  if (other.shows.length === 0) return [say("transition.shows.nothing", name)];
  const fields = other.shows.map(({ field, of }) => {
    const entity = of === undefined ? after : model.entities.get(of.entity);
    return entity === undefined ? quoted(field) : words.field(entity, field);
  });
  return [say("transition.shows", { ...name, fields: andList(fields) })];
};

/** The values that a transition newly sets, no longer sets, or sets differently. */
const compareSets = ({ words }: Comparison, after: Entity, one: Transition, other: Transition): readonly Message[] => {
  const name = { transition: words.transition(after, other.name), many: words.many(after) };
  const changed = findChangedKeys(one.set, other.set);
  const gained = changed.filter((field) => !one.set.has(field));
  const lost = changed.filter((field) => !other.set.has(field));
  const others = changed.filter((field) => one.set.has(field) && other.set.has(field));
  const about = (id: "transition.sets" | "transition.sets.also" | "transition.sets.not", fields: readonly string[]) =>
    fields.length === 0 ? [] : [say(id, { ...name, fields: words.fields(after, fields) })];
  return [
    ...about("transition.sets.also", gained),
    ...about("transition.sets.not", lost),
    ...about("transition.sets", others),
  ];
};

/** The line about a changed number of people. Without `needs`, one person makes a transition. */
const compareNeeds = (
  before: Transition,
  after: Transition,
  name: { readonly transition: MessageValue; readonly many: MessageValue },
  line: (effect: ComparedLine["effect"], message: Message) => ComparedLine,
): readonly ComparedLine[] => {
  const [one, other] = [before.needs?.count, after.needs?.count];
  if (one === undefined ? other === undefined : other !== undefined && hasSameMeaning(one, other)) return [];
  const [was, now] = [one, other].map((count) =>
    count === undefined ? 1 : count.kind === "constant" ? Number(count.value) : null,
  );
  if (was == null || now == null) return [line("changes", say("transition.needs.otherwise", name))];
  const effect = now > was ? "forbids" : now < was ? "allows" : "changes";
  return [line(effect, say("transition.needs", { ...name, now, before: was }))];
};

/** The message, with the condition of the transition if it has a short phrase. */
const withGuard = (
  { words }: Comparison,
  { guard }: Transition,
  id: "transition.more" | "transition.fewer",
  name: { readonly transition: MessageValue; readonly many: MessageValue },
): Message => {
  const condition = guard === null ? undefined : words.condition(guard);
  return condition === undefined ? say(id, name) : say(`${id}.if`, { ...name, condition });
};

interface TransitionName {
  readonly transition: MessageValue;
  readonly many: MessageValue;
}

/** The message about another timeout, with both durations if they have short names. */
const describeTime = (
  { words }: Comparison,
  before: Expr | null,
  after: Expr | null,
  name: TransitionName,
): Message => {
  if (after === null) return say("transition.not.automatic", name);
  if (before === null) return say("transition.automatic", name);
  const [was, now] = [words.noun(before), words.noun(after)];
  return was === undefined || now === undefined
    ? say("transition.another.time", name)
    : say("transition.time", { ...name, now, before: was });
};

/** Lines about the records for which a transition is made automatically. */
const compareOnce = (
  comparison: Comparison,
  before: Expr | null,
  after: Expr | null,
  name: TransitionName,
  line: (effect: ComparedLine["effect"], message: Message) => ComparedLine,
): readonly ComparedLine[] => {
  if (hasSameMeaning(before, after)) return [];
  if (after === null) return [line("changes", say("transition.not.automatic", name))];
  if (before === null) return [line("changes", say("transition.automatic", name))];
  const { wider, narrower } = compareConditions(comparison, before, after);
  return [
    ...(wider === undefined ? [] : [withDifference(line("changes", say("transition.once.more", name)), wider)]),
    ...(narrower === undefined ? [] : [withDifference(line("changes", say("transition.once.fewer", name)), narrower)]),
  ];
};
