import { findDecisionFacts } from "../../core/derive/client/decision-facts.ts";
import { toFieldJson } from "../../core/derive/client/entity-manifest.ts";
import { translateManifestTexts } from "../../core/derive/client/localize.ts";
import { localeAmong, type Phrases } from "../../core/explain/language.ts";
import type { Entity, Transition } from "../../core/model/entity.ts";
import { recordPath } from "../../core/model/facts/record-path.ts";
import type { Field } from "../../core/model/field.ts";
import type { Format } from "../../core/model/format.ts";
import type { Model } from "../../core/model/model.ts";
import type { FactJson, FieldJson } from "../../core/wire/entities.ts";
import type { HistoryJson } from "../../core/wire/history.ts";
import type { Json } from "../../core/wire/json.ts";
import type { LastTransitionJson, MailedRecordJson, MailedTransitionJson } from "../../core/wire/mailed-transition.ts";
import type { WhyNot } from "../../core/wire/records.ts";
import { readPerson, type SignedIn } from "../auth/sessions.ts";
import { executeTogether } from "../execution/execute-together.ts";
import type { Service } from "../execution/service.ts";
import { withReasons } from "../explain/why-answers.ts";
import type { Values } from "../intent.ts";
import { factFields, factsInWords, formatInLanguage, type ReadFacts, readFacts } from "../mail/notification-facts.ts";
import {
  findTransitionLink,
  nameMailQuery,
  offersTransitions,
  type TransitionLink,
  takeLinkQuery,
} from "../mail/transition-links.ts";
import { JsonText, type Outcome } from "../plan/outcome.ts";
import { toProblem } from "../problems/to-problem.ts";
import { isRefusal, type Refusal, Refused, refuse } from "../refusal.ts";

/** The clause that limits links in mails. */
const LINKS_CLAUSE = "9.mail_transitions";

const usedUp = (): Refusal => refuse("LINK_USED", LINKS_CLAUSE);

/** A request for a link: the session of its browser, if there is one, the time and the language. */
export interface MailedRequest {
  readonly token: string;
  readonly session: SignedIn | null;
  readonly now: Date;
  readonly phrases: Phrases;
}

/** A link that is known, with its person and clause in the live document. */
interface Known {
  readonly link: TransitionLink;
  readonly person: SignedIn;
  readonly entity: Entity;
  readonly transition: Transition;
}

const findKnown = async (service: Service, { token, now }: MailedRequest): Promise<Known | undefined> => {
  const { model, database } = service;
  const link = offersTransitions(model) ? await findTransitionLink(database, token) : undefined;
  const person = link && (await readPerson(service, link.person, now));
  const entity = model.entities.get(link?.entity ?? "");
  const transition = entity?.states?.transitions.get(link?.transition ?? "");
  if (link === undefined || person == null || !entity?.served || transition === undefined) return undefined;
  return { link, person, entity, transition };
};

/** A browser in which somebody else is signed in shows nothing: the mail was probably forwarded. */
const isAnother = (session: SignedIn | null, { person }: Known): boolean =>
  session !== null && (session.id !== person.id || session.impersonator !== null);

/** Shows what a link can do now. Reads as its person, and changes nothing. */
export const showMailedTransition = async (service: Service, request: MailedRequest): Promise<MailedTransitionJson> => {
  const known = await findKnown(service, request);
  if (known === undefined) return { state: "gone" };
  const { model } = service;
  const { link, person, entity, transition } = known;
  const { now, phrases, session } = request;
  const path = recordPath(model, entity, link.record);
  if (isAnother(session, known)) return { state: "other", path };
  const title = phrases.say(transition.title);
  if (link.usedAt !== null) return { state: "used", at: link.usedAt.toISOString(), transition: title, path };
  if (link.expiresAt <= now)
    return { state: "expired", hours: model.limits.mailTransitionHours, transition: title, path };
  const pair = { person: person.id, record: link.record };
  const decides = findDecisionFacts(model, entity, transition, person);
  const fields = withOwnFields(model, entity, decides);
  const key = `${person.id} ${link.record}`;
  const facts = (await readFacts(service, person, now, entity, [pair], phrases, fields)).get(key);
  if (facts === undefined) return { state: "hidden" };
  const format = formatInLanguage(model, localeAmong(phrases, model.locale), phrases.say);
  const { label, facts: own } = factsInWords(entity, facts, format, phrases.say, fields);
  const others = await readOtherFacts(service, known, decides, format, request);
  const record: MailedRecordJson = { transition: title, path, label, facts: [...own, ...others] };
  const why = await findWhyNot(service, known, facts, request);
  if (why !== null) return { state: "refused", why, last: await findLast(service, known, request), ...record };
  const asks = askedFields(service, known, phrases);
  const [to, another] = transition.to;
  const target = entity.states?.states.find(({ name }) => name === to)?.title;
  return {
    state: "ready",
    ...record,
    person: person.name,
    record: link.record,
    becomes: another === undefined && target !== undefined ? phrases.say(target) : null,
    version: facts.version,
    asks,
    values: asks.length === 0 ? {} : await readValues(service, known, asks, now),
    signIn: session === null && asks.some(({ type }) => needsSession.has(type)),
  };
};

/** The short values of the record, and its values on which the decision depends, as in the dialog of the transition. */
const withOwnFields = (model: Model, entity: Entity, decides: readonly FactJson[]): readonly Field[] => {
  const own = decides.flatMap(({ field, of }) => (of === undefined ? (entity.fields.get(field) ?? []) : []));
  return [...new Set([...factFields(model, entity), ...own])];
};

