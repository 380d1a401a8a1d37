import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { judgePlan, type PlanJson } from "../../core/change/plan.ts";
import type { Database } from "../../postgres/database.ts";
import { type Applied, applyDocument, Superseded } from "../../postgres/schema/apply-document.ts";
import { dataOptions, withData } from "../data.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { usage } from "../usage.ts";
import { planOnData } from "./plan.ts";
import { readPlannedVersion, type VersionRead, type VersionStored } from "./planned-version.ts";
import { checkNote } from "./versions.ts";

/**
 * Publishes a new version on existing data. A running application takes it over at once. With --plan, only if the change
 * is still exactly the one that was planned.
 */
export const apply = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...dataOptions,
      plan: { type: "string" },
      note: { type: "string", default: "" },
      json: { type: "boolean", default: false },
    },
  });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0)
    throw new CommandFailed(exits.usage, "Name one file or folder: the new version.", usage.apply);
  const { note, json } = values;
  checkNote(note);
  const draft = await readPlannedVersion(path);
  const expected = values.plan === undefined ? undefined : await readPlan(values.plan);
  const { version, steps, isLive } = await withData(values, (owner) => publish(owner, draft, expected, note));
  if (json) process.stdout.write(`${JSON.stringify({ version, steps }, undefined, 2)}\n`);
  else {
    for (const step of steps) process.stdout.write(`  ${step}\n`);
    process.stdout.write(isLive ? `Version ${version} has this text already.\n` : `Version ${version} is live.\n`);
  }
  return exits.done;
};

interface Published {
  readonly version: number;
  readonly steps: readonly string[];
  /** True if the text was live already. */
  readonly isLive: boolean;
}

const publish = async (
  owner: Database,
  draft: VersionRead,
  expected: PlanJson | undefined,
  note: string,
): Promise<Published> => {
  const { before, after, planned } = await planOnData(owner, draft);
  if (expected !== undefined) checkPlan(expected, planned);
  if (before.hash === after.hash) return { version: before.number, steps: [], isLive: true };
  const { version, done } = await publishVersion(owner, before, after, { note });
  return { version, steps: done, isLive: false };
};

/** Makes a text the newest version, if `before` still is. */
export const publishVersion = async (
  owner: Database,
  before: VersionStored,
  { model, compiled }: VersionRead,
  why: { readonly note: string; readonly restores?: number },
): Promise<Applied> => {
  try {
    return await applyDocument(owner, model, compiled.source, {
      ...why,
      person: null,
      base: { hash: before.hash, model: before.model },
      together: () => Promise.resolve(),
    });
  } catch (error) {
    if (!(error instanceof Superseded)) throw error;
    throw new CommandFailed(
      exits.changeRefused,
      "Another version was published meanwhile. Nothing was changed.",
      "Run the command again.",
      error,
    );
  }
};

const readPlan = async (path: string): Promise<PlanJson> => {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(exits.usage, `${path} cannot be read (${error.code ?? error.message}).`);
  });
  const plan = parsed(text);
  if (typeof plan === "object" && plan !== null && "format" in plan && plan.format === 1) return plan as PlanJson;
  throw new CommandFailed(exits.usage, `${path} is not a plan.`, "Write one with “ninefold plan NEW --out FILE”.");
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Refuses a plan for another text, another version or a database that has moved on. */
const checkPlan = (expected: PlanJson, planned: PlanJson): void => {
  const refused = (message: string) =>
    new CommandFailed(exits.changeRefused, `${message} Nothing was changed.`, "Plan again, and read the new plan.");
  if (expected.after?.hash !== planned.after.hash) throw refused("The plan is for another text.");
  if (expected.before?.hash !== planned.before.hash) throw refused("The plan starts from a version that isn’t live.");
  if (expected.data === null || expected.data === undefined)
    throw refused("The plan was made without a database, so it doesn’t say what happens to the stored data.");
  const figures = ({ data }: PlanJson): string => JSON.stringify([data?.steps, data?.refused]);
  if (figures(expected) !== figures(planned)) throw refused("The stored data has changed since the plan was made.");
  if (judgePlan(expected) !== judgePlan(planned)) throw refused("The plan was made by another release.");
};
