import type { EntityJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import type { ActOutcome } from "../../actions/for-each.ts";
import { toFailure } from "../../api/api-error.ts";
import { useWords } from "../../i18n/words.tsx";
import { Icon } from "../../ui/icon.tsx";
import { WhySentence } from "../../ui/overlay/why-sentence.tsx";
import { useFailureWords } from "../../ui/page/problem-note.tsx";
import { groupByReason } from "./group-by-reason.ts";

/** The name of one record; of several, how many they are, and their names when opened. */
export const RecordNames = ({ records, entity }: { records: readonly RecordJson[]; entity: EntityJson }) => {
  const { say } = useWords();
  const names = records.map(({ id, _label }) => ({ id, name: <bdi>{_label ?? entity.one}</bdi> }));
  if (names.length === 1) return <b>{names[0]?.name}</b>;
  return (
    <details className="bulk-names">
      <summary>
        <b>{say("bulk.things", { count: names.length, thing: entity.one, things: entity.many })}</b>
      </summary>
      <ul>
        {names.map(({ id, name }) => (
          <li key={id} className="bulk-name">
            {name}
          </li>
        ))}
      </ul>
    </details>
  );
};

/** The records for which an act failed, by reason, as items of a list. */
export const FailedRecords = ({
  outcomes,
  entity,
}: {
  outcomes: readonly ActOutcome<RecordJson, unknown>[];
  entity: EntityJson;
}) => {
  const sentence = useFailureWords();
  const failed = outcomes.flatMap(({ record, failed: thrown }) => {
    if (thrown === null) return [];
    const failure = toFailure(thrown);
    return [
      { record, words: sentence(failure), clause: failure.kind === "refused" ? failure.problem.clause : undefined },
    ];
  });
  return groupByReason(failed).map(({ words, clause, records }) => (
    <li key={`${words} ${clause}`} data-failed>
      <Icon name="alert" />
      <div>
        <RecordNames records={records} entity={entity} />
        <div className="bulk-failure">
          <WhySentence words={words} clause={clause} />
        </div>
      </div>
    </li>
  ));
};
