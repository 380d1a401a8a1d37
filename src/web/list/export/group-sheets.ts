import type { GroupFieldJson } from "../../../core/derive/http/list-query.ts";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { FiguresJson, GroupedJson, GroupsJson, PivotJson } from "../../../core/wire/groups.ts";
import type { Words } from "../../i18n/words.tsx";
import { toSumValue } from "../groups/group-search.ts";
import { describeFigures, nameLine, type PivotFields } from "../pivot/pivot-lines.ts";
import { buildCell, buildSheet, type Cell, getColumn } from "./xlsx.ts";

/** The groups of a list as a spreadsheet: a line for each innermost group, as in the CSV file, and the total. */
export const buildGroupsSheet = (
  title: string,
  entity: EntityJson,
  fields: readonly GroupFieldJson[],
  summed: readonly FieldJson[],
  { groups, ...total }: GroupsJson,
  words: Words,
): Promise<BlobPart> => {
  const figures = ({ count, sums }: FiguresJson): readonly Cell[] => [
    count,
    ...summed.map((field) => buildCell(field, toSumValue(field, sums[field.name] ?? "0"), words)),
  ];
  const linesOf = (all: readonly GroupedJson[], outer: readonly string[]): readonly (readonly Cell[])[] =>
    all.flatMap((group) => {
      const field = fields[outer.length];
      if (field === undefined) return [];
      const names = [...outer, nameLine(words, field, group)];
      return group.groups === undefined ? [[...names, ...figures(group)]] : linesOf(group.groups, names);
    });
  const names = fields.map((_, at) => (at === 0 ? words.say("groups.total") : null));
  return buildSheet(
    title,
    [
      ...fields.map(({ label }) => ({ header: label })),
      { header: words.say("pivot.figure.count", { things: entity.many }) },
      ...summed.map((field) => getColumn(field, words.locale)),
    ],
    [...linesOf(groups, []), [...names, ...figures(total)]],
  );
};

/** A pivot as a spreadsheet, as it is shown. */
export const buildPivotSheet = (
  title: string,
  entity: EntityJson,
  fields: PivotFields,
  pivot: PivotJson,
  words: Words,
): Promise<BlobPart> => {
  const { rows, columns, sum } = fields;
  const figure = (figures: FiguresJson | null): Cell => {
    if (figures === null) return null;
    return sum === null ? figures.count : buildCell(sum, toSumValue(sum, figures.sums[sum.name] ?? "0"), words);
  };
  const format = sum === null ? undefined : getColumn(sum, words.locale).numFmt;
  const column = (header: string) => ({ header, ...(format === undefined ? {} : { numFmt: format }) });
  const total = words.say("groups.total");
  return buildSheet(
    title,
    [
      { header: `${rows.label} / ${columns.label}: ${describeFigures(words, entity, fields)}` },
      ...pivot.columns.map((line) => column(nameLine(words, columns, line))),
      column(total),
    ],
    [
      ...pivot.rows.map((line, at) => [
        nameLine(words, rows, line),
        ...(pivot.cells[at] ?? []).map(figure),
        figure(line),
      ]),
      [total, ...pivot.columns.map(figure), figure(pivot)],
    ],
    1,
  );
};
