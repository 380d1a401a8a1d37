import { readdirSync, readFileSync } from "node:fs";
import { applyFixes } from "../../src/core/autofix.ts";
import { compile } from "../../src/core/compile.ts";
import { readDocument } from "../../src/core/document/read.ts";
import type { Finding } from "../../src/core/findings.ts";
import { format } from "../../src/core/format.ts";
import type { Source, Span } from "../../src/core/source-text.ts";
import { compareWork, readOrdinary } from "../work.ts";
import { type Random, randomFrom } from "./reading.ts";

/*
 * Random documents: the examples and pieces of them, with random changes of words, lines, blocks and bytes. Reading any
 * of them must end soon, with findings whose spans lie in the document.
 */

type Some<T> = readonly [T, ...T[]];

const examples = new URL("../../examples/", import.meta.url);
const texts: ReadonlyMap<string, string> = new Map(
  readdirSync(examples)
    .filter((name) => name.endsWith(".md") && name !== "README.md")
    .map((name) => [name, readFileSync(new URL(name, examples), "utf8")]),
);
/** Prefers short texts, so that more are read in a given time. */
const weighted = Array.from(texts.keys()).flatMap((name) =>
  Array<string>((texts.get(name) ?? "").length < 5_000 ? 6 : 1).fill(name),
) as unknown as Some<string>;

const strange = [
  ..."{}[]():,#&*!|>'\"%@`\\-?=<>~ \t\n\r\0\u200b\u202e\u00a0é😀",
  ..."```|## 3. X|## |---|<!--|: |- | #|{ {|{name}|&&|==|!=|not shown|none|null|\n\n|\r\n|    |<<: |!!str |\ud800".split(
    "|",
  ),
] as unknown as Some<string>;

const lineAt = (text: string, random: Random): readonly [number, number] => {
  const at = random.below(text.length + 1);
  const start = text.lastIndexOf("\n", at - 1) + 1;
  const end = text.indexOf("\n", at);
  return [start, end < 0 ? text.length : end + 1];
};

const wordsIn = (text: string): readonly RegExpExecArray[] => Array.from(text.matchAll(/[\p{L}_][\p{L}\p{N}_]*/gu));

