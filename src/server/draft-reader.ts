import { parentPort, workerData } from "node:worker_threads";
import { type DraftRead, draftIn } from "./draft-read.ts";

parentPort?.postMessage({ draft: draftIn(workerData as Uint8Array) } satisfies DraftRead);
