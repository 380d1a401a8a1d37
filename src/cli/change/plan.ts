import { writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { buildPlan, classifyPlan, type PlanJson } from "../../core/change/plan.ts";
import { MOST_REPLAY_DAYS, REPLAY_DAYS } from "../../core/change/replay/bounds.ts";
import { toChangeJson } from "../../core/migration/migration-step.ts";
import type { CountedRecords } from "../../core/wire/authoring/document.ts";
import type { Database } from "../../postgres/database.ts";
import { planDocument } from "../../postgres/schema/plan-document.ts";
import { countFigures } from "../../server/authoring/count-figures.ts";
import { replayActs } from "../../server/authoring/replay-acts.ts";
import { dataOptions, isStoreNamed, withData } from "../data/data-store.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { usage } from "../usage.ts";
import { showStage } from "./job-progress.ts";
import { toPrintedPlan } from "./plan-json.ts";
import { formatPlan } from "./plan-text.ts";
import {
  readLiveVersion,
  readPlannedVersion,
  type VersionRead,
  type VersionStored,
  withNamesOf,
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
      records: { type: "string" },
      out: { type: "string" },
    },
  });
  const [path, ...more] = positionals;
  const { against, out, json, records: point } = values;
  const days = readDays(values.days);
  if (path === undefined || more.length > 0)
    throw new CommandFailed(exits.usage, "Name one file or folder: the new version.", usage.plan);
  if (against !== undefined && (values.data !== undefined || values.database !== undefined))
    throw new CommandFailed(exits.usage, "--against excludes --data and --database.", usage.plan);
  if (against !== undefined && values.days !== undefined)
    throw new CommandFailed(exits.usage, "--days needs --data or --database.", usage.plan);
  if (point !== undefined && (against !== undefined || out !== undefined || values.days !== undefined))
    throw new CommandFailed(exits.usage, "--records excludes --against, --days and --out.", usage.plan);
  if (against === undefined && !isStoreNamed(values))
    throw new CommandFailed(
      exits.usage,
      "Name the version to compare with: --against OLD, --data DIR or --database URL.",
      usage.plan,
    );
  const draft = await readPlannedVersion(path);
  if (point !== undefined) return withData(values, (owner) => printRecords(owner, draft, point, json));
  const stage = showStage();
  const { before, after, planned } =
    against === undefined
      ? await withData(values, (owner) =>
          planAndReplay(owner, draft, days, json ? () => undefined : stage.show),
        ).finally(stage.end)
      : await readPlannedVersion(against).then((old) => ({
          before: old,
          after: draft,
          planned: buildPlan(old, draft),
        }));
  if (out !== undefined) await writePlan(out, toPrintedPlan(planned, before, after));
  printPlan(planned, before, after, json);
  return getExitCode(planned);
};

/** Records that are read at a time. */
const PAGE = 10_000;

/** Prints the addresses of all records that a plan counts at a point. */
const printRecords = async (owner: Database, draft: VersionRead, point: string, json: boolean): Promise<number> => {
  const before = await readLiveVersion(owner);
  const after = withNamesOf(before, draft);
  const addresses: string[] = [];
  let last: string | null = null;
  do {
    const page = { point, after: last, limit: PAGE };
    const { records, refused } = await planDocument(owner, after.model, after.compiled.source, { page });
    const all: readonly CountedRecords[] = [...records, ...refused.flatMap(({ misfits }) => misfits ?? [])];
    const counted = all.find((one) => one.point === point);
    if (counted === undefined && last === null) throw noRecords(point, all);
    const { entity = "", ids = [] } = counted ?? {};
    const { path = entity } = before.model.entities.get(entity) ?? {};
    const listed = ids.map((id) => `/api/${path}/${id}`);
    if (json) addresses.push(...listed);
    else process.stdout.write(listed.map((address) => `${address}\n`).join(""));
    last = ids.length < PAGE ? null : (ids.at(-1) ?? null);
  } while (last !== null);
  if (json) process.stdout.write(`${JSON.stringify({ point, records: addresses }, undefined, 2)}\n`);
  return exits.done;
};

const noRecords = (point: string, all: readonly CountedRecords[]): CommandFailed => {
  const points = all.flatMap((counted) => (counted.count > 0 ? (counted.point ?? []) : []));
  return new CommandFailed(
    exits.usage,
    `The plan counts no records at ${point}.`,
    points.length === 0 ? "It counts none anywhere." : `It counts some at ${points.join(", ")}.`,
  );
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
  const after = withNamesOf(before, draft);
  const change = toChangeJson(await planDocument(owner, after.model, after.compiled.source));
  return { before, after, planned: buildPlan(before, after, change) };
};

/** Prints a plan as text or as JSON. */
export const printPlan = (planned: PlanJson, before: VersionRead, after: VersionRead, json: boolean): void => {
  const colour = process.stdout.isTTY === true && !process.env.NO_COLOR;
  process.stdout.write(
    json
      ? `${JSON.stringify(toPrintedPlan(planned, before, after), undefined, 2)}\n`
      : formatPlan(planned, before, after, colour),
  );
};

/** The exit code for a plan. */
export const getExitCode = (planned: PlanJson): number =>
  ({ same: exits.done, change: exits.changes, loss: exits.losses })[classifyPlan(planned)];

const writePlan = async (path: string, planned: object): Promise<void> => {
  await writeFile(path, `${JSON.stringify(planned, undefined, 2)}\n`).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(
      exits.usage,
      `Can’t write the plan to ${path} (${error.code ?? error.message}).`,
      "Name a file in a folder that you can write to.",
    );
  });
};
