import {
  decidingClauseId,
  grantsFor,
  type Principal,
  writableFields,
} from "../../../core/derive/authorization/grants.ts";
import { type CheckAt, callChecks } from "../../../core/derive/consistency/call-checks.ts";
import { signInRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import { findGuardReads, rulesAffectedBy, triggersAffectedBy } from "../../../core/derive/consistency/read-sets.ts";
import { uniquenessRulesAt } from "../../../core/derive/consistency/uniqueness.ts";
import { addressOfRecord } from "../../../core/derive/http/routes.ts";
import { uniqueName } from "../../../core/derive/tables/names.ts";
import { permissionSentence } from "../../../core/explain/who-may.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { findBoundedInitials, findConditionalFields, rulesAt } from "../../../core/model/facts/applicable-rules.ts";
import { findPartLists } from "../../../core/model/facts/parts.ts";
import { isWritten } from "../../../core/model/field.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Model } from "../../../core/model/model.ts";
import type { Row } from "../../../postgres/database.ts";
import type { Intent, Values } from "../../intent.ts";
import { forbid, isRefusal, type Refusal, refuseCall } from "../../refusal.ts";
import { causesAfterWrite, type EndpointBatch } from "../after-write.ts";
import { decideRefusal } from "../checks/decide-refusal.ts";
import { fileFields } from "../checks/files.ts";
import {
  type Caller,
  cachedKnowableFields,
  getEntity,
  mergeParams,
  type PlanContext,
  principalKey,
} from "../context.ts";
import { findSequences, sequenceParams, slugParams } from "../input/generated-values.ts";
import { initialValues } from "../input/initial-values.ts";
import { inputParams, parseInput } from "../input/parse-input.ts";
import { type PartListInput, parseParts } from "../input/parse-parts.ts";
import { type Created, JsonText } from "../outcome.ts";
import { readColumn } from "../result-columns.ts";
import { retiredFields } from "../row/former-names.ts";
import { CALLER_NAME } from "../row/labels.ts";
import { ownSessionParams } from "../row/own-session.ts";
import type { RowReader } from "../row/record-columns.ts";
import { toQuery } from "../statements.ts";
import type { Steps } from "../steps.ts";
import { constraintRefusal, isUniquenessConstraint } from "../transaction/constraint-errors.ts";
import { rootRow } from "../transaction/write-set.ts";
import { checkedInsert, decodeInsertRefusal } from "./checked-write.ts";
import { type Creation, locksBeforeCreation, locksOfCreation } from "./creation-spec.ts";
import { outlineWrite } from "./describe-write.ts";
import { earlyChecks } from "./early-checks.ts";
import { fastInsert, hasFastInsert } from "./fast-path.ts";
import { findEarlierWrite, keyParams } from "./idempotency.ts";
import { planWrite, type WritePlan } from "./plan-write.ts";
import { READABLE, splitChecks } from "./write-spec.ts";

/** Plans a create. `id` is the id of the new record. */
export const planCreate = (
  planning: Planning,
  intent: Extract<Intent, { kind: "create" }>,
  id: string,
  endpoint?: EndpointBatch,
): WritePlan<Created> | Refusal => {
  const { context, caller, session, format } = planning;
  const entity = getEntity(context, intent.entity);
  const who = [entity.name, principalKey(caller.principal)];
  const prepared = context.statements.find(["prepared creation", ...who], () =>
    prepareCreate(context, entity, caller.principal),
  );
  const input = parseCreateInput(planning, entity, intent.values, prepared);
  if (isRefusal(input)) return input;
  const named = [...input.sent, ...input.lists.map(({ list }) => list.name)];
  const hasAfterWrite = endpoint !== undefined || input.lists.length > 0 || prepared.hasAfterWrite;
  // Built only if a statement is new, or if a write is explained: the statements of most creations are known.
  let specified: Creation | undefined;
  const specify = (): Creation => {
    specified ??= specifyCreation(planning, entity, intent, prepared, input, {
      named,
      hasAfterWrite,
      endpoint,
    });
    return specified;
  };
  const isNamed = caller.principal.name !== undefined;
  const form = [
    ...who,
    isNamed,
    named,
    hasAfterWrite,
    endpoint === undefined,
    intent.key !== null,
    intent.label,
    session !== undefined,
  ];
  const { locks, hasFastPath } = context.statements.find(["creation", ...form], () => ({
    locks: context.statements.list(["create", ...form], () => locksBeforeCreation(specify())),
    hasFastPath: hasFastInsert(specify()),
  }));
  const slots = mergeParams(
    caller,
    inputParams(input.values),
    slugParams(entity, input.values),
    sequenceParams(prepared.series, caller.today),
    {
      id,
      [CALLER_NAME]: caller.principal.name,
      ...keyParams(intent),
    },
    ownSessionParams(session),
  );
  const result = (row: Row, reader: RowReader): Created => ({
    ...unreadable(context.model, entity, id),
    ...(readColumn(row, READABLE) === true ? { body: new JsonText(reader.text(row, caller.phrases)) } : {}),
  });
  return planWrite<Created>({
    context,
    caller,
    format,
    entity,
    action: "create",
    changed: null,
    hasAfterWrite,
    endpoint,
    locks: locks.map((statement) => toQuery(statement, slots)),
    fastPath: hasFastPath
      ? () => {
          const statement = context.statements.get(["create fast path", ...form], () => fastInsert(specify()));
          return {
            query: toQuery(statement, slots),
            decode: (row) => (row === undefined ? undefined : result(row, statement.more)),
          };
        }
      : null,
    checksSession: session !== undefined,
    checked: () => {
      const statement = context.statements.get(["checked", ...form], () => checkedInsert(specify()));
      return {
        query: toQuery(statement, slots),
        decode: (row) => {
          if (row === undefined) throw new Error("a create answered no row");
          return decodeInsertRefusal(specify(), row) ?? result(row, statement.more);
        },
      };
    },
    rowsOf: (row) => [rootRow(id, row)],
    parts: input.lists,
    earlyChecks: () => earlyChecks(specify()),
    places: new Map([[id, ""]]),
    shows: { id, label: intent.label },
    constraint: (name, deleted) => constraintRefusal(context.model, entity, name, deleted),
    isRetryable: (name) => isGeneratedTwice(entity, name) || isUniquenessConstraint(entity, name),
    ...(intent.key === null ? {} : { replay: () => replay(context, intent, caller, format) }),
    outline: () => outlineWrite(specify(), locksOfCreation(specify())),
  });
};

type Planning = Pick<Creation, "context" | "caller" | "session" | "format">;

/** The values that a create writes. */
interface CreateInput {
  /** The names of the fields that the request sends. */
  readonly sent: readonly string[];
  readonly values: ReturnType<typeof initialValues>["values"];
  /** Defaults that read other records. */
  readonly computed: Creation["computed"];
  /** Lists of parts that are sent with the record. */
  readonly lists: readonly PartListInput[];
}

/** Parses the sent values and adds defaults. Refuses values that are invalid or that the caller cannot set. */
const parseCreateInput = (
  planning: Planning,
  entity: Entity,
  sent: Values,
  { grants, open, known }: PreparedCreate,
): CreateInput | Refusal => {
  const { context, caller, format } = planning;
  const { principal } = caller;
  const clause = decidingClauseId(entity, "create");
  const parts = parseParts(planning, entity, sent, grants, clause);
  const access = {
    open,
    known,
    past: context.past,
    retired: retiredFields(context, entity, principal),
  };
  const input = parseInput(entity, parts.own, access, clause, format);
  const { values, computed, missing } = initialValues(entity, parts.own, input, caller);
  const wrong = [...input.wrong, ...missing, ...parts.wrong];
  const refused = decideRefusal<CheckAt<"create", "plan">>(callChecks.create.plan, {
    permission: () =>
      grants.length === 0 ? forbid(clause, permissionSentence(caller.phrases, entity, "create")) : undefined,
    fields: () => sortByField(entity, [...input.closed, ...parts.closed]),
    input: () =>
      // A field that is set from the caller has no value if nobody is signed in.
      principal.id === null && wrong.some(({ at }) => entity.fields.get(at.slice(1))?.set != null)
        ? refuseCall(signInRefusal(clause))
        : sortByField(entity, wrong),
  });
  return refused ?? { sent: [...input.values.keys()], values, computed, lists: parts.lists };
};

/** The description from which both statements of a create are built. */
const specifyCreation = (
  { context, caller, session, format }: Planning,
  entity: Entity,
  { key, label }: Extract<Intent, { kind: "create" }>,
  prepared: PreparedCreate,
  { sent, computed, lists }: CreateInput,
  {
    named,
    hasAfterWrite,
    endpoint,
  }: Pick<Creation, "named" | "hasAfterWrite"> & { readonly endpoint: EndpointBatch | undefined },
): Creation => {
  const hasParts = lists.length > 0;
  return {
    context,
    caller,
    session,
    format,
    entity,
    clause: decidingClauseId(entity, "create"),
    grants: prepared.grants,
    named,
    sentFields: sent,
    fields: prepared.fields,
    computed,
    files: prepared.files.filter(({ name }) => sent.includes(name)),
    references: sent.filter((name) => entity.fields.get(name)?.type === "reference"),
    series: prepared.series,
    bounded: findBoundedInitials(entity, new Set(sent)),
    // Conditions that may read the parts are checked when the parts are written.
    conditionalFields: hasParts ? [] : prepared.conditionalFields,
    ...splitChecks(context.model, { entity, action: "create", changed: null }, prepared, {
      hasAfterWrite,
      onlyEffectsFollow: endpoint === undefined && !hasParts,
    }),
    guards: prepared.guards,
    // Uniqueness among the records of several steps is checked after the last step.
    uniquenessRules: endpoint === undefined ? prepared.uniquenessRules : [],
    triggers: prepared.triggers,
    isStep: endpoint !== undefined,
    hasKey: key !== null,
    hasAfterWrite,
    extras: {
      may: true,
      label,
      ...(entity.states === null ? {} : { state: entity.states.initial }),
    },
  };
};

/** Everything that a create needs to know of the document and that does not depend on the sent values. */
const prepareCreate = (context: PlanContext, entity: Entity, principal: Principal) => {
  const { model } = context;
  const grants = grantsFor(model, entity, "create", principal);
  return {
    grants,
    known: cachedKnowableFields(context, entity, principal),
    open: writableFields(entity, grants),
    fields: [...entity.fields.values()].filter(isWritten),
    files: fileFields(entity),
    series: findSequences(entity, "create"),
    conditionalFields: findConditionalFields(entity, null),
    rules: rulesAt(entity, "create", new Set()),
    affectedRules: rulesAffectedBy(model, entity, null),
    guards: findGuardReads(model, entity, "create"),
    triggers: triggersAffectedBy(model, entity, "create", null),
    uniquenessRules: uniquenessRulesAt(entity, "create", new Set()),
    hasAfterWrite: causesAfterWrite(model, entity, "create", null),
  };
};

type PreparedCreate = ReturnType<typeof prepareCreate>;

/** The result of an earlier request with this key. */
function* replay(
  context: PlanContext,
  intent: Extract<Intent, { kind: "create" }>,
  caller: Caller,
  format: Format,
): Steps<Created | Refusal | undefined> {
  const entity = getEntity(context, intent.entity);
  const parts = findPartLists(context.model, entity).some(({ list }) => Object.hasOwn(intent.values, list.name));
  const earlier = yield* findEarlierWrite(context, intent, caller, format, parts);
  if (earlier === undefined || isRefusal(earlier)) return earlier;
  // The creator may lack read permission on the record.
  const unseen = unreadable(context.model, entity, earlier.id);
  const { now } = earlier;
  return now === undefined ? unseen : { ...unseen, body: now.body, version: now.version ?? unseen.version };
}

/** Sorts errors in the order of the fields, as a form shows them. */
const sortByField = <T extends { readonly at: string }>(entity: Entity, wrong: readonly T[]): readonly T[] => {
  if (wrong.length < 2) return wrong;
  const order = [...entity.fields.keys()];
  const placeOf = ({ at }: T) => order.indexOf(at.split("/")[1] ?? "");
  return wrong.toSorted((a, b) => placeOf(a) - placeOf(b));
};

/** True if two concurrent creates generated the same slug. The later one then generates another. */
const isGeneratedTwice = (entity: Entity, constraint: string): boolean =>
  [...entity.fields.values()].some(
    (field) => field.type === "slug" && constraint === uniqueName(entity.table, field.name),
  );

/** The outcome for a creator who cannot read the record: only its id and version. */
const unreadable = (model: Model, entity: Entity, id: string): Created => ({
  kind: "created",
  id,
  body: { id, version: 1 },
  version: 1,
  location: addressOfRecord(model, entity, id) ?? null,
});
