import { renameSync, writeFileSync } from "node:fs";
import { codeCache, loadCommands } from "./load-commands.ts";

/**
 * `node dist/cli/write-code-cache.js DOCUMENT`, a step of the build. V8 compiles a function at its first call, so this
 * checks a document and loads the server for a run that cannot start before it writes the compiled code.
 */
const { main, script } = loadCommands();
const [document = ""] = process.argv.slice(2);
const discard = (): boolean => true;
process.stdout.write = discard;
process.stderr.write = discard;
const checked = await main(["check", document]);
await main(["run", document, "--port", "none"]);
writeFileSync(`${codeCache}.new`, script.createCachedData());
renameSync(`${codeCache}.new`, codeCache);
process.exitCode = checked;
