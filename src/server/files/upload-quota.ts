import { LRUCache } from "lru-cache";
import type { Database } from "../../postgres/database.ts";
import { countAttempt, limitKey } from "../limits/attempts.ts";
import { countSentFiles, countUnnamedFiles, type FilesHeld } from "./file-store.ts";

/** Quota of files without a record per person: bytes as a multiple of the largest file, and number. */
const LARGEST_FILES = 8;
const FILES = 200;

/** Uploads in parallel, and per quarter of an hour. */
const AT_ONCE = 20;
const SENT = 300;

/** How long a count is cached, in milliseconds: counting reads every record with files. */
const KNOWN = 5_000;
const MOST_KNOWN = 1_000;

/** Limits what a person may upload before it is used in a record. */
export class UploadQuota {
  readonly #database: Database;
  readonly #bytes: number;
  readonly #coming = new Map<string, { files: number; bytes: number }>();
  readonly #known = new LRUCache<
    string,
    { readonly at: number; readonly sent: FilesHeld; readonly unnamed: FilesHeld }
  >({ max: MOST_KNOWN });

  /** `largest`: maximum size of a file in bytes. */
  constructor(database: Database, largest: number) {
    this.#database = database;
    this.#bytes = largest * LARGEST_FILES;
  }

  /**
   * Reserves room for a file until the returned function is called; undefined if there is none. Uploads in progress
   * count in full, so that parallel uploads cannot exceed the quota.
   */
  async reserve(person: string, bytes: number, now: Date): Promise<(() => void) | undefined> {
    const coming = this.#coming.get(person) ?? { files: 0, bytes: 0 };
    if (coming.files >= AT_ONCE) return undefined;
    this.#coming.set(person, coming);
    coming.files++;
    coming.bytes += bytes;
    const release = (): void => {
      coming.files--;
      coming.bytes -= bytes;
      if (coming.files === 0) this.#coming.delete(person);
    };
    try {
      if (await this.#admits(person, coming, now)) return release;
    } catch (error) {
      release();
      throw error;
    }
    release();
    return undefined;
  }

  async #admits(person: string, coming: FilesHeld, now: Date): Promise<boolean> {
    const sending = { key: limitKey("upload", person), most: SENT, minutes: 15, beyond: "none" } as const;
    if (!(await countAttempt(this.#database, [sending], now))) return false;
    const hasRoom = ({ files, bytes }: FilesHeld): boolean =>
      files + coming.files <= FILES && bytes + coming.bytes <= this.#bytes;
    const sent = await countSentFiles(this.#database, person);
    return hasRoom(sent) || hasRoom(await this.#unnamed(person, sent, now.getTime()));
  }

  async #unnamed(person: string, sent: FilesHeld, now: number): Promise<FilesHeld> {
    const known = this.#known.get(person);
    // Files may have been used in a record since the count; the next count shows it.
    if (known !== undefined && Math.abs(now - known.at) < KNOWN)
      return {
        files: known.unnamed.files + Math.max(sent.files - known.sent.files, 0),
        bytes: known.unnamed.bytes + Math.max(sent.bytes - known.sent.bytes, 0),
      };
    const unnamed = await countUnnamedFiles(this.#database, person);
    this.#known.set(person, { at: now, sent, unnamed });
    return unnamed;
  }
}
