import { parseArgs } from "node:util";
import type { ProposalJson } from "../../core/wire/authoring/proposals.ts";
import { operatorProposals } from "../../server/proposals/operator-proposals.ts";
import { dataOptions, withData } from "../data/data-store.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { program } from "../program.ts";
import { usage } from "../usage.ts";
import { readLiveVersion, readPlannedVersion, withNamesOf } from "./planned-version.ts";
import { explainRefusal, formatApprovals, parseProposalNumber } from "./proposals.ts";
import { checkNote } from "./versions.ts";

/** Proposes a new version to the people who can approve it, without publishing it. */
export const propose = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      ...dataOptions,
      note: { type: "string", default: "" },
      replace: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0)
    throw new CommandFailed(exits.usage, "Name one file or folder: the new version.", usage.propose);
  checkNote(values.note);
  const replaces = values.replace === undefined ? null : parseProposalNumber(values.replace);
  const draft = await readPlannedVersion(path);
  return withData(values, async (owner) => {
    const live = await readLiveVersion(owner);
    const after = withNamesOf(live, draft);
    if (live.hash === after.hash)
      return print(values.json, null, `Version ${live.number} already has this text. Nothing was proposed.`);
    const known = operatorProposals(owner, live.model, () => new Date());
    const { source } = after.compiled;
    const number = await known.propose({ source, base: live.number, note: values.note }, replaces);
    if (typeof number === "string") throw explainRefusal(number, replaces ?? 0);
    const proposal = (await known.find(number))?.json ?? null;
    return print(
      values.json,
      proposal,
      `Proposal ${number} has ${proposal === null ? "no approvals" : formatApprovals(proposal)}. Read it with “${program} proposals show ${number}”, or in the workbench.`,
    );
  });
};

const print = (isJson: boolean, proposal: ProposalJson | null, words: string): number => {
  process.stdout.write(`${isJson ? JSON.stringify({ proposal }, undefined, 2) : words}\n`);
  return exits.done;
};
