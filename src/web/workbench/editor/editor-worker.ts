import { createEditor } from "../../../core/editor/editor.ts";
import type { ThreadAnswer, ThreadRequest } from "../../util/thread-calls.ts";
import { answerQuestion, type EditorAnswers, type EditorQuestion, type QuestionKind } from "./editor-answers.ts";

/* The thread that compiles the draft and answers the text editor, so that typing never waits for it. */

const editor = createEditor();

addEventListener("message", ({ data: { id, question } }: MessageEvent<ThreadRequest<EditorQuestion>>) => {
  postMessage({ id, answer: answerQuestion(editor, question) } satisfies ThreadAnswer<EditorAnswers[QuestionKind]>);
});
