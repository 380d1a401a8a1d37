import { useMutation } from "@tanstack/react-query";
import type { EntityJson } from "../../core/wire/entities.ts";
import type { Problem } from "../../core/wire/problems.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { useApplication, useClient, useDelayed } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { findListScreen } from "../routing/routes.ts";
import { Button } from "../ui/control/button.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { useToast } from "../ui/overlay/toast.tsx";
import { FailureNote } from "../ui/page/problem-note.tsx";
import { SkeletonLine } from "../ui/page/region-status.tsx";
import { useWhileMounted } from "../util/use-while-mounted.ts";
import { RefusedDeletion } from "./refused-deletion.tsx";
import { useDeletionTrial } from "./use-deletion-trial.ts";
import { useReferringRecords } from "./use-referring-records.ts";
import { useTrashDays, useUndo } from "./use-undo.ts";

/** Milliseconds after which the dialog opens although it is not known yet if the deletion is possible. */
export const LATE_MS = 300;

interface DeleteDialogProps {
  readonly entity: EntityJson;
  readonly record: RecordJson;
  readonly label: string;
  /** True if the user stays on the current page, which is not the record's own. */
  readonly stays?: boolean;
  readonly onClose: () => void;
}

/** The refusal in an error, unless it only says that the record was changed meanwhile. */
const findRefusal = (error: unknown): Problem | null => {
  const failure = error ? toFailure(error) : null;
  return failure?.kind === "refused" && failure.problem.status !== 412 ? failure.problem : null;
};

/**
 * Asks for confirmation, and offers to undo the deletion if the record can be brought back. A deletion that is refused is
 * not asked about: the dialog says why it is impossible, and what to do first.
 */
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
  const trial = useDeletionTrial(entity, [record], remove.isIdle);
  const refusal = findRefusal(remove.error ?? trial.refused[0]?.failed);
  // A consequence of the deletion can delete another record, which is in use.
  const isUsed = refusal?.code === "IN_USE" && refusal.clause === entity.clause;
  const uses = useReferringRecords(entity, record.id, isUsed);
  const isChecking = trial.isPending || (isUsed && uses === null);
  const isLate = useDelayed(isChecking, LATE_MS);
  if (remove.isIdle && isChecking && !isLate) return null;
  return (
    <Dialog title={say(refusal === null ? "delete.title" : "delete.refused.title", { label })} onClose={onClose}>
      {refusal === null && <FailureNote title={say("delete.failed")} error={remove.error} />}
      {isChecking ? (
        <p className="dialog-words" aria-busy="true">
          <SkeletonLine width="70%" />
        </p>
      ) : refusal === null ? (
        <p className="dialog-words">{days > 0 ? say("delete.words.trash", { days }) : say("delete.words")}</p>
      ) : (
        <RefusedDeletion problem={refusal} uses={isUsed ? uses : null} onLeave={onClose} />
      )}
      <footer className="dialog-foot">
        {refusal === null && (
          <Button
            look="danger"
            busy={remove.isPending}
            aria-disabled={isChecking || undefined}
            onClick={() => isChecking || remove.mutate()}
          >
            {say("delete.do")}
          </Button>
        )}
        <Button look={refusal === null ? "quiet" : "plain"} onClick={onClose}>
          {say(refusal === null ? "form.cancel" : "close")}
        </Button>
      </footer>
    </Dialog>
  );
};
