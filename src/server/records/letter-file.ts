import { createHash } from "node:crypto";
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { chooseLanguage, choosePhrases } from "../../core/derive/client/localize.ts";
import { catalogueFor } from "../../core/i18n/languages.ts";
import type { MailedLetter } from "../../core/model/effect.ts";
import type { LetterJson } from "../../core/wire/letters.ts";
import { readPerson } from "../auth/sessions.ts";
import type { Service } from "../execution/service.ts";
import { nameFile } from "../files/file-name.ts";
import { drawLetter, type LetterDrawing } from "./draw-letter.ts";

const MEMORY_MB = 256;

/** A letter with the longest tables takes a tenth of this. */
const TIMEOUT_MS = 60_000;

/** Changes when letters are drawn differently, so that nobody keeps a file of the earlier form. */
const FORM = 1;

/** A letter and the logo at its head, a PNG as Base64. */
export interface LetterWithLogo {
  readonly letter: LetterJson;
  readonly logo: string | null;
}

/** Identifies the file of a letter without drawing it. */
export const letterTag = ({ letter, logo }: LetterWithLogo): string =>
  `"${createHash("sha256")
    .update(`${FORM} ${JSON.stringify(letter)}${logo ?? ""}`)
    .digest("base64url")
    .slice(0, 32)}"`;

/** The name of the file: the title and the record. */
export const letterFileName = ({ title, label }: LetterJson): string => nameFile(`${title} ${label}`, "pdf");

/**
 * Draws a letter as a PDF in a thread, because it takes up to some seconds. Draws it here when the program runs from its
 * sources, which Node cannot load in a thread.
 */
export const writeLetterFile = ({ letter, logo }: LetterWithLogo, now: Date, timeout = TIMEOUT_MS): Promise<Buffer> => {
  const remark = catalogueFor(letter.language).mail["letter.unprintable"];
  const drawing: LetterDrawing = { letter, created: now.toISOString(), remark, logo };
  if (extname(import.meta.url) === ".ts") return drawLetter(drawing);
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("./draw-letter-worker.js", import.meta.url), {
      workerData: drawing,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
    });
    const timer = setTimeout(() => void worker.terminate(), timeout);
    worker.once("message", (bytes: Uint8Array) => resolve(Buffer.from(bytes)));
    worker.once("error", reject);
    worker.once("exit", () => {
      clearTimeout(timer);
      reject(new Error("The letter was not drawn in time."));
    });
  });
};

/** A mail with letters that are not drawn yet. */
interface LetteredMail {
  readonly person: string;
  readonly recipient: string;
  readonly letters: readonly MailedLetter[];
}

/** Maximum size of the letters of one mail. Mail servers refuse mails that are too large. */
const MAX_MAILED_BYTES = 5_000_000;
/** Time for the letters of one mail. The job of mails waits for them. */
const MAX_MAILED_MS = 20_000;

/**
 * Reads the letters of a mail as its recipient can read them now, by the plan of the page. Leaves out those that they
 * cannot read, and all if the person has another address or no account any more.
 */
export const readMailedLetters = async (
  service: Service,
  { person, recipient, letters }: LetteredMail,
  now: Date,
): Promise<readonly LetterJson[]> => {
  const { database, model } = service;
  const principal = await readPerson(service, person, now);
  const [own] = await database.query({
    name: "own address",
    text: `select from app."user" where "id" = $1 and lower("email") = lower($2)`,
    values: [person, recipient],
  });
  if (principal === null || own === undefined) return [];
  const found: LetterJson[] = [];
  for (const { screen, record, language: wanted } of letters) {
    const language = chooseLanguage(model, [wanted]);
    const intent = { kind: "letter", screen, id: record, language } as const;
    const outcome = await service.perform(intent, principal, now, choosePhrases(model, wanted));
    if (outcome.kind === "found") found.push(outcome.body as LetterJson);
  }
  return found;
};

/** Draws the letters of a mail. One that cannot be drawn is left out and reported: the mail has a link to its record. */
export const drawMailedLetters = async (
  service: Service,
  mail: LetteredMail,
  now: Date,
  log: { warn(what: object, message: string): void },
): Promise<readonly { readonly name: string; readonly type: string; readonly content: Buffer }[]> => {
  const letters = await readMailedLetters(service, mail, now);
  const end = performance.now() + MAX_MAILED_MS;
  const files: { readonly name: string; readonly type: string; readonly content: Buffer }[] = [];
  let room = MAX_MAILED_BYTES;
  for (const letter of letters) {
    try {
      const content = await writeLetterFile(
        { letter, logo: service.model.logo },
        now,
        Math.max(end - performance.now(), 0),
      );
      if (content.length > room)
        throw new Error(`The letter has ${content.length} bytes, which is too large for a mail.`);
      room -= content.length;
      files.push({ name: letterFileName(letter), type: "application/pdf", content });
    } catch (error) {
      log.warn({ err: error }, "a letter was not attached to a mail");
    }
  }
  return files;
};
