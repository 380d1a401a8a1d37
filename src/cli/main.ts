#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { backup, usage as backupUsage } from "./backup.ts";
import { check, usage as checkUsage } from "./check.ts";
import { CommandFailed, exits } from "./exits.ts";
import { exportCommand, usage as exportUsage } from "./export.ts";
import { format, usage as formatUsage } from "./format.ts";
import { restore, usage as restoreUsage } from "./restore.ts";
import { run, usage as runUsage } from "./run.ts";
import { sample, usage as sampleUsage } from "./sample.ts";

type Command = (args: readonly string[]) => Promise<number>;

const commands: {
  readonly [name: string]: { readonly does: string; readonly usage: string; readonly command: Command };
} = {
  check: { does: "says what a document has wrong or leaves open", usage: checkUsage, command: check },
  format: { does: "writes a document's blocks as the language writes them", usage: formatUsage, command: format },
  export: {
    does: "writes what others read: a JSON Schema for editors, an OpenAPI description of the calls",
    usage: exportUsage,
    command: exportCommand,
  },
  run: { does: "runs a document as an application", usage: runUsage, command: run },
  backup: { does: "saves everything in one file, while it is used", usage: backupUsage, command: backup },
  restore: { does: "brings a backup back, into an empty database", usage: restoreUsage, command: restore },
  sample: { does: "takes the sample data away", usage: sampleUsage, command: sample },
};

const help = (): string =>
  [
    "Ninefold runs a web application straight from one readable specification.",
    "",
    ...Object.values(commands).flatMap(({ does, usage }) => [`  ${usage}`, `      ${does}`]),
    "",
    "docs/errors.md lists the exit codes. A command never asks anything without a terminal.",
  ].join("\n");

const version = (): string =>
  String(
    (JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: unknown }).version,
  );

const fail = (message: string, hint: string | undefined, exit: number): number => {
  process.stderr.write(`${message}${hint === undefined ? "" : `\n${hint}`}\n`);
  return exit;
};

const isUsage = (error: unknown): error is Error =>
  error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");

const main = async ([name, ...args]: readonly string[]): Promise<number> => {
  if (name === "--version") {
    process.stdout.write(`${version()}\n`);
    return exits.done;
  }
  if (name === undefined || name === "help" || name === "--help") {
    process.stdout.write(`${help()}\n`);
    return name === undefined ? exits.usage : exits.done;
  }
  const known = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (known === undefined) return fail(`There is no command ${name}.`, help(), exits.usage);
  try {
    return await known.command(args);
  } catch (error) {
    if (error instanceof CommandFailed) return fail(error.message, error.hint, error.exit);
    if (isUsage(error)) return fail(error.message, known.usage, exits.usage);
    return fail(
      "Ninefold has a fault of its own.",
      error instanceof Error ? (error.stack ?? error.message) : String(error),
      exits.fault,
    );
  }
};

process.exitCode = await main(process.argv.slice(2));
