import {
  anonymousPrincipal,
  isAutomatic,
  isGenerated,
  type Principal,
} from "../../core/derive/authorization/grants.ts";
import { ADMINISTRATOR, type Entity, type Model } from "../../core/model/model.ts";
import { type Sql, slot, sql } from "../../core/sql.ts";
import { execute } from "../execution/execute.ts";
import type { Service } from "../execution/service.ts";
import type { Values } from "../intent.ts";
import { CANDIDATE } from "../plan/aliases.ts";
import { callerParams, getEntity } from "../plan/context.ts";
import { drawOne, findSequences, generatedValue, sequenceParams, slugParams } from "../plan/input/generated-values.ts";
import { evaluateForCaller } from "../plan/input/initial-values.ts";
import { emptyValue, inputParam, inputParams, missingFields, parseInput } from "../plan/input/parse-input.ts";
import { DONE_OUTCOME, type Done } from "../plan/outcome.ts";
import { planBatch } from "../plan/plan.ts";
import { toQuery } from "../plan/statements.ts";
import { constraintRefusal } from "../plan/transaction/constraint-errors.ts";
import { insertRowsSql, newRowsSql } from "../plan/transaction/insert-rows.ts";
import { SIGN_IN_CLAUSE } from "../plan/write/account-change.ts";
import { type Refusal, type RefusalAt, refuse, refuseAt } from "../refusal.ts";
import { hashPassword, LONGEST_PASSWORD, SHORTEST_PASSWORD } from "../util/password-hash.ts";
import { newId } from "../util/uuid.ts";
import { isWeak, type Whose } from "../util/weak-passwords.ts";

export interface NewPerson {
  readonly name: string;
  readonly email: string;
  readonly roles: readonly string[];
  /** Absent for people who cannot sign in with a password. */
  readonly password?: string;
  /** Other fields of the person. */
  readonly more?: Values;
}

/** A link that is used up by creating the person: an invalid or used link creates nobody. */
export interface UsedLink {
  readonly hash: Buffer;
  readonly purpose: "first administrator" | "sign up";
}

/** A link by which the new person sets a password. */
export interface Invitation {
  readonly hash: Buffer;
  readonly until: Date;
}

/** How the person is created: through a link, by invitation, or by the program itself. */
export interface PersonOrigin {
  readonly link?: UsedLink;
  readonly by?: Principal;
  readonly invitation?: Invitation;
}

/** Creates a person: a User record with its audit entry and, stored separately, a password hash or an invitation. */
export const makePerson = async (
  service: Service,
  person: NewPerson,
  now: Date,
  { link, by = anonymousPrincipal, invitation }: PersonOrigin = {},
): Promise<string | Refusal> => {
  const { context } = service;
  const entity = getEntity(context, "User");
  const open = new Set([...entity.fields.keys()].filter((name) => !isAutomatic(entity, name)));
  const given = parseInput(
    entity,
    { ...person.more, name: person.name, email: person.email },
    { open, known: open },
    SIGN_IN_CLAUSE,
    service.format,
  );
  const caller = service.caller(by, now);
  const values = new Map(given.values);
  for (const field of entity.fields.values())
    if (!values.has(field.name) && field.held.as === "column")
      values.set(field.name, field.default === null ? emptyValue(field) : evaluateForCaller(field.default, caller));
  const wrong: RefusalAt[] = [
    ...given.closed,
    ...given.wrong,
    ...missingFields(
      entity,
      entity.fields.keys(),
      (name) =>
        (values.get(name) ?? null) !== null ||
        isGenerated(entity.fields.get(name)) ||
        given.wrong.some((one) => one.at === `/${name}`),
    ),
  ];
  if (person.password !== undefined) wrong.push(...(await passwordFaults(person.password, person)));
  if (wrong.length > 0) return refuseAt(wrong);

  const id = newId(now);
  const password = person.password === undefined ? null : await hashPassword(person.password);
  const series = findSequences(entity, "create");
  const invited = link === undefined ? sql`` : sql`FROM "l"`;
  const written = context.statements.get(["person", link?.purpose ?? "", invitation !== undefined], () => {
    const rows = insertRowsSql({
      context,
      entity,
      clause: SIGN_IN_CLAUSE,
      more: ["roles"],
      numbers: drawOne(entity, series, CANDIDATE.alias, () => invited),
      from: sql`FROM "n"${link === undefined ? sql`` : sql`, "l"`}`,
    });
    return {
      more: undefined,
      sql: sql`WITH ${linkSql(link)}"n" AS (${newPerson(context.model, entity)}),
      ${rows},
      "p" AS (INSERT INTO ninefold.credential (person, password) SELECT "d"."id", ${slot("password", "text")} FROM "d" WHERE ${slot("password", "text")} IS NOT NULL)${invitation === undefined ? sql`` : invite}
      SELECT "d"."id" FROM "d"`,
    };
  });
  const plan = planBatch<Done>(
    [
      toQuery(written, {
        ...callerParams(caller),
        ...inputParams(values),
        ...slugParams(entity, values),
        ...sequenceParams(series, caller.today),
        id,
        roles: person.roles,
        password,
        link: link?.hash ?? null,
        purpose: link?.purpose ?? null,
        invitation: invitation?.hash ?? null,
        until: invitation?.until.toISOString() ?? null,
        administrator: ADMINISTRATOR,
      }),
    ],
    ([rows]) => (rows?.[0] === undefined ? refuse("LINK_USED", SIGN_IN_CLAUSE) : DONE_OUTCOME),
    (name) => constraintRefusal(context.model, entity, name),
  );
  const outcome = await execute(service.database, plan);
  return outcome.kind === "refusal" ? outcome : id;
};

