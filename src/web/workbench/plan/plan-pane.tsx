import type { ReactNode } from "react";
import type { PlannedOpenPoint } from "../../../core/change/plan.ts";
import { REPLAY_DAYS } from "../../../core/change/replay/bounds.ts";
import type { DefaultTexts } from "../../../core/i18n/catalogue.ts";
import { type Failure, toFailure } from "../../api/api-error.ts";
import { useClient, useStore } from "../../app/app-context.tsx";
import { findDefaultText, useDefaultTexts } from "../../i18n/default-texts.ts";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Progress, RegionNote } from "../../ui/page/region-status.tsx";
import { LoadingBoundary } from "../../util/loading-boundary.tsx";
import { OpenMark } from "../marks.tsx";
import { points } from "../point-titles.ts";
import { type ClausePlaces, ComparedBehaviour } from "./behaviour-lines.tsx";
import { DataChanges, type WriteMissing } from "./data-changes.tsx";
import { ReplayLines } from "./replay-lines.tsx";
import { RetryNote } from "./retry-note.tsx";
import type { SuggestedRename, TextComparison } from "./text-comparison.ts";
import type { ComparisonState } from "./use-comparison.ts";
import { useErrorUntilAnswer } from "./use-error-until-answer.ts";
import type { usePlannedData } from "./use-planned-data.ts";
import type { useDraftReplay } from "./use-replay.ts";

interface PlanProps {
  readonly changed: boolean;
  /** Number of errors in the draft. */
  readonly errors: number;
  /** True if the draft was another text without errors before, whose plan is shown until it has none again. */
  readonly hasEarlier: boolean;
  /** The newest comparison without errors. */
  readonly compared: ComparisonState;
  readonly data: ReturnType<typeof usePlannedData>;
  readonly replay: ReturnType<typeof useDraftReplay>;
  readonly places: Omit<ClausePlaces, "clauses">;
  readonly onErrors: () => void;
  /** Writes a suggested renaming. Absent where the text cannot be changed, like `onWrite`. */
  readonly onRename: ((rename: SuggestedRename) => void) | undefined;
  readonly onWrite: WriteMissing | undefined;
  /** Begins the answer to an open point. Absent where the text cannot be changed. */
  readonly onAnswer: ((point: number) => void) | undefined;
}

/** The plan of a draft, beside its text: behaviour, stored data, open points, recent changes. */
export const PlanPane = ({
  changed,
  errors,
  hasEarlier,
  compared,
  data,
  replay,
  places,
  onErrors,
  onRename,
  onWrite,
  onAnswer,
}: PlanProps) => {
  const { say } = useWords();
  const { comparison, isCurrent, isRetrying, retry } = compared;
  const isBusy = changed && errors === 0 && (!isCurrent || data.isBehind);
  // A reason that prevents publishing comes first.
  const isRefused = (data.data?.refused.length ?? 0) > 0;
  const stored = (errors === 0 || data.data !== undefined) && (
    <PlanPart title={say("workbench.data")} isBehind={errors === 0 && data.data !== undefined && data.isBehind}>
      <PlannedData data={data} onWrite={errors === 0 ? onWrite : undefined} />
    </PlanPart>
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls is reached by the keyboard
    <section className="plan-pane" tabIndex={0} aria-label={say("plan.title")} aria-busy={isBusy}>
      <Progress shown={isBusy} />
      {!changed ? (
        <RegionNote icon="document" title={say("plan.none")}>
          {say("plan.none.words")}
        </RegionNote>
      ) : (
        <>
          {errors > 0 && (
            <div className="plan-notice">
              <Icon name="alert" />
              <p>{say(comparison && hasEarlier ? "plan.errors.before" : "plan.errors", { count: errors })}</p>
              <Button small onClick={onErrors}>
                {say("plan.errors.show", { count: errors })}
              </Button>
            </div>
          )}
          {(errors === 0 || (comparison && hasEarlier)) && (
            <div className={errors > 0 ? "plan-parts outdated" : "plan-parts"}>
              {comparison && comparison.renames.length > 0 && onRename && (
                <Renames renames={comparison.renames} canWrite={isCurrent && errors === 0} onRename={onRename} />
              )}
              {isRefused && stored}
              <PlanPart title={say("behaviour.title")}>
                <ComparedBehaviour
                  comparison={comparison}
                  isRetrying={isRetrying}
                  retry={retry}
                  {...(comparison ? { places: { ...places, clauses: comparison.clauses } } : {})}
                  {...(isCurrent && replay.replayed.data ? { figures: { lines: replay.replayed.data.figures } } : {})}
                />
              </PlanPart>
              {!isRefused && stored}
              {comparison && <OpenPointsPart open={comparison.open} onAnswer={errors === 0 ? onAnswer : undefined} />}
              <ReplayPart replay={replay} />
            </div>
          )}
        </>
      )}
    </section>
  );
};

interface PlanPartProps {
  readonly title: string;
  /** True if the part is about an earlier text. It says so if that takes long. */
  readonly isBehind?: boolean;
  readonly children: ReactNode;
}

const PlanPart = ({ title, isBehind = false, children }: PlanPartProps) => {
  const { say } = useWords();
  return (
    <section className={isBehind ? "plan-part behind" : "plan-part"} aria-label={title} tabIndex={-1}>
      <h2>{title}</h2>
      {isBehind && <p className="plan-behind">{say("plan.data.behind")}</p>}
      {children}
    </section>
  );
};

