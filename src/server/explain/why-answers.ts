import {
  canAskAbout,
  type EntityOperation,
  isUndecided,
  parseOperation,
} from "../../core/derive/authorization/access-trace.ts";
import { isAdministrator, knowableFields, type Principal } from "../../core/derive/authorization/grants.ts";
import { heldRolesSql } from "../../core/derive/sql/held-roles.ts";
import { localeAmong, type Phrases } from "../../core/explain/language.ts";
import { isId } from "../../core/field/reference.ts";
import type { Entity } from "../../core/model/entity.ts";
import type { Field } from "../../core/model/field.ts";
import { actions } from "../../core/model/permissions.ts";
import { definitionText, sql } from "../../core/sql.ts";
import type { PermissionsJson, WhyJson } from "../../core/wire/why.ts";
import { getResponsibleId, type SignedIn } from "../auth/sessions.ts";
import { type MinPosition, readBatch } from "../execution/read.ts";
import type { Service } from "../execution/service.ts";
import type { Attempt } from "../intent.ts";
import { planExplanation } from "../plan/explain/explain.ts";
import type { ExplainRequest } from "../plan/explain/explain-context.ts";
import { readerFormat } from "../plan/row/labels.ts";
import { MANAGES_CLAUSE } from "../plan/write/account-change.ts";
import { badQuery, type Refusal, refuse } from "../refusal.ts";
import { formatUndecided } from "./undecided.ts";

/** The query: `do=Request.grant`, `record=…`, `field=…`, `as=…`; missing parameters are empty. */
export interface ExplainQuery {
  readonly do: string;
  readonly record: string;
  readonly field: string;
  readonly as: string;
}

/** The caller, the time, and the language. */
export interface ExplainCaller {
  readonly principal: Principal;
  readonly now: Date;
  readonly phrases: Phrases;
  /** The position that a standby must have replayed to answer; by default, only the primary answers. */
  readonly minPosition?: MinPosition;
}

/** A caller with a session, who may ask about somebody else. */
type SignedInCaller = ExplainCaller & { readonly principal: SignedIn };

/** The nil UUID, which no record has. */
const NO_RECORD = "00000000-0000-0000-0000-000000000000";

/** Explains a permission, revealing only what the caller can know. */
export const answerWhy = async (
  service: Service,
  question: ExplainQuery,
  caller: SignedInCaller,
): Promise<WhyJson | Refusal> => {
  const [name = "", operationName = ""] = question.do.split(".");
  const entity = service.model.entities.get(name);
  const operation = entity === undefined ? undefined : parseOperation(entity, operationName);
  // Hidden things are treated like things that do not exist.
  if (entity === undefined || operation === undefined || !entity.served)
    return badQuery("ACTION", { word: question.do });
  if (!canAskAbout(service.model, entity, operation, caller.principal))
    return badQuery("ACTION", { word: question.do });
  const field = question.field === "" ? null : findAskedField(service, entity, question.field, caller.principal);
  if (field === undefined) return unseenField(question.field, caller.phrases);
  const as = question.as === "" ? null : await findAskedPerson(service, question.as, caller);
  if (as !== null && "kind" in as) return as;
  return explainOperation(service, { entity, operation, id: parseRecordId(question.record), field, as }, caller);
};

/** Lists all operations on an entity or a record, in document order, with whether the person can perform them. */
export const permissionsFor = async (
  service: Service,
  { of, record, as: other }: { readonly of: string; readonly record: string; readonly as: string },
  caller: SignedInCaller,
): Promise<PermissionsJson | Refusal> => {
  const entity = service.model.entities.get(of);
  if (entity === undefined || !entity.served) return badQuery("NO_SUCH_ENTITY", { word: of });
  const doings = [
    ...actions.map((action) => ({ name: action, doing: { kind: "action", action } as EntityOperation })),
    ...[...(entity.states?.transitions ?? [])].map(([name, transition]) => ({
      name,
      doing: { kind: "transition", transition } as EntityOperation,
    })),
  ].filter(({ doing: operation }) => canAskAbout(service.model, entity, operation, caller.principal));
  if (doings.length === 0) return badQuery("NO_SUCH_ENTITY", { word: of });
  const as = other === "" ? null : await findAskedPerson(service, other, caller);
  if (as !== null && "kind" in as) return as;
  const items = await Promise.all(
    doings.map(async ({ name, doing: operation }) => ({
      do: `${entity.name}.${name}`,
      transition: operation.kind === "transition" ? caller.phrases.say(operation.transition.title) : null,
      ...(await explainOperation(service, { entity, operation, id: parseRecordId(record), field: null, as }, caller)),
    })),
  );
  return { items };
};

