import { anonymousPrincipal, type Principal } from "../../core/derive/authorization/grants.ts";
import { getPhrasesFor, type Phrases } from "../../core/explain/language.ts";
import { withRoleTitles } from "../../core/explain/roles.ts";
import { dateAt, getZone } from "../../core/expression/values/calendar.ts";
import type { Format } from "../../core/model/format.ts";
import type { Model } from "../../core/model/model.ts";
import type { Past, RetiredName } from "../../core/model/renaming.ts";
import type { Source, Span } from "../../core/source-text.ts";
import type { Database } from "../../postgres/database.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import type { Intent } from "../intent.ts";
import type { Caller, PlanContext } from "../plan/context.ts";
import { DONE_OUTCOME, type Done, type Outcome } from "../plan/outcome.ts";
import { type Ending, type Plan, undo } from "../plan/plan.ts";
import { planIntent } from "../plan/plan-intent.ts";
import { readerFormat } from "../plan/row/labels.ts";
import type { OwnSession } from "../plan/row/own-session.ts";
import { Statements } from "../plan/statements.ts";
import type { Steps } from "../plan/steps.ts";
import { constraintRefusal, deletedClauses } from "../plan/transaction/constraint-errors.ts";
import type { WriteTransaction } from "../plan/transaction/transaction-context.ts";
import type { WriteSet } from "../plan/transaction/write-set.ts";
import type { WritePlan } from "../plan/write/plan-write.ts";
import type { Refusal } from "../refusal.ts";
import { newId } from "../util/uuid.ts";
import { ChangeAudience } from "./change-audience.ts";
import { Changes } from "./change-feed.ts";
import { execute, executeOnly } from "./execute.ts";
import type { MinPosition } from "./read.ts";
import { PreparedNames } from "./retries.ts";

/** A live document on a database. Requests, sample data and timers all pass through it. */
export interface Service {
  readonly model: Model;
  readonly version: number;
  readonly database: Database;
  /** Keeps the bytes of files; null if the database does. */
  readonly objects: ObjectStore | null;
  readonly context: PlanContext;
  readonly format: Format;
  /** New audit lines, for pages that wait for changes. */
  readonly changes: Changes;
  /** `phrases`: the document's language by default. */
  caller(principal: Principal, now: Date, phrases?: Phrases): Caller;
  /** Plans an intent or refuses it, without any effect. `session`: the caller's, if the plan may check it itself. */
  plan(intent: Intent, caller: Caller, session?: OwnSession): Plan | WritePlan | Refusal;
  /**
   * Plans and executes an intent. `now` is taken once for the whole request. `minPosition`: the position that a standby
   * must have replayed to answer; by default, only the primary answers.
   */
  perform(
    intent: Intent,
    principal: Principal,
    now: Date,
    phrases?: Phrases,
    minPosition?: MinPosition,
  ): Promise<Outcome | Refusal>;
  /** Executes steps of the system, which has no role. Returns a refusal, if there is one. */
  follow(steps: (tx: WriteTransaction) => Steps<Refusal | undefined>, now: Date): Promise<Refusal | undefined>;
}

export const createService = (
  model: Model,
  version: number,
  database: Database,
  {
    sources = [],
    past = [],
    retired = [],
    searched = new Set(),
    objects = null,
  }: {
    readonly sources?: readonly Source[];
    readonly past?: Past;
    readonly retired?: readonly RetiredName[];
    readonly searched?: ReadonlySet<string>;
    readonly objects?: ObjectStore | null;
  } = {},
): Service => {
  const source = ({ file, start, end }: Span) =>
    sources
      .find((candidate) => candidate.file === file)
      ?.text.slice(start, end)
      .replace(/\s+/gu, " ") ?? "";
  const context: PlanContext = { model, version, statements: new Statements(), past, retired, searched, source };
  const format = readerFormat(model);
  const zone = getZone(model.timezone);
  const todayAt = (now: Date): string => dateAt(now.toISOString(), zone) ?? now.toISOString().slice(0, 10);
  // Caches the day per minute. In every time zone, a day begins at a full minute.
  let known = { minute: Number.NaN, today: "" };
  const own = withRoleTitles(getPhrasesFor(model.locale), model);
  const caller = (principal: Principal, now: Date, phrases = own): Caller => {
    const minute = Math.floor(now.getTime() / 60_000);
    if (minute !== known.minute) known = { minute, today: todayAt(now) };
    return { principal, now, today: known.today, phrases };
  };
  const planForCaller: Service["plan"] = (intent, caller, session) =>
    planIntent(context, intent, caller, format, intent.kind === "create" ? newId(caller.now) : "", undefined, session);
  return {
    model,
    version,
    database,
    objects,
    context,
    format,
    changes: new Changes(database, version, new ChangeAudience(context, database)),
    caller,
    plan: planForCaller,
    perform: (intent, principal, now, phrases, minPosition) =>
      executeOnly(database, planForCaller(intent, caller(principal, now, phrases)), minPosition),
    follow: async (steps, now) => {
      const written: WriteSet[] = [];
      const plan: Plan<Done> = {
        kind: "plan",
        transaction: "whole",
        steps: function* (): Steps<Ending<Done>> {
          written.length = 0;
          const refusal = yield* steps({ context, caller: caller(anonymousPrincipal, now), format, written });
          return refusal === undefined ? DONE_OUTCOME : undo(refusal);
        },
        constraint: (name) => constraintRefusal(model, null, name, deletedClauses(written)),
      };
      // Unnamed, because these statements rarely repeat on one connection.
      const outcome = await execute(database, plan, new PreparedNames(false));
      return outcome.kind === "refusal" ? outcome : undefined;
    },
  };
};
