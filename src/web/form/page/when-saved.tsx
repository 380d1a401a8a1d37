import type { EntityJson } from "../../../core/wire/entities.ts";
import { usePerson } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { StateMark } from "../../ui/state-mark.tsx";
import { NextStates } from "../../workflow/next-states.tsx";
import { findInitialState, nextStatesAfterCreate } from "../../workflow/workflow.ts";

/** The state of a new record and its next transitions, as stated in point 4. */
export const WhenSaved = ({ entity }: { entity: EntityJson }) => {
  const { say } = useWords();
  const person = usePerson();
  const first = findInitialState(entity);
  if (!first) return null;
  return (
    <aside className="aside">
      <h2>{say("form.when.saved")}</h2>
      <ol className="path">
        <li>
          <StateMark mark={first.mark} />
          <div>
            <b>{first.label}</b>
            <p className="small-words">{say("form.begins")}</p>
          </div>
        </li>
        <NextStates following={nextStatesAfterCreate(entity, person)} />
      </ol>
    </aside>
  );
};
