import { parentPort, workerData } from "node:worker_threads";
import { answerFromThread } from "./ask-thread.ts";
import type { DraftRequest } from "./check-draft.ts";
import { draftAnswer } from "./check-draft-sync.ts";

answerFromThread(parentPort, await draftAnswer(workerData as DraftRequest));
