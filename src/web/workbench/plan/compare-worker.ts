import { createCompiler } from "../../../core/compile.ts";
import type { ThreadAnswer, ThreadRequest } from "../../util/thread-calls.ts";
import { type ComparedTexts, compareCompiled, type TextComparison } from "./text-comparison.ts";

/*
 * The thread that compares texts, so that typing never waits for it. Each side has a compiler of its own, which reads
 * only what changed since its last text.
 */

const [compileBefore, compileAfter] = [createCompiler(), createCompiler()];

addEventListener("message", ({ data: { id, question } }: MessageEvent<ThreadRequest<ComparedTexts>>) => {
  const answer = compareCompiled(compileBefore(question.before), compileAfter(question.after), compileAfter);
  postMessage({ id, answer } satisfies ThreadAnswer<TextComparison>);
});
