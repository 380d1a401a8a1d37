import type { Following } from "../client/standing.ts";
import { StateWord } from "../part/state-mark.tsx";
import { useRoleWords } from "../people/role-words.ts";
import { useWords } from "../words/words.tsx";

/** The last step of a path: the states that can follow, and who may take the record there. */
export const NextStates = ({ following }: { following: readonly Following[] }) => {
  const { say, show } = useWords();
  const roleWords = useRoleWords();
  if (following.length === 0) return null;
  return (
    <li className="path-next">
      <span />
      <ul className="next" aria-label={say("standing.next")}>
        {following.map(({ state, permitted, by }) => (
          <li key={state.name}>
            <StateWord state={state} />
            <span className="next-who">
              {permitted ? say("standing.you") : by.length > 0 ? show.list(by.map(roleWords.one), "disjunction") : null}
            </span>
          </li>
        ))}
      </ul>
    </li>
  );
};
