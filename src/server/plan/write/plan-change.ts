import { checksBeforeInput } from "../../../core/derive/consistency/checks-before-input.ts";
import type { Stored } from "../../../core/field/kind.ts";
import type { Entity, Transition } from "../../../core/model/entity.ts";
import type { Row } from "../../../postgres/database.ts";
import type { Intent } from "../../intent.ts";
import { isRefusal, type Refusal } from "../../refusal.ts";
import type { EndpointBatch } from "../after-write.ts";
import { mergeParams, principalKey } from "../context.ts";
import { sequenceParams } from "../input/generated-values.ts";
import { inputParams, type ParsedInput } from "../input/parse-input.ts";
import type { PartListInput } from "../input/parse-parts.ts";
import { type Changed, JsonText } from "../outcome.ts";
import { planRead } from "../read/read-record.ts";
import { readColumn } from "../result-columns.ts";
import { ownSessionParams } from "../row/own-session.ts";
import type { RowReader } from "../row/record-columns.ts";
import { type StatementKey, toQuery } from "../statements.ts";
import type { Steps } from "../steps.ts";
import { constraintRefusal, isUniquenessConstraint } from "../transaction/constraint-errors.ts";
import { lockStepRecord } from "../transaction/early-locks.ts";
import { rootRow } from "../transaction/write-set.ts";
import { analyzeChange, type Change, locksBeforeChange, locksOfChange } from "./change-spec.ts";
import { checkedUpdate, decideUpdate, decodeUpdateRefusal, triedUpdate } from "./checked-write.ts";
import { outlineWrite } from "./describe-write.ts";
import { earlyChecks } from "./early-checks.ts";
import { fastUpdate, hasFastUpdate } from "./fast-path.ts";
import { findEarlierWrite, keyParams } from "./idempotency.ts";
import { planWrite, type WritePlan, type WriteStatement } from "./plan-write.ts";
import { READABLE, splitChecks } from "./write-spec.ts";

export type UpdateIntent = Extract<Intent, { kind: "update" }>;
export type TransitionIntent = Extract<Intent, { kind: "transition" }>;

/** The common parts of an update and a transition. */
interface ChangeRequest extends Pick<Change, "entity" | "action" | "clause" | "grants" | "stateChange"> {
  readonly input: ParsedInput;
  readonly missing: ParsedInput["wrong"];
  /** Lists of parts that are written with the record. */
  readonly lists: readonly PartListInput[];
}

/** The state after the change, if it does not depend on the record. */
const knownState = (stateChange: Change["stateChange"]): { readonly state?: string } => {
  const [state, another] = stateChange?.transition.to ?? [];
  return state === undefined || another !== undefined ? {} : { state };
};

/** The live document, the caller with the session, and the formats of texts. */
export type Planning = Pick<Change, "context" | "caller" | "session" | "format">;

/** Plans what an update and a transition have in common. */
export const planChange = (
  planning: Planning,
  intent: UpdateIntent | TransitionIntent,
  request: ChangeRequest,
  endpoint: EndpointBatch | undefined,
): WritePlan<Changed> | Refusal => {
  const { context, caller, session, format } = planning;
  const { entity, action, clause, grants, input, stateChange, lists } = request;
  const wrong = [...input.wrong, ...request.missing];
  const valid = input.closed.length === 0 && wrong.length === 0;
  const sentFields = [...input.values.keys()];
  const named = [...sentFields, ...lists.map(({ list }) => list.name)];
  const write = [intent.kind, action, entity.name, named];
  const analysis = context.statements.find(["change", ...write], () =>
    analyzeChange(context.model, request, sentFields),
  );
  const { bounded, changed, defaulted, files, references, series, guards, uniquenessRules } = analysis;
  const hasKey = intent.kind === "transition" && (intent.key ?? null) !== null;
  const withParts = lists.length > 0;
  const hasAfterWrite = endpoint !== undefined || withParts || analysis.hasAfterWrite;
  const change: Change = {
    context,
    caller,
    session,
    format,
    entity,
    action,
    clause,
    grants,
    // Permission for the transition includes permission to write the fields that it asks for.
    named: stateChange === null ? named : [],
    sentFields,
    stateChange,
    changed,
    defaulted,
    files,
    references,
    series,
    bounded,
    // Conditions that may read the parts are checked when the parts are written.
    conditionalFields: withParts ? [] : analysis.conditionalFields,
    ...splitChecks(context.model, { entity, action, changed }, analysis, {
      hasAfterWrite,
      onlyEffectsFollow: endpoint === undefined && !withParts,
    }),
    guards,
    // Uniqueness among the records of several steps is checked after the last step.
    uniquenessRules: endpoint === undefined ? uniquenessRules : [],
    triggers: analysis.triggers,
    isStep: endpoint !== undefined,
    hasKey,
    withParts,
    hasAfterWrite,
    extras: {
      may: true,
      label: intent.label,
      ...knownState(stateChange),
    },
  };
  const key = [...write, principalKey(caller.principal), hasAfterWrite, endpoint === undefined, hasKey];
  const locks = context.statements.list(key, () => locksBeforeChange(change));
  const slots = mergeParams(
    caller,
    inputParams(placeholders(sentFields, input)),
    sequenceParams(series, caller.today),
    {
      id: intent.id,
      version: intent.version,
      valid,
      ...(intent.kind === "transition" ? keyParams(intent) : {}),
    },
    ownSessionParams(session),
  );
  const { id, label } = intent;
  const result = (row: Row, reader: RowReader): Changed => readChanged(caller, id, row, reader);
  const hasFastPath = valid && context.statements.find(["has fast path", ...key], () => hasFastUpdate(change));
  return planWrite<Changed>({
    context,
    caller,
    format,
    entity,
    action,
    changed,
    hasAfterWrite,
    endpoint,
    ...(endpoint === undefined ? {} : { lockRecord: () => lockStepRecord(context, entity, id, endpoint.written) }),
    locks: locks.map((lock) => toQuery(lock, slots)),
    fastPath: hasFastPath
      ? () => {
          const statement = context.statements.get(["fast path", ...key, label, session !== undefined], () =>
            fastUpdate(change),
          );
          return {
            query: toQuery(statement, slots),
            decode: (row) => (row === undefined ? undefined : result(row, statement.more)),
          };
        }
      : null,
    checksSession: session !== undefined,
    checked: () => {
      const statement = context.statements.get(["checked", ...key, label], () => checkedUpdate(change));
      return {
        query: toQuery(statement, slots),
        decode: (row) =>
          decodeUpdateRefusal(change, { closed: input.closed, wrong }, row) ?? result(row ?? {}, statement.more),
      };
    },
    ...(intent.kind === "transition" && hasKey ? { replay: () => replay(planning, intent) } : {}),
    tried: stateChange === null ? undefined : () => tryTransition(change, stateChange.transition, key, slots),
    unchanged: () => readUnchanged(planning, entity, intent, withParts),
    rowsOf: (row) => [rootRow(id, row)],
    parts: lists,
    earlyChecks: () => earlyChecks(change),
    places: new Map([[id, ""]]),
    shows: { id, label },
    constraint: (name, deleted) => constraintRefusal(context.model, entity, name, deleted),
    isRetryable: (name) => isUniquenessConstraint(entity, name),
    outline: () => outlineWrite(change, locksOfChange(change)),
  });
};

