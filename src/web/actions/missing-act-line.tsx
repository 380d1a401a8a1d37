import type { EntityJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { useWords } from "../i18n/words.tsx";
import { RefusedLine } from "../permissions/explain-button.tsx";
import {
  findMissingAct,
  listActsInstead,
  listTransitionActs,
  type RecordAct,
  sayWhyMissing,
} from "../workflow/record-acts.ts";

interface MissingActLineProps {
  readonly entity: EntityJson;
  readonly record: RecordJson;
  /** False below the locked button, which names the act already. */
  readonly isNamed?: boolean;
  readonly perform: (act: RecordAct) => void;
}

/** Says in the words of the rule why the expected act is locked, or missing; nothing if none is refused. */
export const MissingActLine = ({ entity, record, isNamed = true, perform }: MissingActLineProps) => {
  const { say } = useWords();
  const act = findMissingAct(entity, record);
  return (
    act && (
      <RefusedLine
        label={act.label}
        words={isNamed ? sayWhyMissing(act, act.refused, say) : act.refused.because}
        why={act.refused}
        question={{ what: `${entity.name}.${act.transition.name}`, record: record.id }}
        instead={{ acts: listActsInstead(listTransitionActs(entity, record), act), perform }}
      />
    )
  );
};
