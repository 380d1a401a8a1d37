import { useMutation, useQuery } from "@tanstack/react-query";
import { useId, useMemo, useState } from "react";
import { type DocumentJson, LONGEST_NOTE } from "../../../core/wire/authoring/document.ts";
import type { ProposalTextJson } from "../../../core/wire/authoring/proposals.ts";
import { toFailure, toLastFailure } from "../../api/api-error.ts";
import type { ProposalActName } from "../../api/authoring-calls.ts";
import { keys } from "../../api/query-keys.ts";
import { reload } from "../../api/reload.ts";
import { useClient, usePerson, useTitle } from "../../app/app-context.tsx";
import { createAnnouncement } from "../../app/app-state.ts";
import { useWords } from "../../i18n/words.tsx";
import { Button, buttonClass } from "../../ui/control/button.tsx";
import { Link } from "../../ui/link.tsx";
import { ProblemNote } from "../../ui/page/problem-note.tsx";
import { FailedRegion, RegionNote } from "../../ui/page/region-status.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import { ApproversNote } from "../draft/approvers-note.tsx";
import { type Collision, mergeTexts } from "../draft/merge-texts.ts";
import { useCompiler } from "../draft/use-compiler.ts";
import { WorkbenchFrame } from "../frame.tsx";
import { ComparedBehaviour } from "../plan/behaviour-lines.tsx";
import { DataPlan } from "../plan/data-plan.tsx";
import { OpenPointsPart, ReplayPart } from "../plan/plan-pane.tsx";
import { useComparison } from "../plan/use-comparison.ts";
import { useDraftReplay } from "../plan/use-replay.ts";
import { PanesSkeleton } from "../skeleton.tsx";
import { FileComparison } from "../versions/compare-page.tsx";
import { compareFiles } from "../versions/text-diff.ts";
import { compareWordings, findClauses } from "./collisions.ts";
import { eventWords, ProposalAuthor, ProposalStateLabel, stateWords } from "./proposal-parts.tsx";
import "../versions/versions.css";

const HEADING = "proposal";

/** One proposal: its changes, its history, and the acts that the reader can take. */
const ProposalPage = ({ id }: { id: string }) => {
  const number = Number(id);
  const { calls } = useClient();
  const { say } = useWords();
  useTitle(say("proposal.number", { number }));
  const query = useQuery({
    queryKey: keys.proposal(number),
    queryFn: ({ signal }) => calls.proposal(number, signal),
  });
  const live = useQuery({ queryKey: keys.document, queryFn: ({ signal }) => calls.document(signal) });
  const failed = [query, live].find((item) => item.error !== null);
  return (
    <WorkbenchFrame>
      <section className="workbench-page wide" aria-labelledby={HEADING}>
        <p>
          <Link className="link" href="/workbench/proposals">
            {say("menu.workbench.proposals")}
          </Link>
        </p>
        <h1 id={HEADING} tabIndex={-1}>
          {say("proposal.number", { number })}
        </h1>
        {failed ? (
          <FailedRegion
            failure={toLastFailure(failed.error)}
            retry={() => void Promise.all([query.refetch(), live.refetch()])}
          />
        ) : query.data && live.data ? (
          <Proposal proposal={query.data} live={live.data} />
        ) : (
          <PanesSkeleton />
        )}
      </section>
    </WorkbenchFrame>
  );
};

export default ProposalPage;

