import { useApplication } from "../app/app-context.tsx";
import { formatRelativeTime } from "../format/relative-time.ts";
import { useWords } from "../i18n/words.tsx";
import "./unseen-changes-line.css";

interface UnseenChangesLineProps {
  readonly since: string;
  /** Number of new history lines. */
  readonly changes: number;
  /** Number of new comments, by entity. */
  readonly comments: { readonly [entity: string]: number };
}

/** One line about changes by others since the previous visit, with a link to them; nothing if there are none. */
export const UnseenChangesLine = ({ since, changes, comments }: UnseenChangesLineProps) => {
  const { say, locale, timezone } = useWords();
  const { entities } = useApplication();
  const when = formatRelativeTime(since, Date.now(), locale, timezone);
  const all = [
    ...(changes > 0 ? [{ at: ".history", words: say("news.changes", { count: changes, since: when }) }] : []),
    ...Object.entries(comments).flatMap(([name, count]) => {
      const entity = entities[name];
      if (entity === undefined || count === 0) return [];
      const things = count === 1 ? entity.one : entity.many;
      return [{ at: ".conversation", words: say("news.said", { count, things, since: when }) }];
    }),
  ];
  return all.map(({ at, words }) => (
    <button key={at} type="button" className="news" onClick={() => leadTo(at)}>
      <span className="dot" />
      {words}
    </button>
  ));
};

/** Scrolls to the first new entry of a list and focuses it. */
const leadTo = (list: string): void => {
  const first = document.querySelector<HTMLElement>(`${list} [data-new]`);
  first?.scrollIntoView({ block: "center" });
  first?.focus({ preventScroll: true });
};
