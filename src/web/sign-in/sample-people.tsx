import { toTitle } from "../../core/model/inflection.ts";
import type { SamplePersonJson } from "../../core/wire/application.ts";
import { useWords } from "../i18n/words.tsx";
import { Avatar } from "../ui/avatar.tsx";
import { Icon } from "../ui/icon.tsx";

interface SamplePeopleProps {
  readonly people: readonly SamplePersonJson[];
  /** The token of the person who is being signed in. */
  readonly waitsFor: string | null;
  readonly onEnter: (person: SamplePersonJson) => void;
  /** Signs in as the author, who begins in the workbench. */
  readonly onEdit: (author: SamplePersonJson) => void;
}

/** The people of a demonstration with what they do, and apart from them the author of the application. */
export const SamplePeople = ({ people, waitsFor, onEnter, onEdit }: SamplePeopleProps) => {
  const { say } = useWords();
  const isAuthor = ({ roles }: SamplePersonJson): boolean => roles.includes("administrator");
  return (
    <section className="sample" aria-labelledby="sample">
      <h2 id="sample">{say("trial.as")}</h2>
      <ul>
        {people
          .filter((person) => !isAuthor(person))
          .map((person, at, all) => (
            <li key={person.token}>
              <button
                type="button"
                className="sample-person"
                aria-busy={waitsFor === person.token || undefined}
                onClick={() => onEnter(person)}
              >
                <Avatar name={person.name} large />
                <span className="sample-name">
                  <span className="cut">
                    <bdi>{person.name}</bdi>
                    <RoleTitles titles={person.titles} />
                  </span>
                  {all.findIndex((candidate) => hasSameWork(candidate, person)) === at && <Work does={person.does} />}
                </span>
                <Icon name="next" />
              </button>
            </li>
          ))}
      </ul>
      <ul>
        {people.filter(isAuthor).map((author) => (
          <li key={author.token}>
            <button
              type="button"
              className="sample-person"
              aria-busy={waitsFor === author.token || undefined}
              onClick={() => onEdit(author)}
            >
              <span className="avatar large" aria-hidden="true">
                <Icon name="document" />
              </span>
              <span className="sample-name">
                <span className="cut">{say("trial.edit")}</span>
                <span className="small-words">{say("trial.edit.words", { name: author.name })}</span>
              </span>
              <Icon name="next" />
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
};

/** The work is named once for people with the same roles. */
const hasSameWork = (one: SamplePersonJson, other: SamplePersonJson): boolean =>
  one.titles.join() === other.titles.join();

const RoleTitles = ({ titles }: Pick<SamplePersonJson, "titles">) => {
  const { show } = useWords();
  return titles.length === 0 ? null : <span className="sample-role">{show.list(titles)}</span>;
};

/** Actions named for each kind of records. */
const MOST_ACTIONS = 3;

/** The work of a person: “Loans: Hand over, Decline and Take back”. */
const Work = ({ does }: Pick<SamplePersonJson, "does">) => {
  const { say, show } = useWords();
  return does.map(({ of, creates, transitions }) => {
    const all = [...(creates ? [say("trial.adds")] : []), ...transitions];
    const actions = all.length > MOST_ACTIONS ? `${all.slice(0, MOST_ACTIONS).join(", ")} …` : show.list(all);
    return (
      <span key={of} className="small-words">
        {say("trial.does", { things: toTitle(of), actions })}
      </span>
    );
  });
};
