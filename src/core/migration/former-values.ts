import type { Table } from "../derive/tables/table.ts";
import { type Message, say } from "../i18n/message.ts";
import { constant, definitionText, identifier, type Sql, sql } from "../sql.ts";
import type { InPlace, MigrationStep, ReplaceInPlace } from "./migration-step.ts";

/*
 * A version that replaces stored values keeps the former ones. Going back restores them in each record that nobody has
 * changed since.
 */

interface Place {
  readonly table: string;
  readonly column: string;
}

/** Keeps the values that an update is about to replace by `after`. */
export const keepFormer = ({ table, column }: Place, after: Sql, where: Sql, version: number): Sql =>
  sql`insert into "ninefold"."former_value" ("table_name", "column_name", "record", "before", "after", "version") select ${constant(table)}, ${constant(column)}, "id", coalesce(to_jsonb(${identifier(column)}), 'null'), coalesce(to_jsonb(${after}), 'null'), ${constant(version)} from "app".${identifier(table)} where ${where} on conflict ("table_name", "column_name", "record", "version") do update set "after" = excluded."after"`;

/** Former values follow a column that gets another name, or a field that is retired or brought back. */
export const moveFormer = ({ table, column }: Place, now: string): Sql =>
  sql`update "ninefold"."former_value" set "column_name" = ${constant(now)} where "table_name" = ${constant(table)} and "column_name" = ${constant(column)}`;

/** Former values go with the retired values of a field, or of all fields of a table. */
export const dropFormer = (table: string, column: string | null): Sql =>
  sql`delete from "ninefold"."former_value" where "table_name" = ${constant(table)}${column === null ? sql`` : sql` and "column_name" = ${constant(column)}`}`;

/** Former values follow a value of a choice or a state that is renamed. */
export const renameFormer = (
  { table, column, isMany }: Place & { readonly isMany: boolean },
  { old, now }: { readonly old: string; readonly now: string },
): readonly Sql[] =>
  [sql`"before"`, sql`"after"`].map((side) => {
    const [from, to] = [sql`to_jsonb(${constant(old)}::text)`, sql`to_jsonb(${constant(now)}::text)`];
    const renamed = isMany
      ? sql`(select jsonb_agg(case when "one" = ${from} then ${to} else "one" end order by "place") from jsonb_array_elements(${side}) with ordinality as "all"("one", "place"))`
      : to;
    return sql`update "ninefold"."former_value" set ${side} = ${renamed} where "table_name" = ${constant(table)} and "column_name" = ${constant(column)} and ${side} ${isMany ? sql`@>` : sql`=`} ${from}`;
  });

/** Former values follow a field that can have several values from now on, or only one. */
export const renumberFormer = ({ table, column }: Place, becomesMany: boolean): readonly Sql[] => {
  const changedSide = (side: Sql): Sql =>
    becomesMany
      ? sql`case when ${side} = 'null' then '[]' else jsonb_build_array(${side}) end`
      : sql`coalesce(${side} -> 0, 'null')`;
  return [
    sql`update "ninefold"."former_value" set "before" = ${changedSide(sql`"before"`)}, "after" = ${changedSide(sql`"after"`)} where "table_name" = ${constant(table)} and "column_name" = ${constant(column)}`,
  ];
};

/**
 * Gives records the value back that they had before, where `isBack` holds for it. Several versions can have replaced the
 * value one after the other; the oldest that the document has again counts.
 */
const restoreFormer = (
  { table, column }: Place,
  isBack: Sql,
  message: (rows: number) => Message | null,
  beside?: ReplaceInPlace,
): readonly MigrationStep[] => {
  const name = identifier(column);
  const own = sql`"app".${identifier(table)}`;
  const isHere = sql`"f"."table_name" = ${constant(table)} and "f"."column_name" = ${constant(column)}`;
  const isUntouched = sql`not exists (select from "ninefold"."audit" "a" where "a"."record" = "f"."record" and "a"."at" > "f"."at" and "a"."changes" ? ${constant(column)})`;
  const found = sql`with recursive "chain" as (
  select "f"."id", "f"."record", "f"."before" from "ninefold"."former_value" "f" join ${own} "t" on "t"."id" = "f"."record" where ${isHere} and coalesce(to_jsonb("t".${name}), 'null') = "f"."after" and ${isUntouched}
  union all
  select "f"."id", "f"."record", "f"."before" from "chain" "c" join "ninefold"."former_value" "f" on "f"."record" = "c"."record" and "f"."after" = "c"."before" and "f"."id" < "c"."id" where ${isHere} and ${isUntouched}
), "found" as (select distinct on ("f"."record") "f"."id", "f"."record", "f"."before" from "chain" "f" where ${isBack} order by "f"."record", "f"."id")`;
  const counted: MigrationStep = {
    message: null,
    writes: { count: definitionText(sql`${found} select count(*)::int from "found"`), message },
    run: "",
  };
  const step: MigrationStep = {
    message: null,
    run: definitionText(
      sql`${found}, "written" as (update ${own} "t" set ${name} = (jsonb_populate_record(null::${own}, jsonb_build_object(${constant(column)}, "found"."before"))).${name} from "found" where "t"."id" = "found"."record") delete from "ninefold"."former_value" "f" using "found" where ${isHere} and "f"."record" = "found"."record" and "f"."id" >= "found"."id"`,
    ),
  };
  if (beside === undefined) return [{ ...step, ...counted, run: step.run }];
  return [counted, ...beside(step, restoreInPlace({ table, column }, { isBack, isHere, isUntouched }))];
};

