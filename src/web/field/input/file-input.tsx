import { type DragEvent, type RefObject, useEffect, useRef, useState } from "react";
import type { FileJson } from "../../../core/wire/records.ts";
import { upload } from "../../api/upload.ts";
import { hasFinePointer } from "../../app/app-context.tsx";
import { areFiles, isFile } from "../../format/value-shapes.ts";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { useFileAddress } from "../../ui/dom/file-address.tsx";
import { Icon } from "../../ui/icon.tsx";
import { controlProps, type InputProps } from "../field.ts";
import { isPicture } from "../type/file/file.tsx";
import "../type/file/file.css";

/**
 * Delays submitting the form until uploads are complete, then submits it. If an upload fails, nothing is saved, and the
 * field says so.
 */
const useSubmitAfterUpload = (inside: RefObject<HTMLElement | null>, sending: boolean, failed: boolean): boolean => {
  const [owner, setOwner] = useState<HTMLFormElement | null>(null);
  useEffect(() => {
    const form = inside.current?.closest("form");
    if (!form || !sending) return;
    const hold = (event: Event) => {
      event.preventDefault();
      event.stopImmediatePropagation();
      setOwner(form);
    };
    form.addEventListener("submit", hold, { capture: true });
    return () => form.removeEventListener("submit", hold, { capture: true });
  }, [inside, sending]);
  useEffect(() => {
    if (sending || owner === null) return;
    setOwner(null);
    if (!failed) owner.requestSubmit();
  }, [sending, owner, failed]);
  return owner !== null;
};

type Sending = { readonly name: string; readonly part: number };

interface Taking {
  readonly chosen: readonly FileJson[];
  /** True if files are added; otherwise a new file replaces the old one. */
  readonly many: boolean;
  readonly onChoose: (files: readonly FileJson[]) => void;
}

/** Uploads files one by one. A new choice, a failure or `abort` stops the rest. */
const useUploads = ({ chosen, many, onChoose, onLeave }: Taking & Pick<InputProps, "onLeave">) => {
  const { say } = useWords();
  const [sending, setSending] = useState<Sending | null>(null);
  const [wrong, setWrong] = useState<string | null>(null);
  /** Ids of new uploads, which no record refers to yet. */
  const [sent, setSent] = useState<readonly string[]>([]);
  const stop = useRef<AbortController | null>(null);
  // Keeps removals made during an upload.
  const now = useRef(chosen);
  now.current = chosen;
  useEffect(() => () => stop.current?.abort(), []);
  const choose = (files: readonly FileJson[]) => {
    now.current = files;
    onChoose(files);
  };
  const take = async (files: readonly File[]) => {
    if (files.length === 0) return;
    stop.current?.abort();
    const controller = new AbortController();
    stop.current = controller;
    setWrong(null);
    for (const file of many ? files : files.slice(0, 1)) {
      setSending({ name: file.name, part: 0 });
      const outcome = await upload(file, (part) => setSending({ name: file.name, part }), controller.signal);
      if (stop.current !== controller) return;
      if (controller.signal.aborted) break;
      if (outcome.kind !== "kept") {
        setWrong(outcome.kind === "refused" ? outcome.detail : say("file.failed"));
        break;
      }
      setSent((before) => [...before, outcome.file.id]);
      choose(many ? [...now.current, outcome.file] : [outcome.file]);
    }
    setSending(null);
    if (!controller.signal.aborted) onLeave();
  };
  const remove = (file: FileJson) => choose(now.current.filter(({ id }) => id !== file.id));
  return { sending, wrong, sent, take, remove, abort: () => stop.current?.abort() };
};

/**
 * An area to drop, paste or choose files. Each is uploaded at once, one by one, and attached when the form is saved.
 */
