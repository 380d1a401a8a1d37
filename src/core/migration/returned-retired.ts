import type { Table } from "../derive/tables/table.ts";
import type { Entity } from "../model/entity.ts";
import type { Model, Renaming } from "../model/model.ts";
import { namesOfEntity, namesOfField, type Past, retiredName } from "../model/renaming.ts";
import type { Retired, RetiredEntity, RetiredField } from "./retired.ts";

/*
 * A field or an entity that was renamed in one version and retired in a later one is retired under its last name. If a
 * version has the earlier name again, it means the same field or entity, with its values.
 */

interface Names {
  readonly model: Model;
  readonly past: Past;
}

/** Gives retired fields and entities the earlier names under which the document has them again. */
export const withReturnedNames = (
  retired: readonly Retired[],
  desired: readonly Table[],
  names: Names,
): readonly Retired[] =>
  names.past.length === 0
    ? retired
    : retired.map((other) =>
        other.kind === "entity"
          ? bringBackEntity(other, retired, desired, names)
          : bringBackField(other, retired, names),
      );

const hasColumn = ({ columns }: Table, name: string): boolean => columns.some((column) => column.name === name);

const bringBackEntity = (
  item: RetiredEntity,
  retired: readonly Retired[],
  desired: readonly Table[],
  { model, past }: Names,
): RetiredEntity => {
  const isRetired = (table: string): boolean =>
    retired.some((other) => other.kind === "entity" && other.definition.name === table);
  const names = namesOfEntity(past, item.entity);
  const entity =
    model.entities.get(item.entity) ??
    names.map((name) => model.entities.get(name)).find((known) => known !== undefined && !isRetired(known.table));
  const desiredTable = desired.find(({ name }) => name === entity?.table);
  if (entity === undefined || desiredTable === undefined) return item;
  const place = { entity: entity.name, clause: entity.clause };
  const isRenamed = entity.name !== item.entity;
  const fields = item.definition.columns.flatMap(({ name: old }): readonly Renaming[] => {
    const now = hasColumn(desiredTable, old)
      ? undefined
      : namesOfField(past, item.entity, old).find(
          (name) => hasColumn(desiredTable, name) && !hasColumn(item.definition, name),
        );
    return now === undefined ? [] : [{ ...place, of: "field", field: null, old, now }];
  });
  const values = desiredTable.columns.flatMap(({ name }) => {
    const stored = fields.find(({ now }) => now === name)?.old ?? name;
    return listRenamedValues(entity, name, { entities: names, fields: namesOfField(past, item.entity, stored), past });
  });
  const again: readonly Renaming[] = [
    ...(isRenamed
      ? [{ ...place, of: "entity" as const, entity: null, field: null, old: item.entity, now: entity.name }]
      : []),
    ...fields,
    ...values,
  ];
  return { ...item, again, ...(isRenamed ? { returnsAs: entity } : {}) };
};

const bringBackField = (item: RetiredField, retired: readonly Retired[], { model, past }: Names): RetiredField => {
  const renaming = model.renamings.find(({ of, old }) => of === "entity" && old === item.entity);
  const entity = model.entities.get(renaming?.now ?? item.entity);
  if (entity === undefined) return item;
  const names = namesOfField(past, item.entity, retiredName(item.field, item.version)).slice(1);
  const isRetired = (name: string): boolean =>
    retired.some((other) => other.kind === "field" && other.table === item.table && other.field === name);
  const earlier = entity.fields.has(item.field)
    ? undefined
    : names.find((name) => entity.fields.has(name) && !isRetired(name));
  const again = listRenamedValues(entity, earlier ?? item.field, {
    entities: namesOfEntity(past, item.entity),
    fields: [item.field, ...names],
    past,
  });
  return { ...item, again, ...(earlier === undefined ? {} : { returnsAs: earlier }) };
};

/** Values that were renamed before their field was retired, newest first. */
const listRenamedValues = (
  { name: entity, fields, states }: Entity,
  name: string,
  known: { readonly entities: readonly string[]; readonly fields: readonly string[]; readonly past: Past },
): readonly Renaming[] => {
  const field = fields.get(name);
  if (field === undefined) return [];
  const desired = states?.field === name ? states.states.map((state) => state.name) : field.values;
  if (desired.length === 0) return [];
  return known.past
    .filter(
      (renaming) =>
        renaming.of === "value" &&
        known.entities.includes(renaming.entity ?? "") &&
        known.fields.includes(renaming.field ?? "") &&
        !desired.includes(renaming.now),
    )
    .toReversed()
    .map(({ old, now }) => ({ of: "value", entity, field: name, old: now, now: old, clause: field.clause }));
};
