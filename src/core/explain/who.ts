import { type Action, ADMINISTRATOR, type Entity, type Transition } from "../model/model.ts";
import { titleOf, wordsOf } from "../model/words.ts";
import type { Tongue } from "./tongue.ts";

/** An entity in running text, as far as a language has its own way of writing nouns. */
const thingOf = (tongue: Tongue, entity: Entity): string =>
  tongue.language === "de" ? titleOf(wordsOf(entity.name)) : wordsOf(entity.name);

/** Who may, in a sentence: "Only the member can change a loan." */
export const whoMay = (tongue: Tongue, entity: Entity, action: Action): string => {
  const thing = thingOf(tongue, entity);
  if (entity.permissions === null) return tongue.sentences.undecided(action, thing);
  const open = entity.permissions.actions[action];
  const roles = open.map(({ role }) => role);
  return tongue.sentences.whoMay(
    action,
    thing,
    roles,
    open.every(({ when }) => when !== null),
  );
};

/** To somebody who may on other records: "You cannot delete this loan at the moment." */
export const notThis = (tongue: Tongue, entity: Entity, action: Action): string =>
  tongue.sentences.notThis(action, thingOf(tongue, entity));

/** "“Hand over” is only for the keeper." */
export const whoMayMake = (tongue: Tongue, { title, by }: Transition): string =>
  by === null ? tongue.sentences.undecidedTransition(title) : tongue.sentences.whoMayMake(title, by);

/** "“Take back” is for a loan that is “Lent”; this one is “Asked”." `state`: null where it may not be told. */
export const otherState = (tongue: Tongue, entity: Entity, transition: Transition, state: string | null): string => {
  const named = (name: string): string =>
    tongue.named(entity.states?.states.find((one) => one.name === name)?.title ?? name);
  return tongue.sentences.otherState(
    transition.title,
    thingOf(tongue, entity),
    transition.from.map(named),
    state === null ? null : named(state),
  );
};

/** Roles in the document's words: "employee or chief". Null where there are none. */
export const rolesThat = (tongue: Tongue, roles: readonly string[]): string | null =>
  roles.length === 0 ? null : tongue.or([...new Set(roles)]);

/** The roles that could make it: where nobody decided, administrators. */
export const rolesOf = ({ by }: Pick<Transition, "by">): readonly string[] => by ?? [ADMINISTRATOR];
