import { gatesOf } from "../../core/derive/access.ts";
import { wholesOf } from "../../core/derive/parts.ts";
import type { Format } from "../../core/model/format.ts";
import type { Entity, Model } from "../../core/model/model.ts";
import { namesOfEntity, transitionSince } from "../../core/model/renaming.ts";
import { constant, identifier, join, type Sql, sql } from "../../core/sql.ts";
import type { LineCause } from "../../core/wire/history.ts";
import type { Row } from "../../postgres/database.ts";
import type { Asker, Context } from "./context.ts";
import { tableOf } from "./environment.ts";
import { asCondition, eyesOf } from "./eyes.ts";
import { labelOf, labelText } from "./labels.ts";

/*
 * The line of a write that followed from another names that one. It is told as far as who reads the history may read the
 * record that was written there, and not at all where they may not.
 */

/** The entities from whose writes those of this one may follow, of which the person may read some record. */
const causesOf = (model: Model, entity: Entity, { person }: Asker): readonly Entity[] => {
  const wholes = new Set(wholesOf(model, entity).map(({ entity: whole }) => whole));
  return [...model.entities.values()].filter(
    (other) =>
      (wholes.has(other) ||
        [...other.after.values()].flat().some((effect) => "entity" in effect && effect.entity === entity.name)) &&
      gatesOf(model, other, "read", person).length > 0,
  );
};

/** Columns that tell of the line `c` from which the line `a` followed, and how a line is told by them. */
export const causes = (
  context: Context,
  entity: Entity,
  asker: Asker,
): { readonly columns: readonly Sql[]; readonly read: (row: Row, format: Format) => LineCause | undefined } => {
  const { model, past } = context;
  const from = causesOf(model, entity, asker);
  const columns = from.map((other) => {
    const names = namesOfEntity(past, other.name).map((name) => constant(name));
    const line = sql`jsonb_build_object('id', "x"."id", 'label', ${labelOf(model, other, asker.person, "x")}, 'action', "c".action, 'document', "c".document)`;
    return sql`(SELECT ${line} FROM ninefold.audit AS "c" JOIN ${tableOf(other)} AS "x" ON "x"."id" = "c".record WHERE "c".id = "a".cause AND "c".entity IN (${join(names, ", ")}) AND ${asCondition(eyesOf(model, other, asker.person, "x").rows)}) AS ${identifier(`cause:${other.name}`)}`;
  });
  return {
    columns,
    read: (row, format) => {
      for (const other of from) {
        const found = row[`cause:${other.name}`] as Row | null | undefined;
        if (found !== null && found !== undefined)
          return {
            entity: other.name,
            id: String(found.id),
            label: labelText(other.label, found.label, format),
            action: transitionSince(past, Number(found.document), other.name, String(found.action)),
          };
      }
      return undefined;
    },
  };
};
