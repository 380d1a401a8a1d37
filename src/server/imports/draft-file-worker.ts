import { parentPort, workerData } from "node:worker_threads";
import { answerAsker } from "../authoring/draft/ask-thread.ts";
import { draftFile, type FileToDraft } from "./draft-file.ts";

answerAsker(parentPort, await draftFile(workerData as FileToDraft));
