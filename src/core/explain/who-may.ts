import { splitConjuncts } from "../expression/boolean-exprs.ts";
import type { Expr } from "../expression/expr.ts";
import type { Entity, Transition } from "../model/entity.ts";
import { type Action, ADMINISTRATOR } from "../model/permissions.ts";
import type { Phrases } from "./language.ts";
import { findHolders, findStatesIn } from "./role-holders.ts";
import type { EntityNoun } from "./sentences.ts";

/** An entity's name in the reader's language. */
export const entityNoun = ({ noun, say }: Phrases, { called }: Entity, here = false): EntityNoun => {
  const words = (text: string): string => noun(say(text), text);
  return { one: words(called.one), many: words(called.many), here };
};

/** A permission clause: a role, the condition under which it is held on the record, and a further condition. */
export interface RoleGrant {
  readonly role: string;
  readonly roleCondition: Expr | null;
  readonly when: Expr | null;
}

/** The persons whom a clause permits, as far as the reader can know: a description, their names, and states. */
export interface Grantees {
  readonly who: string;
  readonly names: readonly string[];
  readonly states: readonly string[] | null;
  /** True for the deputies of people whom another clause permits. */
  readonly isDeputy?: true;
}

/** The parts of a clause that the reader can know. Without it, the reader learns only the role. */
export type KnowableParts = (grant: RoleGrant) => {
  /** True if the reader can know the names of the fields in its conditions. */
  readonly condition: boolean;
  readonly state: boolean;
};

/** The persons whom a clause permits, in words: "Payroll", "the employee", "the borrower". */
export const describeGrantees = (
  phrases: Phrases,
  entity: Entity,
  grant: RoleGrant,
  knows?: KnowableParts,
): Grantees => {
  const { role, roleCondition, when } = grant;
  const own = when === null ? [] : splitConjuncts(when);
  const known = knows?.(grant) ?? { condition: false, state: false };
  const reader =
    roleCondition === null && known.condition ? own.map(findHolders).find((people) => people.length > 0) : undefined;
  const [readers] = reader ?? [];
  const who = (): string => {
    if (roleCondition !== null)
      return findHolders(roleCondition).some(({ kind }) => kind === "this")
        ? phrases.oneself
        : phrases.holder(phrases.role(role, entity));
    if (role === ADMINISTRATOR) return phrases.administrator;
    const field =
      reader?.length === 1 && readers?.kind === "field" && readers.of.kind === "this" ? readers.field.name : "";
    const title = entity.fields.get(field)?.title;
    return title === undefined ? phrases.group(phrases.role(role, entity)) : phrases.holder(phrases.say(title));
  };
  const states = known.state ? findStates(phrases, entity, own) : null;
  return { who: who(), names: [], states, ...(phrases.isDeputy(role, entity) ? { isDeputy: true } : {}) };
};

/** The states of the conditions, if the other conditions only identify persons. */
const findStates = (phrases: Phrases, entity: Entity, conditions: readonly Expr[]): readonly string[] | null => {
  const [first, ...others] = conditions.filter((condition) => findHolders(condition).length === 0);
  const states = first === undefined || others.length > 0 ? undefined : findStatesIn(entity, first);
  return states?.map((name) => stateNamed(phrases, entity, name)) ?? null;
};

const stateNamed = (phrases: Phrases, { states }: Entity, name: string): string =>
  phrases.named(phrases.say(states?.states.find((state) => state.name === name)?.title ?? name));

/** Deputies act in the name of the others, so a sentence names them only if it would name nobody else. */
const withoutDeputies = <T extends Pick<Grantees, "isDeputy">>(all: readonly T[]): readonly T[] => {
  const others = all.filter(({ isDeputy }) => isDeputy !== true);
  return others.length > 0 ? others : all;
};

/**
 * All permitted persons as phrases of one sentence: "the employee, Jonas Weber,"; "the employee (Jonas Weber)",
 * "Payroll". A condition common to all comes last: "and only while it is “Draft”".
 */
export const describeAllGrantees = (
  phrases: Phrases,
  grantees: readonly Grantees[],
): { readonly who: readonly string[]; readonly only: string | null } => {
  const met = new Map<string, Grantees[]>();
  for (const grantee of withoutDeputies(grantees)) met.set(grantee.who, [...(met.get(grantee.who) ?? []), grantee]);
  const each = [...met].map(([who, several]): Grantees => {
    const states = several.flatMap((grantee) => grantee.states ?? []);
    return {
      who,
      names: [...new Set(several.flatMap(({ names }) => names))],
      states: several.every((grantee) => grantee.states !== null) ? [...new Set(states)] : null,
    };
  });
  const cases = each.map(({ states }) => (states === null ? null : phrases.inStates(states)));
  const shared = new Set(cases).size === 1 ? (cases[0] ?? null) : null;
  const alone = each.length === 1;
  return {
    only: shared,
    who: each.map(({ who, names }, i) => {
      const own = shared === null ? (cases[i] ?? null) : null;
      return phrases.through(who, names.length > 0 ? phrases.or(names) : null, own, alone);
    }),
  };
};

