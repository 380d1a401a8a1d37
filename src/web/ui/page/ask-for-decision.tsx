import { useMutation } from "@tanstack/react-query";
import type { DecisionRequest } from "../../../core/wire/authoring/questions.ts";
import { useClient } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../control/button.tsx";

/** Lets a user ask the author about an undecided permission. */
export const AskForDecision = ({ question }: { question: DecisionRequest }) => {
  const { calls } = useClient();
  const { say } = useWords();
  const ask = useMutation({ mutationFn: () => calls.askForDecision(question), retry: false });
  return (
    <span className="may-undecided" role="status">
      {ask.isSuccess ? (
        say("may.asked")
      ) : (
        <Button small busy={ask.isPending} onClick={() => ask.mutate()}>
          {say("may.ask.decision")}
        </Button>
      )}
      {ask.isError && ` ${say("broken.title")}`}
    </span>
  );
};