const parseRecordId = (record: string): string | null => {
  if (record === "") return null;
  return isId(record.toLowerCase()) ? record.toLowerCase() : NO_RECORD;
};

/** Finds a field by name or title, if the caller can know it. */
const findAskedField = (
  { model }: Service,
  entity: Entity,
  sought: string,
  principal: Principal,
): Field | undefined => {
  const known = knowableFields(model, entity, principal);
  const same = (words: string) => words.trim().toLocaleLowerCase() === sought.trim().toLocaleLowerCase();
  return [...entity.fields.values()].find(
    ({ name, title }) => (known.has(name) || isAdministrator(principal)) && (same(name) || same(title)),
  );
};

const unseenField = (name: string, { sentences }: Phrases): WhyJson => ({
  answer: "unseen",
  because: sentences.unseenField(name),
  could: null,
  ways: [],
  musts: [],
});

/** The person about whom an administrator asks. Recorded in the audit. */
const findAskedPerson = async (
  { database, version, model }: Service,
  id: string,
  { principal, now }: SignedInCaller,
): Promise<NonNullable<ExplainRequest["as"]> | Refusal> => {
  if (!isAdministrator(principal)) return refuse("FORBIDDEN", MANAGES_CLAUSE);
  const [row] = isId(id)
    ? await database.query({
        text: `with "p" as (select "id", "name", array_to_string(${definitionText(heldRolesSql(model, sql`u`, sql`$2`))}, ',') as "roles" from app."user" u where "id" = $1),
                    "a" as (insert into ninefold.audit (at, person, entity, record, action, clause, document, changes)
                            select $2, $3, 'Account', "p"."id", 'ask_for', $4, $5, '{}' from "p")
               select * from "p"`,
        values: [id, now.toISOString(), getResponsibleId(principal), MANAGES_CLAUSE, version],
      })
    : [];
  if (row === undefined) return refuse("NOT_FOUND", MANAGES_CLAUSE);
  const roles = String(row.roles);
  return {
    principal: { id, granted: new Set(roles === "" ? [] : roles.split(",")) },
    name: String(row.name),
  };
};

/** Answers a question about an entity that the caller can know. */
export const explainOperation = async (
  service: Service,
  request: ExplainRequest,
  { principal, now, phrases, minPosition }: ExplainCaller,
): Promise<WhyJson> => {
  const { context, model } = service;
  const caller = service.caller(principal, now, phrases);
  const locale = localeAmong(caller.phrases, model.locale);
  const format = locale === model.locale ? service.format : readerFormat({ ...model, locale });
  const { queries, explain } = planExplanation(context, request, caller, format);
  const [decided, seen] = queries.length === 0 ? [] : (await readBatch(service.database, queries, minPosition)).rows;
  return explain(decided?.[0], seen?.[0]);
};

/**
 * Refusals that get a reason on the record. Only these cost a query. `isReason` in `problems/to-problem.ts` has those
 * whose text is composed.
 */
const explainedCodes: ReadonlySet<string> = new Set(["FORBIDDEN", "GUARD"]);

/** Adds to a refusal its reason on the record, and who could do it. */
export const withReasons = async (
  service: Service,
  intent: Attempt,
  refusal: Refusal,
  caller: ExplainCaller,
): Promise<Refusal> => {
  const about =
    explainedCodes.has(refusal.code) && caller.principal.id !== null ? findAskedOperation(service, intent) : undefined;
  if (about === undefined) return refusal;
  const open = isUndecided(about.entity, about.operation) ? { undecided: formatUndecided(about) } : {};
  // A person without any permission on the entity does not learn who has one.
  if (!canAskAbout(service.model, about.entity, about.operation, caller.principal)) return { ...refusal, ...open };
  const { because, could, answer } = await explainOperation(service, { ...about, field: null, as: null }, caller);
  if (answer !== "no") return refusal;
  return { ...refusal, ...open, because, ...(could === null ? {} : { could }) };
};

const findAskedOperation = (
  { model }: Service,
  intent: Attempt,
): Pick<ExplainRequest, "entity" | "operation" | "id"> | undefined => {
  const name = intent.kind === "list" ? "read" : intent.kind === "transition" ? intent.transition : intent.kind;
  const entity = "entity" in intent ? model.entities.get(intent.entity) : undefined;
  const operation = entity && parseOperation(entity, name);
  if (entity === undefined || operation === undefined) return undefined;
  return { entity, operation, id: "id" in intent ? intent.id : null };
};
