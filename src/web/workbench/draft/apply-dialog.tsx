import { useState } from "react";
import { useClient, usePerson, useStore } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { CheckBox } from "../../ui/control/check-box.tsx";
import type { WriteMissing } from "../plan/data-changes.tsx";
import { identify } from "../plan/use-planned-data.ts";
import { areStillWaiting, countWaitingRows, listWaitingEntities, waitingRows } from "../waiting-rows.ts";
import type { DraftSession } from "./draft-session.ts";
import { OutdatedNotice } from "./outdated-notice.tsx";
import { PublishDialog } from "./publish-dialog.tsx";
import { TryOnCopy } from "./try-on-copy.tsx";

/** Publishes the draft of this device. */
export const ApplyDialog = ({
  drafting,
  onWrite,
  onClose,
}: {
  readonly drafting: DraftSession;
  readonly onWrite: WriteMissing | undefined;
  readonly onClose: () => void;
}) => {
  const { calls } = useClient();
  const { say } = useWords();
  const rights = usePerson()?.changes;
  const proposes = rights?.publish !== true && rights?.propose === true;
  const { inForce, newer, files, proposal, note } = useStore(drafting.store);
  const waiting = useStore(waitingRows);
  const [importsRows, setImportsRows] = useState(true);
  const draft = { base: inForce.hash, files };
  return (
    <PublishDialog
      title={say(proposes ? "proposal.propose.title" : "workbench.apply.title")}
      // The plan beside the text has this key too, so it shows the newer answer.
      planKey={[inForce.hash, identify(files)]}
      before={inForce.files}
      {...(newer !== null && { notice: <OutdatedNotice drafting={drafting} version={newer.version} /> })}
      text="draft"
      after={files}
      extra={
        <>
          {areStillWaiting(waiting) && rights?.publish === true && (
            <CheckBox checked={importsRows} onTurn={setImportsRows}>
              {say("begin.rows.publish", { file: waiting.file, rows: countWaitingRows(waiting) })}
            </CheckBox>
          )}
          <TryOnCopy draft={draft} onStarted={drafting.addPreview} />
        </>
      }
      plan={() => calls.planDocument(draft)}
      replay={(signal) => calls.replayDocument(draft, signal)}
      publish={(note) => {
        if (areStillWaiting(waiting)) waitingRows.set({ ...waiting, isWanted: importsRows });
        return calls.applyDocument({ ...draft, note, withoutSamples: listWaitingEntities() });
      }}
      propose={(note) => calls.propose({ ...draft, note })}
      {...(proposal !== null && {
        edited: {
          ...proposal,
          replace: (note: string) => calls.editProposal(proposal.number, proposal.revision, { ...draft, note }),
        },
      })}
      note={note}
      onNote={drafting.setNote}
      onWrite={onWrite}
      onProposed={() => drafting.discard()}
      onPublished={(version) => drafting.markPublished(version)}
      onClose={onClose}
    />
  );
};
