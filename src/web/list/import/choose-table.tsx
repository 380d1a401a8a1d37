import { type DragEvent, useEffect, useId, useRef, useState } from "react";
import type { ImportSettings, ImportsJson } from "../../../core/wire/imports.ts";
import { useClient } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import type { Sending } from "./use-import.ts";

interface ChooseProps {
  readonly path: string;
  /** The record into whose list of parts the rows go. */
  readonly parent: ImportSettings["parent"];
  /** True if a field takes files, which come with the table in a ZIP file. */
  readonly takesFiles: boolean;
  readonly sending: Sending | null;
  readonly onSend: (name: string, content: Blob) => void;
  readonly onOpen: (id: string) => void;
}

/** The file or the cells to import, and the imports before. */
export const ChooseTable = ({ path, parent, takesFiles, sending, onSend, onOpen }: ChooseProps) => {
  const { say } = useWords();
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const [cells, setCells] = useState("");
  const pasted = useId();
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    if (file) onSend(file.name, file);
  };
  const isSending = sending?.kind === "sending";
  return (
    <div className="dialog-form import-choose">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same */}
      <div
        className="import-drop"
        data-over={over || undefined}
        aria-busy={isSending || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        {isSending ? (
          <>
            <p role="status">{say("import.choose.sending", { file: sending.name })}</p>
            <progress value={sending.part} max={1} aria-label={say("import.choose.sending", { file: sending.name })} />
          </>
        ) : (
          <>
            <p>
              <span className="from-tablet">{say("import.choose.drop")} </span>
              <Button icon="import" onClick={() => input.current?.click()}>
                {say("import.choose.file")}
              </Button>
            </p>
            <p className="small-words">{say("import.choose.hint")}</p>
            {takesFiles && <p className="small-words">{say("import.choose.zip")}</p>}
          </>
        )}
        <input
          ref={input}
          type="file"
          hidden
          tabIndex={-1}
          accept=".csv,.tsv,.txt,.xlsx,.zip,text/csv,text/tab-separated-values"
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? [];
            event.currentTarget.value = "";
            if (file) onSend(file.name, file);
          }}
        />
      </div>
      {sending !== null && sending.kind !== "sending" && (
        <div className="note bad" role="alert">
          <Icon name="alert" size={18} />
          <p className="grow">{sending.kind === "refused" ? sending.detail : say("import.choose.failed")}</p>
        </div>
      )}
      <div className="import-paste">
        <label htmlFor={pasted}>{say("import.choose.paste")}</label>
        <textarea
          id={pasted}
          className="box"
          rows={3}
          spellCheck={false}
          value={cells}
          onChange={(event) => setCells(event.currentTarget.value)}
        />
        {cells.trim() !== "" && (
          <Button
            busy={isSending}
            onClick={() => {
              // Spreadsheets separate the cells that they copy by tabs.
              const ending = cells.includes("\t") ? "tsv" : "csv";
              onSend(`${say("import.choose.pasted")}.${ending}`, new Blob([cells], { type: "text/plain" }));
            }}
          >
            {say("import.choose.use")}
          </Button>
        )}
      </div>
      <RecentImports path={path} parent={parent} onOpen={onOpen} />
    </div>
  );
};

/** The imports that can be looked at, continued or undone: on a record, those into its parts. */
const RecentImports = ({ path, parent, onOpen }: Pick<ChooseProps, "path" | "parent" | "onOpen">) => {
  const { calls } = useClient();
  const { say } = useWords();
  const [items, setItems] = useState<ImportsJson["items"]>([]);
  useEffect(() => {
    const ending = new AbortController();
    // Without them, a new import is still possible.
    calls.imports(path, ending.signal).then(
      (found) => setItems(found.items),
      () => undefined,
    );
    return () => ending.abort();
  }, [calls, path]);
  const shown = items.filter((item) => parent === undefined || item.parent?.id === parent.id);
  if (shown.length === 0) return null;
  return (
    <section aria-label={say("import.recent")}>
      <h3>{say("import.recent")}</h3>
      <ul className="import-recent">
        {shown.slice(0, 5).map(({ id, file, rows, made_at }) => (
          <li key={id}>
            <button type="button" className="link" onClick={() => onOpen(id)}>
              <bdi>{say("import.recent.line", { file, rows })}</bdi>
            </button>
            <span className="small-words">
              <RelativeTime at={made_at} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
};
