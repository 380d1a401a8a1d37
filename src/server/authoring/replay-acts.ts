import type { AuditChanges, AuditLine, PresentRecord, RefusedRequest } from "../../core/change/replay/audit-line.ts";
import { MOST_ACTS, MOST_RECORDS, REPLAY_DAYS } from "../../core/change/replay/bounds.ts";
import { createReplay, type Replay, type RequestedRecord } from "../../core/change/replay/replay.ts";
import type { Entity } from "../../core/model/entity.ts";
import type { Model } from "../../core/model/model.ts";
import { constant, identifier, join, render, type Sql, sql } from "../../core/sql.ts";
import type { ReplayedActs } from "../../core/wire/authoring/replay.ts";
import type { Database, Row, RunQuery } from "../../postgres/database.ts";
import { readPast } from "../../postgres/schema/newest-document.ts";
import { changesOfRow, listStoredFields } from "../plan/row/audit-line.ts";
import { tableSql } from "../plan/row/sql-env.ts";

/** Time limit of a replay. */
const REPLAY_TIMEOUT_MS = 20_000;

const DAY = 86_400_000;

/** Number of lines, and of records, read at a time. */
const PAGE_SIZE = 2_000;

interface ReplayOptions {
  readonly days?: number;
  readonly now?: Date;
  /** In milliseconds. */
  readonly patience?: number;
  /** Maximum number of changes of each kind that are checked. */
  readonly most?: number;
  /** Maximum number of records that are read as whole entities. */
  readonly records?: number;
}

/**
 * Replays the acts of the last days under a draft. `before` is the live version. Everything is read from one
 * snapshot in pages, and nothing is written. Of each kind of act, the newest ones are checked. Computes in the caller's
 * thread for up to `patience`.
 */
export const replayActs = (
  owner: Database,
  before: Model,
  after: Model,
  {
    days = REPLAY_DAYS,
    now = new Date(),
    patience = REPLAY_TIMEOUT_MS,
    most = MOST_ACTS,
    records = MOST_RECORDS,
  }: ReplayOptions = {},
): Promise<ReplayedActs> =>
  owner.transaction(async (query) => {
    const until = performance.now() + patience;
    await query({ text: "set transaction isolation level repeatable read, read only", values: [] });
    const [newest] = await query({ text: "select max(number) as version from ninefold.version", values: [] });
    const since = new Date(now.getTime() - days * DAY).toISOString();
    const past = await readPast(query);
    const refusals = await readRefusals(query, since);
    const versions = { before, after, version: Number(newest?.version ?? 0), past };
    const changes = await countChanges(query, since);
    const replay = createReplay(versions, { days, since, changes, seconds: patience / 1_000, most }, refusals);
    await addEntities(query, before, replay, records);
    const refused = refusals.flatMap(({ entity, record }) => (record === null ? [] : [{ entity, id: record }]));
    await addRecords(query, before, replay, refused);
    let from = Number.MAX_SAFE_INTEGER;
    for (;;) {
      const lines = await readLines(query, sql`id < ${constant(from)} order by id desc limit ${constant(PAGE_SIZE)}`);
      for (let wanted = replay.listNeededRecords(lines), round = 0; wanted.length > 0 && round < REFERENCES; round++) {
        await addRecords(query, before, replay, wanted);
        if (replay.hasLeftOut()) await rewindRecords(query, replay, wanted, from);
        wanted = replay.listNeededRecords(lines);
      }
      const isLast = lines.length < PAGE_SIZE || lines.every(({ at }) => at < since);
      if (replay.take(lines, isLast) || isLast) return replay.finish(false);
      if (performance.now() > until) return replay.finish(true);
      from = lines.at(-1)?.id ?? 0;
    }
  });

/** Maximum length of a path of references, such as `loan.borrower.manager`, along which records are read. */
const REFERENCES = 3;

/** Reads all records of the smallest entities, as many as fit. */
const addEntities = async (query: RunQuery, model: Model, replay: Replay, most: number): Promise<void> => {
  const entities = [...model.entities.values()].filter(
    ({ rows, served, name }) => rows === null && (served || name === "User"),
  );
  const sizes: { readonly entity: Entity; readonly size: number }[] = [];
  for (const entity of entities) {
    const { text } = render(
      sql`SELECT count(*)::integer AS "count" FROM (SELECT FROM ${tableSql(entity)} LIMIT ${constant(most + 1)}) AS "t"`,
    );
    const [row] = await query({ text, values: [] });
    sizes.push({ entity, size: Number(row?.count) });
  }
  let room = most;
  for (const { entity, size } of sizes.toSorted((a, b) => a.size - b.size)) {
    room -= size;
    if (room < 0) return;
    for (let last = ""; ; ) {
      const after = last === "" ? sql`TRUE` : sql`"t"."id" > ${constant(last)}::uuid`;
      const records = await readRecords(query, entity, sql`${after} ORDER BY "t"."id" LIMIT ${constant(PAGE_SIZE)}`);
      replay.add(entity.name, records);
      last = records.at(-1)?.id ?? "";
      if (records.length < PAGE_SIZE) break;
    }
    replay.complete(entity.name);
  }
};

