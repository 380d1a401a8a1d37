import type { WordId } from "../../core/i18n/catalogue.ts";
import type { FollowJson, TransitionJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { isReference } from "../format/input-value.ts";
import { valueIn } from "../format/record-values.ts";
import { useWords } from "../i18n/words.tsx";

/** In order of display. */
const sentences = {
  tell: "follows.tell",
  create: "follows.create",
  change: "follows.change",
  delete: "follows.delete",
  move: "follows.move",
  call: "follows.call",
  waits: "follows.call.waits",
} as const satisfies { readonly [kind in FollowJson["kind"] | "waits"]: WordId };

const sentenceFor = ({ kind, waits }: FollowJson): WordId => sentences[waits === true ? "waits" : kind];

/** The effects of a transition in one line; null if there are none. `certain`: only unconditional effects. */
export const useFollows = () => {
  const { say, show } = useWords();
  const namesOf = (one: FollowJson, record: RecordJson): readonly string[] => {
    const value = one.field === undefined ? undefined : valueIn(record, one.field);
    // An empty recipient field notifies nobody.
    if (value === null) return [];
    const people = [value ?? []].flat().flatMap((who) => (isReference(who) ? [who.label] : []));
    return people.length > 0 ? people : [one.what];
  };
  return (transition: TransitionJson, record: RecordJson, certain = false): string | null => {
    const { follows = [] } = transition;
    const said = Object.values(sentences).flatMap((id) => {
      const of = follows.filter((one) => sentenceFor(one) === id);
      const always = of.filter(({ when }) => when === undefined).flatMap((one) => namesOf(one, record));
      const perhaps = certain ? [] : of.filter(({ when }) => when !== undefined);
      return [
        ...(always.length === 0 ? [] : [say(id, { what: show.list([...new Set(always)]) })]),
        ...perhaps.flatMap((one) => {
          const names = namesOf(one, record);
          const { when: condition } = one;
          return names.length === 0
            ? []
            : [say(id, { what: say("follows.if", { what: show.list(names), condition }) })];
        }),
      ];
    });
    return said.length === 0 ? null : said.join(" ");
  };
};
