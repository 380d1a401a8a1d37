import { assigned, beyond, boundErrors, byRange, type FieldKind, reject, stored } from "./kind.ts";
import { boundOfNumber, byNumber, parseNumber } from "./number.ts";

/** Position among the parts of a record, from 1. Equal positions are sorted by creation. */
export const position: FieldKind = {
  column: "bigint",
  type: () => ({ kind: "integer" }),
  read: (json, spec) => {
    const number = parseNumber(json, /^\d{1,9}$/u);
    if (number?.gte(1) !== true) return reject("WRONG_TYPE");
    return beyond(number, spec, byNumber) ?? stored(Number(number.toString()));
  },
  bound: boundOfNumber,
  refuses: boundErrors,
  wire: () => ({
    response: { type: "integer", minimum: 1 },
    request: { type: "integer", minimum: 1, maximum: 999_999_999 },
  }),
  lists: byRange,
  fields: { ...assigned, names: false },
  isKey: (text) => /^\d{1,9}$/u.test(text),
};
