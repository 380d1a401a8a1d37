import { createHash, type Hash } from "node:crypto";
import { once } from "node:events";
import { createReadStream } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Readable, Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import { isWithin, type JsonSize, sizeOfJson } from "../../core/wire/json-bounds.ts";

/**
 * A backup is one file: a line that identifies it, then a gzip stream of frames, each with a kind, a length and its
 * bytes. The header comes first, then each table with its rows in COPY format, and last a checksum over everything
 * before it. A truncated, altered or incomplete file is recognised before anything is restored.
 */
export type FrameKind = "header" | "table" | "data" | "rows" | "end";

export interface BackupFrame {
  readonly kind: FrameKind;
  readonly bytes: Buffer;
}

/** The file is not a backup, is incomplete, or was written by a release that this one does not know. */
export class BackupUnreadable extends Error {
  override readonly name = "BackupUnreadable";
}

const FIRST_LINE = "ninefold backup 1\n";
const letters: { readonly [K in FrameKind]: string } = { header: "H", table: "T", data: "D", rows: "R", end: "Z" };
const kinds = new Map(Object.entries(letters).map(([kind, letter]) => [letter.charCodeAt(0), kind as FrameKind]));
const HEAD = 5;

/** Maximum length of a frame. COPY sends each row separately, and a row may hold a long text or part of a file. */
const LONGEST = 64 * 1024 * 1024;

/**
 * Maximum length of a frame that is parsed as JSON: a header holds a document of up to five million characters and
 * little else.
 */
const LONGEST_JSON = 24 * 1024 * 1024;

/** A header lists all sequences, and a table its columns; nothing is nested more deeply. */
const LARGEST: JsonSize = { depth: 8, values: 100_000, names: 100_000 };

const encodeHead = (kind: FrameKind, length: number): Buffer => {
  const head = Buffer.alloc(HEAD);
  head.write(letters[kind], 0, "latin1");
  head.writeUInt32BE(length, 1);
  return head;
};

export const jsonBytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value), "utf8");

export const readJson = <T>(bytes: Buffer): T => {
  try {
    return JSON.parse(bytes.toString("utf8")) as T;
  } catch (cause) {
    throw new BackupUnreadable("The backup is damaged.", { cause });
  }
};

/** Writes a backup to a temporary file and renames it when it is complete and flushed. */
export class BackupWriter {
  readonly #path: string;
  readonly #beside: string;
  readonly #file: FileHandle;
  readonly #gzip = createGzip();
  readonly #written: Promise<void>;
  readonly #hash: Hash = createHash("sha256");
  #bytes = 0;

  private constructor(path: string, temporaryPath: string, file: FileHandle) {
    this.#path = path;
    this.#beside = temporaryPath;
    this.#file = file;
    const sink = new Writable({
      write: (chunk: Buffer, _, done) => {
        file.writeFile(chunk).then(
          () => {
            this.#bytes += chunk.length;
            done();
          },
          (error: Error) => done(error),
        );
      },
    });
    this.#written = pipeline(this.#gzip, sink);
    // A failure is reported to the next write.
    this.#written.catch(() => undefined);
  }

  /**
   * Creates the file, readable by its owner only, since it holds all data. Throws the system's error if it cannot be
   * created.
   */
  static async at(path: string): Promise<BackupWriter> {
    const temporaryPath = join(dirname(path), `.${basename(path)}.${process.pid}.part`);
    const file = await open(temporaryPath, "wx", 0o600);
    await file.writeFile(FIRST_LINE);
    return new BackupWriter(path, temporaryPath, file);
  }

  async write(kind: FrameKind, bytes: Buffer): Promise<void> {
    const head = encodeHead(kind, bytes.length);
    this.#hash.update(head).update(bytes);
    await this.#put(head);
    await this.#put(bytes);
  }

