import { useState } from "react";
import type { EntityJson } from "../../../core/wire/entities.ts";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { FailedRecords, RecordNames } from "./failed-records.tsx";
import type { BulkResults } from "./use-bulk-acts.ts";

/** The results of an act on several records, if some failed: first these, by reason, and then what was done. */
export const BulkResultsDialog = ({
  what,
  outcomes,
  done: doneWords,
  undo,
  retry,
  entity,
  onClose,
}: BulkResults & { readonly entity: EntityJson; readonly onClose: () => void }) => {
  const { say } = useWords();
  const [busy, setBusy] = useState(false);
  const done = outcomes.flatMap((one) => (one.failed === null ? [one.record] : []));
  return (
    <Dialog title={say("bulk.results", { what, done: done.length, count: outcomes.length })} onClose={onClose}>
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
          count: outcomes.length - done.length,
          thing: entity.one,
          things: entity.many,
        })}
      </p>
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
        {undo && (
          <Button
            onClick={() => {
              onClose();
              undo.act();
            }}
          >
            {say("bulk.undo", { count: undo.count })}
          </Button>
        )}
        <Button look={retry || undo ? "quiet" : "plain"} onClick={onClose}>
          {say("close")}
        </Button>
      </footer>
    </Dialog>
  );
};