const Proposal = ({ proposal, live }: { proposal: ProposalTextJson; live: DocumentJson }) => {
  const { say } = useWords();
  const { number, state, base, before, files, history, approvers, needs, note, at } = proposal;
  const isWaiting = state === "open" || state === "approved" || state === "outdated";
  const title = say("versions.number", { number: base });
  const changes = useMemo(() => compareFiles(before, files), [before, files]);
  const { comparison, isCurrent, isRetrying, retry } = useComparison(before, files);
  const isPlanned = state === "open" || state === "approved";
  const replay = useDraftReplay(live.hash, isPlanned ? files : undefined);
  return (
    <>
      <div className="version-head">
        <ProposalStateLabel proposal={proposal} />
      </div>
      <p className="version-by">
        <ProposalAuthor proposal={proposal} />
        {" · "}
        <RelativeTime at={at} />
        {isWaiting && <> · {say("proposal.approvals", { count: approvers.length, needs })}</>}
        {approvers.length > 0 && (
          <> · {say("versions.approved", { names: approvers.map(({ label }) => label).join(", ") })}</>
        )}
      </p>
      {note !== "" && (
        <p className="version-note">
          <bdi>{note}</bdi>
        </p>
      )}
      {state === "outdated" && <Outdated proposal={proposal} live={live} />}
      <section className="compare-part" aria-labelledby="proposal-behaviour">
        <h2 id="proposal-behaviour">{say("behaviour.title")}</h2>
        <ComparedBehaviour
          comparison={isCurrent ? comparison : undefined}
          isRetrying={isRetrying}
          retry={retry}
          {...(replay.replayed.data && { figures: { lines: replay.replayed.data.figures } })}
        />
      </section>
      {isPlanned && <PlannedData number={number} revision={proposal.revision} />}
      {isCurrent && comparison && <OpenPointsPart open={comparison.open} />}
      {isPlanned && <ReplayPart replay={replay} />}
      <section className="compare-part" aria-labelledby="proposal-text">
        <h2 id="proposal-text">{say("workbench.text")}</h2>
        {changes.length === 0 && <RegionNote icon="check" title={say("compare.same")} />}
        {changes.map((change) => (
          <FileComparison
            key={change.file}
            diff={change}
            before={title}
            after={say("proposal.number", { number })}
            line={undefined}
          />
        ))}
      </section>
      <section className="compare-part" aria-labelledby="proposal-history">
        <h2 id="proposal-history">{say("proposal.history")}</h2>
        <ol className="versions">
          {history.map(({ at: moment, person, isOperator, kind, comment, revision }) => (
            <li key={`${moment} ${kind} ${person?.id}`} className="version">
              <p className="version-by">
                {person !== null && (
                  <>
                    <bdi>{person.label}</bdi>
                    {" · "}
                  </>
                )}
                {isOperator && <>{say("proposal.by.operator")} · </>}
                {say(eventWords[kind], { revision })} · <RelativeTime at={moment} />
              </p>
              {comment !== "" && (
                <p className="version-note">
                  <bdi>{comment}</bdi>
                </p>
              )}
            </li>
          ))}
        </ol>
      </section>
      <ProposalActs proposal={proposal} />
    </>
  );
};

const PlannedData = ({ number, revision }: { number: number; revision: number }) => {
  const { calls } = useClient();
  const { say } = useWords();
  const plan = useQuery({
    queryKey: [...keys.proposal(number), "plan", revision],
    queryFn: () => calls.planProposal(number),
    retry: false,
  });
  return (
    <section className="compare-part" aria-labelledby="proposal-data">
      <h2 id="proposal-data">{say("workbench.data")}</h2>
      <DataPlan plan={plan} change={plan.data} text={`proposal=${number}`} />
    </section>
  );
};

/** Shows a fresh answer everywhere, and tells screen readers. */
const useShowAnswer = () => {
  const { queries, polite } = useClient();
  const { say } = useWords();
  return async (proposal: ProposalTextJson) => {
    queries.setQueryData(keys.proposal(proposal.number), proposal);
    polite.set(createAnnouncement(say(stateWords[proposal.state])));
    const changed = proposal.state === "published" ? [keys.document, keys.versions, keys.application] : [];
    await Promise.all([keys.proposals, ...changed].map((queryKey) => reload(queries, { queryKey })));
    // The pressed button is gone if the act is no longer possible.
    if (document.activeElement === document.body) document.getElementById(HEADING)?.focus();
  };
};

/** True if the one approval has to be by somebody who has not changed the text, and the reader could give it. */
const useLosesApproval = ({ isOwn, needs }: ProposalTextJson): boolean => {
  const rights = usePerson()?.changes;
  return needs === 1 && rights?.approve === true && !rights.publish && !isOwn;
};

/** Offers the text on top of the live version. Where both changed a clause, shows both wordings. */
const Outdated = ({ proposal, live }: { proposal: ProposalTextJson; live: DocumentJson }) => {
  const { calls } = useClient();
  const { say } = useWords();
  const answered = useShowAnswer();
  const { number, revision, before, files, note, may } = proposal;
  const losesApproval = useLosesApproval(proposal);
  const merged = useMemo(() => mergeTexts(before, files, live.files), [before, files, live.files]);
  const rebase = useMutation({
    mutationFn: () => calls.editProposal(number, revision, { base: live.hash, files: merged.files, note }),
    onSuccess: answered,
  });
  const { collisions } = merged;
  if (collisions.length > 0)
    return (
      <section className="compare-part" aria-labelledby="proposal-collisions">
        <h2 id="proposal-collisions">{say("proposal.collisions")}</h2>
        <p className="help-words">{say("proposal.collides", { count: collisions.length, version: live.version })}</p>
        <Collisions proposal={proposal} live={live} collisions={collisions} />
      </section>
    );
  return (
    <section className="publish-part">
      <p>
        {say("proposal.outdated")} {!may.edit && say("proposal.outdated.others")}
        {may.edit && losesApproval && say("proposal.rebase.loses")}
      </p>
      {may.edit && (
        <p>
          <Button busy={rebase.isPending} onClick={() => rebase.mutate()}>
            {say("proposal.rebase")}
          </Button>
        </p>
      )}
      {rebase.error && <ProblemNote title={say("proposal.failed")} failure={toFailure(rebase.error)} />}
    </section>
  );
};

