import type { Exclusion, Table } from "../../derive/tables/table.ts";
import { say } from "../../i18n/message.ts";
import { constant, definitionText, identifier, sql } from "../../sql.ts";
import { type MigrationStep, type Online, refuseChange } from "../migration-step.ts";
import { comparedColumnName, hiddenComment, IS_COMPARED, nextName } from "../phases.ts";
import { inApp, raw } from "../sql-text.ts";
import { addExclusionSql, commentExclusion } from "./definitions.ts";

/**
 * Postgres builds an exclusion constraint under a lock that everybody waits for. So it is added for no row at first, and
 * then for all of them, by a column of its own that is written in batches.
 */
const exclusionOnline = (table: Table, exclusion: Exclusion): Online | undefined => {
  const { name, definition, among, clause } = exclusion;
  const end = among === undefined ? " deferrable" : ` where (${among}) deferrable`;
  if (!definition.endsWith(end)) return undefined;
  const [checked, alter] = [comparedColumnName(name), sql`alter table ${inApp(table.name)}`];
  const own = identifier(checked);
  const condition = among === undefined ? own : sql`(${raw(among)}) and ${own}`;
  return {
    table: table.name,
    expand: [
      definitionText(sql`${alter} drop column if exists ${own} cascade`),
      definitionText(sql`${alter} add column ${own} boolean`),
      hiddenComment(table.name, checked),
      definitionText(
        sql`${alter} add constraint ${identifier(nextName(name))} ${raw(definition.slice(0, -end.length))} where (${condition}) deferrable`,
      ),
    ].join(";\n"),
    scans: true,
    backfill: { clause, column: checked, value: "true", where: "true", again: "true", former: null },
    switch: [
      sql`${alter} alter column ${own} set default true`,
      sql`comment on column ${inApp(table.name)}.${own} is ${constant(IS_COMPARED)}`,
      sql`${alter} rename constraint ${identifier(nextName(name))} to ${identifier(name)}`,
      commentExclusion(table, exclusion),
    ]
      .map(definitionText)
      .join(";\n"),
  };
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
  };
};

export const changeExclusions = (
  known: Table,
  table: Table,
): { readonly drops: readonly MigrationStep[]; readonly steps: readonly MigrationStep[] } => {
  const old = new Map(known.exclusions.map((exclusion) => [exclusion.name, exclusion]));
  const alter = sql`alter table ${inApp(table.name)}`;
  const drop = ({ name }: Exclusion) =>
    [
      sql`${alter} drop constraint ${identifier(name)}`,
      sql`${alter} drop column if exists ${identifier(comparedColumnName(name))}`,
    ]
      .map(definitionText)
      .join(";\n");
  const steps: MigrationStep[] = [];
  for (const exclusion of table.exclusions) {
    const before = old.get(exclusion.name);
    old.delete(exclusion.name);
    if (before?.definition === exclusion.definition) continue;
    const { online, ...add } = addExclusion(table, exclusion);
    steps.push(
      before === undefined
        ? { ...add, ...(online === undefined ? {} : { online }) }
        : { ...add, run: `${drop(before)};\n${add.run}` },
    );
  }
  const gone = [...old.values()].map((one) => ({
    message: say("step.check.removed", { clause: one.clause }),
    run: drop(one),
  }));
  return { drops: gone, steps };
};
