/** Rows in the text format of COPY, and array literals (https://www.postgresql.org/docs/18/sql-copy.html). */

const escapes: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };
const letters: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(escapes).map(([letter, sign]) => [sign, letter]),
);

/** The values of a row; null is missing. */
export const parseRow = (line: string): readonly (string | null)[] =>
  line
    .split("\t")
    .map((value) =>
      value === "\\N" ? null : value.replaceAll(/\\(.)/gsu, (_, letter: string) => escapes[letter] ?? letter),
    );

export const formatRow = (values: readonly (string | null)[]): string =>
  values
    .map((value) =>
      value === null ? "\\N" : value.replaceAll(/[\\\b\f\n\r\t\v]/gu, (sign) => `\\${letters[sign] ?? sign}`),
    )
    .join("\t");

/** Replaces the elements of a one-dimensional array literal such as `{a,"b, c",NULL}`. */
export const mapArray = (literal: string, change: (element: string) => string): string =>
  literal.replaceAll(/"((?:[^"\\]|\\.)*)"|([^{},"]+)/gsu, (item, quoted?: string, plain?: string) => {
    if (quoted === undefined && plain === "NULL") return item;
    const element = quoted === undefined ? (plain ?? "") : quoted.replaceAll(/\\(.)/gsu, "$1");
    return `"${change(element).replaceAll(/["\\]/gu, (sign) => `\\${sign}`)}"`;
  });
