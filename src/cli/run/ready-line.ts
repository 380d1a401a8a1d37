import { access, constants, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { CommandFailed, exits } from "../exit-codes.ts";
import { writeLine } from "./write-line.ts";

/** Fails if the file of `--ready-file` could not be written. */
export const checkReadyFile = (file: string): Promise<void> =>
  access(dirname(file), constants.W_OK).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(exits.usage, `Can’t write the ready file ${file} (${error.code ?? error.message}).`);
  });

/**
 * Prints one JSON line for programs as soon as the application is listening: to the file, or to standard output if that
 * is not a terminal.
 */
export const writeReadyLine = async (url: string, file: string | undefined): Promise<void> => {
  const line = JSON.stringify({ url, pid: process.pid });
  if (file !== undefined) {
    await writeFile(`${file}.new`, `${line}\n`);
    await rename(`${file}.new`, file);
  } else if (process.stdout.isTTY !== true) writeLine(line);
};
