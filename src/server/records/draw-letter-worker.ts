import { parentPort, workerData } from "node:worker_threads";
import { drawLetter, type LetterDrawing } from "./draw-letter.ts";

parentPort?.postMessage(await drawLetter(workerData as LetterDrawing));
