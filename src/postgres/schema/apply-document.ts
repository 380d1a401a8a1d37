import { type Compiled, compile } from "../../core/compile.ts";
import { buildTables } from "../../core/derive/tables/tables.ts";
import { unpackSources } from "../../core/document/sources.ts";
import { messageText } from "../../core/i18n/languages.ts";
import { type Message, say } from "../../core/i18n/message.ts";
import { tablesWithIndexes } from "../../core/migration/concurrent-indexes.ts";
import { type MigrationStep, type RefusedChange, refuseChange } from "../../core/migration/migration-step.ts";
import {
  estimatePause,
  estimateScan,
  getClause,
  LARGE,
  splitIntoPhases,
  stepKey,
} from "../../core/migration/phases.ts";
import { planMigration } from "../../core/migration/plan-migration.ts";
import { findReturnedNames } from "../../core/model/facts/returned-names.ts";
import type { Model, Renaming } from "../../core/model/model.ts";
import type { NamedThing, Past, RetiredName } from "../../core/model/renaming.ts";
import type { Source } from "../../core/source-text.ts";
import { constant, definitionText, identifier, sql } from "../../core/sql.ts";
import { type Database, type Query, type Row, StoreRefusal, StoreSlow } from "../database.ts";
import { hashDocument } from "./document-hash.ts";
import { abandonUnfinished } from "./hidden-objects.ts";
import { introspect, readRetired } from "./introspect.ts";
import { followLists } from "./migrate-saved-views.ts";
import { keepRecords, noSeedChanges, otherIds } from "./seed-records.ts";
import { DOCUMENT_LOCK } from "./system-tables.ts";
import { haltSearches, searchesIn, slowSearches, trigramsIn } from "./trigram-indexes.ts";

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

export interface Applied {
  /** Number of the document's version in this database, counted from 1. */
  readonly version: number;
  readonly hash: string;
  /** The changes that were made, one sentence each in English; empty if nothing changed. */
  readonly done: readonly string[];
  /** The changes of `done` as messages. */
  readonly messages: readonly Message[];
  /** The model in force. Its seed records have the ids that they have in this database. */
  readonly model: Model;
  /** Names that have changed since this database was created. */
  readonly past: Past;
  /** Fields and entities that the document no longer has, newest last. */
  readonly retired: readonly RetiredName[];
  /** The tables with a trigram index. */
  readonly searched: ReadonlySet<string>;
}

/** Channel on which new versions are announced. */
export const VERSION_CHANNEL = "ninefold_version";

/** Another version was applied in the meantime; nothing was done. */
export class Superseded extends Error {
  override readonly name = "Superseded";
}

export type Ask = (query: Query) => Promise<readonly Row[]>;

/** Messages about steps, with the number of rows for steps that count them. */
class StepMessages {
  readonly #of: Map<MigrationStep, Message | null>;
  constructor(steps: readonly MigrationStep[]) {
    this.#of = new Map(steps.map((step) => [step, step.message]));
  }

  set(step: MigrationStep, message: Message | null): void {
    this.#of.set(step, message);
  }

