import { parseArgs } from "node:util";
import { compareBehaviour } from "../../core/change/compare-behaviour.ts";
import { summarizeVersion } from "../../core/change/version-summary.ts";
import { createCompiler } from "../../core/compile.ts";
import { texts } from "../../core/i18n/en/platform-texts.ts";
import type { Model } from "../../core/model/model.ts";
import type { Source } from "../../core/source-text.ts";
import { LONGEST_NOTE } from "../../core/wire/authoring/document.ts";
import type { VersionJson } from "../../core/wire/authoring/versions.ts";
import type { Database } from "../../postgres/database.ts";
import { listVersions, readVersion } from "../../server/authoring/versions.ts";
import { dataOptions, withData } from "../data/data-store.ts";
import { writeSources } from "../document-file.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { printable } from "../findings-text.ts";
import { program } from "../program.ts";
import { usage } from "../usage.ts";

/** Parses the number of a version on the command line. */
export const parseVersionNumber = (text: string, command: "versions" | "restore-version"): number => {
  if (/^[1-9]\d{0,8}$/u.test(text)) return Number(text);
  throw new CommandFailed(exits.usage, `“${text}” isn’t the number of a version.`, usage[command]);
};

/** Refuses a note that cannot be stored. */
export const checkNote = (note: string): void => {
  if (note.length > LONGEST_NOTE || note.includes("\0"))
    throw new CommandFailed(exits.usage, `A note can have at most ${LONGEST_NOTE} characters.`);
};

/** Lists the versions that a database has run, or writes the text of one. */
export const versions = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { ...dataOptions, json: { type: "boolean", default: false }, out: { type: "string" } },
  });
  const [numberText, ...more] = positionals;
  if (more.length > 0 || (numberText === undefined) !== (values.out === undefined))
    throw new CommandFailed(
      exits.usage,
      "Give no number to list all versions, or a number with --out.",
      usage.versions,
    );
  const { out } = values;
  if (numberText !== undefined && out !== undefined) {
    const number = parseVersionNumber(numberText, "versions");
    await writeSources(out, await withData(values, (owner) => readFiles(owner, number)));
    process.stdout.write(
      values.json
        ? `${JSON.stringify({ number, out }, undefined, 2)}\n`
        : `The text of version ${number} is in ${out}.\n`,
    );
    return exits.done;
  }
  const all = await withData(values, async (owner) => withSummaries(owner, await allVersions(owner)));
  process.stdout.write(values.json ? `${JSON.stringify({ versions: all }, undefined, 2)}\n` : versionsText(all));
  return exits.done;
};

const readFiles = async (owner: Database, number: number): Promise<readonly Source[]> => {
  const version = await readVersion(owner, number);
  if (version !== undefined) return version.files;
  throw new CommandFailed(
    exits.usage,
    `This database has no version ${number}.`,
    `List all versions with “${program} versions”.`,
  );
};

/** Lists all versions, newest first. */
const allVersions = async (owner: Database): Promise<readonly VersionJson[]> => {
  const all: VersionJson[] = [];
  for (let before: number | null = null; ; ) {
    const { items, next } = await listVersions(owner, before);
    all.push(...items);
    if (next === null) return all;
    before = next;
  }
};

/** A version with what it changed for people, as the page of versions says it. */
interface VersionListed extends VersionJson {
  /** Null for the first version, for one of another release that this one cannot read, and for older ones. */
  readonly summary: { readonly text: string; readonly more: number } | null;
}

/** Older versions have no summary, because each takes a comparison of two texts. */
const MOST_SUMMARIES = 20;

const withSummaries = async (owner: Database, all: readonly VersionJson[]): Promise<readonly VersionListed[]> => {
  const compile = createCompiler();
  const newest = all.slice(0, MOST_SUMMARIES + 1);
  const models = new Map<number, Model | undefined>();
  for (const { number } of newest.toReversed())
    models.set(number, compile((await readVersion(owner, number))?.files ?? []).model);
  return all.map((version, i) => {
    const [before, after] = [models.get(version.number - 1), models.get(version.number)];
    if (i >= MOST_SUMMARIES || before === undefined || after === undefined) return { ...version, summary: null };
    const { lines, more } = summarizeVersion(compareBehaviour(before, after));
    const text = lines.map((line) => line.text).join(" ");
    return { ...version, summary: { text: text === "" ? texts["versions.summary.none"] : text, more } };
  });
};

/** The author to show for a version that has no name stored. */
const authors: { readonly [S in VersionJson["source"]]: string } = {
  person: "a deleted account",
  file: "a file on the server",
  command: "an operator",
  server: "an operator",
};

const versionsText = (all: readonly VersionListed[]): string =>
  all
    .map(({ number, at, author, source, approvers, note, restores, steps, summary }, i) => {
      const approved = approvers.length === 0 ? "" : `, approved by ${approvers.map(({ label }) => label).join(", ")}`;
      const by = `${author === null ? authors[source] : author.label}${approved}`;
      const text = restores === null ? "" : `, the text of version ${restores}`;
      const head = `${number}  ${at.replace("T", " ").slice(0, 16)} UTC  ${by}${text}${i === 0 ? "  (live)" : ""}`;
      const changes = summary === null ? [] : [`${printable(summary.text)}${moreText(summary.more)}`];
      return [
        head,
        ...(note === "" ? [] : note.split("\n")).map(indent),
        ...changes.map(indent),
        ...steps.map((step) => indent(`- ${step}`)),
      ]
        .map((line) => `${line}\n`)
        .join("");
    })
    .join("");

const moreText = (count: number): string => (count === 0 ? "" : ` ${count} more change${count === 1 ? "" : "s"}.`);

const indent = (line: string): string => `     ${line}`;
