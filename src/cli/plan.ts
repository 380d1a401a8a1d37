import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { buildPlan, judgePlan, type PlanJson } from "../core/change/plan.ts";
import { CommandFailed, exits } from "./exit-codes.ts";
import { planText } from "./plan-text.ts";
import { readPlannedVersion, type VersionRead } from "./planned-version.ts";
import { usage } from "./usage.ts";

/**
 * Prints what a new version of a document changes, compared with an older one. Exits with 0 if nothing changes, 10 if
 * something does, and 11 if access, data or compatibility is lost.
 */
export const plan = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      against: { type: "string" },
      json: { type: "boolean", default: false },
      out: { type: "string" },
    },
  });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0)
    throw new CommandFailed(exits.usage, "Name one file or folder: the new version.", usage.plan);
  if (values.against === undefined)
    throw new CommandFailed(exits.usage, "Say with --against what to compare it with.", usage.plan);
  const [before, after] = [await readPlannedVersion(values.against), await readPlannedVersion(path)];
  const planned = buildPlan(before, after);
  if (values.out !== undefined) await writePlan(values.out, planned);
  printPlan(planned, before, after, values.json);
  return exitFor(planned);
};

/** Prints a plan as text or as JSON. */
export const printPlan = (planned: PlanJson, before: VersionRead, after: VersionRead, json: boolean): void => {
  const colour = process.stdout.isTTY === true && !process.env.NO_COLOR;
  process.stdout.write(json ? `${JSON.stringify(planned, undefined, 2)}\n` : planText(planned, before, after, colour));
};

/** The exit code that tells what a plan contains. */
export const exitFor = (planned: PlanJson): number =>
  ({ same: exits.done, change: exits.changes, loss: exits.losses })[judgePlan(planned)];

const writePlan = async (path: string, planned: PlanJson): Promise<void> => {
  await writeFile(path, `${JSON.stringify(planned, undefined, 2)}\n`).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(
      exits.usage,
      `The plan cannot be written to ${path} (${error.code ?? error.message}).`,
      "Name a file in a folder that you may write.",
    );
  });
};
