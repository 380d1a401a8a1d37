import { describeWork } from "../../core/derive/client/role-work.ts";
import type { Phrases } from "../../core/explain/language.ts";
import { roleTitle } from "../../core/explain/roles.ts";
import { toSql } from "../../core/expression/compile/to-sql.ts";
import type { Entity } from "../../core/model/entity.ts";
import type { Model } from "../../core/model/model.ts";
import { ADMINISTRATOR, type HeldRole, toDeputyRole } from "../../core/model/permissions.ts";
import { fill, identifier, render, sql } from "../../core/sql.ts";
import type { SamplePersonJson } from "../../core/wire/application.ts";
import type { Service } from "../execution/service.ts";
import { callerParams } from "../plan/context.ts";
import { rowEnv, tableSql } from "../plan/row/sql-env.ts";
import { newToken } from "../util/token.ts";

/** A sample person whom visitors can sign in as. */
export interface DemonstrationPerson {
  readonly name: string;
  /** Granted roles. */
  readonly roles: readonly string[];
  /** Roles that the person holds on records and some other people do not, such as a manager. */
  readonly recordRoles: readonly HeldRole[];
  /** Roles on records that only holders of a granted role of this person have, such as the mechanic of an order. */
  readonly furtherRoles: readonly HeldRole[];
  readonly token: string;
}

/**
 * Sign-in without a password for the sample people of a demonstration. The tokens exist only in this process, and the
 * server accepts only the host names of its own machine.
 */
export interface Demonstration {
  readonly people: readonly DemonstrationPerson[];
  /** Roles on records that everybody without a granted role holds, such as the author of a request. */
  readonly ofAll: readonly HeldRole[];
  personBy(token: string): string | undefined;
  /** Lists the people again, after samples were added for a new version. Tokens stay valid. */
  refresh(service: Service): Promise<void>;
}

export const isLoopback = (host: string): boolean =>
  /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/u.test(host);

/** The sample people in the order of their creation, administrators last, each with a token for this run. */
export const createDemonstration = async (service: Service, now?: Date): Promise<Demonstration> => {
  const byToken = new Map<string, string>();
  const byPerson = new Map<string, string>();
  const getToken = (id: string): string => {
    const token = byPerson.get(id) ?? newToken();
    byPerson.set(id, token);
    byToken.set(token, id);
    return token;
  };
  let listed = await listPeople(service, getToken, now);
  return {
    get people() {
      return listed.people;
    },
    get ofAll() {
      return listed.ofAll;
    },
    personBy: (token) => byToken.get(token),
    refresh: async (newer) => {
      listed = await listPeople(newer, getToken, now);
    },
  };
};

const listPeople = async (
  service: Service,
  getToken: (id: string) => string,
  now = new Date(),
): Promise<Pick<Demonstration, "people" | "ofAll">> => {
  const rows = await service.database.query({
    text: `select u."id", u."name", u."roles" from app."user" u join ninefold.sample s on s.entity = 'User' and s.record = u."id" where u."active"
           order by u."roles" @> array[$1], u."id"`,
    values: [ADMINISTRATOR],
  });
  const people = rows.map((row): DemonstrationPerson & { readonly id: string } => {
    const [id, roles] = [String(row.id), Array.isArray(row.roles) ? row.roles.map(String) : []];
    return { id, name: String(row.name), roles, recordRoles: [], furtherRoles: [], token: getToken(id) };
  });
  const ordinary = people.filter(({ roles }) => roles.length === 0);
  const holders = await findHolders(service, people, now);
  const isHeldBy = (role: HeldRole, { id }: { readonly id: string }): boolean => holders.get(role)?.has(id) === true;
  const held = [...holders.keys()];
  const ofAll = held.filter((role) => ordinary.length > 0 && ordinary.every((person) => isHeldBy(role, person)));
  /** The granted roles that all holders of a role have. */
  const grantedWith = new Map(
    held.map((role) => {
      const [first, ...others] = people.filter((person) => isHeldBy(role, person));
      return [role, first?.roles.filter((name) => others.every(({ roles }) => roles.includes(name))) ?? []] as const;
    }),
  );
  return {
    people: people.map(({ id, ...person }) => {
      const own = held.filter((role) => isHeldBy(role, { id }));
      return {
        ...person,
        recordRoles: person.roles.length > 0 ? [] : own.filter((role) => !ofAll.includes(role)),
        furtherRoles: own.filter((role) => grantedWith.get(role)?.some((name) => person.roles.includes(name))),
      };
    }),
    ofAll,
  };
};

