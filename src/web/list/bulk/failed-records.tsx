import type { EntityJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { type ActOutcome, isChangedMeanwhile } from "../../actions/for-each.ts";
import { toFailure } from "../../api/api-error.ts";
import { useApplication } from "../../app/app-context.tsx";
import { shortenLabel } from "../../format/record-summary.ts";
import { useWords } from "../../i18n/words.tsx";
import { recordAddress } from "../../routing/routes.ts";
import { Icon } from "../../ui/icon.tsx";
import { Link } from "../../ui/link.tsx";
import { useFailureWords } from "../../ui/page/problem-note.tsx";
import { WhySentence } from "../../ui/page/why-sentence.tsx";
import { groupByReason } from "./group-by-reason.ts";

/** Up to this number, records are named at once. */
const FEW = 5;

interface RecordNamesProps {
  readonly records: readonly RecordJson[];
  readonly entity: EntityJson;
  /** The words above the names; by default how many records they are. */
  readonly words?: string;
  /** Called when a link to a record is followed. Without it, names are no links. */
  readonly onOpen?: () => void;
}

/** The name of one record; of several, how many they are, and their names: of many, only when opened. */
export const RecordNames = ({ records, entity, words, onOpen }: RecordNamesProps) => {
  const { say, show } = useWords();
  const [only, another] = records;
  const nameOf = (record: RecordJson) => <RecordName record={record} entity={entity} {...(onOpen && { onOpen })} />;
  if (only !== undefined && another === undefined) {
    if (words === undefined) return <b>{nameOf(only)}</b>;
    const label = shortenLabel(entity, only, show);
    if (label !== undefined && words.includes(label)) return <b>{words}</b>;
  }
  const names = (
    <ul>
      {records.map((record) => (
        <li key={record.id} className="bulk-name">
          {nameOf(record)}
        </li>
      ))}
    </ul>
  );
  if (words === undefined && onOpen !== undefined && records.length <= FEW)
    return <div className="bulk-names">{names}</div>;
  return (
    <details className="bulk-names">
      <summary>
        <b>{words ?? say("bulk.things", { count: records.length, thing: entity.one, things: entity.many })}</b>
      </summary>
      {names}
    </details>
  );
};

const RecordName = ({
  record,
  entity,
  onOpen,
}: Pick<RecordNamesProps, "entity" | "onOpen"> & { record: RecordJson }) => {
  const { screens } = useApplication();
  const { show } = useWords();
  const name = <bdi>{shortenLabel(entity, record, show) ?? entity.one}</bdi>;
  const address = onOpen === undefined ? null : recordAddress(screens, entity.name, record.id);
  return address === null ? (
    name
  ) : (
    <Link className="link" href={address} onClick={onOpen}>
      {name}
    </Link>
  );
};

/** The records for which an act failed, by reason, as items of a list. */
export const FailedRecords = ({
  outcomes,
  entity,
  onOpen,
}: Pick<RecordNamesProps, "entity" | "onOpen"> & { outcomes: readonly ActOutcome<RecordJson, unknown>[] }) => {
  const { say } = useWords();
  const sentence = useFailureWords();
  const changed = outcomes.filter(isChangedMeanwhile).length;
  const failed = outcomes.flatMap(({ record, failed: thrown }) => {
    if (thrown === null) return [];
    const failure = toFailure(thrown);
    return [
      {
        record,
        // There is nothing to reload: the list has loaded them again.
        words: isChangedMeanwhile({ failed: thrown })
          ? say("bulk.changed.meanwhile", { count: changed })
          : sentence(failure),
        clause: failure.kind === "refused" ? failure.problem.clause : undefined,
      },
    ];
  });
  return groupByReason(failed).map(({ words, clause, records }) => (
    <li key={`${words} ${clause}`} data-failed>
      <Icon name="alert" />
      <div>
        <RecordNames records={records} entity={entity} {...(onOpen && { onOpen })} />
        <div className="bulk-failure">
          <WhySentence words={words} clause={clause} />
        </div>
      </div>
    </li>
  ));
};
