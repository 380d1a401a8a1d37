import { type Doing, doingOf, isKnownTo, isUndecided } from "../../core/derive/authorization/explain-access.ts";
import { fieldsKnownTo, isAdministrator, type Person } from "../../core/derive/authorization/grants.ts";
import type { Tongue } from "../../core/explain/language.ts";
import { isId } from "../../core/field/reference.ts";
import { actions, type Entity, type Field } from "../../core/model/model.ts";
import type { PermissionsJson, WhyJson } from "../../core/wire/why.ts";
import { doerOf, type SignedIn } from "../auth/sessions.ts";
import type { Service } from "../execution/service.ts";
import type { Intent } from "../intent.ts";
import { planWhy } from "../plan/explain/explain.ts";
import type { WhyAsked } from "../plan/explain/explain-context.ts";
import { MANAGES } from "../plan/write/account-change.ts";
import { badQuery, type Refusal, refuse } from "../refusal.ts";
import { nameOf } from "./undecided.ts";

/** A question as it comes: `do=Request.grant`, `record=…`, `field=…`, `as=…`; what is not asked is empty. */
export interface Question {
  readonly do: string;
  readonly record: string;
  readonly field: string;
  readonly as: string;
}

/** Who asks, when, and in which language they are answered. */
export interface Asking {
  readonly person: Person;
  readonly now: Date;
  readonly tongue: Tongue;
}

/** Who asks in a session of their own, or as somebody else. */
type AskingIn = Asking & { readonly person: SignedIn };

/** The nil UUID: no record has it. */
const NO_RECORD = "00000000-0000-0000-0000-000000000000";

/** Answers a question why, with the eyes of who asks. */
export const answerWhy = async (service: Service, question: Question, asking: AskingIn): Promise<WhyJson | Refusal> => {
  const [name = "", what = ""] = question.do.split(".");
  const entity = service.model.entities.get(name);
  const doing = entity === undefined ? undefined : doingOf(entity, what);
  // Of what is not for somebody to know, the answer is the one for what is not there.
  if (entity === undefined || doing === undefined || !entity.served)
    return badQuery("“{word}” is nothing that can be done", { word: question.do });
  if (!isKnownTo(service.model, entity, doing, asking.person))
    return badQuery("“{word}” is nothing that can be done", { word: question.do });
  const field = question.field === "" ? null : fieldOf(service, entity, question.field, asking.person);
  if (field === undefined) return unseenField(question.field, asking.tongue);
  const as = question.as === "" ? null : await standIn(service, question.as, asking);
  if (as !== null && "kind" in as) return as;
  return explain(service, { entity, doing, id: idOf(question.record), field, as }, asking);
};

/** What somebody may do with an entity's records, or with one of them: everything that a clause opens to anybody, in order. */
export const permissionsFor = async (
  service: Service,
  { of, record, as: other }: { readonly of: string; readonly record: string; readonly as: string },
  asking: AskingIn,
): Promise<PermissionsJson | Refusal> => {
  const entity = service.model.entities.get(of);
  if (entity === undefined || !entity.served) return badQuery("there is no “{word}”", { word: of });
  const doings = [
    ...actions.map((action) => ({ name: action, doing: { kind: "action", action } as Doing })),
    ...[...(entity.states?.transitions ?? [])].map(([name, transition]) => ({
      name,
      doing: { kind: "transition", transition } as Doing,
    })),
  ].filter(({ doing }) => isKnownTo(service.model, entity, doing, asking.person));
  if (doings.length === 0) return badQuery("there is no “{word}”", { word: of });
  const as = other === "" ? null : await standIn(service, other, asking);
  if (as !== null && "kind" in as) return as;
  const items = await Promise.all(
    doings.map(async ({ name, doing }) => ({
      do: `${entity.name}.${name}`,
      transition: doing.kind === "transition" ? doing.transition.title : null,
      ...(await explain(service, { entity, doing, id: idOf(record), field: null, as }, asking)),
    })),
  );
  return { items };
};

