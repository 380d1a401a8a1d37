import { useEffect, useRef, useState } from "react";
import type { ImportJson, ImportRefusals, ImportSettings } from "../../../core/wire/imports.ts";
import { useWords } from "../../i18n/words.tsx";
import { ClauseNote } from "../../ui/clause.tsx";
import { Button, buttonClass } from "../../ui/control/button.tsx";
import { CheckBox } from "../../ui/control/check-box.tsx";
import { WhySentence } from "../../ui/page/why-sentence.tsx";
import { isAtWork } from "./use-import.ts";

interface ReportProps {
  readonly path: string;
  readonly job: ImportJson;
  readonly onAct: (act: "run" | "undo" | "cancel", settings?: ImportSettings) => void;
  readonly onBack: () => void;
  readonly onAnother: () => void;
  readonly onClose: () => void;
}

/** Progress of an import, its result, and what can follow. */
export const ImportReport = ({ path, job, onAct, onBack, onAnother, onClose }: ReportProps) => {
  const { say } = useWords();
  const report = useRef<HTMLDivElement>(null);
  // The button that was pressed is gone.
  useEffect(() => report.current?.focus({ preventScroll: true }), []);
  const [isAll, setAll] = useState(job.settings.mode === "all");
  const { state, rows, done, added, updated, refused, undoRefused } = job;
  if (isAtWork(job)) {
    const words =
      state === "checking"
        ? say("import.checking", { done, rows })
        : say(state === "running" ? "import.running" : "import.undoing", { done, rows });
    return (
      <div className="dialog-form import-report" tabIndex={-1} ref={report}>
        <p role="status">{words}</p>
        <progress className="import-progress" value={done} max={rows} aria-label={words} />
        {job.waits !== null && <p className="small-words">{say("import.waits")}</p>}
        <footer className="dialog-foot">
          <Button onClick={() => onAct("cancel")} busy={job.cancelled}>
            {say("import.cancel")}
          </Button>
        </footer>
      </div>
    );
  }
  const fits = added + updated;
  const isChecked = state === "checked";
  const canUndo = state === "done" && fits > 0;
  return (
    <div className="dialog-form import-report" tabIndex={-1} ref={report}>
      {job.waits === "fault" && <p role="alert">{say("import.fault")}</p>}
      {state === "done" && job.cancelled && <p>{say("import.cancelled")}</p>}
      {state === "undone" && (
        <p role="status">{refused === 0 ? say("import.undone") : say("import.undone.part", { count: refused })}</p>
      )}
      {isChecked && isAll && refused > 0 && <p>{say("import.notAll", { count: refused })}</p>}
      {state !== "undone" && (
        <div role="status">
          <Counts job={job} />
        </div>
      )}
      {isChecked && fits === 0 && <p>{say(refused === 0 ? "import.unchanged" : "import.nothing")}</p>}
      {job.refusals.length > 0 && <Refusals job={job} />}
      {job.adjustments.length > 0 && <Adjustments job={job} />}
      {refused > 0 && state !== "undone" && (
        <p>
          <a className="link" href={`${path}/import/${job.id}/refused.csv`} download="">
            {say("import.refused.download")}
          </a>
        </p>
      )}
      {isChecked && fits > 0 && (
        <CheckBox checked={isAll} onTurn={setAll}>
          {say("import.all")}
        </CheckBox>
      )}
      {(isChecked || canUndo) && undoRefused !== null && (
        <div className="small-words">
          {say(isChecked ? "import.undo.impossible" : "import.undo.refused")}{" "}
          <WhySentence words={undoRefused.because} clause={undoRefused.clause} />
        </div>
      )}
      <footer className="dialog-foot">
        {isChecked && fits > 0 && !(isAll && refused > 0) && (
          <Button look="primary" onClick={() => onAct("run", { ...job.settings, mode: isAll ? "all" : "fitting" })}>
            {say("import.run", { rows: fits })}
          </Button>
        )}
        {isChecked && (
          <Button look={fits === 0 ? "primary" : "plain"} onClick={onBack}>
            {say("import.back")}
          </Button>
        )}
        {!isChecked && (
          <Button look="primary" onClick={onClose}>
            {say("close")}
          </Button>
        )}
        {canUndo && undoRefused === null && <Button onClick={() => onAct("undo")}>{say("import.undo")}</Button>}
        <button type="button" className={buttonClass("quiet")} onClick={onAnother}>
          {say("import.another")}
        </button>
      </footer>
    </div>
  );
};

