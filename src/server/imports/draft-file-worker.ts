import { parentPort, workerData } from "node:worker_threads";
import { answerFromThread } from "../authoring/draft/ask-thread.ts";
import { draftFile, type FileToDraft } from "./draft-file.ts";

answerFromThread(parentPort, await draftFile(workerData as FileToDraft));
