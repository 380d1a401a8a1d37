import { identifier, render, type Sql, sql } from "../../core/sql.ts";
import type { Database, Query, Row } from "../database.ts";
import { DOCUMENT_LOCK, systemSteps } from "./system-tables.ts";
import { TRIGRAMS } from "./trigram-indexes.ts";

/** Postgres 18 has `uuidv7()` and virtual columns, and query plans were measured on it. */
const OLDEST_POSTGRES = 180000;

/** This release cannot run on the database. */
export class DatabaseRefused extends Error {
  override readonly name = "DatabaseRefused";
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

export const systemQuery = (text: string, values: readonly unknown[] = []): Query => ({ text, values });
export const SYSTEM_LOCK = 9_090_009;

/** True if requests use a different role from the owner. An external database may have one role for both. */
const isAnotherRole = async (query: (query: Query) => Promise<readonly Row[]>, role: string): Promise<boolean> =>
  (await query(systemQuery("select 1 from pg_roles where rolname = $1 and rolname <> current_user", [role]))).length >
  0;

/**
 * Creates the schemas and brings the system tables up to this release. Two servers that start together take turns.
 * `requests` is the role used by requests; it is granted what it needs.
 */
export const prepareSystem = (owner: Database, requests: string | undefined): Promise<void> =>
  owner.transaction(async (query) => {
    const [server] = await query(
      systemQuery(
        "select current_setting('server_version_num')::int as version, current_setting('server_version') as name, getdatabaseencoding() as encoding, exists (select from pg_collation where collname = 'und-x-icu') as icu",
      ),
    );
    if (Number(server?.version) < OLDEST_POSTGRES)
      throw new DatabaseRefused(
        `The database is PostgreSQL ${String(server?.name)}, but Ninefold needs 18 or newer.`,
        "Use a newer one, or leave out --database to use the Postgres that comes with Ninefold.",
      );
    if (server?.encoding !== "UTF8")
      throw new DatabaseRefused(
        `The database's encoding is ${String(server?.encoding)}, not UTF8.`,
        "Create it with encoding 'UTF8'.",
      );
    if (server.icu !== true)
      throw new DatabaseRefused(
        "The database can’t sort texts as people read them, because its PostgreSQL was built without ICU.",
        "Use a PostgreSQL with ICU, as most packages are, or leave out --database to use the one that comes with Ninefold.",
      );
    await query(systemQuery("select pg_advisory_xact_lock($1)", [SYSTEM_LOCK]));
    const [taken] = await query(systemQuery("select to_regclass('ninefold.release') is not null as made"));
    if (taken?.made !== true) {
      // Everything in a schema depends on the schema: tables, views, functions, types. Privileges granted beforehand do
      // not count.
      const strangers = await query(
        systemQuery(
          `select 1 from pg_depend d join pg_namespace n on d.refclassid = 'pg_namespace'::regclass and d.refobjid = n.oid
           where n.nspname in ('app', 'ninefold') and d.classid <> 'pg_default_acl'::regclass limit 1`,
        ),
      );
      if (strangers.length > 0)
        throw new DatabaseRefused(
          "The database has a schema “app” or “ninefold” that Ninefold did not create.",
          "Give Ninefold a database of its own.",
        );
      await query(systemQuery("create schema if not exists ninefold"));
      await query(systemQuery("create schema if not exists app"));
      await query(systemQuery("create table ninefold.release (steps integer not null)"));
      await query(systemQuery("insert into ninefold.release values (0)"));
    }
    const [release] = await query(systemQuery("select steps from ninefold.release"));
    const done = Number(release?.steps ?? 0);
    if (done > systemSteps.length)
      throw new DatabaseRefused(
        "A newer release of Ninefold has used this database.",
        "Start that release or a newer one.",
      );
    for (const step of systemSteps.slice(done)) await query(systemQuery(step));
    if (done < systemSteps.length)
      await query(systemQuery("update ninefold.release set steps = $1", [systemSteps.length]));
    await query(systemQuery(TRIGRAMS));
    // Another server may be changing the tables whose privileges are granted here.
    await query(systemQuery("select pg_advisory_xact_lock($1)", [DOCUMENT_LOCK]));
    if (requests !== undefined && (await isAnotherRole(query, requests)))
      await query(systemQuery(render(grantsTo(requests)).text));
  });

/** The privileges of requests: they never create tables, and can only append to the audit. */
const grantsTo = (name: string): Sql => {
  const role = identifier(name);
  return sql`
  grant usage on schema ninefold, app to ${role};
  grant select on ninefold.version, ninefold.release, ninefold.renaming, ninefold.retired, ninefold.secret, ninefold.job, ninefold.preview, ninefold.audit_month to ${role};
  grant select, insert, update on ninefold.proposal to ${role};
  grant select, insert on ninefold.proposal_event to ${role};
  grant update (held_since, held_from) on ninefold.release to ${role};
  grant select, insert on ninefold.audit to ${role};
  grant select, insert, update, delete on ninefold.credential, ninefold.session, ninefold.attempt, ninefold.once_link, ninefold.idempotency, ninefold.sample, ninefold.sequence, ninefold.notification, ninefold.outbox, ninefold.file, ninefold.file_chunk, ninefold.unused_object, ninefold.view, ninefold.token, ninefold.sign_up, ninefold.mail, ninefold.identity, ninefold.visit, ninefold.preference, ninefold.address_change, ninefold.trash, ninefold.import, ninefold.import_part, ninefold.mail_transition, ninefold.report, ninefold.report_mail to ${role};
  grant select, insert, delete on ninefold.refusal, ninefold.sign_in to ${role};
  grant select, insert, update on ninefold.reminder to ${role};
  alter default privileges in schema app grant select, insert, update, delete on tables to ${role};
  grant select, insert, update, delete on all tables in schema app to ${role};`;
};
