import { useQuery } from "@tanstack/react-query";
import { type RefObject, useEffect, useRef, useState } from "react";
import { conditionalScreen } from "../../core/derive/http/preload-requests.ts";
import type { EntityJson, TransitionJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { RecordScreenJson, SectionJson } from "../../core/wire/screens.ts";
import { MissingActLine } from "../actions/missing-act-line.tsx";
import { RecordActDialog } from "../actions/record-act-dialog.tsx";
import { usePerform } from "../actions/use-perform.ts";
import { useRecordActs } from "../actions/use-record-acts.ts";
import { useTriedRecord } from "../actions/use-tried-record.ts";
import { toFailureOf } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import type { Body } from "../api/requests.ts";
import { useApplication, useClient, useDelayed, useKeys, useStore, useTitle } from "../app/app-context.tsx";
import type { RefusedTransitionNote } from "../app/app-state.ts";
import { useApprovalWords } from "../field/approval-count.tsx";
import { CommentCounts } from "../field/comment-count.tsx";
import { keepTogether } from "../format/format.ts";
import { fieldId } from "../format/names.ts";
import { useWords } from "../i18n/words.tsx";
import { findCommentable } from "../record/may-comment.ts";
import { RecordActions } from "../record/record-actions.tsx";
import { RecordAside } from "../record/record-aside.tsx";
import { UnseenChangesLine } from "../record/unseen-changes-line.tsx";
import { useNextWaiting } from "../record/use-next-task.ts";
import { useReadNotifications } from "../record/use-read-notifications.ts";
import { useUnseenChanges } from "../record/use-unseen-changes.ts";
import { findListScreen } from "../routing/routes.ts";
import { Icon } from "../ui/icon.tsx";
import { Breadcrumbs } from "../ui/page/breadcrumbs.tsx";
import { NotFound } from "../ui/page/not-found.tsx";
import { ProblemNote } from "../ui/page/problem-note.tsx";
import { FailedRegion, Progress } from "../ui/page/region-status.tsx";
import { StatePill } from "../ui/state-mark.tsx";
import { useTransition } from "../workflow/use-transition.ts";
import { findState } from "../workflow/workflow.ts";
import { NextRecord, UpcomingEvents } from "./record-next.tsx";
import { RecordSections, useAdditions } from "./record-sections.tsx";
import { RecordSkeleton } from "./record-skeleton.tsx";
import { RecordTrail } from "./record-trail.tsx";
import "../record/record.css";

interface RecordProps {
  readonly screen: RecordScreenJson;
  readonly entity: EntityJson;
  readonly id: string;
}

const RecordScreen = ({ screen, entity, id }: RecordProps) => {
  const { calls, lastRecord, atWork } = useClient();
  const { say } = useWords();
  const conditional = conditionalScreen(screen);
  const query = useQuery({
    queryKey: keys.record(entity.calls, id, conditional),
    queryFn: ({ signal }) => calls.record(entity.calls, id, signal, conditional),
  });
  const record = query.data;
  const loading = useDelayed(query.isPending);
  const refreshing = useDelayed(query.isFetching && !query.isPending, 400);
  useTitle(record ? (record._label ?? screen.title) : screen.title);
  useEffect(() => lastRecord.set(id), [id, lastRecord]);

  const failure = toFailureOf(query);
  const isDeleted = failure?.kind === "refused" && failure.problem.status === 404;
  const isTyping = useStore(atWork) > 0;
  const list = findListScreen(useApplication().screens, entity.name);
  if (isDeleted && !(record && isTyping)) return <NotFound />;
  if (!record)
    return (
      <>
        <h1 className="hidden-words">{screen.title}</h1>
        {failure ? (
          <>
            <Breadcrumbs trail={list ? [{ label: list.title, href: list.path }] : []} />
            <div className="region">
              <FailedRegion failure={failure} retry={() => void query.refetch()} />
            </div>
          </>
        ) : (
          loading && <RecordSkeleton words={say("loading")} />
        )}
      </>
    );
  return <Loaded screen={screen} entity={entity} record={record} isDeleted={isDeleted} refreshing={refreshing} />;
};

const Loaded = ({
  screen,
  entity,
  record: loaded,
  isDeleted,
  refreshing,
}: {
  screen: RecordScreenJson;
  entity: EntityJson;
  record: RecordJson;
  /** The record was deleted or hidden while its page had unsaved input. */
  isDeleted: boolean;
  refreshing: boolean;
}) => {
  const { navigation, unmade } = useClient();
  const { record } = useTriedRecord(entity, loaded, !isDeleted);
  const [failed, setFailed] = useState<Omit<RefusedTransitionNote, "record"> | null>(() => {
    const before = unmade.get();
    return before?.record === record.id ? before : null;
  });
  useEffect(() => unmade.set(null), [unmade]);
  const state = findState(entity, record);
  const approval = useApprovalWords()(entity, record);
  const label = record._label ?? entity.one;
  const history = screen.sections.some(({ kind }) => kind === "history");
  const unseen = useUnseenChanges(entity, record, history);
  useReadNotifications(record.id);
  const { at, news } = unseen;
  /** Number of new comments by others, by entity. */
  const [newComments, setNewComments] = useState<{ readonly [entity: string]: number }>({});
  /** The last comment may wait for an answer. */
  const [isAsked, setAsked] = useState(false);

  const moving = useTransition(entity);
  const { next, look } = useNextWaiting(entity);
  const transit = async (transition: TransitionJson, body: Body): Promise<void> => {
    setFailed(null);
    await moving.transit(record, transition, body);
    void look(record, transition);
  };
  const { perform, toMenuItem, asked, close } = usePerform({
    entity,
    record,
    make: transit,
    onFailed: (transition, failure) => setFailed({ transition, failure }),
  });
  const acts = useRecordActs(entity, record, true);
  /** Its dialogs show the newest comments, for which they leave room. */
  const isDecided = acts.some(({ kind, refused }) => kind === "transition" && refused === null);

  const { entities } = useApplication();
  /** The conversation has a place of its own: beside the record, or below its other sections. */
  const shown = screen.sections.filter((section) => !isHidden(section, record));
  const talk = shown.find(
    (section) => section.kind === "list" && section.conversation !== undefined && section.entity in entities,
  );
  const [replies, setReplies] = useState(0);
  const comments = findCommentable(entities, talk, record);
  const reply = comments && { thing: comments.one, begin: () => setReplies((now) => now + 1), isAsked };
  const { addition, addingTo } = useAdditions(screen);
  const subject = { entity, record, label };
  const sections = {
    ...subject,
    unseen,
    onNewComments: (of: string, count: number, isToAnswer: boolean) => {
      setNewComments((now) => ({ ...now, [of]: count }));
      if (talk?.kind === "list" && of === talk.entity) setAsked(isToAnswer);
    },
    replies,
    addingTo,
  };
  const title = useFocusAfterAction(record.version);
  const edit = acts.find((act) => act.kind === "edit")?.href ?? null;
  const mendAt = (at: string) => {
    const field = at.slice(1);
    return edit !== null && record.may?.update.includes(field) ? `${edit}#${fieldId(field)}` : null;
  };
  useKeys({ e: () => edit !== null && navigation.go(edit) });

  return (
    <article className="record">
      <Progress shown={refreshing} />
      <RecordTrail entity={entity} record={record} />
      <header className={hasManyActions(entity) ? "record-head stacked" : "record-head"}>
        <div className="record-title">
          <h1 ref={title} tabIndex={-1}>
            <bdi>{keepTogether(label)}</bdi>
          </h1>
          {(state || at !== null) && (
            <div className="record-meta">
              {state && <StatePill state={state} />}
              {approval !== null && <span>{approval.sentence}</span>}
              <MissingActLine entity={entity} record={record} perform={perform} />
              <UpcomingEvents entity={entity} record={record} />
              {next && <NextRecord entity={entity} next={next} />}
              {at !== null && <UnseenChangesLine since={at} changes={news?.lines.length ?? 0} comments={newComments} />}
            </div>
          )}
        </div>
        <RecordActions
          entity={entity}
          record={record}
          label={label}
          acts={acts}
          reply={reply}
          addition={addition}
          busy={moving.pending?.transition.name ?? null}
          perform={perform}
          toMenuItem={toMenuItem}
        />
      </header>
      <div className={talk ? "columns talking" : "columns"}>
        <div className="record-body">
          {isDeleted && <DeletedNote entity={entity} />}
          {failed && <FailedTransition failed={failed} mendAt={mendAt} />}
          <RecordSections {...sections} of={shown.filter((section) => section !== talk)} />
        </div>
        {talk && (
          <div className="record-talk">
            <RecordSections {...sections} of={[talk]} />
          </div>
        )}
        <RecordAside entity={entity} record={record} history={history} fresh={news?.lines ?? []} />
      </div>
      <CommentCounts entity={entity} records={isDecided ? [record] : []}>
        <RecordActDialog {...subject} act={asked} make={transit} perform={perform} onClose={close} />
      </CommentCounts>
    </article>
  );
};

/** True for a list that this person cannot see on the record. */
const isHidden = (section: SectionJson, { _hidden }: RecordJson): boolean =>
  section.kind === "list" && section.conditional !== undefined && _hidden?.includes(section.conditional) !== false;

/** Moves the focus to the title after an action, because the pressed button may be gone. */
const useFocusAfterAction = (version: number): RefObject<HTMLHeadingElement | null> => {
  const title = useRef<HTMLHeadingElement>(null);
  const before = useRef(version);
  useEffect(() => {
    if (before.current === version) return;
    before.current = version;
    if (document.activeElement === document.body) title.current?.focus();
  }, [version]);
  return title;
};

/** Most records of an entity have up to this many actions beside their title. */
const MOST_BESIDE = 3;

/**
 * True if the actions have a line of their own. It depends on the entity, not on the actions of the record's state: they
 * would move everything below when the state changes.
 */
const hasManyActions = ({ states }: EntityJson): boolean => (states?.transitions.length ?? 0) > MOST_BESIDE;

const DeletedNote = ({ entity }: { entity: EntityJson }) => {
  const { say } = useWords();
  return (
    <div className="note warn" role="alert">
      <Icon name="alert" size={18} />
      <div className="grow">
        <h2>{say("record.gone.title", { thing: entity.one })}</h2>
        <p>{say("record.gone.words")}</p>
      </div>
    </div>
  );
};

interface FailedTransitionProps {
  readonly failed: Omit<RefusedTransitionNote, "record">;
  readonly mendAt: (at: string) => string | null;
}

const FailedTransition = ({ failed, mendAt }: FailedTransitionProps) => {
  const { say } = useWords();
  return (
    <ProblemNote
      title={
        failed.failure.kind === "refused" && failed.failure.problem.status === 412
          ? say("record.changed.meanwhile")
          : say("record.not.made", { transition: failed.transition.label })
      }
      failure={failed.failure}
      mendAt={mendAt}
    />
  );
};

export default RecordScreen;
