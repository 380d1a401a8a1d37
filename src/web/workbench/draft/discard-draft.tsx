import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { PreviewUseJson } from "../../../core/wire/authoring/previews.ts";
import { keys } from "../../api/query-keys.ts";
import { useClient } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { useToast } from "../../ui/overlay/toast.tsx";
import { describePreviewUse, losesWork } from "../../ui/page/end-preview.tsx";
import type { DraftSession, DraftState } from "./draft-session.ts";

/**
 * Discards the draft, and ends its previews. If others are signed in to one of them, or somebody changed something in it,
 * `question` asks first: undoing brings the draft back, but not its previews.
 */
export const useDiscard = (drafting: DraftSession, { previews }: DraftState) => {
  const { calls, queries } = useClient();
  const { say } = useWords();
  const toast = useToast();
  const [uses, setUses] = useState<readonly PreviewUseJson[]>([]);
  const discard = () => {
    setUses([]);
    toast(say(previews.length === 0 ? "workbench.dropped" : "workbench.dropped.previews"), drafting.discard());
    for (const preview of previews) {
      // One that cannot be reached ends by itself within a day.
      const ended = calls.removePreview(preview).catch(() => undefined);
      void ended.then(() => queries.invalidateQueries({ queryKey: keys.previews }));
    }
  };
  const asking = useMutation({
    // A preview that has ended already has nobody in it.
    mutationFn: () => Promise.all(previews.map((preview) => calls.previewUse(preview).catch(() => undefined))),
    retry: false,
    onSuccess: (found) => {
      const used = found.filter((use) => use !== undefined).filter(losesWork);
      if (used.length > 0) setUses(used);
      else discard();
    },
  });
  return {
    ask: () => {
      if (previews.length === 0) discard();
      else if (!asking.isPending) asking.mutate();
    },
    question: uses.length > 0 && <DiscardDialog uses={uses} onDiscard={discard} onClose={() => setUses([])} />,
  };
};

const DiscardDialog = ({
  uses,
  onDiscard,
  onClose,
}: {
  readonly uses: readonly PreviewUseJson[];
  readonly onDiscard: () => void;
  readonly onClose: () => void;
}) => {
  const words = useWords();
  const { say } = words;
  return (
    <Dialog title={say("workbench.drop.title")} onClose={onClose}>
      <div className="dialog-words">
        <p>{say("workbench.drop.used", { count: uses.length })}</p>
        {uses.map((use) => (
          <p key={describePreviewUse(use, words)}>{describePreviewUse(use, words)}</p>
        ))}
      </div>
      <footer className="dialog-foot">
        <Button look="danger" onClick={onDiscard}>
          {say("workbench.drop.previews")}
        </Button>
        <Button onClick={onClose}>{say("workbench.drop.not")}</Button>
      </footer>
    </Dialog>
  );
};
