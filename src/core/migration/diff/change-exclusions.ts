import type { Exclusion, Table } from "../../derive/tables/table.ts";
import { say } from "../../i18n/message.ts";
import { constant, definitionText, identifier, type Sql, sql } from "../../sql.ts";
import { foundRows, type MigrationStep, type Online, refuseChange } from "../migration-step.ts";
import { comparedColumnName, hiddenComment, IS_COMPARED, nextName } from "../phases.ts";
import { inApp, raw } from "../sql-text.ts";
import { addExclusionSql, commentExclusion } from "./definitions.ts";

/**
 * Postgres builds an exclusion constraint under a lock that blocks everybody. So the constraint first applies to no
 * row, and then to all rows by means of a column of its own that is written in batches. The former constraint of that
 * name stays in force until the switch.
 */
export const exclusionOnline = (table: Table, exclusion: Exclusion): Online | undefined => {
  const { name, definition, among, clause } = exclusion;
  const end = among === undefined ? " deferrable" : ` where (${among}) deferrable`;
  if (!definition.endsWith(end)) return undefined;
  const [checked, alter] = [comparedColumnName(name), sql`alter table ${inApp(table.name)}`];
  const [own, next] = [identifier(checked), identifier(nextName(checked))];
  // The scan stops at the column that is false for every row.
  const condition = among === undefined ? next : sql`${next} and (${raw(among)})`;
  return {
    table: table.name,
    expand: [
      definitionText(sql`${alter} add column ${next} boolean`),
      hiddenComment(table.name, nextName(checked)),
      definitionText(
        sql`${alter} add constraint ${identifier(nextName(name))} ${raw(definition.slice(0, -end.length))} where (${condition}) deferrable`,
      ),
    ].join(";\n"),
    scans: true,
    backfill: {
      clause,
      column: nextName(checked),
      value: "true",
      where: "true",
      again: "true",
      former: null,
      turn: "last",
    },
    switch: [
      ...dropExclusion(table, exclusion),
      sql`${alter} rename column ${next} to ${own}`,
      sql`${alter} alter column ${own} set default true`,
      sql`comment on column ${inApp(table.name)}.${own} is ${constant(IS_COMPARED)}`,
      sql`${alter} rename constraint ${identifier(nextName(name))} to ${identifier(name)}`,
      commentExclusion(table, exclusion),
    ]
      .map(definitionText)
      .join(";\n"),
  };
};

/** Drops a constraint if it still exists: it may have been dropped with a column that it read. */
export const dropExclusion = (table: Pick<Table, "name">, { name }: Pick<Exclusion, "name">): readonly Sql[] => {
  const alter = sql`alter table ${inApp(table.name)}`;
  return [
    sql`${alter} drop constraint if exists ${identifier(name)}`,
    sql`${alter} drop column if exists ${identifier(comparedColumnName(name))}`,
  ];
};

export const addExclusion = (table: Table, exclusion: Exclusion): MigrationStep => {
  const online = exclusionOnline(table, exclusion);
  return {
    ...(online === undefined ? {} : { online }),
    message: say("step.check", { clause: exclusion.clause }),
    run: `${addExclusionSql(table, exclusion)};\n${definitionText(commentExclusion(table, exclusion))}`,
    refusable: refuseChange(
      exclusion.clause,
      say("refused.pairs", { clause: exclusion.clause, same: exclusion.same === true }),
    ),
    ...(exclusion.alike === undefined ? {} : { conflicts: foundRows(table, exclusion.alike) }),
  };
};

export const changeExclusions = (
  liveTable: Table,
  table: Table,
): { readonly drops: readonly MigrationStep[]; readonly steps: readonly MigrationStep[] } => {
  const old = new Map(liveTable.exclusions.map((exclusion) => [exclusion.name, exclusion]));
  const drop = (exclusion: Exclusion) => dropExclusion(table, exclusion).map(definitionText).join(";\n");
  const steps: MigrationStep[] = [];
  for (const exclusion of table.exclusions) {
    const before = old.get(exclusion.name);
    old.delete(exclusion.name);
    if (before?.definition === exclusion.definition) continue;
    const add = addExclusion(table, exclusion);
    steps.push(before === undefined ? add : { ...add, run: `${drop(before)};\n${add.run}` });
  }
  const removed = [...old.values()].map((exclusion) => ({
    message: say("step.check.removed", { clause: exclusion.clause }),
    run: drop(exclusion),
    online: { table: table.name, switch: drop(exclusion) },
  }));
  return { drops: removed, steps };
};
