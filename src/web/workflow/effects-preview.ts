import type { WordId } from "../../core/i18n/catalogue.ts";
import type { PersonJson } from "../../core/wire/application.ts";
import type { FollowJson, TransitionJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { useApplication } from "../app/app-context.tsx";
import { getValue } from "../format/record-values.ts";
import { isReference } from "../format/value-shapes.ts";
import { useWords } from "../i18n/words.tsx";

type Effect = FollowJson["kind"] | "waits" | "add";

/** Only administrators can do something about a call that waits for an address. */
const isTold = (effect: Effect, person: PersonJson | null): boolean =>
  effect !== "waits" || person?.administrator === true;

/** In order of display: before the transition, and after it. */
const sentences = {
  tell: ["follows.tell", "followed.tell"],
  // A new record with a value that the transition asks for. Afterwards, it is one like the others.
  add: ["follows.add", null],
  create: ["follows.create", "followed.create"],
  change: ["follows.change", "followed.change"],
  delete: ["follows.delete", "followed.delete"],
  move: ["follows.move", "followed.move"],
  call: ["follows.call", "followed.call"],
  // Afterwards, nothing has happened yet.
  waits: ["follows.call.waits", null],
} as const satisfies { readonly [kind in Effect]: readonly [before: WordId, after: WordId | null] };

const toEffect = ({ kind, waits, from }: FollowJson, done: boolean): Effect =>
  waits === true ? "waits" : from === undefined || done ? kind : "add";

/**
 * The effects of a transition in one line; null if there are none. Of several records (`record` is null), people are called
 * by what they are, because each record has its own. With `done`, what followed from it: only unconditional
 * effects, because the conditions of the others are not known.
 */
export const useEffectsPreview = () => {
  const { say, show } = useWords();
  const { person } = useApplication();
  const listNames = (follow: FollowJson, record: RecordJson | null): readonly string[] => {
    const value = follow.field === undefined || record === null ? undefined : getValue(record, follow.field);
    if (follow.kind === "create" && follow.several !== true) return [say("follows.one", { what: follow.what })];
    // An empty recipient field notifies nobody.
    if (value === null) return [];
    const people = [value ?? []].flat().flatMap((item) => (isReference(item) ? [item.label] : []));
    return people.length > 0 ? people : [follow.what];
  };
  return (transition: TransitionJson, record: RecordJson | null, done = false): string | null => {
    const { follows = [] } = transition;
    const sentencesByEffect = Object.entries(sentences).flatMap(([effect, [before, after]]) => {
      const id = done ? after : before;
      if (id === null || !isTold(effect as Effect, person)) return [];
      const of = follows.filter((follow) => toEffect(follow, done) === effect);
      const always = of.filter(({ when }) => when === undefined);
      const originOf = ({ from }: FollowJson) => (done ? undefined : from);
      const together = [...new Set(always.map(originOf))].map((from) => ({
        from,
        names: always.filter((follow) => originOf(follow) === from).flatMap((follow) => listNames(follow, record)),
      }));
      const perhaps = done ? [] : of.filter(({ when }) => when !== undefined);
      return [
        ...together.flatMap(({ from, names }) =>
          names.length === 0 ? [] : [say(id, { from, what: show.list([...new Set(names)]) })],
        ),
        ...perhaps.flatMap((follow) => {
          const names = listNames(follow, record);
          const { when: condition, from } = follow;
          return names.length === 0
            ? []
            : [say(id, { from, what: say("follows.if", { what: show.list(names), condition }) })];
        }),
      ];
    });
    return sentencesByEffect.length === 0 ? null : sentencesByEffect.join(" ");
  };
};
