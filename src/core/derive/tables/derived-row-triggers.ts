import type { Entity } from "../../model/entity.ts";
import type { Model } from "../../model/model.ts";
import { definitionText, identifier, join, type Sql, sql, withSlots } from "../../sql.ts";
import { columnsReadFrom, rowFields, rowsSql } from "../sql/derived-rows.ts";
import { anonymousSlots } from "./columns.ts";
import { constraintName, shortHash } from "./names.ts";
import type { Table } from "./table.ts";

/** Extends a table with the triggers that insert and delete its derived rows when a source is written. */
export const withRowMaintenance = (table: Table, entity: Entity, model: Model): Table => {
  const sources = (entity.rows?.sources ?? []).flatMap((source) => ("entity" in source ? [source] : []));
  const columns = table.columns.map((column) =>
    column.references === null ? column : { ...column, goesWith: true as const },
  );
  const fields = [...rowFields(entity)];
  const names = join(["id", "version", "created_at", "updated_at", ...fields].map(identifier), ", ");
  const into = sql`"app".${identifier(table.name)}`;
  const computed = [...entity.fields.values()]
    .filter(({ storage }) => storage.as === "stored")
    .map(({ name }) => identifier(name));
  const differs = sql`(${join(
    computed.map((name) => sql`"t".${name}`),
    ", ",
  )}) is distinct from (${join(
    computed.map((name) => sql`excluded.${name}`),
    ", ",
  )})`;
  const again =
    computed.length === 0
      ? sql`do nothing`
      : sql`do update set ${join(
          [
            sql`"version" = "t"."version" + 1`,
            sql`"updated_at" = excluded."updated_at"`,
            ...computed.map((name) => sql`${name} = excluded.${name}`),
          ],
          ", ",
        )} where ${differs}`;
  const insert = (from: Sql): Sql => sql`insert into ${into} as "t" (${names}) ${from} on conflict ("id") ${again}`;
  const byNobody = (fragment: Sql): Sql => withSlots(fragment, anonymousSlots(model));
  const functions = sources.map((source) => {
    const name = constraintName(table.name, "rows", source.name);
    const owner = sql`"app".${identifier(model.entities.get(source.entity)?.table ?? "")}`;
    const read = [...columnsReadFrom(entity, source)].map(
      (column) => sql`old.${identifier(column)} is distinct from new.${identifier(column)}`,
    );
    /** Writes the rows of the source records with an id. */
    const write = (id: Sql): Sql => {
      const fresh = rowsSql(model, entity, { only: { id, sources: [source] } });
      return byNobody(
        sql`with "fresh" as materialized (${fresh}), "gone" as (delete from ${into} where ${identifier(source.name)} = ${id} and "id" not in (select "id" from "fresh")) ${insert(sql`select ${names} from "fresh"`)}`,
      );
    };
    const body = write(sql`new."id"`);
    const trigger = (when: string, condition: Sql): Sql =>
      sql`create trigger ${identifier(`${name.slice(0, 56)}_${when}`)} after ${{ kind: "sql", parts: [when] }} on ${owner} for each row ${condition}execute function "app".${identifier(name)}()`;
    return {
      name,
      source: {
        table: model.entities.get(source.entity)?.table ?? "",
        follows: definitionText(write({ kind: "sql", parts: ["any ($1::uuid[])"] })),
      },
      run: [
        definitionText(
          sql`create function "app".${identifier(name)}() returns trigger language plpgsql as $rows$ begin ${body}; return null; end $rows$`,
        ),
        definitionText(trigger("insert", sql``)),
        ...(read.length === 0 ? [] : [definitionText(trigger("update", sql`when (${join(read, " or ")}) `))]),
      ],
    };
  });
  const run = [...functions.flatMap((other) => other.run), definitionText(byNobody(insert(rowsSql(model, entity))))];
  const maintained = { ...table, columns };
  return {
    ...maintained,
    rowMaintenance: {
      functions: functions.map(({ name }) => name),
      run,
      sources: functions.map(({ source }) => source),
      into: definitionText(into),
      hash: shortHash(JSON.stringify([maintained, run])),
    },
  };
};
