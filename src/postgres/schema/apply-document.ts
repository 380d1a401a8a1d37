import { compile } from "../../core/compile.ts";
import { buildTables } from "../../core/derive/tables/tables.ts";
import { unpackSources } from "../../core/document/sources.ts";
import { messageText } from "../../core/i18n/languages.ts";
import type { Message } from "../../core/i18n/message.ts";
import { tablesWithIndexes } from "../../core/migration/concurrent-indexes.ts";
import {
  type CountedRows,
  type MigrationStep,
  type RefusedChange,
  refuseChange,
} from "../../core/migration/migration-step.ts";
import { getClause, stepKey } from "../../core/migration/phases.ts";
import { planMigration } from "../../core/migration/plan-migration.ts";
import { findReturnedNames } from "../../core/model/facts/returned-names.ts";
import type { Model, Renaming } from "../../core/model/model.ts";
import type { Source } from "../../core/source-text.ts";
import { constant, definitionText, identifier, sql } from "../../core/sql.ts";
import type { CountedRecords, StepRecords } from "../../core/wire/authoring/document.ts";
import { type Database, type Row, type RunQuery, StoreRefusal } from "../database.ts";
import { hashDocument } from "./document-hash.ts";
import { abandonUnfinished, finishPublished } from "./hidden-objects.ts";
import { introspect, readFormerColumns, readRetired, TEXT_ORDER } from "./introspect.ts";
import { followLists } from "./migrate-saved-views.ts";
import { migrateTrash } from "./migrate-trash.ts";
import type { Applied, KnownVersion } from "./newest-document.ts";
import { findDocument, readPast } from "./newest-document.ts";
import { noSeedChanges, otherIds, syncSeedRecords } from "./seed-records.ts";
import { DOCUMENT_LOCK } from "./system-tables.ts";
import { haltSearches, slowSearches, trigramsIn } from "./trigram-indexes.ts";

/** The document cannot be applied: stored data would be lost or would not fit. Nothing was changed. */
export class ChangeRefused extends Error {
  override readonly name = "ChangeRefused";
  readonly refused: readonly RefusedChange[];
  constructor(refused: readonly RefusedChange[]) {
    super(
      `${refused.length === 1 ? "1 change" : `${refused.length} changes`} to the specification can’t be applied to the stored data.`,
    );
    this.refused = refused;
  }
}

/** Channel on which new versions are announced. */
export const VERSION_CHANNEL = "ninefold_version";

/** Another version was applied in the meantime; nothing was done. */
export class Superseded extends Error {
  override readonly name = "Superseded";
}

/** A page of the records at one point of a plan: those after an id. */
export interface RecordsPage {
  readonly point: string;
  readonly after: string | null;
  readonly limit: number;
}

/** Number of records that a plan names for each step or refusal. */
const NAMED = 20;

/** Messages about steps, with the number of rows for steps that count them. A plan also names the first of these rows. */
export class StepMessages {
  readonly #of: Map<MigrationStep, Message | null>;
  readonly #records = new Map<MigrationStep, Omit<StepRecords, "step">>();
  readonly #points: ReadonlyMap<CountedRows, string>;
  readonly #namesRecords: boolean;
  readonly #page: RecordsPage | undefined;
  constructor(
    steps: readonly MigrationStep[],
    { namesRecords = false, page }: { readonly namesRecords?: boolean; readonly page?: RecordsPage | undefined } = {},
  ) {
    this.#of = new Map(steps.map((step) => [step, step.message]));
    this.#points = namePointsOf(steps);
    this.#namesRecords = namesRecords;
    this.#page = page;
  }

  /** Names the first rows, or the requested page of them. `count`: their number, unless they have a query for it. */
  async nameRows(query: RunQuery, rows: CountedRows, count: number, find = rows.find): Promise<CountedRecords> {
    const point = this.#points.get(rows) ?? "";
    const { after, limit } = this.#page?.point === point ? this.#page : { after: null, limit: NAMED };
    const found = await query({
      text: `select "id" from (${find}) "found" where $1::uuid is null or "id" > $1::uuid order by "id" limit ${limit}`,
      values: [after],
    });
    const counted = rows.count === undefined ? undefined : (await query({ text: rows.count, values: [] }))[0]?.count;
    return { entity: rows.entity, count: Number(counted ?? count), point, ids: found.map(({ id }) => String(id)) };
  }

  /** The refusal of a step because of this number of rows. `find`: replaces the query for them. */
  async refuse(
    query: RunQuery,
    { clause, message, misfits, missing }: NonNullable<MigrationStep["unless"]>,
    count: number,
    find?: string,
  ): Promise<RefusedChange> {
    return refuseChange(clause, message(count), {
      ...(misfits === undefined ? {} : { misfits: await this.nameRows(query, misfits, count, find) }),
      ...(missing === undefined ? {} : { missing }),
    });
  }

