// Reads versions of one document, given as a file of JSON, with the built program, and answers how long it took.
import { readFileSync } from "node:fs";
import { compile, createCompiler } from "../dist/core/compile.js";
import { readDocument } from "../dist/core/document/read.js";

const versions = JSON.parse(readFileSync(process.argv[2], "utf8"));
const [document] = versions;

const timed = (what) => {
  const since = performance.now();
  what();
  return performance.now() - since;
};
/** The best of several rounds, because other work on the machine can only slow a round down. */
const repeated = (times, what) => Math.min(...Array.from({ length: times }, (_, round) => timed(() => what(round))));
/** Rounds until the process is warm. */
const rounds = Math.max(5, Math.min(40, Math.round(3_000 / document.length)));
const rounded = (number) => Math.round(number * 10) / 10;

/** Peak memory of this process in MB. */
const largest = () => Math.round(process.resourceUsage().maxRSS / 1_024);

const before = largest();
const compiler = createCompiler();
let compiled;
const first = timed(() => {
  compiled = compiler(document);
});
const error = compiled.findings.find(({ severity }) => severity === "error");
if (error !== undefined) throw new Error(JSON.stringify(error));
const atMost = largest();

process.stdout.write(
  JSON.stringify({
    characters: document.reduce((sum, { text }) => sum + text.length, 0),
    "first, ms": rounded(first),
    "another, ms": rounded(repeated(rounds, () => compile(document))),
    "again, ms": rounded(repeated(rounds, () => compiler(document))),
    "Markdown and YAML, ms": rounded(repeated(rounds, () => readDocument(document))),
    "one line changed, ms": rounded(repeated(rounds, (round) => compiler(versions[round % versions.length]))),
    "process before, MB": before,
    "process at most, MB": atMost,
  }),
);
