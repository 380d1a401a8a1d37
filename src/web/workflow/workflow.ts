import type { PersonJson } from "../../core/wire/application.ts";
import type { EntityJson, StateJson, StatesJson, TransitionJson } from "../../core/wire/entities.ts";
import type { HistoryLine } from "../../core/wire/history.ts";
import type { Json } from "../../core/wire/json.ts";
import type { RecordJson, ReferenceJson, WhyNot } from "../../core/wire/records.ts";
import { isReference } from "../format/input-value.ts";

/** A state that the record has been in, since when and by whom as far as its history tells. */
export interface Step {
  readonly state: StateJson;
  readonly at: string | null;
  /** Null where it happened by itself, undefined where the reader may not know. */
  readonly person: ReferenceJson | null | undefined;
}

/** A state that can follow, with the transitions that lead there. */
export interface Following {
  readonly state: StateJson;
  readonly ways: readonly FollowingWay[];
}

/** A transition that can be made, and by whom. */
export interface FollowingWay {
  readonly transition: TransitionJson;
  /** Whoever looks may make it: nobody else is named then. */
  readonly you: boolean;
  /** People of whom the record says that they may. */
  readonly people: readonly string[];
  /** The roles of which it does not say who holds them. */
  readonly roles: TransitionJson["by"];
  /** When it happens by itself, a moment or a day, as far as that is known and yet to come. */
  readonly at: string | null;
}

export const stateOf = (entity: EntityJson, record: RecordJson): StateJson | null => {
  const states = entity.states;
  return states?.states.find((state) => state.name === record[states.field]) ?? null;
};

/** The state that a record begins in: the one whose mark is a dashed ring. */
export const initialStateOf = (entity: EntityJson): StateJson | null =>
  entity.states?.states.find(({ mark }) => mark.shape.kind === "dashed") ?? entity.states?.states[0] ?? null;

export const stateNamed = (entity: EntityJson, name: Json | undefined): StateJson | null =>
  entity.states?.states.find((state) => state.name === name) ?? null;

/** The states a record went through, oldest first. Without a history only the present one is known. */
export const pathOf = (entity: EntityJson, record: RecordJson, history: readonly HistoryLine[]): readonly Step[] => {
  const now = stateOf(entity, record);
  if (!now) return [];
  const steps = history.toReversed().flatMap((line): Step[] => {
    const change = line.changes.find(({ field }) => field === entity.states?.field);
    const state = stateNamed(entity, change?.after);
    return state ? [{ state, at: line.at ?? null, person: line.person }] : [];
  });
  return steps.at(-1)?.state.name === now.name ? steps : [...steps, { state: now, at: null, person: null }];
};

/** The ways that lead on from a state, by where they lead, in document order. */
const waysFrom = (
  entity: EntityJson,
  state: string,
  wayOf: (transition: TransitionJson) => FollowingWay | null,
): readonly Following[] => {
  const leaving = entity.states?.transitions.filter(({ from }) => from.includes(state)) ?? [];
  return [...new Set(leaving.map(({ to }) => to))].flatMap((to) => {
    const target = stateNamed(entity, to);
    const ways = leaving.filter((one) => one.to === to).flatMap((one) => wayOf(one) ?? []);
    return target && ways.length > 0 ? [{ state: target, ways }] : [];
  });
};

/** What can follow on a record, on a day where the application is. What nobody can do with it as it is, is left out. */
export const followingOf = (
  entity: EntityJson,
  record: RecordJson,
  today: string,
  now = new Date(),
): readonly Following[] => {
  const state = stateOf(entity, record);
  if (state === null) return [];
  return waysFrom(entity, state.name, (transition) => {
    const { name, guarded, by } = transition;
    if (guarded && record.may?.refused[name]?.code === "GUARD") return null;
    const you = record.may?.transitions.includes(name) === true;
    const held = you ? [] : by.map((held) => ({ held, people: holdersIn(entity, record, held.role) }));
    const at = record._ahead?.[name] ?? null;
    return {
      transition,
      you,
      people: [...new Set(held.flatMap(({ people }) => people))],
      roles: held.filter(({ people }) => people.length === 0).map(({ held }) => held),
      at: at !== null && isAhead(at, today, now) ? at : null,
    };
  });
};

/** A day is ahead until it is over. */
const isAhead = (at: string, today: string, now: Date): boolean =>
  at.length > 10 ? at > now.toISOString() : at >= today;

/** Who stands in the field whose person holds the role. */
const holdersIn = (entity: EntityJson, record: RecordJson, role: string): readonly string[] => {
  const field = entity.holders?.[role];
  const value = field === undefined ? undefined : record[field];
  return [value].flat().flatMap((one) => (isReference(one) ? [one.label] : []));
};

/** What can follow once a record is made, by whoever makes it: they hold the roles of the fields that they will stand in. */
export const followingOnceMade = (entity: EntityJson, person: PersonJson | null): readonly Following[] => {
  const first = initialStateOf(entity);
  if (first === null) return [];
  const own = new Set([...(person?.roles ?? []), ...(person?.everybody ?? [])]);
  const isTheirs = (role: string): boolean => own.has(role) || isMaker(entity, entity.holders?.[role]);
  return waysFrom(entity, first.name, (transition) => {
    const you = transition.by.some(({ role }) => isTheirs(role));
    return { transition, you, people: [], roles: you ? [] : transition.by, at: null };
  });
};

