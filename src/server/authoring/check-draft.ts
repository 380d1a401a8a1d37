import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import type { ChangeJson, DraftJson, SourceJson } from "../../core/wire/authoring.ts";
import type { ConnectOptions } from "../../postgres/database.ts";
import type { RefusalAt } from "../refusal.ts";
import { type DraftRead, parseDraft } from "./parse-draft.ts";

/** A draft to check outside the event loop. */
export interface DraftAsked {
  readonly files: readonly SourceJson[];
  /** The owner of the tables; null to check only the text. */
  readonly owner: ConnectOptions["connection"] | null;
}

export type DraftAnswer =
  | { readonly kind: "invalid"; readonly at: readonly RefusalAt[] }
  | { readonly kind: "runs" }
  | { readonly kind: "plan"; readonly change: ChangeJson };

/** Time limit of a check in milliseconds. */
const PATIENCE = 60_000;
const MEMORY_MB = 1_024;

/** Longer drafts are parsed in a separate thread. */
const SHORT = 64 * 1024;

/** Starts a thread and waits for its only message. */
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

/** Compiles and tries a draft in a separate thread, since a document may be long. */
export const tryDraft = (asked: DraftAsked): Promise<DraftAnswer> => askThread("check-draft-worker", asked);

/** Parses a draft; undefined if it is invalid. */
export const readDraft = async (body: Buffer): Promise<DraftJson | undefined> =>
  body.length <= SHORT ? parseDraft(body) : (await askThread<DraftRead>("parse-draft-worker", body)).draft;