/** Names that vanished, each with a new one like it. */
const Renames = ({
  renames,
  canWrite,
  onRename,
}: {
  renames: readonly SuggestedRename[];
  /** False while the text is not the one that was compared. */
  canWrite: boolean;
  onRename: (rename: SuggestedRename) => void;
}) => {
  const { say } = useWords();
  return (
    <PlanPart title={say("plan.renames")}>
      <ul className="plan-renames">
        {renames.map((rename) => {
          const { of, entity, field, old, now } = rename.rename;
          const place = [entity, field].filter((name) => name !== null).join(".");
          return (
            <li key={`${of} ${place} ${old}`}>
              <p>{say(place === "" ? "plan.rename" : "plan.rename.in", { old, now, place })}</p>
              <Button
                small
                icon="edit"
                aria-disabled={!canWrite}
                onClick={({ currentTarget }) => {
                  if (!canWrite) return;
                  onRename(rename);
                  // The button goes with the suggestion.
                  currentTarget.closest<HTMLElement>(".plan-pane")?.focus({ preventScroll: true });
                }}
              >
                {say("plan.rename.write", { old })}
              </Button>
            </li>
          );
        })}
      </ul>
    </PlanPart>
  );
};

/** The effect on stored data, or the reason why it is not known. */
const PlannedData = ({
  data: { data, error, failureReason, isBehind, isFetching, refetch },
  onWrite,
}: Pick<PlanProps, "data" | "onWrite">) => {
  const { connection } = useClient();
  const { say } = useWords();
  const state = useStore(connection);
  const thrown = useErrorUntilAnswer(error ?? failureReason, isFetching);
  const failure = thrown === null ? null : toFailure(thrown);
  const isAway = state !== "reached" || (failure !== null && isWaiting(failure));
  if (isAway && (isBehind || data === undefined)) return <p>{say("plan.offline")}</p>;
  if (failure !== null && !isWaiting(failure))
    return (
      <RetryNote
        title={say("workbench.apply.unplanned")}
        failure={failure}
        isBusy={isFetching}
        retry={() => void refetch()}
      />
    );
  return data === undefined ? (
    <p aria-busy="true">{say("workbench.apply.planning")}</p>
  ) : (
    <DataChanges change={data} text="draft" onWrite={isBehind ? undefined : onWrite} />
  );
};

const isWaiting = ({ kind }: Failure): boolean => kind === "away" || kind === "put off" || kind === "unreachable";

/** Recent changes by people under the draft, on request. */
export const ReplayPart = ({ replay: { replayed, isAsked, ask } }: Pick<PlanProps, "replay">) => {
  const { say } = useWords();
  return (
    <PlanPart title={say("replay.title")}>
      {isAsked ? (
        <ReplayLines replayed={replayed} />
      ) : (
        <>
          <p>{say("replay.words", { days: REPLAY_DAYS })}</p>
          <p>
            <Button
              small
              icon="retry"
              aria-disabled={ask === undefined}
              onClick={({ currentTarget }) => {
                if (ask === undefined) return;
                // The answer takes the place of the button.
                currentTarget.closest<HTMLElement>(".plan-part")?.focus({ preventScroll: true });
                ask();
              }}
            >
              {say("replay.do")}
            </Button>
          </p>
        </>
      )}
    </PlanPart>
  );
};

type OpenPointsProps = Pick<TextComparison, "open"> & Partial<Pick<PlanProps, "onAnswer">>;

/** Open points that the draft opens and closes. */
export const OpenPointsPart = ({ open, onAnswer }: OpenPointsProps) =>
  open.opened.length + open.closed.length === 0 ? null : (
    <LoadingBoundary fallback={null}>
      <OpenPoints open={open} onAnswer={onAnswer} />
    </LoadingBoundary>
  );

const OpenPoints = ({ open: { opened, closed }, onAnswer }: OpenPointsProps) => {
  const { say } = useWords();
  const namePoint = (point: number): string => {
    const name = say(points[point] ?? "point.0");
    return point === 0 ? name : say("workbench.point", { number: point, name });
  };
  const defaults = useDefaultTexts();
  return (
    <PlanPart title={say("workbench.pane.open")}>
      <ul className="plan-points">
        {opened.map((openPoint) => (
          <li key={`opened ${openPoint.point} ${openPoint.default} ${openPoint.statement}`}>
            <OpenMark />
            <div>
              <p>{say("plan.opened", { statement: getStatement(defaults, openPoint) })}</p>
              <InForce text={findDefaultText(defaults, openPoint.default)?.inForce} />
              <p className="plan-point">
                {namePoint(openPoint.point)}
                {onAnswer !== undefined && openPoint.point > 0 && (
                  <Button small icon="edit" onClick={() => onAnswer(openPoint.point)}>
                    {say("workbench.answer")}
                  </Button>
                )}
              </p>
            </div>
          </li>
        ))}
        {closed.map((openPoint) => (
          <li key={`closed ${openPoint.point} ${openPoint.default} ${openPoint.statement}`}>
            <Icon name="check" />
            <p>{say("plan.closed", { statement: getStatement(defaults, openPoint) })}</p>
          </li>
        ))}
      </ul>
    </PlanPart>
  );
};

const InForce = ({ text }: { text: string | undefined }) => {
  const { say } = useWords();
  return text === undefined ? null : <p className="in-force">{say("workbench.in.force", { words: text })}</p>;
};

const getStatement = (defaults: DefaultTexts, { point, statement, default: code }: PlannedOpenPoint): string =>
  statement !== "" ? statement : (findDefaultText(defaults, code)?.silent ?? String(point));
