import type { Principal } from "../../core/derive/authorization/grants.ts";
import { describeHandedWork } from "../../core/derive/client/handed-work.ts";
import type { Phrases } from "../../core/explain/language.ts";
import { DEPUTY } from "../../core/model/permissions.ts";
import type { HandedWorkJson, StandInJson } from "../../core/wire/application.ts";
import type { ReferenceJson } from "../../core/wire/records.ts";
import { decodeRoles } from "../plan/row/own-session.ts";
import { findUnheldRoles } from "./held-roles.ts";
import { loadLabels } from "./load-labels.ts";
import type { Service } from "./service.ts";

/** The work that a person hands to a deputy, in words. */
export const findHandedWork = async (
  service: Service,
  person: Principal,
  now: Date,
  phrases: Phrases,
  language: string,
): Promise<HandedWorkJson | null> =>
  describeHandedWork(
    service.model,
    { granted: person.granted, unheld: await findUnheldRoles(service, person, now) },
    phrases,
    language,
  );

/** Number shown; the account page lists all. */
const MOST = 20;

/**
 * The arrangements of a person from today on: deputies, and people for whom the person stands in. A person who is
 * deactivated stands in for nobody.
 */
export const loadStandIns = async (
  service: Service,
  person: Principal,
  now: Date,
  phrases: Phrases,
  language: string,
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
  const shown = rows.filter(({ id }) => labels.has(String(id)));
  const handed = new Map(
    await Promise.all(
      [...new Map(shown.map((row) => [String(row.person), decodeRoles(row.roles)]))].map(
        async ([id, granted]) => [id, await findHandedWork(service, { id, granted }, now, phrases, language)] as const,
      ),
    ),
  );
  return shown.map((row) => ({
    id: String(row.id),
    person: toReference(row.person),
    deputy: toReference(row.deputy),
    first_day: String(row.first_day),
    last_day: String(row.last_day),
    handed: handed.get(String(row.person)) ?? null,
  }));
};
