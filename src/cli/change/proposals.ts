import { parseArgs } from "node:util";
import { compile } from "../../core/compile.ts";
import { needsOthers } from "../../core/derive/authorization/change-rights.ts";
import { LONGEST_NOTE } from "../../core/wire/authoring/document.ts";
import type { ProposalEventJson, ProposalJson } from "../../core/wire/authoring/proposals.ts";
import type { Database } from "../../postgres/database.ts";
import {
  type OperatorProposal,
  type OperatorProposals,
  type OperatorRefusal,
  operatorProposals,
} from "../../server/proposals/operator-proposals.ts";
import { dataOptions, withData } from "../data/data-store.ts";
import { writeSources } from "../document-file.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { printable } from "../findings-text.ts";
import { program } from "../program.ts";
import { usage } from "../usage.ts";
import { aloneOption, publishVersion } from "./apply.ts";
import { showProgress } from "./job-progress.ts";
import { planOnData } from "./plan.ts";
import { toPrintedPlan } from "./plan-json.ts";
import { formatPlan } from "./plan-text.ts";
import { readLiveVersion, type VersionRead, type VersionStored } from "./planned-version.ts";
import { checkNote } from "./versions.ts";

const actions = ["list", "show", "approve", "reject", "withdraw"] as const;
type Action = (typeof actions)[number];

const isAction = (text: string): text is Action => actions.some((action) => action === text);

const wrongUse = (message: string): CommandFailed => new CommandFailed(exits.usage, message, usage.proposals);

interface Options {
  readonly json: boolean;
  readonly note: string;
  readonly out?: string | undefined;
  readonly "without-approval": boolean;
}

/**
 * Lists proposals, shows one with its plan, or approves, rejects or withdraws one. The operator holds no role of point
 * 6.
 */
export const proposals = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...dataOptions,
      ...aloneOption,
      json: { type: "boolean", default: false },
      note: { type: "string", default: "" },
      out: { type: "string" },
    },
  });
  const [action = "list", numberText, ...more] = positionals;
  if (!isAction(action) || more.length > 0 || (action === "list") !== (numberText === undefined))
    throw wrongUse("Write “list”, “show N”, “approve N”, “reject N” or “withdraw N”.");
  checkNote(values.note);
  if (values.out !== undefined && action !== "show") throw wrongUse("--out belongs to “show N”.");
  if (values["without-approval"] && action !== "approve" && action !== "reject")
    throw wrongUse("--without-approval belongs to “approve N” and “reject N”.");
  const number = numberText === undefined ? undefined : parseProposalNumber(numberText);
  return withData(values, async (owner, folder) => {
    const live = await readLiveVersion(owner);
    const known = operatorProposals(owner, live.model, () => new Date());
    if (number === undefined || action === "list") return list(known, values.json);
    if (action === "show") return show(owner, known, number, values);
    if (action === "approve") return approve(owner, live, known, number, { ...values, folder });
    const refused =
      action === "reject"
        ? await known.reject(number, values.note, values["without-approval"])
        : await known.withdraw(number, values.note);
    if (refused !== null) throw explainRefusal(refused, number);
    const after = await readProposal(known, number);
    return print(values.json ? json(after) : `Proposal ${number} is ${after.state}.`);
  });
};

/** Parses the number of a proposal on the command line. */
export const parseProposalNumber = (text: string): number => {
  if (/^[1-9]\d{0,8}$/u.test(text)) return Number(text);
  throw wrongUse(`“${text}” isn’t the number of a proposal.`);
};

const json = (value: unknown): string => JSON.stringify(value, undefined, 2);

const print = (text: string): number => {
  process.stdout.write(`${text}\n`);
  return exits.done;
};

const noSuch = (number: number): CommandFailed =>
  new CommandFailed(
    exits.usage,
    `This database has no proposal ${number}.`,
    `List all proposals with “${program} proposals list”.`,
  );

/** Turns a refusal of `operatorProposals` into a sentence. */
export const explainRefusal = (refused: OperatorRefusal, number: number): CommandFailed => {
  const failed = (message: string, hint: string) =>
    new CommandFailed(exits.changeRefused, `${message} Nothing was changed.`, hint);
  switch (refused) {
    case "unknown":
      return noSuch(number);
    case "decided":
      return failed(
        `Proposal ${number} has already been decided.`,
        `“${program} proposals show ${number}” shows what happened to it.`,
      );
    case "theirs":
      return failed(
        `Proposal ${number} belongs to the person who proposed it in the workbench.`,
        "Propose the text as a proposal of its own, or reject this one.",
      );
    case "approval":
      return failed(
        "The people whom this specification names decide on its changes.",
        "They decide in the workbench. As an operator, add --without-approval.",
      );
    case "too long":
      return failed("The text is too long to be stored as a proposal.", `Publish it with “${program} apply”.`);
    default:
      return refused;
  }
};

const readProposal = async (known: OperatorProposals, number: number): Promise<OperatorProposal> => {
  const proposal = await known.read(number);
  if (proposal === undefined) throw noSuch(number);
  return proposal;
};

const list = async (known: OperatorProposals, isJson: boolean): Promise<number> => {
  const all: ProposalJson[] = [];
  for (let before: number | null = null; ; ) {
    const page: readonly ProposalJson[] = await known.list(before);
    all.push(...page);
    before = page.at(-1)?.number ?? null;
    if (before === null) break;
  }
  if (isJson) return print(json({ proposals: all }));
  return print(all.length === 0 ? "There are no proposals." : all.map(headline).join("\n"));
};

const sources = { file: "from a file", command: "by an operator", workbench: "from a deleted account" } as const;

