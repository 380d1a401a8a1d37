import { createEditor } from "../../../core/editor/editor.ts";
import { type LanguageReference, noReference } from "../../../core/editor/reference.ts";
import type { ThreadAnswer, ThreadRequest } from "../../util/thread-calls.ts";
import { answerQuestion, type EditorAnswers, type EditorQuestion, type QuestionKind } from "./editor-answers.ts";

/* The thread that compiles the draft and answers the text editor, so that typing never waits for it. */

let reference: LanguageReference = noReference;
fetch("/_/docs/reference.json")
  .then((response) => (response.ok ? response.json() : noReference))
  .then(
    (read: LanguageReference) => {
      reference = read;
    },
    // Without it, keys are explained by their form alone.
    () => undefined,
  );

const editor = createEditor(() => reference);

addEventListener("message", ({ data: { id, question } }: MessageEvent<ThreadRequest<EditorQuestion>>) => {
  postMessage({ id, answer: answerQuestion(editor, question) } satisfies ThreadAnswer<EditorAnswers[QuestionKind]>);
});