/** The sentence on who has a permission: "Only a member can edit a loan." */
export const permissionSentence = (
  phrases: Phrases,
  entity: Entity,
  action: Action,
  here = false,
  knows?: KnowableParts,
): string => {
  const { sentences } = phrases;
  const noun = entityNoun(phrases, entity, here);
  if (entity.rows !== null && action !== "read") return sentences.followsFromOthers(action, noun);
  if (entity.permissions === null) return sentences.undecided(action, noun, "administrators");
  if (entity.permissions.silent.has(action)) return sentences.undecided(action, noun, "nobody");
  const grantees = entity.permissions.actions[action].map((action) => describeGrantees(phrases, entity, action, knows));
  return granteesSentence(phrases, entity, action, noun, grantees);
};

/**
 * "Only the employee, Jonas Weber, can edit this request." Accounts have sentences of their own, because people are
 * invited.
 */
export const granteesSentence = (
  phrases: Phrases,
  { name }: Entity,
  action: Action,
  noun: EntityNoun,
  grantees: readonly Grantees[],
): string => {
  const { who, only } = describeAllGrantees(phrases, grantees);
  if (who.length === 0 && name === "User" && (action === "create" || action === "delete"))
    return phrases.sentences.accounts[action];
  return phrases.sentences.whoMay(action, noun, who, only);
};

/** For a person with the permission on other records: "You can’t delete this loan now." */
export const denialSentence = (phrases: Phrases, entity: Entity, action: Action): string =>
  phrases.sentences.notThis(action, entityNoun(phrases, entity));

/** "Only a keeper can hand over this loan." */
export const transitionSentence = (
  phrases: Phrases,
  entity: Entity,
  transition: Transition,
  here = false,
  knows?: KnowableParts,
): string => {
  const { sentences, say } = phrases;
  const title = say(transition.title);
  if (transition.by === null) return sentences.undecidedTransition(title);
  if (transition.by.length === 0) return sentences.byItself(title);
  const grantees = transition.by.map((role) =>
    describeGrantees(
      phrases,
      entity,
      { role, roleCondition: entity.roles.get(role)?.condition ?? null, when: transition.conditions.get(role) ?? null },
      knows,
    ),
  );
  const { who, only } = describeAllGrantees(phrases, grantees);
  return sentences.whoMayMake(title, entityNoun(phrases, entity, here), who, only);
};

/** "“Take back” is only possible while the loan is “Lent”, not “Asked”." `state`: null if the reader cannot know it. */
export const otherState = (
  phrases: Phrases,
  entity: Entity,
  { title, from }: Pick<Transition, "title" | "from">,
  state: string | null,
): string =>
  phrases.sentences.otherState(
    phrases.say(title),
    entityNoun(phrases, entity),
    from.map((name) => stateNamed(phrases, entity, name)),
    state === null ? null : stateNamed(phrases, entity, state),
  );

/** "You can edit a request only while it is “Draft”, not “Granted”." */
export const otherStateFor = (
  phrases: Phrases,
  entity: Entity,
  action: Action,
  states: readonly string[],
  { state, who }: { readonly state: string; readonly who: string | null },
): string =>
  phrases.sentences.otherStateFor(
    action,
    entityNoun(phrases, entity),
    states.map((name) => stateNamed(phrases, entity, name)),
    { is: stateNamed(phrases, entity, state), who },
  );

/**
 * "Stops can be added to a trip while it is “Booked”, not “Out”." `alternatives`: conditions on the record to
 * which they are added, of which one must hold; `state`: its state, null if the reader cannot know it.
 */
export const explainNotAddable = (
  phrases: Phrases,
  added: Entity,
  to: Entity,
  alternatives: readonly (readonly Expr[])[],
  state: string | null,
): string => {
  const each = alternatives.map((conditions) =>
    conditions.flatMap(splitConjuncts).flatMap((expr) => findStatesIn(to, expr) ?? []),
  );
  const are = each.some((names) => names.length === 0) ? [] : [...new Set(each.flat())];
  const isOther = state !== null && are.length > 0 && !are.includes(state);
  return phrases.sentences.notAdded(
    entityNoun(phrases, added),
    entityNoun(phrases, to),
    isOther ? { are: are.map((name) => stateNamed(phrases, to, name)), is: stateNamed(phrases, to, state) } : null,
  );
};

/** The holders of global roles in words: "an agent or Payroll". Null for no roles. */
export const rolesThat = (phrases: Phrases, roles: readonly string[]): string | null =>
  roles.length === 0 ? null : phrases.or(roleGroupNames(phrases, roles));

/** The holders of global roles in words, as a list. */
export const roleGroupNames = (phrases: Phrases, roles: readonly string[]): readonly string[] => [
  ...new Set(roles.filter((role) => !phrases.isDeputy(role, null)).map((role) => roleGroupName(phrases, role))),
];

export const roleGroupName = (phrases: Phrases, role: string, entity: Entity | null = null): string =>
  role === ADMINISTRATOR ? phrases.administrator : phrases.group(phrases.role(role, entity));
