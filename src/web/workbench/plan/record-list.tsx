import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import type { CountedRecords } from "../../../core/wire/authoring/document.ts";
import { keys } from "../../api/query-keys.ts";
import { useApplication, useClient } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Link } from "../../ui/link.tsx";
import { RecordLink } from "../../ui/record-link.tsx";

interface RecordLinks {
  /** True if nobody has to edit these records, so the list does not say which ones the author cannot edit. */
  readonly isOnlyShown?: boolean;
  /** The text that is planned, if the plan lists all its records on a page. */
  readonly text?: PlannedText | undefined;
  /** A link to a record is followed. */
  readonly onFollow?: () => void;
  /** Words after the link to a record. */
  readonly after?: (id: string) => string | undefined;
}

/** The text whose plan counts records: the draft of this device, or the query of a version or a proposal. */
export type PlannedText = "draft" | `version=${number}` | `proposal=${number}`;

const allAddress = (point: string, text: PlannedText): string =>
  `/workbench/records?${new URLSearchParams({ at: point })}${text === "draft" ? "" : `&${text}`}`;

/** Records that a plan counts, or the records that contain them, as a list that is loaded when it is opened. */
export const RecordList = ({ records, text, ...links }: { readonly records: CountedRecords } & RecordLinks) => {
  const { say } = useWords();
  const { entities } = useApplication();
  const [isOpen, setOpen] = useState(false);
  const { inside, count, ids, point } = records;
  const all = point !== undefined && text !== undefined && count > ids.length && (
    <p>
      <Link className="link" href={allAddress(point, text)}>
        {say("plan.records.all", { count })}
      </Link>
    </p>
  );
  const shown = inside?.map((item) => ({ ...item, count: item.ids.length })) ?? [records];
  // The running application may know the entity under another name, or serve no calls for it.
  const lists = shown.flatMap((item) => {
    const path = entities[item.entity]?.calls;
    return path === undefined || item.ids.length === 0 ? [] : [{ records: item, path }];
  });
  if (shown.every((item) => item.ids.length === 0))
    return (
      <>
        <p className="plan-hidden">
          {say(all ? "plan.misfits.hidden.first" : "plan.misfits.hidden", { count })}{" "}
          <Link className="link" href="/workbench/who">
            {say("plan.misfits.permissions")}
          </Link>
        </p>
        {
          // The reader may be able to read later ones.
          all
        }
      </>
    );
  if (lists.length === 0) return null;
  const containing = lists.reduce((sum, list) => sum + list.records.ids.length, 0);
  const first = (
    <details className="plan-misfits" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {inside === undefined
          ? say(all ? "plan.misfits.first" : "plan.misfits", { count: all ? ids.length : count })
          : say("plan.misfits.inside", { count: containing })}
      </summary>
      {isOpen &&
        lists.map(({ records: listed, path }) => (
          <LinkedRecords
            key={listed.entity}
            // The page with all of them says how many there are.
            records={all ? { ...listed, count: listed.ids.length } : listed}
            path={path}
            {...links}
          />
        ))}
      {isOpen && !all && inside !== undefined && count > ids.length && (
        <p>{say("plan.misfits.more.inside", { count: count - ids.length })}</p>
      )}
    </details>
  );
  return all ? (
    <>
      {all}
      {first}
    </>
  ) : (
    first
  );
};

/** Links to records, as far as the reader can read them. */
export const LinkedRecords = ({
  records: { entity, ids, count },
  path,
  isOnlyShown = false,
  onFollow,
  after,
}: { records: CountedRecords; path: string } & RecordLinks) => {
  const { calls } = useClient();
  const { say } = useWords();
  // Each record is read with the permissions of the author.
  const found = useQueries({
    queries: ids.map((id) => ({
      queryKey: keys.record(path, id),
      queryFn: ({ signal }: { signal: AbortSignal }) => calls.record(path, id, signal),
      retry: false,
    })),
  });
  const unread = found.filter(({ error }) => error !== null).length;
  const fixed = isOnlyShown ? 0 : found.filter(({ data }) => data?.may?.update.length === 0).length;
  return (
    <>
      <ul aria-busy={found.some(({ isPending }) => isPending)}>
        {found.map(({ data }, i) => {
          const id = ids[i] ?? "";
          return (
            data !== undefined && (
              <li key={id}>
                <RecordLink entity={entity} id={id} label={data._label ?? id} onClick={onFollow} />
                {after?.(id)}
              </li>
            )
          );
        })}
      </ul>
      {fixed > 0 && (
        <p>
          {say("plan.misfits.fixed", { count: fixed })}{" "}
          <Link className="link" href="/workbench/who">
            {say("plan.misfits.permissions")}
          </Link>
        </p>
      )}
      {unread > 0 && <p>{say("plan.misfits.unread", { count: unread })}</p>}
      {count > ids.length && <p>{say("plan.misfits.more", { count: count - ids.length })}</p>}
    </>
  );
};