const idOf = (record: string): string | null => {
  if (record === "") return null;
  return isId(record.toLowerCase()) ? record.toLowerCase() : NO_RECORD;
};

/** By its name or its title, where who asks knows that there is such a field. */
const fieldOf = ({ model }: Service, entity: Entity, asked: string, person: Person): Field | undefined => {
  const known = fieldsKnownTo(model, entity, person);
  const same = (words: string) => words.trim().toLocaleLowerCase() === asked.trim().toLocaleLowerCase();
  return [...entity.fields.values()].find(
    ({ name, title }) => (known.has(name) || isAdministrator(person)) && (same(name) || same(title)),
  );
};

const unseenField = (asked: string, { sentences }: Tongue): WhyJson => ({
  answer: "unseen",
  because: sentences.unseenField(asked),
  could: null,
  ways: [],
  musts: [],
});

/** Somebody for whom an administrator asks. That it was asked stands in the audit. */
const standIn = async (
  { database, version }: Service,
  id: string,
  { person, now }: AskingIn,
): Promise<NonNullable<WhyAsked["as"]> | Refusal> => {
  if (!isAdministrator(person)) return refuse("FORBIDDEN", MANAGES);
  const [row] = isId(id)
    ? await database.query({
        text: `with "p" as (select "id", "name", array_to_string("roles", ',') as "roles" from app."user" where "id" = $1),
                    "a" as (insert into ninefold.audit (at, person, entity, record, action, clause, document, changes)
                            select $2, $3, 'Account', "p"."id", 'ask_for', $4, $5, '{}' from "p")
               select * from "p"`,
        values: [id, now.toISOString(), doerOf(person), MANAGES, version],
      })
    : [];
  if (row === undefined) return refuse("NOT_FOUND", MANAGES);
  const roles = String(row.roles);
  return {
    person: { id, granted: new Set(roles === "" ? [] : roles.split(",")) },
    name: String(row.name),
  };
};

const explain = async (service: Service, asked: WhyAsked, { person, now, tongue }: Asking): Promise<WhyJson> => {
  const { queries, explain } = planWhy(service.context, asked, service.asker(person, now, tongue), service.format);
  const [judged, seen] = queries.length === 0 ? [] : await service.database.batch(queries);
  return explain(judged?.[0], seen?.[0]);
};

/** What may be said of why, beside what the answer says already. Only a refusal costs anything. */
const explained: ReadonlySet<string> = new Set(["FORBIDDEN", "GUARD"]);

/** What was asked for, as far as a reason needs it. */
export type Tried = Intent | { readonly kind: "list"; readonly entity: string };

/** A refusal with what on the record stands against it, and who could. */
export const withReasons = async (
  service: Service,
  intent: Tried,
  refusal: Refusal,
  asking: Asking,
): Promise<Refusal> => {
  const about = explained.has(refusal.code) && asking.person.id !== null ? aboutOf(service, intent) : undefined;
  if (about === undefined) return refusal;
  const open = isUndecided(about.entity, about.doing) ? { undecided: nameOf(about) } : {};
  // To who can do nothing with its records, who can is not told.
  if (!isKnownTo(service.model, about.entity, about.doing, asking.person)) return { ...refusal, ...open };
  const { because, could, answer } = await explain(service, { ...about, field: null, as: null }, asking);
  if (answer !== "no") return refusal;
  return { ...refusal, ...open, because, ...(could === null ? {} : { could }) };
};

const aboutOf = ({ model }: Service, intent: Tried): Pick<WhyAsked, "entity" | "doing" | "id"> | undefined => {
  const name = intent.kind === "list" ? "read" : intent.kind === "transition" ? intent.transition : intent.kind;
  const entity = "entity" in intent ? model.entities.get(intent.entity) : undefined;
  const doing = entity && doingOf(entity, name);
  if (entity === undefined || doing === undefined) return undefined;
  return { entity, doing, id: "id" in intent ? intent.id : null };
};
