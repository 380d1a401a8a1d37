import { parentPort, workerData } from "node:worker_threads";
import { type DraftRead, draftIn } from "./parse-draft.ts";

parentPort?.postMessage({ draft: draftIn(workerData as Uint8Array) } satisfies DraftRead);
