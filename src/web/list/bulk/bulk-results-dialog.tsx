import { useState } from "react";
import type { EntityJson } from "../../../core/wire/entities.ts";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { type RunningAct, StopOr } from "../../ui/overlay/stop-or.tsx";
import { ActsInstead } from "../../workflow/acts-instead.tsx";
import type { TransitionAct } from "../../workflow/record-acts.ts";
import { FailedRecords, RecordNames } from "./failed-records.tsx";
import type { BulkResults } from "./use-bulk-results.ts";

interface BulkResultsDialogProps extends Omit<BulkResults, "transition"> {
  readonly entity: EntityJson;
  readonly running: RunningAct | null;
  /** The transitions that are possible for those that failed. */
  readonly instead: readonly TransitionAct[];
  readonly onChoose: (act: TransitionAct) => void;
  readonly onClose: () => void;
}

/** The results of an act on several records, if some failed: first these, by reason, and then what was done. */
export const BulkResultsDialog = ({
  what,
  outcomes,
  left,
  done: doneWords,
  undo,
  retry,
  entity,
  running,
  instead,
  onChoose,
  onClose,
}: BulkResultsDialogProps) => {
  const { say } = useWords();
  const [busy, setBusy] = useState(false);
  const done = outcomes.flatMap((one) => (one.failed === null ? [one.record] : []));
  return (
    <Dialog
      title={say("bulk.results", { what, done: done.length, count: outcomes.length })}
      onClose={running?.stop ?? onClose}
    >
      <ul className="bulk-results">
        <FailedRecords outcomes={outcomes} entity={entity} onOpen={onClose} />
        {done.length > 0 && (
          <li>
            <Icon name="check" />
            <RecordNames records={done} entity={entity} words={doneWords} onOpen={onClose} />
          </li>
        )}
      </ul>
      <p className="dialog-words small-words">
        {say("bulk.results.selected", {
          count: outcomes.length - done.length + left.length,
          thing: entity.one,
          things: entity.many,
        })}
      </p>
      {running === null && instead.length > 0 && (
        <div className="dialog-words">
          <ActsInstead acts={instead} choose={onChoose} />
        </div>
      )}
      <footer className="dialog-foot">
        {retry && (
          <Button
            look="primary"
            busy={busy}
            onClick={() => {
              setBusy(true);
              void retry().finally(() => setBusy(false));
            }}
          >
            {say("broken.retry")}
          </Button>
        )}
        {running === null && undo && (
          <Button
            onClick={() => {
              onClose();
              undo.act();
            }}
          >
            {say("bulk.undo", { count: undo.count })}
          </Button>
        )}
        <StopOr running={running}>
          <Button look={retry || undo ? "quiet" : "plain"} onClick={onClose}>
            {say("close")}
          </Button>
        </StopOr>
      </footer>
    </Dialog>
  );
};
