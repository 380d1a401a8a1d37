import type { Filters } from "../../../core/derive/http/list-query.ts";
import type { FieldJson } from "../../../core/wire/entities.ts";
import type { LocaleContext } from "../../format/locale-context.ts";
import { toLocalTime } from "../../format/time-zone.ts";

/** Datetimes are filtered by date. */
export const endField = (field: FieldJson): FieldJson =>
  field.type === "datetime" ? { ...field, type: "date", optional: true } : { ...field, optional: true };

/** The address can contain any text, which stays as it is. */
export const dayFromWire = (field: FieldJson, wire: string, context: LocaleContext): string =>
  field.type === "datetime" && !Number.isNaN(Date.parse(wire)) ? toLocalTime(wire, context.timezone).day : wire;

/** The ends in wire format, for display. */
export const rangeEnds = (
  field: FieldJson,
  filters: Filters,
  context: LocaleContext,
): { readonly from: string | null; readonly to: string | null } => {
  const end = (wire: string | undefined) => (wire === undefined ? null : dayFromWire(field, wire, context));
  return { from: end(filters[`${field.name}>`]?.[0]), to: end(filters[`${field.name}<`]?.[0]) };
};
