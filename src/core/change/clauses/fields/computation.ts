import { differsFrom } from "../../../expression/boolean-exprs.ts";
import { andList, type Message, say } from "../../../i18n/message.ts";
import { computedExpr, type Field } from "../../../model/field.ts";
import { type ComparedLine, withDifference } from "../../compared-line.ts";
import { compareConditions } from "../../conditions.ts";
import { hasSameMeaning } from "../../meaning.ts";
import type { ComparedField } from "./compared-field.ts";

/** Lines about a computed value. */
export const compareComputed = ({ line, name, comparison, before, after }: ComparedField): readonly ComparedLine[] => {
  const [one, other] = [computedExpr(before), computedExpr(after)];
  if (one === null && other !== null)
    return [
      line("changes", say("field.computed", name), {
        loses: before.storage.as === "column" ? "data" : null,
      }),
    ];
  if (one !== null && other === null) return [line("changes", say("field.not.computed", name))];
  if (one === null || other === null) {
    if (hasSameMeaning(before.storage, after.storage)) return [];
    return [line("changes", say("field.lists", name), { certainty: "possible" })];
  }
  if (hasSameMeaning(one, other)) return [];
  if (after.ruleType.kind !== "boolean" || before.ruleType.kind !== "boolean") {
    const differently = line("changes", say("field.computed.differently", name), { certainty: "possible" });
    if (before.ruleType.kind !== after.ruleType.kind || !isCompared(after.ruleType)) return [differently];
    const { earlier, later, findDifference } = comparison;
    const difference = findDifference([differsFrom(earlier(one), later(other))], []);
    return difference === undefined ? [] : [withDifference(differently, difference)];
  }
  const { wider, narrower } = compareConditions(comparison, one, other);
  return [
    ...(wider === undefined ? [] : [withDifference(line("changes", say("field.yes.more", name)), wider)]),
    ...(narrower === undefined ? [] : [withDifference(line("changes", say("field.yes.fewer", name)), narrower)]),
  ];
};

/** Lines about the actions on which a value is computed. */
export const compareComputation = ({
  line,
  name,
  comparison: { words },
  entity,
  before,
  after,
}: ComparedField): readonly ComparedLine[] => {
  if (computedExpr(before) === null || computedExpr(after) === null) return [];
  const computationWords = ({ storage }: Field): Message => {
    if (storage.as !== "stored") return say("kept.always", {});
    if (storage.until === null) return say("kept.write", {});
    const fields = andList(storage.until.fields.map((field) => words.field(entity, field)));
    const transitions = andList(storage.until.transitions.map((transition) => words.transition(entity, transition)));
    if (storage.until.transitions.length === 0)
      return storage.until.fields.length === 0 ? say("kept.good", {}) : say("kept.fields", { fields });
    return storage.until.fields.length === 0
      ? say("kept.transitions", { transitions })
      : say("kept.both", { fields, transitions });
  };
  const sorted = ({ storage }: Field) =>
    storage.as === "stored" && storage.until !== null
      ? [storage.until.fields.toSorted(), storage.until.transitions.toSorted()]
      : storage.as === "stored";
  if (hasSameMeaning(sorted(before), sorted(after))) return [];
  return [
    line("changes", say("field.kept", { ...name, now: computationWords(after), before: computationWords(before) })),
  ];
};

/** True for types whose values an expression can compare for equality. */
const isCompared = ({ kind }: Field["ruleType"]): boolean => !["list", "file", "json", "unknown"].includes(kind);