  /** Sets the message of a step that writes this number of rows. */
  async count(query: RunQuery, step: MigrationStep, count: number): Promise<void> {
    const { message, rows, missing } = step.writes ?? {};
    if (message !== undefined) this.#of.set(step, message(count));
    if (!this.#namesRecords || rows === undefined) return;
    const offer = missing === undefined || count === 0 ? {} : { missing };
    this.#records.set(step, { ...(await this.nameRows(query, rows, count)), ...offer });
  }

  get messages(): readonly Message[] {
    return [...this.#of.values()].filter((message) => message !== null);
  }

  get records(): readonly StepRecords[] {
    return [...this.#of]
      .filter(([, message]) => message !== null)
      .flatMap(([step], i) => {
        const records = this.#records.get(step);
        return records === undefined ? [] : [{ step: i, ...records }];
      });
  }
}

/** Names records after clauses: `5.Loan.1`, and `5.Loan.1:2` for other records of that clause. */
const namePoints = (all: readonly (readonly [rows: CountedRows | undefined, clause: string])[]) => {
  const points = new Map<CountedRows, string>();
  const taken = new Map<string, number>();
  for (const [rows, clause] of all) {
    if (rows === undefined) continue;
    const number = (taken.get(clause) ?? 0) + 1;
    taken.set(clause, number);
    points.set(rows, number === 1 ? clause : `${clause}:${number}`);
  }
  return points;
};

/** The points of a plan. One that refuses has no steps, so the records of both can have the same names. */
const namePointsOf = (steps: readonly MigrationStep[]): ReadonlyMap<CountedRows, string> =>
  new Map([
    ...namePoints(
      steps.flatMap(({ unless, conflicts, refusable }) => [
        [unless?.misfits, unless?.clause ?? ""],
        [conflicts, refusable?.clause ?? ""],
      ]),
    ),
    ...namePoints(steps.map((step) => [step.writes?.rows, getClause(step) || (step.writes?.rows?.entity ?? "")])),
  ]);

export const noMessages = new StepMessages([]);

const CONSTRAINT_VIOLATION = /^23/u;

/**
 * Makes each step that no stored row prevents. After the first failure, the remaining steps are only tried, so that an
 * author sees all offending rows at once. A step that depends on a failed one cannot be tried and reports nothing.
 */
export const makeSteps = async (
  query: RunQuery,
  steps: readonly MigrationStep[],
  messages: StepMessages = new StepMessages(steps),
  ahead: WorkBeforeSwitch = noWork,
): Promise<StepMessages> => {
  const execute = (text: string) => query({ text, values: [] });
  const refused: RefusedChange[] = [];
  const countRows = async (count: string): Promise<number> => Number((await execute(count))[0]?.count ?? 0);
  const make = async (step: MigrationStep): Promise<void> => {
    const { run, unless, refusable, conflicts, writes, online } = step;
    const written = online === undefined ? undefined : ahead.done.get(stepKey(online));
    if (online !== undefined && written !== undefined) {
      const rows =
        online.backfill === undefined && writes !== undefined
          ? (ahead.counts.get(writes.count) ?? (await countRows(writes.count)))
          : written;
      await messages.count(query, step, rows);
      if (online.switch !== "") await execute(online.switch);
      return;
    }
    const rows = unless === undefined ? 0 : await countRows(unless.count);
    if (writes !== undefined)
      await messages.count(query, step, ahead.counts.get(writes.count) ?? (await countRows(writes.count)));
    if (unless !== undefined && rows > 0) refused.push(await messages.refuse(query, unless, rows));
    else if (run === "") return;
    else if (refusable === undefined) await execute(run);
    else {
      await execute("savepoint refusable");
      await execute(run).catch(async (error: unknown) => {
        if (!(error instanceof StoreRefusal) || !CONSTRAINT_VIOLATION.test(error.code)) throw error;
        await execute("rollback to savepoint refusable");
        refused.push(
          conflicts === undefined ? refusable : { ...refusable, misfits: await messages.nameRows(query, conflicts, 0) },
        );
      });
    }
  };
  for (const step of steps) {
    if (refused.length === 0) await make(step);
    else {
      await execute("savepoint tried");
      await make(step).catch(async (error: unknown) => {
        if (!(error instanceof StoreRefusal)) throw error;
        await execute("rollback to savepoint tried");
      });
    }
  }
  if (refused.length > 0) throw new ChangeRefused(refused);
  return messages;
};

/** Time limit of a statement that changes the schema, in milliseconds: it may have to read every record. */
export const CHANGE_TIMEOUT = 600_000;

/** Work that a job did before the switch. */
export interface WorkBeforeSwitch {
  /** Rows written by each divided step, by its key. */
  readonly done: ReadonlyMap<string, number>;
  /** Numbers of records for messages, by their queries. */
  readonly counts: ReadonlyMap<string, number>;
  /** Runs in the transaction once the steps are known: finishes the work under locks. */
  readonly finish: (query: RunQuery, steps: readonly MigrationStep[]) => Promise<void>;
  /** Runs in the transaction after the version was stored. */
  readonly stored: (query: RunQuery, version: number, steps: readonly MigrationStep[]) => Promise<void>;
}

const noWork: WorkBeforeSwitch = {
  done: new Map(),
  counts: new Map(),
  finish: () => Promise.resolve(),
  stored: () => Promise.resolve(),
};

/** The author and the origin of a version, and the work that belongs to its transaction. */
export interface ApplyOptions {
  readonly person: string | null;
  /** The reason for the version, in the author's words. */
  readonly note?: string;
  /** The earlier version whose text this is. */
  readonly restores?: number;
  /** The proposal that is published, and the people who approved it. */
  readonly proposal?: number;
  readonly approvers?: readonly string[];
  /**
   * The version that the new one was made from; a null `hash` stands for a database without one. If a different version is
   * the newest by now, nothing is done.
   */
  readonly base?: KnownVersion;
  /** Work that must succeed before the version is committed. */
  readonly beforeCommit: () => Promise<void>;
  /** False for a restore, because the backup contains the document's seed records. */
  readonly syncsSeedRecords?: boolean;
  /** Absent if everything is done at once. */
  readonly ahead?: WorkBeforeSwitch;
}

const starting: ApplyOptions = { person: null, beforeCommit: () => Promise.resolve() };

/**
 * Makes the database fit the document, in one transaction. Additions are made; anything else refuses the whole change
 * and lists the reasons. A text that is new to this database becomes its next version.
 */
export const applyDocument = (
  owner: Database,
  desired: Model,
  source: Source,
  {
    person,
    note = "",
    restores,
    proposal,
    approvers = [],
    base,
    beforeCommit,
    syncsSeedRecords = true,
    ahead,
  }: ApplyOptions = starting,
): Promise<Applied> =>
  owner.transaction(async (query) => {
    await query({ text: "select pg_advisory_xact_lock($1)", values: [DOCUMENT_LOCK] });
    const [last] = await query({
      text: "select number, hash, file, source from ninefold.version order by number desc limit 1",
      values: [],
    });
    if (base !== undefined && (last?.hash ?? null) !== base.hash) throw new Superseded();
    if (last !== undefined && String(last.source) !== source.text) await finishPublished(query);
    const before = once(() => findDocument(last, base));
    const { model, renaming } = await toLocalModel(query, desired, source, { last, before });
    const { steps, renamings, merged, searched } = await planMigrationSteps(query, renaming, source, {
      last,
      person,
      before,
    });
    const hash = hashDocument(source.text);
    const isNew = last?.hash !== hash;
    if (isNew && ahead === undefined) await abandonUnfinished(query);
    // Creating an index blocks schema changes of its table.
    if (steps.length > 0) await haltSearches(query);
    await ahead?.finish(query, steps);
    const stepMessages = await makeSteps(query, steps, undefined, ahead);
    await query({
      text: `update ninefold.release set text_order = ${TEXT_ORDER} where text_order is distinct from ${TEXT_ORDER}`,
      values: [],
    });
    if (isNew) {
      await followLists(query, model, before, renamings, merged);
      await migrateTrash(query, model, before, renamings, merged);
    }
    const version = Number(last?.number ?? 0) + (isNew ? 1 : 0);
    // Other servers receive the notification after the commit.
    if (isNew) await query({ text: "select pg_notify($1, $2)", values: [VERSION_CHANNEL, String(version)] });
    await recordRenamings(query, renamings, version);
    const seedChanges = syncsSeedRecords ? await syncSeedRecords(query, renaming, version, isNew) : noSeedChanges;
    if (seedChanges.refused.length > 0) throw new ChangeRefused(seedChanges.refused);
    const messages = [...stepMessages.messages, ...seedChanges.messages, ...(await slowSearches(query))];
    const done = messages.map((message) => messageText(message));
    if (isNew)
      await query({
        text: "insert into ninefold.version (number, file, hash, source, person, note, restores, done, said, proposal, approvers) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        values: [
          version,
          source.file,
          hash,
          source.text,
          person,
          note,
          restores ?? null,
          JSON.stringify(done),
          JSON.stringify(messages),
          proposal ?? null,
          approvers,
        ],
      });
    const past = await readPast(query);
    const retired = await readRetired(query);
    await ahead?.stored(query, version, steps);
    await beforeCommit();
    return { version, hash, done, messages, model, past, retired, searched };
  });

/** The steps that would be made for a document now. */
export const stepsFor = (
  owner: Database,
  desired: Model,
  source: Source,
  base: KnownVersion,
): Promise<readonly MigrationStep[]> =>
  owner.transaction(async (query) => {
    const [last] = await query({
      text: "select number, hash, file, source from ninefold.version order by number desc limit 1",
      values: [],
    });
    const before = once(() => findDocument(last, base));
    const { renaming } = await toLocalModel(query, desired, source, { last, before });
    return (await planMigrationSteps(query, renaming, source, { last, person: null, before })).steps;
  });

export const once = <T>(work: () => T): (() => T) => {
  let done: { readonly value: T } | undefined;
  return () => {
    done ??= { value: work() };
    return done.value;
  };
};

interface LocalModel {
  /** The model with the ids that its seed records have in this database. */
  readonly model: Model;
  /** The model including returned names, so that their renamings are carried out. */
  readonly renaming: Model;
}

export const toLocalModel = async (
  query: RunQuery,
  desired: Model,
  source: Source,
  { last, before }: { readonly last: Row | undefined; readonly before: () => Model | null },
): Promise<LocalModel> => {
  const isNew = last !== undefined && String(last.source) !== source.text;
  const past = isNew ? await readPast(query) : [];
  const former = past.length === 0 ? null : before();
  const returned = former === null ? [] : findReturnedNames(desired, former, past);
  const withReturned = (model: Model): Model =>
    returned.length === 0 ? model : { ...model, renamings: [...model.renamings, ...returned] };
  const ids = await otherIds(query, withReturned(desired));
  const model = ids.size === 0 ? desired : (compile(unpackSources(source), ids).model ?? desired);
  return { model, renaming: withReturned(model) };
};

/** All steps for a document, in order. */
export const planMigrationSteps = async (
  query: RunQuery,
  model: Model,
  source: Source,
  {
    last,
    person,
    before: documentBefore,
  }: { readonly last: Row | undefined; readonly person: string | null; readonly before: () => Model | null },
): Promise<{
  readonly steps: readonly MigrationStep[];
  readonly renamings: readonly Renaming[];
  readonly merged: readonly Renaming[];
  readonly searched: ReadonlySet<string>;
}> => {
  const desired = buildTables(model, await trigramsIn(query));
  const isNew = last !== undefined && String(last.source) !== source.text;
  const before = isNew || model.renamings.length > 0 ? documentBefore() : null;
  const { steps, refused, renamings, merged, tables } = planMigration({
    actual: await introspect(query),
    retired: await readRetired(query),
    desired,
    model,
    before,
    past: isNew ? await readPast(query) : [],
    former: isNew ? await readFormerColumns(query) : new Set(),
    isNew,
    next: { version: Number(last?.number ?? 0) + (isNew || last === undefined ? 1 : 0), person },
  });
  if (refused.length > 0) throw new ChangeRefused(refused);
  return { steps, renamings, merged, searched: tablesWithIndexes(tables, desired) };
};

const recordRenamings = async (query: RunQuery, renamings: readonly Renaming[], version: number): Promise<void> => {
  for (const { of, entity, field, old, now } of renamings)
    await query({
      text: `insert into ninefold.renaming (document, "of", entity, field, old, now) values ($1, $2, $3, $4, $5, $6)`,
      values: [version, of, entity, field, old, now],
    });
};

/** The existing tables that steps change and that have more than this number of records. */
export const findLarge = async (
  query: RunQuery,
  steps: readonly MigrationStep[],
  large: number,
): Promise<readonly string[]> => {
  const names = steps.flatMap(({ run }) =>
    [...run.matchAll(/"app"\."((?:[^"]|"")+)"/gu)].map(([, name = ""]) => name.replaceAll('""', '"')),
  );
  const rows = await query({
    text: "select relname as name from pg_class where relnamespace = 'app'::regnamespace and relkind = 'r' and relname = any ($1)",
    values: [[...new Set(names)]],
  });
  const found: string[] = [];
  for (const { name } of rows) {
    const some = sql`select count(*)::int as "count" from (select from "app".${identifier(String(name))} limit ${constant(large + 1)}) "first"`;
    const [row] = await query({ text: definitionText(some), values: [] });
    if (Number(row?.count ?? 0) > large) found.push(String(name));
  }
  return found;
};
