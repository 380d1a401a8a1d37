import type { Entity } from "../../../core/model/entity.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Query, Row } from "../../../postgres/database.ts";
import { isRefusal, type Refusal, refuseAt } from "../../refusal.ts";
import type { EndpointBatch } from "../after-write.ts";
import { DIFFERS } from "../checks/check.ts";
import type { Caller, PlanContext } from "../context.ts";
import { runConditionTriggers } from "../effects/condition-triggers.ts";
import { runEffects } from "../effects/run-effects.ts";
import type { PartListInput } from "../input/parse-parts.ts";
import type { Changed, Created, Done } from "../outcome.ts";
import { writeParts } from "../parts/write-parts.ts";
import { type Ending, type Plan, planSteps, undo } from "../plan.ts";
import { planRead } from "../read/read-record.ts";
import { readColumn } from "../result-columns.ts";
import type { StatementBatch, Steps } from "../steps.ts";
import { deletedClauses, notNullRefusal } from "../transaction/constraint-errors.ts";
import { listChangedRecords, requireAll } from "../transaction/early-locks.ts";
import { checkEachAlone, runFinalChecks } from "../transaction/final-checks.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import type { EarlyChecks, WriteSet, WrittenRow } from "../transaction/write-set.ts";
import { describeEffect, type WriteDescription, type WriteOutline } from "./describe-write.ts";

/**
 * Every create, update, transition, deletion and restore runs through the steps on this page. The planners beside it
 * (`create.ts`, `update.ts`, `delete.ts`, `delete-many.ts`, `bring-back.ts`) fill in a `Write`: its statements, and how
 * to read their rows.
 */

/** The result of a write. */
export type WriteResult = Created | Changed | Done;

/** A statement of a write, and how to read the row that it returns. */
export interface WriteStatement<R> {
  readonly query: Query;
  readonly decode: (row: Row | undefined) => R;
}

/** A write as its planner describes it. */
export interface Write<T extends WriteResult> {
  readonly context: PlanContext;
  readonly caller: Caller;
  readonly format: Format;
  readonly entity: Entity;
  /** `create`, `update`, `delete`, `BRING_BACK` or a transition's name. */
  readonly action: string;
  /** The fields that the write may change; `null` if it inserts or deletes records. */
  readonly changed: ReadonlySet<string> | null;
  /** True if an after-write follows in the same transaction: parts, effects, final checks. */
  readonly hasAfterWrite: boolean;
  /** The endpoint batch that the write belongs to; undefined for a single write. */
  readonly endpoint: EndpointBatch | undefined;
  /** Locks the record of an endpoint step. */
  readonly lockRecord?: () => Steps<void>;
  /** Takes the locks of rules that read other records. Sent before the statement, in the same message. */
  readonly locks: StatementBatch;
  /**
   * The statement with every check in its WHERE clause. It returns a row if it wrote. `null` if the write cannot take
   * this path.
   */
  readonly fastPath: (() => WriteStatement<T | undefined>) | null;
  /** True if the fast path checks the caller's session itself. */
  readonly checksSession?: boolean;
  /** The statement in which each check is a column, so that a refusal knows its clause. */
  readonly checked: () => WriteStatement<T | Refusal | NotWritten>;
  /** The statement that only finds out if a transition is refused whatever it is given. */
  readonly tried?: (() => WriteStatement<Refusal | undefined>) | undefined;
  /** Reads the record as it is, for a write that changes nothing. */
  readonly unchanged?: () => Steps<T | Refusal>;
  /** The result of an earlier request with the same idempotency key. */
  readonly replay?: () => Steps<T | Refusal | undefined>;
  /** Decodes the written records from the row of the statement. */
  readonly rowsOf: (row: Row) => readonly WrittenRow[];
  /** Decodes the parts that the statement also wrote from its row. */
  readonly partsOf?: (row: Row) => readonly WriteSet[];
  /** The parts that are sent with the record. */
  readonly parts: readonly PartListInput[];
  /** Checks that the statement makes and that nothing after it can break. */
  readonly earlyChecks?: () => EarlyChecks;
  /** The record in the request body, by its id. */
  readonly places: ReadonlyMap<string, string>;
  /** The record that the result shows; `null` for a deletion. */
  readonly shows: { readonly id: string; readonly label: boolean } | null;
  /** The refusal for a violated constraint. `deleted`: clauses of the entities of which records were deleted. */
  readonly constraint: (name: string, deleted: ReadonlyMap<string, string>) => Refusal | undefined;
  readonly isRetryable?: (constraint: string) => boolean;
  /** The locks, checks and fields of the write, for its description. */
  readonly outline: () => WriteOutline;
}

