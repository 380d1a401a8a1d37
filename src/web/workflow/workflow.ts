import type { PersonJson } from "../../core/wire/application.ts";
import type { EntityJson, ReminderJson, StateJson, StatesJson, TransitionJson } from "../../core/wire/entities.ts";
import type { HistoryLine } from "../../core/wire/history.ts";
import type { Json } from "../../core/wire/json.ts";
import type { RecordJson, ReferenceJson } from "../../core/wire/records.ts";
import { type ApprovalProgress, findProgress } from "../format/approval-progress.ts";
import { isReference } from "../format/value-shapes.ts";

/** A state that the record has been in, with time and person as far as the history tells. */
export interface VisitedState {
  readonly state: StateJson;
  readonly at: string | null;
  /** Null if no user caused it, undefined if the reader cannot know. */
  readonly person: ReferenceJson | null | undefined;
}

/** A possible next state with its transitions. */
export interface NextState {
  readonly state: StateJson;
  readonly ways: readonly NextStateTransition[];
}

/** A possible transition and the people who can make it. */
export interface NextStateTransition {
  readonly transition: TransitionJson;
  /** True if the current user can; then nobody else is named. */
  readonly you: boolean;
  /** People named in the record. */
  readonly people: readonly string[];
  /** Roles whose holders the record does not name. */
  readonly roles: TransitionJson["by"];
  /** For an automatic transition, its upcoming time or date, if known. */
  readonly at: string | null;
  readonly progress: ApprovalProgress | null;
}

/** The states in which something can still be done, and the others. */
export const splitStates = (
  states: StatesJson | null | undefined,
): { readonly open: readonly StateJson[]; readonly ended: readonly StateJson[] } => {
  const { states: all = [], transitions = [] } = states ?? {};
  const isOpen = ({ name }: StateJson) => transitions.some(({ from }) => from.includes(name));
  return { open: all.filter(isOpen), ended: all.filter((state) => !isOpen(state)) };
};

/** True for a final state in which nothing came of a record: red, or neither green nor the first one (`stateIcons`). */
export const isNegativeEnd = (state: StateJson | null): boolean => {
  const { hue, shape } = state?.mark ?? {};
  return shape?.kind === "disc" && (hue === "red" || (shape.cut !== "none" && hue !== "green"));
};

export const findState = (entity: EntityJson, record: RecordJson): StateJson | null => {
  const states = entity.states;
  return states?.states.find((state) => state.name === record[states.field]) ?? null;
};

/**
 * The state that a transition has led these records to. Null if it left one of them in its state, or led them to
 * different ones: then only the transition itself says what was done.
 */
export const findReachedState = (
  entity: EntityJson,
  moved: readonly { readonly before: RecordJson; readonly after: RecordJson }[],
): StateJson | null => {
  const [first] = moved;
  const reached = first === undefined ? null : findState(entity, first.after);
  const isReached = moved.every(
    ({ before, after }) =>
      findState(entity, after)?.name === reached?.name && findState(entity, before)?.name !== reached?.name,
  );
  return isReached ? reached : null;
};

/** The initial state: the one whose icon is a dashed ring. */
export const findInitialState = (entity: EntityJson): StateJson | null =>
  entity.states?.states.find(({ mark }) => mark.shape.kind === "dashed") ?? entity.states?.states[0] ?? null;

export const stateNamed = (entity: EntityJson, name: Json | undefined): StateJson | null =>
  entity.states?.states.find((state) => state.name === name) ?? null;

/** The states of a record so far, oldest first. Without history, only the current one is known. */
export const buildStatePath = (
  entity: EntityJson,
  record: RecordJson,
  history: readonly HistoryLine[],
): readonly VisitedState[] => {
  const now = findState(entity, record);
  if (!now) return [];
  const steps = history.toReversed().flatMap((line): VisitedState[] => {
    const change = line.changes.find(({ field }) => field === entity.states?.field);
    const state = stateNamed(entity, change?.after);
    const person = isConsequence(entity, line) && findCompleted(entity, line) === undefined ? null : line.person;
    return state ? [{ state, at: line.at ?? null, person }] : [];
  });
  return steps.at(-1)?.state.name === now.name ? steps : [...steps, { state: now, at: null, person: null }];
};

