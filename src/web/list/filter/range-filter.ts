import type { Filters } from "../../../core/derive/http/list-query.ts";
import { getZone, startOfDay } from "../../../core/expression/values/calendar.ts";
import type { FieldJson } from "../../../core/wire/entities.ts";
import { dayAfter } from "../../format/dates.ts";
import { type Entered, readEntered, toEntered } from "../../format/input-value.ts";
import type { LocaleContext } from "../../format/locale-context.ts";
import { dayFromWire, endField } from "./range-ends.ts";

/** The text in the two controls of a range. */
export interface RangeInput {
  readonly from: Entered;
  readonly to: Entered;
}

/** The end date of a datetime range includes the whole day, up to its last millisecond. */
const endToWire = (field: FieldJson, end: "from" | "to", value: string, context: LocaleContext): string => {
  if (field.type !== "datetime") return value;
  const zone = getZone(context.timezone);
  if (end === "from") return startOfDay(value, zone) ?? "0001-01-01T00:00:00.000Z";
  const next = dayAfter(value);
  const over = next === null ? null : startOfDay(next, zone);
  return over === null ? "9999-12-31T23:59:59.999Z" : new Date(Date.parse(over) - 1).toISOString();
};

export const readRange = (field: FieldJson, filters: Filters, context: LocaleContext): RangeInput => {
  const entered = (wire: string | undefined): Entered =>
    wire === undefined ? "" : toEntered(endField(field), dayFromWire(field, wire, context), context);
  return { from: entered(filters[`${field.name}>`]?.[0]), to: entered(filters[`${field.name}<`]?.[0]) };
};

/** The entered filters, or the end that is unreadable. */
export const readEnds = (
  field: FieldJson,
  ends: RangeInput,
  context: LocaleContext,
):
  | { readonly kind: "filters"; readonly filters: Filters }
  | { readonly kind: "unreadable"; readonly end: "from" | "to" } => {
  const filters: Record<string, readonly string[]> = {};
  for (const end of ["from", "to"] as const) {
    const read = readEntered(endField(field), ends[end], context);
    if (read.kind === "unreadable") return { kind: "unreadable", end };
    if (read.value !== null)
      filters[`${field.name}${end === "from" ? ">" : "<"}`] = [endToWire(field, end, String(read.value), context)];
  }
  return { kind: "filters", filters };
};

export const filtersFor = (
  field: FieldJson,
  days: { readonly from: string; readonly to: string },
  context: LocaleContext,
): Filters => ({
  [`${field.name}>`]: [endToWire(field, "from", days.from, context)],
  [`${field.name}<`]: [endToWire(field, "to", days.to, context)],
});