const Counts = ({ job: { state, added, updated, unchanged, refused } }: { job: ImportJson }) => {
  const { say, show } = useWords();
  const isChecked = state === "checked";
  const figures = [
    {
      key: "added",
      count: added,
      words: isChecked ? say("import.count.add", { count: added }) : say("import.count.added"),
    },
    {
      key: "updated",
      count: updated,
      words: say(isChecked ? "import.count.update" : "import.count.updated"),
    },
    { key: "unchanged", count: unchanged, words: say("import.count.unchanged") },
    { key: "refused", count: refused, words: say("import.count.refused") },
  ];
  return (
    <dl className="import-counts">
      {figures
        .filter(({ key, count }) => count > 0 || key === "added" || key === "refused")
        .map(({ key, count, words }) => (
          <div key={key} data-kind={count > 0 ? key : undefined}>
            <dt>{words}</dt>
            <dd>{show.number(count)}</dd>
          </div>
        ))}
    </dl>
  );
};

/** The refused rows by reason. */
const Refusals = ({ job }: { job: ImportJson }) => {
  const { say } = useWords();
  return (
    <section aria-label={say("import.refused.title")}>
      <h3>{say("import.refused.title")}</h3>
      <ul className="import-refusals">
        {job.refusals.map((group) => (
          <li key={`${group.code} ${group.clause} ${group.field}`}>
            <p>
              {group.message} <ClauseNote of={group.clause} />
            </p>
            <p className="small-words">
              <RowNumbers group={group} />
              {group.differs && ` ${say("import.refused.differs")}`}
              {group.values.length > 0 && (
                <>
                  {" "}
                  <bdi>
                    {say("import.refused.values", {
                      values: group.values.map((words) => say("quoted", { words })).join(", "),
                    })}
                  </bdi>
                </>
              )}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
};

/** The cells that were changed to fit their field. */
const Adjustments = ({ job }: { job: ImportJson }) => {
  const { say } = useWords();
  return (
    <section aria-label={say("import.adjusted.title")}>
      <h3>{say("import.adjusted.title")}</h3>
      <ul className="import-refusals">
        {job.adjustments.map((group) => (
          <li key={`${group.kind} ${group.field}`}>
            <p>
              <bdi>{group.message}</bdi>
            </p>
            <p className="small-words">
              <RowNumbers group={group} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
};

const MOST_SHOWN = 8;

const RowNumbers = ({ group: { rows, count } }: { group: Pick<ImportRefusals, "rows" | "count"> }) => {
  const { say, show } = useWords();
  const [all, setAll] = useState(false);
  const words = useRef<HTMLSpanElement>(null);
  const shown = (all || rows.length <= MOST_SHOWN + 2 ? rows : rows.slice(0, MOST_SHOWN)).map((row) =>
    show.number(row),
  );
  const showAll = () => {
    setAll(true);
    // The pressed button disappears.
    words.current?.focus();
  };
  const left = count - shown.length;
  const list = left > 0 ? say("import.refused.more", { rows: shown.join(", "), count: left }) : show.list(shown);
  return (
    <>
      <span ref={words} tabIndex={-1}>
        {`${say("import.refused.rows", { count, rows: list })}.`}
      </span>
      {shown.length < rows.length && (
        <>
          {" "}
          <button type="button" className="link" onClick={showAll}>
            {say("import.refused.all", { count: rows.length })}
          </button>
        </>
      )}
    </>
  );
};
