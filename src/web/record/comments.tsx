import { type RefObject, useEffect, useId, useLayoutEffect, useRef, useState } from "react";
import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { ConversationJson } from "../../core/wire/screens.ts";
import { toFailureOf } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { useAddress, useApplication, useClient, usePerson } from "../app/app-context.tsx";
import { FieldValue } from "../field/field-value.tsx";
import { fields as views } from "../field/fields.ts";
import { getValue } from "../format/record-values.ts";
import { isReference } from "../format/value-shapes.ts";
import { useWords } from "../i18n/words.tsx";
import { COMMENTS } from "../routing/comment-section.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Button, IconButton } from "../ui/control/button.tsx";
import { FileAddressProvider } from "../ui/dom/file-address.tsx";
import { whenElementExists } from "../ui/dom/when-element-exists.ts";
import { Menu, type MenuItem } from "../ui/overlay/menu.tsx";
import { usePopup } from "../ui/overlay/popup.tsx";
import { useToast } from "../ui/overlay/toast.tsx";
import { FailedRegion, Progress, SkeletonLine } from "../ui/page/region-status.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import "./comments.css";
import { DeleteDialog } from "../actions/delete-dialog.tsx";
import { RefusedButton } from "../permissions/explain-button.tsx";
import { findReachedState } from "../workflow/workflow.ts";
import { CommentEditor } from "./comment-editor.tsx";
import { findCommentRefusal, mayComment } from "./may-comment.ts";
import { type ListSection, RelatedCount, useRelated } from "./use-related.tsx";

interface ConversationProps {
  readonly section: ListSection;
  readonly conversation: ConversationJson;
  readonly entity: EntityJson;
  /** The record that the comments are about. */
  readonly record: RecordJson;
  /** Time of the previous visit: later comments of others are new. */
  readonly since: string | null;
  /** Reports the number of new comments, and whether the last one may wait for an answer. */
  readonly onNew: (count: number, isToAnswer: boolean) => void;
  /** How often the button for a comment was pressed. Each press leads to the box, also before it is loaded. */
  readonly replies: number;
}

/** Number shown at first; earlier ones are loaded on request. */
const SHOWN = 20;

/** The comments on a record, newest last, with an input at the end. */
const Conversation = ({ section, conversation, entity, record, since, onNew, replies }: ConversationProps) => {
  const { say } = useWords();
  const person = usePerson();
  const headId = useId();
  const head = useRef<HTMLHeadingElement>(null);
  const {
    query,
    items: newest,
    count,
  } = useRelated(entity, section, record, {
    limit: SHOWN,
    may: "true",
    sort: "-created_at",
  });
  const failure = toFailureOf(query);
  useLeadToComments(head, newest.length > 0);
  // The query returns the newest first.
  const items = newest.toReversed();
  const fresh = items.filter((item) => {
    const author = getValue(item, conversation.author);
    const own = isReference(author) && author.id === person?.id;
    return since !== null && !own && Date.parse(item.created_at) > Date.parse(since);
  });
  const mayAdd = mayComment(entity, section.by, conversation);
  const notNow = findCommentRefusal(entity, section.by, record);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (replies === 0 || box.current === null) return;
    const pressed = document.activeElement;
    return whenElementExists(box.current, "textarea", (area) => {
      // Anything that has taken the focus meanwhile keeps it.
      if ([pressed, document.body].includes(document.activeElement)) area.focus();
    });
  }, [replies]);
  const saySent = useSentNote(entity, section.by, record);
  const last = items.at(-1);
  const lastAuthor = last && getValue(last, conversation.author);
  const isOwn = isReference(lastAuthor) && lastAuthor.id === person?.id;
  // A later change of the record, such as a solution, may be the answer.
  const isToAnswer = last !== undefined && !isOwn && Date.parse(last.created_at) >= Date.parse(record.updated_at);
  // biome-ignore lint/correctness/useExhaustiveDependencies: report changes only
  useEffect(() => onNew(fresh.length, isToAnswer), [fresh.length, isToAnswer]);
  const { list, scrolls } = useScrolledToEnd({ id: last?.id, isOwn }, items.length);
  const many = entity.fields.find((field) => field.name === section.by)?.many === true;

  return (
    <section className="related conversation" aria-labelledby={headId} aria-busy={query.isFetching}>
      <Progress shown={query.isFetching && !query.isPending} />
      <header className="conversation-head">
        <h2 id={headId} ref={head} tabIndex={-1}>
          {section.title}
        </h2>
        <RelatedCount of={count} />
      </header>
      {query.hasNextPage && (
        <Button small look="quiet" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {say("conversation.earlier")}
        </Button>
      )}
      {failure && items.length === 0 ? (
        <FailedRegion failure={failure} retry={() => void query.refetch()} />
      ) : query.isPending ? (
        <div className="history-bones" aria-hidden="true">
          <SkeletonLine width="60%" />
          <SkeletonLine width="40%" />
        </div>
      ) : items.length > 0 ? (
        <ol ref={list} tabIndex={scrolls ? 0 : undefined} aria-labelledby={headId}>
          {items.map((item) => (
            <Comment
              key={item.id}
              entity={entity}
              by={section.by}
              conversation={conversation}
              item={item}
              fresh={fresh.includes(item)}
            />
          ))}
        </ol>
      ) : (
        !mayAdd && <p className="related-none">{say("list.empty", { things: entity.many })}</p>
      )}
      {mayAdd && notNow !== undefined && (
        <RefusedButton label={say("related.add", { thing: entity.one })} why={notNow} />
      )}
      {mayAdd && notNow === undefined && (
        <div className={replies === 0 ? "say" : "say asked-for"} ref={box}>
          <Avatar name={person?.name ?? ""} of={person?.id} large />
          <CommentEditor
            entity={entity}
            conversation={conversation}
            open={entity.create ?? []}
            record={null}
            about={record.id}
            fixed={{ [section.by]: many ? [record.id] : record.id }}
            onSent={saySent}
          />
        </div>
      )}
    </section>
  );
};

