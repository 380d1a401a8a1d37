import Big from "big.js";
import { memoizeByKey } from "../util/memoize.ts";
import type { Json } from "../wire/json.ts";
import { beyond, boundErrors, byRange, entered, type FieldKind, reject, stored } from "./kind.ts";
import { boundOfNumber, byNumber, parseNumber, WRITTEN } from "./number.ts";

/** The currency of a money field that does not specify one. */
export const USUAL_CURRENCY = "EUR";

export const isCurrency = (code: string): boolean => Intl.supportedValuesOf("currency").includes(code);

/** Decimal places of a currency (ISO 4217): two for the euro, none for the yen. */
export const getPlaces = memoizeByKey(
  (currency): number =>
    new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2,
);

/** Accepts an amount with or without currency; another currency than the field's is invalid. */
const toAmount = (json: Json, currency: string): Json => {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return json;
  const amount = json as { readonly [key: string]: Json };
  return amount.currency === currency ? (amount.amount ?? null) : null;
};

/**
 * An exact amount in the field's currency. Input has at most the decimal places of the currency. Computed amounts may
 * have up to ten unless `round` is applied.
 */
export const money: FieldKind = {
  column: "numeric(38,10)",
  type: (spec) => ({ kind: "money", currency: spec.currency ?? USUAL_CURRENCY }),
  read: (json, spec) => {
    const currency = spec.currency ?? USUAL_CURRENCY;
    const most = getPlaces(currency);
    const pattern = most === 0 ? /^-?\d{1,28}$/u : new RegExp(`^-?\\d{1,28}(\\.\\d{1,${most}})?$`, "u");
    const number = parseNumber(toAmount(json, currency), pattern);
    if (number === undefined) return reject("WRONG_TYPE", { type: "amount", currency, places: String(most) });
    return beyond(number, spec, byNumber) ?? stored(number.toFixed());
  },
  answer: (value, spec) => {
    const currency = spec.currency ?? USUAL_CURRENCY;
    const exact = new Big(String(value)).toFixed();
    const least = getPlaces(currency);
    const decimals = exact.split(".")[1]?.length ?? 0;
    return { amount: decimals < least ? new Big(exact).toFixed(least) : exact, currency };
  },
  bound: boundOfNumber,
  refuses: boundErrors,
  wire: ({ currency, min, max }) => {
    const amount = { type: "string", pattern: WRITTEN.source };
    const schema = {
      type: "object",
      required: ["amount", "currency"],
      properties: { amount, currency: { const: currency ?? USUAL_CURRENCY } },
    };
    const least = min === null ? {} : { minimum: Number(min) };
    const most = max === null ? {} : { maximum: Number(max) };
    return { response: schema, request: { anyOf: [schema, amount, { type: "number", ...least, ...most }] } };
  },
  lists: byRange,
  fields: entered,
  isKey: (text) => /^-?\d{1,28}(\.\d+)?$/u.test(text),
};
