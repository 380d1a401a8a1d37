import type { Table } from "../derive/tables/table.ts";
import { type Message, say } from "../i18n/message.ts";
import { constant, definitionText, identifier, type Sql, sql } from "../sql.ts";
import { findEntityIn, type InPlace, type MigrationStep, type ReplaceInPlace } from "./migration-step.ts";

/*
 * A version that replaces stored values stores the former ones. If a later version reverses the change, they are
 * restored in each record that nobody has changed since. They refer to a row with the names of their table and column,
 * so that a renaming costs one write.
 */

interface Place {
  readonly table: string;
  readonly column: string;
}

const isPlace = ({ table, column }: Place): Sql =>
  sql`"table_name" = ${constant(table)} and "column_name" = ${constant(column)}`;

/** True for former values of a column. The array makes Postgres use the index. */
const isFormerOf = (place: Place, of: Sql = sql`"column_id"`): Sql =>
  sql`${of} = any (array(select "id" from "ninefold"."former_column" where ${isPlace(place)}))`;

/**
 * Stores the values that an update is about to replace by `after`. One version may replace a value twice, of which the
 * first counts; but if somebody has changed it while the version is published, the newer one is stored.
 */
export const keepFormer = (place: Place, after: Sql, where: Sql, version: number): Sql => {
  const { table, column } = place;
  const isSecond = sql`"former_value"."after" = excluded."before"`;
  const own = sql`coalesce((select "id" from "made"), (select min("id") from "ninefold"."former_column" where ${isPlace(place)}))`;
  return sql`with "made" as (insert into "ninefold"."former_column" ("table_name", "column_name") select ${constant(table)}, ${constant(column)} where not exists (select from "ninefold"."former_column" where ${isPlace(place)}) returning "id") insert into "ninefold"."former_value" ("column_id", "record", "before", "after", "version") select ${own}, "app".${identifier(table)}."id", coalesce(to_jsonb(${identifier(column)}), 'null'), coalesce(to_jsonb(${after}), 'null'), ${constant(version)} from "app".${identifier(table)} where ${where} on conflict ("column_id", "record", "version") do update set "after" = excluded."after", "before" = case when ${isSecond} then "former_value"."before" else excluded."before" end, "at" = case when ${isSecond} then "former_value"."at" else excluded."at" end`;
};

/** Former values follow a column that gets another name, or a field that is retired or brought back. */
export const moveFormer = (place: Place, now: string): Sql =>
  sql`update "ninefold"."former_column" set "column_name" = ${constant(now)} where ${isPlace(place)}`;

/** Former values follow a table that gets another name. */
export const moveFormerTable = (table: string, now: string): Sql =>
  sql`update "ninefold"."former_column" set "table_name" = ${constant(now)} where "table_name" = ${constant(table)}`;

/** Deletes the former values of a retired field, or of all fields of a table. */
export const dropFormer = (table: string, column: string | null): Sql =>
  sql`with "gone" as (delete from "ninefold"."former_column" where "table_name" = ${constant(table)}${column === null ? sql`` : sql` and "column_name" = ${constant(column)}`} returning "id") delete from "ninefold"."former_value" where "column_id" in (select "id" from "gone")`;

/** Renames a value of a choice or state in former values. */
export const renameFormer = (
  { table, column, isMany }: Place & { readonly isMany: boolean },
  { old, now }: { readonly old: string; readonly now: string },
): readonly Sql[] =>
  [sql`"before"`, sql`"after"`].map((side) => {
    const [from, to] = [sql`to_jsonb(${constant(old)}::text)`, sql`to_jsonb(${constant(now)}::text)`];
    const renamed = isMany
      ? sql`(select jsonb_agg(case when "one" = ${from} then ${to} else "one" end order by "place") from jsonb_array_elements(${side}) with ordinality as "all"("one", "place"))`
      : to;
    return sql`update "ninefold"."former_value" set ${side} = ${renamed} where ${isFormerOf({ table, column })} and ${side} ${isMany ? sql`@>` : sql`=`} ${from}`;
  });

