import { rulesAffectedBy, triggersAffectedBy } from "../../core/derive/consistency/read-sets.ts";
import type { Format } from "../../core/model/format.ts";
import type { Entity, Model } from "../../core/model/model.ts";
import { findParts } from "../../core/model/parts.ts";
import type { Row } from "../../postgres/database.ts";
import { type Refusal, refuseAt } from "../refusal.ts";
import type { Plan } from "./action.ts";
import { DONE } from "./checks/check.ts";
import type { Caller, PlanContext } from "./context.ts";
import { runConditionTriggers } from "./effects/condition-triggers.ts";
import { runEffects } from "./effects/run-effects.ts";
import type { PartListInput } from "./input/parse-parts.ts";
import { type Changed, type Created, DONE_OUTCOME, type Done } from "./outcome.ts";
import { writeParts } from "./parts/write-parts.ts";
import { planRead } from "./read/read-record.ts";
import type { Steps } from "./steps.ts";
import { decodeDeletedParts } from "./transaction/cascade-delete.ts";
import { constraintRefusal, deletedClauses, notNullRefusal } from "./transaction/constraint-errors.ts";
import { checkEachAlone, runFinalChecks } from "./transaction/final-checks.ts";
import type { WriteTransaction } from "./transaction/transaction-context.ts";
import type { EarlyChecks, WriteSet } from "./transaction/write-set.ts";

/** The write of a request that others follow. */
export interface RootWrite {
  readonly entity: Entity;
  readonly moment: string;
  readonly changed: ReadonlySet<string> | null;
  readonly id: string;
  /** Whether the answer bears the record's label. */
  readonly label: boolean;
  /** Parts that are written with it; where some are, the answer bears them. */
  readonly lists?: readonly PartListInput[];
  /** What was judged with the write itself. */
  readonly settled?: EarlyChecks;
  /** All that the request has written so far: what a constraint means that is broken in the end is told by it. */
  readonly written: WriteSet[];
  /** The steps of one call with it: what they write is judged when the last of them is done. */
  readonly among?: EndpointBatch | undefined;
}

/** What the steps of a call have written together. */
export interface EndpointBatch {
  readonly written: WriteSet[];
  /** The places that the fields of each record have in what was sent, for those that a step was about. */
  readonly places: Map<string, string>;
  /** What stands before the places of the step that is under way. */
  step: string;
}

/** Whether anything follows a write of this kind: then it is a transaction of several steps, judged at its end. */
export const hasAfterWrite = (
  model: Model,
  entity: Entity,
  moment: string,
  changed: ReadonlySet<string> | null,
): boolean =>
  (entity.after.get(moment)?.length ?? 0) > 0 ||
  triggersAffectedBy(model, entity, moment, changed).length > 0 ||
  (moment === "delete" && findParts(model, entity).some((part) => concernsOthers(model, part.entity, entity)));

/** Whether something follows from parts that go with their whole, or a rule of a record that stays reads them. */
const concernsOthers = (model: Model, part: Entity, whole: Entity): boolean =>
  hasAfterWrite(model, part, "delete", null) || rulesAffectedBy(model, part, null).some(({ owner }) => owner !== whole);

/** What follows the write of a request, what is judged of all of it, and the record as it is then. */
export const withAfterWrite = <T extends Created | Changed | Done>(
  context: PlanContext,
  caller: Caller,
  format: Format,
  root: RootWrite,
): Required<Pick<Plan<T>, "afterWrite" | "needed">> => ({
  needed: (table, column) => notNullRefusal(context.model, table, column),
  afterWrite: function* (row: Row, settled: T): Steps<T | Refusal | "unchanged"> {
    // A transaction that is tried again begins anew.
    root.written.length = 0;
    const tx: WriteTransaction = { context, caller, format, written: root.written };
    const outcome = yield* outcomeOf(tx, root, row);
    if (outcome !== undefined) return outcome;
    if (settled.kind === "done") return settled;
    const { entity, id, label, lists = [] } = root;
    const reading = { kind: "read", entity: entity.name, id, label, screen: null, parts: lists.length > 0 } as const;
    const read = planRead(context, reading, caller, format);
    if (read.kind === "refusal") return settled;
    const results: (readonly Row[])[] = [];
    for (const query of read.queries) results.push(yield query);
    const now = read.decode(results);
    return typeof now === "string" || now.kind === "refusal"
      ? settled
      : { ...settled, body: now.body, version: now.version };
  },
});

/** The parts, what follows from all of it in the document's order, and at the end what is judged of all of it. */
function* outcomeOf(tx: WriteTransaction, root: RootWrite, row: Row): Steps<Refusal | "unchanged" | undefined> {
  const { entity, moment, changed, id, lists = [] } = root;
  const { context } = tx;
  const before = row["is:before"];
  const line = Number(row["is:line"]);
  const own: WriteSet = {
    entity,
    moment,
    changed: changed === null ? null : new Set([...changed, ...lists.map(({ list }) => list.name)]),
    rows: [{ id, before: before === null || before === undefined ? null : String(before), line }],
    ...(root.settled === undefined ? {} : { settled: root.settled }),
  };
  const {
    waves: writeSets,
    raised,
    places,
    broken,
  } = yield* writeParts(tx, { id, line, isNew: moment === "create" }, lists);
  if (broken.length > 0) {
    // What is wrong with the others is told at once, as far as nothing else has to happen first.
    const alone = writeSets.filter(({ entity, moment }) => !changesItself(entity, moment));
    const more = yield* checkEachAlone({ ...tx, written: [...alone] }, places);
    return refuseAt([...broken, ...more].toSorted((a, b) => inList(a.at) - inList(b.at)));
  }
  // What the steps before have written stays.
  if (row["is:other"] === false && writeSets.length === 0 && root.among === undefined) return "unchanged";
  const all = [own, ...writeSets, ...(moment === "delete" ? decodeDeletedParts(context, entity, row, DONE) : [])];
  tx.written.push(...all, ...raised);
  for (const writeSet of all) {
    const refused = yield* runEffects(tx, writeSet);
    if (refused !== undefined) return refused;
  }
  const refused = yield* runConditionTriggers(tx);
  if (refused !== undefined) return refused;
  const { among } = root;
  if (among === undefined) return yield* runFinalChecks(tx, new Map([[id, ""], ...places]));
  among.written.push(...tx.written);
  for (const [record, at] of [[id, ""] as const, ...places]) among.places.set(record, `${among.step}${at}`);
  return undefined;
}

/** What several steps have written together, judged as one. */
export const checkBatch = (context: PlanContext, caller: Caller, format: Format, among: EndpointBatch): Plan<Done> => ({
  kind: "plan",
  queries: [],
  decode: () => DONE_OUTCOME,
  afterWrite: function* (_, settled): Steps<Done | Refusal> {
    return (
      (yield* runFinalChecks({ context, caller, format, written: among.written, isOfSteps: true }, among.places)) ??
      settled
    );
  },
  constraint: (name) => constraintRefusal(context.model, null, name, deletedClauses(among.written)),
});

/** Whether what follows a write may change what was written: then what is wrong with it may be right in the end. */
const changesItself = (entity: Entity, moment: string): boolean =>
  (entity.after.get(moment) ?? []).some((effect) => "entity" in effect && effect.entity === entity.name);

/** Where in its list a thing stands: `/lines/2/quantity` is 2. */
const inList = (at: string): number => Number(at.split("/")[2] ?? -1);
