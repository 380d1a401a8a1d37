import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { ChangeJson, DraftJson, SourceJson } from "../../core/wire/authoring.ts";
import type { ConnectOptions } from "../../postgres/database.ts";
import type { RefusalAt } from "../refusal.ts";
import { type DraftRead, draftIn } from "./parse-draft.ts";

/** What becomes of a draft away from the event loop: whether it runs, and what it would do to what is stored. */
export interface DraftAsked {
  readonly files: readonly SourceJson[];
  /** As the role that owns the tables; null where only the text is looked at. */
  readonly owner: ConnectOptions["connection"] | null;
}

export type DraftAnswer =
  | { readonly kind: "invalid"; readonly at: readonly RefusalAt[] }
  | { readonly kind: "runs" }
  | { readonly kind: "plan"; readonly change: ChangeJson };

/** A draft that takes longer is none that anybody wrote. */
const PATIENCE = 60_000;
const MEMORY_MB = 1_024;

/** A draft of so many bytes is parsed at once; a longer one in a thread of its own. */
const SHORT = 64 * 1024;

/** Starts a thread with something to work on and waits for its one message. */
const askThread = <T>(name: string, asked: object): Promise<T> =>
  new Promise((resolve, reject) => {
    const file = new URL(`./${name}${extname(import.meta.url)}`, import.meta.url);
    const worker = new Worker(file, { workerData: asked, resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB } });
    const patience = setTimeout(() => {
      void worker.terminate();
      reject(new Error("a draft took too long"));
    }, PATIENCE);
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", (code) => {
      clearTimeout(patience);
      if (code !== 0) reject(new Error(`a draft ended its thread with ${code}`));
    });
  });

/** A document may be long, and its author in the middle of a word: it is compiled and tried in a thread of its own. */
export const tryDraft = (asked: DraftAsked): Promise<DraftAnswer> => askThread("check-draft-worker", asked);

/** Parses a draft; undefined where it is none. */
export const readDraft = async (body: Buffer): Promise<DraftJson | undefined> =>
  body.length <= SHORT ? draftIn(body) : (await askThread<DraftRead>("parse-draft-worker", body)).draft;
