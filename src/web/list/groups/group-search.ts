import {
  findGroupFieldJson,
  type GroupFieldJson,
  isGrouped,
  type ListSearch,
} from "../../../core/derive/http/list-query.ts";
import { lastOfPeriod } from "../../../core/model/facts/date-steps.ts";
import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { GroupedJson } from "../../../core/wire/groups.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { LayoutJson, ListScreenJson } from "../../../core/wire/screens.ts";
import type { Words } from "../../i18n/words.tsx";
import { filterBy, writeSearch } from "../filter/list-search.ts";

/** The fields by which a list can be grouped: the filters of its screen first, then its columns. */
export const findGroupings = (screen: ListScreenJson, entity: EntityJson): readonly FieldJson[] => {
  const places = [...screen.filters, ...screen.columns];
  const placeOf = ({ name }: FieldJson) => (places.includes(name) ? places.indexOf(name) : places.length);
  return entity.fields.filter(isGrouped).toSorted((a, b) => placeOf(a) - placeOf(b));
};

const periodWords = { month: "groups.by.month", quarter: "groups.by.quarter", year: "groups.by.year" } as const;

/** The names of the fields of groups: “Category”, “Ordered on (month)”. */
export const nameGroupings = (
  { say }: Pick<Words, "say">,
  entity: EntityJson,
  grouped: readonly string[],
): readonly string[] =>
  grouped.flatMap((group) => {
    const field = findGroupFieldJson(entity, group);
    if (field === undefined) return [];
    return field.step === undefined ? field.label : say(periodWords[field.step], { field: field.label });
  });

/** The records of a group: a filter on its field, within the filters that are there already. */
export const narrowToGroup = (search: ListSearch, field: GroupFieldJson, key: GroupedJson["key"]): ListSearch => {
  const alone = { ...search, grouped: [], figure: null };
  if (key === null) return filterBy(alone, field, { [field.name]: [""] });
  if (field.type !== "date") return filterBy(alone, field, { [field.name]: [String(key)] });
  // A period limits the days of the group as well.
  const period = `${field.name}@`;
  const [from, to] = [search.filters[`${field.name}>`]?.[0] ?? "", search.filters[`${field.name}<`]?.[0]];
  const [first, last] = [String(key), lastOfPeriod(String(key), field.step ?? "month")];
  return filterBy(alone, field, {
    [`${field.name}>`]: [from > first ? from : first],
    [`${field.name}<`]: [to !== undefined && to < last ? to : last],
    [period]: search.filters[period] ?? [],
  });
};

/** The name of a group; that of a period in full, or in its shortest form with or without the year. */
export const nameGroup = (
  { say, show }: Words,
  field: GroupFieldJson,
  { key, label }: Pick<GroupedJson, "key" | "label">,
  year?: boolean,
): string => {
  if (key === null) return say("groups.none", { field: field.label });
  if (field.step !== undefined) return show.period(String(key), field.step, year);
  if (field.type === "boolean") return show.boolean(key === true);
  return field.type === "reference" ? (label ?? "…") : (show.value(field, key, false) ?? "");
};

/** A sum in the form of the field's values. */
export const toSumValue = (field: FieldJson, sum: string): Json =>
  field.type === "money"
    ? { amount: sum, currency: field.currency ?? "EUR" }
    : field.type === "integer"
      ? Number(sum)
      : sum;

/** The groups in the order of their sums if the list is sorted by a number, and otherwise as they are. */
export const orderGroups = (
  groups: readonly GroupedJson[],
  [key = ""]: readonly string[],
  summed: readonly FieldJson[],
): readonly GroupedJson[] => {
  const name = key.replace(/^-/u, "");
  if (!summed.some((field) => field.name === name)) return groups;
  const sumOf = ({ sums }: GroupedJson): number => Number(sums[name] ?? 0);
  const sign = key.startsWith("-") ? -1 : 1;
  return groups
    .map((group) => (group.groups ? { ...group, groups: orderGroups(group.groups, [key], summed) } : group))
    .toSorted((a, b) => sign * (sumOf(a) - sumOf(b)));
};

/** The layout that shows the records of a pivot. */
export const findRowsLayout = ({ layouts }: ListScreenJson): LayoutJson["kind"] =>
  layouts.some(({ kind }) => kind === "table")
    ? "table"
    : (layouts.find(({ kind }) => kind !== "pivot")?.kind ?? "table");

/** The address of the list that shows the records of a group. */
export const buildGroupAddress = (screen: ListScreenJson, search: ListSearch): string => {
  const words = writeSearch(search, screen);
  return words === "" ? screen.path : `${screen.path}?${words}`;
};
