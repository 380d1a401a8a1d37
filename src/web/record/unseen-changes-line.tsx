import { useApplication } from "../app/app-context.tsx";
import { sinceWords } from "../format/relative-time.ts";
import { useWords } from "../i18n/words.tsx";

interface NewsLineProps {
  readonly since: string;
  /** Lines of history that are new. */
  readonly changes: number;
  /** How much was said, by the entity of what is said. */
  readonly said: { readonly [entity: string]: number };
}

/** What others did since one looked, in one line that leads to it. Nothing where nothing happened. */
export const NewsLine = ({ since, changes, said }: NewsLineProps) => {
  const { say, locale, timezone } = useWords();
  const { entities } = useApplication();
  const when = sinceWords(since, Date.now(), locale, timezone);
  const all = [
    ...(changes > 0 ? [{ at: ".history", words: say("news.changes", { count: changes, since: when }) }] : []),
    ...Object.entries(said).flatMap(([name, count]) => {
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

/** To the first that is new in a list: it is shown, and holds focus for whoever goes on by keyboard. */
const leadTo = (list: string): void => {
  const first = document.querySelector<HTMLElement>(`${list} [data-new]`);
  first?.scrollIntoView({ block: "center" });
  first?.focus({ preventScroll: true });
};
