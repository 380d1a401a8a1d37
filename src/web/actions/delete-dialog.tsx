import { useMutation } from "@tanstack/react-query";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { findListScreen } from "../routing/routes.ts";
import { Button } from "../ui/control/button.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { useToast } from "../ui/overlay/toast.tsx";
import { FailureNote } from "../ui/page/problem-note.tsx";
import { useWhileMounted } from "../util/use-while-mounted.ts";
import { ReferringRecords } from "./referring-records.tsx";
import { useTrashDays, useUndo } from "./use-undo.ts";

interface DeleteDialogProps {
  readonly entity: EntityJson;
  readonly record: RecordJson;
  readonly label: string;
  /** True if the user stays on the current page, which is not the record's own. */
  readonly stays?: boolean;
  readonly onClose: () => void;
}

/** Asks for confirmation, and offers to undo the deletion if the record can be brought back. */
export const DeleteDialog = ({ entity, record, label, stays = false, onClose }: DeleteDialogProps) => {
  const { calls, queries, navigation, trail } = useClient();
  const { screens } = useApplication();
  const { say } = useWords();
  const toast = useToast();
  const close = useWhileMounted(onClose);
  const { bringBack } = useUndo(entity);
  const days = useTrashDays(entity);
  const remove = useMutation({
    mutationFn: () => calls.remove(entity.calls, record.id, record.version),
    onSuccess: () => {
      const from = trail.get();
      if (!stays)
        navigation.go(
          from?.entity === entity.name ? from.address : (findListScreen(screens, entity.name)?.path ?? "/"),
          "replace",
        );
      close();
      queries.removeQueries({ queryKey: keys.record(entity.calls, record.id) });
      void queries.invalidateQueries({ queryKey: stays ? ["of"] : keys.of(entity.calls) });
      toast(
        say("delete.done", { thing: entity.one }),
        bringBack && (() => void bringBack([{ id: record.id, _label: label }])),
      );
    },
  });
  const failure = remove.error ? toFailure(remove.error) : null;
  const isUsed = failure?.kind === "refused" && failure.problem.code === "IN_USE";
  return (
    <Dialog title={say("delete.title", { label })} onClose={onClose}>
      <FailureNote title={say("delete.failed")} error={remove.error} />
      {isUsed ? (
        <ReferringRecords entity={entity} id={record.id} onLeave={onClose} />
      ) : (
        <p className="dialog-words">{days > 0 ? say("delete.words.trash", { days }) : say("delete.words")}</p>
      )}
      <footer className="dialog-foot">
        <Button look="danger" busy={remove.isPending} onClick={() => remove.mutate()}>
          {say("delete.do")}
        </Button>
        <Button look="quiet" onClick={onClose}>
          {say("form.cancel")}
        </Button>
      </footer>
    </Dialog>
  );
};
