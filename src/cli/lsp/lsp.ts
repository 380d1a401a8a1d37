import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createConnection, ProposedFeatures } from "vscode-languageserver/node";
import { type LanguageReference, noReference } from "../../core/editor/reference.ts";
import { exits } from "../exit-codes.ts";
import { serveEditor } from "./language-server.ts";

const referenceFile = fileURLToPath(new URL("../../../dist/docs/reference.json", import.meta.url));

/** The language reference of this build. Without it, the server explains less. */
const readReference = (): Promise<LanguageReference> =>
  readFile(referenceFile, "utf8").then(
    (text) => JSON.parse(text) as LanguageReference,
    () => noReference,
  );

/** Serves an editor by the Language Server Protocol on standard input and output, until the editor ends it. */
export const lsp = async (args: readonly string[]): Promise<number> => {
  // Editors add `--stdio`, which is the only way.
  parseArgs({ args: [...args], options: { stdio: { type: "boolean" } } });
  serveEditor(createConnection(ProposedFeatures.all, process.stdin, process.stdout), await readReference());
  await new Promise<void>((resolve) => process.stdin.once("close", resolve).once("end", resolve));
  return exits.done;
};
