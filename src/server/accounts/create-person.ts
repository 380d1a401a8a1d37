import {
  anonymousPrincipal,
  isAutomatic,
  isGenerated,
  type Principal,
} from "../../core/derive/authorization/grants.ts";
import { requiredRefusal } from "../../core/derive/consistency/check-refusals.ts";
import type { Model } from "../../core/model/model.ts";
import { ADMINISTRATOR } from "../../core/model/permissions.ts";
import { execute } from "../execution/execute.ts";
import type { Service } from "../execution/service.ts";
import type { Values } from "../intent.ts";
import { getEntity } from "../plan/context.ts";
import { evaluateForCaller } from "../plan/input/initial-values.ts";
import { emptyValue, missingFields, parseInput } from "../plan/input/parse-input.ts";
import { SIGN_IN_CLAUSE } from "../plan/write/account-change.ts";
import { type Invitation, planAccountCreation, type UsedLink } from "../plan/write/account-creation.ts";
import { type Refusal, type RefusalAt, refuseAt } from "../refusal.ts";
import { hashPassword } from "../util/password-hash.ts";
import { newId } from "../util/uuid.ts";
import { type AccountWords, isWeak } from "../util/weak-passwords.ts";

export interface NewPerson {
  readonly name: string;
  readonly email: string;
  readonly roles: readonly string[];
  /** Absent for people who cannot sign in with a password. */
  readonly password?: string;
  /** Other fields of the person. */
  readonly more?: Values;
}

/** How the person is created: through a link, by invitation, or by the program itself. */
export interface PersonOrigin {
  readonly link?: UsedLink;
  readonly by?: Principal;
  readonly invitation?: Invitation;
  /** Fields that must have a value here, although they are optional in the entity. */
  readonly required?: readonly string[];
  /** Errors of the request that were found before, to report with the others. */
  readonly wrong?: readonly RefusalAt[];
  /**
   * False if the rules of the document do not apply, as for the first administrator, who only enters a name and an
   * address.
   */
  readonly isChecked?: boolean;
}

/**
 * Creates a person: a User record with its audit line and the effects of creating it, and a password hash or an
 * invitation, which are stored separately.
 */
export const createPerson = async (
  service: Service,
  person: NewPerson,
  now: Date,
  { link, by = anonymousPrincipal, invitation, required = [], wrong: known = [], isChecked = true }: PersonOrigin = {},
): Promise<string | Refusal> => {
  const { context } = service;
  const entity = getEntity(context, "User");
  const open = new Set([...entity.fields.keys()].filter((name) => !isAutomatic(entity, name)));
  const input = parseInput(
    entity,
    { ...person.more, name: person.name, email: person.email },
    { open, known: open },
    SIGN_IN_CLAUSE,
    service.format,
  );
  const caller = service.caller(by, now);
  const values = new Map(input.values);
  for (const field of entity.fields.values())
    if (!values.has(field.name) && field.storage.as === "column")
      values.set(field.name, field.default === null ? emptyValue(field) : evaluateForCaller(field.default, caller));
  const wrong: RefusalAt[] = [
    ...input.closed,
    ...input.wrong.filter(({ at }) => !known.some((error) => error.at === at)),
    ...missingFields(
      entity,
      entity.fields.keys(),
      (name) =>
        (values.get(name) ?? null) !== null ||
        isGenerated(entity.fields.get(name)) ||
        input.wrong.some((error) => error.at === `/${name}`),
    ),
  ];
  for (const name of required) {
    const field = entity.fields.get(name);
    const value = values.get(name) ?? null;
    const isMissing = value === null || (Array.isArray(value) && value.length === 0);
    if (field !== undefined && isMissing && !wrong.some(({ at }) => at === `/${name}`))
      wrong.push({ ...requiredRefusal(field), values: { field: field.title } });
  }
  wrong.push(...known);
  if (person.password !== undefined) wrong.push(...(await passwordFaults(service.model, person.password, person)));
  if (wrong.length > 0) return refuseAt(wrong);

  const id = newId(now);
  const password = person.password === undefined ? null : await hashPassword(person.password);
  const outcome = await execute(
    service.database,
    planAccountCreation(
      context,
      {
        id,
        values,
        sentFields: [...input.values.keys()],
        roles: person.roles,
        password,
        ...(link === undefined ? {} : { link }),
        ...(invitation === undefined ? {} : { invitation }),
      },
      caller,
      service.format,
      isChecked,
    ),
  );
  return outcome.kind === "refusal" ? outcome : id;
};

/** Validates a chosen password. */
export const passwordFaults = async (
  { limits }: Pick<Model, "limits">,
  password: string,
  words: AccountWords,
): Promise<readonly RefusalAt[]> => {
  const fault = (code: string, values: RefusalAt["values"]): readonly RefusalAt[] => [
    { at: "/password", code, clause: SIGN_IN_CLAUSE, values },
  ];
  const length = [...password].length;
  const { least, most } = limits.passwordLength;
  if (length < least || length > most) return fault("PASSWORD_LENGTH", { min: String(least), max: String(most) });
  return (await isWeak(password, words)) ? fault("PASSWORD_WEAK", {}) : [];
};

/** The error of a new password that is the current one. */
export const unchangedPassword: RefusalAt = {
  at: "/password",
  code: "PASSWORD_UNCHANGED",
  clause: SIGN_IN_CLAUSE,
  values: {},
};

/** True if an active administrator exists. */
export const hasAdministrator = async (service: Service): Promise<boolean> =>
  (
    await service.database.query({
      text: `select 1 from app."user" where roles @> array[$1] and active limit 1`,
      values: [ADMINISTRATOR],
    })
  ).length > 0;
