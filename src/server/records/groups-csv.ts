import type { Entity } from "../../core/model/entity.ts";
import type { Field } from "../../core/model/field.ts";
import type { FiguresJson, GroupedJson, PivotJson, PivotLineJson } from "../../core/wire/groups.ts";
import type { Json } from "../../core/wire/json.ts";
import type { PivotWords } from "../mail/email-templates.ts";
import { type CsvFormat, csvCells, csvLine, formatHead } from "./csv.ts";

/** The fields of groups, outermost first, and those that are added up. */
export interface GroupTable {
  readonly entity: Entity;
  readonly by: readonly Field[];
  readonly sums: readonly Field[];
  readonly format: CsvFormat;
}

/** The value of a group, in the form of its field. */
const toValue = ({ key, label }: GroupedJson): Json => (label === undefined ? key : { id: String(key), label });

/**
 * Formats groups as lines: the values of the fields, the number of records, and the sums. Inner groups have their own
 * lines.
 */
export const groupsCsv = ({ entity, by, sums, format }: GroupTable, groups: readonly GroupedJson[]): string => {
  const linesOf = (all: readonly GroupedJson[], outer: { readonly [field: string]: Json }): readonly string[] =>
    all.flatMap((group) => {
      const field = by[Object.keys(outer).length];
      if (field === undefined) return [];
      const values = { ...outer, [field.name]: toValue(group) };
      if (group.groups !== undefined) return linesOf(group.groups, values);
      const cells = csvCells(entity, sums, group.sums, format);
      return [csvLine([...csvCells(entity, by, values, format), String(group.count), ...cells])];
    });
  const head = csvLine([...by.map(formatHead), entity.called.many, ...sums.map(formatHead)]);
  return [head, ...linesOf(groups, {})].join("");
};

/**
 * Formats a pivot as lines: a heading with the values of the second field, a line for each value of the first, and the
 * totals. The first cell says what the figures are: `Category / Needed by: Net (EUR)`.
 */
export const pivotCsv = ({ entity, by, sums, format }: GroupTable, pivot: PivotJson, words: PivotWords): string => {
  const [sum] = sums;
  const nameOf = (line: PivotLineJson, field: Field | undefined): string => {
    if (line.others !== undefined) return words.others(line.others);
    if (line.key === null) return words.none(field?.title ?? "");
    return field === undefined ? "" : (csvCells(entity, [field], { [field.name]: toValue(line) }, format)[0] ?? "");
  };
  const figureOf = (figures: FiguresJson | null): string => {
    if (figures === null) return "";
    return sum === undefined ? String(figures.count) : (figures.sums[sum.name] ?? "0");
  };
  const [rows, columns] = by;
  const what = `${by.map(formatHead).join(" / ")}: ${sum === undefined ? entity.called.many : formatHead(sum)}`;
  return [
    [what, ...pivot.columns.map((line) => nameOf(line, columns)), words.total],
    ...pivot.rows.map((line, at) => [nameOf(line, rows), ...(pivot.cells[at] ?? []).map(figureOf), figureOf(line)]),
    [words.total, ...pivot.columns.map(figureOf), figureOf(pivot)],
  ]
    .map(csvLine)
    .join("");
};
