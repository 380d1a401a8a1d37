import { useWords } from "../i18n/words.tsx";
import { StateWord } from "../ui/state-mark.tsx";
import { useRoleWords } from "../ui/use-role-names.ts";
import type { NextState, NextStateTransition } from "./workflow.ts";
import "./next-states.css";

/** The next possible states, with their transitions and the people who can make them. */
export const NextStates = ({ following }: { following: readonly NextState[] }) => {
  const { say, show } = useWords();
  const describeActors = useActorWords();
  if (following.length === 0) return null;
  return (
    <li className="path-next">
      <span />
      <ul className="next" aria-label={say("standing.next")}>
        {following.map(({ state, ways }) => (
          <li key={state.name}>
            <StateWord state={state} />
            <ul className="next-ways">
              {ways.map((way) => (
                <li key={way.transition.name}>
                  {way.progress === null || way.progress.needed < 2
                    ? say("standing.way", { transition: way.transition.label, who: describeActors(way) })
                    : say("standing.way.several", {
                        transition: way.transition.label,
                        who: describeActors(way),
                        made: show.number(way.progress.people.length),
                        needed: show.number(way.progress.needed),
                      })}
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </li>
  );
};

/** "you, or automatically, 4 Dec 2026". */
const useActorWords = () => {
  const { say, show } = useWords();
  const roleWords = useRoleWords();
  return ({ transition, you, people, roles, at }: NextStateTransition): string => {
    const { itself } = transition;
    const when = at === null ? itself : at.length > 10 ? show.dayOf(at) : show.date(at);
    const alone = when ? say("standing.alone.when", { when }) : say("standing.alone");
    return show.list(
      [
        ...(you ? [say("standing.you")] : []),
        ...people,
        ...new Set(roles.map(({ role, title }) => roleWords.one(role, title))),
        ...(itself === undefined ? [] : [alone]),
      ],
      "disjunction",
    );
  };
};
