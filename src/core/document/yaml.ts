import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseAllDocuments,
  type Scalar as YamlScalar,
} from "yaml";
import { type Finding, type Found, finding } from "../findings.ts";
import type { Span } from "../text.ts";
import type { Entry, Scalar, Tree } from "./tree.ts";

/** A block's text and where each of its offsets stands in the file (a fence may be indented in a list). */
export interface BlockText {
  readonly text: string;
  readonly file: string;
  readonly locate: (offset: number) => number;
}

const DEEPEST = 32;

/**
 * Maps offsets of a value to offsets of the text it was written as. Both are walked together; what stands in the
 * writing alone (quotes, escapes, indentation) is passed over.
 */
const aligner = (value: string, raw: string): ((offset: number) => number) => {
  const direct = raw.indexOf(value);
  if (direct >= 0) return (offset) => direct + offset;
  let offsets: number[] | undefined;
  return (offset) => {
    if (offsets === undefined) {
      offsets = [];
      let at = 0;
      for (let i = 0; i < value.length; i++) {
        const found = raw.indexOf(value.charAt(i), at);
        offsets.push(found < 0 ? at : found);
        if (found >= 0) at = found + 1;
      }
      offsets.push(at);
    }
    return offsets[Math.min(offset, offsets.length - 1)] ?? 0;
  };
};

/**
 * Reads a YAML block into a tree. Features by which YAML would say more than it shows (anchors, aliases, tags, merge
 * keys, several documents) are findings, and so is a key that is said twice. A block that is not YAML gives no tree.
 */
export const readYaml = (block: BlockText): Found<Tree | undefined> => {
  const findings: Finding[] = [];
  const span = (from: number, to: number): Span => ({
    file: block.file,
    start: block.locate(from),
    end: block.locate(Math.max(from, to)),
  });
  const report = (...given: Parameters<typeof finding>) => void findings.push(finding(...given));

  const scalarOf = (node: YamlScalar): Scalar => {
    const [from, to] = node.range ?? [0, 0];
    const text = typeof node.value === "string" ? node.value : "";
    const align = aligner(text, block.text.slice(from, to));
    const quoted = node.type !== "PLAIN" && node.type !== undefined;
    return {
      kind: "scalar",
      text,
      span: span(from, to),
      quoted,
      locate: (offset) => block.locate(from + align(offset)),
    };
  };

  const emptyAt = (offset: number): Scalar => ({
    kind: "scalar",
    text: "",
    span: span(offset, offset),
    quoted: false,
    locate: () => block.locate(offset),
  });

  const refuseFeatures = (node: Node) => {
    const [from, to] = node.range ?? [0, 0];
    if (isAlias(node) || node.anchor !== undefined)
      report(
        "YAML_FEATURE",
        span(from, to),
        "Anchors and aliases are not part of the language.",
        "Write the value where it is meant.",
      );
    if (!isAlias(node) && node.tag !== undefined && !node.tag.startsWith("tag:yaml.org,2002:"))
      report(
        "YAML_FEATURE",
        span(from, to),
        `The tag ${node.tag} is not part of the language.`,
        "Quote the value if it begins with an exclamation mark.",
      );
  };

  const treeOf = (node: unknown, depth: number, at: number): Tree => {
    if (node === null || node === undefined) return emptyAt(at);
    if (depth > DEEPEST) throw new RangeError("too deep");
    if (isAlias(node)) {
      refuseFeatures(node);
      return emptyAt(node.range?.[0] ?? at);
    }
    if (isScalar(node)) {
      refuseFeatures(node);
      return scalarOf(node);
    }
    if (isSeq(node)) {
      refuseFeatures(node);
      const [from, to] = node.range ?? [at, at, at];
      return { kind: "list", items: node.items.map((item) => treeOf(item, depth + 1, from)), span: span(from, to) };
    }
    if (isMap(node)) {
      refuseFeatures(node);
      const [from, to] = node.range ?? [at, at, at];
      const entries: Entry[] = [];
      for (const pair of node.items) {
        const entry = entryOfPair(pair, depth, from);
        if (entry === undefined) continue;
        if (entries.some((other) => other.key.text === entry.key.text))
          report("KEY_TWICE", entry.key.span, `“${entry.key.text}” stands here twice.`, "Keep one of the two.");
        else entries.push(entry);
      }
      return { kind: "mapping", entries, span: span(from, to) };
    }
    return emptyAt(at);
  };

  const entryOfPair = (pair: Pair, depth: number, at: number): Entry | undefined => {
    const { key } = pair;
    if (!isScalar(key) || typeof key.value !== "string" || key.value === "") {
      const range = (key as Node | null)?.range ?? [at, at];
      report(
        "BAD_YAML",
        span(range[0], range[1]),
        "A key must be a word.",
        "A brace that belongs to a text is quoted with it.",
      );
      return undefined;
    }
    refuseFeatures(key);
    if (key.value === "<<" && key.type === "PLAIN") {
      report(
        "YAML_FEATURE",
        scalarOf(key).span,
        "Merge keys are not part of the language.",
        "Write the keys where they are meant.",
      );
      return undefined;
    }
    return { key: scalarOf(key), value: treeOf(pair.value, depth + 1, key.range?.[1] ?? at) };
  };

  try {
    const documents = parseAllDocuments(block.text, {
      schema: "failsafe",
      uniqueKeys: false,
      strict: true,
      prettyErrors: false,
    });
    if (!Array.isArray(documents)) return { value: undefined, findings };
    const [first, second] = documents;
    if (first === undefined) return { value: undefined, findings };
    if (second !== undefined)
      report(
        "YAML_FEATURE",
        span(second.range[0], second.range[1]),
        "One block holds one YAML document.",
        "Take out the line “---” or make a second block.",
      );
    for (const error of first.errors)
      report(
        "BAD_YAML",
        span(error.pos[0], error.pos[1]),
        `This is not YAML: ${sentenceOf(error.message)}`,
        "Mend the indentation, quotes or brackets here.",
      );
    if (first.errors.length > 0 || first.contents === null) return { value: undefined, findings };
    return { value: treeOf(first.contents, 0, 0), findings };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    report(
      "TOO_DEEP",
      span(0, block.text.length),
      `This block is nested deeper than ${DEEPEST} levels.`,
      "No clause of the language needs that; take it apart.",
    );
    return { value: undefined, findings };
  }
};

const sentenceOf = (message: string): string => {
  const line = message.split("\n")[0]?.trim() ?? message;
  return line.endsWith(".") ? line : `${line}.`;
};
