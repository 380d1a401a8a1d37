import type { TextsLike } from "../../catalogue.ts";
import type { importArguments } from "../../change-arguments/imports.ts";

/** Rows, sheets and files that an import leaves out, and values that it changes. */
export const texts = {
  "table.above": "Row {row, number} ({text}) is above the header.",
  "table.total": "Row {row, number} ({text}) is a total.",
  "table.note": "Row {row, number} ({text}) has a single value, like a note.",
  "table.headless": "Column {column} has values and no header.",
  "table.merged": "Column {column} has merged cells, such as {cells}. Each of their rows gets the value.",
  "table.formula":
    "Column {column} has formulas without a stored result, such as in {cells}. These cells are empty. Save the file in a spreadsheet to store the results.",
  "table.column": "Column {column}",
  "table.hidden": "The sheet {sheet} is hidden.",
  "table.other": "The sheet {sheet} is another table.",
  "table.none": "The sheet {sheet} has no header row with data below it.",
  "table.file.unnamed": "No row names the file {file}, so it is left out.",
  "table.file.outside": "The path {file} leads out of the ZIP file, so this file is left out.",
  "table.rounded":
    "{field}: rounded to {decimals, plural, =0 {a whole number} one {# decimal} other {# decimals}} in {count, plural, one {# row} other {# rows}}, such as {from} → {to}.",
  "table.cut":
    "{field}: the time of day was left out in {count, plural, one {# row} other {# rows}}, such as {from} → {to}.",
  "table.reasons": "Refused because",
} satisfies TextsLike<typeof importArguments>;
