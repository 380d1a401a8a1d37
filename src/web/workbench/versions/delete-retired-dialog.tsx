import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";
import type { RetiredItemJson } from "../../../core/wire/authoring/retired.ts";
import { keys } from "../../api/query-keys.ts";
import { reload } from "../../api/reload.ts";
import { useClient } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { useToast } from "../../ui/overlay/toast.tsx";
import { FailureNote } from "../../ui/page/problem-note.tsx";

/** Downloads the values, one line of JSON for each record. */
export const ExportLink = ({ thing, describedBy }: { thing: RetiredItemJson; describedBy?: string }) => {
  const { say } = useWords();
  const query = new URLSearchParams({ name: thing.name, version: String(thing.version) });
  return (
    <a className="button small" href={`/_/retired/export?${query}`} download aria-describedby={describedBy}>
      <Icon name="export" />
      <span className="button-words">{say("retired.export")}</span>
    </a>
  );
};

/** Deletes retired values for good: offers an export, and takes the name as a confirmation. */
export const DeleteRetiredDialog = ({ thing, onClose }: { thing: RetiredItemJson; onClose: () => void }) => {
  const { calls, queries } = useClient();
  const { say, rich } = useWords();
  const toast = useToast();
  const label = useId();
  const { name, version, records, hasMore, exportable } = thing;
  const [typed, setTyped] = useState("");
  const isConfirmed = typed.trim() === name;
  const remove = useMutation({
    mutationFn: () => calls.deleteRetired({ name, version }),
    retry: false,
    onSuccess: async () => {
      toast(say("retired.deleted", { name }));
      // Once its row is gone, the dialog moves the focus on.
      await reload(queries, { queryKey: keys.retired });
      onClose();
    },
  });
  return (
    <Dialog title={say("retired.delete.title", { name })} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isConfirmed && !remove.isPending) remove.mutate();
        }}
      >
        <div className="dialog-words">
          <FailureNote title={say("retired.delete.failed")} error={remove.error} />
          <p>{say(hasMore ? "retired.delete.words.more" : "retired.delete.words", { count: records })}</p>
          {exportable ? (
            <p className="retired-export">
              <span>{say("retired.delete.export")}</span> <ExportLink thing={thing} />
            </p>
          ) : (
            <p>
              {say("retired.delete.unread")} <code dir="ltr">ninefold retired delete {name} --export FILE</code>
            </p>
          )}
          <label className="publish-note" htmlFor={label}>
            <span>{rich("retired.delete.type", { name: <code dir="ltr">{name}</code> })}</span>
            <input
              id={label}
              className="box"
              dir="ltr"
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
            />
          </label>
        </div>
        <footer className="dialog-foot">
          <Button type="submit" look="danger" busy={remove.isPending} disabled={!isConfirmed}>
            {say("retired.delete.now")}
          </Button>
          <Button look="quiet" onClick={onClose}>
            {say("form.cancel")}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
};
