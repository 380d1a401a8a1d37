import type { Compiled } from "../../core/compile.ts";
import type { FixedReason } from "../../core/i18n/catalogue.ts";
import type { Source } from "../../core/source-text.ts";
import type { ConnectOptions } from "../../postgres/database.ts";
import type { Applied } from "../../postgres/schema/newest-document.ts";

/** The live document. Always replaced as a whole. */
export interface InForce {
  readonly compiled: Compiled;
  readonly applied: Applied;
}

/** The storage of the document's text, and the connection that may change tables. */
export interface DocumentStore {
  /** The owner of the tables; connected only while a change is planned or applied. */
  readonly owner: ConnectOptions["connection"];
  /** A folder on the disk of the database; absent if the disk is not known. */
  readonly folder?: string | undefined;
  /** The reason why the text cannot be changed here; null if it can. */
  readonly fixed: Fixed | null;
  /** Replaces changed files, all or none. Throws `DocumentFixed` if that fails. */
  write(before: readonly Source[], after: readonly Source[]): Promise<void>;
}

/** The reason why the document cannot be changed here; `word` is a file. */
export interface Fixed {
  readonly reason: FixedReason;
  readonly word: string;
}

/** Thrown if the document cannot be written to its files. */
export class DocumentFixed extends Error {
  override readonly name = "DocumentFixed";
  readonly fixed: Fixed;
  constructor(reason: FixedReason, cause?: unknown) {
    super(reason, { cause });
    this.fixed = { reason, word: "" };
  }
}
