import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";

/** The fields with the start and end of a record, such as those of its calendar. */
export interface DateRangeFields {
  readonly from: string;
  readonly to: string;
  readonly type: "date" | "datetime";
}

/** True if the next field is the end of a period that begins with the field: both belong in one line. */
export const beginsPeriod = ({ name }: FieldJson, next: FieldJson | undefined): boolean =>
  next?.begin?.period === true && next.begin.field === name;

/** The start and end fields of these records; null if they have no period. */
export const findDateRangeFields = ({ fields }: EntityJson): DateRangeFields | null => {
  const end = fields.find(({ begin }) => begin?.period === true);
  return end?.begin === undefined || (end.type !== "date" && end.type !== "datetime")
    ? null
    : { from: end.begin.field, to: end.name, type: end.type };
};
