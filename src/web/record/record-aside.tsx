import { useEffect } from "react";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { HistoryLine } from "../../core/wire/history.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { toFailureOf } from "../api/api-error.ts";
import { useLocale } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { lazyComponent, PageNotLoaded } from "../ui/page/lazy.tsx";
import { FailedRegion, SkeletonLine } from "../ui/page/region-status.tsx";
import { StateMark } from "../ui/state-mark.tsx";
import { NextStates } from "../workflow/next-states.tsx";
import { buildStatePath, nextStates } from "../workflow/workflow.ts";
import "./record-history.css";
import { LoadingBoundary } from "../util/loading-boundary.tsx";
import { useHistory } from "./use-unseen-changes.ts";

const loadHistory = () => import("./record-history.tsx");
const History = lazyComponent(loadHistory, PageNotLoaded);

interface AsideProps {
  readonly entity: EntityJson;
  readonly record: RecordJson;
  /** True if the document shows the history here. */
  readonly history: boolean;
  /** The lines that are new to the user. */
  readonly fresh: readonly HistoryLine[];
}

/** The state of a record and its history. */
export const RecordAside = ({ entity, record, history, fresh }: AsideProps) => {
  const { say } = useWords();
  const query = useHistory(entity, record.id, history);
  const lines = query.data?.items ?? [];
  const failure = toFailureOf(query);
  // Its code arrives beside its lines, not after them. A failure is shown where it is rendered.
  useEffect(() => {
    if (history) loadHistory().catch(() => undefined);
  }, [history]);
  if (entity.states === null && !history) return null;
  // The path through states needs the history: wait for it, so that nothing moves.
  if (history && query.isPending && failure === null)
    return (
      <aside className="aside" aria-busy="true">
        <section>
          <h2>{say(entity.states ? "standing.title" : "history.title")}</h2>
          <HistoryBones />
        </section>
      </aside>
    );

  return (
    <aside className="aside">
      {entity.states && (
        <section>
          <h2>{say("standing.title")}</h2>
          <StateSection entity={entity} record={record} lines={lines} />
        </section>
      )}
      {history && (
        <section aria-busy={query.isFetching}>
          <h2>{say("history.title")}</h2>
          {query.data === undefined && failure ? (
            <FailedRegion failure={failure} retry={() => void query.refetch()} />
          ) : lines.length === 0 ? (
            <p className="small-words">{say("history.empty")}</p>
          ) : (
            <LoadingBoundary fallback={<HistoryBones />}>
              <History entity={entity} record={record.id} lines={lines} fresh={fresh} />
            </LoadingBoundary>
          )}
        </section>
      )}
    </aside>
  );
};

const HistoryBones = () => {
  const { say } = useWords();
  return (
    <div className="history-bones">
      <p className="hidden-words">{say("loading")}</p>
      <SkeletonLine width="70%" />
      <SkeletonLine width="50%" />
    </div>
  );
};

const StateSection = ({
  entity,
  record,
  lines,
}: {
  entity: EntityJson;
  record: RecordJson;
  lines: readonly HistoryLine[];
}) => {
  const { say, show } = useWords();
  const { today } = useLocale();
  const path = buildStatePath(entity, record, lines);
  return (
    <ol className="path">
      {path.map(({ state, at, person }, index) => (
        <li key={`${state.name} ${at ?? index}`} aria-current={index === path.length - 1 ? "step" : undefined}>
          <StateMark mark={state.mark} />
          <div>
            <b>{state.label}</b>
            {at !== null && (
              <p className="small-words">
                {person
                  ? say("standing.by", { person: person.label, day: show.dayOf(at) })
                  : person === null
                    ? say("standing.itself", { day: show.dayOf(at) })
                    : show.dayOf(at)}
              </p>
            )}
          </div>
        </li>
      ))}
      <NextStates following={nextStates(entity, record, today)} />
    </ol>
  );
};
