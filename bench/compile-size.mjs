// Reads versions of one document, given as a file of JSON, with the built program, and answers how long it took.
import { readFileSync } from "node:fs";
import { compile, createCompiler } from "../dist/core/compile.js";
import { readDocument } from "../dist/core/document/read.js";

const versions = JSON.parse(readFileSync(process.argv[2], "utf8"));
const [document] = versions;

/** Time and processor time: on a busy machine, only the second says something, and even that is longer than on an idle one. */
const timed = (what) => {
  const since = performance.now();
  const before = process.cpuUsage();
  what();
  const { user, system } = process.cpuUsage(before);
  return { time: performance.now() - since, processor: (user + system) / 1_000 };
};
/** The best of several rounds, because other work on the machine can only slow a round down. */
const repeated = (times, what) => {
  const all = Array.from({ length: times }, (_, round) => timed(() => what(round)));
  const best = (name) => Math.min(...all.map((one) => one[name]));
  return { time: best("time"), processor: best("processor") };
};
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

const measured = {
  first,
  another: repeated(rounds, () => compile(document)),
  again: repeated(rounds, () => compiler(document)),
  "Markdown and YAML": repeated(rounds, () => readDocument(document)),
  "one line changed": repeated(rounds, (round) => compiler(versions[round % versions.length])),
};

process.stdout.write(
  JSON.stringify({
    characters: document.reduce((sum, { text }) => sum + text.length, 0),
    ...Object.fromEntries(Object.entries(measured).map(([name, { time }]) => [`${name}, ms`, rounded(time)])),
    "first, ms of processor": rounded(measured.first.processor),
    "one line changed, ms of processor": rounded(measured["one line changed"].processor),
    "process before, MB": before,
    "process at most, MB": atMost,
  }),
);
