import { messageText } from "../../core/i18n/languages.ts";
import { type Message, say } from "../../core/i18n/message.ts";
import { type MigrationStep, type RefusedChange, refuseChange } from "../../core/migration/migration-step.ts";
import {
  estimatePause,
  estimatePreparation,
  estimateScan,
  getClause,
  LARGE,
  splitIntoPhases,
  stepKey,
} from "../../core/migration/phases.ts";
import type { Model } from "../../core/model/model.ts";
import type { Source } from "../../core/source-text.ts";
import { definitionText, identifier, sql } from "../../core/sql.ts";
import type { StepRecords } from "../../core/wire/authoring/document.ts";
import { type Database, type RunQuery, StoreRefusal, StoreSlow } from "../database.ts";
import { applySteps, ChangeRefused } from "./apply-steps.ts";
import { findDocument } from "./newest-document.ts";
import { findLarge, once, planMigrationSteps, toLocalModel } from "./plan-steps.ts";
import { syncSeedRecords } from "./seed-records.ts";
import { noMessages, type RecordsPage, StepMessages } from "./step-messages.ts";
import { DOCUMENT_LOCK } from "./system-tables.ts";

/** Shorter work before the switch is not worth a sentence, in seconds. */
const SHORT_PREPARATION = 10;

/** 74 → 80 s, 130 → 3 min */
const toDuration = (seconds: number): { readonly seconds: number; readonly minutes: number } => ({
  seconds,
  minutes: seconds < 90 ? 0 : Math.ceil(seconds / 60),
});

/**
 * Reports how long the work on many records takes, and for how long nobody can use a table because steps cannot be
 * split.
 */
const findTimes = async (
  query: RunQuery,
  steps: readonly MigrationStep[],
  large: readonly string[],
  { entities }: Model,
): Promise<readonly Message[]> => {
  const split = splitIntoPhases(steps, (table) => large.includes(table));
  const { undivided, divided } = split;
  const ahead = steps.filter(({ online }) => online !== undefined && divided.includes(stepKey(online)));
  let preparation = 0;
  const messages: Message[] = [];
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
    for (const [id, seconds] of pauses) if (seconds > 0) messages.push(say(id, { name, ...toDuration(seconds) }));
    preparation += estimatePreparation(split, table, records);
  }
  const rounded = Math.ceil(preparation / 10) * 10;
  return preparation < SHORT_PREPARATION ? messages : [say("step.time", toDuration(rounded)), ...messages];
};

/**
 * Counts the records that would prevent a step, without locking anything. False if some can only be counted after an
 * earlier step.
 */
const countMisfits = async (
  query: RunQuery,
  steps: readonly MigrationStep[],
  messages: StepMessages,
): Promise<boolean> => {
  let isComplete = true;
  /** Undefined if the query needs the result of an earlier step. */
  const count = async (text: string): Promise<number | undefined> => {
    await query({ text: "savepoint counted", values: [] });
    try {
      return Number((await query({ text, values: [] }))[0]?.count ?? 0);
    } catch (error) {
      if (!(error instanceof StoreRefusal)) throw error;
      await query({ text: "rollback to savepoint counted", values: [] });
      return undefined;
    }
  };
  const refused: RefusedChange[] = [];
  for (const step of steps) {
    const { message, writes, unless, online, refusable, conflicts } = step;
    const written = writes === undefined ? undefined : await count(writes.count);
    if (written !== undefined) await messages.count(query, step, written);
    else if (writes !== undefined) isComplete = false;
    const unfit =
      online?.unfit === undefined
        ? undefined
        : `from ${definitionText(sql`"app".${identifier(online.table)}`)} where (${online.unfit})`;
    const countUnfit = async (): Promise<number | undefined> =>
      unfit === undefined ? undefined : count(`select count(*)::int as count ${unfit}`);
    if (unless !== undefined) {
      const later = await count(unless.count);
      // The step reads columns under the names that earlier steps give them; this reads them under their present names.
      const rows = later ?? (await countUnfit());
      if (rows === undefined) isComplete = false;
      else if (rows > 0)
        refused.push(
          await messages.refuse(query, unless, rows, later === undefined ? `select "id" ${unfit}` : undefined),
        );
    } else if (unfit !== undefined) {
      const rows = await countUnfit();
      const clause = refusable?.clause ?? getClause(step);
      if (rows === undefined) isComplete = false;
      // An earlier step may have reported the same records.
      else if (rows > 0 && !refused.some((refusal) => refusal.clause === clause))
        refused.push({
          ...(refusable ?? refuseChange(clause, message ?? say("refused.violates", { clause, rows }))),
          ...(conflicts === undefined ? {} : { misfits: await messages.nameRows(query, conflicts, rows) }),
        });
    } else if (refusable !== undefined) isComplete = false;
  }
  if (refused.length > 0) throw new ChangeRefused(refused);
  return isComplete;
};

