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
import { mapPlan, type Plan } from "../action.ts";
import { type EndpointBatch, withAfterWrite } from "../after-write.ts";
import {
  type Caller,
  cachedKnowableFields,
  getEntity,
  mergeParams,
  type PlanContext,
  principalKey,
} from "../context.ts";
import { sequenceParams } from "../input/generated-values.ts";
import { inputParams, type ParsedInput, parseInput } from "../input/parse-input.ts";
import { type PartListInput, parseParts } from "../input/parse-parts.ts";
import type { Changed } from "../outcome.ts";
import { planRead } from "../read/read-record.ts";
import type { RowReader } from "../row/record-columns.ts";
import { queryOf, type Written as Statement } from "../statements.ts";
import { constraintRefusal, deletedClauses, isUniquenessConstraint } from "../transaction/constraint-errors.ts";
import { changedRecords, lockStepRecord, requireAll } from "../transaction/early-locks.ts";
import type { WriteSet } from "../transaction/write-set.ts";
import { checkedUpdate, decodeUpdateRefusal } from "./checked-write.ts";
import { fastUpdate, hasFastUpdate } from "./fast-path.ts";
import { type Change, earlyChecks, locksBeforeChange, splitChecks, writeSetOf } from "./write-spec.ts";

type Update = Extract<Intent, { kind: "update" }>;
type Move = Extract<Intent, { kind: "transition" }>;

/** What an update and a transition have in common, once it is known what each may write. */
interface Wish extends Pick<Change, "entity" | "moment" | "clause" | "grants" | "move"> {
  readonly given: ParsedInput;
  readonly missing: ParsedInput["wrong"];
  /** Parts that are written with it. */
  readonly lists: readonly PartListInput[];
}

/** Changes fields of a record. What may not be read is not there; what may not be written refuses the whole. */
export const planUpdate = (
  context: PlanContext,
  intent: Update,
  caller: Caller,
  format: Format,
  among?: EndpointBatch,
): Plan<Changed> | Refusal => {
  const entity = getEntity(context, intent.entity);
  const grants = grantsFor(context.model, entity, "update", caller.principal);
  const clause = decidingClauseId(entity, "update");
  const open = new Set([...writableFields(entity, grants)].filter((name) => entity.fields.get(name)?.once !== true));
  const known = cachedKnowableFields(context, entity, caller.principal);
  const { own, lists, ...parts } = parseParts({ context, caller, format }, entity, intent.values, grants, clause);
  const sent = parseInput(entity, own, { open, known, past: context.past }, clause, format);
  const given = {
    ...sent,
    wrong: [...sent.wrong, ...parts.wrong],
    closed: [...sent.closed, ...parts.closed],
  };
  return planChange(
    context,
    intent,
    { entity, moment: "update", clause, grants, given, missing: [], move: null, lists },
    caller,
    format,
    among,
  );
};

/** Moves a record to another state: what it asks for is written, what it sets is set, and nothing else. */
export const planTransition = (
  context: PlanContext,
  intent: Move,
  caller: Caller,
  format: Format,
  among?: EndpointBatch,
): Plan<Changed> | Refusal => {
  const entity = getEntity(context, intent.entity);
  const { states } = entity;
  const transition = states?.transitions.get(intent.transition);
  if (states === null || transition === undefined) return refuse("NO_SUCH_CALL");
  const grants = transitionGrantsFor(context.model, entity, transition, caller.principal);
  const known = cachedKnowableFields(context, entity, caller.principal);
  const open = new Set(transition.asks);
  const given = parseInput(entity, intent.values, { open, known, past: context.past }, transition.clause.id, format);
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
      grants,
      given,
      missing,
      move: { states, transition },
      lists: [],
    },
    caller,
    format,
    among,
  );
};

