import type { Type } from "../../expression/values/type.ts";

/**
 * True if the end of a range of such values belongs to it: the last day, the last page. A range of instants, decimals or
 * amounts excludes its end, because the next one starts there.
 */
export const includesEnd = ({ kind }: Type): boolean => kind === "date" || kind === "integer";
