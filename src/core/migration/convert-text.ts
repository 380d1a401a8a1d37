import type { Column } from "../derive/tables/table.ts";

/** The functions that convert a text, by the type of the column. */
const fromText: { readonly [type: string]: string } = {
  bigint: "integer",
  "numeric(38,10)": "decimal",
  date: "date",
  "time(0) without time zone": "time",
};

/** The expression that converts the former text of a field: `integer(was.pages)`. Undefined if no function does. */
export const convertText = ({ name, type, references }: Column): string | undefined => {
  const by = references === null ? fromText[type] : undefined;
  return by === undefined ? undefined : `${by}(was.${name})`;
};
