import { type DragEvent, useEffect, useId, useRef, useState } from "react";
import type { EntityJson } from "../../../core/wire/entities.ts";
import type { ImportSettings, ImportState, ImportsJson } from "../../../core/wire/imports.ts";
import { useClient } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { RelativeTime } from "../../ui/relative-time.tsx";
import type { Sending } from "./use-import.ts";

interface ChooseProps {
  /** The entities whose records the rows can become: that of the list, and its parts. */
  readonly kinds: readonly EntityJson[];
  readonly entity: EntityJson;
  readonly onKind: (entity: EntityJson) => void;
  /** The record into whose list of parts the rows go. */
  readonly parent: ImportSettings["parent"];
  readonly sending: Sending | null;
  readonly onSend: (name: string, content: Blob) => void;
  readonly onOpen: (id: string) => void;
}

/** The file or the cells to import, and the imports before. */
export const ChooseTable = ({ kinds, entity, onKind, parent, sending, onSend, onOpen }: ChooseProps) => {
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
  // They come with the table in a ZIP file.
  const takesFiles = entity.fields.some(({ type }) => type === "file" || type === "image");
  return (
    <div className="dialog-form import-choose">
      {kinds.length > 1 && <ChooseKind kinds={kinds} entity={entity} isFixed={isSending} onKind={onKind} />}
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
      <RecentImports path={entity.calls} parent={parent} onOpen={onOpen} />
    </div>
  );
};

/** The kind of record that each row becomes. */
const ChooseKind = ({
  kinds,
  entity,
  isFixed,
  onKind,
}: Pick<ChooseProps, "kinds" | "entity" | "onKind"> & { readonly isFixed: boolean }) => {
  const { say } = useWords();
  const [whole] = kinds;
  return (
    <div className="import-kind">
      <label>
        <span>{say("import.choose.kind")}</span>
        <span className="box select">
          <select
            value={entity.name}
            disabled={isFixed}
            onChange={(event) => {
              const chosen = kinds.find(({ name }) => name === event.currentTarget.value);
              if (chosen !== undefined) onKind(chosen);
            }}
          >
            {kinds.map(({ name, many }) => (
              <option key={name} value={name}>
                {many}
              </option>
            ))}
          </select>
          <Icon name="down" />
        </span>
      </label>
      {whole !== undefined && entity !== whole && (
        <p className="small-words">{say("import.choose.whole", { whole: whole.one })}</p>
      )}
    </div>
  );
};

interface RecentProps extends Pick<ChooseProps, "parent" | "onOpen"> {
  readonly path: string;
}

const findOutcome = (state: ImportState): "pending" | "undone" | "imported" => {
  if (state === "undone") return "undone";
  return state === "mapping" || state === "checking" || state === "checked" ? "pending" : "imported";
};

/** The imports that can be looked at, continued or undone: on a record, those into its parts. */
const RecentImports = ({ path, parent, onOpen }: RecentProps) => {
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
        {shown.slice(0, 5).map(({ id, file, rows, made_at, state }) => (
          <li key={id}>
            <button type="button" className="link" onClick={() => onOpen(id)}>
              <bdi>{say("import.recent.line", { file, rows, state: findOutcome(state) })}</bdi>
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
