import type { Transition } from "../../../core/model/entity.ts";
import { constant, type Sql } from "../../../core/sql.ts";

/** The state that a transition leads to: a fixed one, or the one in a field of the record before it. */
export const nextStateSql = ({ to, previous }: Transition, before: (field: string) => Sql): Sql =>
  previous === undefined ? constant(to[0] ?? null) : before(previous);
