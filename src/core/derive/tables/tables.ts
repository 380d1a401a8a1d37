import type { Entity } from "../../model/entity.ts";
import { computedExpr, isActValue, isStored } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import { findListOrders } from "../sql/list-orders.ts";
import { boundsCheck, choiceCheck, ruleConstraints } from "./checks.ts";
import { buildActColumn, buildColumn, stateColumns, system, userColumns } from "./columns.ts";
import { withRowMaintenance } from "./derived-row-triggers.ts";
import {
  collectComparedFields,
  collectRuleReads,
  comparedIndexes,
  dueIndexes,
  fieldIndexes,
  includedColumns,
  listIndexes,
  type RuleReads,
  reminderIndexes,
} from "./indexes.ts";
import { linkTable } from "./link-tables.ts";
import type { Table } from "./table.ts";
import { searchIndexes, type Trigrams } from "./trigram-indexes.ts";
import { isExclusion, togetherExclusion, uniquenessIndex } from "./unique.ts";

export const buildTables = (model: Model, trigrams: Trigrams | null = null): readonly Table[] => {
  const along = collectRuleReads(model);
  const compared = collectComparedFields(model);
  return [...model.entities.values()].flatMap((entity) => {
    const bare = getTable(entity, model, along);
    const indexes = [...bare.indexes, ...comparedIndexes(compared, entity), ...searchIndexes(model, entity, trigrams)];
    const table = { ...bare, indexes };
    return [entity.rows === null ? table : withRowMaintenance(table, entity, model), ...linkTable(entity, model)];
  });
};

const getTable = (entity: Entity, model: Model, along: RuleReads): Table => {
  const fields = [...entity.fields.values()].filter(isStored);
  // Computed fields need no type conversion.
  const entered = fields.filter((field) => computedExpr(field) === null);
  const orders = findListOrders(model, entity);
  return {
    name: entity.table,
    clause: entity.clause.id,
    columns: [
      ...system,
      ...(entity.name === "User" ? userColumns : []),
      ...stateColumns(entity),
      ...fields.map((field) => buildColumn(field, entity, model)),
      ...[...entity.fields.values()].filter(isActValue).map((field) => buildActColumn(field)),
    ],
    checks: [
      ...entered.flatMap((field) => [...choiceCheck(field, entity), ...boundsCheck(field, entity)]),
      ...ruleConstraints(entity, model),
    ],
    indexes: [
      ...fields.flatMap((field) => fieldIndexes(field, entity, orders[0], includedColumns(along, entity, field))),
      ...entity.uniquenessRules
        .filter((rule) => !isExclusion(rule, entity))
        .map((rule) => uniquenessIndex(rule, entity, model)),
      ...listIndexes(orders, entity),
      ...dueIndexes(entity),
      ...reminderIndexes(entity),
    ],
    exclusions: entity.uniquenessRules
      .filter((rule) => isExclusion(rule, entity))
      .map((rule) => togetherExclusion(rule, entity, model)),
  };
};