  async #put(bytes: Buffer): Promise<void> {
    if (this.#gzip.write(bytes)) return;
    await Promise.race([once(this.#gzip, "drain"), this.#written]);
  }

  /** Appends the checksum and moves the file into place; returns its size in bytes. */
  async finish(): Promise<number> {
    const end = jsonBytes({ sha256: this.#hash.digest("hex") });
    await this.#put(encodeHead("end", end.length));
    await this.#put(end);
    this.#gzip.end();
    await this.#written;
    await this.#file.sync();
    await this.#file.close();
    await rename(this.#beside, this.#path);
    return this.#bytes + FIRST_LINE.length;
  }

  /** Deletes the temporary file. */
  async abandon(): Promise<void> {
    this.#gzip.destroy();
    await this.#written.catch(() => undefined);
    await this.#file.close().catch(() => undefined);
    await rm(this.#beside, { force: true });
  }
}

/** The frames of a backup, in order. The last one is yielded only if the checksum is correct. */
export async function* readFrames(path: string): AsyncGenerator<BackupFrame> {
  const hash = createHash("sha256");
  const bytes = new Pulled(openUnpacked(path));
  try {
    for (;;) {
      const head = await bytes.take(HEAD);
      const kind = kinds.get(head[0] ?? 0);
      const length = head.readUInt32BE(1);
      if (kind === undefined || length > (kind === "data" ? LONGEST : LONGEST_JSON)) throw createDamageError();
      const body = await bytes.take(length);
      if (kind !== "data" && !isWithin(sizeOfJson(body), LARGEST)) throw createDamageError();
      if (kind === "end") {
        const { sha256 } = JSON.parse(body.toString("utf8")) as { readonly sha256?: unknown };
        if (sha256 !== hash.digest("hex") || !(await bytes.isAtEnd())) throw createDamageError();
        yield { kind, bytes: body };
        return;
      }
      hash.update(head).update(body);
      yield { kind, bytes: body };
    }
  } catch (error) {
    throw error instanceof SyntaxError || isZlib(error) ? createDamageError(error) : error;
  } finally {
    bytes.close();
  }
}

const createDamageError = (cause?: unknown): BackupUnreadable =>
  new BackupUnreadable("The backup is damaged or incomplete.", cause === undefined ? undefined : { cause });

const isZlib = (error: unknown): boolean =>
  error instanceof Error && "code" in error && /^(?:Z_|ERR_STREAM_PREMATURE)/u.test(String(error.code));

const openUnpacked = (path: string): Readable => {
  const file = createReadStream(path);
  const gunzip = createGunzip();
  let line: Buffer = Buffer.alloc(0);
  const packed = Readable.from(
    (async function* () {
      for await (const chunk of file as AsyncIterable<Buffer>) {
        if (line.length === FIRST_LINE.length) {
          yield chunk;
          continue;
        }
        const all: Buffer = Buffer.concat([line, chunk]);
        line = all.subarray(0, FIRST_LINE.length);
        if (line.toString("latin1") !== FIRST_LINE.slice(0, line.length))
          throw new BackupUnreadable(explainNoBackup(line));
        if (all.length > line.length) yield all.subarray(line.length);
      }
      if (line.length < FIRST_LINE.length) throw new BackupUnreadable(explainNoBackup(line));
    })(),
  );
  pipeline(packed, gunzip).catch((error: Error) => gunzip.destroy(error));
  return gunzip;
};

const explainNoBackup = (line: Buffer): string =>
  line.toString("latin1").startsWith("ninefold backup ")
    ? "The backup was made by a newer release of Ninefold."
    : "The file is not a Ninefold backup.";

/** Reads a stream in chunks of a requested length. */
class Pulled {
  readonly #stream: Readable;
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  constructor(stream: Readable) {
    this.#stream = stream;
    this.#chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  }

  async take(length: number): Promise<Buffer> {
    const parts: Buffer[] = [this.#rest];
    let have = this.#rest.length;
    while (have < length) {
      const next = await this.#chunks.next();
      if (next.done === true) throw createDamageError();
      parts.push(next.value);
      have += next.value.length;
    }
    const all = parts.length === 1 ? this.#rest : Buffer.concat(parts);
    this.#rest = all.subarray(length);
    return all.subarray(0, length);
  }

  async isAtEnd(): Promise<boolean> {
    return this.#rest.length === 0 && (await this.#chunks.next()).done === true;
  }

  close(): void {
    this.#stream.destroy();
  }
}
