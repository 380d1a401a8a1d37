import { readFileSync } from "node:fs";
import { CommandFailed, exits } from "./exit-codes.ts";
import { type CommandName, exampleOfCommand, usage } from "./usage.ts";

type Command = (args: readonly string[]) => Promise<number>;

/** Descriptions and modules of the commands. Modules are loaded on demand, so that `check` does not load the server. */
const commands: { readonly [name in CommandName]: { readonly does: string; readonly load: () => Promise<Command> } } = {
  host: {
    does: "serves every specification of a folder, each at an address and with a database of its own",
    load: async () => (await import("./host/host.ts")).host,
  },
  check: {
    does: "lists the problems and open points of a specification",
    load: async () => (await import("./check.ts")).check,
  },
  plan: {
    does: "shows what a new version changes, and writes it to a file",
    load: async () => (await import("./change/plan.ts")).plan,
  },
  apply: {
    does: "publishes a new version on existing data",
    load: async () => (await import("./change/apply.ts")).apply,
  },
  propose: {
    does: "proposes a new version to the people who can approve it",
    load: async () => (await import("./change/propose.ts")).propose,
  },
  proposals: {
    does: "lists proposed versions, shows one, or decides one",
    load: async () => (await import("./change/proposals.ts")).proposals,
  },
  try: {
    does: "serves a new version on a copy of the data, which sends nothing and ends after a day",
    load: async () => (await import("./change/try.ts")).tryOnCopy,
  },
  diff: {
    does: "shows how two versions behave differently",
    load: async () => (await import("./change/diff.ts")).diff,
  },
  new: {
    does: "begins a specification: with an example, from what you have, or from nothing",
    load: async () => (await import("./author/new.ts")).createNew,
  },
  draft: {
    does: "drafts a specification from spreadsheets, an OpenAPI description or a Postgres database, with the evidence of each clause",
    load: async () => (await import("./draft/draft.ts")).draft,
  },
  import: {
    does: "imports the rows of a CSV, TSV or XLSX file into a list of a running application",
    load: async () => (await import("./import/import.ts")).importRows,
  },
  kit: {
    does: "writes what a language model needs to draft and change specifications",
    load: async () => (await import("./author/kit.ts")).kit,
  },
  explain: {
    does: "explains a clause, a default or the code of a finding",
    load: async () => (await import("./author/explain.ts")).explain,
  },
  complete: {
    does: "lists the names, keys and values that fit a place of a specification",
    load: async () => (await import("./author/complete.ts")).complete,
  },
  lsp: {
    does: "serves an editor by the Language Server Protocol: completion, findings, renaming",
    load: async () => (await import("./lsp/lsp.ts")).lsp,
  },
  format: {
    does: "formats the blocks of a specification",
    load: async () => (await import("./format.ts")).formatCommand,
  },
  export: {
    does: "writes a JSON Schema for editors, or the API as OpenAPI",
    load: async () => (await import("./export.ts")).exportCommand,
  },
  run: { does: "runs a specification as an application", load: async () => (await import("./run/run.ts")).run },
  backup: {
    does: "saves everything in one file; the application can keep running",
    load: async () => (await import("./data/backup.ts")).backup,
  },
  files: {
    does: "says where the files are, moves them to an object store or back, and compares them with their checksums",
    load: async () => (await import("./data/files.ts")).files,
  },
  restore: {
    does: "restores a backup into an empty database",
    load: async () => (await import("./data/restore.ts")).restore,
  },
  versions: {
    does: "lists the published versions, or writes the text of one",
    load: async () => (await import("./change/versions.ts")).versions,
  },
  "restore-version": {
    does: "publishes an earlier version again",
    load: async () => (await import("./change/restore-version.ts")).restoreVersion,
  },
  retired: {
    does: "lists removed fields and entities that keep values, brings them back or deletes them",
    load: async () => (await import("./change/retired.ts")).retired,
  },
  sample: { does: "deletes the sample data", load: async () => (await import("./data/sample.ts")).sample },
};

const isName = (name: string): name is CommandName => Object.hasOwn(commands, name);

const help = (): string =>
  [
    "Ninefold runs a web application straight from one readable specification.",
    "",
    ...Object.entries(commands).flatMap(([name, { does }]) => [`  ${usage[name as CommandName]}`, `      ${does}`]),
    "",
    "docs/errors.md lists the exit codes. Without a terminal, a command never asks for input.",
  ].join("\n");

const version = (): string =>
  String(
    (JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as { version: unknown })
      .version,
  );

const fail = (message: string, hint: string | undefined, exit: number): number => {
  process.stderr.write(`${message}${hint === undefined ? "" : `\n${hint}`}\n`);
  return exit;
};

const isUsage = (error: unknown): error is Error =>
  error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");

/** Runs `ninefold` with these arguments; returns its exit code. */
export const main = async ([name, ...args]: readonly string[]): Promise<number> => {
  if (name === "--version") {
    process.stdout.write(`${version()}\n`);
    return exits.done;
  }
  if (name === undefined || name === "help" || name === "--help") {
    process.stdout.write(`${help()}\n`);
    return name === undefined ? exits.usage : exits.done;
  }
  if (!isName(name)) return fail(`Unknown command: ${name}.`, help(), exits.usage);
  if (args.includes("--help") || args.includes("-h")) {
    process.stdout.write(`${usage[name]}\n    ${commands[name].does}\n\nExample:\n  ${exampleOfCommand[name]}\n`);
    return exits.done;
  }
  try {
    const command = await commands[name].load();
    return await command(args);
  } catch (error) {
    if (error instanceof CommandFailed) return fail(error.message, error.hint, error.exit);
    // Node adds how to write a file name that begins with “-”.
    if (isUsage(error))
      return fail(error.message.replace(/ To specify a positional argument .*/su, ""), usage[name], exits.usage);
    return fail(
      "Ninefold failed because of a defect.",
      error instanceof Error ? (error.stack ?? error.message) : String(error),
      exits.fault,
    );
  }
};

// A reader that closes the pipe early (`| head`) is not an error. A running server continues.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
});
