import {
  decidingClauseId,
  grantsFor,
  transitionGrantsFor,
  writableFields,
} from "../../../core/derive/authorization/grants.ts";
import type { Stored } from "../../../core/field/kind.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Row } from "../../../postgres/database.ts";
import type { Intent } from "../../intent.ts";
import { type Refusal, refuse } from "../../refusal.ts";
import { type Action, type Reply, reply } from "../action.ts";
import { type Among, followed } from "../after-write.ts";
import { type Asker, type Context, entityOf, knownTo, signatureOf, slotsWith } from "../context.ts";
import { seriesSlots } from "../input/generated-values.ts";
import { type Given, givenSlots, readGiven } from "../input/parse-input.ts";
import { type GivenList, readParts } from "../input/parse-parts.ts";
import { planRead } from "../read/read-record.ts";
import type { Reader } from "../row/record-columns.ts";
import { queryOf, type Written as Statement } from "../statements.ts";
import { constraintRefusal, goneIn, isTogether } from "../transaction/constraint-errors.ts";
import { requireAll, rowsIn, stepRows } from "../transaction/early-locks.ts";
import type { Written } from "../transaction/write-set.ts";
import { againstChange, judgedChange } from "./checked-write.ts";
import { isTriedChange, triedChange } from "./fast-path.ts";
import { type Change, judgedWhen, locksBeforeChange, settledIn, touchingOf } from "./write-spec.ts";

type Update = Extract<Intent, { kind: "update" }>;
type Move = Extract<Intent, { kind: "transition" }>;

/** What an update and a transition have in common, once it is known what each may write. */
interface Wish extends Pick<Change, "entity" | "moment" | "clause" | "gates" | "move"> {
  readonly given: Given;
  readonly missing: Given["wrong"];
  /** Parts that are written with it. */
  readonly lists: readonly GivenList[];
}

/** Changes fields of a record. What may not be read is not there; what may not be written refuses the whole. */
export const planUpdate = (
  context: Context,
  intent: Update,
  asker: Asker,
  format: Format,
  among?: Among,
): Action | Refusal => {
  const entity = entityOf(context, intent.entity);
  const grants = grantsFor(context.model, entity, "update", asker.person);
  const clause = decidingClauseId(entity, "update");
  const open = new Set([...writableFields(entity, grants)].filter((name) => entity.fields.get(name)?.once !== true));
  const known = knownTo(context, entity, asker.person);
  const { own, lists, ...parts } = readParts({ context, asker, format }, entity, intent.values, grants, clause);
  const sent = readGiven(entity, own, { open, known, past: context.past }, clause, format);
  const given = {
    ...sent,
    wrong: [...sent.wrong, ...parts.wrong],
    closed: [...sent.closed, ...parts.closed],
  };
  return planChange(
    context,
    intent,
    { entity, moment: "update", clause, gates: grants, given, missing: [], move: null, lists },
    asker,
    format,
    among,
  );
};

/** Moves a record to another state: what it asks for is written, what it sets is set, and nothing else. */
export const planTransition = (
  context: Context,
  intent: Move,
  asker: Asker,
  format: Format,
  among?: Among,
): Action | Refusal => {
  const entity = entityOf(context, intent.entity);
  const { states } = entity;
  const transition = states?.transitions.get(intent.transition);
  if (states === null || transition === undefined) return refuse("NO_SUCH_CALL");
  const grants = transitionGrantsFor(context.model, entity, transition, asker.person);
  const known = knownTo(context, entity, asker.person);
  const open = new Set(transition.asks);
  const given = readGiven(entity, intent.values, { open, known, past: context.past }, transition.clause.id, format);
  // What is asked for is needed, even where the field is optional elsewhere: that is why it is asked.
  const missing = transition.asks.flatMap((name) => {
    const field = entity.fields.get(name);
    const value = given.values.get(name) ?? null;
    const isThere = Array.isArray(value) ? value.length > 0 : value !== null;
    const has = isThere || given.wrong.some((one) => one.at === `/${name}`);
    return field === undefined || has || transition.asksIfAny.has(name)
      ? []
      : [{ at: `/${name}`, code: "REQUIRED", clause: transition.clause.id, values: { field: field.title } }];
  });
  return planChange(
    context,
    intent,
    {
      entity,
      moment: transition.name,
      clause: transition.clause.id,
      gates: grants,
      given,
      missing,
      move: { states, transition },
      lists: [],
    },
    asker,
    format,
    among,
  );
};

