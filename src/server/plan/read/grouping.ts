import { compareAsRead } from "../../../core/derive/sql/reading-order.ts";
import { operationTable } from "../../../core/expression/operations/operations.ts";
import { stepFunctions } from "../../../core/model/facts/date-steps.ts";
import { findGroupField, type GroupField, isSummed } from "../../../core/model/facts/grouping.ts";
import type { Field } from "../../../core/model/field.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Model } from "../../../core/model/model.ts";
import { identifier, join, type Sql, sql } from "../../../core/sql.ts";
import type { FiguresJson, GroupedJson } from "../../../core/wire/groups.ts";
import type { Row } from "../../../postgres/database.ts";
import { badQuery, type Refusal } from "../../refusal.ts";
import { GROUPED } from "../aliases.ts";
import type { Caller } from "../context.ts";
import {
  asNumber,
  asTextOrNull,
  asValue,
  type ResultColumn,
  readColumn,
  resultColumn,
  selectAs,
} from "../result-columns.ts";
import { labelText, referenceLabelSql } from "../row/labels.ts";
import type { ReadScope } from "../row/read-scope.ts";

/** Records grouped by fields, outermost first, with the sums of others. */
export interface Grouping {
  readonly fields: readonly GroupField[];
  readonly summed: readonly Field[];
}

/** A bit for each field that a row does not group by, with the last field as the lowest bit. */
export const LEVEL: ResultColumn<number> = resultColumn("is:level", asNumber);
export const COUNT: ResultColumn<number> = resultColumn("is:count", asNumber);
const keyColumn = (nth: number): ResultColumn<unknown> => resultColumn(`key:${nth}`, asValue);
const labelColumn = (nth: number): ResultColumn<unknown> => resultColumn(`label:${nth}`, asValue);
export const sumColumn = (nth: number): ResultColumn<string | null> => resultColumn(`sum:${nth}`, asTextOrNull);

/** The fields of a grouping that the caller can read. */
export const findGrouping = (scope: ReadScope, by: readonly string[], sums: readonly string[]): Grouping | Refusal => {
  const fieldNamed = (name: string) => scope.fields.find((field) => field.name === name);
  const fields = findAll(by, (key) => findGroupField(key, fieldNamed));
  if ("kind" in fields) return fields;
  if (new Set(fields.map(({ name }) => name)).size < by.length) return badQuery("GROUPS");
  const summed = findAll(sums, (name) => {
    const field = fieldNamed(name);
    return field !== undefined && isSummed(field) ? field : undefined;
  });
  return "kind" in summed ? summed : { fields, summed };
};

const findAll = <T>(names: readonly string[], find: (name: string) => T | undefined): readonly T[] | Refusal => {
  const found = names.map(find);
  const at = found.indexOf(undefined);
  return at < 0 ? found.flatMap((field) => field ?? []) : badQuery("GROUP", { word: names[at] ?? "" });
};

/** The keys and sums of each record as the caller can read them. */
export const keysAndSumsSql = ({ column }: ReadScope, { fields, summed }: Grouping): Sql => {
  const columnOf = ({ name }: Field): Sql => column(name) ?? sql`NULL`;
  return join(
    [
      ...fields.map((field, i) =>
        selectAs(
          field.step === undefined ? columnOf(field) : operationTable[stepFunctions[field.step]].sql(columnOf(field)),
          keyColumn(i),
        ),
      ),
      ...summed.map((field, i) => selectAs(columnOf(field), sumColumn(i))),
    ],
    ", ",
  );
};

export const keysSql = ({ fields }: Grouping): readonly Sql[] => fields.map((_, i) => identifier(keyColumn(i).alias));

/** The level, the count and the sums of a group. */
export const figuresSql = (grouping: Grouping): readonly Sql[] => [
  selectAs(sql`GROUPING(${join(keysSql(grouping), ", ")})`, LEVEL),
  selectAs(sql`count(*)`, COUNT),
  ...grouping.summed.map((_, i) => selectAs(sql`sum(${identifier(sumColumn(i).alias)})`, sumColumn(i))),
];

/** The result: keys, level and figures of the groups, and the labels of references. */
export const groupColumnsSql = (
  model: Model,
  { principal }: Caller,
  grouping: Grouping,
  /** The condition on the groups that need the label of a key. */
  hasLabel: (nth: number) => Sql | null = () => null,
): Sql => {
  const labels = grouping.fields.flatMap((field, i) => {
    const target = findTarget(model, field);
    if (target === undefined) return [];
    const label = referenceLabelSql(model, target, principal, sql`${GROUPED}.${identifier(keyColumn(i).alias)}`);
    const condition = hasLabel(i);
    return [selectAs(condition === null ? label : sql`CASE WHEN ${condition} THEN ${label} END`, labelColumn(i))];
  });
  const texts = grouping.summed.map((_, i) =>
    selectAs(sql`${GROUPED}.${identifier(sumColumn(i).alias)}::text`, sumColumn(i)),
  );
  const shown = [...keysSql(grouping), identifier(LEVEL.alias), identifier(COUNT.alias)].map(
    (key) => sql`${GROUPED}.${key}`,
  );
  return join([...shown, ...texts, ...labels], ", ");
};

const findTarget = (model: Model, { type, entity }: Field) =>
  type === "reference" ? model.entities.get(entity ?? "") : undefined;

export const readKey = (row: Row, nth: number): GroupedJson["key"] => {
  const key = readColumn(row, keyColumn(nth));
  return typeof key === "boolean" ? key : key === null || key === undefined ? null : String(key);
};

export const readLabel = (
  model: Model,
  { fields }: Grouping,
  row: Row,
  nth: number,
  format: Format,
): Pick<GroupedJson, "label"> => {
  const field = fields[nth];
  const target = field === undefined ? undefined : findTarget(model, field);
  if (target === undefined || readKey(row, nth) === null) return {};
  const label = readColumn(row, labelColumn(nth));
  return { label: label == null ? "…" : labelText(target.label, label, format) };
};

/** The figures of a row, and those of no records if there is none. */
export const readFigures = ({ summed }: Grouping, row: Row | undefined): FiguresJson => ({
  count: row === undefined ? 0 : readColumn(row, COUNT),
  sums: Object.fromEntries(
    summed.map(({ name }, i) => [name, plainNumber((row && readColumn(row, sumColumn(i))) ?? "0")]),
  ),
});

const plainNumber = (text: string): string => (text.includes(".") ? text.replace(/\.?0+$/u, "") : text);

/** Orders choices and states as in the document, references by label, and dates by time. Missing values come last. */
export const compareGroups = (
  field: Field | undefined,
  locale: string,
): ((a: GroupedJson, b: GroupedJson) => number) => {
  const compare = compareAsRead(locale);
  return (a, b) => {
    if (a.key === null || b.key === null) return a.key === b.key ? 0 : a.key === null ? 1 : -1;
    if (field?.type === "choice" || field?.type === "state")
      return field.values.indexOf(String(a.key)) - field.values.indexOf(String(b.key));
    if (typeof a.key === "boolean") return Number(b.key) - Number(a.key);
    const [one, other] = [a.label ?? a.key, b.label ?? String(b.key)];
    return compare(one, other) || (a.key < String(b.key) ? -1 : 1);
  };
};