const headline = ({
  number,
  state,
  changed,
  author,
  source,
  approvers,
  needs,
  version,
  note,
}: ProposalJson): string => {
  const isWaiting = state === "open" || state === "approved" || state === "outdated";
  const [line = ""] = note.split("\n");
  return [
    `${number}  ${state}${version === null ? "" : ` as version ${version}`}`,
    minute(changed),
    author === null ? sources[source] : printable(author.label),
    ...(isWaiting ? [formatApprovals({ approvers, needs })] : []),
    ...(line === "" ? [] : [printable(line)]),
  ].join("  ");
};

/** "0 of 1 approval" */
export const formatApprovals = ({ approvers, needs }: Pick<ProposalJson, "approvers" | "needs">): string =>
  `${approvers.length} of ${needs} ${needs === 1 ? "approval" : "approvals"}`;

const minute = (at: string): string => `${at.replace("T", " ").slice(0, 16)} UTC`;

const events: { readonly [K in ProposalEventJson["kind"]]: string } = {
  proposed: "proposed it",
  changed: "changed the text",
  commented: "commented",
  approved: "approved it",
  rejected: "rejected it",
  withdrawn: "withdrew it",
  reopened: "reopened it",
};

const eventText = ({ at, person, isOperator, kind, revision, comment }: ProposalEventJson): string => {
  const by = person !== null ? printable(person.label) : isOperator ? "An operator" : "Someone, or a file,";
  const commentLines = comment === "" ? [] : comment.split("\n").map((line) => `      ${printable(line)}`);
  return [`  ${minute(at)}  ${by} ${events[kind]} (text ${revision})`, ...commentLines].join("\n");
};

/** Prints a proposal with its history and, while it is undecided, its plan. With --out, writes its text to a file. */
const show = async (
  owner: Database,
  known: OperatorProposals,
  number: number,
  { json: isJson, out }: Options,
): Promise<number> => {
  const proposal = await readProposal(known, number);
  if (out !== undefined) {
    await writeSources(out, (await known.files(number)) ?? []);
    return print(isJson ? json({ ...proposal, out }) : `The text of proposal ${number} is in ${out}.`);
  }
  const draft = await readText(known, number);
  const isWaiting = proposal.state === "open" || proposal.state === "approved" || proposal.state === "outdated";
  const planned = draft === undefined || !isWaiting ? undefined : await planOnData(owner, draft);
  if (isJson) {
    const plan = planned === undefined ? null : toPrintedPlan(planned.planned, planned.before, planned.after);
    return print(json({ ...proposal, plan }));
  }
  const notes = proposal.note.split("\n").slice(1);
  return print(
    [
      headline(proposal),
      ...notes.map((line) => `      ${printable(line)}`),
      ...proposal.history.map(eventText),
      ...(draft === undefined ? ["The text has errors, so it can’t be approved."] : []),
      ...(proposal.state === "outdated"
        ? [`It is based on version ${proposal.base}, which is no longer live. Bring it up to date in the workbench.`]
        : []),
      ...(planned === undefined
        ? []
        : [
            "",
            formatPlan(
              planned.planned,
              planned.before,
              planned.after,
              process.stdout.isTTY === true && !process.env.NO_COLOR,
            ).trimEnd(),
          ]),
    ].join("\n"),
  );
};

/** Compiles the text of a proposal; undefined if it has errors. */
const readText = async (known: OperatorProposals, number: number): Promise<VersionRead | undefined> => {
  const proposal = await known.find(number);
  const files = await known.files(number);
  if (proposal === undefined || files === undefined) return undefined;
  const compiled = compile(files);
  const { model } = compiled;
  return model === undefined ? undefined : { compiled, model, file: `proposal ${number}`, hash: proposal.stored.hash };
};

/** Publishes a proposal that has its approvals or needs none. */
const approve = async (
  owner: Database,
  live: VersionStored,
  known: OperatorProposals,
  number: number,
  { json: isJson, note, "without-approval": isAlone, folder }: Options & { readonly folder: string | undefined },
): Promise<number> => {
  const proposal = await known.find(number);
  if (proposal === undefined) throw noSuch(number);
  const { state } = proposal.json;
  if (state === "published" || state === "rejected" || state === "withdrawn") throw explainRefusal("decided", number);
  if (state === "outdated")
    throw new CommandFailed(
      exits.changeRefused,
      `Proposal ${number} is based on version ${proposal.stored.base}, and version ${live.number} is live. Nothing was changed.`,
      "Bring it up to date in the workbench.",
    );
  const isApproved = state === "approved";
  if (needsOthers(live.model.approval) && !isApproved && !isAlone)
    throw new CommandFailed(
      exits.changeRefused,
      `Proposal ${number} has ${formatApprovals(proposal.json)}. Nothing was changed.`,
      "The people whom the specification names approve it in the workbench. As an operator, add --without-approval: the version then says so.",
    );
  const draft = await readText(known, number);
  if (draft === undefined)
    throw new CommandFailed(
      exits.badDocument,
      `The text of proposal ${number} has errors.`,
      `Write it to a file with “${program} proposals show ${number} --out FILE”, and check it there.`,
    );
  const shown = isJson ? undefined : showProgress();
  const { version, done } = await publishVersion(owner, live, draft, {
    note: proposal.stored.note.slice(0, LONGEST_NOTE),
    isAlone,
    isApproved,
    folder,
    proposal: { number, person: proposal.stored.person, approvers: proposal.approvers.map(({ id }) => id) },
    ...(shown === undefined ? {} : { progress: shown.show }),
  }).finally(shown?.end);
  await known.published(number, note);
  if (isJson) return print(json({ proposal: number, version, steps: done }));
  return print([...done.map((step) => `  ${step}`), `Version ${version} is live.`].join("\n"));
};
