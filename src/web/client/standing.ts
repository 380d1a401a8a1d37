import type {
  EntityJson,
  HistoryLine,
  Json,
  RecordJson,
  ReferenceJson,
  StateJson,
  StatesJson,
  TransitionJson,
  WhyNot,
} from "../../core/wire.ts";

/** A state that the record has been in, since when and by whom as far as its history tells. */
export interface Step {
  readonly state: StateJson;
  readonly at: string | null;
  readonly person: ReferenceJson | null;
}

/** A state that can follow, with the transitions that lead there. */
export interface Following {
  readonly state: StateJson;
  readonly transitions: readonly TransitionJson[];
  /** Whether the person may make one of them now. */
  readonly permitted: boolean;
  /** The roles that may, as the document names them. */
  readonly by: readonly string[];
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
    return state ? [{ state, at: line.at, person: line.person }] : [];
  });
  return steps.at(-1)?.state.name === now.name ? steps : [...steps, { state: now, at: null, person: null }];
};

/** What can follow a state, in document order. */
export const followingOf = (entity: EntityJson, state: string, permitted: readonly string[]): readonly Following[] => {
  const leaving = entity.states?.transitions.filter(({ from }) => from.includes(state)) ?? [];
  const targets = [...new Set(leaving.map(({ to }) => to))];
  return targets.flatMap((to) => {
    const target = stateNamed(entity, to);
    const transitions = leaving.filter((transition) => transition.to === to);
    return target
      ? [
          {
            state: target,
            transitions,
            permitted: transitions.some(({ name }) => permitted.includes(name)),
            by: [...new Set(transitions.flatMap(({ by }) => by))],
          },
        ]
      : [];
  });
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
  const isFinal = (state: string) => !transitions.some(({ from }) => from.includes(state));
  const [end] = states.filter(({ name }) => isFinal(name));
  const onlyEnds = made.every(({ to }) => isFinal(to));
  const placeOf = (name: string | undefined) => states.findIndex((state) => state.name === name);
  return made.find(({ to }) => {
    if (placeOf(to) <= placeOf(now?.name) || states[placeOf(to)]?.mark.hue === "red") return false;
    return !isFinal(to) || (onlyEnds && to === end?.name);
  });
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

/** The two that stand outside the menu where there is room for two: the primary one, and what else may be done. */
export const foremost = (actions: readonly Action[]): readonly Action[] => {
  const rank = (action: Action) => (action.kind === "refused" ? 2 : action.primary ? 0 : 1);
  return [...actions].sort((one, other) => rank(one) - rank(other)).slice(0, 2);
};
