import type { Logger } from "pino";
import type { PlanJson } from "../../core/change/plan.ts";
import type { FileChange } from "../../server/proposals/start-version.ts";
import { losses } from "../change/plan-text.ts";
import { printable } from "../findings-text.ts";
import { program } from "../program.ts";
import type { RunOptions } from "./run-options.ts";

/** Maximum number of lines of a plan printed at start; `ninefold plan` prints all. */
const MAX_LINES = 8;

/**
 * Reports what the start did with a file that differs from the live version: on the terminal, and as data in the
 * log, if it has one for programs. `version`: the version that runs. `where`: the option that names the database to other
 * commands.
 */
export const reportChange = (
  change: FileChange,
  version: number,
  { path, applyChanges }: RunOptions,
  where: string,
  log: Logger | undefined,
  say: (text: string) => void,
): void => {
  if (change.kind === "applied") {
    say(`${path} only adds something, so it was published as version ${version}:`);
    for (const { text } of change.plan.behaviour.slice(0, MAX_LINES)) say(`  ${printable(text)}`);
    log?.info(
      { file: path, applied: findChangeData(change.plan) },
      "the file was published, because it only adds something",
    );
    return;
  }
  if (change.kind === "published") {
    say(`${path} was published as version ${version}.`);
    return;
  }
  if (change.kind === "earlier") {
    const { version: earlier, live } = change;
    say(
      [
        `${path} has the text of version ${earlier}, but version ${live} is live, and keeps running.`,
        `To go back, run “${program} restore-version ${earlier} ${where}”. To get the newer text, run “${program} versions ${live} --out ${path} ${where}”.`,
      ].join("\n"),
    );
    log?.warn({ file: path, version: earlier, inForce: live }, "the file has the text of an earlier version");
    return;
  }
  const { proposal, live, plan, needsApproval } = change;
  const proposalText =
    proposal === null ? "It is too long to be stored as a proposal." : `The file is stored as proposal ${proposal}.`;
  if (plan === null) {
    say(`${path} has errors, so version ${live} keeps running. ${proposalText}`);
    say("Fix the errors, then start again.");
    log?.warn({ file: path, proposal, inForce: live }, "the file has errors, so the live version keeps running");
    return;
  }
  const lines = [
    ...plan.behaviour
      .toSorted((one, other) => Number(other.loses !== null) - Number(one.loses !== null))
      .map(({ text, loses }) => (loses === null ? text : `${text} [${losses[loses]}]`)),
    ...(plan.data?.refused ?? []).map(({ says }) => says),
    ...(plan.data?.steps ?? []),
  ];
  say(
    `${path} differs from version ${live}, and was not published, because ${needsApproval ? "changes need approval" : reason(plan, applyChanges)}:`,
  );
  for (const line of lines.slice(0, MAX_LINES)) say(`  ${printable(line)}`);
  if (lines.length > MAX_LINES) say(`  and ${lines.length - MAX_LINES} more`);
  say(
    [
      `Version ${live} keeps running. ${proposalText}`,
      needsApproval
        ? `To publish the file, approve it in the workbench. “${program} plan ${path} ${where}” prints the whole plan.`
        : `To read the whole plan, run “${program} plan ${path} ${where}”. To publish the file, run “${program} apply ${path} ${where}”, or start with --apply-changes always.`,
    ].join("\n"),
  );
  log?.warn(
    { file: path, proposal, inForce: live, planned: findChangeData(plan) },
    "the file differs from the live version and was not published",
  );
};

const reason = ({ data }: PlanJson, applyChanges: RunOptions["applyChanges"]): string => {
  if (applyChanges === "never") return "a start publishes nothing here";
  return (data?.refused.length ?? 0) > 0 ? "stored data doesn’t fit it" : "it does more than add something";
};

const findChangeData = ({ behaviour, data }: PlanJson) => ({
  behaviour: behaviour.map(({ point, subject, effect, loses, certainty, text }) => ({
    point,
    subject,
    effect,
    loses,
    certainty,
    text,
  })),
  steps: data?.steps ?? [],
  refused: data?.refused ?? [],
});
