import type { FieldJson } from "../../../core/wire/entities.ts";
import type { LocaleContext } from "../../format/locale-context.ts";
import { changeRow, enterValue, leaveField } from "./edit-form.ts";
import type { FormList } from "./form-node.ts";
import { addRow } from "./open-form.ts";

/**
 * Cells in the format of spreadsheets: rows separated by line breaks, columns by tabs, quoted if a cell contains a line
 * break or quote.
 */
export const parseCells = (text: string): readonly (readonly string[])[] => {
  const rows: string[][] = [[]];
  let cell = "";
  let quoted = false;
  const end = () => {
    rows.at(-1)?.push(cell);
    cell = "";
  };
  for (let i = 0; i < text.length; i++) {
    const one = text[i] ?? "";
    if (quoted) {
      if (one === '"' && text[i + 1] === '"') {
        cell += '"';
        i++;
      } else if (one === '"') quoted = false;
      else cell += one;
    } else if (one === '"' && cell === "") quoted = true;
    else if (one === "\t") end();
    else if (one === "\n") {
      end();
      rows.push([]);
    } else if (one !== "\r") cell += one;
  }
  end();
  return rows.filter((row) => row.some((one) => one !== ""));
};

/** A cell's text in the format of its control; undefined if it cannot be entered. */
const formatPasted = (field: FieldJson, text: string): string | undefined => {
  const trimmed = text.trim();
  if (field.type === "reference" || field.type === "file" || field.type === "image") return undefined;
  if (field.values) {
    const same = (word: string) => word.toLowerCase() === trimmed.toLowerCase();
    return field.values.find(({ value, label }) => same(value) || same(label))?.value;
  }
  if (field.type === "boolean")
    return /^(?:true|yes|ja|wahr|1|x)$/iu.test(trimmed) ? "true" : trimmed === "" ? "" : "false";
  if (field.type === "money") return trimmed.replace(/[^\d.,’'+−-]/gu, "");
  return trimmed;
};

/**
 * Fills cells from a given one to the right and downwards, adding rows as needed. Values for read-only columns are
 * skipped.
 */
export const pasteCells = (
  list: FormList,
  key: string,
  name: string,
  cells: readonly (readonly string[])[],
  context: LocaleContext,
): FormList => {
  const top = list.rows.findIndex((row) => row.key === key);
  const left = list.columns.findIndex((field) => field.name === name);
  let next = list;
  cells.forEach((texts, down) => {
    if (next.rows.length <= top + down) next = addRow(next, context);
    const row = next.rows[top + down];
    if (row === undefined) return;
    texts.forEach((text, across) => {
      const field = next.columns[left + across];
      const entered = field === undefined || !row.fields.includes(field) ? undefined : formatPasted(field, text);
      if (field === undefined || entered === undefined) return;
      next = changeRow(next, row.key, (now) =>
        leaveField(enterValue(now, field.name, entered, context), field.name, context),
      );
    });
  });
  return next;
};
