import { type Compiled, compile } from "../../src/core/compile.ts";
import type { Fence } from "./pages.ts";

const fenced = (yaml: string) => `\`\`\`yaml\n${yaml}\n\`\`\``;

/** Adds a block under a point's heading; adds the heading if it is missing. */
export const withBlock = (document: string, point: string, yaml: string): string => {
  const lines = document.split("\n");
  const isHeading = (line: string | undefined) => line !== undefined && /^## /u.test(line);
  const at = lines.findIndex((line) => line.startsWith(`## ${point}.`));
  if (at < 0) return `${document.trimEnd()}\n\n## ${point}. Example\n\n${fenced(yaml)}\n`;
  let end = at + 1;
  while (end < lines.length && !isHeading(lines[end])) end++;
  return [...lines.slice(0, end), fenced(yaml), "", ...lines.slice(end)].join("\n");
};

/** The conditions of a fence as roles held on a record, because these can read everything. */
const asRoles = (document: string, entity: string, conditions: readonly string[]): string =>
  withBlock(
    document,
    "6",
    `roles:\n  ${entity}:\n${conditions.map((condition, i) => `    example_${i}: ${JSON.stringify(condition)}`).join("\n")}`,
  );

const silent = "# Example\n";
const probe = withBlock(silent, "3", "Probe:\n  fields:\n    name: text");

export interface Example {
  readonly fence: Fence;
  readonly document: string;
  readonly compiled: Compiled;
  /** The expected codes, in order. */
  readonly finds: readonly string[];
  /** The codes found, without open points, in order. */
  readonly found: readonly string[];
  /** For conditions: the entity with their roles `example_0` and so on. */
  readonly entity: string | undefined;
}

/** Compiles every marked fence of a page in order. A fence that runs must be marked. */
export const examplesOf = (fences: readonly Fence[]): readonly Example[] => {
  const known = new Map<string, string>();
  const examples: Example[] = [];
  let begun: string | undefined;
  for (const fence of fences) {
    const { language, marks, text, line } = fence;
    if (marks === undefined) {
      if (["yaml", "markdown", "cel"].includes(language)) throw new Error(`line ${line}: an example without marks`);
      continue;
    }
    const base = begun ?? (marks.on === undefined ? silent : known.get(marks.on));
    if (base === undefined) throw new Error(`line ${line}: there is no document ${marks.on}`);
    let document: string;
    let entity: string | undefined;
    if (language === "markdown") {
      document = text;
      if (marks.whole !== undefined && marks.whole !== "") known.set(marks.whole, text);
    } else if (language === "cel") {
      entity = marks.of ?? "Probe";
      document = asRoles(marks.on === undefined ? probe : base, entity, text.split("\n").filter(Boolean));
    } else if (language === "yaml" && marks.point !== undefined) document = withBlock(base, marks.point, text);
    else throw new Error(`line ${line}: ${language} is no example that can be compiled`);
    begun = "and" in marks ? document : undefined;
    if (begun !== undefined) continue;
    const compiled = compile({ file: `line-${line}.md`, text: document });
    examples.push({
      fence,
      document,
      compiled,
      entity,
      finds: (marks.finds ?? "")
        .split(",")
        .filter(Boolean)
        .flatMap((item) => {
          const [code = "", times = "1"] = item.split("*");
          return Array.from({ length: Number(times) }, () => code);
        })
        .sort(),
      found: compiled.findings
        .filter((finding) => finding.severity !== "open" || (marks.finds ?? "").includes(finding.code))
        // Examples of conditions can always hold, so warnings about that are ignored.
        .filter((finding) => entity === undefined || finding.severity === "error")
        .map((finding) => finding.code)
        .sort(),
    });
  }
  return examples;
};

/** The findings with their position, for a test's message. */
export const told = ({ fence, compiled }: Example): string =>
  [
    `line ${fence.line}`,
    ...compiled.findings.map((finding) => `${finding.code}: ${finding.message} ${finding.hint}`),
  ].join("\n");
