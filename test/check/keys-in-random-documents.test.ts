import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pointNumbers, readDocument } from "../../src/core/document/read.ts";
import type { Shape, ShapeForm } from "../../src/core/document/shape.ts";
import type { Tree } from "../../src/core/document/tree.ts";
import { pointShapes } from "../../src/core/sections/syntax.ts";
import { openDocument, writeDocument } from "../worlds/documents.ts";

/*
 * Each key of the language, each of its words and each function occurs in the random documents of the two worlds, or has a
 * reason why it does not. So nobody adds a key that no random document has.
 */

/** Keys and words that no random document has, with the reason. */
const absent: readonly (readonly [where: RegExp, reason: string])[] = [
  [/ \. (?:was|fill)$/u, "They are about two versions of a document: test/change."],
  [/ = (?:false|none)$/u, "Nothing happens, or there is nothing."],
  [/^point 1 \. (?:ninefold|accent|logo)$| tone = /u, "Readers see another picture or colour of the same data."],
  [/providers$|^a provider /u, "People sign in at another program: test/app/auth."],
  [/^a registration \. emails$|sign up = open$|verify email = true$/u, "Registering at once is in all of them."],
  [/^how people sign in \. password/u, "Without passwords, people need a provider."],
  [/^point 6 \. roles = /u, "A role in its short form, which has the same meaning."],
  [/^point 7 \. (?:unknown = refused|missing = null|accepts = json)$/u, "The default."],
  [/^a constant \. type = /u, "The value decides the same type."],
  [/^a step of a call \. when$/u, "The checker refuses it: a condition is for calls with one step."],
  [
    /^a step of a call \. (?:put|delete|distinct|sortable|selectable|paging)/u,
    "A step has the plan of a call with one step.",
  ],
];

type Resolved = Exclude<ShapeForm, { kind: "later" }>;
const formOf = ({ form }: Shape<unknown>): Resolved => (form.kind === "later" ? formOf(form.of()) : form);

/** Adds the keys and words that a shape allows: `a call . when`, `a call . missing = omitted`. */
const addAllowed = (shape: Shape<unknown>, place: string, found: Set<string>, seen: Set<ShapeForm>): void => {
  const form = formOf(shape);
  if (form.kind === "word") for (const word of form.words) found.add(`${place} = ${word}`);
  if (seen.has(form)) return;
  seen.add(form);
  if (form.kind === "list") addAllowed(form.of, place, found, seen);
  if (form.kind === "one of") for (const one of form.shapes) addAllowed(one, place, found, seen);
  if (form.kind === "mapping") for (const { of } of form.entries) addAllowed(of, place, found, seen);
  if (form.kind !== "keys") return;
  for (const [key, { shape: own }] of Object.entries(form.parts)) {
    found.add(`${shape.expected} . ${key}`);
    addAllowed(own, `${shape.expected} . ${key}`, found, seen);
  }
};

/** Adds those that a block uses. */
const addUsed = (shape: Shape<unknown>, tree: Tree, place: string, found: Set<string>): void => {
  const form = formOf(shape);
  if (form.kind === "word" && tree.kind === "scalar" && form.words.includes(tree.text))
    found.add(`${place} = ${tree.text}`);
  if (form.kind === "one of") for (const one of form.shapes) addUsed(one, tree, place, found);
  if (form.kind === "list" && tree.kind === "list") for (const item of tree.items) addUsed(form.of, item, place, found);
  if (form.kind === "mapping" && tree.kind === "mapping")
    for (const { key, value } of tree.entries) {
      const fitting = form.entries.filter(
        ({ keys }) => keys !== undefined && new RegExp(keys.source, "u").test(key.text),
      );
      const others = form.entries.filter(({ keys }) => keys === undefined);
      for (const { of } of fitting.length > 0 ? fitting : others) addUsed(of, value, place, found);
    }
  if (form.kind !== "keys") return;
  const given: readonly (readonly [key: string, value: Tree])[] =
    tree.kind === "mapping"
      ? tree.entries.map(({ key, value }) => [key.text, value] as const)
      : form.main === undefined
        ? []
        : [[form.main, tree]];
  if (!given.every(([key]) => Object.hasOwn(form.parts, key))) return;
  for (const [key, value] of given) {
    found.add(`${shape.expected} . ${key}`);
    const own = form.parts[key]?.shape;
    if (own !== undefined) addUsed(own, value, `${shape.expected} . ${key}`, found);
  }
};

const documents = [...Array.from({ length: 60 }, (_, nth) => writeDocument(nth + 1, nth < 20)), openDocument];

test("random documents have each key and each word of the language", () => {
  const allowed = new Set<string>();
  for (const number of pointNumbers) addAllowed(pointShapes[number], `point ${number}`, allowed, new Set());
  const used = new Set<string>();
  for (const text of documents)
    for (const { number, blocks } of readDocument([{ file: "desk.md", text }]).value.points.values())
      for (const block of blocks) addUsed(pointShapes[number], block, `point ${number}`, used);
  const missing = [...allowed].filter((one) => !used.has(one));
  expect(missing.filter((one) => !absent.some(([where]) => where.test(one)))).toEqual([]);
  // A reason for nothing would hide that a key is gone.
  expect(absent.filter(([where]) => !missing.some((one) => where.test(one)))).toEqual([]);
});

test("random documents have each function", () => {
  const reference = readFileSync(new URL("../../docs/language.md", import.meta.url), "utf8");
  const written = [...reference.matchAll(/^\| (`\.?[a-z_]\w*\([^|]*) \|/gmu)].map(([, cell = ""]) => cell);
  const names = new Set(
    written.flatMap((cell) => [...cell.matchAll(/`\.?([a-z_]\w*)\(/gu)].map(([, name = ""]) => name)),
  );
  expect(names.size).toBeGreaterThan(50);
  const text = documents.join("\n");
  const missing = [...names].filter((name) => !new RegExp(`\\b${name}\\(`, "u").test(text));
  expect(missing).toEqual([]);
});
