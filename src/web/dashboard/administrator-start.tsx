import type { WordId } from "../../core/i18n/catalogue.ts";
import { useWords } from "../i18n/words.tsx";
import { Icon, type IconName } from "../ui/icon.tsx";
import { Link } from "../ui/link.tsx";
import "./administrator-start.css";

/** The work of an administrator, each with its page. */
const tasks: readonly {
  readonly href: string;
  readonly icon: IconName;
  readonly title: WordId;
  readonly words: WordId;
}[] = [
  { href: "/workbench/document", icon: "document", title: "start.document", words: "start.document.words" },
  { href: "/workbench/people", icon: "people", title: "start.people", words: "start.people.words" },
  { href: "/workbench/who", icon: "lock", title: "start.who", words: "start.who.words" },
];

/** Replaces the empty dashboard of an administrator without a role. */
export const AdministratorStart = () => {
  const { say } = useWords();
  return (
    <section className="administrator-start" aria-labelledby="administrator-start">
      <h2 id="administrator-start">{say("start.title")}</h2>
      <p className="small-words">{say("overview.bare")}</p>
      <ul>
        {tasks.map(({ href, icon, title, words }) => (
          <li key={href}>
            <Link href={href} className="administrator-task">
              <Icon name={icon} size={18} />
              <span>
                <b>{say(title)}</b>
                <span className="small-words">{say(words)}</span>
              </span>
              <Icon name="next" />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
};
