import { type RefObject, useEffect, useRef } from "react";
import type { SamplePersonJson } from "../../core/wire/application.ts";
import { useWords } from "../i18n/words.tsx";
import { Avatar } from "../ui/avatar.tsx";
import { useArrows } from "../ui/dom/use-arrow-stops.ts";
import { Icon } from "../ui/icon.tsx";

interface SamplePeopleProps {
  readonly people: readonly SamplePersonJson[];
  /** The token of the person who is being signed in. */
  readonly waitsFor: string | null;
  readonly onEnter: (person: SamplePersonJson) => void;
  /** Signs in as the author, who begins in the workbench. */
  readonly onEdit: (author: SamplePersonJson) => void;
}

/** Arrow keys lead through the people, as through the rows of a list: also the first one after the page has opened. */
const usePeopleArrows = (region: RefObject<HTMLElement | null>): void => {
  useArrows(region, "button");
  useEffect(() => {
    const begin = (event: KeyboardEvent) => {
      const isNowhere = document.activeElement === document.body || document.activeElement?.id === "main";
      if (event.key !== "ArrowDown" || !isNowhere || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      region.current?.querySelector("button")?.focus();
    };
    addEventListener("keydown", begin);
    return () => removeEventListener("keydown", begin);
  }, [region]);
};

/** The people of a demonstration with what they do, and apart from them the author of the application. */
export const SamplePeople = ({ people, waitsFor, onEnter, onEdit }: SamplePeopleProps) => {
  const { say } = useWords();
  const region = useRef<HTMLElement>(null);
  usePeopleArrows(region);
  const isAuthor = ({ roles }: SamplePersonJson): boolean => roles.includes("administrator");
  return (
    <section ref={region} className="sample" aria-labelledby="sample">
      <h2 id="sample">{say("trial.as")}</h2>
      <ul>
        {people
          .filter((person) => !isAuthor(person))
          .map((person) => (
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
                  {person.does.map((sentence) => (
                    <span key={sentence} className="small-words">
                      {sentence}
                    </span>
                  ))}
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

const RoleTitles = ({ titles }: Pick<SamplePersonJson, "titles">) => {
  const { show } = useWords();
  return titles.length === 0 ? null : <span className="sample-role">{show.list(titles)}</span>;
};
