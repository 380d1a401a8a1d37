import type { Column, Counter, Table } from "../../derive/tables/table.ts";
import type { SeriesPart } from "../../field/sequence.ts";
import { say } from "../../i18n/message.ts";
import { constant, definitionText, identifier, join, type Sql, sql } from "../../sql.ts";
import { type MigrationStep, writtenRows } from "../migration-step.ts";
import { inApp } from "../sql-text.ts";

const run = (...statements: readonly Sql[]): string => statements.map(definitionText).join(";\n");

/**
 * Numbers records without a number, in the order of their creation, and continues the counter after the highest number.
 * `isAdded`: the column is new, so that counting starts at 1. If the column is optional, existing records stay without
 * a number, since a transition assigns it.
 */
export const numberRecords = (table: Table, column: Column, counter: Counter, isAdded: boolean): MigrationStep => {
  const isNumberless = sql`${identifier(column.name)} is null`;
  const message = (rows: number) => (rows === 0 ? null : say("step.numbered", { clause: column.clause, rows }));
  const written = { ...writtenRows(table, isNumberless), message };
  const { begin, update, end, online } =
    counter.text === null
      ? countWholeNumbers(table, column, counter.key, isAdded)
      : countTexts(table, column, counter.key, counter.text);
  if (!column.required) return { message: null, run: run(begin) };
  return {
    message: message(0),
    writes: written,
    run: run(begin, update, end),
    // Another step, under another name, writes numbers that are computed from other columns.
    ...(column.conversion !== undefined || online === undefined ? {} : { online }),
  };
};

/** The statements of a step: continue the counter, number the records, continue after these. */
interface Counting {
  readonly begin: Sql;
  readonly update: Sql;
  readonly end: Sql;
  readonly online?: MigrationStep["online"];
}

const countWholeNumbers = (table: Table, column: Column, counter: string, isAdded: boolean): Counting => {
  const [name, own] = [identifier(column.name), inApp(table.name)];
  const isNumberless = sql`${name} is null`;
  const key = sql`"field" = ${constant(counter)} and "scope" = '{n}'`;
  const last = sql`(select "last" from "ninefold"."sequence" where ${key})`;
  const next = isAdded ? sql`excluded."last"` : sql`greatest("counter"."last", excluded."last")`;
  const begin = sql`insert into "ninefold"."sequence" as "counter" ("field", "scope", "last") select ${constant(counter)}, '{n}', coalesce(max(${name}), 0) from ${own} on conflict ("field", "scope") do update set "last" = ${next}`;
  const end = sql`update "ninefold"."sequence" set "last" = greatest("last", (select max(${name}) from ${own})) where ${key}`;
  return {
    begin,
    update: sql`update ${own} set ${name} = ${last} + "numbered"."place" from (select "id", row_number() over (order by "id") as "place" from ${own} where ${isNumberless}) as "numbered" where "numbered"."id" = ${own}."id"`,
    end,
    online: {
      table: table.name,
      expand: run(begin),
      backfill: {
        clause: column.clause,
        column: column.name,
        // The ids of a batch are sorted by creation.
        value: definitionText(sql`${last} + array_position(${{ kind: "sql", parts: ["$1::uuid[]"] }}, ${own}."id")`),
        where: definitionText(isNumberless),
        again: definitionText(isNumberless),
        former: null,
        after: definitionText(
          sql`update "ninefold"."sequence" set "last" = greatest("last", (select max(${name}) from ${own} where "id" = any (${{ kind: "sql", parts: ["$1::uuid[]"] }}))) where ${key}`,
        ),
      },
      switch: run(end),
    },
  };
};

/** Numbers within a text, such as `LV-2026-00042`. Each text around the number has a counter of its own. */
const countTexts = (
  table: Table,
  column: Column,
  counter: string,
  { parts, timezone }: NonNullable<Counter["text"]>,
): Counting => {
  const [name, own] = [identifier(column.name), inApp(table.name)];
  const at = parts.findIndex((part) => typeof part === "object" && part.of === "number");
  const number = parts[at];
  const width = typeof number === "object" && number.of === "number" ? number.width : 1;
  const around = (some: readonly SeriesPart[]): Sql =>
    some.length === 0
      ? sql`''`
      : sql`(${join(
          some.map((part) => partSql(part, timezone)),
          " || ",
        )})`;
  const key = constant(counter);
  const scope = sql`"before" || '{n}' || "after"`;
  const digits = sql`"numbered"."number"::text`;
  const begin = sql`insert into "ninefold"."sequence" as "counter" ("field", "scope", "last") select ${key}, "found"."parts"[1] || '{n}' || "found"."parts"[3], max("found"."parts"[2]::bigint) from ${own} cross join lateral (select regexp_match(${name}, ${constant(patternOf(parts, at))}) as "parts") as "found" where "found"."parts" is not null group by 2 on conflict ("field", "scope") do update set "last" = greatest("counter"."last", excluded."last")`;
  const without = sql`select "id", ${around(parts.slice(0, at))} as "before", ${around(parts.slice(at + 1))} as "after" from ${own} where ${name} is null`;
  const numbered = sql`select "id", "before", "after", coalesce((select "last" from "ninefold"."sequence" where "field" = ${key} and "scope" = ${scope}), 0) + row_number() over (partition by "before", "after" order by "id") as "number" from (${without}) as "without"`;
  const update = sql`update ${own} set ${name} = "numbered"."before" || lpad(${digits}, greatest(${constant(width)}, length(${digits})), '0') || "numbered"."after" from (${numbered}) as "numbered" where "numbered"."id" = ${own}."id"`;
  return { begin, update, end: begin };
};

const dayFormats = { year: "YYYY", month: "MM", day: "DD" } as const;
const dayDigits = { year: "[0-9]{4}", month: "[0-9]{2}", day: "[0-9]{2}" } as const;

/** A part of a pattern for an existing record: its date is the day on which the record was created. */
const partSql = (part: SeriesPart, timezone: string): Sql => {
  if (typeof part === "string") return constant(part);
  return part.of === "number"
    ? sql`''`
    : sql`to_char("created_at" at time zone ${constant(timezone)}, ${constant(dayFormats[part.of])})`;
};

/** A regular expression with the texts before and after the number, and the number between them. */
const patternOf = (parts: readonly SeriesPart[], at: number): string => {
  const literal = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, (sign) => `\\${sign}`);
  const around = (some: readonly SeriesPart[]) =>
    some
      .map((part) => (typeof part === "string" ? literal(part) : part.of === "number" ? "" : dayDigits[part.of]))
      .join("");
  return `^(${around(parts.slice(0, at))})([0-9]{1,18})(${around(parts.slice(at + 1))})$`;
};
