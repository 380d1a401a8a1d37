import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { PlanJson } from "../../core/change/plan.ts";
import { compile } from "../../core/compile.ts";
import { needsOthers } from "../../core/derive/authorization/change-rights.ts";
import { unpackSources } from "../../core/document/sources.ts";
import type { Source } from "../../core/source-text.ts";
import { LONGEST_NOTE } from "../../core/wire/authoring/document.ts";
import { type Database, StoreSlow } from "../../postgres/database.ts";
import {
  changeState,
  createJob,
  findUnfinishedJob,
  type Job,
  JobUnfinished,
  newestJob,
  readJob,
} from "../../postgres/job/job-store.ts";
import { type JobOptions, runJob } from "../../postgres/job/run-job.ts";
import { JobFailed } from "../../postgres/job/touched-rows.ts";
import { Superseded } from "../../postgres/schema/apply-document.ts";
import { ChangeRefused } from "../../postgres/schema/apply-steps.ts";
import { dataOptions, withData } from "../data/data-store.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { program } from "../program.ts";
import { usage } from "../usage.ts";
import { showProgress } from "./job-progress.ts";
import { planOnData } from "./plan.ts";
import {
  hasOtherEntities,
  hasRecords,
  readLiveVersion,
  readPlannedVersion,
  type VersionRead,
  type VersionStored,
  withNamesOf,
} from "./planned-version.ts";
import { checkNote } from "./versions.ts";

/**
 * Publishes a new version on existing data. A running application switches to it at once. With --plan, publishes only
 * if the change is still exactly the planned one.
 */
export const apply = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...dataOptions,
      plan: { type: "string" },
      note: { type: "string", default: "" },
      ...aloneOption,
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
  const shown = values.json ? undefined : showProgress();
  const { version, steps, isLive } = await withData(values, (owner, folder) =>
    publish(owner, draft, expected, {
      note,
      folder,
      isAlone: values["without-approval"],
      ...(shown === undefined ? {} : { progress: shown.show }),
    }),
  ).finally(shown?.end);
  if (json) process.stdout.write(`${JSON.stringify({ version, published: !isLive, steps }, undefined, 2)}\n`);
  else {
    for (const step of steps) process.stdout.write(`  ${step}\n`);
    process.stdout.write(isLive ? `Version ${version} already has this text.\n` : `Version ${version} is live.\n`);
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
  publishing: PublishOptions,
): Promise<Published> => {
  const known = await findPublished(owner, draft, expected, publishing);
  if (known !== undefined) return known;
  const { before, after, planned } = await planOnData(owner, draft);
  try {
    if (expected !== undefined) checkPlan(expected, planned);
    else if (hasOtherEntities(before, after) && (await hasRecords(owner, before)))
      throw new CommandFailed(
        exits.changeRefused,
        `${draft.file} has none of the entities of the live version. Nothing was changed.`,
        `Check that --data or --database names the right application. To replace its entities, write a plan with “${program} plan NEW --out FILE”, read it, and add --plan FILE.`,
      );
    await beginVersion(owner, before, after, publishing);
  } catch (error) {
    // Of two commands at once with the same text, one is refused.
    const overtaken = await findPublished(owner, draft, expected, publishing);
    if (overtaken !== undefined) return overtaken;
    throw error;
  }
  const { version, done } = await workOnJob(owner, publishing);
  return { version, steps: done, isLive: false };
};

/**
 * The version with this text if it is live already, or after its publication if that has started: a script that was
 * interrupted repeats the command. Undefined if there is none, or if the plan is for another text.
 */
const findPublished = async (
  owner: Database,
  draft: VersionRead,
  expected: PlanJson | undefined,
  publishing: PublishOptions,
): Promise<Published | undefined> => {
  const live = await readLiveVersion(owner);
  const { compiled, hash } = withNamesOf(live, draft);
  if (expected !== undefined && expected.after.hash !== hash) return undefined;
  const followed = await followJob(owner, compiled.source, publishing);
  if (followed !== undefined) return { version: followed.version, steps: followed.done, isLive: false };
  return live.hash === hash ? { version: live.number, steps: [], isLive: true } : undefined;
};

