import { useMutation, useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import {
  type AppliedJson,
  type ChangeJson,
  LONGEST_NOTE,
  type SourceJson,
} from "../../../core/wire/authoring/document.ts";
import type { JobJson, NewestJobJson } from "../../../core/wire/authoring/job.ts";
import type { ProposalTextJson } from "../../../core/wire/authoring/proposals.ts";
import type { ReplayJson } from "../../../core/wire/authoring/replay.ts";
import { type Failure, toFailure } from "../../api/api-error.ts";
import { keys } from "../../api/query-keys.ts";
import { reload } from "../../api/reload.ts";
import { useClient, usePerson } from "../../app/app-context.tsx";
import { createAnnouncement } from "../../app/app-state.ts";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { ProblemNote } from "../../ui/page/problem-note.tsx";
import { useWhileMounted } from "../../util/use-while-mounted.ts";
import { ComparedBehaviour } from "../plan/behaviour-lines.tsx";
import type { WriteMissing, WrittenClause } from "../plan/data-changes.tsx";
import { DataPlan } from "../plan/data-plan.tsx";
import type { PlannedText } from "../plan/record-list.tsx";
import { ReplayLines } from "../plan/replay-lines.tsx";
import { RetryNote } from "../plan/retry-note.tsx";
import { useComparison } from "../plan/use-comparison.ts";
import { useReplay } from "../plan/use-replay.ts";
import { ApproversNote } from "./approvers-note.tsx";
import type { EditedProposal } from "./draft-session.ts";

/** Milliseconds after which progress is reported. */
const LONG = 4_000;

const useLong = (isPending: boolean): boolean => {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    if (!isPending) return;
    const timer = setTimeout(() => setLong(true), LONG);
    return () => {
      clearTimeout(timer);
      setLong(false);
    };
  }, [isPending]);
  return isLong;
};

interface PublishProps {
  readonly title: string;
  /** A sentence below the title. */
  readonly lead?: string;
  /** Present if another version is live than the one that the plan is based on: offers to update the text. */
  readonly notice?: ReactNode;
  /** Identifies the plan, with the version that it is based on. */
  readonly planKey: readonly unknown[];
  /** The texts before and after, whose behaviour is compared; undefined until they are loaded. */
  readonly before: readonly SourceJson[] | undefined;
  /** The text after, as the page of its records names it. */
  readonly text: PlannedText;
  readonly after: readonly SourceJson[] | undefined;
  /** Present if the texts failed to load. */
  readonly unread?: { readonly failure: Failure; readonly isBusy: boolean; readonly retry: () => void } | undefined;
  /** Shown below the plan. */
  readonly extra?: ReactNode;
  /** Makes a text fit the stored data: shown below the reasons if that prevents publishing, otherwise below the plan. */
  readonly repair?: ReactNode;
  readonly plan: () => Promise<ChangeJson>;
  /** Checks what people did under the new version; undefined until its text is loaded. */
  readonly replay: ((signal: AbortSignal) => Promise<ReplayJson>) | undefined;
  /** The job, if publishing takes long. */
  readonly publish: (note: string) => Promise<AppliedJson | JobJson>;
  /** Proposes the new version. */
  readonly propose: (note: string) => Promise<ProposalTextJson>;
  /** The proposal whose text the new version replaces, if the reader wants that. */
  readonly edited?: EditedProposal & { readonly replace: (note: string) => Promise<ProposalTextJson> };
  readonly note: string;
  readonly onNote: (note: string) => void;
  /** Writes a clause that makes stored data fit. Absent for texts that cannot be changed. */
  readonly onWrite?: WriteMissing | undefined;
  readonly onProposed?: () => void;
  readonly onPublished?: (published: AppliedJson) => void;
  readonly onClose: () => void;
}

/** Publishes the version, and says so where people notice it. A job is followed on its own page. */
const useApply = ({
  publish,
  onRefused,
  onPublished,
  close,
}: {
  readonly publish: () => Promise<AppliedJson | JobJson>;
  readonly onRefused: () => void;
  readonly onPublished: PublishProps["onPublished"] | undefined;
  readonly close: () => void;
}) => {
  const { queries, polite, toast } = useClient();
  const { say } = useWords();
  return useMutation({
    mutationFn: publish,
    // A timeout would repeat itself.
    retry: false,
    // The stored data may have changed since it was planned.
    onError: onRefused,
    onSuccess: async (published) => {
      if ("job" in published) {
        queries.setQueryData<NewestJobJson>(keys.job, { newest: published, isStarting: false });
        polite.set(createAnnouncement(say("publishing.begun")));
        return close();
      }
      const { version, samples = { people: 0, records: 0 } } = published;
      const words =
        samples.records > 0
          ? say("workbench.applied.samples", { version, ...samples })
          : samples.people > 0
            ? say("workbench.applied.people", { version, people: samples.people })
            : say("workbench.applied", { version });
      toast.set(createAnnouncement(words));
      polite.set(createAnnouncement(words));
      onPublished?.(published);
      await Promise.all(
        [keys.document, keys.openPoints, keys.application, keys.versions].map((queryKey) =>
          // Exactly these: what a version does to stored data is not asked again once it is live.
          reload(queries, { queryKey, exact: queryKey === keys.document }),
        ),
      );
      close();
    },
  });
};

