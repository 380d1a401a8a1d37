import { columnType } from "../../core/derive/tables/columns.ts";
import type { Entity } from "../../core/model/entity.ts";
import { type Field, isStored } from "../../core/model/field.ts";
import type { Model, Renaming } from "../../core/model/model.ts";
import type { RunQuery } from "../database.ts";

/**
 * Updates deleted records for a new document: entities, fields and values are renamed. Values whose column has another
 * type now are removed from the trash; the history still has them. `before` is the document that was in force.
 */
export const migrateTrash = async (
  query: RunQuery,
  model: Model,
  before: () => Model | null,
  renamings: readonly Renaming[],
  merged: readonly Renaming[],
): Promise<void> => {
  const stored = await query({ text: "select distinct entity from ninefold.trash", values: [] });
  if (stored.length === 0) return;
  for (const { old, now } of renamings.filter(({ of }) => of === "entity"))
    await query({ text: "update ninefold.trash set entity = $2 where entity = $1", values: [old, now] });
  for (const entity of model.entities.values()) {
    const own = (of: Renaming["of"], all: readonly Renaming[]) =>
      all.filter((renaming) => renaming.of === of && renaming.entity === entity.name);
    const fields = own("field", renamings);
    if (fields.length > 0)
      await query({
        text: `update ninefold.trash set stored = (
                 select jsonb_object_agg(coalesce(m.now, e.key), e.value order by m.now is not null)
                 from jsonb_each(stored) e left join unnest($2::text[], $3::text[]) as m (old, now) on m.old = e.key
               ) where entity = $1`,
        values: [entity.name, fields.map(({ old }) => old), fields.map(({ now }) => now)],
      });
    for (const { field, old, now } of [...own("value", renamings), ...own("value", merged)])
      await query({
        text: `update ninefold.trash set stored = jsonb_set(stored, array[$2], case jsonb_typeof(stored -> $2)
                 when 'array' then (select jsonb_agg(case when v = to_jsonb($3::text) then to_jsonb($4::text) else v end) from jsonb_array_elements(stored -> $2) v)
                 else to_jsonb($4::text) end)
               where entity = $1 and stored -> $2 @> to_jsonb($3::text)`,
        values: [entity.name, field, old, now],
      });
    const changed = fieldsOfAnotherType(entity, before(), renamings);
    if (changed.length > 0)
      await query({
        text: "update ninefold.trash set stored = stored - $2::text[] where entity = $1",
        values: [entity.name, changed],
      });
  }
};

const fieldsOfAnotherType = (
  entity: Entity,
  before: Model | null,
  renamings: readonly Renaming[],
): readonly string[] => {
  const old = (of: Renaming["of"], owner: string | null, name: string): string =>
    renamings.find(
      (renaming) => renaming.of === of && renaming.now === name && (owner === null || renaming.entity === owner),
    )?.old ?? name;
  const former = before?.entities.get(old("entity", null, entity.name));
  if (former === undefined) return [];
  const typeOf = (field: Field | undefined): string | undefined =>
    field !== undefined && isStored(field) ? columnType(field) : undefined;
  return [...entity.fields.values()]
    .filter((field) => {
      const was = typeOf(former.fields.get(old("field", entity.name, field.name)));
      return was !== undefined && was !== typeOf(field);
    })
    .map(({ name }) => name);
};
