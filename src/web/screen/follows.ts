import type { FollowJson, RecordJson, TransitionJson } from "../../core/wire.ts";
import { isReference } from "../client/entered.ts";
import { valueIn } from "../client/values.ts";
import { useWords } from "../words/words.tsx";

const kinds = ["tell", "create", "change", "delete", "move", "call"] as const satisfies readonly FollowJson["kind"][];

/** What comes of a transition on a record, in one line; null where nothing does. `certain`: what comes in any case alone. */
export const useFollows = () => {
  const { say, show } = useWords();
  const what = (one: FollowJson, record: RecordJson): readonly string[] => {
    const value = one.field === undefined ? undefined : valueIn(record, one.field);
    // Nobody stands there, and nobody is told.
    if (value === null) return [];
    const people = [value ?? []].flat().flatMap((who) => (isReference(who) ? [who.label] : []));
    const named = people.length > 0 ? show.list(people) : one.what;
    return [one.when === undefined ? named : say("follows.if", { what: named, condition: one.when })];
  };
  return (transition: TransitionJson, record: RecordJson, certain = false): string | null => {
    const follows = (transition.follows ?? []).filter(({ when }) => !certain || when === undefined);
    const said = kinds.flatMap((kind) => {
      const these = follows.filter((one) => one.kind === kind).flatMap((one) => what(one, record));
      return these.length === 0 ? [] : [say(`follows.${kind}`, { what: show.list([...new Set(these)]) })];
    });
    return said.length === 0 ? null : said.join(" ");
  };
};