const addRecords = async (
  query: RunQuery,
  model: Model,
  replay: Replay,
  wanted: readonly RequestedRecord[],
): Promise<void> => {
  for (const entity of model.entities.values()) {
    const ids = wanted.flatMap((requested) => (requested.entity === entity.name ? [constant(requested.id)] : []));
    if (entity.rows !== null) continue;
    for (let from = 0; from < ids.length; from += PAGE_SIZE) {
      const some = join(ids.slice(from, from + PAGE_SIZE), ", ");
      replay.add(entity.name, await readRecords(query, entity, sql`"t"."id" = ANY(ARRAY[${some}]::uuid[])`));
    }
  }
};

/** Records in the form of the audit. */
const readRecords = async (query: RunQuery, entity: Entity, where: Sql): Promise<readonly PresentRecord[]> => {
  const fields = [...listStoredFields(entity), ...(entity.name === "User" ? ["roles"] : [])];
  const { text } = render(
    sql`SELECT "t"."id", "t"."created_at", "t"."updated_at", ${changesOfRow(entity, fields, "t", "after")} AS ${identifier("changes")} FROM ${tableSql(entity)} AS "t" WHERE ${where}`,
  );
  return (await query({ text, values: [] })).map((row) => ({
    id: String(row.id),
    createdAt: String(row.created_at),
    updatedAt: String(row.updated_at),
    changes: row.changes as AuditChanges,
  }));
};

const textOrNull = (value: unknown): string | null => (value === null ? null : String(value));

/** Rewinds records that were read late to the moment of the others, by undoing the lines from `from` on. */
const rewindRecords = async (
  query: RunQuery,
  replay: Replay,
  added: readonly RequestedRecord[],
  from: number,
): Promise<void> => {
  const ids = join(
    added.map(({ id }) => constant(id)),
    ", ",
  );
  replay.rewind(
    await readLines(query, sql`record = any(array[${ids}]::uuid[]) and id >= ${constant(from)} order by id desc`),
  );
};

/** Counts changes by kind. */
const countChanges = async (query: RunQuery, since: string) =>
  (
    await query({
      text: `select entity, action, count(*)::integer as changes from ninefold.audit
           where at >= $1 and id >= (select coalesce(max(first_id), 0) from ninefold.audit_month where began_at < $1::timestamptz - interval '7 days')
           group by entity, action`,
      values: [since],
    })
  ).map(({ entity, action, changes }) => ({
    entity: String(entity),
    action: String(action),
    changes: Number(changes),
  }));

const readLines = async (query: RunQuery, where: Sql): Promise<readonly AuditLine[]> => {
  const { text } = render(
    sql`select id, at, person, entity, record, action, clause, document, changes, cause, xmin::text as "transaction" from ninefold.audit where ${where}`,
  );
  const rows = await query({ text, values: [] });
  return rows.map((row) => ({
    ...toAct(row),
    id: Number(row.id),
    record: String(row.record),
    clause: String(row.clause),
    changes: row.changes as AuditChanges,
    cause: row.cause === null ? null : Number(row.cause),
    // A restored database wrote all lines in one transaction. There, the moment and the person tell requests apart.
    transaction: `${String(row.transaction)} ${String(row.at)} ${String(row.person)}`,
  }));
};

const toAct = (row: Row) => ({
  at: String(row.at),
  person: textOrNull(row.person),
  entity: String(row.entity),
  action: String(row.action),
  document: Number(row.document),
});

/** Reads refusals for permission or state, newest first. */
const readRefusals = async (query: RunQuery, since: string): Promise<readonly RefusedRequest[]> => {
  const rows = await query({
    text: `select at, person, entity, record, action, code, clause, document from ninefold.refusal
           where at >= $1 and person is not null and entity is not null and code in ('FORBIDDEN', 'NOT_FOUND', 'WRONG_STATE')
           order by at desc, id desc limit ${MOST_ACTS}`,
    values: [since],
  });
  return rows.map((row) => ({
    ...toAct(row),
    record: textOrNull(row.record),
    code: String(row.code),
    clause: textOrNull(row.clause),
  }));
};
