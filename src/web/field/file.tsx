import { type DragEvent, useEffect, useRef, useState } from "react";
import type { FileJson } from "../../core/wire.ts";
import { isFile } from "../client/entered.ts";
import { upload } from "../client/upload.ts";
import { Button } from "../part/button.tsx";
import { useFileAddress } from "../part/files.tsx";
import { Icon } from "../part/icon.tsx";
import { useWords } from "../words/words.tsx";
import { controlProps, type FieldView, type InputProps, never, type ShownProps } from "./field.ts";
import "../look/file.css";

const isPicture = ({ type }: FileJson) => type.startsWith("image/");

const Shown = ({ value, cell }: ShownProps) => {
  const addressOf = useFileAddress();
  const { show } = useWords();
  if (!isFile(value)) return null;
  if (cell)
    return (
      <span className="file-name">
        <Icon name="document" /> <bdi className="cut">{value.name}</bdi>
      </span>
    );
  const address = addressOf(value.id, false);
  return (
    <a
      className="file-shown"
      href={address}
      target="_blank"
      rel="noreferrer noopener"
      download={isPicture(value) ? undefined : value.name}
    >
      {isPicture(value) ? <img src={address} alt="" loading="lazy" /> : <Icon name="document" size={20} />}
      <span className="file-words">
        <bdi className="link break">{value.name}</bdi>
        <span className="aside-words">{show.bytes(value.size)}</span>
      </span>
    </a>
  );
};

type Sending = { readonly name: string; readonly part: number };

/** A place to drop or paste a file, with a button that asks for one; it is sent at once, and named when the form is saved. */
const Input = (props: InputProps) => {
  const { field, entered, onEnter } = props;
  const { say, show } = useWords();
  const addressOf = useFileAddress();
  const input = useRef<HTMLInputElement>(null);
  const [sending, setSending] = useState<Sending | null>(null);
  const [wrong, setWrong] = useState<string | null>(null);
  const [over, setOver] = useState(false);
  /** Those that were sent here: no record names them yet. */
  const [sent, setSent] = useState<readonly string[]>([]);
  const stop = useRef<AbortController | null>(null);
  useEffect(() => () => stop.current?.abort(), []);
  const chosen = isFile(entered) ? entered : null;

  const take = async (file: File | undefined) => {
    if (!file) return;
    stop.current?.abort();
    const controller = new AbortController();
    stop.current = controller;
    setWrong(null);
    setSending({ name: file.name, part: 0 });
    const outcome = await upload(file, (part) => setSending({ name: file.name, part }), controller.signal);
    if (stop.current !== controller) return;
    setSending(null);
    if (controller.signal.aborted) return;
    if (outcome.kind === "kept") {
      setSent((before) => [...before, outcome.file.id]);
      onEnter(outcome.file);
      props.onLeave();
    } else setWrong(outcome.kind === "refused" ? outcome.detail : say("file.failed"));
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void take(event.dataTransfer.files[0]);
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is dropped or pasted here can be chosen by the button too
    <div
      className={over ? "box file over" : "box file"}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      onPaste={(event) => void take(event.clipboardData.files[0])}
    >
      {sending ? (
        <>
          <progress value={sending.part} max={1} aria-label={say("file.sending", { name: sending.name })} />
          <bdi className="cut grow">{sending.name}</bdi>
          <Button small look="quiet" onClick={() => stop.current?.abort()}>
            {say("file.stop")}
          </Button>
        </>
      ) : chosen ? (
        <>
          {isPicture(chosen) ? (
            <img src={addressOf(chosen.id, sent.includes(chosen.id))} alt="" />
          ) : (
            <Icon name="document" size={20} />
          )}
          <span className="file-words grow">
            <bdi className="break">{chosen.name}</bdi>
            <span className="aside-words">{show.bytes(chosen.size)}</span>
          </span>
          <Button
            small
            look="quiet"
            aria-label={say("file.remove", { field: field.label })}
            onClick={() => onEnter(null)}
          >
            {say("file.remove.short")}
          </Button>
        </>
      ) : (
        <span className="file-hint grow">{say(field.type === "image" ? "file.drop.picture" : "file.drop")}</span>
      )}
      <input
        {...controlProps(props)}
        ref={input}
        className="hidden-words"
        type="file"
        accept={field.type === "image" ? "image/png,image/jpeg,image/gif,image/webp,image/avif" : undefined}
        onChange={(event) => {
          void take(event.currentTarget.files?.[0]);
          event.currentTarget.value = "";
        }}
      />
      {!sending && (
        <Button small tabIndex={-1} aria-hidden onClick={() => input.current?.click()}>
          {say(chosen ? "file.replace" : "file.choose")}
        </Button>
      )}
      {wrong && (
        <p className="mend" role="alert">
          <Icon name="alert" /> {wrong}
        </p>
      )}
    </div>
  );
};

export const file: FieldView = { Shown, Input, wide: true, end: false, group: never };
