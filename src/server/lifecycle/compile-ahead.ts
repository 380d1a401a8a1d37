import type { Compiled } from "../../core/compile.ts";
import { unpackSources } from "../../core/document/sources.ts";
import type { Source } from "../../core/source-text.ts";
import type { Database } from "../../postgres/database.ts";
import { findUnfinishedJob } from "../../postgres/job/job-store.ts";

type CompileFiles = (files: readonly Source[]) => Promise<Compiled | undefined>;

/** Compiles the version that another server is publishing, so that this one follows as soon as it is live. */
export interface CompileAhead {
  /** Looks for a version that is being published. */
  look(): Promise<void>;
  /** Compiles files, or takes what was compiled ahead. */
  readonly compile: CompileFiles;
}

export const createCompileAhead = (
  database: Database,
  compileFiles: CompileFiles,
  /** True if this server publishes the version: it compiles the text anyway. */
  isPublishing: () => boolean,
): CompileAhead => {
  let ahead: { readonly key: string; readonly compiled: Promise<Compiled | undefined> } | undefined;
  const toKey = (files: readonly Source[]): string => JSON.stringify(files.map(({ file, text }) => [file, text]));
  return {
    look: async () => {
      if (isPublishing()) return;
      const job = await findUnfinishedJob(database.query);
      if (job === undefined || job.version !== null || job.state !== "running") {
        if (job === undefined || job.state === "abandoning") ahead = undefined;
        return;
      }
      const files = unpackSources(job.source);
      const key = toKey(files);
      if (ahead?.key === key) return;
      const compiled = compileFiles(files);
      ahead = { key, compiled };
      // It is compiled again when it is live.
      compiled.catch(() => {
        if (ahead?.key === key) ahead = undefined;
      });
    },
    compile: (files) => {
      const known = ahead;
      ahead = undefined;
      return known?.key === toKey(files) ? known.compiled.catch(() => compileFiles(files)) : compileFiles(files);
    },
  };
};
