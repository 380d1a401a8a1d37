import type { Links, RowMaintenance, Table } from "../../derive/tables/table.ts";
import { definitionText, identifier, sql } from "../../sql.ts";
import type { MigrationStep } from "../migration-step.ts";
import { inApp } from "../sql-text.ts";

/**
 * Drops maintained tables that the document no longer needs or that it defines differently; these are recreated later.
 */
export const dropUnwanted = (
  live: readonly Table[],
  desired: readonly Table[],
): { readonly steps: readonly MigrationStep[]; readonly tables: readonly Table[] } => {
  const byName = new Map(desired.map((table) => [table.name, table]));
  const dropped = live.filter(({ name, links, rowMaintenance }) => {
    if (rowMaintenance !== undefined) return byName.get(name)?.rowMaintenance?.hash !== rowMaintenance.hash;
    return links !== undefined && !byName.has(name);
  });
  return {
    steps: dropped.map((table) =>
      table.rowMaintenance === undefined ? dropLinks(table) : dropMaintained(table, table.rowMaintenance),
    ),
    tables: live.filter((table) => !dropped.includes(table)),
  };
};

const dropMaintained = (table: Table, { functions }: RowMaintenance): MigrationStep => ({
  message: null,
  run: [
    ...functions.map((name) => definitionText(sql`drop function if exists ${inApp(name)}() cascade`)),
    definitionText(sql`drop table ${inApp(table.name)}`),
  ].join(";\n"),
});

/** A trigger maintains the link rows, whoever writes the column. */
export const keepLinks = (
  table: Table,
  { of, column }: Links,
): { readonly triggers: readonly string[]; readonly rows: string } => {
  const [links, owner, name] = [inApp(table.name), inApp(of), identifier(column)];
  const trigger = identifier(table.name);
  return {
    triggers: [
      sql`create function ${links}() returns trigger language plpgsql as $links$
begin
  if TG_OP = 'UPDATE' then
    delete from ${links} where "record" = new."id" and not "refers" = any (new.${name});
  end if;
  insert into ${links} ("record", "refers") select new."id", "one" from unnest(new.${name}) as "one" on conflict do nothing;
  return null;
end
$links$`,
      sql`create trigger ${trigger} after insert on ${owner} for each row when (new.${name} <> '{}') execute function ${links}()`,
      sql`create trigger ${identifier(`${table.name.slice(0, 58)}_kept`)} after update on ${owner} for each row when (old.${name} is distinct from new.${name}) execute function ${links}()`,
    ].map(definitionText),
    rows: definitionText(
      sql`insert into ${links} ("record", "refers") select distinct "id", unnest(${name}) from ${owner}`,
    ),
  };
};

/** Drops a link table. The column contains the same data. */
export const dropLinks = (table: Table): MigrationStep => ({
  message: null,
  run: definitionText(sql`drop function if exists ${inApp(table.name)}() cascade;\ndrop table ${inApp(table.name)}`),
});

/** The statements that create the triggers of derived rows, and the statement for the first rows. */
export const getMaintenance = ({
  run,
}: RowMaintenance): { readonly triggers: readonly string[]; readonly rows: string } => ({
  triggers: run.slice(0, -1),
  rows: run.at(-1) ?? "",
});