/**
 * True if a line is a consequence of another change and nobody chose its transition: the person made the change that led
 * to it. A transition that the document does not name completes several approvals.
 */
export const isConsequence = ({ states }: EntityJson, { action, cause }: HistoryLine): boolean =>
  cause !== undefined && (states?.transitions.find(({ name }) => name === action)?.by ?? []).length === 0;

/** The transition whose last of several approvals led to the line. */
export const findCompleted = ({ states }: EntityJson, { action, cause }: HistoryLine): TransitionJson | undefined =>
  cause && states?.transitions.find(({ needs }) => needs?.completion === action);

/** The states that a transition can lead to; the one that the record names if it leads back, or stays. */
export const findTargets = ({ to, previous }: TransitionJson, record: RecordJson | null): readonly string[] => {
  const known = previous === undefined ? undefined : record?.[previous];
  return typeof known === "string" ? [known] : to;
};

/** The transition that happens when enough people have made one that needs several. */
export const findCompletion = ({ states }: EntityJson, { needs }: TransitionJson): TransitionJson | undefined =>
  needs && states?.transitions.find(({ name }) => name === needs.completion);

/** The transitions from a state, by target, in document order. One that needs several people leads where they lead it together. */
const findWays = (
  entity: EntityJson,
  state: string,
  record: RecordJson | null,
  wayOf: (transition: TransitionJson) => NextStateTransition | null,
): readonly NextState[] => {
  const { transitions: all = [] } = entity.states ?? {};
  const targetsIn = (transition: TransitionJson): readonly string[] =>
    transition.previous === entity.states?.field
      ? [state]
      : findTargets(findCompletion(entity, transition) ?? transition, record);
  const completions = new Set(all.map((transition) => findCompletion(entity, transition)));
  // An automatic transition that leads back to its state (`approve_void`) is no next step.
  const leaving = all.filter(
    (transition) =>
      transition.from.includes(state) &&
      !completions.has(transition) &&
      (targetsIn(transition).some((target) => target !== state) || transition.by.length > 0),
  );
  const targets = new Map(leaving.map((transition) => [transition, targetsIn(transition)]));
  return [...new Set([...targets.values()].flat())].flatMap((to) => {
    const target = stateNamed(entity, to);
    const transitions = leaving
      .filter((transition) => targets.get(transition)?.includes(to))
      .flatMap((transition) => wayOf(transition) ?? []);
    return target && transitions.length > 0 ? [{ state: target, ways: transitions }] : [];
  });
};

/** True if a condition on the record prevents a transition, rather than its state or the permissions of the person. */
const isBlockedByCondition = ({ may }: RecordJson, name: string): boolean => {
  const code = may?.refused[name]?.code;
  return code !== undefined && code !== "FORBIDDEN" && code !== "WRONG_STATE";
};

/** The possible next states of a record. Transitions that nobody can make now are left out. */
export const nextStates = (
  entity: EntityJson,
  record: RecordJson,
  today: string,
  now = new Date(),
): readonly NextState[] => {
  const state = findState(entity, record);
  if (state === null) return [];
  return findWays(entity, state.name, record, (transition) => {
    const { name, guarded, by } = transition;
    if (guarded && isBlockedByCondition(record, name)) return null;
    const you = record.may?.transitions.includes(name) === true;
    const holders = you ? [] : by.map((role) => ({ role, people: listHolders(entity, record, role.role) }));
    const at = record._ahead?.[name] ?? null;
    return {
      transition,
      you,
      people: [...new Set(holders.flatMap(({ people }) => people))],
      roles: holders.filter(({ people }) => people.length === 0).map(({ role }) => role),
      at: at !== null && isAhead(at, today, now) ? at : null,
      progress: findProgress(record, transition),
    };
  });
};

