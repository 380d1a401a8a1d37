import { isId } from "../../core/field/reference.ts";
import { MOST_TRIED } from "../../core/wire/records.ts";

/**
 * The ids of the records that a trial is about, `records=ID,ID`; null if one is no id, or if there are too many. A page
 * from before an upgrade can name its record in another way: nothing is tried then, and the write itself says why it is
 * refused.
 */
export const parseTriedRecords = (query: unknown): readonly string[] | null => {
  const { records } = query as Readonly<Record<"records", unknown>>;
  const ids = typeof records === "string" && records !== "" ? [...new Set(records.toLowerCase().split(","))] : [];
  return ids.length <= MOST_TRIED && ids.every(isId) ? ids : null;
};
