import { useState } from "react";
import type { VersionJson } from "../../../core/wire/authoring/versions.ts";
import { toFailure } from "../../api/api-error.ts";
import { useClient } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { PublishDialog } from "../draft/publish-dialog.tsx";
import { useErrorUntilAnswer } from "../plan/use-error-until-answer.ts";
import { useVersion } from "./use-version.ts";

/** Makes the text of an earlier version the newest version. `live` is the version that it replaces. */
export const RestoreDialog = ({
  version: { number },
  live,
  onClose,
}: {
  readonly version: VersionJson;
  readonly live: VersionJson;
  readonly onClose: () => void;
}) => {
  const { calls, navigation } = useClient();
  const [note, setNote] = useState("");
  const base = live.hash;
  const { say } = useWords();
  const before = useVersion(live.number);
  const after = useVersion(number);
  const files = after.data?.files;
  const isBusy = before.isFetching || after.isFetching;
  const thrown = useErrorUntilAnswer(before.error ?? after.error, isBusy);
  return (
    <PublishDialog
      title={say("versions.restore.title", { number })}
      lead={say("versions.restore.words", { number })}
      planKey={["restore", number, base]}
      before={before.data?.files}
      text={`version=${number}`}
      after={files}
      unread={
        thrown
          ? { failure: toFailure(thrown), isBusy, retry: () => void Promise.all([before.refetch(), after.refetch()]) }
          : undefined
      }
      plan={() => calls.planRestore(number, { base, note: "" })}
      replay={files && ((signal) => calls.replayDocument({ base, files }, signal))}
      repair={
        <p className="publish-part">
          <Button
            small
            icon="edit"
            onClick={() => {
              onClose();
              navigation.go(`/workbench/document?version=${number}&beside=plan`);
            }}
          >
            {say("versions.draft")}
          </Button>
        </p>
      }
      publish={(note) => calls.restoreVersion(number, { base, note })}
      propose={(note) => calls.propose({ base, files: after.data?.files ?? [], note })}
      note={note}
      onNote={setNote}
      onClose={onClose}
    />
  );
};
