import { LRUCache } from "lru-cache";
import type { Database } from "../../postgres/database.ts";
import { countAttempt, limitKey } from "../limits/attempts.ts";
import { countSentFiles, countUnnamedFiles, type FileUsage } from "./file-store.ts";

/** Quota per person for files without a record: bytes as a multiple of the largest file, and number of files. */
const QUOTA_IN_LARGEST_FILES = 8;
const MAX_FILES = 200;

/** Maximum number of uploads in parallel, and per quarter of an hour. */
const MAX_PARALLEL = 20;
const MAX_PER_QUARTER_HOUR = 300;

/** How long a count is cached. Counting reads every record with files. */
const CACHE_MS = 5_000;
const MAX_CACHED = 1_000;

/** An upload that asks for room: one file, or the files of a ZIP file, of which a person can have more. */
interface WantedUpload {
  readonly id: string;
  readonly bytes: number;
  readonly files?: number;
  readonly maxFiles?: number;
}

/** A person's uploads that are not decided or not finished. */
interface Uploads {
  /** Admitted uploads by the id of the file. */
  readonly admitted: Map<string, FileUsage>;
  waiting: number;
  /** Resolves when the last upload so far is decided. */
  decided: Promise<unknown>;
}

/** Limits what a person can upload before it is used in a record. */
export class UploadQuota {
  readonly #database: Database;
  readonly #bytes: number;
  readonly #uploads = new Map<string, Uploads>();
  readonly #known = new LRUCache<
    string,
    { readonly at: number; readonly sent: FileUsage; readonly unnamed: FileUsage }
  >({ max: MAX_CACHED });

  /** `largest`: maximum size of a file in bytes. */
  constructor(database: Database, largest: number) {
    this.#database = database;
    this.#bytes = largest * QUOTA_IN_LARGEST_FILES;
  }

  /** Maximum number of bytes that a person can have without a record. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Reserves room for a file until the returned function is called; undefined if there is none. A person's uploads are
   * decided one after another, and those in progress count in full. So parallel uploads neither exceed the quota nor
   * take free room from one another.
   */
  async reserve(person: string, wanted: WantedUpload, now: Date): Promise<(() => void) | undefined> {
    const uploads = this.#uploads.get(person) ?? { admitted: new Map(), waiting: 0, decided: Promise.resolve() };
    if (uploads.waiting + uploads.admitted.size >= MAX_PARALLEL) return undefined;
    this.#uploads.set(person, uploads);
    const forget = (): void => {
      if (uploads.waiting + uploads.admitted.size === 0) this.#uploads.delete(person);
    };
    const release = (): void => {
      uploads.admitted.delete(wanted.id);
      forget();
    };
    const decide = async (): Promise<(() => void) | undefined> => {
      try {
        if (!(await this.#admits(person, uploads.admitted, wanted, now))) return undefined;
        uploads.admitted.set(wanted.id, { bytes: wanted.bytes, files: wanted.files ?? 1 });
        return release;
      } finally {
        uploads.waiting--;
        forget();
      }
    };
    uploads.waiting++;
    const decision = uploads.decided.then(decide);
    uploads.decided = decision.catch(() => undefined);
    return decision;
  }

  async #admits(
    person: string,
    admitted: ReadonlyMap<string, FileUsage>,
    { bytes, files = 1, maxFiles = MAX_FILES }: WantedUpload,
    now: Date,
  ): Promise<boolean> {
    const sending = {
      key: limitKey("upload", person),
      most: MAX_PER_QUARTER_HOUR,
      minutes: 15,
      beyond: "none",
    } as const;
    if (!(await countAttempt(this.#database, [sending], now))) return false;
    // An upload in progress may be stored and released while the files are counted. It counts once, here.
    const inProgress = [...admitted.keys()];
    const pending = [...admitted.values()].reduce(
      (sum, one) => ({ bytes: sum.bytes + one.bytes, files: sum.files + one.files }),
      { bytes, files },
    );
    const hasRoom = (stored: FileUsage): boolean =>
      stored.files + pending.files <= maxFiles && stored.bytes + pending.bytes <= this.#bytes;
    const sent = await countSentFiles(this.#database, person, inProgress);
    return hasRoom(sent) || hasRoom(await this.#unnamed(person, inProgress, sent, now.getTime()));
  }

  async #unnamed(person: string, inProgress: readonly string[], sent: FileUsage, now: number): Promise<FileUsage> {
    const known = this.#known.get(person);
    // Files may have been used in a record since the count. The next count includes that.
    if (known !== undefined && Math.abs(now - known.at) < CACHE_MS)
      return {
        files: known.unnamed.files + Math.max(sent.files - known.sent.files, 0),
        bytes: known.unnamed.bytes + Math.max(sent.bytes - known.sent.bytes, 0),
      };
    const unnamed = await countUnnamedFiles(this.#database, person, inProgress);
    this.#known.set(person, { at: now, sent, unnamed });
    return unnamed;
  }
}
