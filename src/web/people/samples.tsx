import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { Button } from "../ui/control/button.tsx";
import { useToast } from "../ui/overlay/toast.tsx";
import { ActDialog } from "../ui/page/act-dialog.tsx";

/** Marks the account of a sample person. */
export const SampleMark = () => {
  const { say } = useWords();
  return <span className="sample-mark">{say("people.sample")}</span>;
};

/** Removes all sample people and records, after a question. `count`: the number of sample people. */
export const RemoveSamples = ({ count }: { readonly count: number }) => {
  const { say } = useWords();
  const [asking, setAsking] = useState(false);
  return (
    <div className="samples-note">
      <p>{say("people.samples.words")}</p>
      <Button small aria-haspopup="dialog" onClick={() => setAsking(true)}>
        {say("people.samples.remove")}
      </Button>
      {asking && <RemoveDialog count={count} onClose={() => setAsking(false)} />}
    </div>
  );
};

const RemoveDialog = ({ count, onClose }: { readonly count: number; readonly onClose: () => void }) => {
  const { calls, queries } = useClient();
  const { say } = useWords();
  const toast = useToast();
  const removing = useMutation({
    mutationFn: calls.removeSamples,
    retry: false,
    onSuccess: (result) => {
      toast(say("people.samples.removed", { ...result }));
      onClose();
      // Every list can have contained a sample.
      void queries.invalidateQueries();
    },
  });
  return (
    <ActDialog
      title={say("people.samples.title")}
      act={say("people.samples.do")}
      look="danger"
      busy={removing.isPending}
      error={removing.error}
      failed={say("people.samples.failed")}
      onSubmit={() => removing.mutate()}
      onClose={onClose}
    >
      <p>{say("people.samples.what", { count })}</p>
    </ActDialog>
  );
};
