import type { SourceJson } from "../../../core/wire/authoring/document.ts";
import type { TextComparison } from "./text-comparison.ts";

/** A message to the thread that compares. */
export interface ComparisonRequest {
  readonly id: number;
  readonly before: readonly SourceJson[];
  readonly after: readonly SourceJson[];
}

/** The worker's answer to a request. */
export interface CompareAnswer {
  readonly id: number;
  readonly comparison: TextComparison;
}

/** The part of a thread that is used here. */
export interface CompareThread {
  postMessage(request: ComparisonRequest): void;
  addEventListener(type: "message", listener: (event: { readonly data: CompareAnswer }) => void): void;
  addEventListener(type: "error", listener: () => void): void;
  terminate(): void;
}

interface Waiting extends ComparisonRequest {
  readonly resolve: (comparison: TextComparison) => void;
  readonly reject: (cause: Error) => void;
}

/** Compares two texts. With `signal`, an aborted comparison does not start, and its promise never settles. */
type CompareTexts = (
  before: readonly SourceJson[],
  after: readonly SourceJson[],
  signal: AbortSignal,
) => Promise<TextComparison>;

/** Compares texts in a thread, one after the other. A thread that fails is replaced by the next comparison. */
export const createTextComparer = (start: () => CompareThread): CompareTexts => {
  let thread: CompareThread | undefined;
  let running: Waiting | undefined;
  let last = 0;
  const waiting = new Set<Waiting>();

  const begin = (): CompareThread => {
    const started = start();
    started.addEventListener("message", ({ data }) => {
      if (running?.id === data.id) running.resolve(data.comparison);
      running = undefined;
      next();
    });
    started.addEventListener("error", () => {
      started.terminate();
      thread = undefined;
      running?.reject(new Error("the texts could not be compared"));
      running = undefined;
      next();
    });
    return started;
  };
  const next = (): void => {
    const [one] = waiting;
    if (running !== undefined || one === undefined) return;
    waiting.delete(one);
    running = one;
    thread ??= begin();
    const { id, before, after } = one;
    thread.postMessage({ id, before, after });
  };

  return (before, after, signal) =>
    new Promise((resolve, reject) => {
      const request: Waiting = { id: ++last, before, after, resolve, reject };
      signal.addEventListener("abort", () => waiting.delete(request));
      waiting.add(request);
      next();
    });
};
