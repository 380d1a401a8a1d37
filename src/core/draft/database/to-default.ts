const NUMBER = /^\(?'?(-?\d+(?:\.\d+)?)'?\)?(?:::[a-z][\w ]*(?:\(\d+(?:,\d+)?\))?)*$/u;
const TEXT = /^'((?:[^']|'')*)'(?:::[^']*)?$/su;
const NOW =
  /^(?:now\(\)|CURRENT_TIMESTAMP|LOCALTIMESTAMP|statement_timestamp\(\)|transaction_timestamp\(\))(?:\(\d\))?$/u;

/** A default as an expression; undefined if the language has none. */
export const toDefault = (
  sql: string,
  type: string,
  choices: ReadonlyMap<string, string> | undefined,
): string | undefined => {
  const [, text] = TEXT.exec(sql) ?? [];
  const [, number] = NUMBER.exec(sql) ?? [];
  if (choices !== undefined) return choices.get(text?.replaceAll("''", "'") ?? number ?? "");
  switch (type) {
    case "boolean":
      return /^(?:true|false)$/u.test(sql) ? sql : undefined;
    case "integer":
    case "decimal":
      return number !== undefined && (type === "decimal" || /^-?\d{1,15}$/u.test(number)) ? number : undefined;
    case "date":
      return NOW.test(sql) || /^(?:CURRENT_DATE|\(?'now'::text\)?::date|now\(\)::date)$/u.test(sql)
        ? "today"
        : undefined;
    case "datetime":
      return NOW.test(sql) ? "now" : undefined;
    case "text":
      return text !== undefined && /^[\w .,/-]{1,80}$/u.test(text) ? `'${text}'` : undefined;
    default:
      return undefined;
  }
};