/** Thrown to roll back a dry run. */
class OnlyTried extends Error {
  override readonly name = "OnlyTried";
}

/** The effects of a document on stored data, one sentence each, or the reasons why it cannot be applied. */
export interface DryRunResult {
  readonly done: readonly string[];
  /** The messages of `done`, for other languages. */
  readonly messages: readonly Message[];
  /** The records that these steps count. */
  readonly records: readonly StepRecords[];
  readonly refused: readonly RefusedChange[];
}

/** Maximum time of a statement of a dry run, in seconds. */
const LONGEST_TRY = 3;
const LONGEST_COUNT = 30;

/** Milliseconds that a dry run waits for a table. Later requests for the table wait as long. */
const TRY_WAIT = 500;

/** Reported if the time limit ends a dry run. */
const TAKES_LONG = say("step.stopped", { seconds: LONGEST_TRY });
const CHECKED_LATER = say("step.checked.later", {});

/** The name of an entity of a draft in the live version, which the draft may rename. */
const findLiveName = (entity: string, { renamings }: Model, live: Model | null): string => {
  if (live === null || live.entities.has(entity)) return entity;
  return (
    renamings.find(({ of, now, old }) => of === "entity" && now === entity && live.entities.has(old))?.old ?? entity
  );
};

/**
 * Reports what `applyDocument` would do or refuse. The change is made and rolled back; where a table has more than
 * `large` records, they are only counted, so that nobody waits for the plan. A dry run that takes long is abandoned and
 * reported as such. The records at the point of a `page` are those of that page instead of the first ones.
 */
export const planDocument = async (
  owner: Database,
  desired: Model,
  source: Source,
  { large = LARGE, page }: { readonly large?: number; readonly page?: RecordsPage | undefined } = {},
): Promise<DryRunResult> => {
  let stepMessages: StepMessages = noMessages;
  let seedMessages: readonly Message[] = [];
  let live: Model | null = null;
  /** Records are read in the live version. */
  const underLiveName = <T extends { readonly entity: string }>(records: T): T => ({
    ...records,
    entity: findLiveName(records.entity, desired, live),
  });
  const createResult = (more: readonly Message[]): DryRunResult => {
    const messages = [...stepMessages.messages, ...more];
    const records = stepMessages.records.map(underLiveName);
    return { done: messages.map((message) => messageText(message)), messages, records, refused: [] };
  };
  try {
    return await owner.transaction(async (query) => {
      await query({ text: "select pg_advisory_xact_lock($1)", values: [DOCUMENT_LOCK] });
      const [last] = await query({
        text: "select number, file, source from ninefold.version order by number desc limit 1",
        values: [],
      });
      const before = once(() => findDocument(last));
      live = before();
      const { renaming: model } = await toLocalModel(query, desired, source, { last, before });
      const { steps } = await planMigrationSteps(query, model, source, { last, person: null, before });
      stepMessages = new StepMessages(steps, { namesRecords: true, page });
      const largest = await findLarge(query, steps, large);
      if (largest.length > 0) {
        await query({ text: `set local statement_timeout = '${LONGEST_COUNT}s'`, values: [] });
        const isComplete = await countMisfits(query, steps, stepMessages);
        seedMessages = [...(isComplete ? [] : [CHECKED_LATER]), ...(await findTimes(query, steps, largest, model))];
        throw new OnlyTried();
      }
      await query({ text: `set local statement_timeout = '${LONGEST_TRY}s'`, values: [] });
      await query({ text: `set local lock_timeout = ${TRY_WAIT}`, values: [] });
      await applySteps(query, steps, stepMessages);
      const { messages, refused } = await syncSeedRecords(query, model, Number(last?.number ?? 0) + 1, true);
      if (refused.length > 0) throw new ChangeRefused(refused);
      seedMessages = messages;
      throw new OnlyTried();
    });
  } catch (error) {
    if (error instanceof OnlyTried) return createResult(seedMessages);
    if (error instanceof ChangeRefused) {
      const refused = error.refused.map(({ misfits, ...one }) =>
        misfits === undefined ? one : { ...one, misfits: underLiveName(misfits) },
      );
      return { done: [], messages: [], records: [], refused };
    }
    if (error instanceof StoreSlow && stepMessages !== noMessages) return createResult([TAKES_LONG]);
    throw error;
  }
};
