import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { buildPlan, classifyPlan, type PlanJson } from "../../core/change/plan.ts";
import { MOST_REPLAY_DAYS, REPLAY_DAYS } from "../../core/change/replay/bounds.ts";
import { toChangeJson } from "../../core/migration/migration-step.ts";
import type { Database } from "../../postgres/database.ts";
import { planDocument } from "../../postgres/schema/plan-document.ts";
import { countFigures } from "../../server/authoring/count-figures.ts";
import { replayActs } from "../../server/authoring/replay-acts.ts";
import { dataOptions, withData } from "../data/data-store.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { usage } from "../usage.ts";
import { showStage } from "./job-progress.ts";
import { planText } from "./plan-text.ts";
import {
  nameLike,
  readLiveVersion,
  readPlannedVersion,
  type VersionRead,
  type VersionStored,
} from "./planned-version.ts";

/**
 * Prints what a new version of a document changes, compared with an older text or with the live version of a database.
 * For a database, also prints the effect on the stored data. Exits with 0 if nothing changes, 10 if something does, and
 * 11 if access, data or compatibility is lost.
 */
export const plan = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...dataOptions,
      against: { type: "string" },
      days: { type: "string" },
      json: { type: "boolean", default: false },
      out: { type: "string" },
    },
  });
  const [path, ...more] = positionals;
  const { against, out, json } = values;
  const days = readDays(values.days);
  if (path === undefined || more.length > 0)
    throw new CommandFailed(exits.usage, "Name one file or folder: the new version.", usage.plan);
  if (against !== undefined && (values.data !== undefined || values.database !== undefined))
    throw new CommandFailed(exits.usage, "--against excludes --data and --database.", usage.plan);
  if (against !== undefined && values.days !== undefined)
    throw new CommandFailed(exits.usage, "--days needs --data or --database.", usage.plan);
  const draft = await readPlannedVersion(path);
  const stage = showStage();
  const { before, after, planned } =
    against === undefined
      ? await withData(values, (owner) => planAndReplay(owner, draft, days, stage.show)).finally(stage.end)
      : await readPlannedVersion(against).then((old) => ({
          before: old,
          after: draft,
          planned: buildPlan(old, draft),
        }));
  if (out !== undefined) await writePlan(out, planned);
  printPlan(planned, before, after, json);
  return exitFor(planned);
};

/** Parses `--days`; 0 replays nothing. */
const readDays = (option: string | undefined): number => {
  if (option === undefined) return REPLAY_DAYS;
  const days = /^\d{1,3}$/u.test(option) ? Number(option) : Number.NaN;
  if (days <= MOST_REPLAY_DAYS) return days;
  throw new CommandFailed(exits.usage, `--days takes a whole number from 0 to ${MOST_REPLAY_DAYS}.`, usage.plan);
};

/**
 * Plans the change from the live version of a database, and replays the acts of the last days under the new version.
 */
const planAndReplay = async (
  owner: Database,
  draft: VersionRead,
  days: number,
  show: (stage: string) => void,
): ReturnType<typeof planOnData> => {
  show("Checking the stored data…");
  const { before, after, planned: plain } = await planOnData(owner, draft);
  show("Counting records and people…");
  const behaviour = await countFigures(owner, before.model, after.model, null, new Date());
  const planned = { ...plain, behaviour };
  if (days === 0 || before.hash === after.hash) return { before, after, planned };
  show("Checking the changes that people made…");
  const replay = await replayActs(owner, before.model, after.model, { days });
  return { before, after, planned: { ...planned, replay } };
};

/** Plans the change from the live version of a database, without changing anything. */
export const planOnData = async (
  owner: Database,
  draft: VersionRead,
): Promise<{ readonly before: VersionStored; readonly after: VersionRead; readonly planned: PlanJson }> => {
  const before = await readLiveVersion(owner);
  const after = nameLike(before, draft);
  const change = toChangeJson(await planDocument(owner, after.model, after.compiled.source));
  return { before, after, planned: buildPlan(before, after, change) };
};

/** Prints a plan as text or as JSON. */
export const printPlan = (planned: PlanJson, before: VersionRead, after: VersionRead, json: boolean): void => {
  const colour = process.stdout.isTTY === true && !process.env.NO_COLOR;
  process.stdout.write(json ? `${JSON.stringify(planned, undefined, 2)}\n` : planText(planned, before, after, colour));
};

/** The exit code for a plan. */
export const exitFor = (planned: PlanJson): number =>
  ({ same: exits.done, change: exits.changes, loss: exits.losses })[classifyPlan(planned)];

const writePlan = async (path: string, planned: PlanJson): Promise<void> => {
  await writeFile(path, `${JSON.stringify(planned, undefined, 2)}\n`).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(
      exits.usage,
      `Can’t write the plan to ${path} (${error.code ?? error.message}).`,
      "Name a file in a folder that you can write to.",
    );
  });
};
