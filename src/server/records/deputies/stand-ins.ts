import type { Phrases } from "../../../core/explain/language.ts";
import { entityNoun } from "../../../core/explain/who-may.ts";
import type { Model } from "../../../core/model/model.ts";
import { DEPUTY, type HeldRole } from "../../../core/model/permissions.ts";
import type { StandInJson } from "../../../core/wire/application.ts";
import type { ReferenceJson } from "../../../core/wire/records.ts";
import type { SignedIn } from "../../auth/sessions.ts";
import { loadLabels } from "../../execution/load-labels.ts";
import type { Service } from "../../execution/service.ts";
import { decodeRoles } from "../../plan/row/own-session.ts";

/**
 * The titles of the roles that a person can delegate to a deputy: granted ones that they have, and roles on records with
 * the records on which they are held, "Approver of requests and invoices". That the parts of these records inherit them goes
 * without saying. `unheld`: roles that the person holds on no record.
 */
export const findHandedRoles = (
  { deputies, roles, entities }: Model,
  granted: ReadonlySet<string>,
  phrases: Phrases,
  unheld: ReadonlySet<HeldRole> = new Set(),
): readonly string[] =>
  [...(deputies?.roles ?? [])].flatMap((role) => {
    const everywhere = roles.get(role);
    if (everywhere !== undefined) return granted.has(role) ? [phrases.say(everywhere.title)] : [];
    const held = new Map<string, string[]>();
    for (const entity of entities.values()) {
      const recordRole = entity.roles.get(role);
      if (recordRole?.from !== null || unheld.has(recordRole)) continue;
      const title = phrases.say(recordRole.title);
      held.set(title, [...(held.get(title) ?? []), entityNoun(phrases, entity).many]);
    }
    return [...held].map(([title, nouns]) => phrases.sentences.roleOf(title, nouns));
  });

/** Number shown; the account page lists all. */
const MOST = 20;

/**
 * The arrangements of a person from today on: deputies, and people for whom the person stands in. A person who is
 * deactivated stands in for nobody.
 */
export const loadStandIns = async (
  service: Service,
  person: SignedIn,
  now: Date,
  phrases: Phrases,
): Promise<readonly StandInJson[]> => {
  const { database, model } = service;
  if (model.deputies === null) return [];
  const rows = await database.query({
    name: "stand-ins",
    text: `select d."id", d."person", d."deputy", d."first_day"::text as first_day, d."last_day"::text as last_day,
             away."roles" as roles
           from app."deputy" d join app."user" away on away."id" = d."person" and away."active"
             join app."user" deputy on deputy."id" = d."deputy" and deputy."active"
           where (d."person" = $1 or d."deputy" = $1) and d."last_day" >= ($2::timestamptz at time zone $3)::date
           order by d."first_day", d."id" limit $4`,
    values: [person.id, now.toISOString(), model.timezone, MOST],
  });
  const labels = await loadLabels(
    service,
    person,
    now,
    rows.flatMap(({ id, person: away, deputy }) => [
      { entity: DEPUTY, record: String(id) },
      ...[away, deputy].map((one) => ({ entity: "User", record: String(one) })),
    ]),
  );
  const toReference = (id: unknown): ReferenceJson => ({ id: String(id), label: labels.get(String(id)) ?? "…" });
  return rows
    .filter(({ id }) => labels.has(String(id)))
    .map((row) => ({
      id: String(row.id),
      person: toReference(row.person),
      deputy: toReference(row.deputy),
      first_day: String(row.first_day),
      last_day: String(row.last_day),
      roles: findHandedRoles(model, decodeRoles(row.roles), phrases),
    }));
};