/** What the clock does to a record next, and when. */
export const aheadOf = (
  entity: EntityJson,
  record: RecordJson,
  today: string,
  now = new Date(),
): { readonly transition: TransitionJson; readonly state: StateJson; readonly at: string } | null => {
  const coming = followingOf(entity, record, today, now).flatMap(({ state, ways }) =>
    ways.flatMap(({ transition, at }) => (at === null ? [] : [{ transition, state, at }])),
  );
  return coming.sort((one, other) => (one.at < other.at ? -1 : 1))[0] ?? null;
};

/** A transition's control. A refused one keeps its place and says why. */
export type Action =
  | { readonly kind: "permitted"; readonly transition: TransitionJson; readonly primary: boolean }
  | { readonly kind: "refused"; readonly transition: TransitionJson; readonly why: WhyNot };

/**
 * What is offered first of all: the first transition that may be made and leads on, to a state that stands further down in the
 * document and is not a bad one. Nothing undoes the step into a state that none leaves: it is offered so where nothing else
 * can be done, and the state is the first of its kind, as the end that the document has in mind.
 */
const primaryOf = (
  { states, transitions }: StatesJson,
  now: StateJson | null,
  made: readonly TransitionJson[],
): TransitionJson | undefined => {
  const own = { states, transitions };
  const [end] = states.filter(({ name }) => isFinal(own, name));
  const onlyEnds = made.every(({ to }) => isFinal(own, to));
  return made.find(({ to }) => leadsOn(own, now, to) && (!isFinal(own, to) || (onlyEnds && to === end?.name)));
};

const isFinal = ({ transitions }: Pick<StatesJson, "transitions">, state: string): boolean =>
  !transitions.some(({ from }) => from.includes(state));

/** To a state that stands further down in the document and is not a bad one. */
const leadsOn = ({ states }: Pick<StatesJson, "states">, now: StateJson | null, to: string): boolean => {
  const placeOf = (name: string | undefined) => states.findIndex((state) => state.name === name);
  return placeOf(to) > placeOf(now?.name) && states[placeOf(to)]?.mark.hue !== "red";
};

/** What whoever makes a record does next, where saving is not yet all: what leads on, where it waits for them alone. */
export const onwardOnceMade = (entity: EntityJson): readonly TransitionJson[] => {
  const { states } = entity;
  const first = initialStateOf(entity);
  if (states === null || first === null) return [];
  const onward = states.transitions.filter(
    ({ from, to }) => from.includes(first.name) && !isFinal(states, to) && leadsOn(states, first, to),
  );
  const isMakers = ({ by }: TransitionJson): boolean =>
    by.length > 0 && by.every(({ role }) => isMaker(entity, entity.holders?.[role]));
  return onward.every(isMakers) ? onward : [];
};

/**
 * What a form can do together with saving: the first step that leads on for whoever made the record, of those whose condition
 * what stands in the form does not rule out (`closed`); null where that asks for more. On a record that is there (`record`) it
 * must be open, but for a condition that may hold once it is saved.
 */
export const onwardInForm = (
  entity: EntityJson,
  record: RecordJson | null,
  closed: ReadonlySet<string>,
): TransitionJson | null => {
  const isOpen = ({ name }: TransitionJson): boolean =>
    record === null || record.may?.transitions.includes(name) || record.may?.refused[name]?.code === "GUARD";
  const next = onwardOnceMade(entity).find((one) => isOpen(one) && !closed.has(one.name));
  return next === undefined || next.asks.length > 0 ? null : next;
};

/** Whether whoever makes a record stands in a field of it. */
const isMaker = (entity: EntityJson, name: string | undefined): boolean => {
  const field = entity.fields.find((one) => one.name === name);
  return field?.maker === true || field?.default === "person";
};

/** The transitions of a record in document order, each where it always stands. */
export const actionsOf = (entity: EntityJson, record: RecordJson): readonly Action[] => {
  const may = record.may;
  if (!entity.states || !may) return [];
  const { transitions } = entity.states;
  const made = transitions.filter(({ name }) => may.transitions.includes(name));
  const primary = primaryOf(entity.states, stateOf(entity, record), made);
  return transitions.flatMap((transition): Action[] => {
    if (may.transitions.includes(transition.name))
      return [{ kind: "permitted", transition, primary: transition === primary }];
    const why = may.refused[transition.name];
    return why ? [{ kind: "refused", transition, why }] : [];
  });
};

/**
 * Whether what a record is about does not happen: it is in a bad state, or in one that none leaves and that is not the first
 * of these, the end that the document has in mind.
 */
export const isOff = ({ states }: EntityJson, { name, mark }: StateJson): boolean => {
  if (!states) return false;
  const ends = states.states.filter((state) => !states.transitions.some(({ from }) => from.includes(state.name)));
  const place = ends.findIndex((state) => state.name === name);
  return place >= 0 && (mark.hue === "red" || (place > 0 && mark.hue !== "green"));
};

/**
 * What can be decided about a record where it is only listed: what leads on first, and what else may be done. Where nothing
 * leads on, nobody waits for the person, and nothing is offered.
 */
export const tileActionsOf = (entity: EntityJson, record: RecordJson): readonly TransitionJson[] => {
  const permitted = actionsOf(entity, record).filter((action) => action.kind === "permitted");
  const first = permitted.find(({ primary }) => primary);
  if (!first) return [];
  return [first, ...permitted.filter((action) => action !== first)].slice(0, 2).map(({ transition }) => transition);
};

/** The two that stand outside the menu where there is room for two: the primary one, and what else may be done. */
export const foremost = (actions: readonly Action[]): readonly Action[] => {
  const rank = (action: Action) => (action.kind === "refused" ? 2 : action.primary ? 0 : 1);
  return [...actions].sort((one, other) => rank(one) - rank(other)).slice(0, 2);
};