/** Each place that both changed, named by its clauses. The names appear when the compiler is loaded. */
const Collisions = ({
  proposal: { number, files },
  live,
  collisions,
}: {
  proposal: ProposalTextJson;
  live: DocumentJson;
  collisions: readonly Collision[];
}) => {
  const { say } = useWords();
  const create = useCompiler().data?.createCompiler;
  const texts = useMemo(() => {
    const compile = create?.();
    return compile && { draft: compile(files), live: compile(live.files) };
  }, [create, files, live.files]);
  return collisions.map((collision) => {
    const clauses = texts === undefined ? [] : findClauses(collision, texts);
    const title = clauses.length > 0 ? clauses.join(", ") : collision.file;
    const diff = compareWordings(title, collision);
    return (
      diff && (
        <FileComparison
          key={`${collision.file} ${collision.draft.number}`}
          diff={diff}
          before={say("versions.number", { number: live.version })}
          after={say("proposal.number", { number })}
          line={undefined}
        />
      )
    );
  });
};

const ProposalActs = ({ proposal }: { proposal: ProposalTextJson }) => {
  const { calls } = useClient();
  const { say } = useWords();
  const answered = useShowAnswer();
  const [comment, setComment] = useState("");
  const label = useId();
  const { number, hash, may, isOwn, waitsFor, approvers, needs, state } = proposal;
  const act = useMutation({
    mutationFn: (name: ProposalActName) => calls.actOnProposal(number, name, { hash, comment: comment.trim() }),
    retry: false,
    onSuccess: (next) => {
      setComment("");
      return answered(next);
    },
  });
  const button = (name: ProposalActName, words: string, isMain = false) => {
    const isBusy = act.isPending && act.variables === name;
    return (
      <Button
        {...(isMain && { look: "primary" as const })}
        busy={isBusy}
        disabled={!isBusy && (act.isPending || (name === "comment" && comment.trim() === ""))}
        onClick={() => act.mutate(name)}
      >
        {words}
      </Button>
    );
  };
  const losesApproval = useLosesApproval(proposal);
  const publishes = state === "approved" || approvers.length + 1 >= needs;
  if (!may.comment && !may.reopen) return null;
  return (
    // After the plan, so that a decision follows its reading.
    <section className="publish-part" aria-labelledby="proposal-decision">
      <h2 id="proposal-decision">{say(may.approve || may.reject ? "proposal.decision" : "proposal.comment")}</h2>
      {isOwn && (state === "open" || state === "approved") && <p>{say("proposal.own")}</p>}
      {may.edit && may.approve && losesApproval && <p>{say("proposal.edit.loses")}</p>}
      {waitsFor !== null && !may.approve && <ApproversNote approvers={waitsFor} />}
      <label className="publish-note" htmlFor={label}>
        <span>{say("proposal.comment.label")}</span>
        <textarea
          id={label}
          className="box"
          rows={2}
          maxLength={LONGEST_NOTE}
          value={comment}
          onChange={(event) => setComment(event.currentTarget.value)}
        />
      </label>
      <p className="proposal-acts">
        {may.approve && button("approve", say(publishes ? "proposal.publish" : "proposal.approve"), true)}
        {may.edit && (
          <Link className={buttonClass()} href={`/workbench/document?proposal=${number}`}>
            {say("proposal.edit")}
          </Link>
        )}
        {may.reject && button("reject", say("proposal.reject"))}
        {may.withdraw && button("withdraw", say("proposal.withdraw"))}
        {may.reopen && button("reopen", say("proposal.reopen"))}
        {may.comment && button("comment", say("proposal.comment"))}
      </p>
      {act.error && <ProblemNote title={say("proposal.failed")} failure={toFailure(act.error)} />}
    </section>
  );
};
