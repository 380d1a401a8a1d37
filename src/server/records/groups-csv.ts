import type { Zone } from "../../core/expression/values/calendar.ts";
import type { Entity } from "../../core/model/entity.ts";
import type { Field } from "../../core/model/field.ts";
import type { GroupedJson } from "../../core/wire/groups.ts";
import type { Json } from "../../core/wire/json.ts";
import { csvCells, csvLine, formatHead } from "./csv.ts";

/**
 * Formats groups as lines: the values of the fields, the number of records, and the sums. Inner groups have their own
 * lines.
 */
export const groupsCsv = (
  entity: Entity,
  by: readonly Field[],
  sums: readonly Field[],
  groups: readonly GroupedJson[],
  zone: Zone,
): string => {
  const linesOf = (all: readonly GroupedJson[], outer: { readonly [field: string]: Json }): readonly string[] =>
    all.flatMap((group) => {
      const field = by[Object.keys(outer).length];
      if (field === undefined) return [];
      const { key, label, count } = group;
      const values = { ...outer, [field.name]: label === undefined ? key : { id: String(key), label } };
      if (group.groups !== undefined) return linesOf(group.groups, values);
      const cells = csvCells(entity, sums, group.sums, zone);
      return [csvLine([...csvCells(entity, by, values, zone), String(count), ...cells])];
    });
  const head = csvLine([...by.map(formatHead), entity.called.many, ...sums.map(formatHead)]);
  return [head, ...linesOf(groups, {})].join("");
};
