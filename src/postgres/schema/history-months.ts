import { constant, identifier, render, type Sql, sql } from "../../core/sql.ts";
import { type Database, type RunQuery, StoreSlow } from "../database.ts";
import { retrySlow, withRetries } from "../with-retries.ts";
import { systemQuery } from "./prepare-system.ts";
import { HISTORY_LOCK } from "./system-tables.ts";

/*
 * The history (`ninefold.audit`) is partitioned by ranges of ids. A month, counted from January 2000, has the ids from its
 * number times 2^40 on. The sequence of ids is advanced at the beginning of a month, and only once the partition exists. So
 * a line always has a partition, ids grow with time, and the id alone is the primary key.
 */

/** Below this number of lines, a partition goes on into the next month: smaller ones would cost more than they save. */
const ENOUGH_LINES = 250_000;

/** The partition with the lines from before the table had partitions. */
const BEFORE = "audit_before";

/** Milliseconds that a statement waits for people who write, and that they wait for it. */
const LOCK_WAIT = 250;
const ATTEMPTS = 20;

const isPartitioned = async (query: RunQuery): Promise<boolean> =>
  (await query(systemQuery("select from pg_partitioned_table where partrelid = 'ninefold.audit'::regclass"))).length >
  0;

/**
 * Partitions the history, if that has not been done, while people work: no statement holds a lock for longer than a
 * moment, and no line is copied. False if the table was in use all the time; the next start tries again.
 */
export const partitionHistory = async (owner: Database, now: Date, attempts = ATTEMPTS): Promise<boolean> => {
  if (await isPartitioned(owner.query)) return true;
  try {
    const bound = await withRetries([retrySlow(attempts)], () => addBound(owner, now));
    if (bound === undefined) return true;
    await validateBound(owner, bound);
    await withRetries([retrySlow(attempts)], () => replaceTable(owner, bound));
    return true;
  } catch (error) {
    if (error instanceof StoreSlow) return false;
    throw error;
  }
};

/** Once the newest partition has enough lines, begins that of this month, and adds that of the next one. */
export const prepareMonths = async (database: Database, now: Date, enough = ENOUGH_LINES): Promise<void> => {
  await database.query(systemQuery("select ninefold.prepare_audit_months($1, $2)", [now.toISOString(), enough]));
};

const toQuery = (fragment: Sql) => systemQuery(render(fragment).text);

const nameBound = (bound: number): string => `audit_below_${bound}`;

/**
 * Promises that the ids so far are below those of a month, and gives that month. Undefined if another server that started at
 * the same time has divided the history meanwhile.
 */
const addBound = (owner: Database, now: Date): Promise<number | undefined> =>
  owner.transaction(async (query) => {
    await query(systemQuery("select pg_advisory_xact_lock($1)", [HISTORY_LOCK]));
    if (await isPartitioned(query)) return undefined;
    await query(systemQuery(`set local lock_timeout = ${LOCK_WAIT}`));
    const [row] = await query(
      systemQuery(`select greatest(coalesce(max(id), 0), (select coalesce(pg_sequence_last_value(pg_get_serial_sequence('ninefold.audit', 'id')::regclass), 0))) as last,
        (select array_agg(conname::text) from pg_constraint where conrelid = 'ninefold.audit'::regclass and conname like 'audit\\_below\\_%') as bounds
        from ninefold.audit`),
    );
    const month = now.getUTCFullYear() * 12 + now.getUTCMonth() - 24_000;
    const bound = Math.max(month, Math.floor(Number(row?.last) / 2 ** 40) + 1);
    const bounds = (row?.bounds ?? []) as readonly string[];
    // A start that was interrupted can have left an earlier one.
    for (const name of bounds)
      if (name !== nameBound(bound))
        await query(toQuery(sql`ALTER TABLE ninefold.audit DROP CONSTRAINT ${identifier(name)}`));
    if (!bounds.includes(nameBound(bound)))
      await query(
        toQuery(
          sql`ALTER TABLE ninefold.audit ADD CONSTRAINT ${identifier(nameBound(bound))} CHECK (id < ${constant(bound * 2 ** 40)}) NOT VALID`,
        ),
      );
    return bound;
  });

