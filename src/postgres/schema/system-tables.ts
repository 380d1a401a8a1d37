/** Held while a version of the document is planned or applied. */
export const DOCUMENT_LOCK = 9_090_010;

/** Held while months of the history are added. */
export const HISTORY_LOCK = 9_090_013;

/**
 * The platform's own tables, in the schema `ninefold`. Each release appends steps and never changes one: the database
 * records how many steps it has taken. They are one list in one file, because a reader needs their order: what a table is
 * now follows from all steps that name it.
 */
export const systemSteps: readonly string[] = [
  `create table ninefold.version (
     number      integer primary key,
     file        text not null,
     hash        text not null,
     source      text not null,
     applied_at  timestamptz(3) not null default now()
   );
   comment on table ninefold.version is 'Every version of the document that this database has run, whole.';

   create table ninefold.audit (
     id        bigint generated always as identity primary key,
     at        timestamptz(3) not null default now(),
     person    uuid,
     entity    text not null,
     record    uuid not null,
     action    text not null,
     clause    text not null,
     document  integer not null,
     changes   jsonb not null
   );
   comment on table ninefold.audit is 'Who changed what, when, under which clause. No foreign keys: a line outlives what it tells of.';
   create index audit_record on ninefold.audit (record, id desc);
   create function ninefold.audit_is_append_only() returns trigger language plpgsql as
     $$ begin raise exception 'ninefold.audit is append only'; end $$;
   create trigger append_only before update or delete or truncate on ninefold.audit
     for each statement execute function ninefold.audit_is_append_only();

   create table ninefold.credential (
     person    uuid primary key,
     password  text not null
   );
   comment on table ninefold.credential is 'Passwords as argon2id hashes.';

   create table ninefold.session (
     token_hash  bytea primary key,
     person      uuid not null,
     made_at     timestamptz(3) not null default now(),
     expires_at  timestamptz(3) not null
   );
   create index session_person on ninefold.session (person);
   create index session_expires on ninefold.session (expires_at);

   create table ninefold.attempt (
     key      text primary key,
     count    integer not null,
     since    timestamptz(3) not null
   );
   comment on table ninefold.attempt is 'Attempts to sign in that did not succeed, by account and by address.';

   create table ninefold.once_link (
     token_hash  bytea primary key,
     purpose     text not null,
     expires_at  timestamptz(3) not null
   );

   create table ninefold.idempotency (
     person      uuid not null,
     key         text not null,
     record      uuid not null,
     request     bytea not null,
     made_at     timestamptz(3) not null default now(),
     primary key (person, key)
   );
   comment on table ninefold.idempotency is 'Which record a key made, so that a request sent twice makes one.';
   create index idempotency_made on ninefold.idempotency (made_at);

   create table ninefold.sample (
     entity  text not null,
     record  uuid not null,
     primary key (entity, record)
   );
   comment on table ninefold.sample is 'What was made as sample data, so that it can be taken away again.';`,
  `alter table ninefold.session
     add column id uuid not null default gen_random_uuid(),
     add column agent text not null default '',
     add column address text not null default '';
   comment on column ninefold.session.id is 'What its person ends it by, who is not told the token a second time.';

   alter table ninefold.once_link
     add column person uuid,
     add column made_at timestamptz(3) not null default now();
   create index once_link_person on ninefold.once_link (person);

   create table ninefold.refusal (
     id        bigint generated always as identity primary key,
     at        timestamptz(3) not null,
     person    uuid,
     document  integer not null,
     status    smallint not null,
     code      text not null,
     clause    text,
     entity    text,
     record    uuid,
     action    text not null,
     request   text not null
   );
   comment on table ninefold.refusal is 'What was refused to whom, under which clause. Never what was sent.';
   create index refusal_at on ninefold.refusal (at);`,

  `alter table ninefold.version add column person uuid;
   comment on column ninefold.version.person is 'Who brought it from within the program; null where it came with a start.';`,

  `create table ninefold.sequence (
     field  text not null,
     scope  text not null,
     last   bigint not null,
     primary key (field, scope)
   );
   comment on table ninefold.sequence is 'The last number that each sequence drew, for each text around it.';`,

  `alter table ninefold.audit add column cause bigint;
   comment on column ninefold.audit.cause is 'The line of the write that this one follows.';

   create table ninefold.notification (
     id       uuid primary key default uuidv7(),
     person   uuid not null,
     at       timestamptz(3) not null,
     text     text not null,
     entity   text not null,
     record   uuid not null,
     clause   text not null,
     read_at  timestamptz(3)
   );
   comment on table ninefold.notification is 'What people are told, in words that held what they might read when it was written.';
   create index notification_person on ninefold.notification (person, id desc);

   create table ninefold.outbox (
     id         uuid primary key default uuidv7(),
     call       text not null,
     payload    jsonb not null,
     entity     text not null,
     record     uuid not null,
     clause     text not null,
     at         timestamptz(3) not null,
     next_at    timestamptz(3) not null,
     tries      integer not null default 0,
     state      text not null default 'waiting' check (state in ('waiting', 'done', 'given up')),
     done_at    timestamptz(3),
     said       text
   );
   comment on table ninefold.outbox is 'Calls to other programs, with what they send, until they are made.';
   create index outbox_next on ninefold.outbox (next_at) where state = 'waiting';`,

  `create type ninefold.uuid_range as range (subtype = uuid);
   create type ninefold.text_range as range (subtype = text, collation = "C");
   comment on type ninefold.uuid_range is 'A reference as a range of itself alone: what may not overlap is compared by ranges.';`,

  `create table ninefold.file (
     id       uuid primary key,
     person   uuid not null,
     name     text not null,
     type     text not null,
     size     bigint,
     sha256   bytea,
     made_at  timestamptz(3) not null default now()
   );
   comment on table ninefold.file is 'Files that were sent; without a size, not whole yet. One that no record names goes after a day.';
   create index file_made on ninefold.file (made_at);

   create table ninefold.file_chunk (
     file    uuid not null references ninefold.file (id) on delete cascade,
     number  integer not null,
     bytes   bytea not null,
     primary key (file, number)
   );
   comment on table ninefold.file_chunk is 'The bytes of files, in pieces.';
   alter table ninefold.file_chunk alter column bytes set storage external;`,

  `create table ninefold.view (
     id       uuid primary key default uuidv7(),
     person   uuid not null,
     screen   text not null,
     title    text not null,
     query    text not null,
     shared   boolean not null,
     made_at  timestamptz(3) not null
   );
   comment on table ninefold.view is 'Lists as somebody likes to look at them: what stands in the address, under a name.';
   create index view_person on ninefold.view (person);
   create index view_shared on ninefold.view (screen) where shared;`,

  `create table ninefold.renaming (
     id        bigint generated always as identity primary key,
     document  integer not null,
     "of"      text not null,
     entity    text,
     field     text,
     old       text not null,
     now       text not null
   );
   comment on table ninefold.renaming is 'What bears another name since a version of the document: lines of history name it as it was called then.';`,

  `create table ninefold.token (
     id          uuid primary key default uuidv7(),
     token_hash  bytea not null unique,
     person      uuid not null,
     name        text not null,
     roles       text[] not null,
     reads       boolean not null,
     made_at     timestamptz(3) not null,
     expires_at  timestamptz(3) not null,
     used_at     timestamptz(3)
   );
   comment on table ninefold.token is 'What people''s programs say who they are with, as hashes, with the roles that each has.';
   create index token_person on ninefold.token (person);`,

  `create table ninefold.sign_up (
     id          uuid primary key default uuidv7(),
     email       text not null unique,
     token_hash  bytea not null unique,
     made_at     timestamptz(3) not null,
     expires_at  timestamptz(3) not null
   );
   comment on table ninefold.sign_up is 'Who asked for an account, by the hash of the link that was sent to them.';

   create table ninefold.mail (
     id         uuid primary key default uuidv7(),
     recipient  text not null,
     subject    text not null,
     text       text not null,
     at         timestamptz(3) not null,
     next_at    timestamptz(3) not null,
     tries      integer not null default 0
   );
   comment on table ninefold.mail is 'Mails until they are sent.';
   create index mail_next on ninefold.mail (next_at);

   create table ninefold.identity (
     issuer   text not null,
     subject  text not null,
     person   uuid not null,
     made_at  timestamptz(3) not null,
     primary key (issuer, subject)
   );
   comment on table ninefold.identity is 'By which account of a provider somebody signs in.';
   create index identity_person on ninefold.identity (person);`,
  "create index audit_asked on ninefold.audit (at desc) where action = 'ask'",
  `alter table ninefold.session add column looker uuid;
   comment on column ninefold.session.looker is 'The administrator who looks as this person and may change nothing.';`,
  `create table ninefold.visit (
     person  uuid not null,
     record  uuid not null,
     at      timestamptz(3) not null,
     seen    timestamptz(3) not null,
     primary key (person, record)
   );
   comment on table ninefold.visit is 'When somebody looked at a record last, and the moment of the newest write that they were shown.';
   create index visit_at on ninefold.visit (at);
   create index audit_cause on ninefold.audit (cause) where cause is not null;`,
  `alter table ninefold.release
     add column held_since timestamptz(3),
     add column held_from timestamptz(3);
   comment on column ninefold.release.held_since is 'When it was restored from a backup: nothing is sent until somebody says so.';`,
  `alter table ninefold.notification add column message text, add column said jsonb;
   comment on column ninefold.notification.message is 'The text as the document had it, by which it is said in other languages; said has its values, by what stands in its braces.';
   create index notification_unread on ninefold.notification (person, record) where read_at is null;`,
  `create table ninefold.preference (
     person  uuid not null,
     name    text not null,
     value   text not null,
     primary key (person, name)
   );
   comment on table ninefold.preference is 'How people like the interface: theme, language, columns of lists. Values are JSON.';`,
  `delete from ninefold.session where looker is not null;
   alter table ninefold.session drop column looker, add column viewed uuid, add column viewed_until timestamptz(3);
   comment on column ninefold.session.viewed is 'As whom its person, an administrator, views the application until viewed_until, and may change nothing.';
   create index session_viewed on ninefold.session (viewed) where viewed is not null;`,
  `delete from ninefold.attempt;
   alter table ninefold.attempt
     add column until timestamptz(3) not null default now(),
     add column next_at timestamptz(3) not null default now();
   comment on table ninefold.attempt is 'Attempts that are limited, such as those to sign in, by hashes of the account and of the network.';
   comment on column ninefold.attempt.until is 'When they are forgotten.';
   comment on column ninefold.attempt.next_at is 'When the next one may be made.';
   create index attempt_until on ninefold.attempt (until);

   create table ninefold.secret (
     name   text primary key,
     value  bytea not null
   );
   comment on table ninefold.secret is 'What the program signs with. It is in no backup.';
   insert into ninefold.secret values ('device', sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));`,
  "create index file_person on ninefold.file (person, made_at)",
  `create table ninefold.address_change (
     id      bigint generated always as identity primary key,
     person  uuid not null,
     old     text not null,
     new     text not null,
     at      timestamptz(3) not null
   );
   comment on table ninefold.address_change is 'Whose email address was changed, until they are told so by mail.';
   create function ninefold.note_address_change() returns trigger language plpgsql as
     $$ begin
       insert into ninefold.address_change (person, old, new, at)
         values (new.record, new.changes -> 'email' ->> 0, new.changes -> 'email' ->> 1, new.at);
       return null;
     end $$;
   create trigger address_change after insert on ninefold.audit for each row
     when (new.entity = 'User' and new.changes -> 'email' ->> 0 is not null and new.changes -> 'email' ->> 1 is not null)
     execute function ninefold.note_address_change();`,
  `create table ninefold.sign_in (
     id       bigint generated always as identity primary key,
     at       timestamptz(3) not null,
     person   uuid,
     account  text not null,
     way      text not null,
     refused  text,
     address  text not null,
     agent    text not null
   );
   comment on table ninefold.sign_in is 'Who signed in or tried to, how and from where; refused says why not.';
   create index sign_in_person on ninefold.sign_in (person, id desc);
   create index sign_in_at on ninefold.sign_in (at);`,

  `alter table ninefold.version
     add column note text not null default '',
     add column restores integer,
     add column done jsonb not null default '[]';
   comment on column ninefold.version.note is 'Why the version was made, in the words of its author.';
   comment on column ninefold.version.restores is 'The earlier version whose text this is; null for a new text.';
   comment on column ninefold.version.done is 'What applying the version changed in the database, one sentence each.';`,

  `create table ninefold.retired (
     id           bigint generated always as identity primary key,
     kind         text not null check (kind in ('entity', 'field')),
     entity       text not null,
     field        text,
     table_name   text not null,
     column_name  text,
     definition   jsonb not null,
     version      integer not null,
     at           timestamptz(3) not null default now(),
     person       uuid
   );
   comment on table ninefold.retired is 'Fields and entities that the document has no longer, and the tables and columns that keep their values.';`,

  `create table ninefold.former_value (
     id           bigint generated always as identity primary key,
     table_name   text not null,
     column_name  text not null,
     record       uuid not null,
     before       jsonb not null,
     after        jsonb not null,
     version      integer not null,
     at           timestamptz(3) not null default now(),
     unique (table_name, column_name, record, version)
   );
   comment on table ninefold.former_value is 'Values that a version of the document replaced, so that going back restores them.';`,

  `create table ninefold.proposal (
     number      integer generated always as identity primary key,
     source      text not null check (source in ('workbench', 'file', 'command')),
     base        integer not null,
     state       text not null default 'open' check (state in ('open', 'rejected', 'withdrawn')),
     person      uuid,
     note        text not null default '',
     file        text not null,
     hash        text not null,
     text        text not null,
     revision    integer not null default 1,
     made_at     timestamptz(3) not null default now(),
     changed_at  timestamptz(3) not null default now()
   );
   comment on table ninefold.proposal is 'Texts that somebody proposes as the next version, whole. base is the version that they began from.';
   create index proposal_hash on ninefold.proposal (hash);
   create table ninefold.proposal_event (
     id        bigint generated always as identity primary key,
     proposal  integer not null references ninefold.proposal,
     at        timestamptz(3) not null default now(),
     person    uuid,
     kind      text not null check (kind in ('proposed', 'changed', 'commented', 'approved', 'rejected', 'withdrawn', 'reopened', 'published')),
     revision  integer not null,
     hash      text not null,
     comment   text not null default '',
     base      integer,
     file      text,
     text      text
   );
   comment on table ninefold.proposal_event is 'What happened to proposals, with the hash of the text that it happened to. Former texts are whole.';
   create index proposal_event_proposal on ninefold.proposal_event (proposal, id);
   alter table ninefold.version
     add column proposal integer,
     add column approvers uuid[] not null default '{}';
   comment on column ninefold.version.proposal is 'The proposal that was published as this version; null if there was none.';
   comment on column ninefold.version.approvers is 'The people who approved the proposal.';`,

  `create table ninefold.preview (
     id          uuid primary key,
     place       text not null,
     hash        text not null,
     base        integer not null,
     person      uuid,
     masked      boolean not null,
     has_data    boolean not null,
     started_at  timestamptz(3) not null default now(),
     ends_at     timestamptz(3) not null,
     address     text,
     copied      bigint not null default 0,
     failed      text
   );
   comment on table ninefold.preview is 'Copies in which a draft can be tried. copied counts bytes. Without an address, the copy is not ready yet.';
   comment on column ninefold.preview.place is 'The database that holds the copy, or the data folder of one with sample data.';
   alter table ninefold.release
     add column preview jsonb,
     add constraint preview_sends_nothing check (preview is null or held_since is not null);
   comment on column ninefold.release.preview is 'Set in a copy in which a draft is tried: it can never send anything.';`,

  `create table ninefold.job (
     id            bigint generated always as identity primary key,
     base          text not null,
     file          text not null,
     hash          text not null,
     source        text not null,
     person        uuid,
     note          text not null,
     restores      integer,
     state         text not null default 'running' check (state in ('running', 'paused', 'failed', 'abandoning', 'abandoned', 'done')),
     phase         text not null default 'expand',
     steps         jsonb not null default '[]',
     later         jsonb not null default '[]',
     refused       jsonb not null default '[]',
     waits         integer not null default 0,
     version       integer,
     started_at    timestamptz(3) not null default now(),
     heartbeat_at  timestamptz(3) not null default now(),
     ended_at      timestamptz(3)
   );
   comment on table ninefold.job is 'Versions while they are published, in phases, and the newest of those that ended.';
   comment on column ninefold.job.steps is 'Work before the switch, with its progress.';
   comment on column ninefold.job.later is 'Statements that remain after the switch.';
   comment on column ninefold.job.refused is 'Reasons why it failed, each with its clause and some records.';
   comment on column ninefold.job.waits is 'Attempts at a step that ended because people used the table.';
   create unique index job_unfinished on ninefold.job ((true)) where state in ('running', 'paused', 'failed', 'abandoning');

   create table ninefold.touched (
     id          bigint generated always as identity,
     table_name  text not null,
     record      uuid not null
   );
   comment on table ninefold.touched is 'Records that were written while a version is published.';
   create function ninefold.note_touched() returns trigger language plpgsql security definer set search_path = '' as
     $$ begin
       insert into ninefold.touched (table_name, record) select TG_TABLE_NAME, t.id from touched_rows t;
       return null;
     end $$;`,

  `alter table ninefold.job
     add column proposal integer,
     add column approvers uuid[] not null default '{}';
   comment on column ninefold.job.proposal is 'The proposal that is published; null if there is none.';`,

  `alter table ninefold.proposal
     add column mailed integer not null default 0,
     add column mailed_at timestamptz(3);
   comment on column ninefold.proposal.mailed is 'The newest revision about which the people who can approve it were mailed.';
   update ninefold.proposal set mailed = revision;`,

  `alter table ninefold.proposal_event add column by_operator boolean not null default false;
   comment on column ninefold.proposal_event.by_operator is 'True for an act on the command line.';`,

  `alter table ninefold.version add column said jsonb;
   comment on column ninefold.version.said is 'The sentences of done as messages, for readers of other languages; null in versions of earlier releases.';`,

  `alter table ninefold.view add column former text;
   comment on column ninefold.view.former is 'The query with values that were merged into others; null if there are none.';
   create function ninefold.forget_changes(moment timestamptz) returns void language plpgsql security definer set search_path = '' as
     $$ declare name text;
     begin
       if not pg_try_advisory_xact_lock(${DOCUMENT_LOCK}) then return; end if;
       with gone as (
         select p.number from ninefold.proposal p where p.state in ('rejected', 'withdrawn') and p.changed_at < moment - interval '1 year'
           and not exists (select from ninefold.version v where v.hash = p.hash and v.number > p.base or v.proposal = p.number)
       ), events as (delete from ninefold.proposal_event e using gone where e.proposal = gone.number)
       delete from ninefold.proposal p using gone where p.number = gone.number;
       for name in select distinct f.table_name from ninefold.former_value f loop
         if to_regclass(format('app.%I', name)) is not null then
           execute format('delete from ninefold.former_value f where f.table_name = $1 and not exists (select from app.%I t where t.id = f.record)', name) using name;
         end if;
       end loop;
     end $$;
   comment on function ninefold.forget_changes is 'Deletes proposals that were rejected or withdrawn more than a year ago, and former values of deleted records.';`,

  `alter table ninefold.notification add column mail_at timestamptz(3), add column mailed jsonb;
   comment on column ninefold.notification.mail_at is 'The time at which it is next considered for a mail; null if that is decided.';
   comment on column ninefold.notification.mailed is 'The facts from which the text of the mail is composed; null once that is decided.';
   create index notification_mail on ninefold.notification (mail_at) where mail_at is not null;
   alter table ninefold.mail
     add column html text,
     add column headers jsonb,
     add column person uuid,
     add column state text not null default 'waiting' check (state in ('waiting', 'failed')),
     add column said text;
   comment on column ninefold.mail.state is 'Failed: it is not tried again, unless an administrator asks for it.';
   comment on column ninefold.mail.said is 'The reason why the newest attempt failed.';`,

  `create table ninefold.trash (
     record  uuid primary key,
     entity  text not null,
     root    uuid not null,
     at      timestamptz(3) not null,
     person  uuid,
     stored  jsonb not null
   );
   comment on table ninefold.trash is 'Rows of deleted records that can be brought back.';
   comment on column ninefold.trash.root is 'The record that was deleted; for a part that was deleted with it, its parent.';
   create index trash_entity on ninefold.trash (entity, at desc, record desc) where record = root;
   create index trash_root on ninefold.trash (root);
   create index trash_at on ninefold.trash (at);`,
  `create table ninefold.import (
     id          uuid primary key,
     person      uuid not null,
     roles       text[],
     entity      text not null,
     file        text not null,
     language    text not null,
     columns     jsonb not null,
     remarks     jsonb not null,
     settings    jsonb not null,
     state       text not null default 'mapping' check (state in ('mapping', 'checking', 'checked', 'running', 'done', 'undoing', 'undone')),
     rows        integer not null,
     part        integer not null default 0,
     added       integer not null default 0,
     updated     integer not null default 0,
     unchanged   integer not null default 0,
     refused     integer not null default 0,
     cancelled   boolean not null default false,
     report      jsonb not null default '[]',
     said        text,
     runner      uuid,
     made_at     timestamptz(3) not null,
     changed_at  timestamptz(3) not null
   );
   comment on table ninefold.import is 'Files whose rows are imported, with progress. The rows themselves are deleted after a week.';
   comment on column ninefold.import.roles is 'The roles of the token that it began with; null for a session.';
   comment on column ninefold.import.report is 'The refusals, by clause and sentence, with the numbers of some rows.';
   comment on column ninefold.import.runner is 'The server that works on it.';
   create index import_person on ninefold.import (person, made_at desc);
   create index import_at_work on ninefold.import (changed_at) where state in ('checking', 'running', 'undoing');
   create table ninefold.import_part (
     import   uuid not null references ninefold.import (id) on delete cascade,
     number   integer not null,
     rows     jsonb not null,
     results  jsonb,
     primary key (import, number)
   );
   comment on table ninefold.import_part is 'Rows of an import, and the record or the refusal of each.';
   alter table ninefold.audit add column import uuid default nullif(current_setting('ninefold.import', true), '')::uuid;
   comment on column ninefold.audit.import is 'The import in whose transaction the line was written.';
   create index audit_import on ninefold.audit (import, record) where import is not null;
   alter table ninefold.notification add column import uuid default nullif(current_setting('ninefold.import', true), '')::uuid;
   comment on column ninefold.notification.import is 'The import that caused it: each person gets one notification of each clause.';
   create index notification_import on ninefold.notification (import) where import is not null;`,

  `alter table ninefold.audit add column acting_for uuid;
   comment on column ninefold.audit.acting_for is 'The person in whose name a deputy acted; null for whoever acts in their own.';`,

  `create table ninefold.former_column (
     id           bigint generated always as identity primary key,
     table_name   text not null,
     column_name  text not null
   );
   comment on table ninefold.former_column is 'Columns with values that a version replaced, under the names that they have now.';
   create index former_column_name on ninefold.former_column (table_name, column_name);
   insert into ninefold.former_column (table_name, column_name) select distinct table_name, column_name from ninefold.former_value;
   alter table ninefold.former_value add column column_id bigint;
   update ninefold.former_value f set column_id = c.id from ninefold.former_column c where c.table_name = f.table_name and c.column_name = f.column_name;
   alter table ninefold.former_value alter column column_id set not null, drop column table_name, drop column column_name,
     add constraint former_value_key unique (column_id, record, version);
   create or replace function ninefold.forget_changes(moment timestamptz) returns void language plpgsql security definer set search_path = '' as
     $$ declare former record;
     begin
       if not pg_try_advisory_xact_lock(${DOCUMENT_LOCK}) then return; end if;
       with gone as (
         select p.number from ninefold.proposal p where p.state in ('rejected', 'withdrawn') and p.changed_at < moment - interval '1 year'
           and not exists (select from ninefold.version v where v.hash = p.hash and v.number > p.base or v.proposal = p.number)
       ), events as (delete from ninefold.proposal_event e using gone where e.proposal = gone.number)
       delete from ninefold.proposal p using gone where p.number = gone.number;
       for former in select c.id, c.table_name from ninefold.former_column c loop
         if to_regclass(format('app.%I', former.table_name)) is not null then
           execute format('delete from ninefold.former_value f where f.column_id = $1 and not exists (select from app.%I t where t.id = f.record)', former.table_name) using former.id;
         end if;
       end loop;
     end $$;`,

  `alter table ninefold.release add column text_order text;
   comment on column ninefold.release.text_order is 'The version of the rules by which the indexes of sorted texts were built.';`,

  `create table ninefold.mail_transition (
     token_hash  bytea primary key,
     person      uuid not null,
     email       text not null,
     entity      text not null,
     record      uuid not null,
     transition  text not null,
     made_at     timestamptz(3) not null,
     expires_at  timestamptz(3) not null,
     used_at     timestamptz(3)
   );
   comment on table ninefold.mail_transition is 'Links in mails: each lets one person make one transition of one record, once.';
   comment on column ninefold.mail_transition.email is 'The address to which the link was sent. If the person has another one, the link is no longer valid.';
   create index mail_transition_person on ninefold.mail_transition (person);
   create index mail_transition_expires on ninefold.mail_transition (expires_at);
   alter table ninefold.audit add column via text default nullif(current_setting('ninefold.via', true), '');
   comment on column ninefold.audit.via is 'The way that the person took, if it was not the application: mail.';`,

  `alter table ninefold.file add column object text;
   comment on column ninefold.file.object is 'The key of its bytes in the object store; null if they are in file_chunk.';
   create index file_object on ninefold.file (id) where object is not null;
   create table ninefold.unused_object (
     key  text primary key,
     at   timestamptz(3) not null default now()
   );
   comment on table ninefold.unused_object is 'Objects that no file refers to: those being written, and those that are deleted a week later.';
   create index unused_object_at on ninefold.unused_object (at);
   create function ninefold.release_object() returns trigger language plpgsql set search_path = '' as
     $$ begin
       insert into ninefold.unused_object (key) values (old.object) on conflict (key) do update set at = excluded.at;
       return null;
     end $$;
   create trigger file_deleted after delete on ninefold.file for each row when (old.object is not null)
     execute function ninefold.release_object();
   create trigger file_object_changed after update of object on ninefold.file for each row
     when (old.object is not null and old.object is distinct from new.object) execute function ninefold.release_object();`,

  `create table ninefold.report (
     screen  text primary key,
     at      timestamptz(3) not null
   );
   comment on table ninefold.report is 'Screens that are sent on a schedule, with the newest time for which that began.';
   create table ninefold.report_mail (
     id       bigint generated always as identity primary key,
     screen   text not null,
     person   uuid not null,
     at       timestamptz(3) not null,
     next_at  timestamptz(3) not null
   );
   comment on table ninefold.report_mail is 'Screens that are to be sent to a person, until their mail is written or they see nothing.';
   create index report_mail_next on ninefold.report_mail (next_at, id);
   alter table ninefold.mail add column attachment jsonb;
   comment on column ninefold.mail.attachment is 'A file: its name and its text.';`,

  `create table ninefold.audit_month (
     first_id  bigint primary key,
     began_at  timestamptz(3) not null
   );
   comment on table ninefold.audit_month is 'The partitions of the history. Lines that were written from began_at on have ids from first_id on.';

   create function ninefold.prepare_audit_months(moment timestamptz, enough bigint) returns void language plpgsql security definer set search_path = '' as
     $$ declare
       current bigint := extract(year from moment at time zone 'UTC')::bigint * 12 + extract(month from moment at time zone 'UTC')::bigint - 24001;
       sequence text := pg_catalog.pg_get_serial_sequence('ninefold.audit', 'id');
       last bigint := coalesce(pg_catalog.pg_sequence_last_value(sequence::regclass), 0);
       free bigint := coalesce((select (regexp_match(pg_catalog.pg_get_expr(c.relpartbound, c.oid), 'TO \\(''?(\\d+)'))[1]::bigint
         from pg_catalog.pg_class c where c.oid = to_regclass('ninefold.audit_before')), 0);
       part text;
       month bigint;
     begin
       if current not between 1 and 8000 or last - coalesce((select max(first_id) from ninefold.audit_month), 0) < enough
         or not exists (select from pg_catalog.pg_partitioned_table where partrelid = 'ninefold.audit'::regclass)
         or not pg_try_advisory_xact_lock(${HISTORY_LOCK}) then return; end if;
       -- Only into a partition that an earlier transaction made: a rollback takes a partition back, but not a sequence.
       if to_regclass('ninefold.audit_' || current) is not null and last < current << 40 then
         perform pg_catalog.setval(sequence::regclass, current << 40, false);
         insert into ninefold.audit_month (first_id, began_at) values (current << 40, moment);
       end if;
       foreach month in array array[current, current + 1] loop
         part := 'audit_' || month;
         continue when month << 40 < free or month << 40 < last or to_regclass('ninefold.' || part) is not null;
         execute format('create table ninefold.%I (like ninefold.audit including defaults including indexes including storage)', part);
         execute format('comment on table ninefold.%I is %L', part, 'Lines of the history from ' || to_char(make_date(2000 + (month / 12)::int, (month % 12)::int + 1, 1), 'YYYY-MM') || ' on.');
         execute format('create trigger append_only before update or delete or truncate on ninefold.%I for each statement execute function ninefold.audit_is_append_only()', part);
         -- Readers and writers of the other partitions go on.
         execute format('alter table ninefold.audit attach partition ninefold.%I for values from (%s) to (%s)', part, month << 40, (month + 1) << 40);
       end loop;
     end $$;
   comment on function ninefold.prepare_audit_months is 'Lets new lines go into the partition of a month, and adds that of the next one, once the last one has enough lines.';`,

  `alter table ninefold.import add column files jsonb;
   comment on column ninefold.import.files is 'The files that came with the table in a ZIP file, by the text of the cells that name them; null if none came.';`,

  `alter table ninefold.mail add column letters jsonb;
   comment on column ninefold.mail.letters is 'Letters that are drawn when it is sent: the screen, the record and the language of each.';`,

  // Postgres reads the condition of a trigger anew with each statement, which took a third of the time of each line.
  `create or replace function ninefold.note_address_change() returns trigger language plpgsql as
     $$ begin
       if new.changes -> 'email' ->> 0 is not null and new.changes -> 'email' ->> 1 is not null then
         insert into ninefold.address_change (person, old, new, at)
           values (new.record, new.changes -> 'email' ->> 0, new.changes -> 'email' ->> 1, new.at);
       end if;
       return null;
     end $$;
   drop trigger address_change on ninefold.audit;
   create trigger address_change after insert on ninefold.audit for each row
     when (new.entity = 'User') execute function ninefold.note_address_change();`,

  `alter table ninefold.import add column adjusted jsonb not null default '[]';
   comment on column ninefold.import.adjusted is 'The cells that were changed to fit their field, by field, with the numbers of some rows.';`,

  // By which expired rows are found every hour. A row gets into such an index when it is read or done, and not before.
  `create index notification_read on ninefold.notification (read_at) where read_at is not null;
   create index outbox_done on ninefold.outbox (done_at) where state = 'done';`,

  `alter table ninefold.notification add column others jsonb;
   comment on column ninefold.notification.others is 'Further parts of one record that the same write told of: their number, and the words of the first ones; null without any.';`,

  `alter table ninefold.idempotency add column version integer not null default 1;
   comment on column ninefold.idempotency.version is 'The version that the record got.';
   comment on table ninefold.idempotency is 'Which record a key created or moved, so that a request sent twice acts once.';`,

  `alter table ninefold.mail add column link bytea;
   comment on column ninefold.mail.link is 'The hash of the link to set a password that it contains; null for all other mails.';
   create index mail_link on ninefold.mail (link) where link is not null;`,

  `create table ninefold.reminder (
     entity  text not null,
     name    text not null,
     moment  timestamptz(3) not null,
     record  uuid,
     primary key (entity, name)
   );
   comment on table ninefold.reminder is 'The reminders of the document, each with the newest moment that was handled. At first, this is the time at which it came to exist.';
   comment on column ninefold.reminder.record is 'The last record that was handled at this moment; null if all were.';`,

  // Newest first by the time that a notification shows.
  `drop index ninefold.notification_person;
   create index notification_person on ninefold.notification (person, at desc, id desc);`,
];

/** Number of steps of this release. */
export const RELEASE = systemSteps.length;
