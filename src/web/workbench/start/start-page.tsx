import { type DragEvent, useRef, useState } from "react";
import { writeEmptyDocument } from "../../../core/draft/empty-document.ts";
import type { DraftedFileJson } from "../../../core/wire/authoring/drafted-file.ts";
import { draftFromFile } from "../../api/upload.ts";
import { useApplication, useClient, useStore } from "../../app/app-context.tsx";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useToast } from "../../ui/overlay/toast.tsx";
import { importWithRetries } from "../../util/import-with-retries.ts";
import { DraftProvider } from "../draft/draft-provider.tsx";
import type { DraftSession } from "../draft/draft-session.ts";
import { WorkbenchFrame } from "../frame.tsx";
import { waitingRows } from "../waiting-rows.ts";
import { galleryExamples } from "./gallery-examples.ts";
import "./start-page.css";

/** Where an application begins: with a file, an example, or nothing. Each becomes the draft, which is published like any other. */
const StartPage = () => {
  const { say } = useWords();
  return <DraftProvider title={say("begin.title")}>{(drafting) => <Choices drafting={drafting} />}</DraftProvider>;
};

export default StartPage;

const Choices = ({ drafting }: { drafting: DraftSession }) => {
  const { say } = useWords();
  const { navigation } = useClient();
  const toast = useToast();
  const { name, entities } = useApplication();
  const { inForce } = useStore(drafting.store);
  const [isLoading, setLoading] = useState(false);
  const isEmpty = Object.keys(entities).every((entity) => entity === "User");

  /** Makes a text the draft, and opens it. */
  const begin = (text: string, beside: "guide" | "sheet"): void => {
    const file = inForce.files[0]?.file ?? "specification.md";
    const undo = drafting.restore([{ file, text }], inForce);
    navigation.go(beside === "guide" ? "/workbench/document?beside=guide" : "/workbench/document");
    if (undo !== null) toast(say("begin.replaced"), undo);
  };
  const choose = async (load: () => Promise<string>): Promise<void> => {
    setLoading(true);
    try {
      const text = await importWithRetries(load);
      waitingRows.set(null);
      begin(text, "sheet");
    } catch {
      toast(say("begin.failed"));
    } finally {
      setLoading(false);
    }
  };
  return (
    <WorkbenchFrame>
      <div className="workbench-page start-page">
        <h1>{say("begin.title")}</h1>
        <p className="start-lead">{say("begin.lead")}</p>
        {inForce.fixed !== null ? (
          <p className="note">{say("workbench.fixed", { why: inForce.fixed })}</p>
        ) : (
          <>
            {!isEmpty && <p className="note">{say("begin.replaces", { name })}</p>}
            <section aria-labelledby="start-file">
              <h2 id="start-file">{say("begin.file")}</h2>
              <p>{say("begin.file.words")}</p>
              <FromFile
                onDraft={(drafted, file) => {
                  waitingRows.set({ file, imports: drafted.imports, done: [], isRunning: false, isWanted: false });
                  begin(drafted.text, "sheet");
                }}
              />
            </section>
            <section aria-labelledby="start-nothing">
              <h2 id="start-nothing">{say("begin.nothing")}</h2>
              <p>{say("begin.nothing.words")}</p>
              <Button
                icon="edit"
                onClick={() => {
                  waitingRows.set(null);
                  if (isEmpty) navigation.go("/workbench/document?beside=guide");
                  else begin(writeEmptyDocument(say("begin.name")), "guide");
                }}
              >
                {say("begin.nothing.do")}
              </Button>
            </section>
            <section aria-labelledby="start-example">
              <h2 id="start-example">{say("begin.example")}</h2>
              <p>{say("begin.example.words")}</p>
              <ul className="start-examples" aria-busy={isLoading}>
                {galleryExamples.map(({ name, about, picture, load }) => (
                  <li key={name}>
                    <img src={picture} alt="" width={640} height={400} loading="lazy" />
                    <h3>{name}</h3>
                    <p>{say(about)}</p>
                    <Button small onClick={() => void choose(load)} aria-label={say("begin.example.named", { name })}>
                      {say("begin.example.do")}
                    </Button>
                  </li>
                ))}
              </ul>
            </section>
          </>
        )}
      </div>
    </WorkbenchFrame>
  );
};

type Reading =
  | { readonly kind: "sending"; readonly file: string; readonly part: number }
  | { readonly kind: "refused"; readonly detail: string }
  | { readonly kind: "drafted"; readonly file: string; readonly drafted: DraftedFileJson };

/** A spreadsheet, and what was found in it. */
const FromFile = ({ onDraft }: { onDraft: (drafted: DraftedFileJson, file: string) => void }) => {
  const { say } = useWords();
  const input = useRef<HTMLInputElement>(null);
  const [reading, setReading] = useState<Reading | null>(null);
  const [over, setOver] = useState(false);
  const read = async (file: File): Promise<void> => {
    setReading({ kind: "sending", file: file.name, part: 0 });
    const sent = await draftFromFile(
      file,
      (part) => setReading({ kind: "sending", file: file.name, part }),
      new AbortController().signal,
    );
    setReading(
      sent.kind === "kept"
        ? { kind: "drafted", file: file.name, drafted: sent.answer }
        : { kind: "refused", detail: sent.kind === "refused" ? sent.detail : say("begin.failed") },
    );
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    if (file) void read(file);
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the button inside does the same */}
      <div
        className="start-drop"
        data-over={over || undefined}
        aria-busy={reading?.kind === "sending" || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        {reading?.kind === "sending" ? (
          <p role="status">{say("begin.file.reading", { file: reading.file })}</p>
        ) : (
          <Button look={reading === null ? "primary" : "plain"} icon="import" onClick={() => input.current?.click()}>
            {say(reading === null ? "begin.file.do" : "begin.file.other")}
          </Button>
        )}
        <span className="small-words">{say("begin.file.hint")}</span>
        <input
          ref={input}
          type="file"
          hidden
          tabIndex={-1}
          aria-label={say("begin.file.do")}
          accept=".csv,.tsv,.txt,.xlsx,text/csv,text/tab-separated-values"
          onChange={(event) => {
            const [file] = event.currentTarget.files ?? [];
            event.currentTarget.value = "";
            if (file) void read(file);
          }}
        />
      </div>
      {reading?.kind === "refused" && (
        <div className="note bad" role="alert">
          <Icon name="alert" size={18} />
          <p className="grow">{reading.detail}</p>
        </div>
      )}
      {reading?.kind === "drafted" && (
        <div className="start-found" role="status">
          <ul>
            {reading.drafted.tables.map(({ entity, source, rows, columns, leftOut }) => (
              <li key={entity}>
                <strong>{entity}</strong> <span>{say("begin.file.found", { source, rows, columns })}</span>
                {leftOut.map((sentence) => (
                  <p key={sentence} className="small-words">
                    {sentence}
                  </p>
                ))}
              </li>
            ))}
            {reading.drafted.remarks.map((sentence) => (
              <li key={sentence} className="small-words">
                {sentence}
              </li>
            ))}
          </ul>
          <Button look="primary" onClick={() => onDraft(reading.drafted, reading.file)}>
            {say("begin.file.use")}
          </Button>
        </div>
      )}
    </>
  );
};
