import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { CommandFailed, exits } from "../exit-codes.ts";

/** A document of the folder. Its name is a part of its address, and the name of its database. */
export interface HostedDocument {
  readonly name: string;
  readonly path: string;
}

/** Postgres limits names to 63 bytes, and the domain name system a part of an address to 63 letters. */
const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/u;

/**
 * Finds the documents of a folder: its `.md` files, except for `README.md`, and its folders. Skips names that begin with
 * a dot. Throws one sentence if a name cannot be a part of an address.
 */
export const listDocuments = async (folder: string): Promise<readonly HostedDocument[]> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(exits.badDocument, `Can’t read the folder ${folder} (${error.code ?? error.message}).`);
  });
  const documents = entries
    .filter(({ name }) => !name.startsWith(".") && name !== "README.md")
    .filter((entry) => entry.isDirectory() || entry.name.endsWith(".md"))
    .map((entry) => ({ name: entry.name.replace(/\.md$/u, ""), path: join(folder, entry.name) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  if (documents.length === 0)
    throw new CommandFailed(
      exits.badDocument,
      `The folder ${folder} has no .md file.`,
      "Name the folder that contains your specifications.",
    );
  for (const { name, path } of documents)
    if (!NAME.test(name))
      throw new CommandFailed(
        exits.badDocument,
        `${path} can’t be a part of an address.`,
        "Use small letters, digits and hyphens in its name, such as help-desk.md.",
      );
  const twice = documents.find(({ name }, i) => documents[i + 1]?.name === name);
  if (twice !== undefined)
    throw new CommandFailed(
      exits.badDocument,
      `Two specifications are called ${twice.name}: a file and a folder.`,
      "Rename one of them.",
    );
  return documents;
};