/** Tried where that can do, and judged where it wrote nothing. */
const planChange = (
  context: PlanContext,
  intent: Update | Move,
  wish: Wish,
  caller: Caller,
  format: Format,
  among: EndpointBatch | undefined,
): Plan<Changed> | Refusal => {
  const { entity, moment, clause, grants, given, move, lists } = wish;
  const wrong = [...given.wrong, ...wish.missing];
  const valid = given.closed.length === 0 && wrong.length === 0;
  const asked = [...given.values.keys()];
  const named = [...asked, ...lists.map(({ list }) => list.name)];
  const write = [intent.kind, moment, entity.name, named];
  const touching = context.statements.find(["touching", ...write], () => writeSetOf(context.model, wish, asked));
  const { changed, files, references, series, guards, together } = touching;
  const withParts = lists.length > 0;
  const follows = among !== undefined || withParts || touching.isFollowed;
  const change: Change = {
    context,
    caller,
    format,
    entity,
    moment,
    clause,
    grants,
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
    ...splitChecks(context.model, { entity, moment, changed }, touching, {
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
  const key = [...write, principalKey(caller.principal), follows, among === undefined];
  const before = context.statements.list(key, () => locksBeforeChange(change));
  const slots = mergeParams(caller, inputParams(placeholders(asked, given)), sequenceParams(series, caller.today), {
    id: intent.id,
    version: intent.version,
    valid,
  });
  const query = (last: Statement<RowReader>) => [...before, last].map((one) => queryOf(one, slots));
  const done = (row: Row, reader: RowReader): Changed => {
    const version = Number(row.version);
    return row["is:readable"] === true
      ? { kind: "changed", id: intent.id, body: reader.record(row, caller.phrases), version }
      : { kind: "changed", id: intent.id, body: { id: intent.id, version }, version: null };
  };
  const wrote: WriteSet[] = [];
  const always = {
    kind: "plan",
    writes: true,
    ...(among === undefined ? {} : { earlyLocks: lockStepRecord(context, entity, intent.id, among.written) }),
    constraint: (name: string) => constraintRefusal(context.model, entity, name, deletedClauses(wrote)),
    isRetryable: (name: string) => isUniquenessConstraint(entity, name),
  } as const;
  const judging = (): Plan<Changed> => {
    const last = context.statements.get(["judged", ...key, intent.label], () => checkedUpdate(change));
    return {
      ...always,
      queries: query(last),
      decode: (results) => {
        if (follows) requireAll(context.model, results.slice(0, -1), changedRecords(among?.written ?? []));
        const row = results.at(-1)?.[0];
        if (row === undefined) return refuse("NOT_FOUND", decidingClauseId(entity, "read"));
        return decodeUpdateRefusal(change, { closed: given.closed, wrong }, row) ?? done(row, last.more);
      },
      unchanged: () => {
        const reading = {
          kind: "read",
          entity: entity.name,
          id: intent.id,
          label: intent.label,
          screen: null,
        } as const;
        const read = planRead(context, { ...reading, parts: lists.length > 0 }, caller, format);
        if (read.kind === "refusal") return read;
        return mapPlan(read, (result) =>
          result.kind === "refusal" ? result : { ...result, kind: "changed", id: intent.id },
        );
      },
      ...(follows
        ? withAfterWrite(context, caller, format, {
            entity,
            moment,
            changed,
            id: intent.id,
            label: intent.label,
            lists,
            settled: earlyChecks(change),
            written: wrote,
            among,
          })
        : {}),
    };
  };
  if (!valid || !context.statements.find(["tries", ...key], () => hasFastUpdate(change))) return judging();
  const last = context.statements.get(["tried", ...key, intent.label], () => fastUpdate(change));
  return {
    ...always,
    queries: query(last),
    decode: (results) => {
      const row = results.at(-1)?.[0];
      return row === undefined ? "judged" : done(row, last.more);
    },
    judged: judging,
  };
};

/** Where something is wrong nothing is written, but the statement still says whether the record may be seen and changed. */
const placeholders = (asked: readonly string[], given: ParsedInput): ReadonlyMap<string, Stored> =>
  new Map(asked.map((name) => [name, given.values.get(name) ?? null]));
