import { beyond, bounded, type FieldKind, ordered, refused, stored } from "./kind.ts";
import { boundOfNumber, byNumber, numberOf } from "./number.ts";

/** The place among the parts of one record, from 1. Two in one place stand in the order in which they were made. */
export const position: FieldKind = {
  is: "a whole number from 1",
  column: "bigint",
  type: () => ({ kind: "integer" }),
  read: (json, spec) => {
    const number = numberOf(json, /^\d{1,9}$/u);
    if (number?.gte(1) !== true) return refused("WRONG_TYPE");
    return beyond(number, spec, byNumber) ?? stored(Number(number.toString()));
  },
  bound: boundOfNumber,
  refuses: bounded,
  wire: () => ({
    answers: { type: "integer", minimum: 1 },
    takes: { type: "integer", minimum: 1, maximum: 999_999_999 },
  }),
  lists: ordered,
  isKey: (text) => /^\d{1,9}$/u.test(text),
};
