import type { BehaviourLine } from "../../core/change/behaviour-line.ts";
import { compareWithProofs, toLine } from "../../core/change/compare-behaviour.ts";
import type { ComparedLine } from "../../core/change/compared-line.ts";
import { grantsFor, type Principal } from "../../core/derive/authorization/grants.ts";
import { toSql } from "../../core/expression/compile/to-sql.ts";
import { dateAt, getZone } from "../../core/expression/values/calendar.ts";
import type { Model } from "../../core/model/model.ts";
import { ADMINISTRATOR } from "../../core/model/permissions.ts";
import { constant, fill, join, render, type Sql, sql } from "../../core/sql.ts";
import type { FiguresOfLine } from "../../core/wire/authoring/replay.ts";
import { type Database, StoreSlow } from "../../postgres/database.ts";
import { callerParams } from "../plan/context.ts";
import { asCondition, readScope } from "../plan/row/read-scope.ts";
import { rowEnv, tableSql } from "../plan/row/sql-env.ts";
import { type Countable, findCountable, roleBefore } from "./countable.ts";

/** Counting stops at this number of records. */
const MAX_COUNTED = 10_000;

/** This many ids of the counted records are listed, like those of records that do not fit. */
const MAX_LISTED = 20;

/** Time limits of one count, and of all. */
const COUNT_TIMEOUT_MS = 1_000;
const TOTAL_TIMEOUT_MS = 10_000;

/**
 * Adds figures of stored data to the lines of behaviour. An author's counts include only records that they can read,
 * and depend only on values that they can read. Without an author, everything is counted. A count that takes too long
 * is left out.
 */
export const countFigures = async (
  owner: Database,
  before: Model,
  after: Model,
  author: Principal | null,
  now: Date,
): Promise<readonly BehaviourLine[]> => {
  const until = performance.now() + TOTAL_TIMEOUT_MS;
  const lines: BehaviourLine[] = [];
  for (const compared of compareWithProofs(before, after)) {
    const { basis } = compared;
    const line = toLine(compared);
    const isLate = performance.now() > until;
    const found =
      basis === null || isLate ? undefined : await countLineFigures({ owner, before, after, author, now }, compared);
    lines.push(found === undefined ? line : { ...line, figures: found });
  }
  return lines;
};

/** Two versions, the stored data, and the author to whose permissions the counts are limited. */
interface Counting {
  readonly owner: Database;
  readonly before: Model;
  readonly after: Model;
  readonly author: Principal | null;
  readonly now: Date;
}

const countLineFigures = async (
  counting: Counting,
  line: ComparedLine,
): Promise<FiguresOfLine["figures"] | undefined> => {
  const { owner, before, after, author } = counting;
  const countable = findCountable(line, before, after);
  const where = countable === undefined ? undefined : findCondition(before, countable, author);
  const counted = countable === undefined || where === undefined ? undefined : await count(counting, countable, where);
  const role = line.basis?.role ?? null;
  const people = role === null ? null : await countPeople(owner, before, after, role);
  return counted === undefined && people === null
    ? undefined
    : {
        records: counted?.records ?? null,
        ...(people ?? { people: null, role: null }),
        example: counted?.ids[0] ?? null,
        ids: counted?.ids ?? [],
      };
};

/** The condition of the counted records; undefined if it reads something that the author cannot read. */
const findCondition = (
  model: Model,
  { entity, conditions, reads }: Countable,
  author: Principal | null,
): Sql | undefined => {
  const env = rowEnv(model, entity, "t");
  const all = conditions.map((condition) => sql`(${toSql(condition, env).truth})`);
  if (author === null) return join([sql`TRUE`, ...all], " AND ");
  const scope = readScope(model, entity, author, "t");
  if (scope.grants.length === 0) return undefined;
  for (const { entity: name, field, isOwn } of reads) {
    if (field === "id") continue;
    if (isOwn) {
      if (scope.column(field) === undefined) return undefined;
      const visible = scope.visibleWhen(field);
      if (visible !== undefined) all.push(sql`(${visible})`);
      continue;
    }
    const other = model.entities.get(name);
    const isOpen =
      other !== undefined &&
      grantsFor(model, other, "read", author).some(
        ({ conditions: some, fields }) => some.length === 0 && (fields === null || fields.has(field)),
      );
    if (!isOpen) return undefined;
  }
  return join([asCondition(scope.rows), ...all], " AND ");
};

const count = async (
  { owner, before: model, author, now }: Counting,
  { entity }: Countable,
  where: Sql,
): Promise<{ readonly records: number; readonly ids: readonly string[] } | undefined> => {
  const statement = render(
    sql`SELECT count(*)::integer AS "records", coalesce((array_agg("id"))[1:${constant(MAX_LISTED)}], '{}') AS "ids" FROM (SELECT "t"."id" FROM ${tableSql(entity)} AS "t" WHERE ${where} LIMIT ${constant(MAX_COUNTED + 1)}) AS "c"`,
  );
  const today = dateAt(now.toISOString(), getZone(model.timezone)) ?? "";
  const principal = author ?? { id: null, granted: new Set() };
  const values = fill(statement, callerParams({ principal, now, today }));
  try {
    const [row] = await owner.transaction(async (query) => {
      await query({ text: `set local statement_timeout = ${COUNT_TIMEOUT_MS}`, values: [] });
      return query({ text: statement.text, values });
    });
    return { records: Number(row?.records), ids: (row?.ids ?? []) as readonly string[] };
  } catch (error) {
    if (error instanceof StoreSlow) return undefined;
    throw error;
  }
};

/** Counts the active people with a role; null for a role of everybody, a new one, and one that is held on a record. */
const countPeople = async (
  owner: Database,
  before: Model,
  after: Model,
  role: string,
): Promise<Pick<FiguresOfLine["figures"], "people" | "role"> | null> => {
  const name = role === ADMINISTRATOR ? role : roleBefore(role, before, after);
  const members = name === undefined || name === ADMINISTRATOR ? "granted" : before.roles.get(name)?.members;
  if (name === undefined || members === "anyone") return null;
  const [row] = await owner.query({
    text: `select count(*)::integer as people from app."user" where "active" and ($1 or "roles" @> array[$2])`,
    values: [members === "signed in", name],
  });
  return { people: Number(row?.people), role: members === "signed in" ? null : name };
};
