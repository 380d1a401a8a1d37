import { type Sql, sql } from "../../sql.ts";
import type { Value } from "../values/value.ts";
import { existence } from "./list-sql.ts";
import { opposite, type Single, type SqlCondition, type SqlList, withConditions } from "./sql-forms.ts";

/** An operation that evaluates a body for each element of a list. */
export type IteratorRow = {
  readonly about: string;
  readonly returns: "boolean" | "the list" | "a list of the body";
  readonly bodyType: "boolean" | "any";
  readonly js: (list: readonly Value[], body: (element: Value) => Value) => Value;
  readonly list?: (list: SqlList, body: never, alias: Sql) => SqlList;
  readonly condition?: (list: SqlList, body: SqlCondition) => SqlCondition;
};

export const iterators = {
  filter: {
    about: "The elements for which the condition is true.",
    bodyType: "boolean",
    returns: "the list",
    js: (list, body) => list.filter(body),
    list: (list: SqlList, body: SqlCondition) => withConditions(list, [body.truth]),
  },
  map: {
    about: "The value of the expression for each element, without missing values.",
    bodyType: "any",
    returns: "a list of the body",
    js: (list, body) => list.map(body).filter((value) => value !== null),
    // The body becomes a column of a lateral subquery: an aggregate that refers only to the outer query would otherwise
    // belong to the outer query.
    list: ({ from, where, order }: SqlList, { value, missing }: Single, alias: Sql) => {
      const element = sql`${alias}."value"`;
      const mapped = sql`${from} CROSS JOIN LATERAL (SELECT ${value} AS "value") AS ${alias}`;
      return { element, from: mapped, where: missing ? [...where, sql`${element} IS NOT NULL`] : where, order };
    },
  },
  all: {
    about: "True if the condition is true for every element, also for an empty list.",
    bodyType: "boolean",
    returns: "boolean",
    js: (list, body) => list.every(body),
    condition: (list: SqlList, body: SqlCondition) => opposite(existence(withConditions(list, [body.falsehood]))),
  },
} as const satisfies Record<string, IteratorRow>;

export type IteratorName = keyof typeof iterators;

export const iteratorRow = (operation: IteratorName): IteratorRow => iterators[operation];
