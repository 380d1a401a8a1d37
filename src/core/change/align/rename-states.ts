import type { States, Transition } from "../../model/entity.ts";
import { mapEntries, type Names, renameTitle } from "./names.ts";
import { renameExpr, renameOptional, renameTemplate } from "./rename-expr.ts";

export const renameStates = (entity: string, states: States, role: (name: string) => string, names: Names): States => {
  const value = (name: string): string => names.value(entity, states.field, name);
  const field = (name: string): string => names.field(entity, name);
  const later = names.later.entities.get(names.entity(entity))?.states;
  return {
    ...states,
    field: field(states.field),
    initial: value(states.initial),
    final: new Set([...states.final].map(value)),
    states: states.states.map((state) => {
      const name = value(state.name);
      return {
        ...state,
        ...(state.deadline === undefined ? {} : { deadline: field(state.deadline) }),
        name,
        title: renameTitle(state.title, state.name, name, later?.states.find((state) => state.name === name)?.title),
      };
    }),
    transitions: mapEntries(
      states.transitions,
      (name) => names.transition(entity, name),
      (transition): Transition => {
        const name = names.transition(entity, transition.name);
        return {
          ...transition,
          name,
          title: renameTitle(transition.title, transition.name, name, later?.transitions.get(name)?.title),
          from: transition.from.map(value),
          to: transition.to.map(value),
          ...(transition.previous === undefined ? {} : { previous: field(transition.previous) }),
          by: transition.by === null ? null : transition.by.map(role),
          conditions: mapEntries(transition.conditions, role, (condition) => renameExpr(condition, names)),
          asks: transition.asks.map(field),
          asksIfAny: new Set([...transition.asksIfAny].map(field)),
          guardAndPreconditions: renameOptional(transition.guardAndPreconditions, names),
          guard: renameOptional(transition.guard, names),
          preconditions: transition.preconditions.map((precondition) => ({
            ...precondition,
            holds: renameExpr(precondition.holds, names),
            message: renameTemplate(precondition.message, names),
          })),
          ...(transition.shows === undefined
            ? {}
            : {
                shows: transition.shows.map(({ field: shown, of }) =>
                  of === undefined
                    ? { field: field(shown) }
                    : {
                        field: names.field(of.entity, shown),
                        of: { reference: field(of.reference), entity: names.entity(of.entity) },
                      },
                ),
              }),
          set: mapEntries(transition.set, field, (set) => renameExpr(set, names)),
          timeout: renameOptional(transition.timeout, names),
          once: renameOptional(transition.once, names),
          ...(transition.needs === undefined
            ? {}
            : {
                needs: {
                  count: renameExpr(transition.needs.count, names),
                  field: field(transition.needs.field),
                  completion: names.transition(entity, transition.needs.completion),
                },
              }),
        };
      },
    ),
  };
};