/** Finds the people who hold each role on some record, for roles that make transitions. */
const findHolders = async (
  service: Service,
  people: readonly { readonly id: string }[],
  now: Date,
): Promise<ReadonlyMap<HeldRole, ReadonlySet<string>>> => {
  const found = new Map<HeldRole, ReadonlySet<string>>();
  for (const entity of service.model.entities.values())
    for (const role of entity.roles.values()) {
      if (!hasTransitions(entity, role)) continue;
      const holding = new Set<string>();
      for (const { id } of people) if (await isHeldOnSome(service, entity, role, id, now)) holding.add(id);
      found.set(role, holding);
    }
  return found;
};

const hasTransitions = ({ states }: Entity, { name }: HeldRole): boolean =>
  [...(states?.transitions.values() ?? [])].some(({ by }) => by?.includes(name) === true);

const PERSON = "person";

const isHeldOnSome = async (
  { model, database, caller }: Service,
  entity: Entity,
  { condition }: HeldRole,
  id: string,
  now: Date,
): Promise<boolean> => {
  const { truth } = toSql(condition, rowEnv(model, entity, PERSON));
  const statement = render(
    sql`SELECT EXISTS (SELECT FROM ${tableSql(entity)} AS ${identifier(PERSON)} WHERE ${truth}) AS "held"`,
  );
  const values = fill(statement, callerParams(caller({ id, granted: new Set() }, now)));
  const [row] = await database.query({ text: statement.text, values: [...values] });
  return row?.held === true;
};

/** The title of a role, or of the role that it represents as a deputy. */
const findWorkTitle = (model: Model, { name, title }: HeldRole): string => {
  const represented = [...(model.deputies?.roles ?? [])].find((role) => toDeputyRole(role) === name);
  return represented === undefined ? title : roleTitle(model, represented, null);
};

/** Describes a sample person for the sign-in page: the titles of their roles, and what they do. */
export const toSamplePersonJson = (
  { ofAll }: Demonstration,
  model: Model,
  { name, roles, recordRoles, furtherRoles, token }: DemonstrationPerson,
  phrases: Phrases,
  language: string,
): SamplePersonJson => {
  const own = [...roles.map((role) => roleTitle(model, role, null)), ...recordRoles.map(({ title }) => title)];
  const plain = [...model.roles.values()].filter(({ members }) => members === "signed in");
  const hasOwn = own.length > 0;
  const everybody = [...plain, ...ofAll];
  const names = hasOwn
    ? [...roles, ...[...recordRoles, ...furtherRoles].map((role) => role.name)]
    : everybody.map((role) => role.name);
  // Point 1 speaks of managers, and not of their deputies, who do the same.
  const working = [
    ...roles.map((role) => roleTitle(model, role, null)),
    ...recordRoles.map((role) => findWorkTitle(model, role)),
  ];
  const workTitles = [...new Set(hasOwn ? working : everybody.map(({ title }) => title))];
  return {
    name,
    roles,
    titles: [...new Set(hasOwn ? own : plain.map(({ title }) => title))].map(phrases.say),
    token,
    does: describeWork(model, { names: new Set(names), titles: workTitles }, phrases, language).slice(
      0,
      Math.max(1, own.length),
    ),
  };
};
