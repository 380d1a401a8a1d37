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

/** So many people are named; of more, all but the last ones. */
const MOST_NAMED = 3;

/** The names of those whom an effect concerns. */
export const useFollowNames = () => {
  const { say, show } = useWords();
  const listNames = ({ kind, field, several, what }: FollowJson, records: readonly RecordJson[]): readonly string[] => {
    if (kind === "create" && several !== true) return [say("follows.one", { what })];
    const values = field === undefined ? [] : records.map((record) => getValue(record, field));
    if (values.length === 0 || values.includes(undefined)) return [what];
    // An empty recipient field notifies nobody.
    if (values.every((value) => value === null)) return [];
    const people = values.flat().flatMap((item) => (isReference(item) ? [item.label] : []));
    return people.length > 0 ? people : [what];
  };
  const listSome = (names: readonly string[]): string => {
    const all = [...new Set(names)];
    if (all.length <= MOST_NAMED) return show.list(all);
    const named = all.slice(0, MOST_NAMED - 1);
    return show.list([...named, say("bulk.left.more", { count: all.length - named.length })]);
  };
  return { listNames, listSome };
};

/**
 * The effects of a transition of some records in one line; null if there are none. People are named, unless a record has not
 * loaded the field that names them: then they are called by what they are. With `done`, what followed from it: only
 * unconditional effects, because the conditions of the others are not known.
 */
export const useEffectsPreview = () => {
  const { say } = useWords();
  const { listNames, listSome } = useFollowNames();
  const { person } = useApplication();
  return (transition: TransitionJson, records: readonly RecordJson[], done = false): string | null => {
    const { follows = [] } = transition;
    const sentencesByEffect = Object.entries(sentences).flatMap(([effect, [before, after]]) => {
      const id = done ? after : before;
      if (id === null || !isTold(effect as Effect, person)) return [];
      const of = follows.filter((follow) => toEffect(follow, done) === effect);
      const always = of.filter(({ when }) => when === undefined);
      const originOf = ({ from }: FollowJson) => (done ? undefined : from);
      const together = [...new Set(always.map(originOf))].map((from) => ({
        from,
        names: always.filter((follow) => originOf(follow) === from).flatMap((follow) => listNames(follow, records)),
      }));
      const perhaps = done ? [] : of.filter(({ when }) => when !== undefined);
      return [
        ...together.flatMap(({ from, names }) =>
          names.length === 0 ? [] : [say(id, { from, what: listSome(names) })],
        ),
        ...perhaps.flatMap((follow) => {
          const names = listNames(follow, records);
          const { when: condition, from } = follow;
          return names.length === 0
            ? []
            : [say(id, { from, what: say("follows.if", { what: listSome(names), condition }) })];
        }),
      ];
    });
    return sentencesByEffect.length === 0 ? null : sentencesByEffect.join(" ");
  };
};
