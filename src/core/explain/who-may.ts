import type { Expr } from "../expression/expr.ts";
import { type Action, ADMINISTRATOR, type Entity, type Transition } from "../model/model.ts";
import type { Tongue } from "./language.ts";
import { conjunctsOf, holdersOf, statesIn } from "./role-holders.ts";
import type { Thing } from "./sentences.ts";

/** An entity as a language speaks of its records: of one, of several, or of the one at hand. */
export const thingOf = ({ noun, say }: Tongue, { called }: Entity, here = false): Thing => {
  const words = (text: string): string => noun(say(text), text);
  return { one: words(called.one), many: words(called.many), here };
};

/** A clause that lets somebody through: a role, the condition under which it is held on the record, and what is asked besides. */
export interface Opening {
  readonly role: string;
  readonly held: Expr | null;
  readonly when: Expr | null;
}

/** Whom a clause lets through, as far as it may be told: whose it is on the record, their names, and in which states. */
export interface Through {
  readonly who: string;
  readonly names: readonly string[];
  readonly states: readonly string[] | null;
}

/** What whoever is told knows of a clause; without it, they are told its role and nothing more. */
export type Knows = (opening: Opening) => {
  /** Whether they may know its conditions by the names of what they read. */
  readonly condition: boolean;
  readonly state: boolean;
};

/** Whom a clause lets through, in words: "Payroll", "the employee", "the borrower". */
export const throughOf = (tongue: Tongue, entity: Entity, opening: Opening, knows?: Knows): Through => {
  const { role, held, when } = opening;
  const own = when === null ? [] : conjunctsOf(when);
  const known = knows?.(opening) ?? { condition: false, state: false };
  const mine = held === null && known.condition ? own.map(holdersOf).find((people) => people.length > 0) : undefined;
  const [theirs] = mine ?? [];
  const who = (): string => {
    if (held !== null)
      return holdersOf(held).some(({ kind }) => kind === "this")
        ? tongue.oneself
        : tongue.holder(tongue.role(role, entity));
    if (role === ADMINISTRATOR) return tongue.administrator;
    const field = mine?.length === 1 && theirs?.kind === "field" && theirs.of.kind === "this" ? theirs.field.name : "";
    const title = entity.fields.get(field)?.title;
    return title === undefined ? tongue.group(tongue.role(role, entity)) : tongue.holder(tongue.say(title));
  };
  return { who: who(), names: [], states: known.state ? statesOf(tongue, entity, own) : null };
};

/** The states in which it is open, where nothing else than who somebody is stands beside them. */
const statesOf = (tongue: Tongue, entity: Entity, conditions: readonly Expr[]): readonly string[] | null => {
  const [first, ...others] = conditions.filter((one) => holdersOf(one).length === 0);
  const states = first === undefined || others.length > 0 ? undefined : statesIn(entity, first);
  return states?.map((name) => stateNamed(tongue, entity, name)) ?? null;
};

const stateNamed = (tongue: Tongue, { states }: Entity, name: string): string =>
  tongue.named(tongue.say(states?.states.find((one) => one.name === name)?.title ?? name));

/**
 * All that may come through, as phrases of one sentence: "the employee, Jonas Weber,"; "the employee (Jonas Weber)", "Payroll".
 * What holds for each of them is said at its end: "and only while it is “Draft”".
 */
export const allThrough = (
  tongue: Tongue,
  throughs: readonly Through[],
): { readonly who: readonly string[]; readonly only: string | null } => {
  const met = new Map<string, Through[]>();
  for (const one of throughs) met.set(one.who, [...(met.get(one.who) ?? []), one]);
  const each = [...met].map(([who, several]): Through => {
    const states = several.flatMap((one) => one.states ?? []);
    return {
      who,
      names: [...new Set(several.flatMap(({ names }) => names))],
      states: several.every((one) => one.states !== null) ? [...new Set(states)] : null,
    };
  });
  const cases = each.map(({ states }) => (states === null ? null : tongue.inStates(states)));
  const shared = new Set(cases).size === 1 ? (cases[0] ?? null) : null;
  const alone = each.length === 1;
  return {
    only: shared,
    who: each.map(({ who, names }, i) => {
      const own = shared === null ? (cases[i] ?? null) : null;
      return tongue.through(who, names.length > 0 ? tongue.or(names) : null, own, alone);
    }),
  };
};

