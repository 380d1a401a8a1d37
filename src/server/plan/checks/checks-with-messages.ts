import { type Sql, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import { CHECKED } from "../aliases.ts";
import {
  asValue,
  type BooleanColumn,
  booleanColumn,
  readColumn,
  resultColumn,
  resultColumnSql,
  selectAs,
} from "../result-columns.ts";

/** A rule that a write breaks, with the message values that the statement returned. */
interface BrokenRule<R> {
  readonly rule: R;
  readonly words: unknown;
}

/** Checks that refuse with their own message: one column tells if a rule holds, another has the message's values. */
export interface ChecksWithMessages {
  /** The column that tells if the rule with this index holds. */
  readonly holdsColumn: (nth: number) => BooleanColumn;
  /** The values of each message, computed only for a rule that does not hold. */
  readonly messageColumns: <R>(rules: readonly R[], valuesSql: (rule: R) => Sql) => readonly Sql[];
  /** In the order of the rules. */
  readonly findBroken: <R>(rules: readonly R[], row: Row) => readonly BrokenRule<R>[];
}

/** `holds` and `message` are the prefixes of the two column aliases: `rule:0`, `words:0`. */
export const createChecksWithMessages = (holds: string, message: string): ChecksWithMessages => {
  const holdsColumn = (nth: number) => booleanColumn(`${holds}:${nth}`);
  const wordsColumn = (nth: number) => resultColumn(`${message}:${nth}`, asValue);
  return {
    holdsColumn,
    messageColumns: (rules, valuesSql) =>
      rules.map((rule, i) =>
        selectAs(
          sql`CASE WHEN NOT ${resultColumnSql(CHECKED, holdsColumn(i))} THEN ${valuesSql(rule)} END`,
          wordsColumn(i),
        ),
      ),
    findBroken: (rules, row) =>
      rules.flatMap((rule, i) =>
        readColumn(row, holdsColumn(i)) === true ? [] : [{ rule, words: readColumn(row, wordsColumn(i)) }],
      ),
  };
};
