import { splitLines } from "../../src/core/document/lines.ts";
import type { Tree } from "../../src/core/document/tree.ts";
import { readYaml } from "../../src/core/document/yaml/read.ts";
import type { Finding } from "../../src/core/findings.ts";

/** A tree as plain values. Keys contain a colon, so that none is special in JavaScript. */
export type Values = string | null | readonly Values[] | { readonly [key: string]: Values };

const valuesOf = (tree: Tree | undefined): Values => {
  if (tree === undefined) return null;
  if (tree.kind === "scalar") return tree.text;
  if (tree.kind === "list") return tree.items.map(valuesOf);
  return Object.fromEntries(tree.entries.map(({ key, value }) => [`${key.text}:`, valuesOf(value)]));
};

/** Reads a single block. */
export const readBlock = (text: string) => {
  const findings: Finding[] = [];
  const tree = readYaml({ file: "block", text, lines: splitLines(text) }, findings);
  return { tree, findings, values: valuesOf(tree) };
};

/** Each finding as its code and the text at its span. */
export const pointed = (text: string, findings: readonly Finding[]): readonly string[] =>
  findings.map(({ code, span }) => `${code} ${text.slice(span.start, span.end)}`);

/** A document with one point. */
export const documentOf = (point: number, yaml: string): string =>
  `# Desk\n\n## ${point}. Point\n\n\`\`\`yaml\n${yaml}\n\`\`\`\n`;

/** A random number generator with a seed (mulberry32). */
export const randomFrom = (seed: number) => {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (most: number): number => Math.floor(next() * most);
  const pick = <T>(of: readonly [T, ...T[]]): T => of[below(of.length)] ?? of[0];
  return { next, below, pick };
};

export type Random = ReturnType<typeof randomFrom>;