/** Checks the promise without blocking anybody. */
const validateBound = (owner: Database, bound: number): Promise<void> =>
  owner.transaction(async (query) => {
    await query(systemQuery("select pg_advisory_xact_lock($1)", [HISTORY_LOCK]));
    if (await isPartitioned(query)) return;
    await query(toQuery(sql`ALTER TABLE ninefold.audit VALIDATE CONSTRAINT ${identifier(nameBound(bound))}`));
  });

/** Puts a partitioned table in the place of the table, which becomes its first partition. */
const replaceTable = (owner: Database, bound: number): Promise<void> =>
  owner.transaction(async (query) => {
    // A server that started at the same time may be checking the promise.
    await query(systemQuery("select pg_advisory_xact_lock($1)", [HISTORY_LOCK]));
    await query(systemQuery(`set local lock_timeout = ${LOCK_WAIT}`));
    await query(systemQuery("lock table ninefold.audit in access exclusive mode"));
    // Another server may have done it.
    if (await isPartitioned(query)) return;
    const [row] = await query(
      systemQuery(`select coalesce(pg_sequence_last_value(pg_get_serial_sequence('ninefold.audit', 'id')::regclass), 0) + 1 as next,
        obj_description('ninefold.audit'::regclass, 'pg_class') as comment`),
    );
    const indexes = await query(
      systemQuery(
        "select i.relname as name, pg_get_indexdef(i.oid) as definition from pg_index x join pg_class i on i.oid = x.indexrelid where x.indrelid = 'ninefold.audit'::regclass and not x.indisprimary",
      ),
    );
    const triggers = await query(
      systemQuery(
        "select tgname as name, pg_get_triggerdef(oid) as definition from pg_trigger where tgrelid = 'ninefold.audit'::regclass and not tgisinternal",
      ),
    );
    const rights = await query(
      systemQuery(
        "select a.grantee::regrole::text as role, a.privilege_type as right from pg_class c, aclexplode(c.relacl) a where c.oid = 'ninefold.audit'::regclass and a.grantee not in (0, c.relowner)",
      ),
    );
    const before = sql`ninefold.${identifier(BEFORE)}`;
    const rename = ({ name }: (typeof indexes)[number]) =>
      sql`ALTER INDEX ninefold.${identifier(String(name))} RENAME TO ${identifier(String(name).replace(/^audit/u, BEFORE))}`;
    const statements: readonly (Sql | string)[] = [
      ...triggers.map(({ name }) => sql`DROP TRIGGER ${identifier(String(name))} ON ninefold.audit`),
      sql`ALTER TABLE ninefold.audit ALTER COLUMN id DROP IDENTITY`,
      sql`ALTER TABLE ninefold.audit RENAME TO ${identifier(BEFORE)}`,
      ...[{ name: "audit_pkey" }, ...indexes].map(rename),
      sql`CREATE TABLE ninefold.audit (LIKE ${before} INCLUDING DEFAULTS INCLUDING STORAGE INCLUDING COMMENTS) PARTITION BY RANGE (id)`,
      sql`ALTER TABLE ninefold.audit ADD PRIMARY KEY (id), ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (SEQUENCE NAME ninefold.audit_id_seq START WITH ${constant(Number(row?.next))})`,
      ...indexes.map(({ definition }) => String(definition)),
      // The constraint says that no line has to be looked at.
      sql`ALTER TABLE ninefold.audit ATTACH PARTITION ${before} FOR VALUES FROM (MINVALUE) TO (${constant(bound * 2 ** 40)})`,
      sql`ALTER TABLE ${before} DROP CONSTRAINT ${identifier(nameBound(bound))}`,
      ...triggers.map(({ definition }) => String(definition)),
      sql`CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${before} FOR EACH STATEMENT EXECUTE FUNCTION ninefold.audit_is_append_only()`,
      sql`COMMENT ON TABLE ninefold.audit IS ${constant(String(row?.comment))}`,
      sql`COMMENT ON TABLE ${before} IS 'The lines from before the history was divided into months.'`,
      ...rights.flatMap(({ role, right }) => [
        `grant ${String(right)} on ninefold.audit to ${String(role)}`,
        `revoke ${String(right)} on ninefold.${BEFORE} from ${String(role)}`,
      ]),
    ];
    for (const statement of statements)
      await query(typeof statement === "string" ? systemQuery(statement) : toQuery(statement));
  });