/** Converts former values of a field that changes to several values, or to one. */
export const renumberFormer = (place: Place, becomesMany: boolean): readonly Sql[] => {
  const changedSide = (side: Sql): Sql =>
    becomesMany
      ? sql`case when ${side} = 'null' then '[]' else jsonb_build_array(${side}) end`
      : sql`coalesce(${side} -> 0, 'null')`;
  return [
    sql`update "ninefold"."former_value" set "before" = ${changedSide(sql`"before"`)}, "after" = ${changedSide(sql`"after"`)} where ${isFormerOf(place)}`,
  ];
};

/** A column whose former values return. */
interface Returning extends Place {
  readonly entity: string;
  /** Its name until the switch, and that under which its former values are kept until then, if it was retired. */
  readonly retired?: { readonly column: string; readonly former: string };
}

/**
 * Restores the earlier values of records for which `isBack` holds. If several versions replaced a value one after the
 * other, the oldest one that the document has again is restored.
 */
const restoreFormer = (
  { entity, table, column, retired }: Returning,
  isBack: Sql,
  message: (rows: number) => Message | null,
  inPlace?: ReplaceInPlace,
): readonly MigrationStep[] => {
  const name = identifier(column);
  const own = sql`"app".${identifier(table)}`;
  const isOfColumn = isFormerOf({ table, column }, sql`"f"."column_id"`);
  const before =
    retired === undefined ? isOfColumn : isFormerOf({ table, column: retired.former }, sql`"f"."column_id"`);
  const isUntouched = sql`not exists (select from "ninefold"."audit" "a" where "a"."record" = "f"."record" and "a"."at" > "f"."at" and "a"."changes" ? ${constant(column)})`;
  const findIn = (isKept: Sql) => sql`with recursive "chain" as (
  select "f"."id", "f"."record", "f"."before" from "ninefold"."former_value" "f" join ${own} "t" on "t"."id" = "f"."record" where ${isKept} and coalesce(to_jsonb("t".${name}), 'null') = "f"."after" and ${isUntouched}
  union all
  select "f"."id", "f"."record", "f"."before" from "chain" "c" join "ninefold"."former_value" "f" on "f"."record" = "c"."record" and "f"."after" = "c"."before" and "f"."id" < "c"."id" where ${isKept} and ${isUntouched}
), "found" as (select distinct on ("f"."record") "f"."id", "f"."record", "f"."before" from "chain" "f" where ${isBack} order by "f"."record", "f"."id")`;
  // They are counted before the switch where many records follow.
  const isCounted = retired === undefined ? isOfColumn : sql`(${isOfColumn} or ${before})`;
  const counted: MigrationStep = {
    message: null,
    writes: {
      count: definitionText(sql`${findIn(isCounted)} select count(*)::int from "found"`),
      rows: { entity, find: definitionText(sql`${findIn(isCounted)} select "record" as "id" from "found"`) },
      message,
    },
    run: "",
  };
  const step: MigrationStep = {
    message: null,
    run: definitionText(
      sql`${findIn(isOfColumn)}, "written" as (update ${own} "t" set ${name} = (jsonb_populate_record(null::${own}, jsonb_build_object(${constant(column)}, "found"."before"))).${name} from "found" where "t"."id" = "found"."record") delete from "ninefold"."former_value" "f" using "found" where ${isOfColumn} and "f"."record" = "found"."record" and "f"."id" >= "found"."id"`,
    ),
  };
  if (inPlace === undefined) return [{ ...step, ...counted, run: step.run }];
  const live = retired?.column ?? column;
  return [
    counted,
    ...inPlace(step, restoreInPlace({ table, column, live }, { isBack, isHere: isOfColumn, before, isUntouched })),
  ];
};

