import { useQuery } from "@tanstack/react-query";
import { useLayoutEffect, useRef, useState } from "react";
import { limitPage } from "../../core/derive/http/list-query.ts";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { toFailureOf } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient } from "../app/app-context.tsx";
import { useCommentCount } from "../field/comment-count.tsx";
import { FieldValue } from "../field/field-value.tsx";
import { getValue } from "../format/record-values.ts";
import { isReference } from "../format/value-shapes.ts";
import { useWords } from "../i18n/words.tsx";
import { COMMENTS, type CommentSection, findCommentSections } from "../routing/comment-section.ts";
import { recordAddress } from "../routing/routes.ts";
import { Link } from "../ui/link.tsx";
import { useReadFailureWords } from "../ui/page/problem-note.tsx";
import { SkeletonLine } from "../ui/page/region-status.tsx";
import { RelativeTime } from "../ui/relative-time.tsx";
import "./recent-comments.css";

/** The number of comments that are shown at most. */
const MOST = 3;

/** Of the lines in their places, while they are loading. */
const widths = ["80%", "92%", "68%"];

interface RecentCommentsProps {
  readonly entity: EntityJson;
  readonly record: Pick<RecordJson, "id">;
  /** Texts that the dialog shows elsewhere, such as the question that is answered. */
  readonly besides: readonly unknown[];
  /** Called when the link to all comments is followed. */
  readonly onLeave: () => void;
}

/** The newest comments on the record of a decision, which its reader should know. Nothing if there are none. */
export const RecentComments = (props: RecentCommentsProps) =>
  findCommentSections(useApplication(), props.entity.name).map((section) => (
    <CommentsOf key={`${section.entity.name}.${section.by.name}`} {...props} section={section} />
  ));

const CommentsOf = ({
  entity,
  record,
  besides,
  section,
  onLeave,
}: RecentCommentsProps & { readonly section: CommentSection }) => {
  const { calls } = useClient();
  const { screens } = useApplication();
  const { say, show } = useWords();
  const { entity: comments, by, conversation, title } = section;
  const search = new URLSearchParams({
    [by.name]: record.id,
    sort: "-created_at",
    limit: String(limitPage(screens, MOST)),
    count: "true",
  });
  const query = useQuery({
    queryKey: keys.drawn(comments.calls, search.toString()),
    queryFn: ({ signal }) => calls.list(comments.calls, search, signal),
  });
  const failureWords = useReadFailureWords();
  const failure = query.data === undefined ? toFailureOf(query) : null;
  // The marks in the rows have counted them: the button below must not move from under the pointer.
  const expected = useCommentCount(record, comments);
  const { count = expected } = query.data ?? {};
  const items = (query.data?.items ?? []).filter((item) => !besides.includes(getValue(item, conversation.text)));
  const { list, isCut } = useCutTexts(items.length);
  const awaited = query.isPending ? Math.min(expected, MOST) : 0;
  if (failure === null && items.length + awaited === 0) return null;
  const text = comments.fields.find(({ name }) => name === conversation.text);
  const address = recordAddress(screens, entity.name, record.id);
  const isAll = !isCut && count === (query.data === undefined ? awaited : query.data.items.length);
  return (
    <section className="recent-comments" aria-label={title}>
      <p>
        {title}
        {count !== 0 && <span className="figures">{typeof count === "number" ? show.number(count) : count}</span>}
        {address !== null && failure === null && !isAll && (
          <Link className="link" href={`${address}${COMMENTS}`} onFollow={onLeave}>
            {say("conversation.all")}
          </Link>
        )}
      </p>
      {failure !== null ? (
        <p className="small-words">{failureWords(failure)}</p>
      ) : (
        <ol ref={list} aria-busy={query.isPending}>
          {widths.slice(0, awaited).map((width) => (
            <li key={width} aria-hidden="true">
              <SkeletonLine width="40%" />
              <SkeletonLine width={width} />
            </li>
          ))}
          {/* The newest last, as in the record. */}
          {items.toReversed().map((item) => {
            const author = getValue(item, conversation.author);
            return (
              <li key={item.id}>
                <p className="recent-comment-head">
                  <b>
                    <bdi>{isReference(author) ? author.label : say("conversation.nobody")}</bdi>
                  </b>{" "}
                  <span className="recent-comment-when">
                    <RelativeTime at={item.created_at} />
                  </span>
                </p>
                {text && (
                  <div className="recent-comment-text">
                    <FieldValue field={text} value={getValue(item, conversation.text)} />
                  </div>
                )}
              </li>
            );
          })}
        </ol>
      )}
    </section>
  );
};

/** True if a text has more lines than it shows. */
const useCutTexts = (count: number) => {
  const list = useRef<HTMLOListElement>(null);
  const [isCut, setCut] = useState(false);
  useLayoutEffect(() => {
    const texts = count === 0 ? [] : [...(list.current?.querySelectorAll(".recent-comment-text") ?? [])];
    setCut(texts.some((text) => text.scrollHeight > text.clientHeight + 1));
  }, [count]);
  return { list, isCut };
};
