import type { ImportedFile } from "../../../core/wire/imports.ts";
import type { Service } from "../../execution/service.ts";
import { toFileName } from "../../files/file-name.ts";
import { keepFile } from "../../files/file-store.ts";
import type { UploadQuota } from "../../files/upload-quota.ts";
import { newId } from "../../util/uuid.ts";
import type { ZippedFile } from "./open-zip.ts";

/** More files would fill the database or the object store before their records use them. */
const MAX_FILES = 2_000;

interface Keeping {
  readonly service: Service;
  readonly person: string;
  /** Limits what one person can send; null on the command line of the machine with the data. */
  readonly quota: UploadQuota | null;
  readonly now: Date;
}

/**
 * Stores the files that cells name, each like an upload by hand: with the same maximum size, the same detected type and
 * the same lifetime without a record. `named`: the files by the text of a cell. Undefined if they are more than one
 * person can send.
 */
export const keepNamedFiles = async (
  named: ReadonlyMap<string, readonly ZippedFile[]>,
  { service, person, quota, now }: Keeping,
): Promise<Readonly<Record<string, ImportedFile>> | undefined> => {
  const most = service.model.limits.uploadSize;
  const found = [...new Set([...named.values()].flatMap((files) => (files.length === 1 ? files : [])))];
  const fitting = found.filter(({ size, isUnreadable }) => size <= most && !isUnreadable);
  if (fitting.length > MAX_FILES) return undefined;
  const bytes = fitting.reduce((sum, { size }) => sum + size, 0);
  const release = await quota?.reserve(
    person,
    { id: newId(now), bytes, files: fitting.length, maxFiles: MAX_FILES },
    now,
  );
  if (quota !== null && release === undefined) return undefined;
  try {
    const results = new Map<ZippedFile, ImportedFile>();
    for (const file of found)
      results.set(
        file,
        file.isUnreadable
          ? { fault: "unreadable" }
          : file.size > most
            ? { fault: "too large" }
            : await keepZippedFile(service, file, { person, most, now }),
      );
    return Object.fromEntries(
      [...named].map(([text, [file, ...more]]) => [
        text,
        (file === undefined || more.length > 0 ? undefined : results.get(file)) ?? { fault: "several" },
      ]),
    );
  } finally {
    release?.();
  }
};

/** Thrown if the packed bytes of a file are damaged. */
class Damaged extends Error {
  override readonly name = "Damaged";
}

async function* readUnpacked(file: ZippedFile): AsyncGenerator<Buffer> {
  try {
    yield* await file.open();
  } catch (error) {
    throw new Damaged("", { cause: error });
  }
}

const keepZippedFile = async (
  service: Service,
  file: ZippedFile,
  { person, most, now }: { readonly person: string; readonly most: number; readonly now: Date },
): Promise<ImportedFile> => {
  const id = newId(now);
  try {
    await keepFile(service, readUnpacked(file), { id, person, name: toFileName(file.path), most });
    return { id };
  } catch (error) {
    if (error instanceof Damaged) return { fault: "unreadable" };
    throw error;
  }
};