const NoteField = ({ note, onNote }: { note: string; onNote: (note: string) => void }) => {
  const { say } = useWords();
  return (
    <label className="publish-note">
      <span>{say("workbench.note")}</span>
      <textarea
        className="box"
        rows={2}
        maxLength={LONGEST_NOTE}
        value={note}
        onChange={(event) => onNote(event.currentTarget.value)}
      />
    </label>
  );
};

type HowProposed = "new" | "replace";

/** Proposes the version, and opens the proposal. */
const usePropose = ({
  propose,
  onProposed,
  close,
}: {
  readonly propose: (how: HowProposed) => Promise<ProposalTextJson>;
  readonly onProposed: PublishProps["onProposed"] | undefined;
  readonly close: () => void;
}) => {
  const { queries, polite, toast, navigation } = useClient();
  const { say } = useWords();
  const go = useWhileMounted(navigation.go);
  return useMutation({
    mutationFn: propose,
    retry: false,
    onSuccess: async (proposal, how) => {
      const { number } = proposal;
      const words = how === "replace" ? say("proposal.replaced", { number }) : say("proposal.proposed");
      toast.set(createAnnouncement(words));
      polite.set(createAnnouncement(words));
      onProposed?.();
      queries.setQueryData(keys.proposal(number), proposal);
      await reload(queries, { queryKey: keys.proposals });
      close();
      go(`/workbench/proposals/${number}`);
    },
  });
};

interface ProposeButtonsProps {
  readonly propose: ReturnType<typeof usePropose>;
  readonly edited: PublishProps["edited"];
  /** True if proposing is all that the reader can do. */
  readonly isPrimary: boolean;
}

const ProposeButtons = ({ propose, edited, isPrimary }: ProposeButtonsProps) => {
  const { say } = useWords();
  return (
    <>
      {edited !== undefined && (
        <Button
          {...(isPrimary ? { look: "primary" as const } : {})}
          busy={propose.isPending && propose.variables === "replace"}
          disabled={propose.isPending && propose.variables !== "replace"}
          onClick={() => propose.mutate("replace")}
        >
          {say("proposal.replace", { number: edited.number })}
        </Button>
      )}
      <Button
        {...(isPrimary && edited === undefined ? { look: "primary" as const } : {})}
        busy={propose.isPending && propose.variables === "new"}
        disabled={propose.isPending && propose.variables !== "new"}
        onClick={() => propose.mutate("new")}
      >
        {say(edited === undefined ? "proposal.propose" : "proposal.propose.new")}
      </Button>
    </>
  );
};

/** Writes clauses. The dialog stays open, unless the author has to replace a value. */
const useWriting = (onWrite: WriteMissing | undefined, onClose: () => void) => {
  const { toast } = useClient();
  const { say } = useWords();
  const [written, setWritten] = useState<WrittenClause | null>(null);
  const write: WriteMissing = (missing, value) => {
    const clause = onWrite?.(missing, value);
    if (clause?.isWhole) setWritten(clause);
    else onClose();
    if (clause?.isWhole === false) toast.set(createAnnouncement(say("plan.written.example")));
    return clause;
  };
  return { written, write: onWrite && write };
};

/** The clause that was written last. It takes the focus of the button that wrote it, which is gone. */
const WrittenNote = ({ written: { line, text } }: { readonly written: WrittenClause }) => {
  const { say } = useWords();
  const note = useRef<HTMLParagraphElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each clause takes the focus
  useEffect(() => note.current?.focus(), [line, text]);
  return (
    <p className="publish-written" ref={note} tabIndex={-1}>
      {say("plan.written", { line })} <code dir="ltr">{text}</code>
    </p>
  );
};

/** Says who can approve what the reader proposes, before it is proposed. */
const ApproversBefore = () => {
  const { calls } = useClient();
  const { data } = useQuery({
    queryKey: [...keys.proposals, "approvers"],
    queryFn: ({ signal }) => calls.proposals(null, signal),
  });
  return (
    data !== undefined && (
      <div className="publish-approvers">
        <ApproversNote approvers={data.approvers} />
      </div>
    )
  );
};