/** The checked form wrote nothing: all values are unchanged, or the idempotency key was used before. */
export type NotWritten = "unchanged" | "repeated";

/** The plan of a write. `withoutFastPath`: the plan of its checked form alone, if it has a fast path. */
export interface WritePlan<T extends WriteResult = WriteResult> extends Plan<T> {
  readonly withoutFastPath?: (() => Plan<T>) | undefined;
  readonly tried?: Write<T>["tried"];
  readonly describe: () => WriteDescription;
}

export const planWrite = <T extends WriteResult>(write: Write<T>): WritePlan<T> => {
  const { context, hasAfterWrite, fastPath, replay, isRetryable } = write;
  const written: WriteSet[] = [];
  const checkedSteps = () => runWrite(write, written);
  // One literal, without spreads: a spread of these properties for each write costs a microsecond.
  const plan: WritePlan<T> = {
    kind: "plan",
    transaction: hasAfterWrite ? "whole" : "each batch",
    waits: true,
    checksSession: fastPath !== null && write.checksSession === true ? true : undefined,
    steps: fastPath === null ? checkedSteps : () => tryFastPath(write, fastPath, written),
    constraint: (name) => write.constraint(name, deletedClauses(written)),
    notNull: hasAfterWrite ? (table, column) => notNullRefusal(context.model, table, column) : undefined,
    isRetryable,
    replay,
    withoutFastPath: fastPath === null ? undefined : () => ({ ...plan, checksSession: undefined, steps: checkedSteps }),
    tried: write.tried,
    describe: () => describeWrite(write),
  };
  return plan;
};

/** A write as data. */
const describeWrite = <T extends WriteResult>(write: Write<T>): WriteDescription => ({
  ...write.outline(),
  write: `${write.action} ${write.entity.name}`,
  transaction: write.hasAfterWrite ? "whole" : "each batch",
  statements: write.fastPath === null ? ["checked form"] : ["fast path", "checked form"],
  parts: write.parts.map(({ list }) => list.name),
  effects: (write.entity.after.get(write.action) ?? []).map(describeEffect),
});

/** Tries the fast path. If it wrote nothing, the checked form decides and tells why. */
function* tryFastPath<T extends WriteResult>(
  write: Write<T>,
  fastPath: NonNullable<Write<T>["fastPath"]>,
  written: WriteSet[],
): Steps<Ending<T>> {
  const { query, decode } = fastPath();
  const results = yield [...write.locks, query];
  return decode(results.at(-1)?.[0]) ?? (yield* runWrite(write, written));
}

/** Runs a write from its first lock to its last check: 6a to 6g of “A transition, step by step” in docs/architecture.md. */
function* runWrite<T extends WriteResult>(write: Write<T>, written: WriteSet[]): Steps<Ending<T>> {
  // A transaction that runs again begins without writes.
  written.length = 0;
  const { context, caller, format } = write;
  const tx: WriteTransaction = { context, caller, format, written };

  // 6a. Lock the record of an endpoint step, and its parents.
  if (write.lockRecord !== undefined) yield* write.lockRecord();

  // 6b. In one message: take the locks, check, write, add the audit line.
  const { row, result } = yield* writeRecord(write);
  if (result === "unchanged") return yield* unchangedRecord(write);
  if (result === "repeated") return yield* replayEarlier(write);
  // Of two concurrent requests with one idempotency key, the second finds the record as the first left it.
  if (isRefusal(result)) return (yield* replayIfRepeated(write)) ?? result;
  if (!write.hasAfterWrite) return result;

  // 6c. Write the parts of the record.
  const parts = yield* writePartsOf(tx, write, row);
  if (isRefusal(parts)) return undo(parts);
  if (readColumn(row, DIFFERS) === false && parts.writeSets.length === 0 && write.endpoint === undefined)
    return undo(planSteps(() => unchangedRecord(write)));
  const writeSets = [...parts.root, ...parts.writeSets, ...(write.partsOf?.(row) ?? [])];
  written.push(...writeSets, ...parts.raised);

  // 6d. Run the effects of each written record in document order, and the effects of those.
  for (const writeSet of writeSets) {
    const refusal = yield* runEffects(tx, writeSet);
    if (refusal !== undefined) return undo(refusal);
  }

  // 6e. Make the transitions whose conditions have become true.
  const refusal = yield* runConditionTriggers(tx);
  if (refusal !== undefined) return undo(refusal);

  // 6f. Check everything that was written. One of several endpoint steps leaves its checks to the end of the endpoint.
  const places = new Map([...write.places, ...parts.places]);
  if (write.endpoint !== undefined) addToEndpoint(write.endpoint, written, places);
  else {
    const broken = yield* runFinalChecks(tx, places);
    if (broken !== undefined) return undo(broken);
  }

  // 6g. Read the record as it is now.
  return yield* readResult(write, result);
}

