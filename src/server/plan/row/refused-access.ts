import {
  holdsPermittedRole,
  permissionRulesFor,
  transitionRulesFor,
} from "../../../core/derive/authorization/grants.ts";
import {
  denialSentence,
  type KnowableParts,
  permissionSentence,
  transitionSentence,
} from "../../../core/explain/who-may.ts";
import type { Entity, Transition } from "../../../core/model/entity.ts";
import type { Model } from "../../../core/model/model.ts";
import type { Action } from "../../../core/model/permissions.ts";
import type { Caller } from "../context.ts";

type Reader = Pick<Caller, "principal" | "phrases">;

interface OnRecord {
  /** True if the reader sees the record that is the reason. */
  readonly here?: boolean;
  /** The parts of conditions that the reader can know. */
  readonly knows?: KnowableParts;
}

/** Why the caller cannot do this with a record: who can, or that this record is the reason. */
export const refusedAction = (
  model: Model,
  { principal, phrases }: Reader,
  entity: Entity,
  action: Action,
  { here = false, knows }: OnRecord = {},
): string =>
  holdsPermittedRole(model, permissionRulesFor(entity, action), principal)
    ? denialSentence(phrases, entity, action)
    : permissionSentence(phrases, entity, action, here, knows);

/** Why the caller cannot make a transition of a record: who can, or that this record is the reason. */
export const refusedTransition = (
  model: Model,
  { principal, phrases }: Reader,
  entity: Entity,
  transition: Transition,
  { here = false, knows }: OnRecord = {},
): string =>
  holdsPermittedRole(model, transitionRulesFor(entity, transition), principal)
    ? phrases.sentences.notNow(phrases.say(transition.title))
    : transitionSentence(phrases, entity, transition, here, knows);
