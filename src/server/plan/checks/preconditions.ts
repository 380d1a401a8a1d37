import { guardChecks } from "../../../core/derive/consistency/check-refusals.ts";
import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Transition } from "../../../core/model/entity.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Model } from "../../../core/model/model.ts";
import { type Sql, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import { type Refusal, refuseCall } from "../../refusal.ts";
import { CHECKED } from "../aliases.ts";
import {
  asValue,
  type BooleanColumn,
  booleanColumn,
  type ResultColumn,
  readColumn,
  resultColumn,
  resultColumnSql,
  selectAs,
} from "../result-columns.ts";
import { type LabelEnv, messageValues } from "../row/labels.ts";
import { GUARD, type WriteCheck } from "./check.ts";
import { type DisclosedWhere, messageValuesSql } from "./rules.ts";

/** The conditions of rules with `before`. The guard contains and decides them; these columns tell which one failed. */

const holdsColumn = (nth: number): BooleanColumn => booleanColumn(`before:${nth}`);
const wordsColumn = (nth: number): ResultColumn<unknown> => resultColumn(`before words:${nth}`, asValue);

/** A column for each precondition of a transition, on the record before it. */
export const preconditionChecks = ({ preconditions }: Transition, env: SqlEnv): readonly WriteCheck[] =>
  preconditions.map(({ holds }, i) => ({ column: holdsColumn(i), condition: toSql(holds, env).truth }));

/** The message values of preconditions that do not hold, in the caller's read scope. */
export const preconditionMessageColumns = (
  { preconditions }: Transition,
  seen: LabelEnv,
  disclosure: () => DisclosedWhere,
): readonly Sql[] =>
  preconditions.map(({ message }, i) =>
    selectAs(
      sql`CASE WHEN NOT ${resultColumnSql(CHECKED, holdsColumn(i))} THEN ${messageValuesSql(message, seen, disclosure)} END`,
      wordsColumn(i),
    ),
  );

/** The refusal for a guard that does not hold: that of its first failing precondition, or the built-in one. */
export const brokenGuard = (model: Model, transition: Transition, row: Row, format: Format): Refusal | undefined => {
  if (readColumn(row, GUARD) !== false) return undefined;
  const { preconditions } = transition;
  const failing = preconditions.findIndex((_, i) => readColumn(row, holdsColumn(i)) === false);
  // Without a failing precondition, -1 selects the last check, which is the guard itself.
  const refusal = guardChecks(transition).at(failing)?.refusal;
  if (refusal === undefined) throw new Error(`${transition.name} has no guard`);
  const precondition = preconditions[failing];
  return precondition === undefined
    ? refuseCall(refusal)
    : {
        ...refuseCall(refusal),
        values: messageValues(model, precondition, readColumn(row, wordsColumn(failing)), format),
      };
};
