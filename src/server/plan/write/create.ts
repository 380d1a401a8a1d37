import {
  decidingClauseId,
  grantsFor,
  type Principal,
  writableFields,
} from "../../../core/derive/authorization/grants.ts";
import { guardReadsOf, rulesAffectedBy, triggersAffectedBy } from "../../../core/derive/consistency/read-sets.ts";
import { uniquenessRulesAt } from "../../../core/derive/consistency/uniqueness.ts";
import { addressOfRecord } from "../../../core/derive/http/routes.ts";
import { uniqueName } from "../../../core/derive/tables/names.ts";
import { whoMay } from "../../../core/explain/who-may.ts";
import { conditionedAt, rulesAt } from "../../../core/model/applicable-rules.ts";
import type { Format } from "../../../core/model/format.ts";
import { type Entity, isWritten, type Model } from "../../../core/model/model.ts";
import { partListsOf } from "../../../core/model/parts.ts";
import type { Row } from "../../../postgres/database.ts";
import type { Intent } from "../../intent.ts";
import { forbid, type Refusal, refuse, refuseAt } from "../../refusal.ts";
import { mapPlan, type Plan } from "../action.ts";
import { type EndpointBatch, hasAfterWrite, withAfterWrite } from "../after-write.ts";
import { fileFields } from "../checks/files.ts";
import {
  type Caller,
  cachedKnowableFields,
  getEntity,
  mergeParams,
  NOBODY,
  type PlanContext,
  principalKey,
} from "../context.ts";
import { sequenceParams, sequencesAt, slugParams } from "../input/generated-values.ts";
import { initialValues } from "../input/initial-values.ts";
import { inputParams, parseInput } from "../input/parse-input.ts";
import { parseParts } from "../input/parse-parts.ts";
import type { Created } from "../outcome.ts";
import { planRead } from "../read/read-record.ts";
import type { RowReader } from "../row/record-columns.ts";
import { queryOf, type Written as Statement } from "../statements.ts";
import { constraintRefusal, deletedClauses, isUniquenessConstraint } from "../transaction/constraint-errors.ts";
import { changedRecords, requireAll } from "../transaction/early-locks.ts";
import type { WriteSet } from "../transaction/write-set.ts";
import { checkedInsert, decodeInsertRefusal } from "./checked-write.ts";
import { fastInsert, hasFastInsert } from "./fast-path.ts";
import { type Creation, earlyChecks, locksBeforeCreation, splitChecks } from "./write-spec.ts";

