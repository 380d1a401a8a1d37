import type { VersionJson } from "../../../core/wire/versions.ts";
import { useClient } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { PublishDialog } from "../draft/publish-dialog.tsx";

/** Makes the text of an earlier version the newest version. `base` is the hash of the version in force. */
export const RestoreDialog = ({
  version: { number },
  base,
  onClose,
}: {
  readonly version: VersionJson;
  readonly base: string;
  readonly onClose: () => void;
}) => {
  const { calls } = useClient();
  const { say } = useWords();
  return (
    <PublishDialog
      title={say("versions.restore.title", { number })}
      lead={say("versions.restore.words", { number })}
      planKey={["restore", number, base]}
      plan={() => calls.planRestore(number, { base, note: "" })}
      publish={(note) => calls.restoreVersion(number, { base, note })}
      onClose={onClose}
    />
  );
};
