import { useState } from "react";
import type { EntityJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { LATE_MS } from "../../actions/delete-dialog.tsx";
import { useDeletionTrial } from "../../actions/use-deletion-trial.ts";
import { useTrashDays } from "../../actions/use-undo.ts";
import { useDelayed } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { type RunningAct, StopOr } from "../../ui/overlay/stop-or.tsx";
import { SkeletonLine } from "../../ui/page/region-status.tsx";
import { FailedRecords } from "./failed-records.tsx";

interface BulkDeleteProps {
  readonly entity: EntityJson;
  readonly records: readonly RecordJson[];
  readonly remove: (able: readonly RecordJson[]) => Promise<void>;
  readonly running: RunningAct | null;
  readonly onClose: () => void;
}

/** Asks before records are deleted, and names those whose deletion is refused. Without any other, it asks nothing. */
export const BulkDelete = ({ entity, records, remove, running, onClose }: BulkDeleteProps) => {
  const { say } = useWords();
  const [busy, setBusy] = useState(false);
  const days = useTrashDays(entity);
  const { isPending, able, refused } = useDeletionTrial(entity, records, !busy);
  const isLate = useDelayed(isPending, LATE_MS);
  if (isPending && !isLate) return null;
  const canDelete = able.length > 0;
  const count = canDelete ? able.length : records.length;
  const label = say("bulk.things", { count, thing: entity.one, things: entity.many });
  return (
    <Dialog title={say(canDelete ? "delete.title" : "delete.refused.title", { label })} onClose={onClose}>
      {isPending ? (
        <p className="dialog-words" aria-busy="true">
          <SkeletonLine width="70%" />
        </p>
      ) : (
        canDelete && (
          <p className="dialog-words">{days > 0 ? say("delete.words.trash.several", { days }) : say("delete.words")}</p>
        )
      )}
      {refused.length > 0 && (
        <ul className="bulk-results">
          <FailedRecords outcomes={refused} entity={entity} onOpen={onClose} />
        </ul>
      )}
      <footer className="dialog-foot">
        {canDelete && (
          <Button
            look="danger"
            busy={busy}
            aria-disabled={isPending || undefined}
            onClick={() => {
              if (isPending) return;
              setBusy(true);
              void remove(able).then(onClose);
            }}
          >
            {say("delete.do")}
          </Button>
        )}
        <StopOr running={running}>
          <Button look={canDelete ? "quiet" : "plain"} onClick={onClose}>
            {say(canDelete ? "form.cancel" : "close")}
          </Button>
        </StopOr>
      </footer>
    </Dialog>
  );
};
