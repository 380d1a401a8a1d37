import { parentPort, workerData } from "node:worker_threads";
import { answerAsker } from "./ask-thread.ts";
import { type DraftRead, parseDraft } from "./parse-draft.ts";

answerAsker(parentPort, { draft: parseDraft(workerData as Uint8Array) } satisfies DraftRead);
