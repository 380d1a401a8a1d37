import { copyFile, mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { pointNumbers } from "../../core/document/read.ts";
import { toJsonSchema } from "../../core/document/schema.ts";
import { pointShapes } from "../../core/sections/syntax.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { program } from "../program.ts";
import { usage } from "../usage.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** How-to pages about writing a document. Those about running the program need more than an assistant has. */
const tasks = [
  "accounts-by-calls",
  "approve-in-two-steps",
  "build-an-overview",
  "call-another-program",
  "change-safely",
  "change-what-is-stored",
  "count-working-days",
  "deadlines",
  "every-month",
  "notify-people",
  "number-records",
  "print-a-letter",
  "restrict-records",
  "split-or-merge",
];

/** Pages of the documentation, and their names in the kit. Assistants look for AGENTS.md first. */
const pages: Readonly<Record<string, string>> = {
  "docs/kit/AGENTS.md": "AGENTS.md",
  "docs/language.md": "language.md",
  "docs/errors.md": "errors.md",
  "docs/calls.md": "calls.md",
  ...Object.fromEntries(tasks.map((name) => [`docs/how-to/${name}.md`, `how-to/${name}.md`])),
};

const examples = ["lending", "help-desk", "leave-desk", "purchasing", "booking"];

const refuseUnlessEmpty = async (folder: string): Promise<void> => {
  const found = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw new CommandFailed(exits.usage, `Can’t read ${folder} (${error.code ?? error.message}).`, usage.kit, error);
  });
  if (found.length > 0)
    throw new CommandFailed(exits.usage, `The folder ${folder} is not empty.`, "Name a new or an empty folder.");
};

/** Writes all that a language model needs to draft and change documents into a folder: guide, reference, how-to pages, schema, examples. */
export const kit = async (args: readonly string[]): Promise<number> => {
  const { positionals } = parseArgs({ args: [...args], allowPositionals: true, options: {} });
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) throw new CommandFailed(exits.usage, "Name one folder.", usage.kit);
  await refuseUnlessEmpty(folder);
  const files = new Map<string, string>([
    ...Object.entries(pages).map(([from, to]) => [to, from] as const),
    ...examples.map((name) => [`examples/${name}.md`, `examples/${name}.md`] as const),
  ]);
  for (const [to, from] of files) {
    await mkdir(dirname(join(folder, to)), { recursive: true });
    await copyFile(join(root, from), join(folder, to));
  }
  const schema = toJsonSchema(
    "Ninefold, a block of any point",
    pointNumbers.map((point) => pointShapes[point]),
  );
  await writeFile(join(folder, "schema.json"), `${JSON.stringify(schema, undefined, 2)}\n`);
  process.stderr.write(
    `${folder}: ${files.size + 1} files. Let the assistant read AGENTS.md first, and run “${program} check”.\n`,
  );
  return exits.done;
};