/** The value of each record after former values are restored, as an expression on the table. */
const restoreInPlace = (
  { table, column, live: liveName }: Place & { readonly live: string },
  {
    isBack,
    isHere,
    before: isKept,
    isUntouched,
  }: { readonly isBack: Sql; readonly isHere: Sql; readonly before: Sql; readonly isUntouched: Sql },
): InPlace => {
  const own = sql`"app".${identifier(table)}`;
  const [id, live] = [sql`${own}."id"`, sql`${own}.${identifier(liveName)}`];
  const chain = sql`with recursive "chain" as (
  select "f"."id", "f"."before" from "ninefold"."former_value" "f" where ${isKept} and "f"."record" = ${id} and coalesce(to_jsonb(${live}), 'null') = "f"."after" and ${isUntouched}
  union all
  select "f"."id", "f"."before" from "chain" "c" join "ninefold"."former_value" "f" on "f"."after" = "c"."before" and "f"."id" < "c"."id" where ${isKept} and "f"."record" = ${id} and ${isUntouched}
) select "f"."before" from "chain" "f" where ${isBack} order by "f"."id" limit 1`;
  const hasFormer = sql`exists (select from "ninefold"."former_value" "f" where ${isKept} and "f"."record" = ${id})`;
  const value = sql`case when ${hasFormer} then (jsonb_populate_record(null::${own}, jsonb_build_object(${constant(liveName)}, coalesce((${chain}), to_jsonb(${live}))))).${identifier(liveName)} else ${live} end`;
  // Restored values are current again, so they and the values that replaced them are removed from the former ones.
  const deletion = sql`delete from "ninefold"."former_value" "g" using "ninefold"."former_value" "f", ${own} "t" where ${isHere} and "t"."id" = "f"."record" and "f"."before" = coalesce(to_jsonb("t".${identifier(column)}), 'null') and ${isBack} and "g"."column_id" = "f"."column_id" and "g"."record" = "f"."record" and "g"."id" >= "f"."id"`;
  return { value, where: sql`true`, retire: [definitionText(deletion)] };
};

/** Restores a merged value in the records that had it, when the document has the value again. */
export const restoreValues = (
  table: Table,
  column: {
    readonly name: string;
    readonly type: string;
    readonly clause: string;
    readonly retired?: NonNullable<Returning["retired"]>;
  },
  values: readonly string[],
  inPlace?: ReplaceInPlace,
): readonly MigrationStep[] => {
  const list = sql`array[${{ kind: "sql", parts: [values.map((value) => definitionText(constant(value))).join(", ")] }}]::text[]`;
  const isBack = column.type.endsWith("[]") ? sql`"f"."before" ?| ${list}` : sql`"f"."before" #>> '{}' = any (${list})`;
  return restoreFormer(
    {
      entity: findEntityIn(table),
      table: table.name,
      column: column.name,
      ...(column.retired === undefined ? {} : { retired: column.retired }),
    },
    isBack,
    (rows) => (rows === 0 ? null : say("step.restored", { clause: column.clause, rows })),
    inPlace,
  );
};

/**
 * Removes the value that records got when the field became required, when the field is optional again. `returning`: the
 * condition of other values that return, because a bound became wider.
 */
export const restoreMissingValues = (
  table: Table,
  column: { readonly name: string; readonly clause: string },
  inPlace: ReplaceInPlace | undefined,
  returning?: (json: Sql) => Sql,
): readonly MigrationStep[] => {
  const isMissing = sql`"f"."before" = 'null'`;
  return restoreFormer(
    { entity: findEntityIn(table), table: table.name, column: column.name },
    returning === undefined ? isMissing : sql`(${isMissing} or ${returning(sql`"f"."before"`)})`,
    (rows) =>
      rows === 0
        ? null
        : say(returning === undefined ? "step.unfilled" : "step.restored", { clause: column.clause, rows }),
    inPlace,
  );
};

/** Restores the values that a narrower bound had replaced, when it is wider again. */
export const restoreOutsideValues = (
  table: Table,
  column: { readonly name: string; readonly clause: string },
  returning: (json: Sql) => Sql,
  inPlace: ReplaceInPlace | undefined,
): readonly MigrationStep[] =>
  restoreFormer(
    { entity: findEntityIn(table), table: table.name, column: column.name },
    returning(sql`"f"."before"`),
    (rows) => (rows === 0 ? null : say("step.restored", { clause: column.clause, rows })),
    inPlace,
  );

/** Restores the values of converted records, when the field has its former type again. */
export const restoreConvertedValues = (
  table: Table,
  column: { readonly name: string; readonly clause: string },
  inPlace: ReplaceInPlace | undefined,
): readonly MigrationStep[] =>
  restoreFormer(
    { entity: findEntityIn(table), table: table.name, column: column.name },
    sql`true`,
    (rows) => (rows === 0 ? null : say("step.restored", { clause: column.clause, rows })),
    inPlace,
  );
