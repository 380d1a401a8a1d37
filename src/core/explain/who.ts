import type { Action, Entity, Transition } from "../model/model.ts";
import { titleOf } from "../model/words.ts";
import type { Tongue } from "./tongue.ts";

/** An entity in running text, as far as a language has its own way of writing nouns. */
const thingOf = ({ language, say }: Tongue, { called }: Entity): string => {
  const said = say(called.one);
  return language === "de" && said === called.one ? titleOf(said) : said;
};

/** Who may, in a sentence: "Only the member can change a loan." */
export const whoMay = (tongue: Tongue, entity: Entity, action: Action): string => {
  const thing = thingOf(tongue, entity);
  if (entity.rows !== null && action !== "read") return tongue.sentences.whoMay(action, thing, [], true);
  if (entity.permissions === null) return tongue.sentences.undecided(action, thing, "administrators");
  if (entity.permissions.silent.has(action)) return tongue.sentences.undecided(action, thing, "nobody");
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
export const whoMayMake = ({ sentences, say }: Tongue, { title: own, by }: Transition): string => {
  const title = say(own);
  if (by === null) return sentences.undecidedTransition(title);
  return by.length === 0 ? sentences.byItself(title) : sentences.whoMayMake(title, by);
};

/** "“Take back” is for a loan that is “Lent”; this one is “Asked”." `state`: null where it may not be told. */
export const otherState = (tongue: Tongue, entity: Entity, transition: Transition, state: string | null): string => {
  const named = (name: string): string =>
    tongue.named(tongue.say(entity.states?.states.find((one) => one.name === name)?.title ?? name));
  return tongue.sentences.otherState(
    tongue.say(transition.title),
    thingOf(tongue, entity),
    transition.from.map(named),
    state === null ? null : named(state),
  );
};

/** Roles in the document's words: "employee or chief". Null where there are none. */
export const rolesThat = (tongue: Tongue, roles: readonly string[]): string | null =>
  roles.length === 0 ? null : tongue.or([...new Set(roles)].map(tongue.role));