/** Transitions that undo another: they lead straight back, ask for nothing, and are no approval of another kind. */
export const transitionsBack = (entity: EntityJson, before: RecordJson, after: RecordJson): readonly TransitionJson[] =>
  findWaysBack(entity, before, after).filter(({ asks }) => asks.length === 0);

/** Transitions that lead straight back. Of those that ask for input, a dialog takes the place of an undo. */
export const findWaysBack = (entity: EntityJson, before: RecordJson, after: RecordJson): readonly TransitionJson[] => {
  const [from, now] = [findState(entity, before), findState(entity, after)];
  if (!from || !now || from.name === now.name) return [];
  return (entity.states?.transitions ?? []).filter(
    (transition) =>
      transition.from.includes(now.name) &&
      findTargets(transition, after).every((to) => to === from.name) &&
      transition.needs === undefined,
  );
};

/** A date is upcoming until the day is over. */
const isAhead = (at: string, today: string, now: Date): boolean =>
  at.length > 10 ? at > now.toISOString() : at >= today;

/** The person in the field through which a role is held. */
const listHolders = (entity: EntityJson, record: RecordJson, role: string): readonly string[] => {
  const field = entity.holders?.[role];
  const value = field === undefined ? undefined : record[field];
  return [value].flat().flatMap((item) => (isReference(item) ? [item.label] : []));
};

/** The possible next states of a new record for its creator, who holds the roles of the fields set to them. */
export const nextStatesAfterCreate = (entity: EntityJson, person: PersonJson | null): readonly NextState[] => {
  const first = findInitialState(entity);
  if (first === null) return [];
  const own = new Set([...(person?.roles ?? []), ...(person?.everybody ?? [])]);
  const isTheirs = (role: string): boolean => own.has(role) || isMaker(entity, entity.holders?.[role]);
  return findWays(entity, first.name, null, (transition) => {
    const you = transition.by.some(({ role }) => isTheirs(role));
    return { transition, you, people: [], roles: you ? [] : transition.by, at: null, progress: null };
  });
};

/** The next automatic transition of a record, and its time. */
export const nextAutomaticTransition = (
  entity: EntityJson,
  record: RecordJson,
  today: string,
  now = new Date(),
): { readonly transition: TransitionJson; readonly state: StateJson; readonly at: string } | null => {
  const coming = nextStates(entity, record, today, now).flatMap(({ state, ways }) =>
    ways.flatMap(({ transition, at }) => (at === null ? [] : [{ transition, state, at }])),
  );
  return coming.sort((one, other) => (one.at < other.at ? -1 : 1))[0] ?? null;
};

/** The next reminder of a record, and its time. */
export const nextReminder = (
  { reminders = [] }: EntityJson,
  record: RecordJson,
  now = new Date(),
): { readonly reminder: ReminderJson; readonly at: string } | null => {
  const coming = reminders.flatMap((reminder) => {
    const at = record._ahead?.[reminder.action];
    return at !== undefined && at > now.toISOString() ? [{ reminder, at }] : [];
  });
  return coming.sort((one, other) => (one.at < other.at ? -1 : 1))[0] ?? null;
};

/** True if no transition leads out of the state. */
export const isFinal = ({ transitions }: Pick<StatesJson, "transitions">, state: string): boolean =>
  !transitions.some(({ from }) => from.includes(state));

/** True if the transition ends the record: no transition leads out of its state, so nothing takes it back. */
export const endsForGood = ({ states }: EntityJson, { from, to }: TransitionJson): boolean =>
  states !== null && to.every((state) => isFinal(states, state) && !from.includes(state));

/** True if no step of people leads from where the transition ends to where it began. */
export const hasNoWayBack = ({ states }: EntityJson, { from, to }: TransitionJson): boolean =>
  !to.some(
    (target) =>
      from.includes(target) ||
      states?.transitions.some(
        (other) => other.by.length > 0 && other.from.includes(target) && other.to.some((state) => from.includes(state)),
      ),
  );

