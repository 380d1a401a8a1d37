import type { ReactNode } from "react";
import type { PlannedOpenPoint } from "../../../core/change/plan.ts";
import { defaults, isDefaultCode } from "../../../core/model/defaults.ts";
import { type Failure, failureOf } from "../../api/api-error.ts";
import { useClient, useStore } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useFailureWords } from "../../ui/page/problem-note.tsx";
import { Progress, RegionNote } from "../../ui/page/region-status.tsx";
import { OpenMark } from "../marks.tsx";
import { type ClausePlaces, ComparedBehaviour } from "./behaviour-lines.tsx";
import { DataChanges } from "./data-changes.tsx";
import type { TextComparison } from "./text-comparison.ts";
import type { ComparisonState } from "./use-comparison.ts";
import type { usePlannedData } from "./use-planned-data.ts";
import "./plan.css";

interface PlanProps {
  readonly changed: boolean;
  /** Number of errors in the draft. */
  readonly errors: number;
  /** The newest comparison without errors. */
  readonly compared: ComparisonState;
  readonly data: ReturnType<typeof usePlannedData>;
  readonly places: Omit<ClausePlaces, "clauses">;
  readonly onErrors: () => void;
  /** Messages above the plan. */
  readonly notices?: ReactNode;
}

/** The plan of a draft, beside its text: behaviour, stored data, open points. */
export const PlanPane = ({ changed, errors, compared, data, places, onErrors, notices }: PlanProps) => {
  const { say } = useWords();
  const { comparison, isCurrent } = compared;
  const isBusy = changed && errors === 0 && (!isCurrent || data.isBehind);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a pane that scrolls is reached by the keyboard
    <section className="plan-pane" tabIndex={0} aria-label={say("plan.title")} aria-busy={isBusy}>
      <Progress shown={isBusy} />
      {notices}
      {!changed ? (
        <RegionNote icon="document" title={say("plan.none")}>
          {say("plan.none.words")}
        </RegionNote>
      ) : (
        <>
          {errors > 0 && (
            <div className="plan-notice">
              <Icon name="alert" />
              <p>{say(comparison ? "plan.errors.before" : "plan.errors", { count: errors })}</p>
              <Button small onClick={onErrors}>
                {say("plan.errors.show")}
              </Button>
            </div>
          )}
          {(errors === 0 || comparison) && (
            <div className={errors > 0 ? "plan-parts outdated" : "plan-parts"}>
              <PlanPart title={say("behaviour.title")}>
                <ComparedBehaviour
                  comparison={comparison}
                  {...(comparison ? { places: { ...places, clauses: comparison.clauses } } : {})}
                />
              </PlanPart>
              <PlanPart title={say("workbench.data")}>
                <PlannedData data={data} />
              </PlanPart>
              {comparison && <OpenPointsPart open={comparison.open} />}
            </div>
          )}
        </>
      )}
    </section>
  );
};

const PlanPart = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="plan-part" aria-label={title}>
    <h2>{title}</h2>
    {children}
  </section>
);

/** The effect on stored data, or the reason why it is not known. */
const PlannedData = ({ data: { data, error, failureReason, isBehind, refetch } }: { data: PlanProps["data"] }) => {
  const { connection } = useClient();
  const { say } = useWords();
  const state = useStore(connection);
  const thrown = error ?? failureReason;
  const failure = thrown === null || thrown === undefined ? null : failureOf(thrown);
  const isAway = state !== "reached" || (failure !== null && isWaiting(failure));
  if (isAway && (isBehind || data === undefined)) return <p>{say("plan.offline")}</p>;
  if (failure !== null && !isWaiting(failure)) return <NotPlanned failure={failure} retry={() => void refetch()} />;
  return data === undefined ? <p aria-busy="true">{say("workbench.apply.planning")}</p> : <DataChanges change={data} />;
};

const isWaiting = ({ kind }: Failure): boolean => kind === "away" || kind === "put off" || kind === "unreachable";

const NotPlanned = ({ failure, retry }: { failure: Failure; retry: () => void }) => {
  const { say } = useWords();
  const wordsOf = useFailureWords();
  return (
    <div className="plan-notice">
      <Icon name="alert" />
      <p>
        {say("workbench.apply.unplanned")}: {wordsOf(failure)}
      </p>
      <Button small onClick={retry}>
        {say("broken.retry")}
      </Button>
    </div>
  );
};

/** Open points that the draft opens and closes. */
const OpenPointsPart = ({ open: { opened, closed } }: Pick<TextComparison, "open">) => {
  const { say } = useWords();
  if (opened.length + closed.length === 0) return null;
  return (
    <PlanPart title={say("workbench.pane.open")}>
      <ul className="plan-points">
        {opened.map((one) => (
          <li key={`opened ${one.point} ${one.default} ${one.statement}`}>
            <OpenMark />
            <div>
              <p>{say("plan.opened", { statement: statementOf(one) })}</p>
              {isDefaultCode(one.default) && (
                <p className="in-force">{say("workbench.in.force", { words: defaults[one.default].inForce })}</p>
              )}
            </div>
          </li>
        ))}
        {closed.map((one) => (
          <li key={`closed ${one.point} ${one.default} ${one.statement}`}>
            <Icon name="check" />
            <p>{say("plan.closed", { statement: statementOf(one) })}</p>
          </li>
        ))}
      </ul>
    </PlanPart>
  );
};

const statementOf = ({ point, statement, default: code }: PlannedOpenPoint): string =>
  statement !== "" ? statement : isDefaultCode(code) ? defaults[code].silent : String(point);
