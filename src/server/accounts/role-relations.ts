import { listRoleRelations } from "../../core/derive/authorization/role-relations.ts";
import { compareAsRead } from "../../core/derive/sql/reading-order.ts";
import type { Phrases } from "../../core/explain/language.ts";
import type { RoleRelationJson } from "../../core/wire/accounts/account.ts";
import type { ListJson } from "../../core/wire/lists.ts";
import type { SignedIn } from "../auth/sessions.ts";
import type { Service } from "../execution/service.ts";
import { readJsonBody } from "../http/reply.ts";

/** Records that are named for a role. */
const MOST_NAMED = 3;

/**
 * The roles that a person holds because records name them, with these records: an approver as the head of a department.
 * They are read as the person reads them, so that a record that is hidden from them names no role.
 */
export const readRoleRelations = async (
  service: Service,
  person: SignedIn,
  { now, phrases }: { readonly now: Date; readonly phrases: Phrases },
): Promise<readonly RoleRelationJson[]> => {
  const relations: RoleRelationJson[] = [];
  const read = new Map<string, Pick<RoleRelationJson, "records" | "count">>();
  for (const { title, entity, field } of listRoleRelations(service.model)) {
    const key = `${entity} ${field}`;
    const named = read.get(key) ?? (await readNaming(service, { entity, field }, person, { now, phrases }));
    read.set(key, named);
    if (named.records.length > 0) relations.push({ role: phrases.say(title), entity, field, ...named });
  }
  return relations;
};

/** The records that name the person in a field. */
const readNaming = async (
  service: Service,
  { entity, field }: { readonly entity: string; readonly field: string },
  person: SignedIn,
  { now, phrases }: { readonly now: Date; readonly phrases: Phrases },
): Promise<Pick<RoleRelationJson, "records" | "count">> => {
  const intent = {
    kind: "list",
    entity,
    where: [],
    filters: [[field, [person.id]]],
    sort: [],
    limit: MOST_NAMED,
    after: null,
    count: true,
    may: false,
    label: true,
    search: null,
    among: null,
  } as const;
  const found = await service.perform(intent, person, now, phrases);
  if (found.kind !== "found") return { records: [], count: 0 };
  const { items, count = items.length } = readJsonBody(found as { readonly body: unknown }) as ListJson;
  const names = items.map(({ _label }) => String(_label));
  // Only names that are complete are shown. The database would sort all records for the first three.
  return { records: names.toSorted(compareAsRead(service.model.locale)), count };
};