/** True if a role that can make the transition can make another one afterwards, such as to cancel what was granted. */
export const leadsOn = ({ states }: EntityJson, { by, to }: TransitionJson): boolean => {
  const isOwn = ({ role }: { readonly role: string }) => by.some((own) => own.role === role);
  return to.every((target) => states?.transitions.some((other) => other.from.includes(target) && other.by.some(isOwn)));
};

/**
 * True if a question comes before the transition, because nothing takes it back: it has no way back, it counts as one of
 * several approvals, or another program learns of it. Somebody who hands in an own new record has just filled it in.
 */
export const needsQuestion = (entity: EntityJson, transition: TransitionJson): boolean => {
  const { from, by, needs, follows = [] } = transition;
  if (endsForGood(entity, transition) || needs !== undefined || follows.some(({ kind }) => kind === "call"))
    return true;
  const first = findInitialState(entity);
  const isHandedIn =
    first !== null &&
    from.includes(first.name) &&
    by.length > 0 &&
    by.every(({ role }) => isMaker(entity, entity.holders?.[role]));
  return !isHandedIn && hasNoWayBack(entity, transition);
};

/** True if a dialog comes before the transition: for its input, or for a question. */
export const opensDialog = (entity: EntityJson, transition: TransitionJson): boolean =>
  transition.asks.length > 0 || needsQuestion(entity, transition);

/** True if the state comes later in the document and is not a negative one. */
export const isForward = ({ states }: Pick<StatesJson, "states">, now: StateJson | null, to: string): boolean => {
  const placeOf = (name: string | undefined) => states.findIndex((state) => state.name === name);
  return placeOf(to) > placeOf(now?.name) && states[placeOf(to)]?.mark.hue !== "red";
};

/** The creator's next actions after creating a record, if it waits for them alone. */
export const nextActionsAfterCreate = (entity: EntityJson): readonly TransitionJson[] => {
  const { states } = entity;
  const first = findInitialState(entity);
  if (states === null || first === null) return [];
  const onward = states.transitions.filter(
    ({ from, to }) =>
      from.includes(first.name) && to.every((state) => !isFinal(states, state) && isForward(states, first, state)),
  );
  const isMakers = ({ by }: TransitionJson): boolean =>
    by.length > 0 && by.every(({ role }) => isMaker(entity, entity.holders?.[role]));
  return onward.every(isMakers) ? onward : [];
};

/**
 * The transition that a form offers together with saving: the first next action of the creator that is not ruled out by
 * the values in the form (`closed`); null if it asks for further input. For an existing record (`record`) it must be
 * possible now, except for a condition that may hold after saving.
 */
export const nextActionInForm = (
  entity: EntityJson,
  record: RecordJson | null,
  closed: ReadonlySet<string>,
): TransitionJson | null => {
  const isOpen = ({ name }: TransitionJson): boolean =>
    record === null || record.may?.transitions.includes(name) === true || isBlockedByCondition(record, name);
  const next = nextActionsAfterCreate(entity).find((transition) => isOpen(transition) && !closed.has(transition.name));
  return next === undefined || next.asks.length > 0 ? null : next;
};

/** True if a field of the record is set to its creator. */
const isMaker = (entity: EntityJson, name: string | undefined): boolean => {
  const field = entity.fields.find((candidate) => candidate.name === name);
  return field?.maker === true || field?.default === "person";
};

/**
 * True if the record was cancelled or rejected: its state is negative, or it is a final state other than the first one,
 * which is the regular end.
 */
export const isMarkedOff = ({ states }: EntityJson, { name, mark }: StateJson): boolean => {
  if (!states) return false;
  const ends = states.states.filter((state) => !states.transitions.some(({ from }) => from.includes(state.name)));
  const place = ends.findIndex((state) => state.name === name);
  return place >= 0 && (mark.hue === "red" || (place > 0 && mark.hue !== "green"));
};
