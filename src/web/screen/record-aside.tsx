import { useQuery } from "@tanstack/react-query";
import type { EntityJson, HistoryLine, RecordJson } from "../../core/wire.ts";
import { failureOf } from "../client/failure.ts";
import { keys } from "../client/queries.ts";
import { followingOf, pathOf } from "../client/standing.ts";
import { Shown } from "../field/shown.tsx";
import { Clause } from "../part/clause.tsx";
import { useClient } from "../part/context.tsx";
import { Icon } from "../part/icon.tsx";
import { Bone, FailedRegion } from "../part/region.tsx";
import { StateMark, StateWord } from "../part/state-mark.tsx";
import { useWords } from "../words/words.tsx";
import { NextStates } from "./next-states.tsx";

interface AsideProps {
  readonly entity: EntityJson;
  readonly record: RecordJson;
  /** Whether the document shows the history here. */
  readonly history: boolean;
}

/** Where the record stands, and what happened to it. */
export const RecordAside = ({ entity, record, history }: AsideProps) => {
  const { calls } = useClient();
  const { say } = useWords();
  const query = useQuery({
    queryKey: keys.history(entity.calls, record.id),
    queryFn: ({ signal }) => calls.history(entity.calls, record.id, signal),
    enabled: history,
  });
  const lines = query.data?.items ?? [];
  const failure = query.error ? failureOf(query.error) : query.failureReason ? failureOf(query.failureReason) : null;
  if (entity.states === null && !history) return null;

  return (
    <aside className="aside">
      {entity.states && (
        <section>
          <h2>{say("standing.title")}</h2>
          <Standing entity={entity} record={record} lines={lines} />
        </section>
      )}
      {history && (
        <section aria-busy={query.isFetching}>
          <h2>{say("history.title")}</h2>
          {query.isPending ? (
            failure ? (
              <FailedRegion failure={failure} retry={() => void query.refetch()} />
            ) : (
              <div className="history-bones">
                <p className="hidden-words">{say("loading")}</p>
                <Bone width="70%" />
                <Bone width="50%" />
              </div>
            )
          ) : query.isError && failure ? (
            <FailedRegion failure={failure} retry={() => void query.refetch()} />
          ) : lines.length === 0 ? (
            <p className="small-words">{say("history.empty")}</p>
          ) : (
            <History entity={entity} lines={lines} />
          )}
        </section>
      )}
    </aside>
  );
};

const Standing = ({
  entity,
  record,
  lines,
}: {
  entity: EntityJson;
  record: RecordJson;
  lines: readonly HistoryLine[];
}) => {
  const { say, show } = useWords();
  const path = pathOf(entity, record, lines);
  const now = path.at(-1);
  const following = now ? followingOf(entity, now.state.name, record.may?.transitions ?? []) : [];
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
                  : say("standing.itself", { day: show.dayOf(at) })}
              </p>
            )}
          </div>
        </li>
      ))}
      <NextStates following={following} />
    </ol>
  );
};

const History = ({ entity, lines }: { entity: EntityJson; lines: readonly HistoryLine[] }) => {
  const { say } = useWords();
  const versions = [...new Set(lines.map(({ document }) => document))];
  const [only] = versions;
  return (
    <>
      <ol className="history">
        {lines.map((line) => (
          <HistoryEntry key={`${line.at} ${line.action}`} entity={entity} line={line} several={versions.length > 1} />
        ))}
      </ol>
      {versions.length === 1 && only !== undefined && (
        <p className="small-words history-version">{say("history.version.all", { version: only })}</p>
      )}
    </>
  );
};

const HistoryEntry = ({ entity, line, several }: { entity: EntityJson; line: HistoryLine; several: boolean }) => {
  const { rich, say, show } = useWords();
  const states = entity.states;
  const transition = states?.transitions.find(({ name }) => name === line.action);
  const isState = (field: string) => field === states?.field;
  const changes =
    line.action === "create" ? [] : line.changes.filter(({ field }) => !isState(field) || transition === undefined);
  const moved = transition ? line.changes.find(({ field }) => isState(field)) : undefined;
  const stateNamed = (name: unknown) => states?.states.find((state) => state.name === name);
  const [before, after] = [stateNamed(moved?.before), stateNamed(moved?.after)];
  const who = <bdi>{line.person?.label}</bdi>;

  return (
    <li>
      <div>
        <p>
          {transition
            ? line.person
              ? rich("history.transition", { person: who, transition: <b>{transition.label}</b> })
              : rich("history.transition.itself", { transition: <b>{transition.label}</b> })
            : line.person
              ? rich(knownAction(line.action), { person: who })
              : say("history.itself")}
        </p>
        {before && after && (
          <p className="history-move">
            <StateWord state={before} />
            <Icon name="to" size={13} />
            <span className="hidden-words">{say("history.became")}</span>
            <StateWord state={after} />
          </p>
        )}
        {changes.map(({ field: name, before: was, after: is }) => {
          const field = entity.fields.find((one) => one.name === name);
          return field ? (
            <p key={name} className="history-change">
              <span className="history-field">{field.label}</span>
              {was !== null && (
                <del>
                  <Shown field={field} value={was} cell={field.type !== "long text"} />
                </del>
              )}
              <span className="history-now">
                {was !== null && (
                  <>
                    <Icon name="to" size={13} />
                    <span className="hidden-words">{say("history.became")}</span>
                  </>
                )}
                <ins>
                  <Shown field={field} value={is} cell={field.type !== "long text"} />
                  {is === null && <span className="none">{say("value.none")}</span>}
                </ins>
              </span>
            </p>
          ) : null;
        })}
        <p className="small-words history-when">
          <time dateTime={line.at}>{show.moment(line.at)}</time>
          <Clause of={line.clause} />
          {several && <span>{say("history.version", { version: line.document })}</span>}
        </p>
      </div>
    </li>
  );
};

const knownAction = (action: string) =>
  action === "create" ? "history.create" : action === "delete" ? "history.delete" : "history.update";
