import { useEffect } from "react";
import { useAddress, useClient } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { useToast } from "../../ui/overlay/toast.tsx";
import type { DraftSession } from "../draft/draft-session.ts";

/**
 * Opens the text that the address names as the draft: `?answer=6` a point to be decided, `?proposal=3` the text of a
 * proposal, `?version=12` that of an earlier version. The address loses the parameter, so that going back does not repeat
 * it.
 */
export const useLinkedText = (drafting: DraftSession, canChange: boolean, onAnswer: (point: number) => void): void => {
  const { navigation, calls } = useClient();
  const { path, search } = useAddress();
  const { say } = useWords();
  const toast = useToast();
  const parameters = new URLSearchParams(search);

  const point = parameters.get("answer");
  useEffect(() => {
    if (point === null || !canChange) return;
    navigation.go(path, "replace");
    onAnswer(Number(point));
  }, [point, canChange, onAnswer, navigation, path]);

  const proposal = parameters.get("proposal");
  useEffect(() => {
    if (proposal === null) return;
    navigation.go(path, "replace");
    Promise.all([calls.proposal(Number(proposal)), calls.document()]).then(
      ([value, live]) => {
        if (!value.may.edit) return toast(say("proposal.edit.closed"));
        const undo = drafting.open(value, live);
        return toast(say("proposal.edit.opened", { number: value.number }), undo ?? undefined);
      },
      () => toast(say("proposal.edit.closed")),
    );
  }, [proposal, navigation, path, calls, drafting, toast, say]);

  const version = parameters.get("version");
  useEffect(() => {
    if (version === null) return;
    navigation.go(`${path}?beside=plan`, "replace");
    if (!canChange) return;
    const number = Number(version);
    Promise.all([calls.version(number), calls.document()]).then(
      ([{ files }, live]) =>
        toast(say("versions.draft.opened", { number }), drafting.restore(files, live) ?? undefined),
      () => toast(say("versions.draft.failed", { number })),
    );
  }, [version, canChange, navigation, path, calls, drafting, toast, say]);
};
