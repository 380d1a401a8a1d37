import { parentPort, workerData } from "node:worker_threads";
import { answerFromThread } from "./ask-thread.ts";
import { type DraftRead, parseDraft } from "./parse-draft.ts";

answerFromThread(parentPort, { draft: parseDraft(workerData as Uint8Array) } satisfies DraftRead);
