import { parseArgs } from "node:util";
import { buildPlan } from "../core/change/plan.ts";
import { CommandFailed, exits } from "./exit-codes.ts";
import { exitFor, printPlan } from "./plan.ts";
import { readPlannedVersion } from "./planned-version.ts";
import { usage } from "./usage.ts";

/** Prints how two versions of a document behave differently. The exit codes are those of `plan`. */
export const diff = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { json: { type: "boolean", default: false } },
  });
  const [old, now, ...more] = positionals;
  if (old === undefined || now === undefined || more.length > 0)
    throw new CommandFailed(exits.usage, "Name two files or folders: the old version and the new one.", usage.diff);
  const [before, after] = [await readPlannedVersion(old), await readPlannedVersion(now)];
  const planned = buildPlan(before, after);
  printPlan(planned, before, after, values.json);
  return exitFor(planned);
};
