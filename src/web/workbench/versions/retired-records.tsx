import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { RetiredItemJson, RetiredSampleJson, RetiredValuesJson } from "../../../core/wire/authoring/retired.ts";
import type { Json } from "../../../core/wire/json.ts";
import { toFailure } from "../../api/api-error.ts";
import { keys } from "../../api/query-keys.ts";
import { useApplication, useClient } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { LinkedRecords } from "../plan/record-list.tsx";
import { RetryNote } from "../plan/retry-note.tsx";

/** The number of records with retired values, which opens the first of them. */
export const RetiredRecords = ({ thing }: { thing: RetiredItemJson }) => {
  const { name, version, records, hasMore } = thing;
  const { calls } = useClient();
  const { say } = useWords();
  const [isOpen, setOpen] = useState(false);
  const sample = useQuery({
    queryKey: keys.retiredSample(name, version),
    queryFn: ({ signal }) => calls.sampleRetired({ name, version }, signal),
    enabled: isOpen,
  });
  return (
    <details className="version-steps retired-records" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{say(hasMore ? "retired.records.more" : "retired.records", { count: records })}</summary>
      {isOpen &&
        (sample.data ? (
          <Sample thing={thing} sample={sample.data} />
        ) : sample.error ? (
          <RetryNote
            title={say("retired.sample.failed")}
            failure={toFailure(sample.error)}
            isBusy={sample.isFetching}
            retry={() => void sample.refetch()}
          />
        ) : (
          <p aria-busy="true">{say("loading")}</p>
        ))}
    </details>
  );
};

const Sample = ({
  thing: { name, entity, field, records: count, hasMore },
  sample: { records, values },
}: {
  thing: RetiredItemJson;
  sample: RetiredSampleJson;
}) => {
  const { say } = useWords();
  const { entities } = useApplication();
  const path = entities[entity]?.calls;
  const describeValue = (id: string): string | undefined => {
    const found = values?.find((one) => one.id === id);
    return found === undefined || field === null ? undefined : `: ${toText(found.values[field] ?? null)}`;
  };
  return (
    <>
      {records !== null && path !== undefined && records.ids.length > 0 ? (
        // Of a number that is not exact, the list does not say how many more there are.
        <LinkedRecords
          records={hasMore ? { ...records, count: records.ids.length } : records}
          path={path}
          isOnlyShown
          after={describeValue}
        />
      ) : (
        values !== null && <ValueTable name={name} values={values} />
      )}
      {records === null && values !== null && !hasMore && count > values.length && (
        <p>{say("plan.misfits.more", { count: count - values.length })}</p>
      )}
      {values === null && (
        <p>{say(field !== null && records === null ? "retired.sample.gone" : "retired.sample.unread", { entity })}</p>
      )}
    </>
  );
};

/** Records of an entity that no screen shows. */
const ValueTable = ({ name, values }: { name: string; values: readonly RetiredValuesJson[] }) => {
  const columns = [...new Set(values.flatMap((record) => Object.keys(record.values)))].filter(
    (column) => !isInternal.has(column),
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls is reached by the keyboard
    <section className="retired-table" aria-label={name} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                <code dir="ltr">{column}</code>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {values.map((record) => (
            <tr key={record.id}>
              {columns.map((column) => (
                <td key={column}>
                  <bdi>{toText(record.values[column] ?? null)}</bdi>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
};

const isInternal: ReadonlySet<string> = new Set(["version", "created_at", "updated_at", "state_since"]);

const toText = (value: Json): string =>
  value === null ? "–" : typeof value === "string" ? value : JSON.stringify(value);
