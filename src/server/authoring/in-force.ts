import type { Compiled } from "../../core/compile.ts";
import type { Source } from "../../core/source-text.ts";
import type { ConnectOptions } from "../../postgres/database.ts";
import type { Applied } from "../../postgres/schema/newest-document.ts";

/** The document in force. Always replaced as a whole. */
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
  readonly fixed: string | null;
  /** Replaces changed files, all or none. Throws `DocumentFixed` if that fails. */
  write(before: readonly Source[], after: readonly Source[]): Promise<void>;
}

/** Thrown if the document cannot be written to its files. */
export class DocumentFixed extends Error {
  override readonly name = "DocumentFixed";
}

/** Runs changes one after another. A later one then finds that its base is outdated. */
export type Serialize = <T>(work: () => Promise<T>) => Promise<T>;

export const createSerializer = (): Serialize => {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
};