/** Lets an operator publish without the approvals that the document requires. */
export const aloneOption = { "without-approval": { type: "boolean", default: false } } as const;

/** Returns the note of the version. Refuses a version without approvals if the live version requires them. */
const noteAlone = ({ model }: VersionStored, { note, isAlone, isApproved = false }: PublishOptions): string => {
  if (isApproved || !needsOthers(model.approval)) return note;
  if (!isAlone)
    throw new CommandFailed(
      exits.changeRefused,
      "Changes to this specification need approval. Nothing was changed.",
      `Propose the change with “${program} propose”, or in the workbench. As an operator, add --without-approval: the version then says so.`,
    );
  return note === "" ? WITHOUT_APPROVAL : `${WITHOUT_APPROVAL} ${note}`.slice(0, LONGEST_NOTE);
};

const WITHOUT_APPROVAL = "Published by an operator without approval.";

export interface PublishOptions {
  readonly note: string;
  readonly isAlone: boolean;
  readonly restores?: number;
  /** The proposal that is published, with the people who approved it. */
  readonly proposal?: {
    readonly number: number;
    readonly person: string | null;
    readonly approvers: readonly string[];
  };
  /** True if the proposal has every approval that it needs. */
  readonly isApproved?: boolean;
  readonly progress?: NonNullable<JobOptions["progress"]>;
  /** The data folder, if there is one. */
  readonly folder?: string | undefined;
}

/** Makes a text the newest version if `before` is still the newest. */
export const publishVersion = async (
  owner: Database,
  before: VersionStored,
  after: VersionRead,
  publishing: PublishOptions,
): Promise<{ readonly version: number; readonly done: readonly string[] }> => {
  await beginVersion(owner, before, after, publishing);
  return workOnJob(owner, publishing);
};

/** Begins the job that publishes a text. */
const beginVersion = async (
  owner: Database,
  before: VersionStored,
  { compiled }: VersionRead,
  publishing: PublishOptions,
): Promise<void> => {
  const { restores, proposal } = publishing;
  const note = noteAlone(before, publishing);
  try {
    await createJob((work) => owner.transaction(work), {
      source: compiled.source,
      base: before.hash,
      person: proposal?.person ?? null,
      note,
      ...(restores === undefined ? {} : { restores }),
      ...(proposal === undefined ? {} : { proposal: proposal.number, approvers: proposal.approvers }),
    });
  } catch (error) {
    if (error instanceof JobUnfinished)
      throw new CommandFailed(
        exits.changeRefused,
        `Another version is being published (${error.job.state}). Nothing was changed.`,
        "Wait until it is live, or abandon it in the workbench.",
        error,
      );
    // Usually another publication holds the lock on versions, but any statement can take too long.
    if (error instanceof StoreSlow)
      throw new CommandFailed(
        exits.databaseRefused,
        "The database took too long. Nothing was changed.",
        "Perhaps somebody else is publishing a version. Run the command again in a moment.",
        error,
      );
    if (!(error instanceof Superseded)) throw error;
    throw new CommandFailed(
      exits.changeRefused,
      "Another version was published in the meantime. Nothing was changed.",
      "Run the command again.",
      error,
    );
  }
};

/** Follows the job that publishes the same text; undefined if there is none. */
const followJob = async (
  owner: Database,
  source: Source,
  publishing: PublishOptions,
): Promise<{ readonly version: number; readonly done: readonly string[] } | undefined> => {
  const job = await findUnfinishedJob(owner.query);
  if (job === undefined || job.source.text !== source.text) return undefined;
  if (job.state === "paused" || job.state === "failed") await changeState(owner.query, job.id, "running");
  return workOnJob(owner, publishing);
};

const POLL_MS = 500;

