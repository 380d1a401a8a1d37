import { parseArgs } from "node:util";
import { compile } from "../core/compile.ts";
import { packSources, unpackSources } from "../core/document/sources.ts";
import type { Model } from "../core/model/model.ts";
import type { Source } from "../core/source-text.ts";
import { LONGEST_NOTE } from "../core/wire/authoring.ts";
import type { Database } from "../postgres/database.ts";
import { applyDocument, ChangeRefused, planDocument } from "../postgres/schema/apply-document.ts";
import { listVersions, readVersion } from "../server/authoring/versions.ts";
import { dataOptions, withData } from "./data.ts";
import { writeSources } from "./document-file.ts";
import { CommandFailed, exits } from "./exit-codes.ts";
import { usage } from "./usage.ts";
import { noSuchVersion, versionNumber } from "./versions.ts";

/**
 * Makes the text of an earlier version the newest version. A running application takes it over at once. With --dry-run,
 * only reports what would change.
 */
export const restoreVersion = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...dataOptions,
      note: { type: "string", default: "" },
      out: { type: "string" },
      json: { type: "boolean", default: false },
      "dry-run": { type: "boolean", default: false },
    },
  });
  const [given, ...more] = positionals;
  const { note, out, json, "dry-run": isDryRun } = values;
  if (given === undefined || more.length > 0)
    throw new CommandFailed(exits.usage, "Give the number of one version.", usage["restore-version"]);
  if (note.length > LONGEST_NOTE || note.includes("\0"))
    throw new CommandFailed(exits.usage, `A note can have at most ${LONGEST_NOTE} characters.`);
  const number = versionNumber(given, "restore-version");
  const restored = await withData(values, (owner) => restore(owner, number, note, isDryRun));
  if (out !== undefined && !isDryRun) await writeSources(out, restored.files);
  const { version, steps } = restored;
  if (json) process.stdout.write(`${JSON.stringify({ version, restores: number, steps }, undefined, 2)}\n`);
  else {
    for (const step of steps) process.stdout.write(`  ${step}\n`);
    process.stdout.write(summary(restored, number, isDryRun));
    if (!isDryRun && out === undefined)
      process.stdout.write(
        "A file that still has another text publishes it again at the next start: --out FILE replaces it.\n",
      );
  }
  return exits.done;
};

interface Restored {
  /** The newest version now; null for a dry run. */
  readonly version: number | null;
  readonly steps: readonly string[];
  readonly files: readonly Source[];
  /** True if the text was live already. */
  readonly isLive: boolean;
}

const summary = ({ version, isLive }: Restored, number: number, isDryRun: boolean): string => {
  if (isLive) return `The text of version ${number} is live already.\n`;
  return isDryRun
    ? `Restoring version ${number} is possible. Nothing was changed.\n`
    : `Version ${version} is live: the text of version ${number}.\n`;
};

const restore = async (owner: Database, number: number, note: string, isDryRun: boolean): Promise<Restored> => {
  const earlier = await readVersion(owner, number);
  if (earlier === undefined) throw noSuchVersion(number);
  const { files } = earlier;
  const [newest] = (await listVersions(owner, null)).items;
  if (newest === undefined || newest.hash === earlier.hash)
    return { version: newest?.number ?? null, steps: [], files, isLive: true };
  const { model, source } = runnable(files, number);
  if (isDryRun) {
    const { done, refused } = await planDocument(owner, model, source);
    if (refused.length > 0) throw new ChangeRefused(refused);
    return { version: null, steps: done, files, isLive: false };
  }
  const before = await readVersion(owner, newest.number);
  const applied = await applyDocument(owner, model, source, {
    person: null,
    note,
    restores: number,
    base: { hash: newest.hash, model: compile(before?.files ?? []).model ?? null },
    together: () => Promise.resolve(),
  });
  return { version: applied.version, steps: applied.done, files, isLive: false };
};

const runnable = (files: readonly Source[], number: number): { readonly model: Model; readonly source: Source } => {
  const source = packSources(files);
  const { model } = compile(unpackSources(source));
  if (model === undefined)
    throw new CommandFailed(
      exits.badDocument,
      `Version ${number} has errors in this release.`,
      `Write its text to a file with \`ninefold versions ${number} --out FILE\`, and fix it there.`,
    );
  return { model, source };
};