export default Conversation;

/** An address that names the comments leads to the first of the lists that has any, once. */
const useLeadToComments = (head: RefObject<HTMLElement | null>, hasComments: boolean): void => {
  const { visit } = useAddress();
  const led = useRef<number | null>(null);
  useEffect(() => {
    if (!hasComments || led.current === visit || location.hash !== COMMENTS) return;
    led.current = visit;
    history.replaceState(history.state, "", location.pathname + location.search);
    head.current?.scrollIntoView({ block: "start" });
    head.current?.focus({ preventScroll: true });
  }, [hasComments, visit, head]);
};

/** Says that a comment was sent if it has also changed the state of the record: an answer can put it back to work. */
const useSentNote = (comments: EntityJson, by: string, record: RecordJson): (() => void) => {
  const { queries } = useClient();
  const { entities } = useApplication();
  const { say } = useWords();
  const toast = useToast();
  const entity = entities[comments.fields.find(({ name }) => name === by)?.entity ?? ""];
  return () => {
    if (entity === undefined) return;
    // The page and its dialogs each have an answer of their own: the newest counts.
    const known = queries.getQueriesData<RecordJson>({ queryKey: keys.record(entity.calls, record.id) });
    const [after] = known.flatMap(([, data]) => data ?? []).toSorted((one, other) => other.version - one.version);
    const reached = after && findReachedState(entity, [{ before: record, after }]);
    if (reached)
      toast(say("conversation.sent.moved", { state: reached.label, label: after._label ?? entity.one }), undefined, {
        mark: reached.mark,
      });
  };
};

/** Pixels from the end that still count as the end. */
const NEAR = 8;

interface Newest {
  readonly id: string | undefined;
  /** True for the person's own comment. */
  readonly isOwn: boolean;
}

/**
 * Beside a record, comments scroll on their own if there are many, and the newest is at the end. They stay where
 * somebody reads earlier ones while others comment.
 */
const useScrolledToEnd = ({ id, isOwn }: Newest, count: number) => {
  const list = useRef<HTMLOListElement>(null);
  const isAtEnd = useRef(true);
  const [scrolls, setScrolls] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another newest comment scrolls
  useLayoutEffect(() => {
    if (id === undefined || list.current === null) return;
    if (isAtEnd.current || isOwn) list.current.scrollTop = list.current.scrollHeight;
  }, [id]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other comments are other elements
  useEffect(() => {
    const element = list.current;
    if (element === null) return;
    const measure = () => setScrolls(element.scrollHeight > element.clientHeight + 1);
    const look = () => {
      isAtEnd.current = element.scrollTop + element.clientHeight >= element.scrollHeight - NEAR;
    };
    // Its own size, and those of its comments: a picture can arrive later.
    const observer = new ResizeObserver(measure);
    for (const one of [element, ...element.children]) observer.observe(one);
    element.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", look);
    };
  }, [id, count]);
  return { list, scrolls };
};

interface CommentProps {
  readonly entity: EntityJson;
  readonly by: string;
  readonly conversation: ConversationJson;
  readonly item: RecordJson;
  /** True if the user has not seen it yet. */
  readonly fresh: boolean;
}

