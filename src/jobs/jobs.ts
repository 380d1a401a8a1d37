import type { Outgoing } from "../core/model/effect.ts";
import { StoreAway, toLogFields } from "../postgres/database.ts";
import { prepareMonths } from "../postgres/schema/history-months.ts";
import { deleteExpiredData } from "./delete-expired-data.ts";
import { type DrawLetters, type Mailer, sendMails } from "./mails.ts";
import { deliver, type OutboxEnvironment } from "./outbox.ts";
import { type RefusedTransition, Timers, type Work } from "./timers.ts";

export interface JobsOptions<Refused> {
  /** The live document, which may change while the program runs. */
  readonly work: () => Work<Refused> & {
    readonly model: {
      readonly outgoing: ReadonlyMap<string, Outgoing>;
      readonly limits: { readonly trashDays: number };
    };
  };
  readonly clock: () => Date;
  readonly outside: OutboxEnvironment;
  /** Sends mail. Without one, mails wait. */
  readonly mailer?: Mailer | undefined;
  /** Draws the letters that mails bring. Without it, none are attached. */
  readonly draw?: DrawLetters;
  /** Composes and queues mails: about changed addresses, proposals and notifications, and scheduled reports. */
  readonly composeMails?: (now: Date) => Promise<void>;
  /** Interval in milliseconds. */
  readonly every?: number;
  /** Called for each due transition that is refused, in addition to the log. */
  readonly refused?: (what: RefusedTransition<Refused>) => void;
  readonly log: {
    warn(what: object, message: string): void;
    error(what: object, message: string): void;
  };
}

export interface Jobs {
  /** Runs all jobs now. */
  run(): Promise<void>;
  /** Resolves when running jobs have finished. */
  stop(): Promise<void>;
}

const HOUR = 3_600_000;

/** Work without a request: timers, outgoing calls and mails, and the deletion of expired data. */
export const startJobs = <Refused extends { readonly code: string }>({
  work,
  clock,
  outside,
  mailer,
  draw,
  composeMails = () => Promise.resolve(),
  every = 2_000,
  refused = () => undefined,
  log,
}: JobsOptions<Refused>): Jobs => {
  const timers = new Timers<Refused>((what) => {
    const { entity, transition, record, refusal, until } = what;
    const because = "because" in refusal ? { because: refusal.because } : {};
    const { code } = refusal;
    log.warn(
      { transition: `${entity}.${transition}`, record, code, ...because, ...(until && { again: until.toISOString() }) },
      until === null ? "a reminder could not be sent" : "a due transition was refused",
    );
    refused(what);
  });
  let swept = Number.NEGATIVE_INFINITY;
  let away = false;
  const all = async (): Promise<void> => {
    const now = clock();
    const { database, model } = work();
    try {
      await timers.run(work(), now);
      await deliver(database, model.outgoing, outside, now, log);
      if (mailer !== undefined) {
        await composeMails(now);
        await sendMails(database, mailer, now, draw);
      }
      if (now.getTime() - swept > HOUR) {
        swept = now.getTime();
        await deleteExpiredData(database, now, model.limits);
        await prepareMonths(database, now);
      }
      away = false;
    } catch (error) {
      // Logged once, because requests report that the database is unavailable too.
      if (!(error instanceof StoreAway) || !away) log.error(toLogFields(error), "due work could not be done");
      away = error instanceof StoreAway;
    }
  };
  let under: Promise<void> = Promise.resolve();
  let next: NodeJS.Timeout | undefined;
  let stopped = false;
  const run = (): Promise<void> => {
    under = under.then(all);
    return under;
  };
  const wait = (): void => {
    if (stopped) return;
    next = setTimeout(() => void run().then(wait), every);
    next.unref();
  };
  wait();
  return {
    run,
    stop: async () => {
      stopped = true;
      clearTimeout(next);
      await under;
    },
  };
};
