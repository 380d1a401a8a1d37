import { createCompiler } from "../../../core/compile.ts";
import type { CompareAnswer, ComparisonRequest } from "./text-comparer.ts";
import { compareCompiled } from "./text-comparison.ts";

/*
 * The thread that compares texts, so that typing never waits for it. Each side has a compiler of its own, which reads
 * only what changed since its last text.
 */

const [compileBefore, compileAfter] = [createCompiler(), createCompiler()];

addEventListener("message", ({ data: { id, before, after } }: MessageEvent<ComparisonRequest>) => {
  const comparison = compareCompiled(compileBefore(before), compileAfter(after), compileAfter);
  postMessage({ id, comparison } satisfies CompareAnswer);
});
