import { useId } from "react";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { getControlLabel, type TransitionAct } from "./record-acts.ts";
import "./acts-instead.css";

interface ActsInsteadProps {
  readonly acts: readonly TransitionAct[];
  readonly choose: (act: TransitionAct) => void;
}

/** The transitions that are possible in the place of a refused one. */
export const ActsInstead = ({ acts, choose }: ActsInsteadProps) => {
  const { say } = useWords();
  const lead = useId();
  if (acts.length === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of commands, not of fields
    <div className="acts-instead" role="group" aria-labelledby={lead}>
      <p id={lead}>{say("transition.instead")}</p>
      {acts.map((act) => (
        <Button key={act.key} small onClick={() => choose(act)}>
          {getControlLabel(act, say)}
        </Button>
      ))}
    </div>
  );
};
