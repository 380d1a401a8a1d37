import { andList, commaList, type Message, type MessageValue, quoted, say } from "../../i18n/message.ts";
import type { Effect } from "../../model/effect.ts";
import type { Entity, Reminder } from "../../model/entity.ts";
import { toTitle } from "../../model/inflection.ts";
import { findReminderName } from "../../model/write-actions.ts";
import { type ComparedLine, createLine, findChangedKeys } from "../compared-line.ts";
import type { Comparison } from "../comparison.ts";
import { hasSameMeaning, toMeaningKey } from "../meaning.ts";

/** Lines about what follows a write: records, transitions, notifications and calls to other programs (point 4). */
export const compareEffects = (comparison: Comparison, before: Entity, after: Entity): readonly ComparedLine[] => {
  const actions = [...new Set([...after.after.keys(), ...before.after.keys()])];
  return actions.flatMap((action) => {
    const former = before.after.get(action) ?? [];
    const now = after.after.get(action) ?? [];
    const pairs = pairEffects(former, now);
    const when = actionWords(comparison, after, action);
    const isMoved = !hasSameMeaning(findMoment(before, action), findMoment(after, action));
    const line = (
      effect: ComparedLine["effect"],
      message: Message,
      one: Effect | undefined,
      other: Effect | undefined,
    ): ComparedLine =>
      createLine({ point: 4, subject: `${after.name}.${action}`, effect, message }, { before: one, after: other });
    const lines = now.flatMap((effect) => {
      const old = pairs.get(effect);
      if (old === undefined)
        return [line("adds", say("effect.added", { when, does: does(comparison, effect) }), undefined, effect)];
      if (toEffectKey(old) === toEffectKey(effect) && !isMoved) return [];
      return [
        {
          ...line(
            "changes",
            say("effect.changed", {
              when,
              does:
                findRecipients(comparison, old, effect) === undefined
                  ? does(comparison, effect)
                  : say("does.notify", {}),
              how: describeChange(comparison, old, effect, isMoved),
            }),
            old,
            effect,
          ),
          // The program that is called may need a member that it no longer gets, as it may need a call that is removed.
          loses: compareSent(old, effect).removed.length > 0 ? ("compatibility" as const) : null,
        },
      ];
    });
    const counterparts = new Set(pairs.values());
    const moved = findMoved(former, now, pairs);
    return [
      ...lines,
      ...former
        .filter((effect) => !counterparts.has(effect))
        .map((effect) => ({
          ...line("removes", say("effect.removed", { when, does: does(comparison, effect) }), effect, undefined),
          loses: effect.kind === "call" ? ("compatibility" as const) : null,
        })),
      ...(moved === undefined
        ? []
        : [
            {
              ...line("changes", say("effect.order", { when }), pairs.get(moved), moved),
              // A later effect reads what an earlier one wrote. Messages are only sent in another order.
              certainty: now.some(isWrite) ? ("possible" as const) : ("decided" as const),
            },
          ]),
    ];
  });
};

/** The moment of a reminder; undefined for other actions. */
const findMoment = ({ reminders }: Entity, action: string): Reminder["on"] | undefined =>
  [...reminders.values()].find((reminder) => reminder.action === action)?.on;

/** The earlier version of each effect: an equal one, otherwise one that does this to the same kind of record. */
const pairEffects = (former: readonly Effect[], now: readonly Effect[]): ReadonlyMap<Effect, Effect> => {
  const pairs = new Map<Effect, Effect>();
  const left = [...former];
  for (const getKey of [toEffectKey, getTarget])
    for (const effect of now) {
      const at = pairs.has(effect) ? -1 : left.findIndex((candidate) => getKey(candidate) === getKey(effect));
      const [old] = at < 0 ? [] : left.splice(at, 1);
      if (old !== undefined) pairs.set(effect, old);
    }
  return pairs;
};

/** The first effect that now comes after one that it came before; undefined if the order is as before. */
const findMoved = (
  former: readonly Effect[],
  now: readonly Effect[],
  pairs: ReadonlyMap<Effect, Effect>,
): Effect | undefined => {
  let last = -1;
  return now.find((effect) => {
    const old = pairs.get(effect);
    const at = old === undefined ? last : former.indexOf(old);
    const isBefore = at < last;
    last = Math.max(last, at);
    return isBefore;
  });
};

/** The order of the fields by which a record is found does not matter. */
const toEffectKey = (effect: Effect): string =>
  toMeaningKey(effect.kind === "put" ? { ...effect, key: effect.key.toSorted() } : effect);

/** True if an effect writes records. */
const isWrite = ({ kind }: Effect): boolean => kind !== "notify" && kind !== "call" && kind !== "chat";

