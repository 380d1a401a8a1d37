import { parentPort, workerData } from "node:worker_threads";
import type { DraftAsked } from "./draft.ts";
import { draftAnswer } from "./draft-answer.ts";

parentPort?.postMessage(await draftAnswer(workerData as DraftAsked));
