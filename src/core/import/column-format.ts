/** The order of day, month and year in numeric dates: 3.4.2026 has the order `dmy`. */
export type DayOrder = "dmy" | "mdy" | "ymd";

/** How the values of a column are written. */
export interface ColumnFormat {
  /** `null`: it has no numeric dates. `ask`: its values fit two orders. `mixed`: no order fits all of them. */
  readonly days: DayOrder | "ask" | "mixed" | null;
  /** The order of the dates in a `mixed` column that fit several. Dates that fit one order have that one. */
  readonly otherDays?: DayOrder | undefined;
  /** The decimal separator; `null` if no number has one, or all that do are number cells of a workbook, with a point. */
  readonly decimal: "." | "," | "ask" | "mixed" | null;
}

const numericDay = /^(\d{1,4})([./-])(\d{1,2})\2(\d{1,4})(?:[T ,].*)?$/u;
const isoDay = /^\d{4}-\d{2}-\d{2}/u;
/** A number alone or with signs and a currency. “1,5 kg” is refused, so it does not show how the others are written. */
const signed = /^(?:[^\d\p{L}]|[A-Z]{3}){0,5}[\d.,'’\s]*\d[.,]\d[\d.,'’\s]*(?:[^\d\p{L}]|[A-Z]{3}){0,5}$/u;

/** The orders that a numeric date fits; undefined for ISO 8601 dates and other texts. */
export const ordersOfDay = (text: string): readonly DayOrder[] | undefined => {
  if (isoDay.test(text)) return undefined;
  const [, first = "", , second = "", third = ""] = numericDay.exec(text) ?? [];
  if (first === "" || (first.length > 2 && third.length > 2)) return undefined;
  const [one, two, three] = [Number(first), Number(second), Number(third)];
  const isDayAndMonth = (day: number, month: number) => day >= 1 && day <= 31 && month >= 1 && month <= 12;
  if (first.length > 2) return isDayAndMonth(three, two) ? ["ymd"] : [];
  if (third.length === 1) return [];
  const orders: DayOrder[] = [];
  if (isDayAndMonth(one, two)) orders.push("dmy");
  if (isDayAndMonth(two, one)) orders.push("mdy");
  if (third.length === 2 && first.length === 2 && isDayAndMonth(three, two)) orders.push("ymd");
  return orders;
};

/** The decimal separator of a number; `ask` for 1,234 and 1.234, undefined for a text without a separator. */
const signOfNumber = (text: string): "." | "," | "ask" | undefined => {
  if (!signed.test(text)) return undefined;
  const last = Math.max(text.lastIndexOf("."), text.lastIndexOf(","));
  const sign = text[last] === "," ? "," : ".";
  const other = sign === "," ? "." : ",";
  const decimals = /^\d*/u.exec(text.slice(last + 1))?.[0].length ?? 0;
  const signs = text.split(sign).length - 1;
  if (text.includes(other)) return sign;
  if (signs > 1) return other;
  const integer = text.slice(0, last).replace(/\D/gu, "");
  return decimals === 3 && integer.length >= 1 && integer.length <= 3 && integer !== "0" ? "ask" : sign;
};

/** True for 1,234 and 1.234, which can be a thousand or have three decimals. */
export const isAmbiguousNumber = (text: string): boolean => signOfNumber(text) === "ask";

/** Observes the format of a column, value by value. */
export class ColumnScan {
  #filled = 0;
  #days: ReadonlySet<DayOrder> | undefined;
  #points = 0;
  #dates = 0;
  #signs = new Set<"." | "," | "ask">();
  readonly #samples = new Set<string>();

  add(value: string): void {
    if (value === "") return;
    this.#filled += 1;
    if (this.#samples.size < MOST_SAMPLES) this.#samples.add(value);
    const orders = ordersOfDay(value);
    if (orders !== undefined && orders.length > 0) {
      this.#dates += 1;
      if (/^\d{1,2}\.\d{1,2}\./u.test(value)) this.#points += 1;
      const known = this.#days;
      this.#days = new Set(known === undefined ? orders : orders.filter((order) => known.has(order)));
      return;
    }
    const sign = signOfNumber(value);
    if (sign !== undefined) this.#signs.add(sign);
  }

  get filled(): number {
    return this.#filled;
  }

  /** The first distinct values. */
  get samples(): readonly string[] {
    return [...this.#samples];
  }

  get format(): ColumnFormat {
    return { days: this.#order, decimal: this.#sign };
  }

  get #order(): ColumnFormat["days"] {
    if (this.#days === undefined) return null;
    if (this.#days.size === 0) return "mixed";
    const [only] = this.#days;
    if (this.#days.size === 1) return only ?? null;
    // Dots mean that the day comes first.
    return this.#points === this.#dates && this.#days.has("dmy") ? "dmy" : "ask";
  }

  get #sign(): ColumnFormat["decimal"] {
    const sure = [...this.#signs].filter((sign) => sign !== "ask");
    if (sure.length > 1) return "mixed";
    return sure[0] ?? (this.#signs.size > 0 ? "ask" : null);
  }
}

const MOST_SAMPLES = 3;

/** The only format among the columns of a file; undefined if no column shows one, or they differ. */
const agreed = <T>(values: readonly (T | "ask" | "mixed" | null)[]): T | undefined => {
  const sure = new Set(values.filter((value) => value !== null && value !== "ask" && value !== "mixed"));
  const [only] = sure;
  return sure.size === 1 ? (only as T) : undefined;
};

/** Columns of one file usually share a format, so an ambiguous column takes the format of the others. */
export const settleFormats = (formats: readonly ColumnFormat[]): readonly ColumnFormat[] => {
  const days = agreed<DayOrder>(formats.map((format) => format.days));
  const decimal = agreed<"." | ",">(formats.map((format) => format.decimal));
  return formats.map((format) => ({
    days: format.days === "ask" ? (days ?? "ask") : format.days,
    decimal: format.decimal === "ask" ? (decimal ?? "ask") : format.decimal,
  }));
};
