import Big from "big.js";
import { getPlaces, USUAL_CURRENCY } from "../field/money.ts";
import { MOST_DECIMALS } from "../field/number.ts";
import type { Field } from "../model/field.ts";
import { memoizeByKey } from "../util/memoize.ts";
import type { Json } from "../wire/json.ts";
import { type CellValue, changed, unchanged } from "./cell-value.ts";
import { type ColumnFormat, isAmbiguousNumber } from "./column-format.ts";

const groupedByPoints = /^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/u;
const groupedByCommas = /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/u;

/** "1.234,50 €" → 1234.50, by the column's decimal separator. */
const readNumber = (text: string, { decimal }: ColumnFormat): string | undefined => {
  const plain = text
    .replaceAll(/[\s'’\u00a0\u202f]/gu, "")
    .replace(/^\+/u, "")
    .replace(/^\u2212/u, "-");
  const [, negative, body = "", minus] = /^(-|\()?(\d[\d.,]*|[.,]\d+)(-|\))?$/u.exec(plain) ?? [];
  if (body === "") return undefined;
  const own = /^\d+$/u.test(body) ? "." : decimal === "," ? "," : decimal === "." || decimal === null ? "." : undefined;
  if (own === undefined) return undefined;
  const group = own === "," ? "." : ",";
  const isGrouped = (own === "," ? groupedByPoints : groupedByCommas).test(body);
  if (body.includes(group) && !isGrouped) return undefined;
  const number = body.replaceAll(group, "").replace(own, ".").replace(/^\./u, "0.");
  if (!/^\d+(?:\.\d+)?$/u.test(number)) return undefined;
  return negative === undefined && minus === undefined ? number : `-${number}`;
};

/** Number of decimals to which the numbers of a field are rounded. */
export const countDecimals = ({ type, currency }: Pick<Field, "type" | "currency">): number =>
  type === "money" ? getPlaces(currency ?? USUAL_CURRENCY) : type === "decimal" ? MOST_DECIMALS : 0;

/** Calculations with binary numbers leave less than this: 0.1 + 0.2 is 0.30000000000000004. */
const RESIDUE = "0.000000000001";

const round = (number: string, decimals: number): { readonly rounded: string; readonly isExact: boolean } => {
  const exact = new Big(number);
  // Like a spreadsheet, halves away from zero.
  const rounded = exact.round(decimals, Big.roundHalfUp);
  return {
    rounded: rounded.eq(0) ? "0" : rounded.toFixed(),
    isExact: rounded.minus(exact).abs().lt(RESIDUE),
  };
};

/**
 * Rounds a number to the decimals of its field. Only a residue of binary calculation goes without a remark. For a text such as
 * 1.000, the remark shows that it was not read as a thousand.
 */
const roundCell = (
  text: string,
  number: string,
  decimals: number,
  { decimal }: ColumnFormat,
  toValue: (number: string) => Json = (rounded) => rounded,
): CellValue => {
  if ((number.split(".")[1]?.length ?? 0) <= decimals) return unchanged(toValue(number));
  const { rounded, isExact } = round(number, decimals);
  const value = toValue(rounded);
  if (isExact && !isAmbiguousNumber(text)) return unchanged(value);
  const to = decimal === "," ? rounded.replace(".", ",") : rounded;
  return changed(value, { kind: "rounded", from: text, to });
};

/** Reads a whole number. Other decimals than zeros stay and are refused, because half a piece is another number. */
export const readIntegerCell = (text: string, format: ColumnFormat): CellValue => {
  const number = readNumber(text, format);
  if (number === undefined || !round(number, 0).isExact) return unchanged(number ?? text);
  return roundCell(text, number, 0, format);
};

export const readDecimalCell = (text: string, format: ColumnFormat): CellValue => {
  const number = readNumber(text.replace(/\s*%$/u, ""), format);
  return number === undefined ? unchanged(text) : roundCell(text, number, MOST_DECIMALS, format);
};

/** The sign of a currency in an amount: `$` for USD, AUD and others. */
const getSign = memoizeByKey(
  (currency): string =>
    new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay: "narrowSymbol" })
      .formatToParts(0)
      .find(({ type }) => type === "currency")?.value ?? currency,
);

/** Reads an amount. One with another currency keeps it, and is refused. */
export const readMoneyCell = (text: string, format: ColumnFormat, currency: string): CellValue => {
  const [, before, body = "", after] =
    /^(?:([€$£¥]|[A-Z]{3})\s*)?([-+−(]?\s*[\d.,'’\s]*\d[\d.,'’\s]*\)?-?)\s*([€$£¥]|[A-Z]{3})?$/u.exec(text) ?? [];
  const amount = readNumber(body, format);
  if (amount === undefined) return unchanged(text);
  const unit = before ?? after;
  if (unit === undefined) return roundCell(text, amount, getPlaces(currency), format);
  const isOwn = unit === currency || unit === getSign(currency);
  return roundCell(text, amount, getPlaces(currency), format, (rounded) => ({
    amount: rounded,
    currency: isOwn ? currency : unit,
  }));
};
