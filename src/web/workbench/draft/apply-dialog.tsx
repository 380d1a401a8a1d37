import { useClient } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import type { Drafting } from "./draft-session.ts";
import { PublishDialog } from "./publish-dialog.tsx";
import { TryOnCopy } from "./try-on-copy.tsx";

/** Publishes the draft of this device. */
export const ApplyDialog = ({ drafting, onClose }: { drafting: Drafting; onClose: () => void }) => {
  const { calls } = useClient();
  const { say } = useWords();
  const { inForce, files, proposal } = drafting.store.get();
  const draft = { base: inForce.hash, files };
  return (
    <PublishDialog
      title={say("workbench.apply.title")}
      planKey={[inForce.hash, files]}
      before={inForce.files}
      after={files}
      extra={<TryOnCopy draft={draft} />}
      plan={() => calls.planDocument(draft)}
      replay={(signal) => calls.replayDocument(draft, signal)}
      publish={(note) => calls.applyDocument({ ...draft, note })}
      propose={(note) => calls.propose({ ...draft, note })}
      {...(proposal !== null && {
        edited: {
          ...proposal,
          replace: (note: string) => calls.editProposal(proposal.number, proposal.revision, { ...draft, note }),
        },
      })}
      onProposed={() => drafting.drop()}
      onPublished={(version) => drafting.published(version)}
      onClose={onClose}
    />
  );
};
