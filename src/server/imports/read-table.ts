import { extname } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import {
  type ImportHead,
  splitTable,
  type TableFault,
  type TableMessage,
  type TablePart,
  unpackedTooLarge,
} from "./table-parts.ts";

const MEMORY_MB = 768;

/** Only a malicious file takes longer. */
const TIMEOUT_MS = 120_000;

/** Receives a table: first its columns, then its rows. */
export interface TableReceiver {
  readonly head: (head: ImportHead) => Promise<void>;
  readonly part: (part: TablePart) => Promise<void>;
}

const receive = async (message: TableMessage, to: TableReceiver): Promise<void> => {
  if (message.kind === "head") await to.head(message.head);
  if (message.kind === "part") await to.part(message.part);
};

/** Reads a file in the calling thread when the program runs from its sources, which Node cannot load in a thread. */
const readHere = async (file: string, bytes: Buffer, to: TableReceiver): Promise<TableFault | undefined> => {
  for await (const message of splitTable(file, bytes)) {
    if (message.kind === "fault") return message.fault;
    await receive(message, to);
    await nextTurn();
  }
  return undefined;
};

/**
 * Reads a file in its own thread, a part of the rows at a time. The next part is sent when the last one was stored.
 * Returns the reason if the file has no rows to import.
 */
export const readTable = (file: string, bytes: Buffer, to: TableReceiver): Promise<TableFault | undefined> => {
  if (extname(import.meta.url) === ".ts") return readHere(file, bytes, to);
  return new Promise((resolve, reject) => {
    const copy = new Uint8Array(bytes);
    const worker = new Worker(new URL("./read-table-worker.js", import.meta.url), {
      workerData: { file, bytes: copy },
      transferList: [copy.buffer],
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    const patience = setTimeout(() => void worker.terminate(), TIMEOUT_MS);
    let answer: { readonly fault: TableFault | undefined } | undefined;
    worker.on("message", (message: TableMessage) => {
      if (message.kind === "fault") answer = { fault: message.fault };
      if (message.kind === "end") answer = { fault: undefined };
      if (answer !== undefined) return;
      receive(message, to).then(
        () => worker.postMessage("more"),
        (error: unknown) => {
          void worker.terminate();
          reject(error);
        },
      );
    });
    // Out of memory: the table is larger than the size of its file suggested.
    worker.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ERR_WORKER_OUT_OF_MEMORY") answer = { fault: unpackedTooLarge };
      else reject(error);
    });
    worker.once("exit", () => {
      clearTimeout(patience);
      resolve(answer === undefined ? unpackedTooLarge : answer.fault);
    });
  });
};
