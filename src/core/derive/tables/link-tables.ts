import type { Entity } from "../../model/entity.ts";
import { isStored } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import { constraintName, linksName } from "./names.ts";
import type { Table } from "./table.ts";

/**
 * A table with a row for each element of a field with several references. Rows are deleted with the referring record
 * and prevent the deletion of the referenced one.
 */
export const linkTable = (entity: Entity, model: Model): readonly Table[] =>
  [...entity.fields.values()].flatMap((field) => {
    const target = field.many && isStored(field) ? model.entities.get(field.entity ?? "") : undefined;
    if (target === undefined) return [];
    const name = linksName(entity.table, field.name);
    const clause = field.clause.id;
    const end = { type: "uuid", required: true, initial: null, clause } as const;
    return [
      {
        name,
        clause,
        columns: [
          { ...end, name: "record", references: entity.table, goesWith: true },
          { ...end, name: "refers", references: target.table },
        ],
        checks: [],
        indexes: [
          { name: constraintName(name, "unique", "record"), on: `("record", "refers")`, unique: true, clause },
          { name: constraintName(name, "by", "refers"), on: `("refers", "record")`, unique: false, clause },
        ],
        exclusions: [],
        links: { of: entity.table, column: field.name },
      },
    ];
  });
