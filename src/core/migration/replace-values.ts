import type { Column, Table } from "../derive/tables/table.ts";
import { definitionText, identifier, type Sql, sql } from "../sql.ts";
import { indexOnline } from "./diff/change-indexes.ts";
import { getReaders } from "./diff/constraints-of-column.ts";
import { addCheckSql, columnNote, commentCheck, validateConstraintSql } from "./diff/definitions.ts";
import { notNullName } from "./diff/require-column.ts";
import type { MigrationStep, Online } from "./migration-step.ts";
import { hiddenComment, nextName } from "./phases.ts";
import { inApp, raw } from "./sql-text.ts";

/*
 * Values that get others, in a table with many records. The live version must not see them early, so they are written
 * into a second column with indexes of its own, which takes the place of the first at the switch.
 */

interface Replacing {
  /** The table before any of its values changes. */
  readonly before: Table;
  /** The table after the values are replaced. */
  readonly after: Table;
  readonly aim: Table;
  readonly column: Column;
}

const quote = (name: string): string => definitionText(identifier(name));

/** True if a second column can take the place of the first: everything that depends on it can be built beside it. */
export const canReplace = (
  { before, after, aim, column }: Replacing,
  { desired }: { readonly desired: readonly Table[] },
): boolean => {
  const name = quote(column.name);
  const target = aim.columns.find((one) => one.name === column.name);
  const isKept = ({ kept }: Table): boolean =>
    kept?.run.some((text) => text.includes(definitionText(inApp(aim.name))) && text.includes(name)) === true;
  return (
    target?.type === column.type &&
    target.generated === undefined &&
    target.conversion === undefined &&
    column.generated === undefined &&
    column.references === null &&
    column.listReferences === undefined &&
    !before.exclusions.some(({ definition }) => definition.includes(name)) &&
    !before.columns.some((one) => one.byTrigger === undefined && one.generated?.includes(name) === true) &&
    !aim.columns.some(({ conversion }) => conversion?.former.some((one) => one.name === column.name)) &&
    !desired.some(isKept) &&
    getReaders(after, column).indexes.every((index) =>
      aim.indexes.some(
        (one) => one.name === index.name && one.on === index.on && one.unique === index.unique && one.later !== true,
      ),
    )
  );
};

/**
 * The work in phases that gives a column other values, and the steps for its indexes. `keeps` is the condition of rows
 * whose former values are kept for going back; `also` are statements for the switch.
 */
export const replaceOnline = (
  { after, column }: Replacing,
  {
    value,
    keeps,
    version,
    also,
  }: {
    readonly value: Sql;
    readonly keeps: Sql | undefined;
    readonly version: number;
    readonly also: readonly string[];
  },
): { readonly online: Online; readonly indexes: readonly MigrationStep[] } => {
  const next = nextName(column.name);
  const [name, own] = [identifier(column.name), identifier(next)];
  const alter = sql`alter table ${inApp(after.name)}`;
  const order = column.type === "text" || column.type === "text[]" ? sql` collate "pg_unicode_fast"` : sql``;
  const { checks, indexes } = getReaders(after, column);
  const required = notNullName(after, column);
  const written = sql`(${value})::${raw(column.type)}`;
  const inNext = (text: string): string => text.replaceAll(quote(column.name), () => quote(next));
  return {
    online: {
      table: after.name,
      readsFormer: true,
      expand: [
        definitionText(sql`${alter} add column ${own} ${raw(column.type)}${order}`),
        hiddenComment(after.name, next),
      ].join(";\n"),
      backfill: {
        clause: column.clause,
        column: next,
        value: definitionText(written),
        where: definitionText(sql`${name} is not null`),
        again: "true",
        former: keeps === undefined ? null : version,
        ...(keeps === undefined ? {} : { keeps: { column: column.name, where: definitionText(keeps) } }),
      },
      switch: [
        definitionText(sql`${alter} drop column ${name}`),
        definitionText(sql`${alter} rename column ${own} to ${name}`),
        ...(column.initial === null
          ? []
          : [definitionText(sql`${alter} alter column ${name} set default ${raw(column.initial)}`)]),
        ...(column.required
          ? [definitionText(sql`${alter} add constraint ${identifier(required)} not null ${name} not valid`)]
          : []),
        definitionText(sql`comment on column ${inApp(after.name)}.${name} is ${columnNote(column)}`),
        ...checks.flatMap((check) => [
          `${addCheckSql(after, check)} not valid`,
          definitionText(commentCheck(after, check)),
        ]),
        ...also,
      ].join(";\n"),
      retire: [...(column.required ? [required] : []), ...checks.map((check) => check.name)].map((constraint) =>
        validateConstraintSql(after, constraint),
      ),
    },
    indexes: indexes.map((index): MigrationStep => {
      const online = indexOnline(after, index);
      const built = online.index;
      return {
        message: null,
        run: "",
        online: {
          ...online,
          readsFormer: true,
          ...(built === undefined ? {} : { index: { ...built, build: inNext(built.build) } }),
        },
      };
    }),
  };
};
