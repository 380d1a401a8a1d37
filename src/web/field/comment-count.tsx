import { useQueries } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useMemo, useRef } from "react";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { COMMENTS, type CommentSection, findCommentSections } from "../routing/comment-section.ts";
import { Icon } from "../ui/icon.tsx";
import { keepParts } from "./comment-parts.ts";
import "./comment-count.css";

interface Counts {
  /** The entity of the comments. */
  readonly entity: EntityJson;
  /** By the id of the record. */
  readonly of: ReadonlyMap<string, number>;
}

const none: readonly Counts[] = [];

/** Records can have several kinds of comments, such as those to customers and internal ones. */
const CountsContext = createContext(none);

interface CommentCountsProps {
  readonly entity: EntityJson;
  readonly records: readonly RecordJson[];
  readonly children: ReactNode;
}

/** Counts the comments on all these records together, as far as the reader can read them, for the marks inside. */
export const CommentCounts = ({ children, ...props }: CommentCountsProps) => {
  const sections = findCommentSections(useApplication(), props.entity.name);
  const counted = sections.reduceRight<ReactNode>(
    (inside, section) => (
      <Counting key={`${section.entity.name}.${section.by.name}`} {...props} section={section}>
        {inside}
      </Counting>
    ),
    children,
  );
  return <CountsContext value={none}>{counted}</CountsContext>;
};

const Counting = ({ section, records, children }: CommentCountsProps & { readonly section: CommentSection }) => {
  const { calls } = useClient();
  const { entity, by } = section;
  const partsBefore = useRef<readonly (readonly string[])[]>([]);
  const parts = keepParts(
    partsBefore.current,
    records.map(({ id }) => id),
  );
  partsBefore.current = parts;
  const answers = useQueries({
    queries: parts.map((ids) => {
      const query = new URLSearchParams({ "groups.by": by.name });
      for (const id of ids.toSorted()) query.append(by.name, id);
      return {
        queryKey: keys.groups(entity.calls, query.toString()),
        queryFn: ({ signal }: { signal: AbortSignal }) => calls.groups(entity.calls, query, signal),
      };
    }),
  });
  // After one row has left, the marks of the others stay until the next answer.
  const known = useRef<Counts>({ entity, of: new Map() });
  const now = new Map(
    parts.flatMap((ids, at) => {
      const groups = answers[at]?.data?.groups;
      const counted = groups && new Map(groups.map(({ key, count }) => [key, count]));
      return ids.flatMap((id) => {
        const count = (counted ?? known.current.of).get(id) ?? 0;
        return count === 0 ? [] : [[id, count] as const];
      });
    }),
  );
  const before = known.current.of;
  if (now.size !== before.size || [...now].some(([id, count]) => before.get(id) !== count))
    known.current = { entity, of: now };
  const own = known.current;
  const others = useContext(CountsContext);
  const all = useMemo(() => [...others, own], [others, own]);
  return <CountsContext value={all}>{children}</CountsContext>;
};

/** Draws what measures rows again when their comments have been counted. */
export const useCountedComments = (): unknown => useContext(CountsContext);

/** The number of comments on a record, of one kind or of all; 0 also until they are counted. */
export const useCommentCount = ({ id }: Pick<RecordJson, "id">, of?: EntityJson): number =>
  useContext(CountsContext).reduce(
    (sum, counts) => (of === undefined || counts.entity === of ? sum + (counts.of.get(id) ?? 0) : sum),
    0,
  );

/** The number of comments on a record, in words; null if there are none. */
export const useCommentWords = ({ id }: Pick<RecordJson, "id">): string | null => {
  const { say, show } = useWords();
  const words = useContext(CountsContext).flatMap(({ entity, of }) => {
    const count = of.get(id) ?? 0;
    return count === 0 ? [] : [say("bulk.things", { count, thing: entity.one, things: entity.many })];
  });
  return words.length === 0 ? null : show.list(words);
};

interface CommentMarkProps {
  readonly record: Pick<RecordJson, "id">;
  /** True if the description of the link that contains it says the same. */
  readonly isTold?: boolean;
}

/** A quiet mark with the number of comments on a record; nothing if there are none. */
export const CommentMark = ({ record, isTold = false }: CommentMarkProps) => {
  const { show } = useWords();
  const words = useCommentWords(record);
  const count = useCommentCount(record);
  if (words === null) return null;
  return (
    <span
      className="comment-mark figures"
      {...(isTold ? { "aria-hidden": true } : { role: "img", "aria-label": words })}
      title={words}
      data-leads={COMMENTS}
      // Drawn by the style sheet: the name of the link does not contain it.
      data-count={show.number(count)}
    >
      <Icon name="comment" size={14} />
    </span>
  );
};

interface NamedWithCommentsProps {
  readonly record: RecordJson;
  /** A number behind the name, which is never cut off. */
  readonly count?: ReactNode | false;
  readonly children: ReactNode;
}

/** The name of a record in a row, which is cut off before the marks behind it are. */
export const NamedWithComments = ({ record, count = false, children }: NamedWithCommentsProps) =>
  useCommentWords(record) === null && count === false ? (
    children
  ) : (
    <span className="with-comments">
      <span className="cut">{children}</span>
      {count}
      <CommentMark record={record} isTold />
    </span>
  );