/** The result of an earlier request with this key. */
function* replay(
  { context, caller, format }: Planning,
  intent: TransitionIntent,
): Steps<Changed | Refusal | undefined> {
  const earlier = yield* findEarlierWrite(context, intent, caller, format, false);
  if (earlier === undefined || isRefusal(earlier)) return earlier;
  const { id, version, now } = earlier;
  return { kind: "changed", id, ...(now ?? { body: { id, version }, version: null }) };
}

/** The record after the change, as far as the caller can read it. */
const readChanged = (caller: Change["caller"], id: string, row: Row, reader: RowReader): Changed => {
  const version = Number(row.version);
  return readColumn(row, READABLE) === true
    ? { kind: "changed", id, body: new JsonText(reader.text(row, caller.phrases)), version }
    : { kind: "changed", id, body: { id, version }, version: null };
};

/** The statement that finds out if a transition is refused whatever it is given. */
const tryTransition = (
  change: Change,
  transition: Transition,
  key: StatementKey,
  slots: Parameters<typeof toQuery>[1],
): WriteStatement<Refusal | undefined> => {
  const tried = withoutInput(change, transition);
  const { statements } = change.context;
  const statement = statements.get(["tried", ...key], () => ({ more: undefined, sql: triedUpdate(tried) }));
  return {
    query: toQuery(statement, slots),
    decode: (row) => {
      const refusal = decideUpdate(tried, { closed: [], wrong: [] }, row);
      return isRefusal(refusal) ? refusal : undefined;
    },
  };
};

/** The change with those of its checks that the input of the transition cannot decide. */
const withoutInput = (change: Change, transition: Transition): Change => {
  const { rules, uniquenessRules } = checksBeforeInput(change.entity, transition);
  const decidedByInput = {
    affectedRules: [],
    defaulted: [],
    references: [],
    files: [],
    bounded: [],
    conditionalFields: [],
  };
  return {
    ...change,
    ...(transition.asks.length === 0 ? {} : decidedByInput),
    rules: change.rules.filter((rule) => rules.includes(rule)),
    uniquenessRules: change.uniquenessRules.filter((rule) => uniquenessRules.includes(rule)),
  };
};

/** The record as it is, for an update that changes nothing. */
function* readUnchanged(
  { context, caller, format }: Planning,
  entity: Entity,
  { id, label }: UpdateIntent | TransitionIntent,
  parts: boolean,
): Steps<Changed | Refusal> {
  const intent = { kind: "read", entity: entity.name, id, label, screen: null, parts } as const;
  const read = planRead(context, intent, caller, format);
  if (read.kind === "refusal") return read;
  const now = yield* read.steps();
  return now.kind === "refusal" ? now : { ...now, kind: "changed", id };
}

/**
 * Values for the slots of a statement. Invalid values are NULL: nothing is written, but permissions are still checked.
 */
const placeholders = (sentFields: readonly string[], input: ParsedInput): ReadonlyMap<string, Stored> =>
  new Map(sentFields.map((name) => [name, input.values.get(name) ?? null]));