/** The values of records that the record refers to on which the decision depends, such as what is left of a budget. */
const readOtherFacts = async (
  service: Service,
  { link, person, entity }: Known,
  decides: readonly FactJson[],
  format: Format,
  { now, phrases }: MailedRequest,
): Promise<MailedRecordJson["facts"]> => {
  const references = new Set(decides.flatMap(({ of }) => of ?? []));
  if (references.size === 0) return [];
  const intent = { kind: "read", entity: link.entity, id: link.record, label: false, screen: null } as const;
  const found = await service.perform(intent, person, now);
  if (found.kind !== "found" || !(found.body instanceof JsonText)) return [];
  const values = JSON.parse(found.body.text) as { readonly [field: string]: Json };
  const facts: MailedRecordJson["facts"][number][] = [];
  for (const reference of references) {
    const to = values[reference];
    const other = service.model.entities.get(entity.fields.get(reference)?.entity ?? "");
    if (other === undefined || typeof to !== "object" || to === null || !("id" in to)) continue;
    const fields = decides.flatMap(({ field, of }) => (of === reference ? (other.fields.get(field) ?? []) : []));
    const pair = { person: person.id, record: String(to.id) };
    const read = await readFacts(service, person, now, other, [pair], phrases, fields);
    const [one] = read.values();
    if (one !== undefined) facts.push(...factsInWords(other, one, format, phrases.say, fields).facts);
  }
  return facts;
};

/** Fields whose input asks the server for records, or sends it a file, for which a link is not enough. */
const needsSession: ReadonlySet<string> = new Set(["reference", "file", "image"]);

const askedFields = ({ model }: Service, { entity, transition }: Known, { say }: Phrases): readonly FieldJson[] =>
  translateManifestTexts(
    transition.asks.flatMap((name) => {
      const field = entity.fields.get(name);
      if (field === undefined) return [];
      return [{ ...toFieldJson(model, entity, field, true), optional: transition.asksIfAny.has(name) }];
    }),
    say,
  );

/** The values of fields as the person can read them. */
const readValues = async (
  service: Service,
  { link, person }: Known,
  asks: readonly FieldJson[],
  now: Date,
): Promise<{ readonly [field: string]: Json }> => {
  const { entity, record: id } = link;
  const found = await service.perform({ kind: "read", entity, id, label: false, screen: null }, person, now);
  if (found.kind !== "found" || !(found.body instanceof JsonText)) return {};
  const values = JSON.parse(found.body.text) as { readonly [field: string]: Json };
  return Object.fromEntries(asks.flatMap(({ name }) => (name in values ? [[name, values[name] as Json]] : [])));
};

/** The reason why the person cannot make the transition now, as on the page of the record; null if they can. */
const findWhyNot = async (
  service: Service,
  { link, person, transition }: Known,
  { can }: ReadFacts,
  { now, phrases }: MailedRequest,
): Promise<WhyNot | null> => {
  if (can.transitions.includes(transition.name)) return null;
  const known = can.refused[transition.name];
  if (known !== undefined) return known;
  const clause = transition.clause.id;
  const intent = toIntent(link, {}, null);
  const refused = await withReasons(service, intent, refuse("FORBIDDEN", clause), { principal: person, now, phrases });
  const { code, detail, because } = toProblem(service.model, refused, phrases, { entity: link.entity });
  return { code, clause, because: because ?? detail };
};

/** The newest transition in the history, as far as the person can see it. */
const findLast = async (
  service: Service,
  { link, person, entity }: Known,
  { now, phrases }: MailedRequest,
): Promise<LastTransitionJson | null> => {
  const intent = { kind: "history", entity: link.entity, id: link.record } as const;
  const found = await service.perform(intent, person, now, phrases);
  if (found.kind !== "found" || found.body instanceof JsonText) return null;
  for (const { action = "", at, person: by } of (found.body as HistoryJson).items) {
    const transition = entity.states?.transitions.get(action);
    if (transition !== undefined && at !== undefined)
      return { transition: phrases.say(transition.title), person: by?.label ?? null, at };
  }
  return null;
};

const toIntent = ({ entity, record, transition }: TransitionLink, values: Values, version: number | null) =>
  ({ kind: "transition", entity, id: record, transition, values, version, label: false }) as const;

/**
 * Makes the transition in the name of the link's person: the same plan, checks and refusals as with their session. The
 * link is used up in the same transaction, so a refused attempt leaves it valid.
 */
export const makeMailedTransition = async (
  service: Service,
  request: MailedRequest,
  { values, version }: { readonly values: Values; readonly version: number | null },
): Promise<{ readonly person: string | null; readonly outcome: Outcome | Refusal }> => {
  const known = await findKnown(service, request);
  if (known === undefined || isAnother(request.session, known)) return { person: null, outcome: usedUp() };
  const { link, person } = known;
  const { now, phrases, token } = request;
  const intent = toIntent(link, values, version);
  const caller = { principal: person, now, phrases };
  try {
    const outcome = await executeTogether(
      service.database,
      { before: [nameMailQuery], isTrial: false },
      async (run, send) => {
        const [taken] = await send([takeLinkQuery(token, now)]);
        if (taken?.[0] === undefined) throw new Refused(usedUp());
        const [planned] = await run([service.plan(intent, service.caller(person, now, phrases))]);
        if (planned === undefined || isRefusal(planned)) throw new Refused(planned ?? usedUp());
        return planned;
      },
    );
    return { person: person.id, outcome };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { refusal } = error;
    return { person: person.id, outcome: await withReasons(service, intent, refusal, caller) };
  }
};