const newPerson = (model: Model, entity: Entity): Sql =>
  newRowsSql(model, entity, {
    id: sql`${slot("id", "uuid")}`,
    value: (field) => {
      const drawn = generatedValue(entity, field);
      return drawn === undefined ? inputParam(field) : sql`COALESCE(${inputParam(field)}, ${drawn})`;
    },
    more: [sql`${slot("roles", "text[]")} AS "roles"`],
    from: sql``,
  });

/** Uses up the link in the same statement; the first administrator's link only while there is no administrator. */
const linkSql = (link: UsedLink | undefined): Sql => {
  if (link === undefined) return sql``;
  const holds = sql`token_hash = ${slot("link", "bytea")} AND expires_at > ${slot("now", "timestamptz")}`;
  if (link.purpose === "sign up")
    return sql`"l" AS (DELETE FROM ninefold.sign_up WHERE ${holds} AND email = lower(${slot("v:email", "text")}) RETURNING 1), `;
  return sql`"l" AS (DELETE FROM ninefold.once_link WHERE ${holds} AND purpose = ${slot("purpose", "text")}
        AND NOT EXISTS (SELECT FROM "app"."user" WHERE "roles" @> ARRAY[${slot("administrator", "text")}] AND "active") RETURNING 1), `;
};

const invite = sql`, "i" AS (INSERT INTO ninefold.once_link (token_hash, purpose, person, made_at, expires_at)
        SELECT ${slot("invitation", "bytea")}, 'password', "d"."id", ${slot("now", "timestamptz")}, ${slot("until", "timestamptz")} FROM "d")`;

/** The errors of a chosen password. */
export const passwordFaults = async (password: string, whose: Whose): Promise<readonly RefusalAt[]> => {
  const fault = (code: string, values: RefusalAt["values"]): readonly RefusalAt[] => [
    { at: "/password", code, clause: SIGN_IN_CLAUSE, values },
  ];
  const length = [...password].length;
  if (length < SHORTEST_PASSWORD || length > LONGEST_PASSWORD)
    return fault("PASSWORD_LENGTH", { min: String(SHORTEST_PASSWORD), max: String(LONGEST_PASSWORD) });
  return (await isWeak(password, whose)) ? fault("PASSWORD_WEAK", {}) : [];
};

/** True if an active administrator exists. */
export const hasAdministrator = async (service: Service): Promise<boolean> =>
  (
    await service.database.query({
      text: `select 1 from app."user" where roles @> array[$1] and active limit 1`,
      values: [ADMINISTRATOR],
    })
  ).length > 0;
