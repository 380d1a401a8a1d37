import { extname } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type MessagePort, Worker } from "node:worker_threads";
import { NodeReceiver, type TransferNode, toNodes } from "../../../core/util/transferable.ts";
import { restoreStoreError } from "../../../postgres/database.ts";

/** Time limit of a thread in milliseconds. */
const TIMEOUT_MS = 60_000;
const MEMORY_MB = 1_024;

/** Maximum number of objects that are rebuilt at a time, so that requests can run in between. */
const SLICE_OBJECTS = 4_000;

interface Slice {
  readonly nodes: readonly TransferNode[];
  readonly isLast: boolean;
}

/**
 * Runs a file of this folder in a worker thread and waits for its response (`answerFromThread`). If `signal` is aborted,
 * ends the thread and rejects with the reason of the signal.
 */
export const askThread = <T>(name: string, request: object, signal?: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const file = new URL(`./${name}${extname(import.meta.url) === ".ts" ? ".ts" : ".js"}`, import.meta.url);
    const worker = new Worker(file, { workerData: request, resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } });
    const patience = setTimeout(() => {
      void worker.terminate();
      reject(new Error("a draft took too long"));
    }, TIMEOUT_MS);
    const stop = (): void => void worker.terminate();
    signal?.addEventListener("abort", stop);
    const received = new NodeReceiver();
    worker.on("message", ({ nodes, isLast }: Slice) => {
      received.add(nodes);
      if (isLast) resolve(received.value as T);
      else void nextTurn().then(() => worker.postMessage("more"));
    });
    worker.once("error", (error) => reject(restoreStoreError(error)));
    worker.once("exit", (code) => {
      clearTimeout(patience);
      signal?.removeEventListener("abort", stop);
      if (signal?.aborted) reject(signal.reason);
      else if (code !== 0) reject(new Error(`a draft ended its thread with ${code}`));
    });
  });

/** Sends the response of this thread in slices, each after the last one was received, and ends the thread. */
export const answerFromThread = (port: MessagePort | null, answer: object): void => {
  const nodes = toNodes(answer);
  let from = 0;
  const send = (): void => {
    const until = from + SLICE_OBJECTS;
    const isLast = until >= nodes.length;
    port?.postMessage({ nodes: nodes.slice(from, until), isLast } satisfies Slice);
    from = until;
    // Without a listener, the thread ends.
    if (isLast) port?.off("message", send);
  };
  port?.on("message", send);
  send();
};