/** The value that each record has after former ones are restored, as an expression over the table. */
const restoreInPlace = (
  { table, column }: Place,
  { isBack, isHere, isUntouched }: { readonly isBack: Sql; readonly isHere: Sql; readonly isUntouched: Sql },
): InPlace => {
  const own = sql`"app".${identifier(table)}`;
  const [id, live] = [sql`${own}."id"`, sql`${own}.${identifier(column)}`];
  const chain = sql`with recursive "chain" as (
  select "f"."id", "f"."before" from "ninefold"."former_value" "f" where ${isHere} and "f"."record" = ${id} and coalesce(to_jsonb(${live}), 'null') = "f"."after" and ${isUntouched}
  union all
  select "f"."id", "f"."before" from "chain" "c" join "ninefold"."former_value" "f" on "f"."after" = "c"."before" and "f"."id" < "c"."id" where ${isHere} and "f"."record" = ${id} and ${isUntouched}
) select "f"."before" from "chain" "f" where ${isBack} order by "f"."id" limit 1`;
  const hasFormer = sql`exists (select from "ninefold"."former_value" "f" where ${isHere} and "f"."record" = ${id})`;
  const value = sql`case when ${hasFormer} then (jsonb_populate_record(null::${own}, jsonb_build_object(${constant(column)}, coalesce((${chain}), to_jsonb(${live}))))).${identifier(column)} else ${live} end`;
  // Those that were restored are the present values now, with all that replaced them.
  const gone = sql`delete from "ninefold"."former_value" "g" using "ninefold"."former_value" "f", ${own} "t" where ${isHere} and "t"."id" = "f"."record" and "f"."before" = coalesce(to_jsonb("t".${identifier(column)}), 'null') and ${isBack} and "g"."table_name" = "f"."table_name" and "g"."column_name" = "f"."column_name" and "g"."record" = "f"."record" and "g"."id" >= "f"."id"`;
  return { value, where: sql`true`, retire: [definitionText(gone)] };
};

/** Records whose value was merged into another get it back when the document has the value again. */
export const restoreValues = (
  table: Table,
  column: { readonly name: string; readonly type: string; readonly clause: string },
  values: readonly string[],
  beside?: ReplaceInPlace,
): readonly MigrationStep[] => {
  const list = sql`array[${{ kind: "sql", parts: [values.map((one) => definitionText(constant(one))).join(", ")] }}]::text[]`;
  const isBack = column.type.endsWith("[]") ? sql`"f"."before" ?| ${list}` : sql`"f"."before" #>> '{}' = any (${list})`;
  return restoreFormer(
    { table: table.name, column: column.name },
    isBack,
    (rows) => (rows === 0 ? null : say("step.restored", { clause: column.clause, rows })),
    beside,
  );
};

/** Records that got a value when the field became required lose it when the field is optional again. */
export const restoreMissingValues = (
  table: Table,
  column: { readonly name: string; readonly clause: string },
  beside: ReplaceInPlace | undefined,
): readonly MigrationStep[] =>
  restoreFormer(
    { table: table.name, column: column.name },
    sql`"f"."before" = 'null'`,
    (rows) => (rows === 0 ? null : say("step.unfilled", { clause: column.clause, rows })),
    beside,
  );

/** Records whose value was converted get the former one back when the field has its former type again. */
export const restoreConvertedValues = (
  table: Table,
  column: { readonly name: string; readonly clause: string },
  beside: ReplaceInPlace | undefined,
): readonly MigrationStep[] =>
  restoreFormer(
    { table: table.name, column: column.name },
    sql`true`,
    (rows) => (rows === 0 ? null : say("step.restored", { clause: column.clause, rows })),
    beside,
  );
