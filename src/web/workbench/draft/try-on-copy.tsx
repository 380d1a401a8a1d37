import { useMutation, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { DraftJson } from "../../../core/wire/authoring/document.ts";
import type { PreviewJson } from "../../../core/wire/authoring/previews.ts";
import { keys } from "../../api/query-keys.ts";
import { reload } from "../../api/reload.ts";
import { useApplication, useClient, usePerson } from "../../app/app-context.tsx";
import { createAnnouncement } from "../../app/app-state.ts";
import { useWords } from "../../i18n/words.tsx";
import { Button } from "../../ui/control/button.tsx";
import { EndPreviewButtons, useEndPreview } from "../../ui/page/end-preview.tsx";
import { FailureNote } from "../../ui/page/problem-note.tsx";
import "./try-on-copy.css";

/** Milliseconds between two looks at the list: while data is copied, and otherwise. */
const SOON = 1_000;
const LATER = 10_000;

const usePreviews = () => {
  const { calls } = useClient();
  return useQuery({
    queryKey: keys.previews,
    queryFn: ({ signal }) => calls.previews(signal),
    refetchInterval: ({ state }) => (state.data?.items.some(({ address }) => address === null) ? SOON : LATER),
  });
};

/** Starts a preview of a draft, and lists all that run. Nothing in a preview, and for people who are not administrators. */
export const TryOnCopy = ({
  draft,
  onStarted,
}: {
  readonly draft: DraftJson;
  readonly onStarted: (preview: string) => void;
}) => {
  const { calls, queries } = useClient();
  const { preview } = useApplication();
  const person = usePerson();
  const { say } = useWords();
  const hasMarks = draft.files.some(({ text }) => /\bpersonal:\s*true\b/u.test(text));
  const [mask, setMask] = useState(hasMarks);
  const start = useMutation({
    mutationFn: () => calls.startPreview(draft, mask),
    retry: false,
    onSuccess: ({ id }) => onStarted(id),
    onSettled: () => reload(queries, { queryKey: keys.previews }),
  });
  if (preview !== undefined || person?.administrator !== true) return null;
  return (
    <section className="publish-part previews" aria-labelledby="try-on-copy">
      <h3 id="try-on-copy">{say("try.title")}</h3>
      <p className="small-words">{say("try.words")}</p>
      <label className="try-mask">
        <input type="checkbox" checked={mask} onChange={(event) => setMask(event.currentTarget.checked)} />
        <span>{say("try.mask")}</span>
      </label>
      <p>
        <Button busy={start.isPending} onClick={() => start.isPending || start.mutate()}>
          {say("try.start")}
        </Button>
      </p>
      <FailureNote title={say("try.failed")} error={start.error} />
      <PreviewList hasStarted={start.isSuccess} />
    </section>
  );
};

/** The previews that run, each with its address and its end. */
export const PreviewList = ({ hasStarted = false }: { readonly hasStarted?: boolean }) => {
  const { say } = useWords();
  const query = usePreviews();
  const items = query.data?.items ?? [];
  const failed = query.data?.failed ?? null;
  const isCopying = items.some(({ address }) => address === null);
  const list = useRef<HTMLDivElement>(null);
  return (
    <div ref={list} role="status" tabIndex={-1} className="preview-status">
      {failed !== null && hasStarted && (
        <p className="preview-failed">
          <strong>{say("try.failed")}</strong> <span>{failed}</span>
        </p>
      )}
      {items.length > 0 && (
        <ul className="preview-list" aria-label={say("try.list")} aria-busy={isCopying || undefined}>
          {items.map((item) => (
            <Running key={item.id} preview={item} onEnd={() => list.current?.focus()} />
          ))}
        </ul>
      )}
    </div>
  );
};

const Running = ({ preview, onEnd }: { readonly preview: PreviewJson; readonly onEnd: () => void }) => {
  const { id, base, by, masked, hasData, endsAt, address, copied } = preview;
  const { calls, queries, polite } = useClient();
  const { say, show } = useWords();
  const [link, setLink] = useState<string | null>(null);
  const open = useMutation({
    mutationFn: () => calls.previewLink(id),
    retry: false,
    onSuccess: (preview) => setLink(preview.link),
  });
  const end = useEndPreview({
    readUse: () => calls.previewUse(id),
    end: () => calls.removePreview(id),
    // The button that was pressed disappears with its preview.
    onEnded: () => {
      polite.set(createAnnouncement(say("preview.ended")));
      onEnd();
    },
    onSettled: () => reload(queries, { queryKey: keys.previews }),
  });
  const acts = useRef<HTMLDivElement>(null);
  const shownLink = useRef(link);
  // One control takes the place of the other, and the focus stays in that place.
  useEffect(() => {
    if (shownLink.current === link) return;
    shownLink.current = link;
    acts.current?.querySelector<HTMLElement>("a, button")?.focus();
  }, [link]);
  const [title, error] = open.error
    ? ([say("try.failed.link"), open.error] as const)
    : ([say("try.failed.end"), end.error] as const);
  const data = hasData ? (masked ? "masked" : "copy") : "sample";
  return (
    <li className="preview-running">
      <div>
        <p>{say("try.item", { data, base, until: show.moment(endsAt) })}</p>
        <p className="small-words">
          {address === null ? say("try.copying", { size: (copied / 1e6).toFixed(1) }) : <bdi>{address}</bdi>}
          {by !== null && by.label !== "" && (
            <>
              {" · "}
              <bdi>{by.label}</bdi>
            </>
          )}
        </p>
        {end.question !== null && <p className="preview-question">{end.question}</p>}
        <FailureNote title={title} error={error} />
      </div>
      <div ref={acts} className="preview-acts">
        {address !== null &&
          end.question === null &&
          (link === null ? (
            <Button small busy={open.isPending} onClick={() => open.isPending || open.mutate()}>
              {say("try.link")}
            </Button>
          ) : (
            <a
              className="button small primary"
              href={link}
              target="_blank"
              rel="noreferrer"
              onClick={() => setLink(null)}
            >
              {say("try.open")}
            </a>
          ))}
        <EndPreviewButtons {...end} />
      </div>
    </li>
  );
};
