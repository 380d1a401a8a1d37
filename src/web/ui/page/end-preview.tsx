import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { PreviewUseJson } from "../../../core/wire/authoring/previews.ts";
import { useWords, type Words } from "../../i18n/words.tsx";
import { Button } from "../control/button.tsx";

interface EndPreviewOptions {
  readonly readUse: () => Promise<PreviewUseJson>;
  readonly end: () => Promise<void>;
  readonly onEnded: () => void;
  readonly onSettled?: () => unknown;
}

/** True if ending the preview takes work from somebody. */
export const losesWork = ({ people, more, changes }: PreviewUseJson): boolean =>
  people.length + more > 0 || changes !== 0;

/** Ends a preview. If others are signed in to it or somebody changed something in it, `question` says so first. */
export const useEndPreview = ({ readUse, end, onEnded, onSettled }: EndPreviewOptions) => {
  const words = useWords();
  const [use, setUse] = useState<PreviewUseJson | null>(null);
  const ending = useMutation({
    mutationFn: end,
    retry: false,
    onSuccess: onEnded,
    onSettled: () => onSettled?.(),
  });
  const asking = useMutation({
    mutationFn: readUse,
    retry: false,
    onSuccess: (found) => {
      if (losesWork(found)) setUse(found);
      else ending.mutate();
    },
  });
  return {
    ending,
    error: ending.error ?? asking.error,
    busy: ending.isPending || asking.isPending,
    ask: () => asking.mutate(),
    /** The question; null unless it is asked. */
    question: use === null || ending.isSuccess ? null : describePreviewUse(use, words),
    answer: (ends: boolean) => {
      setUse(null);
      if (ends) ending.mutate();
    },
  };
};

/** "Also signed in: Ada and Ben. 3 changes were made in this copy and will be lost." */
export const describePreviewUse = ({ people, more, changes }: PreviewUseJson, { say, show }: Words): string => {
  const names = show.list([...people, ...(more === 0 ? [] : [say("preview.use.more", { count: more })])]);
  return [
    ...(people.length === 0 ? [] : [say("preview.use.people", { names })]),
    changes === null ? say("preview.use.unknown") : say("preview.use.changes", { count: changes }),
  ].join(" ");
};

/** The button that ends a preview, or the two answers to the question. */
export const EndPreviewButtons = ({ busy, ask, question, answer }: ReturnType<typeof useEndPreview>) => {
  const { say } = useWords();
  const buttons = useRef<HTMLSpanElement>(null);
  const isAsked = question !== null;
  const wasAsked = useRef(isAsked);
  // The focus stays in its place, and a second press of Enter loses nothing.
  useEffect(() => {
    if (wasAsked.current === isAsked) return;
    wasAsked.current = isAsked;
    [...(buttons.current?.querySelectorAll("button") ?? [])].at(-1)?.focus();
  }, [isAsked]);
  return (
    <span ref={buttons} className="end-preview">
      {isAsked ? (
        <>
          <Button small look="danger" onClick={() => answer(true)}>
            {say("preview.end.now")}
          </Button>
          <Button small onClick={() => answer(false)}>
            {say("preview.end.not")}
          </Button>
        </>
      ) : (
        <Button small busy={busy} onClick={() => busy || ask()}>
          {say("preview.end")}
        </Button>
      )}
    </span>
  );
};
