import { parentPort, workerData } from "node:worker_threads";
import type { DraftAsked } from "./check-draft.ts";
import { draftAnswer } from "./check-draft-sync.ts";

parentPort?.postMessage(await draftAnswer(workerData as DraftAsked));
