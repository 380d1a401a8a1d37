import { splitConjuncts } from "../../expression/boolean-exprs.ts";
import type { Expr } from "../../expression/expr.ts";
import { collectReadSet } from "../../expression/inspect/read-set.ts";
import type { Entity, States } from "../../model/entity.ts";
import { computedExpr } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import type { Tile } from "../../model/screen.ts";
import { inState } from "../../satisfiability/assume-state.ts";
import type { Decider } from "../../satisfiability/satisfiability.ts";

/**
 * True if the condition of a tile says that its records are overdue: they are in states with a deadline, and it is past,
 * or had to be for a record to get into the state.
 */
export const saysOverdue = (model: Model, { entity: name, where }: Tile, decider: Decider): boolean => {
  const entity = model.entities.get(name);
  const states = entity?.states ?? null;
  if (entity === undefined || states === null || where === null) return false;
  const conditions = splitConjuncts(where);
  const possible = states.states.filter((state) => decider.canHold(...inState(conditions, entity, state.name)));
  return (
    possible.length > 0 &&
    possible.every((state) => {
      if (state.deadline === undefined) return false;
      const fields = readDeadline(entity, state.deadline);
      return conditions.some((one) => isPast(one, fields)) || isReachedLate(states, state.name, fields);
    })
  );
};

/** The deadline, and what it is computed from. */
const readDeadline = ({ fields }: Entity, deadline: string): ReadonlySet<string> => {
  const field = fields.get(deadline);
  const from = field === undefined ? null : computedExpr(field);
  return new Set([deadline, ...(from === null ? [] : collectReadSet(from).fields)]);
};

/** True for the condition that one of these fields is before the present. */
const isPast = (condition: Expr, fields: ReadonlySet<string>): boolean => {
  if (condition.kind !== "call") return false;
  const [one, other] = condition.args;
  const isBefore = (early: Expr | undefined, late: Expr | undefined) =>
    (late?.kind === "now" || late?.kind === "today") &&
    early?.kind === "field" &&
    early.of.kind === "this" &&
    fields.has(early.field.name);
  if (condition.row === "ordered < ordered" || condition.row === "ordered <= ordered") return isBefore(one, other);
  if (condition.row === "ordered > ordered" || condition.row === "ordered >= ordered") return isBefore(other, one);
  return false;
};

/** True if the deadline is past whenever a record gets into the state. */
const isReachedLate = ({ initial, transitions }: States, state: string, fields: ReadonlySet<string>): boolean => {
  const into = [...transitions.values()].filter(
    ({ from, to }) => to.includes(state) && from.some((one) => one !== state),
  );
  return (
    state !== initial &&
    into.length > 0 &&
    into.every(({ once }) => once !== null && splitConjuncts(once).some((one) => isPast(one, fields)))
  );
};
