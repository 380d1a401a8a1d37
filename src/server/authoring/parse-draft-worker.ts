import { parentPort, workerData } from "node:worker_threads";
import { type DraftRead, parseDraft } from "./parse-draft.ts";

parentPort?.postMessage({ draft: parseDraft(workerData as Uint8Array) } satisfies DraftRead);
