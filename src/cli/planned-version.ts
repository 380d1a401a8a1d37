import type { PlannedVersion } from "../core/change/plan.ts";
import { type Compiled, compile } from "../core/compile.ts";
import { hashDocument } from "../postgres/schema/document-hash.ts";
import { readSources } from "./document-file.ts";
import { CommandFailed, exits } from "./exit-codes.ts";

/** A version that was read from a file or folder. */
export interface VersionRead extends PlannedVersion {
  readonly compiled: Compiled;
}

/** Reads and compiles a version of a document. Throws one sentence if it has an error. */
export const readPlannedVersion = async (path: string): Promise<VersionRead> => {
  const compiled = compile(await readSources(path));
  if (compiled.model === undefined)
    throw new CommandFailed(
      exits.badDocument,
      `${path} has an error, so it cannot be compared.`,
      `“ninefold check ${path}” says which.`,
    );
  return { compiled, model: compiled.model, file: path, hash: hashDocument(compiled.source.text) };
};