  get messages(): readonly Message[] {
    return [...this.#of.values()].filter((one) => one !== null);
  }
}
const noMessages = new StepMessages([]);

/**
 * Makes each step that no stored row prevents. After the first failure the remaining steps are only tried, so that an
 * author sees all offending rows at once. A step that depends on a failed one cannot be tried and reports nothing.
 */
const CONSTRAINT_VIOLATION = /^23/u;

const refuseRows = async (
  query: Ask,
  { clause, message, misfits, missing }: NonNullable<MigrationStep["unless"]>,
  count: number,
): Promise<RefusedChange> => {
  const rows = misfits === undefined ? [] : await query({ text: misfits.ids, values: [] });
  return refuseChange(clause, message(count), {
    ...(misfits === undefined
      ? {}
      : { misfits: { entity: misfits.entity, count, ids: rows.map(({ id }) => String(id)) } }),
    ...(missing === undefined ? {} : { missing }),
  });
};

const makeSteps = async (
  query: Ask,
  steps: readonly MigrationStep[],
  said: StepMessages = new StepMessages(steps),
  ahead: WorkBeforeSwitch = noWork,
): Promise<StepMessages> => {
  const execute = (text: string) => query({ text, values: [] });
  const refused: RefusedChange[] = [];
  const countRows = async (count: string): Promise<number> => Number((await execute(count))[0]?.count ?? 0);
  const make = async (step: MigrationStep): Promise<void> => {
    const { run, unless, refusable, writes, online } = step;
    const written = online === undefined ? undefined : ahead.done.get(stepKey(online));
    if (online !== undefined && written !== undefined) {
      const rows =
        online.backfill === undefined && writes !== undefined
          ? (ahead.counts.get(writes.count) ?? (await countRows(writes.count)))
          : written;
      if (writes !== undefined) said.set(step, writes.message(rows));
      if (online.switch !== "") await execute(online.switch);
      return;
    }
    const rows = unless === undefined ? 0 : await countRows(unless.count);
    if (writes !== undefined)
      said.set(step, writes.message(ahead.counts.get(writes.count) ?? (await countRows(writes.count))));
    if (unless !== undefined && rows > 0) refused.push(await refuseRows(query, unless, rows));
    else if (run === "") return;
    else if (refusable === undefined) await execute(run);
    else {
      await execute("savepoint refusable");
      await execute(run).catch(async (error: unknown) => {
        if (!(error instanceof StoreRefusal) || !CONSTRAINT_VIOLATION.test(error.code)) throw error;
        await execute("rollback to savepoint refusable");
        refused.push(refusable);
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
  return said;
};

/** Time limit of a statement that changes the schema, in milliseconds: it may have to read every record. */
export const CHANGE_TIMEOUT = 600_000;

/** Work of a job that was done before the switch. */
export interface WorkBeforeSwitch {
  /** Rows written by each divided step, by its key. */
  readonly done: ReadonlyMap<string, number>;
  /** Numbers of records for messages, by their queries. */
  readonly counts: ReadonlyMap<string, number>;
  /** Runs in the transaction once the steps are known: finishes the work under locks. */
  readonly finish: (query: Ask, steps: readonly MigrationStep[]) => Promise<void>;
  /** Runs in the transaction after the version was stored. */
  readonly stored: (query: Ask, version: number, steps: readonly MigrationStep[]) => Promise<void>;
}

const noWork: WorkBeforeSwitch = {
  done: new Map(),
  counts: new Map(),
  finish: () => Promise.resolve(),
  stored: () => Promise.resolve(),
};

/** The author of a version, and work that must succeed in the same transaction before the version is committed. */
export interface ApplyOptions {
  readonly person: string | null;
  /** Why the version is made, in the author's words. */
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
  readonly base?: { readonly hash: string | null; readonly model?: Model | null };
  readonly together: () => Promise<void>;
  /** True if the document's seed records are to be created; false for a restore, where the backup contains them. */
  readonly keeps?: boolean;
  /** Absent if everything is done in one go. */
  readonly ahead?: WorkBeforeSwitch;
}

const starting: ApplyOptions = { person: null, together: () => Promise.resolve() };

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
    together,
    keeps = true,
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
    const before = once(() => (base?.model === undefined ? findDocument(last) : base.model));
    const { model, renaming } = await toLocalModel(query, desired, source, { last, before });
    const { steps, renamings, merged, searched } = await changesTo(query, renaming, source, { last, person, before });
    const hash = hashDocument(source.text);
    const isNew = last?.hash !== hash;
    if (isNew && ahead === undefined) await abandonUnfinished(query);
    // Creating an index blocks changes of its table.
    if (steps.length > 0) await haltSearches(query);
    await ahead?.finish(query, steps);
    const said = await makeSteps(query, steps, undefined, ahead);
    if (isNew) await followLists(query, model, before, renamings, merged);
    const version = Number(last?.number ?? 0) + (isNew ? 1 : 0);
    // Other servers receive it after the commit.
    if (isNew) await query({ text: "select pg_notify($1, $2)", values: [VERSION_CHANNEL, String(version)] });
    await remember(query, renamings, version);
    const kept = keeps ? await keepRecords(query, renaming, version, isNew) : noSeedChanges;
    if (kept.refused.length > 0) throw new ChangeRefused(kept.refused);
    const messages = [...said.messages, ...kept.told, ...(await slowSearches(query))];
    const done = messages.map((one) => messageText(one));
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
    await together();
    return { version, hash, done, messages, model, past, retired, searched };
  });

/** The steps that would be made for a document now. */
export const stepsFor = (owner: Database, desired: Model, source: Source): Promise<readonly MigrationStep[]> =>
  owner.transaction(async (query) => {
    const [last] = await query({
      text: "select number, file, source from ninefold.version order by number desc limit 1",
      values: [],
    });
    const before = once(() => findDocument(last));
    const { renaming } = await toLocalModel(query, desired, source, { last, before });
    return (await changesTo(query, renaming, source, { last, person: null, before })).steps;
  });

const once = <T>(work: () => T): (() => T) => {
  let done: { readonly value: T } | undefined;
  return () => {
    done ??= { value: work() };
    return done.value;
  };
};

interface LocalModel {
  /** The model with the ids that its seed records have in this database. */
  readonly model: Model;
  /** The model with the names that return from earlier renamings. */
  readonly renaming: Model;
}

const toLocalModel = async (
  query: Ask,
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
const changesTo = async (
  query: Ask,
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
    isNew,
    moment: { version: Number(last?.number ?? 0) + (isNew || last === undefined ? 1 : 0), person },
  });
  if (refused.length > 0) throw new ChangeRefused(refused);
  return { steps, renamings, merged, searched: tablesWithIndexes(tables, desired) };
};

/**
 * The newest version, as applied by another server. `compileFiles` compiles its text; undefined if it has errors. Throws if
 * this release cannot read it.
 */
export const newestDocument = (
  database: Database,
  compileFiles: (files: readonly Source[]) => Promise<Compiled | undefined>,
): Promise<{ readonly compiled: Compiled; readonly applied: Applied }> =>
  database.transaction(async (query) => {
    const [last] = await query({
      text: "select number, hash, file, source from ninefold.version order by number desc limit 1",
      values: [],
    });
    const packed: Source = { file: String(last?.file), text: String(last?.source) };
    const compiled = await compileFiles(unpackSources(packed));
    if (compiled?.model === undefined) throw new Error("this release cannot read the newest version of the document");
    const ids = await otherIds(query, compiled.model);
    const model = ids.size === 0 ? compiled.model : (compile(unpackSources(packed), ids).model ?? compiled.model);
    const past = await readPast(query);
    const { searched } = await searchesIn(query, model);
    const applied = {
      version: Number(last?.number),
      hash: String(last?.hash),
      done: [],
      messages: [],
      model,
      past,
      retired: await readRetired(query),
      searched,
    };
    return { compiled, applied };
  });

/** The document that was in force before, if this release can still read it. */
const findDocument = (last: Row | undefined): Model | null =>
  last === undefined
    ? null
    : (compile(unpackSources({ file: String(last.file), text: String(last.source) })).model ?? null);

const remember = async (query: Ask, renamings: readonly Renaming[], version: number): Promise<void> => {
  for (const { of, entity, field, old, now } of renamings)
    await query({
      text: `insert into ninefold.renaming (document, "of", entity, field, old, now) values ($1, $2, $3, $4, $5, $6)`,
      values: [version, of, entity, field, old, now],
    });
};

/** The renamings that a database has carried out, oldest first. */
export const readPast = async (query: Ask): Promise<Past> => {
  const rows = await query({
    text: `select document, "of", entity, field, old, now from ninefold.renaming order by id`,
    values: [],
  });
  return rows.map((row) => ({
    document: Number(row.document),
    of: String(row.of) as NamedThing,
    entity: row.entity === null ? null : String(row.entity),
    field: row.field === null ? null : String(row.field),
    old: String(row.old),
    now: String(row.now),
  }));
};

/** The existing tables that steps change and that have more than this number of records. */
const findLarge = async (query: Ask, steps: readonly MigrationStep[], large: number): Promise<readonly string[]> => {
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

/** Says for how long nobody can use a table, where steps on many records cannot be divided. */
const findPauses = async (
  query: Ask,
  steps: readonly MigrationStep[],
  large: readonly string[],
  { entities }: Model,
): Promise<readonly Message[]> => {
  const { undivided, divided } = splitIntoPhases(steps, (table) => large.includes(table));
  const ahead = steps.filter(({ online }) => online !== undefined && divided.includes(stepKey(online)));
  const said: Message[] = [];
  for (const table of large) {
    const [row] = await query({
      text: definitionText(sql`select count(*) as "count" from "app".${identifier(table)}`),
      values: [],
    });
    const records = Number(row?.count ?? 0);
    const name = [...entities.values()].find((entity) => entity.table === table)?.name ?? table;
    const pauses = [
      ["step.pause.prepared", estimateScan(ahead, table, records)],
      ["step.pause", estimatePause(undivided, table, records)],
    ] as const;
    for (const [id, seconds] of pauses)
      if (seconds > 0) said.push(say(id, { name, seconds, minutes: seconds < 90 ? 0 : Math.ceil(seconds / 60) }));
  }
  return said;
};

/**
 * Counts the records that would prevent a step, without locking anything. False if some can only be counted after an
 * earlier step was made.
 */
const countMisfits = async (query: Ask, steps: readonly MigrationStep[], said: StepMessages): Promise<boolean> => {
  let isWhole = true;
  const count = async (text: string): Promise<number | undefined> => {
    await query({ text: "savepoint counted", values: [] });
    try {
      return Number((await query({ text, values: [] }))[0]?.count ?? 0);
    } catch (error) {
      if (!(error instanceof StoreRefusal)) throw error;
      await query({ text: "rollback to savepoint counted", values: [] });
      isWhole = false;
      return undefined;
    }
  };
  const refused: RefusedChange[] = [];
  for (const step of steps) {
    const { message, writes, unless, online, refusable } = step;
    const written = writes === undefined ? undefined : await count(writes.count);
    if (writes !== undefined && written !== undefined) said.set(step, writes.message(written));
    if (unless !== undefined) {
      const rows = (await count(unless.count)) ?? 0;
      if (rows > 0) refused.push(await refuseRows(query, unless, rows));
    } else if (online?.unfit !== undefined) {
      const table = definitionText(sql`"app".${identifier(online.table)}`);
      const rows = (await count(`select count(*)::int as count from ${table} where (${online.unfit})`)) ?? 0;
      const clause = refusable?.clause ?? getClause(step);
      // An earlier step may have named the same records.
      if (rows > 0 && !refused.some((one) => one.clause === clause))
        refused.push(refusable ?? refuseChange(clause, message ?? say("refused.violates", { clause, rows })));
    } else if (refusable !== undefined) isWhole = false;
  }
  if (refused.length > 0) throw new ChangeRefused(refused);
  return isWhole;
};

/** Thrown to roll back a dry run. */
class OnlyTried extends Error {
  override readonly name = "OnlyTried";
}

/** The effects of a document on stored data, one sentence each, or the reasons why it cannot be applied. */
export interface DryRunResult {
  readonly done: readonly string[];
  /** All of `done` as data. */
  readonly told: readonly Message[];
  readonly refused: readonly RefusedChange[];
}

/** Maximum time of a statement of a dry run, in seconds. */
const LONGEST_TRY = 3;
const LONGEST_COUNT = 30;

/** Milliseconds that a dry run waits for a table. Whoever wants the table after it waits as long. */
const TRY_WAIT = 500;

/** Reported for a change that is not tried to the end. */
const TAKES_LONG = say("step.stopped", { seconds: LONGEST_TRY });
const CHECKED_LATER = say("step.checked.later", {});

const createResult = (told: readonly Message[], refused: readonly RefusedChange[] = []): DryRunResult => ({
  done: told.map((one) => messageText(one)),
  told,
  refused,
});

/**
 * Reports what `applyDocument` would do or refuse. The change is made and rolled back; where a table has more than
 * `large` records, they are only counted, so that nobody waits for the plan. A dry run that takes long is abandoned and
 * reported as such.
 */
export const planDocument = async (
  owner: Database,
  desired: Model,
  source: Source,
  large: number = LARGE,
): Promise<DryRunResult> => {
  let said: StepMessages = noMessages;
  let kept: readonly Message[] = [];
  try {
    return await owner.transaction(async (query) => {
      await query({ text: "select pg_advisory_xact_lock($1)", values: [DOCUMENT_LOCK] });
      const [last] = await query({
        text: "select number, file, source from ninefold.version order by number desc limit 1",
        values: [],
      });
      const before = once(() => findDocument(last));
      const { renaming: model } = await toLocalModel(query, desired, source, { last, before });
      const { steps } = await changesTo(query, model, source, { last, person: null, before });
      said = new StepMessages(steps);
      const largest = await findLarge(query, steps, large);
      if (largest.length > 0) {
        await query({ text: `set local statement_timeout = '${LONGEST_COUNT}s'`, values: [] });
        const isWhole = await countMisfits(query, steps, said);
        kept = [...(isWhole ? [] : [CHECKED_LATER]), ...(await findPauses(query, steps, largest, model))];
        throw new OnlyTried();
      }
      await query({ text: `set local statement_timeout = '${LONGEST_TRY}s'`, values: [] });
      await query({ text: `set local lock_timeout = ${TRY_WAIT}`, values: [] });
      await makeSteps(query, steps, said);
      const { told, refused } = await keepRecords(query, model, Number(last?.number ?? 0) + 1, true);
      if (refused.length > 0) throw new ChangeRefused(refused);
      kept = told;
      throw new OnlyTried();
    });
  } catch (error) {
    if (error instanceof OnlyTried) return createResult([...said.messages, ...kept]);
    if (error instanceof ChangeRefused) return createResult([], error.refused);
    if (error instanceof StoreSlow && said !== noMessages) return createResult([...said.messages, TAKES_LONG]);
    throw error;
  }
};
