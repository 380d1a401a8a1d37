import { useEffect, useState } from "react";
import { haveSameText, type Source } from "../../../core/source-text.ts";
import { createThreadCalls } from "../../util/thread-calls.ts";
import type { CheckedText, EditorAnswers, EditorQuestion, EditorQuestions, QuestionKind } from "./editor-answers.ts";

/** One thread for the page, started by the first question. */
const ask = createThreadCalls<EditorQuestion, EditorAnswers[QuestionKind]>(
  () => new Worker(new URL("./editor-worker.ts", import.meta.url), { type: "module" }),
);

/** Asks about a text of the draft. */
export const askEditor = <K extends QuestionKind>(
  kind: K,
  files: readonly Source[],
  about: EditorQuestions[K],
  signal?: AbortSignal,
): Promise<EditorAnswers[K]> =>
  ask({ kind, files: files.map(({ file, text }) => ({ file, text })), about } as EditorQuestion, signal) as Promise<
    EditorAnswers[K]
  >;

/**
 * The newest check of a draft, perhaps of an earlier text while its author types. Undefined before the first answer;
 * `failed` if the thread could not answer.
 */
export const useCheckedText = (
  files: readonly Source[],
): { readonly checked: CheckedText | undefined; readonly failed: boolean; readonly retry: () => void } => {
  const [checked, setChecked] = useState<CheckedText>();
  const [failed, setFailed] = useState(false);
  const [attempt, setAttempt] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: an attempt asks again
  useEffect(() => {
    const aborter = new AbortController();
    const { signal } = aborter;
    const begin = (): void => {
      askEditor("check", files, {}, signal).then(
        (answer) => {
          if (signal.aborted) return;
          setFailed(false);
          setChecked((before) => (before && haveSameText(before.sources, answer.sources) ? before : answer));
        },
        () => {
          if (!signal.aborted) setFailed(true);
        },
      );
    };
    begin();
    return () => aborter.abort();
  }, [files, attempt]);
  return { checked, failed, retry: () => setAttempt((last) => last + 1) };
};
