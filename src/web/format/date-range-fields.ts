import type { EntityJson } from "../../core/wire/entities.ts";

/** The fields with the start and end of a record, such as those of its calendar. */
export interface DateRangeFields {
  readonly from: string;
  readonly to: string;
  readonly type: "date" | "datetime";
}

/** The start and end fields of these records; null if they have no period. */
export const findDateRangeFields = ({ fields }: EntityJson): DateRangeFields | null => {
  const end = fields.find(({ begin }) => begin?.period === true);
  return end?.begin === undefined || (end.type !== "date" && end.type !== "datetime")
    ? null
    : { from: end.begin.field, to: end.name, type: end.type };
};
