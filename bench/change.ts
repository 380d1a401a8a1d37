// Time for comparing the behaviour of two versions of documents of 10 and 100 entities: versions that are equal, that differ
// in one line, in a clause of every entity, and in a role that every entity uses. A process that has compared others before
// compares each pair once, and has not seen its versions. Prints the results, and adds them to docs/evidence/change.json.
// `npm run bench:change`.
import { readFileSync, writeFileSync } from "node:fs";
import { buildPlan } from "../src/core/change/plan.ts";
import { compile } from "../src/core/compile.ts";
import { manyThings } from "./many-things.ts";

const edits = {
  nothing: (text: string) => text,
  "one default": (text: string, file: string) =>
    file.endsWith("/thing7.md") ? text.replace("default: today }", 'default: "today + 1 days" }') : text,
  "a condition of every entity": (text: string) =>
    text.replaceAll('when: "status == draft", fields', 'when: "status in [draft, asked]", fields'),
  "a role of every entity": (text: string) => text.replace("staff: signed in", "staff: { members: granted }"),
};

const versionOf = (count: number, edit: (text: string, file: string) => string) => {
  const files = manyThings(count, "today").map(({ file, text }) => ({ file, text: edit(text, file) }));
  const { model } = compile(files);
  if (model === undefined) throw new Error("the document has an error");
  return { model, file: "many", hash: "" };
};

const comparisons = [10, 100].flatMap((entities) =>
  Object.entries(edits).map(([changed, edit]) => {
    const times = [1, 2, 3].map(() => {
      const [before, after] = [versionOf(entities, edits.nothing), versionOf(entities, edit)];
      const [start, used] = [performance.now(), process.cpuUsage()];
      const { behaviour } = buildPlan(before, after);
      const { user, system } = process.cpuUsage(used);
      return { time: performance.now() - start, processor: (user + system) / 1_000, lines: behaviour.length };
    });
    const best = (all: readonly number[]): number => Math.round(Math.min(...all));
    return {
      entities,
      changed,
      lines: times[0]?.lines ?? 0,
      "plan, ms": best(times.map(({ time }) => time)),
      "processor, ms": best(times.map(({ processor }) => processor)),
    };
  }),
);

console.table(comparisons);
const file = new URL("../docs/evidence/change.json", import.meta.url);
const known = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
const measured = {
  measured: new Date().toISOString().slice(0, 10),
  node: process.version,
  unit: "the best of three plans, each of two versions that are new to the process",
  comparisons,
};
writeFileSync(file, `${JSON.stringify({ ...known, ...measured }, undefined, 2)}\n`);