interface WrittenRecord<T> {
  readonly row: Row;
  readonly result: T | Refusal | NotWritten;
}

function* writeRecord<T extends WriteResult>(write: Write<T>): Steps<WrittenRecord<T>> {
  const { context, endpoint, hasAfterWrite } = write;
  const { query, decode } = write.checked();
  const results = yield [...write.locks, query];
  if (hasAfterWrite) requireAll(context.model, results.slice(0, -1), listChangedRecords(endpoint?.written ?? []));
  const row = results.at(-1)?.[0];
  return { row: row ?? {}, result: decode(row) };
}

function* unchangedRecord<T extends WriteResult>({ unchanged, action, entity }: Write<T>): Steps<T | Refusal> {
  if (unchanged === undefined) throw new Error(`${action} of ${entity.name} cannot leave a record unchanged`);
  return yield* unchanged();
}

function* replayEarlier<T extends WriteResult>(write: Write<T>): Steps<T | Refusal> {
  const result = yield* replayIfRepeated(write);
  if (result === undefined) throw new Error("a request was carried out before, and its result is not known");
  return result;
}

function* replayIfRepeated<T extends WriteResult>({
  replay,
}: Pick<Write<T>, "replay">): Steps<T | Refusal | undefined> {
  return replay === undefined ? undefined : yield* replay();
}

/** The parts that were written, and the record itself as the first write set. */
interface WrittenParts {
  readonly root: readonly WriteSet[];
  readonly writeSets: readonly WriteSet[];
  /** Parts of which only the version was raised. */
  readonly raised: readonly WriteSet[];
  readonly places: ReadonlyMap<string, string>;
}

function* writePartsOf<T extends WriteResult>(
  tx: WriteTransaction,
  { entity, action, changed, parts, earlyChecks, rowsOf, shows }: Write<T>,
  row: Row,
): Steps<WrittenParts | Refusal> {
  const rows = rowsOf(row);
  const root: WriteSet = {
    entity,
    action,
    changed: changed === null ? null : new Set([...changed, ...parts.map(({ list }) => list.name)]),
    rows,
    ...(earlyChecks === undefined ? {} : { earlyChecks: earlyChecks() }),
  };
  const [first] = rows;
  if (shows === null || first === undefined || parts.length === 0)
    return { root: [root], writeSets: [], raised: [], places: new Map() };
  const parent = { id: shows.id, line: first.line ?? 0, isNew: action === "create" };
  const { writeSets, raised, places, broken } = yield* writeParts(tx, parent, parts);
  if (broken.length === 0) return { root: [root], writeSets, raised, places };
  // The other parts are checked too, unless something else has to happen first, so that the caller gets all errors at
  // once.
  const alone = writeSets.filter((writeSet) => !changesItself(writeSet.entity, writeSet.action));
  const more = yield* checkEachAlone({ ...tx, written: [...alone] }, places);
  return refuseAt([...broken, ...more].toSorted((a, b) => indexInList(a.at) - indexInList(b.at)));
}

/**
 * True if an effect of the write changes records of the same entity, so that a rule that is broken now may hold in the
 * end.
 */
const changesItself = (entity: Entity, action: string): boolean =>
  (entity.after.get(action) ?? []).some((effect) => "entity" in effect && effect.entity === entity.name);

/** The index in a list: 2 for `/lines/2/quantity`. */
const indexInList = (at: string): number => Number(at.split("/")[2] ?? -1);

const addToEndpoint = (
  endpoint: EndpointBatch,
  written: readonly WriteSet[],
  places: ReadonlyMap<string, string>,
): void => {
  endpoint.written.push(...written);
  for (const [record, at] of places) endpoint.places.set(record, `${endpoint.step}${at}`);
};

/** The result with the record as it is after all steps, if the caller can read it. */
function* readResult<T extends WriteResult>(
  { context, caller, format, entity, shows, parts }: Write<T>,
  result: T,
): Steps<T> {
  if (shows === null || result.kind === "done") return result;
  const { id, label } = shows;
  const intent = { kind: "read", entity: entity.name, id, label, screen: null, parts: parts.length > 0 } as const;
  const read = planRead(context, intent, caller, format);
  if (read.kind === "refusal") return result;
  const now = yield* read.steps();
  return now.kind === "refusal" ? result : { ...result, body: now.body, version: now.version };
}
