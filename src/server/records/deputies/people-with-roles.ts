import { findUserKey, type Key } from "../../../core/derive/authorization/access-paths.ts";
import { grantsFor, isUnconditional, type Principal, showsOnAll } from "../../../core/derive/authorization/grants.ts";
import type { Phrases } from "../../../core/explain/language.ts";
import { findExcludedPerson } from "../../../core/explain/role-holders.ts";
import { roleTitle } from "../../../core/explain/roles.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Model } from "../../../core/model/model.ts";
import { DEPUTY, type HeldRole } from "../../../core/model/permissions.ts";
import { constant, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { RoleHolderJson } from "../../../core/wire/application.ts";
import { findRoleKeys, findUnheldRoles, isAnyKeyHeldSql } from "../../execution/held-roles.ts";
import type { Service } from "../../execution/service.ts";
import { TABLE } from "../../plan/aliases.ts";
import { callerParams, getEntity, principalKey } from "../../plan/context.ts";
import { lookupSql } from "../../plan/read/page-sql.ts";
import { candidateFilter } from "../../plan/read/reference-candidates.ts";
import { labelSql, labelText } from "../../plan/row/labels.ts";
import { asCondition, readScope } from "../../plan/row/read-scope.ts";
import { tableSql } from "../../plan/row/sql-env.ts";
import { toQuery } from "../../plan/statements.ts";
import type { Refusal } from "../../refusal.ts";

/** Maximum number of people. */
const MOST = 200;

const ID = sql`${TABLE}."id"`;

/** A role that a person hands over, with the condition that the user of a row holds it. */
interface Asked {
  readonly name: string;
  /** Null for a granted role. */
  readonly entity: string | null;
  readonly held: Sql;
}

/**
 * The people who hold roles that a person hands over, as far as the person can read them and can name them. Granted roles of
 * others are told only to those who hold these roles themselves. Roles on records are told if the person can read, on all
 * records, the fields that refer to their holders.
 */
export const listPeopleWithRoles = async (
  service: Service,
  person: Principal,
  now: Date,
  phrases: Phrases,
): Promise<readonly RoleHolderJson[] | Refusal> => {
  const { context, database, format } = service;
  const { model, statements } = context;
  const user = getEntity(context, "User");
  const caller = service.caller(person, now, phrases);
  const deputy = { entity: DEPUTY, field: "deputy", record: null, given: [] };
  const among = candidateFilter(context, caller, deputy, user, ID);
  if ("kind" in among) return among;
  const unheld = await findUnheldRoles(service, person, now);
  const asked = [...(model.deputies?.roles ?? [])].flatMap((name) => findAsked(model, person, unheld, name));
  if (asked.length === 0) return [];
  const shape = asked.map(({ name, entity }) => [name, entity]);
  const written = statements.get(["people with roles", principalKey(person), shape, among.shape], () => {
    const rows = asCondition(readScope(model, user, person, TABLE.alias).rows);
    const held = asked.map((one) => one.held);
    const conditions = [sql`(${join(held, " OR ")})`, rows, ...among.conditions()];
    return {
      more: undefined,
      sql: sql`SELECT ${ID} AS "id", ${labelSql(model, user, person, TABLE.alias)} AS "label", ARRAY[${join(held, ", ")}] AS "held" FROM ${tableSql(user)} AS ${TABLE} WHERE ${TABLE}."active" AND ${ID} <> ${slot("user", "uuid")} AND ${join(conditions, " AND ")} ORDER BY ${TABLE}."name", ${ID} LIMIT ${constant(MOST)}`,
    };
  });
  const rows = await database.query(toQuery(written, { ...callerParams(caller), ...among.slots }));
  return rows.map((row) => {
    const held = Array.isArray(row.held) ? row.held : [];
    const names = new Set(asked.flatMap(({ name }, nth) => (held[nth] === true ? [name] : [])));
    // As on other screens, a role that decides says what somebody is: an approver, and not also the head of a department.
    const deciding = [...names].filter((name) => makesTransitions(model, name));
    return {
      id: String(row.id),
      label: labelText(user.label, row.label, format),
      roles: (deciding.length > 0 ? deciding : [...names]).map((name) => phrases.say(roleTitle(model, name, null))),
    };
  });
};

const makesTransitions = ({ entities }: Model, role: string): boolean =>
  [...entities.values()].some(({ states }) =>
    [...(states?.transitions.values() ?? [])].some(({ by }) => by?.includes(role) === true),
  );

const findAsked = (model: Model, person: Principal, unheld: ReadonlySet<HeldRole>, name: string): readonly Asked[] => {
  if (model.roles.has(name)) {
    const held = sql`(${constant(name)} = ANY(${TABLE}."roles"))`;
    return person.granted.has(name) ? [{ name, entity: null, held }] : [];
  }
  return [...model.entities.values()].flatMap((entity) => {
    const role = entity.roles.get(name);
    if (role === undefined || role.from !== null || unheld.has(role)) return [];
    const keys = findRoleKeys(role, ([...conjuncts]) => {
      // Nobody decides about themselves: that excludes some of their records.
      const [only, ...others] = conjuncts.filter((one) => findExcludedPerson(one) === undefined);
      const key = only === undefined || others.length > 0 ? undefined : findUserKey(only);
      return key?.to.kind === "user" && isKnownToReader(model, entity, person, key) ? key : undefined;
    });
    return keys === null
      ? []
      : [{ name, entity: entity.name, held: isAnyKeyHeldSql(entity, keys, (key) => lookupSql(key, ID)) }];
  });
};

/** True if the reader can read all that `isAnyKeyHeldSql` does with this key. */
const isKnownToReader = (model: Model, entity: Entity, reader: Principal, { by, path }: Key): boolean => {
  const steps =
    path.length === 0
      ? [{ entity: entity.name, field: by }]
      : path.map((step) => ({ entity: step.entity.name, field: step.field.name }));
  return steps.every((step) => {
    const read = model.entities.get(step.entity);
    const grants = read === undefined ? [] : grantsFor(model, read, "read", reader);
    const isReadable = grants.some(({ fields }) => fields === null || fields.has(step.field));
    return isReadable && isUnconditional(grants) && showsOnAll(grants, step.field);
  });
};
