/** The type of a field for a column, and what is to be said about it. */
export interface ColumnType {
  readonly type: string;
  readonly many: boolean;
  /** The greatest number of characters. */
  readonly max: number | undefined;
  /** A sentence that says what the type does not show. */
  readonly question: string | undefined;
}

/** The most characters of a `text`; longer ones are `long text`. */
const LONGEST_LINE = 1000;

/** Postgres types that become one type, whatever their length or precision. */
const types: Readonly<Record<string, string>> = {
  smallint: "integer",
  integer: "integer",
  bigint: "integer",
  real: "decimal",
  "double precision": "decimal",
  numeric: "decimal",
  money: "decimal",
  boolean: "boolean",
  date: "date",
  "time without time zone": "time",
  "time with time zone": "time",
  "timestamp without time zone": "datetime",
  "timestamp with time zone": "datetime",
  interval: "duration",
  json: "json",
  jsonb: "json",
  text: "text",
  citext: "text",
  name: "text",
  "character varying": "text",
  character: "text",
  uuid: "text",
  inet: "text",
  cidr: "text",
  macaddr: "text",
  xml: "long text",
};

/** Integers of more digits do not fit a whole number of JSON. */
const MOST_DIGITS = 15;

/** Types that a field with several values can have. */
const several: ReadonlySet<string> = new Set(["text", "long text", "integer", "decimal", "date", "time", "datetime"]);

/** The type of a field for a Postgres type such as `numeric(10,2)`; undefined if there is none. */
export const toFieldType = (postgresType: string, column: string): ColumnType | undefined => {
  const many = postgresType.endsWith("[]");
  const [, name = "", sizes = "", after = ""] =
    /^([a-z][a-z ]*?)(?:\((\d+(?:,\d+)?)\))?( with(?:out)? time zone)?(?:\[\])*$/u.exec(postgresType) ?? [];
  const [size, scale] = sizes === "" ? [] : sizes.split(",").map(Number);
  const found = types[`${name}${after}`];
  if (found === undefined || (many && !several.has(found))) return undefined;
  const isWhole = name === "numeric" && size !== undefined && size <= MOST_DIGITS && (scale ?? 0) === 0;
  const length = name.startsWith("character") ? size : name === "uuid" ? 36 : undefined;
  const isLong = length !== undefined && length > LONGEST_LINE;
  return {
    type: isWhole ? "integer" : isLong ? "long text" : found,
    many,
    max: length,
    question: name === "money" ? `The currency of “${column}” is not shown.` : undefined,
  };
};