/** A change that mostly keeps the structure of blocks, keys and values. */
const gentle: Some<(text: string, random: Random) => string> = [
  (text, random) => {
    const words = wordsIn(text);
    const [one, other] = [words[random.below(words.length)], words[random.below(words.length)]];
    if (one === undefined || other === undefined) return text;
    return text.slice(0, one.index) + other[0] + text.slice(one.index + one[0].length);
  },
  (text, random) => {
    const [start, end] = lineAt(text, random);
    return text.slice(0, start) + text.slice(end);
  },
  (text, random) => {
    const numbers = Array.from(text.matchAll(/\d+/gu));
    const match = numbers[random.below(numbers.length)];
    if (match === undefined) return text;
    const other = random.pick(["0", "1", "-1", "1.5", "99999999999999999999", "2026-02-30"]);
    return text.slice(0, match.index) + other + text.slice(match.index + match[0].length);
  },
  (text, random) => {
    const signs = Array.from(text.matchAll(/==|!=|<=|>=|&&|\|\|/gu));
    const match = signs[random.below(signs.length)];
    if (match === undefined) return text;
    const other = random.pick(["==", "!=", "<=", ">=", "&&", "||", "+", "in"]);
    return text.slice(0, match.index) + other + text.slice(match.index + match[0].length);
  },
  (text, random) => {
    const points = text.split(/(?=^## )/mu);
    points.splice(1 + random.below(points.length), 1);
    return points.join("");
  },
];

export const gentlyChanged = (text: string, random: Random): string => random.pick(gentle)(text, random);

/** A change without regard to structure. */
const rough: Some<(text: string, random: Random) => string> = [
  (text, random) => {
    const at = random.below(text.length + 1);
    return text.slice(0, at) + random.pick(strange) + text.slice(at);
  },
  (text, random) => {
    const at = random.below(text.length + 1);
    return text.slice(0, at) + text.slice(at + 1 + random.below(4));
  },
  (text, random) => {
    const at = random.below(text.length + 1);
    return (
      text.slice(0, at) + String.fromCharCode(random.below(random.below(4) === 0 ? 65_536 : 128)) + text.slice(at + 1)
    );
  },
  (text, random) => {
    const [start, end] = lineAt(text, random);
    const [other, otherEnd] = lineAt(text, random);
    return text.slice(0, start) + text.slice(other, otherEnd) + text.slice(random.below(2) === 0 ? start : end);
  },
  (text, random) => {
    const [start] = lineAt(text, random);
    return `${text.slice(0, start)}${random.pick([" ", "  ", "\t", "    ", "- ", "> "])}${text.slice(start)}`;
  },
  (text, random) => text.slice(0, random.below(text.length + 1)),
  (text, random) => {
    const at = random.below(text.length + 1);
    return text.slice(0, at) + random.pick(strange).repeat(1 + random.below(2_000)) + text.slice(at);
  },
];

const documentFrom = (random: Random): string => {
  let text = texts.get(random.pick(weighted)) ?? "";
  const isRough = random.next() < 0.4;
  for (let times = 1 + random.below(isRough ? 4 : 3); times > 0; times--)
    text = random.pick(isRough && random.next() < 0.7 ? rough : gentle)(text, random);
  return text;
};

/** A document that takes longer, in ms, is read again, and its reading compared with that of an ordinary one. */
const SUSPICIOUS = 250;
/** Maximum work for one document, as so many readings of an ordinary one. */
const MOST_WORK = 60;

export interface Fuzzed {
  readonly documents: number;
  /** Number of documents that passed YAML, and that passed linking. */
  readonly read: number;
  readonly linked: number;
  /** The slowest document, in ms: for people to read, because it depends on the machine. */
  readonly slowest: number;
  /** Failures, each with its document. */
  readonly broken: readonly { readonly what: string; readonly text: string }[];
}

/** Reads a number of documents, which depend only on the seed. */
export const fuzz = async (seed: number, count: number): Promise<Fuzzed> => {
  const random = randomFrom(seed);
  const broken: { what: string; text: string }[] = [];
  let [read, linked, slowest] = [0, 0, 0];
  for (let index = 0; index < count; index++) {
    const text = documentFrom(random);
    const source = { file: "desk.md", text };
    try {
      const since = process.cpuUsage();
      const { model, findings } = compile(source);
      const took = process.cpuUsage(since).user / 1_000;
      slowest = Math.max(slowest, took);
      if (took > SUSPICIOUS) {
        const work = await compareWork(() => compile(source), readOrdinary, MOST_WORK);
        if (work > MOST_WORK) broken.push({ what: `is as much work as ${work} ordinary documents`, text });
      }
      const hasError = findings.some(({ severity }) => severity === "error");
      if (hasError === (model !== undefined)) broken.push({ what: "a model with errors, or none without", text });
      for (const finding of findings)
        if (!isInside(finding, text)) broken.push({ what: `${finding.code} points outside`, text });
      if (!hasError) linked++;
      if (!hasError || isRead(source)) read++;
      if (index % 20 === 0) broken.push(...changing(source).map((what) => ({ what, text })));
    } catch (error) {
      broken.push({ what: error instanceof Error ? (error.stack ?? error.message) : String(error), text });
    }
  }
  return { documents: count, read, linked, slowest, broken };
};

const isRead = (source: Source): boolean =>
  !readDocument([source]).findings.some(({ severity }) => severity === "error");

const isInside = ({ span, also, fix = [] }: Finding, text: string): boolean => {
  const spans: readonly Span[] = [span, ...(also === undefined ? [] : [also]), ...fix.map((edit) => edit.span)];
  return spans.every(
    ({ file, start, end }) => file !== "desk.md" || (start >= 0 && start <= end && end <= text.length),
  );
};

/** Failures of fixing and formatting a document. */
const changing = (source: Source): readonly string[] => {
  const wrong: string[] = [];
  const { compiled, done } = applyFixes([source]);
  if (done.length > 0 && compiled.sources[0]?.text === source.text) wrong.push("a mend that changes nothing");
  const once = format([source]);
  if (once.findings.length > 0 && once.sources[0]?.text !== source.text) wrong.push("formatted although it has errors");
  const twice = format(once.sources);
  if (once.findings.length === 0 && twice.sources[0]?.text !== once.sources[0]?.text)
    wrong.push("formatted twice is not as formatted once");
  return wrong;
};
