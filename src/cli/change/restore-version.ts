import { parseArgs } from "node:util";
import { messageText } from "../../core/i18n/languages.ts";
import type { Message } from "../../core/i18n/message.ts";
import type { Source } from "../../core/source-text.ts";
import type { Database } from "../../postgres/database.ts";
import { ChangeRefused } from "../../postgres/schema/apply-steps.ts";
import { planDocument } from "../../postgres/schema/plan-document.ts";
import { dataOptions, withData } from "../data/data-store.ts";
import { writeSources } from "../document-file.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { program } from "../program.ts";
import { usage } from "../usage.ts";
import { aloneOption, type PublishOptions, publishVersion } from "./apply.ts";
import { ask } from "./ask.ts";
import { showProgress } from "./job-progress.ts";
import { readLiveVersion, readStoredVersion } from "./planned-version.ts";
import { checkNote, parseVersionNumber } from "./versions.ts";

/**
 * Makes the text of an earlier version the newest version. A running application switches to it at once. With
 * --dry-run, only reports what would change.
 */
export const restoreVersion = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...dataOptions,
      note: { type: "string", default: "" },
      ...aloneOption,
      out: { type: "string" },
      json: { type: "boolean", default: false },
      "dry-run": { type: "boolean", default: false },
      yes: { type: "boolean", default: false },
    },
  });
  const [numberText, ...more] = positionals;
  const { note, out, json, "dry-run": isDryRun } = values;
  if (numberText === undefined || more.length > 0)
    throw new CommandFailed(exits.usage, "Give the number of one version.", usage["restore-version"]);
  checkNote(note);
  const number = parseVersionNumber(numberText, "restore-version");
  const shown = json ? undefined : showProgress();
  const restored = await withData(values, (owner, folder) =>
    restore(
      owner,
      number,
      { isDryRun, isConfirmed: values.yes },
      {
        ...{ note, isAlone: values["without-approval"], folder },
        ...(shown === undefined ? {} : { progress: shown.show }),
      },
    ),
  )
    .catch((error: unknown) => {
      throw error instanceof ChangeRefused ? toFailure(error, number) : error;
    })
    .finally(shown?.end);
  const { version, steps, isLive } = restored;
  const published = version !== null && !isLive;
  if (json) process.stdout.write(`${JSON.stringify({ version, published, restores: number, steps }, undefined, 2)}\n`);
  else {
    for (const step of steps) process.stdout.write(`  ${step}\n`);
    process.stdout.write(summary(restored, number, isDryRun));
    if (published && out === undefined)
      process.stdout.write(
        "A running application now writes this text to its specification file. If none is running, add --out FILE.\n",
      );
  }
  // The version is live already, so its text is the only thing that can be missing.
  if (out !== undefined && !isDryRun) await writeSources(out, restored.files);
  return exits.done;
};

/** The text of a version cannot be edited, so the hint says to add the missing part to a copy. */
const toFailure = (error: ChangeRefused, number: number): CommandFailed =>
  new CommandFailed(
    exits.changeRefused,
    `${error.message}\n${error.refused.map((refused) => `  ${refused.says}`).join("\n")}`,
    `Change the stored records. Or write its text to a file with “${program} versions ${number} --out FILE”, adapt it, and apply the file.`,
    error,
  );

/** True for a step after which the application no longer shows values that people entered. */
const retiresValues = ({ id, values }: Message): boolean => {
  if (id === "step.stale" || id === "step.merged") return values.rows !== 0;
  const { kept } = values;
  return typeof kept === "object" && "id" in kept && kept.values.rows !== 0;
};

/** Asks before values leave the application that were entered since that version. */
const confirm = async (number: number, lost: readonly string[]): Promise<void> => {
  const steps = lost.map((step) => `  ${step}\n`).join("");
  if (process.stdin.isTTY !== true)
    throw new CommandFailed(
      exits.changeRefused,
      `Version ${number} doesn’t have everything that was entered since. Nothing was changed.\n${steps.trimEnd()}`,
      "Add --yes to restore it all the same. A later version can bring the values back.",
    );
  const typed = await ask(
    `Version ${number} doesn’t have everything that was entered since:\n${steps}A later version can bring the values back. Type ${number} to restore the version: `,
  );
  if (typed !== String(number)) throw new CommandFailed(exits.usage, "Nothing was changed.");
};

interface Restored {
  /** The number of the newest version; null for a dry run. */
  readonly version: number | null;
  readonly steps: readonly string[];
  readonly files: readonly Source[];
  /** True if the text was live already. */
  readonly isLive: boolean;
}

const summary = ({ version, isLive }: Restored, number: number, isDryRun: boolean): string => {
  if (isLive) return `The text of version ${number} is already live.\n`;
  return isDryRun
    ? `Restoring version ${number} is possible. Nothing was changed.\n`
    : `Version ${version} is live: the text of version ${number}.\n`;
};

interface How {
  readonly isDryRun: boolean;
  /** True if nothing is asked. */
  readonly isConfirmed: boolean;
}

const restore = async (
  owner: Database,
  number: number,
  { isDryRun, isConfirmed }: How,
  publishing: PublishOptions,
): Promise<Restored> => {
  const [earlier, live] = [await readStoredVersion(owner, number), await readLiveVersion(owner)];
  const files = earlier.compiled.sources;
  if (live.hash === earlier.hash) return { version: live.number, steps: [], files, isLive: true };
  if (isDryRun || !isConfirmed) {
    const { done, messages, refused } = await planDocument(owner, earlier.model, earlier.compiled.source);
    if (refused.length > 0) throw new ChangeRefused(refused);
    if (isDryRun) return { version: null, steps: done, files, isLive: false };
    const lost = messages.filter(retiresValues).map((message) => messageText(message));
    if (lost.length > 0) await confirm(number, lost);
  }
  const { version, done } = await publishVersion(owner, live, earlier, { ...publishing, restores: number });
  return { version, steps: done, files, isLive: false };
};
