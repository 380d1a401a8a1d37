import { useApplication, usePerson } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import type { DraftState } from "../draft/draft-session.ts";

interface DraftStatusProps {
  readonly drafted: DraftState;
  /** The number of changed lines. */
  readonly lines: number;
  readonly errors: number;
  readonly onDiscard: () => void;
  readonly onErrors: () => void;
  readonly onPublish: () => void;
}

/** The live version, the state of the draft, and the buttons to discard and to publish it. */
export const DraftStatus = ({ drafted, lines, errors, onDiscard, onErrors, onPublish }: DraftStatusProps) => {
  const { say } = useWords();
  const { version } = useApplication();
  const rights = usePerson()?.changes;
  const proposes = rights?.publish !== true && rights?.propose === true;
  const { changed, proposal } = drafted;
  return (
    <>
      <span className="workbench-version from-tablet">
        {proposal === null
          ? say("workbench.version", { version })
          : say("proposal.editing", { number: proposal.number })}
        {changed && <b> · {say("workbench.draft", { lines, findings: errors })}</b>}
      </span>
      {changed && (
        <>
          <Button small look="quiet" onClick={onDiscard}>
            {say("workbench.drop")}
          </Button>
          <Button
            small
            look={errors > 0 ? "plain" : "primary"}
            {...(errors > 0 && {
              className: "refused",
              "aria-disabled": true,
              title: say("workbench.apply.errors", { findings: errors }),
            })}
            onClick={errors > 0 ? onErrors : onPublish}
          >
            {say(proposes ? "proposal.propose.draft" : "workbench.apply")}
          </Button>
        </>
      )}
    </>
  );
};
