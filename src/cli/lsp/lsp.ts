import { parseArgs } from "node:util";
import { createConnection, ProposedFeatures } from "vscode-languageserver/node";
import { exits } from "../exit-codes.ts";
import { serveEditor } from "./language-server.ts";

/** Serves an editor by the Language Server Protocol on standard input and output, until the editor ends it. */
export const lsp = async (args: readonly string[]): Promise<number> => {
  // Editors add `--stdio`, which is the only way.
  parseArgs({ args: [...args], options: { stdio: { type: "boolean" } } });
  serveEditor(createConnection(ProposedFeatures.all, process.stdin, process.stdout));
  await new Promise<void>((resolve) => process.stdin.once("close", resolve).once("end", resolve));
  return exits.done;
};