/** Makes a record, its audit line and the memory of its idempotency key, in one statement. `id` is the record's. */
export const planCreate = (
  context: PlanContext,
  intent: Extract<Intent, { kind: "create" }>,
  caller: Caller,
  format: Format,
  id: string,
  among?: EndpointBatch,
): Plan<Created> | Refusal => {
  const { principal } = caller;
  const entity = getEntity(context, intent.entity);
  const who = [entity.name, principalKey(principal)];
  const making = context.statements.find(["making", ...who], () => makingOf(context, entity, principal));
  const { grants, series } = making;
  const clause = decidingClauseId(entity, "create");
  if (grants.length === 0) return forbid(clause, whoMay(caller.phrases, entity, "create"));

  const parts = parseParts({ context, caller, format }, entity, intent.values, grants, clause);
  const lists = parts.lists.map(({ list }) => list.name);
  const given = parseInput(
    entity,
    parts.own,
    { open: making.open, known: cachedKnowableFields(context, entity, principal), past: context.past },
    clause,
    format,
  );
  const closed = [...given.closed, ...parts.closed];
  if (closed.length > 0) return refuseAt(inOrder(entity, closed));
  const { values, computed, missing } = initialValues(entity, parts.own, given, caller);
  const wrong = [...given.wrong, ...missing, ...parts.wrong];
  // What the program writes of the person is missing where nobody is signed in.
  if (principal.id === null && wrong.some((one) => entity.fields.get(one.at.slice(1))?.set != null))
    return refuse("NOT_SIGNED_IN", clause);
  if (wrong.length > 0) return refuseAt(inOrder(entity, wrong));

  const asked = [...given.values.keys()];
  const references = asked.filter((name) => entity.fields.get(name)?.type === "reference");
  const named = [...asked, ...lists];
  const follows = among !== undefined || lists.length > 0 || making.isFollowed;
  const creation: Creation = {
    context,
    caller,
    format,
    entity,
    clause,
    grants,
    named,
    asked,
    fields: making.fields,
    computed,
    files: making.files.filter(({ name }) => asked.includes(name)),
    references,
    series,
    // What is needed where the record has such parts is judged when it has them.
    conditioned: lists.length > 0 ? [] : making.conditioned,
    ...splitChecks(context.model, { entity, moment: "create", changed: null }, making, {
      follows,
      isSettling: among === undefined && lists.length === 0,
    }),
    guards: making.guards,
    // What holds between the records that several steps write is judged when all of them are done.
    together: among === undefined ? making.together : [],
    firings: making.firings,
    isStep: among !== undefined,
    hasKey: intent.key !== null,
    follows,
    wanted: {
      may: true,
      label: intent.label,
      ...(entity.states === null ? {} : { state: entity.states.initial }),
    },
  };
  const key = ["create", ...who, named, follows, among === undefined];
  const before = context.statements.list(key, () => locksBeforeCreation(creation));
  const slots = mergeParams(
    caller,
    inputParams(values),
    slugParams(entity, values),
    sequenceParams(series, caller.today),
    {
      id,
      key: intent.key,
      request: intent.key === null ? null : requestBytes(intent),
    },
  );
  const query = (last: Statement<RowReader>) => [...before, last].map((one) => queryOf(one, slots));
  const done = (row: Row, reader: RowReader): Created => ({
    ...unreadable(context.model, entity, id),
    ...(row["is:readable"] === true ? { body: reader.record(row, caller.phrases) } : {}),
  });
  const wrote: WriteSet[] = [];
  const always = {
    kind: "plan",
    writes: true,
    constraint: (name: string) => constraintRefusal(context.model, entity, name, deletedClauses(wrote)),
    isRetryable: (name: string) => isDrawnTwice(entity, name) || isUniquenessConstraint(entity, name),
    ...(intent.key === null ? {} : { repeated: repeatedOf(context, intent, caller, format) }),
  } as const;
  const kept = [...key, intent.key !== null, intent.label];
  const judging = (): Plan<Created> => {
    const last = context.statements.get(["judged", ...kept], () => checkedInsert(creation));
    return {
      ...always,
      queries: query(last),
      decode: (results) => {
        if (follows) requireAll(context.model, results.slice(0, -1), changedRecords(among?.written ?? []));
        const row = results.at(-1)?.[0];
        if (row === undefined) throw new Error("a create answered no row");
        return decodeInsertRefusal(creation, row) ?? done(row, last.more);
      },
      ...(follows
        ? withAfterWrite(context, caller, format, {
            entity,
            moment: "create",
            changed: null,
            id,
            label: intent.label,
            lists: parts.lists,
            settled: earlyChecks(creation),
            written: wrote,
            among,
          })
        : {}),
    };
  };
  if (!context.statements.find(["tries", ...key], () => hasFastInsert(creation))) return judging();
  const last = context.statements.get(["tried", ...kept], () => fastInsert(creation));
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

/** What it takes to make a record, whatever is sent for it. */
const makingOf = ({ model }: PlanContext, entity: Entity, principal: Principal) => {
  const grants = grantsFor(model, entity, "create", principal);
  return {
    grants,
    open: writableFields(entity, grants),
    fields: [...entity.fields.values()].filter(isWritten),
    files: fileFields(entity),
    series: sequencesAt(entity, "create"),
    conditioned: conditionedAt(entity, null),
    rules: rulesAt(entity, "create", new Set()),
    reaches: rulesAffectedBy(model, entity, null),
    guards: guardReadsOf(model, entity, "create"),
    firings: triggersAffectedBy(model, entity, "create", null),
    together: uniquenessRulesAt(entity, "create", new Set()),
    isFollowed: hasAfterWrite(model, entity, "create", null),
  };
};

/** What this key made before, read as it is now. The same key with another request is refused. */
const repeatedOf = (
  context: PlanContext,
  intent: Extract<Intent, { kind: "create" }>,
  caller: Caller,
  format: Format,
): NonNullable<Plan<Created>["repeated"]> => ({
  query: {
    name: "idempotency",
    text: "select record, request from ninefold.idempotency where person = $1 and key = $2",
    values: [caller.principal.id ?? NOBODY, intent.key],
  },
  answer: (row) => {
    const request = row.request;
    if (!Buffer.isBuffer(request) || !request.equals(requestBytes(intent))) return refuse("KEY_REUSED");
    const id = String(row.record);
    const entity = getEntity(context, intent.entity);
    const unseen = unreadable(context.model, entity, id);
    const parts = partListsOf(context.model, entity).some(({ list }) => Object.hasOwn(intent.values, list.name));
    const read = planRead(
      context,
      { kind: "read", entity: intent.entity, id, label: intent.label, screen: null, parts },
      caller,
      format,
    );
    if (read.kind === "refusal")
      return { kind: "plan", queries: [], decode: () => unseen, constraint: () => undefined };
    return mapPlan(read, (result) =>
      result.kind === "refusal" ? unseen : { ...unseen, body: result.body, version: result.version ?? unseen.version },
    );
  },
});

const requestBytes = ({ entity, values }: Extract<Intent, { kind: "create" }>): Buffer =>
  Buffer.from(JSON.stringify([entity, values]));

/** The document's order, so that a person reads the mistakes as the form shows the fields. */
const inOrder = <T extends { readonly at: string }>(entity: Entity, wrong: readonly T[]): readonly T[] => {
  const order = [...entity.fields.keys()];
  const placeOf = ({ at }: T) => order.indexOf(at.split("/")[1] ?? "");
  return wrong.toSorted((a, b) => placeOf(a) - placeOf(b));
};

/** Two records that are made at the same moment may find the same word free; the later one looks again. */
const isDrawnTwice = (entity: Entity, constraint: string): boolean =>
  [...entity.fields.values()].some(
    (field) => field.type === "slug" && constraint === uniqueName(entity.table, field.name),
  );

/** The outcome for a creator who may not read the record: its id and version alone. */
const unreadable = (model: Model, entity: Entity, id: string): Created => ({
  kind: "created",
  id,
  body: { id, version: 1 },
  version: 1,
  location: addressOfRecord(model, entity, id) ?? null,
});
