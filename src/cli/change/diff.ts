import { parseArgs } from "node:util";
import { buildPlan } from "../../core/change/plan.ts";
import type { Database } from "../../postgres/database.ts";
import { dataOptions, withData } from "../data/data-store.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { usage } from "../usage.ts";
import { getExitCode, printPlan } from "./plan.ts";
import { readPlannedVersion, readStoredVersion } from "./planned-version.ts";

const isNumber = /^[1-9]\d{0,8}$/u;

/**
 * Prints how two versions of a document differ in behaviour: two texts, or two versions of a database by number. The
 * exit codes are those of `plan`.
 */
export const diff = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { ...dataOptions, json: { type: "boolean", default: false } },
  });
  const [old, now, ...more] = positionals;
  if (old === undefined || now === undefined || more.length > 0)
    throw new CommandFailed(exits.usage, "Name two files or folders: the old version and the new one.", usage.diff);
  const stored = [old, now].filter((item) => isNumber.test(item)).length > 0;
  const read = (one: string, owner: Database | null) =>
    owner !== null && isNumber.test(one) ? readStoredVersion(owner, Number(one)) : readPlannedVersion(one);
  const readBoth = async (owner: Database | null) => ({
    before: await read(old, owner),
    after: await read(now, owner),
  });
  const { before, after } = stored ? await withData(values, readBoth) : await readBoth(null);
  const planned = buildPlan(before, after);
  printPlan(planned, before, after, values.json);
  return getExitCode(planned);
};