/** A comment: author, time, text, and unusual field values. */
const Comment = ({ entity, by, conversation, item, fresh }: CommentProps) => {
  const { say, show } = useWords();
  const { permissionQuestion } = useClient();
  const menu = usePopup();
  const [doing, setDoing] = useState<"edit" | "delete" | null>(null);
  const author = getValue(item, conversation.author);
  const authorPerson = isReference(author) ? author : null;
  const name = authorPerson?.label ?? null;
  const text = entity.fields.find((field) => field.name === conversation.text);
  const [marks, more] = splitFurtherFields(entity, item, [by, conversation.author, conversation.text]);
  const label = say("conversation.one", {
    person: name ?? say("conversation.nobody"),
    at: show.moment(item.created_at),
  });
  const ask = (what: string) => () => permissionQuestion.set({ entity: entity.name, record: item.id, what });
  const { may } = item;
  const items: readonly MenuItem[] = [
    ...(may?.update.length
      ? [{ key: "edit", label: say("record.edit"), icon: "edit" as const, act: () => setDoing("edit") }]
      : may?.updateRefused
        ? [{ key: "edit", label: say("record.edit"), refused: may.updateRefused, ask: ask("update") }]
        : []),
    ...(may?.delete
      ? [{ key: "delete", label: say("record.delete"), icon: "delete" as const, act: () => setDoing("delete") }]
      : may?.deleteRefused
        ? [{ key: "delete", label: say("record.delete"), refused: may.deleteRefused, ask: ask("delete") }]
        : []),
  ];

  return (
    <li
      className="said"
      data-marked={marks.length > 0 || undefined}
      data-new={fresh || undefined}
      tabIndex={fresh ? -1 : undefined}
    >
      <Avatar name={name ?? "?"} of={authorPerson?.id} large />
      <div className="said-body">
        <p className="said-head">
          <b>
            <bdi>{name ?? say("conversation.nobody")}</bdi>
          </b>
          <span className="said-when">
            <RelativeTime at={item.created_at} />
          </span>
          {fresh && (
            <>
              <span className="dot" />
              <span className="hidden-words">{say("news.new")}</span>
            </>
          )}
          {marks.map((field) => (
            <span key={field.name} className="said-mark" title={field.label}>
              <FieldValue field={field} value={getValue(item, field.name)} cell />
            </span>
          ))}
          {item.version > 1 && <span className="said-when">{say("conversation.edited")}</span>}
          {items.length > 0 && doing !== "edit" && (
            <span className={items.every(({ refused }) => refused) ? "said-more from-tablet" : "said-more"}>
              <IconButton
                icon="more"
                small
                label={say("record.more", { label })}
                aria-haspopup="menu"
                {...menu.control}
              />
              <Menu popup={menu} label={say("record.more", { label })} items={items} />
            </span>
          )}
        </p>
        {doing === "edit" ? (
          <CommentEditor
            entity={entity}
            conversation={conversation}
            open={may?.update ?? []}
            record={item}
            about={item.id}
            fixed={{}}
            onClose={() => setDoing(null)}
          />
        ) : (
          <FileAddressProvider entity={entity} record={item}>
            {text && (
              <div className="said-text">
                <FieldValue field={text} value={getValue(item, conversation.text)} />
              </div>
            )}
            {more.map((field) => (
              <div key={field.name} className="said-files">
                <FieldValue field={field} value={getValue(item, field.name)} />
              </div>
            ))}
          </FileAddressProvider>
        )}
      </div>
      {doing === "delete" && (
        <DeleteDialog entity={entity} record={item} label={label} stays onClose={() => setDoing(null)} />
      )}
    </li>
  );
};

/** Further fields of a comment: as marks if they differ from the default, or below it if present. */
const splitFurtherFields = (
  entity: EntityJson,
  item: RecordJson,
  notified: readonly string[],
): readonly [marks: readonly FieldJson[], more: readonly FieldJson[]] => {
  const others = entity.fields.filter(({ name }) => name in item && !notified.includes(name) && !isMoment(name));
  const marks = others.filter((field) => field.type === "choice" || field.type === "boolean");
  return [
    marks.filter((field) => isUnusual(field, item)),
    others.filter((field) => !marks.includes(field) && !isEmpty(getValue(item, field.name)) && views[field.type].wide),
  ];
};

const isMoment = (name: string): boolean => name === "created_at" || name === "updated_at";

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0);

const isUnusual = (field: FieldJson, item: RecordJson): boolean => {
  const value = getValue(item, field.name);
  if (isEmpty(value) || value === false) return false;
  const usual = typeof field.default === "object" && "value" in field.default ? field.default.value : undefined;
  return usual === undefined || JSON.stringify(usual) !== JSON.stringify(value);
};