const workOnJob = async (
  owner: Database,
  { progress, folder }: PublishOptions,
): Promise<{ readonly version: number; readonly done: readonly string[] }> => {
  const started = await newestJob(owner.query);
  if (started === undefined) throw new Error("the job that was started does not exist");
  for (;;) {
    const result = await runJob(owner, {
      compile: (packed) => Promise.resolve(compile(unpackSources(packed))),
      ...(progress === undefined ? {} : { progress }),
      folder,
    });
    if (result?.error !== undefined && !(result.error instanceof JobFailed)) throw result.error;
    const job = result?.job ?? (await readJob(owner.query, started.id));
    if (job === undefined) throw new Error("the job that was started does not exist");
    progress?.(job);
    if (job.state === "done" && job.version !== null) {
      const [row] = await owner.query({
        text: "select done from ninefold.version where number = $1",
        values: [job.version],
      });
      return { version: job.version, done: ((row?.done ?? []) as readonly unknown[]).map(String) };
    }
    if (job.state === "running" || job.state === "abandoning") await sleep(POLL_MS);
    else if (result?.error instanceof JobFailed && job.state === "abandoned") throw new ChangeRefused(job.refused);
    else throw notPublished(job);
  }
};

const notPublished = ({ state, refused }: Job): CommandFailed => {
  const reasons = refused.map(
    ({ says, records }) => `\n  ${says}${records.length === 0 ? "" : ` Records: ${records.join(", ")}`}`,
  );
  const failed = (exit: number, hint: string) =>
    new CommandFailed(exit, `Version not published (${state}).${reasons.join("")}`, hint);
  if (state !== "failed") return failed(exits.changeRefused, "");
  // A reason without a clause is one of the database or its disk.
  return refused.some(({ clause }) => clause !== "")
    ? failed(exits.changeRefused, "Correct the records, then run the command again. Or abandon it in the workbench.")
    : failed(exits.databaseRefused, "To resume, run the command again. Or abandon it in the workbench.");
};

const readPlan = async (path: string): Promise<PlanJson> => {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(exits.usage, `${path} cannot be read (${error.code ?? error.message}).`);
  });
  const plan = parseJson(text);
  if (isPlan(plan)) return plan;
  const again = `Write one with “${program} plan NEW --out FILE”.`;
  if (isObject(plan) && typeof plan.format === "number" && plan.format !== 1)
    throw new CommandFailed(exits.usage, `${path} is a plan of another release, in format ${plan.format}.`, again);
  throw new CommandFailed(exits.usage, `${path} is not a plan.`, again);
};

const isObject = (value: unknown): value is { readonly [member: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** True if everything that `checkPlan` reads has its form. */
const isPlan = (value: unknown): value is PlanJson =>
  isObject(value) &&
  value.format === 1 &&
  [value.before, value.after].every((version) => isObject(version) && typeof version.hash === "string") &&
  Array.isArray(value.behaviour) &&
  value.behaviour.every(isObject) &&
  isObject(value.open) &&
  (value.data === undefined || value.data === null || isObject(value.data));

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Refuses a plan for another text, another version or a database that has moved on. */
const checkPlan = (expected: PlanJson, planned: PlanJson): void => {
  const failWith = (message: string) =>
    new CommandFailed(exits.changeRefused, `${message} Nothing was changed.`, "Plan again, and read the new plan.");
  if (expected.after.hash !== planned.after.hash) throw failWith("The plan is for another text.");
  if (expected.before.hash !== planned.before.hash) throw failWith("The plan starts from a version that isn’t live.");
  if (expected.data === null || expected.data === undefined)
    throw failWith("The plan was made without a database, so it doesn’t say what happens to the stored data.");
  const figures = ({ data }: PlanJson): string => JSON.stringify([data?.steps, data?.refused]);
  if (figures(expected) !== figures(planned)) throw failWith("The stored data has changed since the plan was made.");
  if (linesOf(expected) !== linesOf(planned)) throw failWith("The plan was edited, or made by another release.");
};

/**
 * Everything that a plan says apart from stored data. Figures and replays move with the records, and the places of clauses
 * say nothing that the hashes do not say.
 */
const linesOf = ({ behaviour, open }: PlanJson): string =>
  JSON.stringify([behaviour.map((line) => ({ ...line, figures: undefined, places: undefined })), open]);
