import { isNarrowerBound, limitsCharacters } from "../../../derive/sql/field-bounds.ts";
import { alternatives, type MessageValue, quoted, say } from "../../../i18n/message.ts";
import type { Field } from "../../../model/field.ts";
import { toValueTitle } from "../../../model/inflection.ts";
import { type ComparedLine, withDifference } from "../../compared-line.ts";
import { compareConditions } from "../../conditions.ts";
import { hasSameMeaning } from "../../meaning.ts";
import { isReordered } from "../screen-order.ts";
import type { ComparedField } from "./compared-field.ts";

/** Lines about the values of a choice. */
export const compareValues = ({ line, name, before, after }: ComparedField): readonly ComparedLine[] => {
  if (after.type !== "choice" || before.type !== "choice") return [];
  const added = after.values.filter((value) => !before.values.includes(value));
  const removed = before.values.filter((value) => !after.values.includes(value));
  const list = (values: readonly string[]): MessageValue =>
    alternatives(values.map((value) => quoted(toValueTitle(value))));
  const witness = (value: string | undefined) => ({ role: null, record: { [after.name]: value ?? "" } });
  return [
    ...(added.length === 0
      ? []
      : [line("allows", say("field.values.added", { ...name, names: list(added) }), { witness: witness(added[0]) })]),
    ...(removed.length === 0
      ? []
      : [
          line("forbids", say("field.values.removed", { ...name, names: list(removed) }), {
            // A record that has it needs `was`, so that nothing is retired.
            loses: "access",
            witness: witness(removed[0]),
          }),
        ]),
    ...(isReordered(before.values, after.values) ? [line("changes", say("field.values.order", name))] : []),
  ];
};

/** Lines about merged values (`was`). A value that is only renamed gives none. */
export const compareMerged = ({
  line,
  name,
  comparison: { former },
  before,
  after,
}: ComparedField): readonly ComparedLine[] => {
  if (after.type !== "choice" || before.type !== "choice") return [];
  const [, entity = "", field = ""] = before.clause.id.split(".");
  const own = former.entities.get(entity)?.fields.get(field)?.values ?? [];
  return findMerged(own, before.values).map(({ now, names }) =>
    line(
      "forbids",
      say("field.values.merged", {
        ...name,
        names: alternatives(names.map((value) => quoted(toValueTitle(value)))),
        now: quoted(toValueTitle(now)),
      }),
      {
        loses: "data",
        witness: { role: null, record: { [after.name]: names[0] ?? "" } },
      },
    ),
  );
};

/** The values that are merged under one later name, by that name. `later`: the later name of each. */
export const findMerged = (
  values: readonly string[],
  later: readonly string[],
): readonly { readonly now: string; readonly names: readonly string[] }[] =>
  [...new Set(later.filter((now, i) => later.indexOf(now) !== i))].map((now) => ({
    now,
    names: values.filter((value, i) => later[i] === now && value !== now),
  }));

/** Lines about `min` or `max`. */
export const compareBound = (
  { line, name, before, after }: ComparedField,
  bound: "min" | "max",
): readonly ComparedLine[] => {
  const [one, other] = [before[bound], after[bound]];
  if (one === other) return [];
  const characters = limitsCharacters(after);
  const message =
    other === null
      ? say("field.bound.removed", { ...name, bound: one ?? "", characters })
      : one === null
        ? say("field.bound.added", { ...name, which: bound, bound: other, characters })
        : say("field.bound.changed", { ...name, which: bound, bound: other, characters, before: one });
  if (one === null) return [line("forbids", message)];
  if (other === null) return [line("allows", message)];
  if (limitsCharacters(before) !== characters) return [line("changes", message)];
  return [line(isNarrowerBound(after, bound, other, one) ? "forbids" : "allows", message)];
};

/** True if a bound of a field excludes values that it allowed before. */
export const hasNarrowerBound = (before: Field, after: Field): boolean =>
  (["min", "max"] as const).some(
    (which) => before[which] !== after[which] && isNarrowerBound(after, which, after[which], before[which]),
  );

/** Lines about the list from which a value is chosen; a field without one accepts every value. */
export const compareAmong = ({ line, name, comparison, before, after }: ComparedField): readonly ComparedLine[] => {
  // One value and several have different conditions, also if they are among the same records.
  if (before.many !== after.many && hasSameMeaning(before.among?.list, after.among?.list)) return [];
  if (hasSameMeaning(before.among, after.among)) return [];
  const { wider, narrower } = compareConditions(comparison, before.among?.holds ?? null, after.among?.holds ?? null);
  return [
    ...(wider === undefined ? [] : [withDifference(line("allows", say("field.among.more", name)), wider)]),
    ...(narrower === undefined ? [] : [withDifference(line("forbids", say("field.among.fewer", name)), narrower)]),
  ];
};

/** Lines about the condition under which a value is required; a missing condition never holds. */
export const compareRequired = ({ line, name, comparison, before, after }: ComparedField): readonly ComparedLine[] => {
  if (hasSameMeaning(before.needed, after.needed) || before.optional !== after.optional) return [];
  const { earlier, later, findDifference } = comparison;
  const [one, other] = [
    before.needed === null ? null : earlier(before.needed.holds),
    after.needed === null ? null : later(after.needed.holds),
  ];
  const more = other === null ? undefined : findDifference([other], one === null ? [] : [[one]]);
  const fewer = one === null ? undefined : findDifference([one], other === null ? [] : [[other]]);
  return [
    ...(fewer === undefined ? [] : [withDifference(line("allows", say("field.needed.fewer", name)), fewer)]),
    ...(more === undefined ? [] : [withDifference(line("forbids", say("field.needed.more", name)), more)]),
  ];
};
