import { isAdministrator, type Person } from "../core/derive/access.ts";
import { type Doing, doingOf } from "../core/derive/why.ts";
import { isId } from "../core/field/reference.ts";
import type { Entity } from "../core/model/model.ts";
import type { WhyJson } from "../core/wire.ts";
import type { Intent } from "./ask.ts";
import { MANAGES } from "./plan/account.ts";
import { planWhy, type WhyAsked } from "./plan/why.ts";
import { type Refusal, refuse } from "./refusal.ts";
import type { Service } from "./service.ts";

/** A question as it comes: `do=Request.grant`, `record=…`, `as=…`. */
export interface Question {
  readonly do: string;
  readonly record: string;
  readonly as: string;
}

/** The nil UUID: no record has it. */
const NO_RECORD = "00000000-0000-0000-0000-000000000000";

const nothing = (detail: string): Refusal => refuse("BAD_QUERY", undefined, { detail });

/** Answers a question why, with the eyes of who asks. */
export const answerWhy = async (
  service: Service,
  question: Question,
  person: Person,
  now: Date,
): Promise<WhyJson | Refusal> => {
  const [name = "", what = ""] = question.do.split(".");
  const entity = service.model.entities.get(name);
  const doing = entity === undefined ? undefined : doingOf(entity, what);
  // What an entity's clauses say is for those who may do anything with it at all.
  if (entity === undefined || doing === undefined || !entity.served)
    return nothing(`“${question.do}” is nothing that can be done`);
  const as = question.as === "" ? null : await standIn(service, question.as, person, now);
  if (as !== null && "kind" in as) return as;
  return explain(service, { entity, doing, id: idOf(question.record), as }, person, now);
};

const idOf = (record: string): string => (isId(record) ? record : NO_RECORD);

/** Somebody for whom an administrator asks. That it was asked stands in the audit. */
const standIn = async (
  { database, version }: Service,
  id: string,
  person: Person,
  now: Date,
): Promise<NonNullable<WhyAsked["as"]> | Refusal> => {
  if (!isAdministrator(person)) return refuse("FORBIDDEN", MANAGES);
  const [row] = isId(id)
    ? await database.query({
        text: `with "p" as (select "id", "name", array_to_string("roles", ',') as "roles" from app."user" where "id" = $1),
                    "a" as (insert into ninefold.audit (at, person, entity, record, action, clause, document, changes)
                            select $2, $3, 'User', "p"."id", 'ask_for', $4, $5, '{}' from "p")
               select * from "p"`,
        values: [id, now.toISOString(), person.id, MANAGES, version],
      })
    : [];
  if (row === undefined) return refuse("NOT_FOUND", MANAGES);
  const roles = String(row.roles);
  return {
    person: { id, granted: new Set(roles === "" ? [] : roles.split(",")) },
    name: String(row.name),
  };
};

const explain = async (service: Service, asked: WhyAsked, person: Person, now: Date): Promise<WhyJson> => {
  const { queries, explain } = planWhy(service.context, asked, service.asker(person, now), service.format);
  const [judged] = await service.database.query(queries[0]);
  const [seen] = await service.database.query(queries[1]);
  return explain(judged, seen);
};

/** What may be said of why, beside what the answer says already. Only a refusal costs anything. */
const explained: ReadonlySet<string> = new Set(["FORBIDDEN", "GUARD"]);

/** A refusal with what on the record stands against it, and who could. */
export const withReasons = async (
  service: Service,
  intent: Intent,
  refusal: Refusal,
  person: Person,
  now: Date,
): Promise<Refusal> => {
  const about = explained.has(refusal.code) && person.id !== null ? aboutOf(service, intent) : undefined;
  if (about === undefined) return refusal;
  const { because, could, answer } = await explain(service, { ...about, as: null }, person, now);
  if (answer !== "no") return refusal;
  return { ...refusal, because, ...(could === null ? {} : { could }) };
};

const aboutOf = (
  { model }: Service,
  intent: Intent,
): { readonly entity: Entity; readonly doing: Doing; readonly id: string } | undefined => {
  if (intent.kind !== "update" && intent.kind !== "delete" && intent.kind !== "transition") return undefined;
  const entity = model.entities.get(intent.entity);
  const doing = entity && doingOf(entity, intent.kind === "transition" ? intent.transition : intent.kind);
  return entity && doing ? { entity, doing, id: intent.id } : undefined;
};
