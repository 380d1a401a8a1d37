import { type Sql, sql } from "../../../sql.ts";
import type { Value } from "../../values/value.ts";
import { absence, compareByOrder, is, isNot, isSame, membership, sameness } from "../comparison-ops.ts";
import type { OperationContext, OperationRow } from "../operation-types.ts";
import { opposite, type Single, type SqlList } from "../sql-forms.ts";

export const comparisonOperations = {
  "any == null": {
    about: "True if it is missing.",
    returns: "boolean",
    missing: "met",
    js: (a: Value) => a === null,
    compares: { by: "same", holds: is },
    condition: absence,
  },
  "any != null": {
    about: "True if it is not missing.",
    returns: "boolean",
    missing: "met",
    js: (a: Value) => a !== null,
    compares: { by: "same", holds: isNot },
    condition: (a: Single) => opposite(absence(a)),
  },
  "same == same": {
    about: "True if both are equal, or both are missing.",
    returns: "boolean",
    missing: "met",
    js: isSame,
    compares: { by: "same", holds: is },
    condition: sameness,
  },
  "same != same": {
    about: "True if they differ, or if exactly one is missing.",
    returns: "boolean",
    missing: "met",
    js: (a: Value, b: Value, place: OperationContext) => !isSame(a, b, place),
    compares: { by: "same", holds: isNot },
    condition: (a: Single, b: Single) => opposite(sameness(a, b)),
  },
  "ordered < ordered": {
    about:
      "True if they are in this order. Text is compared by code point (lists: L2.52); a month counts as 30 days and a day as 24 hours.",
    ...compareByOrder({ below: true, same: false, above: false }, sql`<`, sql`>=`),
  },
  "ordered <= ordered": {
    about:
      "True if they are in this order. Text is compared by code point (lists: L2.52); a month counts as 30 days and a day as 24 hours.",
    ...compareByOrder({ below: true, same: true, above: false }, sql`<=`, sql`>`),
  },
  "ordered > ordered": {
    about:
      "True if they are in this order. Text is compared by code point (lists: L2.52); a month counts as 30 days and a day as 24 hours.",
    ...compareByOrder({ below: false, same: false, above: true }, sql`>`, sql`<=`),
  },
  "ordered >= ordered": {
    about:
      "True if they are in this order. Text is compared by code point (lists: L2.52); a month counts as 30 days and a day as 24 hours.",
    ...compareByOrder({ below: false, same: true, above: true }, sql`>=`, sql`<`),
  },
  "same in [same]": {
    about: "True if the list contains the value.",
    returns: "boolean",
    missing: "refuses",
    js: (a: Value, list: readonly Value[], place: OperationContext) => list.some((value) => isSame(a, value, place)),
    compares: { by: "same", holds: "among" },
    truth: (a: Sql, list: SqlList) => membership(a, list).truth,
    falsehood: (a: Sql, list: SqlList) => membership(a, list).falsehood,
  },
} as const satisfies Record<string, OperationRow>;
