import type { WordId } from "../../core/i18n/catalogue.ts";
import type { FollowJson, TransitionJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { isReference } from "../format/input-value.ts";
import { getValue } from "../format/record-values.ts";
import { useWords } from "../i18n/words.tsx";

type Effect = FollowJson["kind"] | "waits";

/** In order of display: before the transition, and after it. */
const sentences = {
  tell: ["follows.tell", "followed.tell"],
  create: ["follows.create", "followed.create"],
  change: ["follows.change", "followed.change"],
  delete: ["follows.delete", "followed.delete"],
  move: ["follows.move", "followed.move"],
  call: ["follows.call", "followed.call"],
  waits: ["follows.call.waits", "follows.call.waits"],
} as const satisfies { readonly [kind in Effect]: readonly [before: WordId, after: WordId] };

const toEffect = ({ kind, waits }: FollowJson): Effect => (waits === true ? "waits" : kind);

/**
 * The effects of a transition in one line; null if there are none. With `done`, what followed from it: only unconditional
 * effects, because the conditions of the others are not known.
 */
export const useEffectsPreview = () => {
  const { say, show } = useWords();
  const listNames = (one: FollowJson, record: RecordJson): readonly string[] => {
    const value = one.field === undefined ? undefined : getValue(record, one.field);
    // An empty recipient field notifies nobody.
    if (value === null) return [];
    const people = [value ?? []].flat().flatMap((one) => (isReference(one) ? [one.label] : []));
    return people.length > 0 ? people : [one.what];
  };
  return (transition: TransitionJson, record: RecordJson, done = false): string | null => {
    const { follows = [] } = transition;
    const sentencesByEffect = Object.entries(sentences).flatMap(([effect, [before, after]]) => {
      const id = done ? after : before;
      const of = follows.filter((one) => toEffect(one) === effect);
      const always = of.filter(({ when }) => when === undefined).flatMap((one) => listNames(one, record));
      const perhaps = done ? [] : of.filter(({ when }) => when !== undefined);
      return [
        ...(always.length === 0 ? [] : [say(id, { what: show.list([...new Set(always)]) })]),
        ...perhaps.flatMap((one) => {
          const names = listNames(one, record);
          const { when: condition } = one;
          return names.length === 0
            ? []
            : [say(id, { what: say("follows.if", { what: show.list(names), condition }) })];
        }),
      ];
    });
    return sentencesByEffect.length === 0 ? null : sentencesByEffect.join(" ");
  };
};
