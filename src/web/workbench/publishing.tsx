import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { WordId } from "../../core/i18n/catalogue.ts";
import type { JobJson, JobPhase, JobStepJson, NewestJobJson } from "../../core/wire/authoring/job.ts";
import { toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { reload } from "../api/reload.ts";
import { useClient } from "../app/app-context.tsx";
import { createAnnouncement } from "../app/app-state.ts";
import { useWords } from "../i18n/words.tsx";
import { ClauseId } from "../ui/clause.tsx";
import { Button } from "../ui/control/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import { ProblemNote } from "../ui/page/problem-note.tsx";
import "./publishing.css";

/** Milliseconds between looks at a version that is published, and at one that somebody else may publish. */
const SOON = 1_000;
const LATER = 15_000;

const isUnfinished = ({ state }: JobJson): boolean => state !== "done" && state !== "abandoned";
const isWorking = ({ state }: JobJson): boolean => state === "running" || state === "abandoning";

const phaseWords: { readonly [phase in JobPhase]: WordId } = {
  expand: "publishing.expand",
  backfill: "publishing.backfill",
  validate: "publishing.validate",
  switch: "publishing.switch",
  retire: "publishing.retire",
};

const stateWords = {
  running: "publishing.running",
  paused: "publishing.paused",
  failed: "publishing.failed",
  abandoning: "publishing.abandoning",
} as const satisfies { readonly [state: string]: WordId };

/** The version that is being published, at the head of each page of the workbench. */
export const PublishingNote = () => {
  const { calls, queries, polite } = useClient();
  const { say } = useWords();
  const { data } = useQuery({
    queryKey: keys.job,
    queryFn: ({ signal }) => calls.job(signal),
    refetchInterval: ({ state }) => {
      const { newest = null, isStarting = false } = state.data ?? {};
      return isStarting || (newest !== null && isWorking(newest)) ? SOON : LATER;
    },
    retry: false,
  });
  const job = data?.newest ?? null;
  const followed = useRef<number | null>(null);
  useEffect(() => {
    if (job === null) return;
    if (isUnfinished(job)) followed.current = job.job;
    else if (followed.current === job.job) {
      followed.current = null;
      if (job.version !== null) polite.set(createAnnouncement(say("workbench.applied", { version: job.version })));
      for (const queryKey of [keys.document, keys.openPoints, keys.application, keys.versions])
        void queries.invalidateQueries({ queryKey });
    }
  }, [job, polite, queries, say]);
  if (job !== null && isUnfinished(job)) return <JobProgress job={job} />;
  return data?.isStarting === true ? <Starting /> : null;
};

/** A version whose job has not begun: its text and the stored data are being checked. */
const Starting = () => {
  const { say } = useWords();
  return (
    <section className="publishing is-running" aria-label={say("publishing.title")} aria-busy="true">
      <div className="publishing-words">
        <h2>{say("publishing.running")}</h2>
        <p>{say("publishing.checking")}</p>
      </div>
    </section>
  );
};

const useSeconds = (since: string, isRunning: boolean): number => {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => setNow(Date.now()), SOON);
    return () => clearInterval(timer);
  }, [isRunning]);
  return Math.max(0, Math.round((now - Date.parse(since)) / 1_000));
};

/** The note, which leaves the focus to the page when it goes. */
const useNoteFocus = () => {
  const note = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const shown = note.current;
    return () => {
      if (shown?.contains(document.activeElement) === true)
        document.getElementById("main")?.focus({ preventScroll: true });
    };
  }, []);
  return note;
};

const JobProgress = ({ job }: { readonly job: JobJson }) => {
  const { calls, queries } = useClient();
  const { say } = useWords();
  const seconds = useSeconds(job.startedAt, isWorking(job));
  const note = useNoteFocus();
  const change = useMutation({
    mutationFn: (to: "pause" | "resume" | "abandon") => calls.changeJob(to),
    retry: false,
    onSuccess: (newest) => {
      queries.setQueryData<NewestJobJson>(keys.job, { newest, isStarting: false });
      // A version that is being abandoned has no buttons.
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) note.current?.focus({ preventScroll: true });
      });
    },
    onError: () => reload(queries, { queryKey: keys.job }),
  });
  const { state } = job;
  if (state === "done" || state === "abandoned") return null;
  const step = job.steps.find((candidate) => candidate.phase === job.phase && candidate.state === "waiting");
  const isLive = job.version !== null;
  return (
    <section ref={note} tabIndex={-1} className={`publishing is-${state}`} aria-label={say("publishing.title")}>
      <div className="publishing-words">
        <h2>{say(stateWords[state])}</h2>
        <p>
          {say(phaseWords[job.phase])}
          {step !== undefined && step.clause !== "" && (
            <>
              {" "}
              <ClauseId of={step.clause} />
            </>
          )}
        </p>
        {step?.total != null && step.total > 0 && <StepProgress step={step} total={step.total} />}
        {isWorking(job) && (
          <p className="publishing-time">
            {say("publishing.time", { minutes: Math.floor(seconds / 60), seconds: seconds % 60 })}{" "}
            {say(isLive ? "publishing.live" : "publishing.meanwhile")}
          </p>
        )}
        {job.refused.length > 0 && (
          <ul className="plan-steps">
            {job.refused.map(({ clause, says, records }) => (
              <li key={says}>
                <Icon name="alert" />
                <span>
                  {says}
                  {records.length > 0 && (
                    <span className="publishing-records">
                      {records.map((path, i) => (
                        <Link key={path} href={path}>
                          {say("publishing.record", { number: i + 1 })}
                        </Link>
                      ))}
                    </span>
                  )}
                </span>
                {clause !== "" && <ClauseId of={clause} />}
              </li>
            ))}
          </ul>
        )}
        {change.error && (
          <ProblemNote
            title={say("publishing.unchanged", { act: change.variables ?? "" })}
            failure={toFailure(change.error)}
          />
        )}
      </div>
      {!isLive && (
        <div className="publishing-acts">
          {/* One button, so that it keeps the focus. */}
          {state !== "abandoning" && (
            <Button
              look={state === "running" ? "plain" : "primary"}
              busy={change.isPending}
              onClick={() => change.mutate(state === "running" ? "pause" : "resume")}
            >
              {say(state === "running" ? "publishing.pause" : "publishing.resume")}
            </Button>
          )}
          {state !== "abandoning" && (
            <Button look="danger" busy={change.isPending} onClick={() => change.mutate("abandon")}>
              {say("publishing.abandon")}
            </Button>
          )}
        </div>
      )}
    </section>
  );
};

const StepProgress = ({ step, total }: { readonly step: JobStepJson; readonly total: number }) => {
  const { say } = useWords();
  const words = say("publishing.records", { done: step.done, total });
  return (
    <p className="publishing-records">
      <progress max={total} value={Math.min(step.done, total)} aria-label={words} /> <span>{words}</span>
    </p>
  );
};