/** Shows how a new version behaves differently and what it does to stored data, takes a note, and publishes it. */
export const PublishDialog = ({
  title,
  lead,
  notice,
  planKey,
  before,
  text,
  after,
  unread,
  extra,
  repair,
  plan: makePlan,
  replay,
  publish,
  propose: makeProposal,
  edited,
  note,
  onNote,
  onWrite,
  onProposed,
  onPublished,
  onClose,
}: PublishProps) => {
  const { say } = useWords();
  const close = useWhileMounted(onClose);
  const { written, write } = useWriting(onWrite, onClose);
  const base = planKey.join(" ");
  // A refusal is about the version on which the text was based.
  const [refusedBase, setRefusedBase] = useState<string | null>(null);
  const apply = useApply({
    publish: () => publish(note.trim()),
    onRefused: () => {
      setRefusedBase(base);
      void plan.refetch();
    },
    onPublished,
    close,
  });
  const plan = useQuery({
    queryKey: ["document", "plan", ...planKey],
    queryFn: makePlan,
    refetchOnMount: "always",
    gcTime: 0,
    retry: false,
    // A version that is being published has another base already.
    enabled: !apply.isPending && !apply.isSuccess,
  });
  // An answer from before the dialog opened can be about other stored data.
  const planned = plan.isFetchedAfterMount && !plan.isError ? plan.data : undefined;
  const propose = usePropose({
    propose: (how) =>
      how === "replace" && edited !== undefined ? edited.replace(note.trim()) : makeProposal(note.trim()),
    onProposed,
    close,
  });
  const rights = usePerson()?.changes;
  const { comparison, isCurrent, isRetrying, retry } = useComparison(before, after);
  // The trial of the plan waits for the tables that a replay reads. A version that is being published needs no replay under itself.
  const isPlanned = plan.isFetchedAfterMount;
  const replayed = useReplay(planKey, isPlanned && !apply.isPending && !apply.isSuccess ? replay : undefined);
  const isLong = useLong(apply.isPending);
  const refused = planned?.refused ?? [];
  const isCurrentBase = notice === undefined;
  const canPublish = planned !== undefined && refused.length === 0 && isCurrentBase;
  const data = (
    <section className="publish-part" aria-label={say("workbench.data")}>
      <h3>{say("workbench.data")}</h3>
      <DataPlan plan={plan} change={planned} text={text} onWrite={write} />
    </section>
  );
  return (
    <Dialog title={title} onClose={onClose} read>
      <div className="dialog-words">
        {notice !== undefined && <div className="publish-part">{notice}</div>}
        {lead !== undefined && <p>{lead}</p>}
        {written !== null && <WrittenNote written={written} />}
        {refused.length > 0 && data}
        {refused.length > 0 && repair}
        <section className="publish-part" aria-label={say("behaviour.title")}>
          <h3>{say("behaviour.title")}</h3>
          {unread ? (
            <RetryNote title={say("behaviour.failed")} {...unread} />
          ) : (
            <ComparedBehaviour
              comparison={isCurrent ? comparison : undefined}
              isRetrying={isRetrying}
              retry={retry}
              {...(replayed.data === undefined ? {} : { figures: { lines: replayed.data.figures, onFollow: onClose } })}
            />
          )}
        </section>
        {refused.length === 0 && data}
        {replay !== undefined && isCurrentBase && (
          <section className="publish-part" aria-label={say("replay.title")}>
            <h3>{say("replay.title")}</h3>
            <ReplayLines replayed={replayed} onFollow={onClose} />
          </section>
        )}
        {refused.length === 0 && repair}
        {extra}
        {planned !== undefined && rights?.propose === true && !rights.publish && <ApproversBefore />}
        {canPublish && <NoteField note={note} onNote={onNote} />}
        {isLong && apply.isPending && (
          <p role="status" aria-busy="true">
            {say("workbench.apply.long")}
          </p>
        )}
        {propose.error && <ProblemNote title={say("proposal.propose.failed")} failure={toFailure(propose.error)} />}
        {apply.error && isCurrentBase && refusedBase === base && (
          <ProblemNote title={say("workbench.apply.failed")} failure={toFailure(apply.error)} />
        )}
      </div>
      <footer className="dialog-foot">
        {canPublish && rights?.publish === true && (
          <Button look="primary" busy={apply.isPending} onClick={() => apply.mutate()}>
            {say("workbench.apply.now")}
          </Button>
        )}
        {planned !== undefined && isCurrentBase && rights?.propose === true && (
          <ProposeButtons propose={propose} edited={edited} isPrimary={!rights.publish} />
        )}
        <Button onClick={onClose}>{say("workbench.apply.not")}</Button>
      </footer>
    </Dialog>
  );
};
