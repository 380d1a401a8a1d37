import type { Compiled } from "../../core/compile.ts";
import type { Source } from "../../core/source-text.ts";
import { connect } from "../../postgres/database.ts";
import { describeFolder } from "../../postgres/embedded/index.ts";
import { hasVersion } from "../../server/proposals/start-version.ts";
import type { Connections } from "../../server/serving/open-document.ts";
import { openingFailed } from "../data/connections.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { findingsText, notExecutedText } from "../findings-text.ts";
import { findFolder } from "./run-database.ts";
import type { RunOptions } from "./run-options.ts";

/**
 * Prints the findings of the file. A file with errors ends the program if there is no earlier version to run.
 * `checkVersion` asks an external database for that later.
 */
export const checkDocument = async (
  { findings, model, source, sources }: Compiled,
  options: RunOptions,
): Promise<void> => {
  const wrong = findings.filter((finding) => finding.severity === "error" || finding.severity === "warning");
  if (wrong.length > 0) process.stderr.write(`${findingsText(sources, wrong, process.stderr.isTTY === true)}\n\n`);
  const isKept = options.database !== undefined || (await describeFolder(await findFolder(options))) !== undefined;
  if (model === undefined && (!isKept || options.applyChanges === "always")) throw fixFirst(source);
  const idle = notExecutedText(findings);
  if (model !== undefined && idle !== "") process.stderr.write(`${idle}\n`);
};

export const fixFirst = ({ file }: Source): CommandFailed =>
  new CommandFailed(exits.badDocument, `Fix the errors in ${file}, then run it.`);

/** Ends the program, before anything is created, if the database has no version to run. */
export const checkVersion = async ({ source }: Compiled, { owner: connection }: Connections): Promise<void> => {
  const owner = connect({ connection, max: 1 });
  try {
    if (!(await hasVersion(owner))) throw fixFirst(source);
  } catch (error) {
    throw openingFailed(error);
  } finally {
    await owner.end();
  }
};
