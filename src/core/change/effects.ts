import type { Effect, Entity } from "../model/model.ts";
import { type ComparedLine, createLine } from "./compared-line.ts";
import type { Comparison } from "./comparison.ts";
import { meaningOf } from "./meaning.ts";

/** Lines about what follows a write: records, transitions, notifications and calls to other programs (point 4). */
export const compareEffects = (comparison: Comparison, before: Entity, after: Entity): readonly ComparedLine[] => {
  const moments = [...new Set([...after.after.keys(), ...before.after.keys()])];
  return moments.flatMap((moment) => {
    const left = [...(before.after.get(moment) ?? [])];
    const others = (after.after.get(moment) ?? []).filter((effect) => {
      const at = left.findIndex((one) => meaningOf(one) === meaningOf(effect));
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
    const when = momentWords(comparison, after, moment);
    const line = (
      effect: ComparedLine["effect"],
      text: string,
      one: Effect | undefined,
      other: Effect | undefined,
    ): ComparedLine =>
      createLine({ point: 4, subject: `${after.name}.${moment}`, effect, text }, { before: one, after: other });
    const lines = others.map((effect) => {
      const at = left.findIndex((one) => targetOf(one) === targetOf(effect));
      const [old] = at < 0 ? [] : left.splice(at, 1);
      if (old === undefined)
        return line("adds", `${when}, the program now ${does(comparison, effect)}.`, undefined, effect);
      return line(
        "changes",
        `${when}, the program ${does(comparison, effect)} differently: ${changed(old, effect)}.`,
        old,
        effect,
      );
    });
    return [
      ...lines,
      ...left.map((effect) =>
        line("removes", `${when}, the program no longer ${does(comparison, effect)}.`, effect, undefined),
      ),
    ];
  });
};

/** "After “Hand over” of loans" */
const momentWords = ({ words }: Comparison, entity: Entity, moment: string): string => {
  if (moment === "create") return `When one of the ${words.many(entity)} is created`;
  if (moment === "update") return `When one of the ${words.many(entity)} is changed`;
  if (moment === "delete") return `When one of the ${words.many(entity)} is deleted`;
  return `After ${words.transition(entity, moment)} of ${words.many(entity)}`;
};

/** An effect is the same one, changed, if it does this to the same kind of thing. */
const targetOf = (effect: Effect): string => {
  switch (effect.kind) {
    case "notify":
      return "notify";
    case "call":
      return `call ${effect.call}`;
    case "make":
      return `make ${effect.entity} ${effect.transition}`;
    default:
      return `${effect.kind} ${effect.entity}`;
  }
};

const does = ({ before, after, words }: Comparison, effect: Effect): string => {
  if (effect.kind === "notify") return "notifies people";
  if (effect.kind === "call") return `makes the call ${effect.call}`;
  const entity = after.entities.get(effect.entity) ?? before.entities.get(effect.entity);
  const many = entity === undefined ? effect.entity : words.many(entity);
  switch (effect.kind) {
    case "create":
      return `creates ${many}`;
    case "put":
      return `creates or changes ${many}`;
    case "update":
      return `changes ${many}`;
    case "delete":
      return `deletes ${many}`;
    case "make":
      return `makes the transition ${entity === undefined ? effect.transition : words.transition(entity, effect.transition)} of ${many}`;
  }
};

const memberWords: { readonly [member: string]: string } = {
  each: "for other records",
  when: "on another condition",
  to: "to other people",
  text: "with another text",
  message: "with another text",
  sends: "with other values",
  set: "with other values",
  of: "for other records",
  key: "found by other fields",
};

const changed = (before: Effect, after: Effect): string => {
  const [one, other] = [Object.entries(before), new Map<string, unknown>(Object.entries(after))];
  const members = one.flatMap(([name, value]) =>
    name === "clause" || meaningOf(value) === meaningOf(other.get(name)) ? [] : [memberWords[name] ?? name],
  );
  return [...new Set(members)].join(", ");
};
