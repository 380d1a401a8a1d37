import { hasValueOutside, limitsCharacters } from "../derive/sql/field-bounds.ts";
import type { Table } from "../derive/tables/table.ts";
import { specless } from "../field/kind.ts";
import { fieldKinds } from "../field/kinds.ts";
import { say } from "../i18n/message.ts";
import type { Entity } from "../model/entity.ts";
import { toFieldSpec } from "../model/facts/field-spec.ts";
import { type Field, isPlainColumn } from "../model/field.ts";
import type { Model } from "../model/model.ts";
import { definitionText, identifier, sql } from "../sql.ts";
import { countedRows, type MigrationStep } from "./migration-step.ts";
import type { Before } from "./rename/rename-step.ts";

/** Bounds of a field: on the number of characters, or on the value. */
interface Bounds {
  readonly of: "characters" | "values";
  readonly min: string | null;
  readonly max: string | null;
}

/**
 * Fields whose `min` or `max` became narrower. Each record outside the new bounds prevents the change. `tables` are the
 * existing tables under the names of the new document. Without a readable previous document, all bounds are checked.
 */
export const findNarrowedBounds = (tables: readonly Table[], model: Model, before: Before): readonly MigrationStep[] =>
  [...model.entities.values()].flatMap((entity) => {
    const table = tables.find(({ name, rowMaintenance }) => name === entity.table && rowMaintenance === undefined);
    if (table === undefined) return [];
    const was = findFormer(before?.entities, "entity", entity.name, null, model);
    return [...entity.fields.values()].flatMap((field): readonly MigrationStep[] => {
      if (!isPlainColumn(field) || !table.columns.some(({ name }) => name === field.name)) return [];
      const old = findFormer(was?.fields, "field", field.name, entity.name, model);
      const bounds = getBounds(entity, field);
      const wider = was === undefined || old === undefined || !isPlainColumn(old) ? undefined : getBounds(was, old);
      return (["min", "max"] as const).flatMap((which) => checkNarrowedBound(table, field, bounds, wider, which));
    });
  });

/** The previous definition, under the same name or under the one given in `was`. */
export const findFormer = <T>(
  definitions: ReadonlyMap<string, T> | undefined,
  of: "entity" | "field",
  name: string,
  entity: string | null,
  { renamings }: Model,
): T | undefined => {
  const renaming = renamings.find(
    (renaming) => renaming.of === of && renaming.now === name && (of === "entity" || renaming.entity === entity),
  );
  return definitions?.get(name) ?? (renaming === undefined ? undefined : definitions?.get(renaming.old));
};

const getBounds = (entity: Entity, field: Field): Bounds => {
  const spec = toFieldSpec(entity, field);
  const { minLength, maxLength } = fieldKinds[field.type].wire(spec).request;
  // Text types have their own maximum length, and a present text has at least one character.
  if (typeof maxLength === "number" && limitsCharacters(field))
    return { of: "characters", min: minLength === 1 ? null : String(minLength), max: String(maxLength) };
  return { of: "values", min: spec.min, max: spec.max };
};

const checkNarrowedBound = (
  table: Table,
  field: Field,
  bounds: Bounds,
  wider: Bounds | undefined,
  which: "min" | "max",
): readonly MigrationStep[] => {
  const bound = bounds[which];
  if (bound === null || (wider?.of === bounds.of && !isNarrower(field, bounds, wider[which], which))) return [];
  const { of } = bounds;
  const outside = hasValueOutside(field, which, bound, identifier(field.name));
  const clause = field.clause.id;
  const limited = { clause, which, bound, characters: of === "characters" };
  const name = sql`"app".${identifier(table.name)}`;
  return [
    // Prevents writes between the count and the end of the change.
    { message: null, run: definitionText(sql`lock table ${name} in share row exclusive mode`) },
    {
      message: say("step.bound", limited),
      run: "",
      online: { table: table.name, unfit: definitionText(outside), switch: "" },
      unless: {
        clause,
        count: definitionText(sql`select count(*)::int from ${name} where ${outside}`),
        misfits: countedRows(table, outside),
        message: (rows) => say("refused.bound", { ...limited, rows }),
      },
    },
  ];
};

/** True if the old bound lies outside the new one, or did not exist. */
const isNarrower = (field: Field, bounds: Bounds, old: string | null, which: "min" | "max"): boolean => {
  const bound = bounds[which];
  if (old === null || bound === null) return bound !== null;
  if (bounds.of === "characters") return which === "max" ? Number(bound) < Number(old) : Number(bound) > Number(old);
  return !fieldKinds[field.type].read(old, { ...specless, currency: field.currency, [which]: bound }).ok;
};
