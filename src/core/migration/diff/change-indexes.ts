import type { Index, Table } from "../../derive/tables/table.ts";
import { say } from "../../i18n/message.ts";
import { definitionText, identifier, sql } from "../../sql.ts";
import { foundRows, type MigrationStep, type Online } from "../migration-step.ts";
import { nextName } from "../phases.ts";
import { inApp, raw } from "../sql-text.ts";
import { commentIndex, createIndexSql, dropIndexSql } from "./definitions.ts";

/**
 * Builds the index under another name. At the switch, it is renamed and becomes the index of the constraint, if there
 * is one.
 */
export const indexOnline = (table: Table, index: Index): Online => {
  const name = nextName(index.name);
  const [own, next] = [identifier(index.name), identifier(name)];
  const comment = definitionText(commentIndex(index));
  if (index.waits !== true)
    return {
      table: table.name,
      index: { name, build: createIndexSql(table, { ...index, name }, "concurrently ") },
      switch: `${definitionText(sql`alter index "app".${next} rename to ${own}`)};\n${comment}`,
    };
  const [, nulls = "", columns = ""] = /^(nulls not distinct )?(\(.*\)) deferrable$/u.exec(index.on) ?? [];
  return {
    table: table.name,
    index: {
      name,
      build: definitionText(
        sql`create unique index concurrently ${next} on ${inApp(table.name)} ${raw(`${columns} ${nulls}`.trim())}`,
      ),
    },
    switch: `${definitionText(sql`alter table ${inApp(table.name)} add constraint ${own} unique using index ${next} deferrable`)};\n${comment}`,
  };
};

export const createIndex = (table: Table, index: Index): MigrationStep => {
  const run = `${createIndexSql(table, index)};\n${definitionText(commentIndex(index))}`;
  const step = {
    message: say("step.index", { clause: index.clause, name: index.name }),
    run,
    online: indexOnline(table, index),
  };
  if (!index.unique) return step;
  const count = `select count(*)::int from (${index.twice ?? "select 1 where false"}) twice`;
  return {
    ...step,
    unless: {
      clause: index.clause,
      count,
      message: (rows) => say("refused.unique", { clause: index.clause, rows }),
      ...(index.alike === undefined ? {} : { misfits: foundRows(table, index.alike) }),
    },
  };
};

/** An index with a changed definition is rebuilt, because its name does not show the definition. */
export const changeIndexes = (liveTable: Table, table: Table): readonly MigrationStep[] => {
  const old = new Map(liveTable.indexes.map((index) => [index.name, index]));
  const drop = (index: Index) => definitionText(dropIndexSql(liveTable, index));
  const steps: MigrationStep[] = [];
  for (const index of table.indexes) {
    const before = old.get(index.name);
    old.delete(index.name);
    if (before?.on === index.on && before.unique === index.unique) continue;
    if (index.later === true) {
      if (before !== undefined)
        steps.push({ message: say("step.index.later", { clause: index.clause, name: index.name }), run: drop(before) });
      continue;
    }
    const create = createIndex(table, index);
    steps.push(
      before === undefined
        ? create
        : {
            ...create,
            message: say("step.index.rebuild", { clause: index.clause, name: index.name }),
            run: `${drop(before)};\n${create.run}`,
            ...(create.online === undefined
              ? {}
              : { online: { ...create.online, switch: `${drop(before)};\n${create.online.switch}` } }),
          },
    );
  }
  for (const index of old.values())
    steps.push({ message: say("step.index.removed", { clause: index.clause, name: index.name }), run: drop(index) });
  return steps;
};