/** Tried where that can do, and judged where it wrote nothing. */
const planChange = (
  context: Context,
  intent: Update | Move,
  wish: Wish,
  asker: Asker,
  format: Format,
  among: Among | undefined,
): Action | Refusal => {
  const { entity, moment, clause, gates: grants, given, move, lists } = wish;
  const wrong = [...given.wrong, ...wish.missing];
  const valid = given.closed.length === 0 && wrong.length === 0;
  const asked = [...given.values.keys()];
  const named = [...asked, ...lists.map(({ list }) => list.name)];
  const write = [intent.kind, moment, entity.name, named];
  const touching = context.statements.find(["touching", ...write], () => touchingOf(context.model, wish, asked));
  const { changed, files, references, series, guards, together } = touching;
  const withParts = lists.length > 0;
  const follows = among !== undefined || withParts || touching.isFollowed;
  const change: Change = {
    context,
    asker,
    format,
    entity,
    moment,
    clause,
    gates: grants,
    // What is asked for by a transition is written by whoever may take it.
    named: move === null ? named : [],
    asked,
    move,
    changed,
    files,
    references,
    series,
    // What is needed where the record has such parts is judged when it has them.
    conditioned: withParts ? [] : touching.conditioned,
    ...judgedWhen(context.model, { entity, moment, changed }, touching, {
      follows,
      isSettling: among === undefined && !withParts,
    }),
    guards,
    // What holds between the records that several steps write is judged when all of them are done.
    together: among === undefined ? together : [],
    firings: touching.firings,
    isStep: among !== undefined,
    withParts,
    follows,
    wanted: {
      may: true,
      label: intent.label,
      ...(move === null ? {} : { state: move.transition.to }),
    },
  };
  const key = [...write, signatureOf(asker.person), follows, among === undefined];
  const before = context.statements.list(key, () => locksBeforeChange(change));
  const slots = slotsWith(asker, givenSlots(placeholders(asked, given)), seriesSlots(series, asker.today), {
    id: intent.id,
    version: intent.version,
    valid,
  });
  const query = (last: Statement<Reader>) => [...before, last].map((one) => queryOf(one, slots));
  const done = (row: Row, reader: Reader): Reply =>
    row["is:readable"] === true
      ? reply(200, reader.record(row, asker.tongue), { etag: `"${Number(row.version)}"` })
      : reply(200, { id: intent.id, version: Number(row.version) });
  const wrote: Written[] = [];
  const always = {
    kind: "action",
    writes: true,
    ...(among === undefined ? {} : { takes: stepRows(context, entity, intent.id, among.written) }),
    constraint: (name: string) => constraintRefusal(context.model, entity, name, goneIn(wrote)),
    again: (name: string) => isTogether(entity, name),
  } as const;
  const judging = (): Action => {
    const last = context.statements.get(["judged", ...key, intent.label], () => judgedChange(change));
    return {
      ...always,
      queries: query(last),
      settle: (results) => {
        if (follows) requireAll(context.model, results.slice(0, -1), rowsIn(among?.written ?? []));
        const row = results.at(-1)?.[0];
        if (row === undefined) return refuse("NOT_FOUND", decidingClauseId(entity, "read"));
        return againstChange(change, { closed: given.closed, wrong }, row) ?? done(row, last.more);
      },
      unchanged: () => {
        const reading = {
          kind: "read",
          entity: entity.name,
          id: intent.id,
          label: intent.label,
          screen: null,
        } as const;
        return planRead(context, { ...reading, parts: lists.length > 0 }, asker, format);
      },
      ...(follows
        ? followed(context, asker, format, {
            entity,
            moment,
            changed,
            id: intent.id,
            label: intent.label,
            lists,
            settled: settledIn(change),
            written: wrote,
            among,
          })
        : {}),
    };
  };
  if (!valid || !context.statements.find(["tries", ...key], () => isTriedChange(change))) return judging();
  const last = context.statements.get(["tried", ...key, intent.label], () => triedChange(change));
  return {
    ...always,
    queries: query(last),
    settle: (results) => {
      const row = results.at(-1)?.[0];
      return row === undefined ? "judged" : done(row, last.more);
    },
    judged: judging,
  };
};

/** Where something is wrong nothing is written, but the statement still says whether the record may be seen and changed. */
const placeholders = (asked: readonly string[], given: Given): ReadonlyMap<string, Stored> =>
  new Map(asked.map((name) => [name, given.values.get(name) ?? null]));
