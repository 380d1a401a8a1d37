import { hasValueOutside, isNarrowerBound, limitsCharacters } from "../derive/sql/field-bounds.ts";
import type { Column, Table } from "../derive/tables/table.ts";
import { fieldKinds } from "../field/kinds.ts";
import { say } from "../i18n/message.ts";
import type { Entity } from "../model/entity.ts";
import { toFieldSpec } from "../model/facts/field-spec.ts";
import { type Field, isPlainColumn } from "../model/field.ts";
import type { Model } from "../model/model.ts";
import { definitionText, identifier, type Sql, sql } from "../sql.ts";
import { countedRows, findEntityIn, type MigrationStep } from "./migration-step.ts";
import type { Before } from "./rename/rename-step.ts";

/** Bounds of a field: on the number of characters, or on the value. */
interface Bounds {
  readonly of: "characters" | "values";
  readonly min: string | null;
  readonly max: string | null;
}

/** A bound that some stored values may exceed. */
interface NarrowedBound {
  readonly which: "min" | "max";
  readonly bound: string;
  readonly characters: boolean;
}

/** A field that both versions store, with its definition in each. */
interface ComparedBounds {
  readonly field: Field;
  readonly bounds: Bounds;
  /** The previous field and its bounds; absent if the previous document has none or could not be read. */
  readonly former?: { readonly field: Field; readonly bounds: Bounds };
}

/**
 * Fields whose `min` or `max` became narrower. Each record outside the new bounds prevents the change. `tables` are the
 * existing tables under the names of the new document. Without a readable previous document, all bounds are checked.
 */
export const findNarrowedBounds = (tables: readonly Table[], model: Model, before: Before): readonly MigrationStep[] =>
  [...model.entities.values()].flatMap((entity) => {
    const table = tables.find(({ name, rowMaintenance }) => name === entity.table && rowMaintenance === undefined);
    if (table === undefined) return [];
    return [...entity.fields.values()].flatMap((field): readonly MigrationStep[] => {
      if (!isPlainColumn(field) || !table.columns.some(({ name }) => name === field.name)) return [];
      return findNarrower(compareBounds(entity, field, model, before)).flatMap((narrowed) =>
        checkNarrowedBound(table, field, narrowed),
      );
    });
  });

/**
 * Finds the condition of the records whose value `fill` replaces: those outside bounds that became narrower. Undefined
 * if there is no `fill` or no such bound.
 */
export const findOutsideIn =
  (model: Model, before: Before, isNew: boolean) =>
  (table: Pick<Table, "name">, column: Pick<Column, "name" | "fill">): Sql | undefined => {
    if (column.fill === undefined) return undefined;
    const compared = isNew ? findComparedBounds(model, before, table, column) : undefined;
    const [first, ...more] = compared === undefined ? [] : findNarrower(compared);
    if (compared === undefined || first === undefined) return undefined;
    const outside = ({ which, bound }: NarrowedBound): Sql =>
      hasValueOutside(compared.field, which, bound, identifier(column.name));
    const all = more.reduce((found, narrowed) => sql`${found} or ${outside(narrowed)}`, outside(first));
    // A missing value is not outside.
    return sql`coalesce(${all}, false)`;
  };

/**
 * Finds the condition of the former values, as JSON, that can return because a bound became wider: those that it
 * excluded, within the bounds of the new version. Others were replaced for another reason, such as another type.
 * Undefined if no bound became wider.
 */
export const findReturningIn =
  (model: Model, before: Before, isNew: boolean) =>
  (table: Pick<Table, "name">, column: Pick<Column, "name" | "type">): ((json: Sql) => Sql) | undefined => {
    const compared = isNew ? findComparedBounds(model, before, table, column) : undefined;
    if (compared?.former === undefined) return undefined;
    const { field, bounds, former } = compared;
    const [first, ...more] = findNarrower({ ...former, former: { field, bounds } });
    if (first === undefined) return undefined;
    return (json) => {
      const type: Sql = { kind: "sql", parts: [column.type] };
      const list = sql`case when jsonb_typeof(${json}) = 'array' then ${json} else '[]' end`;
      const value = field.many
        ? sql`array(select jsonb_array_elements_text(${list}))::${type}`
        : sql`(${json} #>> '{}')::${type}`;
      const isOutside = ({ which, bound }: Pick<NarrowedBound, "which" | "bound">): Sql =>
        hasValueOutside(field, which, bound, value);
      const wasExcluded = more.reduce((found, bound) => sql`${found} or ${isOutside(bound)}`, isOutside(first));
      return (["min", "max"] as const).reduce((fits, which) => {
        const bound = bounds[which];
        return bound === null ? fits : sql`${fits} and not (${isOutside({ which, bound })})`;
      }, sql`jsonb_typeof(${json}) <> 'null' and (${wasExcluded})`);
    };
  };

const findComparedBounds = (
  model: Model,
  before: Before,
  table: Pick<Table, "name">,
  column: Pick<Column, "name">,
): ComparedBounds | undefined => {
  const entity = [...model.entities.values()].find((entity) => entity.table === table.name);
  const field = entity?.fields.get(column.name);
  if (entity === undefined || field === undefined || !isPlainColumn(field)) return undefined;
  return compareBounds(entity, field, model, before);
};

const compareBounds = (entity: Entity, field: Field, model: Model, before: Before): ComparedBounds => {
  const was = findFormer(before?.entities, "entity", entity.name, null, model);
  const old = findFormer(was?.fields, "field", field.name, entity.name, model);
  return {
    field,
    bounds: getBounds(entity, field),
    ...(was === undefined || old === undefined || !isPlainColumn(old)
      ? {}
      : { former: { field: old, bounds: getBounds(was, old) } }),
  };
};

const findNarrower = ({ field, bounds, former }: ComparedBounds): readonly NarrowedBound[] =>
  (["min", "max"] as const).flatMap((which): readonly NarrowedBound[] => {
    const bound = bounds[which];
    if (bound === null) return [];
    const wider = former?.bounds;
    if (wider?.of === bounds.of && !isNarrowerBound(field, which, bound, wider[which])) return [];
    return [{ which, bound, characters: bounds.of === "characters" }];
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
  { which, bound, characters }: NarrowedBound,
): readonly MigrationStep[] => {
  const outside = hasValueOutside(field, which, bound, identifier(field.name));
  const clause = field.clause.id;
  const limited = { clause, which, bound, characters };
  const name = sql`"app".${identifier(table.name)}`;
  const isFilled = field.fill !== null;
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
        ...(isFilled ? {} : { missing: { kind: "fill" as const, entity: findEntityIn(table), field: field.name } }),
        message: (rows) => say("refused.bound", { ...limited, rows, filled: isFilled }),
      },
    },
  ];
};
