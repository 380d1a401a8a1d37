import { extname } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type MessagePort, Worker } from "node:worker_threads";
import { NodeReceiver, type TransferNode, toNodes } from "../../core/util/transferable.ts";

/** Time limit of a thread in milliseconds. */
const PATIENCE = 60_000;
const MEMORY_MB = 1_024;

/** Objects that are put together before requests have their turn. */
const SLICE = 4_000;

interface Slice {
  readonly nodes: readonly TransferNode[];
  readonly isLast: boolean;
}

/**
 * Starts a thread from a file of this folder and waits for its answer (`answerAsker`). With `signal`, the thread ends as
 * soon as nobody wants its answer any more, and the promise is rejected with the reason of the signal.
 */
export const askThread = <T>(name: string, request: object, signal?: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    const file = new URL(`./${name}${extname(import.meta.url) === ".ts" ? ".ts" : ".js"}`, import.meta.url);
    const worker = new Worker(file, { workerData: request, resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } });
    const patience = setTimeout(() => {
      void worker.terminate();
      reject(new Error("a draft took too long"));
    }, PATIENCE);
    const stop = (): void => void worker.terminate();
    signal?.addEventListener("abort", stop);
    const received = new NodeReceiver();
    worker.on("message", ({ nodes, isLast }: Slice) => {
      received.add(nodes);
      if (isLast) resolve(received.value as T);
      else void nextTurn().then(() => worker.postMessage("more"));
    });
    worker.once("error", reject);
    worker.once("exit", (code) => {
      clearTimeout(patience);
      signal?.removeEventListener("abort", stop);
      if (signal?.aborted) reject(signal.reason);
      else if (code !== 0) reject(new Error(`a draft ended its thread with ${code}`));
    });
  });

/** Sends the answer of this thread, a slice each time that the last one was taken, and ends. */
export const answerAsker = (port: MessagePort | null, answer: object): void => {
  const nodes = toNodes(answer);
  let from = 0;
  const send = (): void => {
    const until = from + SLICE;
    const isLast = until >= nodes.length;
    port?.postMessage({ nodes: nodes.slice(from, until), isLast } satisfies Slice);
    from = until;
    // Without a listener nothing keeps the thread.
    if (isLast) port?.off("message", send);
  };
  port?.on("message", send);
  send();
};
