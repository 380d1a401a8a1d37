import { constant, type Sql, sql } from "../../../sql.ts";
import type { Value } from "../../values/value.ts";
import { elementsOfBoth, toSqlList } from "../list-sql.ts";
import type { OperationContext, OperationRow } from "../operation-types.ts";
import { matcher, patternProblem, postgresPattern } from "../pattern.ts";
import type { Single, SqlList } from "../sql-forms.ts";

const patternSql = (pattern: Value): Sql => constant(postgresPattern(String(pattern)));

const getLength = (text: string): number => {
  let length = 0;
  for (const _ of text) length++;
  return length;
};

/** Text, and `+` of lists, which comes before the `+` of texts. */
export const textOperations = {
  "size(text)": {
    about: "The number of characters (code points). 0 if it is missing.",
    returns: "integer",
    missing: "met",
    js: (a: string | null) => (a === null ? 0 : getLength(a)),
    sql: (a: Single) => sql`coalesce(length(${a.value}), 0)::bigint`,
  },
  "[any] + [any]": {
    about: "The elements of the first list, followed by those of the second.",
    returns: "[any]",
    missing: "empties",
    js: (a: readonly Value[], b: readonly Value[]) => [...a, ...b],
    list: (a: SqlList, b: SqlList) => toSqlList(elementsOfBoth(a, b)),
  },
  "text + text": {
    about: "The first text followed by the second.",
    returns: "text",
    missing: "spreads",
    js: (a: string, b: string) => a + b,
    sql: (a: Sql, b: Sql) => sql`(${a} || ${b})`,
  },
  "contains(text, text)": {
    about: "True if the first text contains the second. Case matters.",
    returns: "boolean",
    missing: "refuses",
    js: (a: string, b: string) => a.includes(b),
    truth: (a: Sql, b: Sql) => sql`strpos(${a}, ${b}) > 0`,
    falsehood: (a: Sql, b: Sql) => sql`strpos(${a}, ${b}) = 0`,
  },
  "startsWith(text, text)": {
    about: "True if the first text begins with the second.",
    returns: "boolean",
    missing: "refuses",
    js: (a: string, b: string) => a.startsWith(b),
    truth: (a: Sql, b: Sql) => sql`starts_with(${a}, ${b})`,
    falsehood: (a: Sql, b: Sql) => sql`NOT starts_with(${a}, ${b})`,
  },
  "endsWith(text, text)": {
    about: "True if the first text ends with the second.",
    returns: "boolean",
    missing: "refuses",
    js: (a: string, b: string) => a.endsWith(b),
    truth: (a: Sql, b: Sql) => sql`starts_with(reverse(${a}), reverse(${b}))`,
    falsehood: (a: Sql, b: Sql) => sql`NOT starts_with(reverse(${a}), reverse(${b}))`,
  },
  "matches(text, text)": {
    about:
      "True if the pattern matches anywhere in the text; `^` and `$` match its ends. `pattern.ts` has the dialect.",
    returns: "boolean",
    constant: (pattern) => patternProblem(String(pattern)),
    missing: "refuses",
    js: (a: string, pattern: string) => matcher(pattern)(a),
    truth: (a: Sql, _: Sql, { last }: OperationContext) => sql`${a} ~ ${patternSql(last)}`,
    falsehood: (a: Sql, _: Sql, { last }: OperationContext) => sql`${a} !~ ${patternSql(last)}`,
  },
} as const satisfies Record<string, OperationRow>;