/** Who may, in a sentence: "Only a member can change a loan." */
export const whoMay = (tongue: Tongue, entity: Entity, action: Action, here = false, knows?: Knows): string => {
  const { sentences } = tongue;
  const thing = thingOf(tongue, entity, here);
  if (entity.rows !== null && action !== "read") return sentences.followsFromOthers(action, thing);
  if (entity.permissions === null) return sentences.undecided(action, thing, "administrators");
  if (entity.permissions.silent.has(action)) return sentences.undecided(action, thing, "nobody");
  const throughs = entity.permissions.actions[action].map((one) => throughOf(tongue, entity, one, knows));
  return onlyThese(tongue, entity, action, thing, throughs);
};

/** "Only the employee, Jonas Weber, can change this request." Accounts are no records like others: people are invited. */
export const onlyThese = (
  tongue: Tongue,
  { name }: Entity,
  action: Action,
  thing: Thing,
  throughs: readonly Through[],
): string => {
  const { who, only } = allThrough(tongue, throughs);
  if (who.length === 0 && name === "User" && (action === "create" || action === "delete"))
    return tongue.sentences.accounts[action];
  return tongue.sentences.whoMay(action, thing, who, only);
};

/** To somebody who may on other records: "You cannot delete this loan at the moment." */
export const notThis = (tongue: Tongue, entity: Entity, action: Action): string =>
  tongue.sentences.notThis(action, thingOf(tongue, entity));

/** "Only a keeper can hand over this loan." */
export const whoMayMake = (
  tongue: Tongue,
  entity: Entity,
  transition: Transition,
  here = false,
  knows?: Knows,
): string => {
  const { sentences, say } = tongue;
  const title = say(transition.title);
  if (transition.by === null) return sentences.undecidedTransition(title);
  if (transition.by.length === 0) return sentences.byItself(title);
  const throughs = transition.by.map((role) =>
    throughOf(
      tongue,
      entity,
      { role, held: entity.roles.get(role)?.condition ?? null, when: transition.conditions.get(role) ?? null },
      knows,
    ),
  );
  const { who, only } = allThrough(tongue, throughs);
  return sentences.whoMayMake(title, thingOf(tongue, entity, here), who, only);
};

/** "“Take back” is for a loan that is “Lent”; this one is “Asked”." `state`: null where it may not be told. */
export const otherState = (tongue: Tongue, entity: Entity, transition: Transition, state: string | null): string =>
  tongue.sentences.otherState(
    tongue.say(transition.title),
    thingOf(tongue, entity),
    transition.from.map((name) => stateNamed(tongue, entity, name)),
    state === null ? null : stateNamed(tongue, entity, state),
  );

/** "You can change a request while it is “Draft”; this one is “Granted”." */
export const otherStateFor = (
  tongue: Tongue,
  entity: Entity,
  action: Action,
  states: readonly string[],
  { state, who }: { readonly state: string; readonly who: string | null },
): string =>
  tongue.sentences.otherStateFor(
    action,
    thingOf(tongue, entity),
    states.map((name) => stateNamed(tongue, entity, name)),
    { is: stateNamed(tongue, entity, state), who },
  );

/**
 * "Stops can be added to a trip while it is “Booked”; this one is “Out”." `ways`: what has to hold of the record to which
 * they are added; `state`: the one that it is in, null where it may not be told.
 */
export const notAdded = (
  tongue: Tongue,
  added: Entity,
  to: Entity,
  ways: readonly (readonly Expr[])[],
  state: string | null,
): string => {
  const each = ways.map((way) => way.flatMap(conjunctsOf).flatMap((one) => statesIn(to, one) ?? []));
  const are = each.some((names) => names.length === 0) ? [] : [...new Set(each.flat())];
  const isOther = state !== null && are.length > 0 && !are.includes(state);
  return tongue.sentences.notAdded(
    thingOf(tongue, added),
    thingOf(tongue, to),
    isOther ? { are: are.map((name) => stateNamed(tongue, to, name)), is: stateNamed(tongue, to, state) } : null,
  );
};

/** Who is meant by roles that are held everywhere: "an agent or Payroll". Null where there are none. */
export const rolesThat = (tongue: Tongue, roles: readonly string[]): string | null =>
  roles.length === 0 ? null : tongue.or(groupsOf(tongue, roles));

/** The same, one by one. */
export const groupsOf = (tongue: Tongue, roles: readonly string[]): readonly string[] => [
  ...new Set(roles.map((role) => groupOf(tongue, role))),
];

export const groupOf = (tongue: Tongue, role: string, entity: Entity | null = null): string =>
  role === ADMINISTRATOR ? tongue.administrator : tongue.group(tongue.role(role, entity));
