import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { useLocale } from "../app/app-context.tsx";
import { useCollisionNames } from "../form/colliding-records.tsx";
import { areOverlapping } from "../form/state/collisions.ts";
import { getValue } from "../format/record-values.ts";
import { useWords } from "../i18n/words.tsx";
import { useModuleIf } from "../util/use-module-if.ts";

/** A record that makes another one impossible where it is moved. */
export interface RecordInTheWay {
  readonly id: string;
  /** “Overlaps with Hanna Weber, 1 Dec, 10:00–13:00” */
  readonly words: string;
}

/**
 * Finds the record in the way of another, as it would be: one of those that the calendar shows, by a rule against overlaps
 * of its days. The server still checks every change, also against the others.
 */
export const useInTheWay = (
  entity: EntityJson,
  from: FieldJson,
  shown: readonly RecordJson[],
): ((record: RecordJson) => RecordInTheWay | null) => {
  const { today } = useLocale();
  const { say } = useWords();
  const nameOf = useCollisionNames(entity);
  const rules = entity.overlaps?.filter((rule) => rule.from === from.name) ?? [];
  const evaluator = useModuleIf(rules.length > 0, () => import("../form/state/computed-values.ts"));
  return (record) => {
    for (const rule of evaluator === null ? [] : rules) {
      const meets = (one: RecordJson) => evaluator?.meetsCondition(entity, rule.where, one, today) === true;
      const other = shown.find(
        (one) =>
          one.id !== record.id &&
          areOverlapping(
            rule,
            (name) => getValue(record, name),
            (name) => getValue(one, name),
          ) &&
          meets(one),
      );
      if (other !== undefined && meets(record))
        return { id: other.id, words: say("form.overlaps", { record: nameOf(other, rule) }) };
    }
    return null;
  };
};
