import type { Database } from "../postgres/database.ts";
import type { PlanContext } from "../server/plan/context.ts";
import {
  beginRemindersQuery,
  type DueReminder,
  listDueReminders,
  type Reminded,
} from "../server/plan/effects/due-reminders.ts";
import type { Steps } from "../server/plan/steps.ts";
import type { WriteTransaction } from "../server/plan/transaction/transaction-context.ts";

/** Maximum number of records per transaction. */
const MAX_RECORDS = 100;

export interface ReminderWork<Failed> {
  readonly database: Database;
  readonly context: PlanContext;
  /** Runs steps in a transaction; the reason if the database or a rule rejected them. */
  attempt(steps: (tx: WriteTransaction) => Steps<unknown>): Promise<Failed | undefined>;
}

/** A record that could not be reminded. */
interface FailedRecord<Failed> extends Pick<DueReminder, "entity" | "reminder"> {
  readonly record: string;
  readonly reason: Failed;
}

/**
 * Sends reminders whose moment has come. The database has one position for each reminder: everything up to it is handled,
 * so no record is reminded twice, and a moment in the past never counts.
 */
export class Reminders {
  #version = Number.NaN;
  /** The newest moment that was handled, by clause, so that most runs ask the database nothing. */
  readonly #handled = new Map<string, number>();

  /** Returns the records that could not be reminded. */
  async run<Failed>(work: ReminderWork<Failed>, now: Date): Promise<readonly FailedRecord<Failed>[]> {
    const failed: FailedRecord<Failed>[] = [];
    const { context, database } = work;
    if (context.version !== this.#version) {
      await database.query(beginRemindersQuery(context.model, now));
      this.#handled.clear();
      this.#version = context.version;
    }
    for (const due of listDueReminders(context.model, now)) {
      const { id } = due.reminder.clause;
      const isHandled = due.until.getTime() <= (this.#handled.get(id) ?? Number.NEGATIVE_INFINITY);
      if (!isHandled && (await handleMoments(work, due, failed))) this.#handled.set(id, due.until.getTime());
    }
    return failed;
  }
}

/** True if no record is left whose moment has come. After a failure, records are handled one by one. */
const handleMoments = async <Failed>(
  work: ReminderWork<Failed>,
  due: DueReminder,
  failed: FailedRecord<Failed>[],
): Promise<boolean> => {
  let limit = MAX_RECORDS;
  for (;;) {
    let attempt = await attemptBatch(work, due, { limit, skips: false });
    const { reason } = attempt;
    if (reason !== undefined && limit > 1) {
      limit = 1;
      continue;
    }
    if (reason !== undefined) {
      attempt = await attemptBatch(work, due, { limit, skips: true });
      if (attempt.reason !== undefined) return false;
      const { entity, reminder } = due;
      failed.push(...attempt.result.records.map((record) => ({ entity, reminder, record, reason })));
    }
    const { kind } = attempt.result;
    if (kind !== "more") return kind === "done";
  }
};

const attemptBatch = async <Failed>(
  work: ReminderWork<Failed>,
  { handle }: DueReminder,
  request: Parameters<DueReminder["handle"]>[0],
): Promise<{ readonly result: Reminded; readonly reason: Failed | undefined }> => {
  let result: Reminded = { kind: "busy", records: [] };
  const steps = handle(request, (told) => {
    result = told;
  });
  const reason = await work.attempt(steps);
  return { result, reason };
};
