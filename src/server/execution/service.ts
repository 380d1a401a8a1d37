import { anonymousPrincipal, type Principal } from "../../core/derive/authorization/grants.ts";
import { type Phrases, phrasesFor } from "../../core/explain/language.ts";
import { withRoles } from "../../core/explain/roles.ts";
import { dateAt, zoneOf } from "../../core/expression/values/calendar.ts";
import type { Format } from "../../core/model/format.ts";
import type { Model } from "../../core/model/model.ts";
import type { Past } from "../../core/model/renaming.ts";
import type { Source, Span } from "../../core/source-text.ts";
import type { Database } from "../../postgres/database.ts";
import type { Intent } from "../intent.ts";
import type { Action, Reply } from "../plan/action.ts";
import type { Asker, Context } from "../plan/context.ts";
import { plan } from "../plan/plan.ts";
import { speakerOf } from "../plan/row/labels.ts";
import { Statements } from "../plan/statements.ts";
import type { Steps } from "../plan/steps.ts";
import { constraintRefusal, goneIn } from "../plan/transaction/constraint-errors.ts";
import type { Following } from "../plan/transaction/transaction-context.ts";
import type { Written } from "../plan/transaction/write-set.ts";
import type { Refusal } from "../refusal.ts";
import { newId } from "../util/uuid.ts";
import { Changes } from "./change-feed.ts";
import { carryOut, run } from "./execute.ts";

/** One document in force on one database: whatever enters (a request, sample data, later a timer) goes through here. */
export interface Service {
  readonly model: Model;
  readonly version: number;
  readonly database: Database;
  readonly context: Context;
  readonly format: Format;
  /** What is new in its audit, while somebody waits for that. */
  readonly changes: Changes;
  /** `phrases`: the document's language unless who asks reads another. */
  asker(person: Principal, now: Date, phrases?: Phrases): Asker;
  /** What is to be done, or why not; nothing has happened yet. */
  plan(intent: Intent, asker: Asker): Action | Refusal;
  /** Plans and runs. `now` is taken once and holds for the whole request. */
  perform(intent: Intent, person: Principal, now: Date, phrases?: Phrases): Promise<Reply | Refusal>;
  /** Steps that nobody asked for, made by the system, which holds no role: what refuses them, or nothing. */
  follow(steps: (following: Following) => Steps<Refusal | undefined>, now: Date): Promise<Refusal | undefined>;
}

export const serviceOf = (
  model: Model,
  version: number,
  database: Database,
  {
    sources = [],
    past = [],
    searched = new Set(),
  }: { readonly sources?: readonly Source[]; readonly past?: Past; readonly searched?: ReadonlySet<string> } = {},
): Service => {
  const source = ({ file, start, end }: Span) =>
    sources
      .find((one) => one.file === file)
      ?.text.slice(start, end)
      .replace(/\s+/gu, " ") ?? "";
  const context: Context = { model, version, statements: new Statements(), past, searched, source };
  const format = speakerOf(model);
  const zone = zoneOf(model.timezone);
  const todayAt = (now: Date): string => dateAt(now.toISOString(), zone) ?? now.toISOString().slice(0, 10);
  // Wherever it is, a day begins with a minute.
  let known = { minute: Number.NaN, today: "" };
  const own = withRoles(phrasesFor(model.locale), model);
  const asker = (person: Principal, now: Date, phrases = own): Asker => {
    const minute = Math.floor(now.getTime() / 60_000);
    if (minute !== known.minute) known = { minute, today: todayAt(now) };
    return { person, now, today: known.today, tongue: phrases };
  };
  const planned: Service["plan"] = (intent, asker) =>
    plan(context, intent, asker, format, intent.kind === "create" ? newId(asker.now) : "");
  return {
    model,
    version,
    database,
    context,
    format,
    changes: new Changes(database),
    asker,
    plan: planned,
    perform: async (intent, person, now, phrases) => {
      const action = planned(intent, asker(person, now, phrases));
      return action.kind === "refusal" ? action : run(database, action);
    },
    follow: (steps, now) => {
      let written: Written[] = [];
      return carryOut(
        database,
        () => {
          written = [];
          return steps({ context, asker: asker(anonymousPrincipal, now), format, written });
        },
        (constraint) => constraintRefusal(model, null, constraint, goneIn(written)),
      );
    },
  };
};