/** "After “Hand over” of loans" */
const actionWords = ({ words }: Comparison, entity: Entity, action: string): Message => {
  const many = words.many(entity);
  if (action === "create") return say("when.create", { many });
  if (action === "update") return say("when.update", { many });
  if (action === "delete") return say("when.delete", { many });
  const reminder = findReminderName(action);
  if (reminder !== undefined) return say("when.reminder", { reminder: quoted(toTitle(reminder)), many });
  return say("when.transition", { transition: words.transition(entity, action), many });
};

/** Two effects are matched as versions of one effect if they do this to the same kind of record. */
const getTarget = (effect: Effect): string => {
  switch (effect.kind) {
    case "notify":
      return "notify";
    case "call":
    case "chat":
      return `call ${effect.call}`;
    case "make":
      return `make ${effect.entity} ${effect.transition}`;
    default:
      return `${effect.kind} ${effect.entity}`;
  }
};

const does = ({ before, after, words }: Comparison, effect: Effect): Message => {
  if (effect.kind === "notify") {
    const to = words.noun(effect.to);
    return to === undefined ? say("does.notify", {}) : say("does.notify.to", { to });
  }
  if (effect.kind === "call") return say("does.call", { call: effect.call });
  if (effect.kind === "chat") return say("does.chat", { call: effect.call });
  const entity = after.entities.get(effect.entity) ?? before.entities.get(effect.entity);
  const many = entity === undefined ? effect.entity : words.many(entity);
  switch (effect.kind) {
    case "create":
      return say("does.create", { many });
    case "put":
      return say("does.put", { many });
    case "update":
      return say("does.update", { many });
    case "delete":
      return say("does.delete", { many });
    case "make":
      return say("does.make", {
        transition: entity === undefined ? effect.transition : words.transition(entity, effect.transition),
        many,
      });
  }
};

const memberWords: {
  readonly [member: string]: "how.each" | "how.when" | "how.to" | "how.text" | "how.attaches" | "how.key";
} = {
  each: "how.each",
  when: "how.when",
  to: "how.to",
  text: "how.text",
  message: "how.text",
  attaches: "how.attaches",
  of: "how.each",
  key: "how.key",
};

/** The recipients before and now, if they are others and both have a short name. */
const findRecipients = ({ words }: Comparison, before: Effect, after: Effect): Message | undefined => {
  if (before.kind !== "notify" || after.kind !== "notify") return undefined;
  if (toMeaningKey(before.to) === toMeaningKey(after.to)) return undefined;
  const [was, now] = [words.noun(before.to), words.noun(after.to)];
  return was === undefined || now === undefined ? undefined : say("how.to.now", { now, before: was });
};

const describeChange = (comparison: Comparison, before: Effect, after: Effect, isMoved: boolean): MessageValue => {
  const [one, other] = [Object.entries(before), new Map<string, unknown>(Object.entries(after))];
  const members = one.flatMap(([name, value]) =>
    name === "clause" || name === "message" || toMeaningKey(value) === toMeaningKey(other.get(name)) ? [] : [name],
  );
  const parts = members.map((name): readonly [string, MessageValue] => {
    const recipients = name === "to" ? findRecipients(comparison, before, after) : undefined;
    if (recipients !== undefined) return [name, recipients];
    const id = memberWords[name];
    if (id !== undefined) return [id, say(id, {})];
    if (name === "sends") return [name, describeSent(compareSent(before, after))];
    const names = changedValues(comparison, before, after);
    return [name, names === undefined ? name : say("how.values", { names })];
  });
  const moment: readonly (readonly [string, MessageValue])[] = isMoved ? [["on", say("how.moment", {})]] : [];
  return commaList([...new Map([...moment, ...parts]).values()]);
};

/** The members of a call to another program that are new, gone, or have other values. */
interface SentMembers {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

const compareSent = (before: Effect, after: Effect): SentMembers => {
  if (before.kind !== "call" || after.kind !== "call") return { added: [], removed: [], changed: [] };
  const names = findChangedKeys(before.sends, after.sends);
  return {
    added: names.filter((name) => !before.sends.has(name)),
    removed: names.filter((name) => !after.sends.has(name)),
    changed: names.filter((name) => before.sends.has(name) && after.sends.has(name)),
  };
};

/** "with different values of amount, without net" */
const describeSent = ({ added, removed, changed }: SentMembers): MessageValue =>
  commaList(
    (["how.values", "how.values.added", "how.values.removed"] as const).flatMap((id, i) => {
      const names = [changed, added, removed][i] ?? [];
      return names.length === 0 ? [] : [say(id, { names: andList(names) })];
    }),
  );

/** The fields that an effect sets differently. */
const changedValues = (
  { before: { entities }, words, after: later }: Comparison,
  before: Effect,
  after: Effect,
): MessageValue | undefined => {
  if (!("set" in before) || !("set" in after)) return undefined;
  const entity = later.entities.get(after.entity) ?? entities.get(after.entity);
  const names = findChangedKeys(before.set, after.set);
  return entity === undefined ? andList(names) : words.fields(entity, names);
};
