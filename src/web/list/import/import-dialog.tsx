import { useEffect, useState } from "react";
import type { EntityJson } from "../../../core/wire/entities.ts";
import type { ImportSettings } from "../../../core/wire/imports.ts";
import { useApplication } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { ProblemNote } from "../../ui/page/problem-note.tsx";
import { ChooseTable } from "./choose-table.tsx";
import "./import.css";
import { ImportReport } from "./import-report.tsx";
import { findImportableParts } from "./importable-parts.ts";
import { MatchColumns } from "./match-columns.tsx";
import { useImport } from "./use-import.ts";

interface ImportProps {
  readonly entity: EntityJson;
  /** The record into whose list of parts the rows go. */
  readonly parent?: ImportSettings["parent"];
  /** The id of an import to show at first. */
  readonly earlier: string | null;
  readonly onClose: () => void;
}

/** Imports a file into the records of an entity: choose, match, check, import, undo. */
export default function ImportDialog({ entity: listed, parent, earlier, onClose }: ImportProps) {
  const { say } = useWords();
  const application = useApplication();
  const [entity, setEntity] = useState(listed);
  // Without a record, a column names that of each row.
  const kinds = parent === undefined ? [listed, ...findImportableParts(application, listed.name)] : [listed];
  const { job, setJob, sending, failure, send, act, open } = useImport(entity.calls, parent);
  const [isMatching, setMatching] = useState(false);
  const [isOpening, setOpening] = useState(earlier !== null);
  useEffect(() => {
    if (earlier !== null) void open(earlier).finally(() => setOpening(false));
  }, [earlier, open]);
  const another = () => {
    setMatching(false);
    setJob(null);
  };
  const isMapped = job !== null && job.state !== "mapping" && !isMatching;
  return (
    <Dialog title={say("list.import.title", { things: entity.many })} onClose={onClose} className="import-dialog">
      {failure !== null && (
        <ProblemNote title={say(job?.state === "done" ? "import.not.undone" : "import.failed")} failure={failure} />
      )}
      {job === null && isOpening ? (
        <p className="dialog-form" role="status">
          {say("loading")}
        </p>
      ) : job === null ? (
        <ChooseTable
          key={entity.name}
          kinds={kinds}
          entity={entity}
          onKind={setEntity}
          parent={parent}
          sending={sending}
          onSend={(name, content) => void send(name, content)}
          onOpen={(id) => void open(id)}
        />
      ) : isMapped ? (
        <ImportReport
          key={job.state}
          path={entity.calls}
          job={job}
          onAct={(name, settings) => void act(job, name, settings ?? null)}
          onBack={() => setMatching(true)}
          onAnother={another}
          onClose={onClose}
        />
      ) : (
        <MatchColumns
          key={job.id}
          job={job}
          isBusy={false}
          onCheck={(settings) => {
            setMatching(false);
            void act(job, "check", settings);
          }}
          onAnother={another}
        />
      )}
    </Dialog>
  );
}
