import { grantsFor, isAutomatic, permissionRulesFor } from "../../core/derive/authorization/grants.ts";
import { type Expr, subexpressions } from "../../core/expression/expr.ts";
import type { Entity, Transition } from "../../core/model/entity.ts";
import type { Field } from "../../core/model/field.ts";
import type { Model } from "../../core/model/model.ts";
import { ADMINISTRATOR, DEPUTY } from "../../core/model/permissions.ts";
import type { SamplePerson } from "./context.ts";

/** Number of people without a role. */
const PEOPLE_WITHOUT_ROLE = 4;

/** Number of people for a role that references choose from, so that work is spread over several people. */
const CHOSEN_FROM = 3;

/** Number of people for a role whose holders act one beside another, or stand in for each other. */
const SEVERAL = 2;

type People = Pick<Model, "roles" | "entities" | "deputies">;

const listGranted = ({ roles }: Pick<Model, "roles">): readonly string[] =>
  [...roles.values()].filter((role) => role.members === "granted").map((role) => role.name);

/** The roles of the people that a demonstration needs: an administrator, some for each role, and some without a role. */
export const listNeededPeople = (model: People): readonly (readonly string[])[] => {
  const granted = listGranted(model);
  const plain = isOpenToPlainPeople(model)
    ? Array.from({ length: PEOPLE_WITHOUT_ROLE }, (): readonly string[] => [])
    : [];
  // The first person of each role comes first, then those without a role, then colleagues.
  const colleagues = granted.flatMap((role) =>
    Array.from({ length: countHolders(model, role, granted) - 1 }, () => [role]),
  );
  return [[ADMINISTRATOR], ...granted.map((role) => [role]), ...plain, ...colleagues];
};

/** True if somebody without a granted role can read something, by a role that everybody has or that a record gives. */
const isOpenToPlainPeople = ({ roles, entities }: People): boolean => {
  const served = [...entities.values()].filter((entity) => entity.served && entity.name !== DEPUTY);
  const isGiven = (name: string, { roles: onRecords }: Entity): boolean =>
    onRecords.has(name) || ["anyone", "signed in"].includes(roles.get(name)?.members ?? "");
  const isOpen = served.some((entity) => permissionRulesFor(entity, "read").some(({ role }) => isGiven(role, entity)));
  return isOpen || (roles.size > 0 && served.every(({ permissions }) => permissions === null));
};

const countHolders = (model: People, role: string, granted: readonly string[]): number => {
  const entities = [...model.entities.values()];
  const isChosen = entities.some(
    (entity) =>
      entity.name !== DEPUTY &&
      [...entity.fields.values()].some((field) => listRolesOfReference(model, entity, field).includes(role)),
  );
  const makes = entities.some(({ states }) =>
    [...(states?.transitions.values() ?? [])].some(({ by }) => by?.includes(role)),
  );
  const several = isChosen ? CHOSEN_FROM : makes || model.deputies?.roles.has(role) === true ? SEVERAL : 1;
  return Math.max(several, countTogether(entities, role, granted));
};

/** How many holders of a role a transition needs if few roles can make it. */
const countTogether = (entities: readonly Entity[], role: string, granted: readonly string[]): number => {
  const counts = entities
    .flatMap(({ states }) => [...(states?.transitions.values() ?? [])])
    .map(({ needs, by }) => {
      const makers = by ?? [];
      if (needs === undefined || makers[0] !== role || !makers.every((maker) => granted.includes(maker))) return 0;
      const count = needs.count.kind === "constant" ? Number(needs.count.value) : SEVERAL;
      return count - makers.length + 1;
    });
  return Math.max(0, ...counts);
};

/**
 * The granted roles whose holders a reference to a person is meant for: those that its `among` names, those whose holders
 * take a record over (`set: { mechanic: user }`), and the role that it, or the role held by it, is named after.
 */
export const listRolesOfReference = (model: People, entity: Entity, field: Field): readonly string[] => {
  if (field.entity !== "User" || isAutomatic(entity, field.name) || field.set !== null) return [];
  const granted = listGranted(model);
  if (entity.name === DEPUTY) return granted.filter((role) => model.deputies?.roles.has(role));
  const among = field.among === null ? [] : listTexts(field.among.list);
  const taken = [...(entity.states?.transitions.values() ?? [])]
    .filter(({ set }) => set.get(field.name)?.kind === "user")
    .flatMap(({ by }: Transition) => by ?? []);
  const names = [
    field.name,
    ...[...entity.roles.values()].filter(({ condition }) => readsField(condition, field.name)).map(({ name }) => name),
  ];
  const isNamed = (role: string): boolean =>
    names.some((name) => `_${name}_`.match(new RegExp(`_${role}s?_`)) !== null);
  const named = granted.filter((role) => among.includes(role) || taken.includes(role));
  return named.length > 0 ? named : granted.filter(isNamed);
};

const listTexts = (expr: Expr): readonly string[] => [
  ...(expr.kind === "constant" && typeof expr.value === "string" ? [expr.value] : []),
  ...subexpressions(expr).flatMap(listTexts),
];

export const readsField = (expr: Expr, name: string): boolean =>
  (expr.kind === "field" && expr.of.kind === "this" && expr.field.name === name) ||
  subexpressions(expr).some((part) => readsField(part, name));

/**
 * The people whom each reference to a person can plausibly name, by the clause of its field: the holders of the roles that
 * it is meant for, else those who can see its records.
 */
export const findMeantPeople = (
  model: Model,
  people: readonly SamplePerson[],
): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, readonly string[]>();
  for (const entity of model.entities.values())
    for (const field of entity.fields.values()) {
      if (field.entity !== "User") continue;
      const roles = listRolesOfReference(model, entity, field);
      const holders = people.filter(({ granted }) => roles.some((role) => granted.has(role)));
      const readers = people.filter(
        (person) =>
          !(person.granted.has(ADMINISTRATOR) && entity.permissions !== null) &&
          grantsFor(model, entity, "read", person).length > 0,
      );
      const meant = [holders, readers, people].find((some) => some.length > 0) ?? [];
      found.set(
        field.clause.id,
        meant.map(({ id }) => id),
      );
    }
  return found;
};
