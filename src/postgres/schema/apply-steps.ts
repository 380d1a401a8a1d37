import type { MigrationStep, RefusedChange } from "../../core/migration/migration-step.ts";
import { stepKey } from "../../core/migration/phases.ts";
import { type RunQuery, StoreRefusal } from "../database.ts";
import { StepMessages } from "./step-messages.ts";

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

const CONSTRAINT_VIOLATION = /^23/u;

/**
 * Makes each step that no stored row prevents. After the first failure, the remaining steps are only tried, so that an
 * author sees all offending rows at once. A step that depends on a failed one cannot be tried and reports nothing.
 */
export const applySteps = async (
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