const Box = ({ chosen, many, onChoose, ...props }: InputProps & Taking) => {
  const { field, onLeave } = props;
  const { say } = useWords();
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const { sending, wrong, sent, take, remove, abort } = useUploads({ chosen, many, onChoose, onLeave });
  const box = useRef<HTMLDivElement>(null);
  const isWaiting = useSubmitAfterUpload(box, sending !== null, wrong !== null);

  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void take([...event.dataTransfer.files]);
  };
  const hasCamera = !hasFinePointer();
  const isEmpty = chosen.length === 0 && sending === null;

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the button offers the same by keyboard
    <div
      ref={box}
      className={["box file", many ? "many" : "", over ? "over" : ""].filter(Boolean).join(" ")}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      onPaste={(event) => {
        if (event.clipboardData.files.length > 0) event.preventDefault();
        void take([...event.clipboardData.files]);
      }}
    >
      {(many || sending === null) &&
        chosen.map((one) => (
          <ChosenFile
            key={one.id}
            file={one}
            isNew={sent.includes(one.id)}
            label={say("file.remove", { field: many ? one.name : field.label })}
            onRemove={() => {
              remove(one);
              // The remove button disappears with its file; focus moves to the button that adds files.
              input.current?.focus();
            }}
          />
        ))}
      {sending && (
        <div className="file-chosen">
          <progress value={sending.part} max={1} aria-label={say("file.sending", { name: sending.name })} />
          <bdi className="cut grow">{sending.name}</bdi>
          <Button small look="quiet" onClick={abort}>
            {say("file.stop")}
          </Button>
        </div>
      )}
      {isEmpty && !hasCamera && (
        <span className="file-hint grow">{say(field.type === "image" ? "file.drop.picture" : "file.drop")}</span>
      )}
      <input
        {...controlProps(props)}
        ref={input}
        className="hidden-words"
        type="file"
        multiple={many}
        accept={field.type === "image" ? "image/png,image/jpeg,image/gif,image/webp,image/avif" : undefined}
        onChange={(event) => {
          // The button disappears during the upload; focus stays in the field.
          event.currentTarget.focus();
          void take([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }}
      />
      {!sending && (
        <Button small tabIndex={-1} aria-hidden onClick={() => input.current?.click()}>
          {say(chosen.length === 0 ? "file.choose" : many ? "file.add" : "file.replace")}
        </Button>
      )}
      {!sending && hasCamera && <Camera label={say("file.camera.field", { field: field.label })} onTaken={take} />}
      <p className="file-hint" role="status">
        {isWaiting ? say("file.held") : null}
      </p>
      {wrong && (
        <p className="mend" role="alert">
          <Icon name="alert" /> {wrong}
        </p>
      )}
    </div>
  );
};

interface ChosenFileProps {
  readonly file: FileJson;
  /** True for an upload that no record refers to yet. */
  readonly isNew: boolean;
  /** Label of the button that removes it. */
  readonly label: string;
  readonly onRemove: () => void;
}

const ChosenFile = ({ file, isNew, label, onRemove }: ChosenFileProps) => {
  const { say, show } = useWords();
  const addressOf = useFileAddress();
  return (
    <div className="file-chosen">
      {isPicture(file) ? <img src={addressOf(file.id, isNew)} alt="" /> : <Icon name="document" size={20} />}
      <span className="file-words grow">
        <bdi className="break">{file.name}</bdi>
        <span className="aside-words">{show.bytes(file.size)}</span>
      </span>
      <Button small look="quiet" aria-label={label} onClick={onRemove}>
        {say("file.remove.short")}
      </Button>
    </div>
  );
};

/** Takes a photo with the camera of a phone. */
const Camera = ({ label, onTaken }: { label: string; onTaken: (files: readonly File[]) => void }) => {
  const { say } = useWords();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        hidden
        type="file"
        accept="image/*"
        capture="environment"
        onChange={(event) => {
          onTaken([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
        }}
      />
      <Button small aria-label={label} onClick={() => input.current?.click()}>
        {say("file.camera")}
      </Button>
    </>
  );
};

export const FileInput = (props: InputProps) => (
  <Box
    {...props}
    many={false}
    chosen={isFile(props.entered) ? [props.entered] : []}
    onChoose={([one = null]) => props.onEnter(one)}
  />
);

/** Several files, in the order in which they were added. */
export const FilesInput = (props: InputProps) => (
  <Box {...props} many chosen={areFiles(props.entered) ? props.entered : []} onChoose={props.onEnter} />
);
