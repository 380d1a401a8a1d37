import { readFile } from "node:fs/promises";
import { CommandFailed, exits } from "../exit-codes.ts";

/** Reads the password of `--admin-password-file`, without a line break at its end. */
export const readPasswordFile = async (path: string): Promise<string> => {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(exits.usage, `Can’t read the password file ${path} (${error.code ?? error.message}).`);
  });
  return text.replace(/\r?\n$/u, "");
};
