import { createHash } from "node:crypto";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { catalogueFor } from "../../core/i18n/languages.ts";
import type { LetterJson } from "../../core/wire/letters.ts";
import { drawLetter, type LetterDrawing } from "./draw-letter.ts";

const MEMORY_MB = 256;

/** A letter with the longest tables takes a tenth of this. */
const TIMEOUT_MS = 60_000;

/** Changes when letters are drawn differently, so that nobody keeps a file of the earlier form. */
const FORM = 1;

/** Identifies the file of a letter without drawing it. */
export const letterTag = (letter: LetterJson): string =>
  `"${createHash("sha256")
    .update(`${FORM} ${JSON.stringify(letter)}`)
    .digest("base64url")
    .slice(0, 32)}"`;

/** The name of the file: the title and the record, without characters that a file system refuses. */
export const letterFileName = ({ title, label }: LetterJson): string =>
  `${`${title} ${label}`.replaceAll(/[\p{Cc}\p{Cf}<>:"/\\|?*]/gu, " ").trim() || "letter"}.pdf`;

/**
 * Draws a letter as a PDF in a thread, because it takes up to some seconds. Draws it here when the program runs from its
 * sources, which Node cannot load in a thread.
 */
export const writeLetterFile = (letter: LetterJson, now: Date): Promise<Buffer> => {
  const remark = catalogueFor(letter.language).mail["letter.unprintable"];
  const drawing: LetterDrawing = { letter, created: now.toISOString(), remark };
  if (extname(import.meta.url) === ".ts") return drawLetter(drawing);
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./draw-letter-worker.js", import.meta.url), {
      workerData: drawing,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    const timer = setTimeout(() => void worker.terminate(), TIMEOUT_MS);
    worker.once("message", (bytes: Uint8Array) => resolve(Buffer.from(bytes)));
    worker.once("error", reject);
    worker.once("exit", () => {
      clearTimeout(timer);
      reject(new Error("The letter was not drawn in time."));
    });
  });
};
