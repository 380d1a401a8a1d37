import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { manyThings } from "../../bench/many-things.ts";
import { compile, createCompiler } from "../../src/core/compile.ts";
import type { Source } from "../../src/core/source-text.ts";
import { cases, seedOr } from "../chance.ts";
import { gentlyChanged } from "../document/fuzz.ts";
import { type Random, randomFrom } from "../document/reading.ts";

/*
 * A compiler that reads a changed document again reuses the unchanged parts. That only makes it faster: its results
 * equal those of `compile`, which caches nothing.
 */

const example = (name: string): string => readFileSync(new URL(`../../examples/${name}`, import.meta.url), "utf8");

/** Each point in a separate file, and each block of a point too, so that text after a change keeps its position. */
const inFiles = (name: string): readonly Source[] =>
  example(name)
    .split(/(?=^## )/mu)
    .flatMap((part, i) => {
      const [heading = "", ...blocks] = part.split(/(?=^```yaml$)/mu);
      const title = /^## .*\n/u.exec(heading)?.[0] ?? "";
      return [heading, ...blocks.map((block) => `${title}\n${block}`)].map((text, j) => ({
        file: `doc/${i}-${j}.md`,
        text,
      }));
    });

const documents: readonly (readonly Source[])[] = [
  [{ file: "doc/one.md", text: example("leave-desk.md") }],
  [{ file: "doc/one.md", text: example("lending.md") }],
  inFiles("leave-desk.md"),
  inFiles("help-desk.md"),
  inFiles("purchasing.md"),
];

/** Changes that mostly leave a valid document: another number, operator, condition or word, or a removed line. */
const changed = (text: string, random: Random): string => {
  const instead = (pattern: RegExp, others: (found: string) => readonly string[]): string => {
    const found = Array.from(text.matchAll(pattern));
    const match = found[random.below(found.length)];
    if (match === undefined) return text;
    const among = others(match[0]);
    return (
      text.slice(0, match.index) + (among[random.below(among.length)] ?? "") + text.slice(match.index + match[0].length)
    );
  };
  const all = (pattern: RegExp) => () => Array.from(text.matchAll(pattern), ([value]) => value);
  switch (random.below(8)) {
    case 0:
      return instead(/(?<=: )\d+(?=\b)/gu, () => ["0", "1", "2", "7", "40"]);
    case 1:
      return instead(/==|!=/gu, (sign) => [sign === "==" ? "!=" : "=="]);
    case 2:
      return instead(/[<>]=?/gu, () => ["<", "<=", ">", ">="]);
    case 3:
      return instead(/(?<=(?:when|rule): )"[^"\n]*"/gu, all(/(?<=(?:when|rule): )"[^"\n]*"/gu));
    case 4:
      return instead(/^ +- \{.*\}\n/gmu, () => [""]);
    case 5:
      return instead(/(?<=\[)\w+, /gu, () => [""]);
    case 6:
      return instead(/(?<=\w)\?(?=[ ,}\n])/gu, () => [""]);
    default:
      return gentlyChanged(text, random);
  }
};

/** The first place where two plain values differ; undefined if they are equal. */
const comparing = () => {
  const seen = new WeakMap<object, object>();
  const differs = (a: unknown, b: unknown, at: string): string | undefined => {
    if (Object.is(a, b)) return undefined;
    if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return `${at}: ${a} / ${b}`;
    if (seen.get(a) === b) return undefined;
    seen.set(a, b);
    if (a instanceof Map || a instanceof Set) {
      const others = b instanceof Map || b instanceof Set ? [...b] : [];
      return differs([...a], others, `${at} of ${a.size}`);
    }
    const [keys, others] = [Object.keys(a), Object.keys(b)];
    if (keys.join() !== others.join()) return `${at}: ${keys} / ${others}`;
    for (const key of keys) {
      const found = differs(Reflect.get(a, key), Reflect.get(b, key), `${at}.${key}`);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return differs;
};

test("an incremental compilation gives the same result as a full one", { timeout: 240_000 }, () => {
  const random = randomFrom(seedOr(20261121));
  const most = cases(3, 40);
  let [steps, models] = [0, 0];
  for (const document of documents) {
    const again = createCompiler();
    const versions: (readonly Source[])[] = [document];
    for (let step = 0; step < most; step++) {
      const now = versions.at(-1) ?? document;
      // Mostly reverts changes, so that the compiler knows both versions.
      if (versions.length > 1 && random.below(5) < 2) versions.pop();
      else {
        const at = random.below(now.length);
        versions.push(now.map((source, i) => (i === at ? { ...source, text: changed(source.text, random) } : source)));
      }
      const latest = versions.at(-1) ?? document;
      const [reused, anew] = [again(latest), compile(latest)];
      const differs = comparing();
      expect(differs(reused.findings, anew.findings, "findings")).toBeUndefined();
      expect(differs(reused.model, anew.model, "model")).toBeUndefined();
      expect(differs(reused.open, anew.open, "open")).toBeUndefined();
      expect(differs(reused.mentions, anew.mentions, "mentions")).toBeUndefined();
      steps++;
      if (reused.model !== undefined) models++;
    }
  }
  expect(models).toBeGreaterThan(steps / 3);
});

test("a change recompiles only the parts that it affects", () => {
  const document = inFiles("help-desk.md");
  const again = createCompiler();
  const before = again(document).model;
  const after = again(
    document.map(({ file, text }) => ({ file, text: text.replaceAll(/(?<=max: )\d+/gu, "37") })),
  ).model;
  expect(after).toBeDefined();
  const conditionsOf = (model: typeof after) =>
    [...(model?.entities.values() ?? [])].flatMap(({ roles }) =>
      [...roles.values()].flatMap(({ condition, from }) => (from === null ? [condition] : [])),
    );
  const [known, now] = [conditionsOf(before), conditionsOf(after)];
  expect(now.length).toBeGreaterThan(2);
  for (const [i, condition] of now.entries()) expect(condition).toBe(known[i]);
});

test("a change in an entity links only its own clauses again", () => {
  const again = createCompiler();
  const [before, after] = ["today", '"today + 1 days"'].map((day) => again(manyThings(9, day)).model);
  /** All clauses of an entity that its model keeps. */
  const clausesOf = (model: typeof before, name: string): readonly unknown[] => {
    const { fields, states, rules = [], permissions } = model?.entities.get(name) ?? {};
    return [
      fields,
      ...rules,
      ...(states?.transitions.values() ?? []),
      ...Object.values(permissions?.actions ?? {}).flat(),
    ];
  };
  for (const [i, clause] of clausesOf(after, "Thing3").entries()) expect(clause).toBe(clausesOf(before, "Thing3")[i]);
  expect(clausesOf(after, "Thing3").length).toBeGreaterThan(10);
  const [changed, other] = [before, after].map((model) => clausesOf(model, "Thing7"));
  for (const [i, clause] of (changed ?? []).entries()) expect(clause).not.toBe(other?.[i]);
});

test.each([
  ["two compilers", () => [createCompiler(), createCompiler()] as const],
  ["two calls of compile", () => [compile, compile] as const],
])("%s share nothing", (_, make) => {
  const document = inFiles("help-desk.md");
  const [one, other] = make();
  const [a, b] = [one(document), other(document)];
  expect(a).toEqual(b);
  // All objects of a value, except constants of the program and objects that a third value has too.
  const objectsOf = (root: unknown): ReadonlySet<object> => {
    const found = new Set<object>();
    const visit = (value: unknown): void => {
      if (typeof value !== "object" || value === null || found.has(value)) return;
      found.add(value);
      for (const part of value instanceof Map || value instanceof Set ? [...value].flat() : Object.values(value))
        visit(part);
    };
    visit(root);
    return found;
  };
  const constants = objectsOf(
    documents
      .slice(0, 2)
      .map((other) => compile(other))
      .concat(compile(inFiles("purchasing.md"))),
  );
  const documentObjects = objectsOf(document);
  const own = objectsOf(a);
  const shared = [...objectsOf(b)].filter(
    (each) => own.has(each) && !constants.has(each) && !documentObjects.has(each),
  );
  expect(own.size).toBeGreaterThan(1_000);
  expect(shared.map((each) => JSON.stringify(each))).toEqual([]);
});

test("memory does not grow with the number of changes", { timeout: 120_000 }, () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const text = example("lending.md");
  const again = createCompiler();
  const heapAfter = (from: number, to: number): number => {
    for (let i = from; i < to; i++)
      again({ file: "doc/one.md", text: text.replaceAll("```yaml\n", `\`\`\`yaml\n# ${i}\n`) });
    collect();
    return process.memoryUsage().heapUsed / 1_000_000;
  };
  const [few, many] = [heapAfter(0, 100), heapAfter(100, cases(250, 1_000))];
  expect(many - few).toBeLessThan(cases(8, 15));
});
