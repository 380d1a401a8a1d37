import type { Stored } from "../../field/kind.ts";
import type { Condition } from "../../model/clause.ts";
import type { Entity, Reminder, RowsOf, SeedRecordDefinition } from "../../model/entity.ts";
import type { Field, KeptUntil } from "../../model/field.ts";
import { entityWords, pluralize, toPathName } from "../../model/inflection.ts";
import type { HeldRole, Permission, Permissions } from "../../model/permissions.ts";
import { mapEntries, mapValues, type Names, renameTitle, renameWords } from "./names.ts";
import { renameEffect } from "./rename-effect.ts";
import { renameExpr, renameOptional, renameTemplate, renameType } from "./rename-expr.ts";
import { renameRule, renameUniqueness } from "./rename-rules.ts";
import { renameStates } from "./rename-states.ts";

export const renameEntity = (entity: Entity, names: Names): Entity => {
  const { name: old } = entity;
  const name = names.entity(old);
  const field = (item: string): string => names.field(old, item);
  const role = (item: string): string => (entity.roles.has(item) ? item : names.role(item));
  const { called } = entity;
  const later = names.later.entities.get(name);
  return {
    ...entity,
    name,
    path: entity.path !== later?.path && entity.path === toPathName(old) ? toPathName(name) : entity.path,
    label: renameTemplate(entity.label, names),
    called: {
      one: renameWords(called.one, entityWords(old), entityWords(name), later?.called.one),
      many: renameWords(called.many, pluralize(entityWords(old)), pluralize(entityWords(name)), later?.called.many),
    },
    fields: mapEntries(entity.fields, field, (field) => renameField(old, field, names)),
    rows: entity.rows === null ? null : renameRows(old, entity.rows, names),
    states: entity.states === null ? null : renameStates(old, entity.states, role, names),
    rules: entity.rules.map((rule) => renameRule(old, rule, names)),
    records: mapEntries(
      entity.records,
      (item) => names.record(old, item),
      (record) => renameRecord(entity, record, names),
    ),
    after: mapEntries(
      entity.after,
      (action) => names.transition(old, action),
      (effects) => effects.map((effect) => renameEffect(effect, names)),
    ),
    reminders: mapValues(
      entity.reminders,
      (reminder): Reminder => ({
        ...reminder,
        on: renameExpr(reminder.on, names),
        field: field(reminder.field),
      }),
    ),
    uniquenessRules: entity.uniquenessRules.map((rule) => renameUniqueness(old, rule, names)),
    roles: mapValues(
      entity.roles,
      (role): HeldRole => ({
        ...role,
        condition: renameExpr(role.condition, names),
        ...(role.represented === undefined ? {} : { represented: renameExpr(role.represented, names) }),
        from: role.from === null ? null : names.entity(role.from),
      }),
    ),
    permissions: entity.permissions === null ? null : renamePermissions(old, entity.permissions, role, names),
  };
};

const renameField = (entity: string, field: Field, names: Names): Field => {
  const own = names.field(entity, field.name);
  const later = names.later.entities.get(names.entity(entity))?.fields.get(own);
  const { storage } = field;
  const condition = (condition: Condition): Condition => ({
    holds: renameExpr(condition.holds, names),
    reads: new Set([...condition.reads].map((read) => names.field(entity, read))),
  });
  const untilIn = (until: KeptUntil | null): KeptUntil | null =>
    until && {
      fields: until.fields.map((name) => names.field(entity, name)),
      transitions: until.transitions.map((name) => names.transition(entity, name)),
    };
  return {
    ...field,
    name: own,
    title: renameTitle(field.title, field.name, own, later?.title),
    ruleType: renameType(field.ruleType, names),
    storage:
      storage.as === "inverse"
        ? { as: "inverse", entity: names.entity(storage.entity), by: names.field(storage.entity, storage.by) }
        : "from" in storage
          ? {
              ...storage,
              from: renameExpr(storage.from, names),
              ...(storage.as === "stored" ? { until: untilIn(storage.until) } : {}),
            }
          : storage,
    set: renameOptional(field.set, names),
    default: renameOptional(field.default, names, field.ruleType),
    values: field.values.map((value) => names.value(entity, field.name, value)),
    among: field.among === null ? null : { ...condition(field.among), list: renameExpr(field.among.list, names) },
    needed: field.needed === null ? null : condition(field.needed),
    entity: field.entity === null ? null : names.entity(field.entity),
    series:
      field.series === null
        ? null
        : {
            ...field.series,
            gapless: field.series.gapless === null ? null : names.transition(entity, field.series.gapless),
          },
    from: field.from === null ? null : names.field(entity, field.from),
    examples: field.examples.map((example) => names.value(entity, field.name, example)),
  };
};

const renameRows = (entity: string, rows: RowsOf, names: Names): RowsOf => ({
  ...rows,
  sources: rows.sources.map((source) =>
    "entity" in source
      ? { name: names.field(entity, source.name), entity: names.entity(source.entity) }
      : {
          name: names.field(entity, source.name),
          of: names.field(entity, source.of),
          list: renameExpr(source.list, names),
        },
  ),
  where: renameOptional(rows.where, names),
});

const renameRecord = ({ name, fields }: Entity, record: SeedRecordDefinition, names: Names): SeedRecordDefinition => ({
  ...record,
  key: names.record(name, record.key),
  id: names.recordId(record.id),
  values: mapEntries(
    record.values,
    (field) => names.field(name, field),
    (value, field): Stored => {
      if (typeof value !== "string") return value;
      if (fields.get(field)?.isKey === true) return names.record(name, value);
      return fields.get(field)?.type === "choice" ? names.value(name, field, value) : names.recordId(value);
    },
  ),
});

const renamePermissions = (
  entity: string,
  permissions: Permissions,
  role: (name: string) => string,
  names: Names,
): Permissions => {
  const fields = (list: ReadonlySet<string> | null): ReadonlySet<string> | null =>
    list === null ? null : new Set([...list].map((field) => names.field(entity, field)));
  const renamePermission = (permission: Permission): Permission => ({
    ...permission,
    role: role(permission.role),
    roleCondition: renameOptional(permission.roleCondition, names),
    when: renameOptional(permission.when, names),
    fields: fields(permission.fields),
    like:
      permission.like === null
        ? null
        : {
            ...permission.like,
            path: renameExpr(permission.like.path, names),
            when: renameOptional(permission.like.when, names),
          },
  });
  const { read, create, update, delete: remove } = permissions.actions;
  return {
    ...permissions,
    actions: {
      read: read.map(renamePermission),
      create: create.map(renamePermission),
      update: update.map(renamePermission),
      delete: remove.map(renamePermission),
    },
  };
};
