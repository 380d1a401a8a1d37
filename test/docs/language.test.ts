import { describe, expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";
import { toJs } from "../../src/core/expression/compile/to-js.ts";
import { iterators } from "../../src/core/expression/operations/iterators.ts";
import { listEnds } from "../../src/core/expression/operations/list-ends.ts";
import { type Operation, operationRow, operationTable } from "../../src/core/expression/operations/operations.ts";
import { signatures } from "../../src/core/expression/operations/signature.ts";
import { noRecord } from "../../src/core/expression/values/value.ts";
import { fieldKinds } from "../../src/core/field/kinds.ts";
import { kinds as kindNames } from "../../src/core/i18n/en/errors.ts";
import { defaultCodes, defaults } from "../../src/core/model/defaults.ts";
import { notExecuted } from "../../src/core/model/not-executed.ts";
import { examplesOf, told } from "./examples.ts";
import { fencesOf, rowsOf, textOf, withTable } from "./pages.ts";

const page = textOf("docs/language.md");

/** The findings of a block of one point. */
const findingsOf = (point: number | string, yaml: string) =>
  compile({ file: "probe.md", text: `# Probe\n\n## ${point}. Point\n\n\`\`\`yaml\n${yaml}\n\`\`\`\n` }).findings;

// Examples

const examples = examplesOf(fencesOf(page));

describe("every example of the language reference compiles as marked", () => {
  test.each(examples.map((example) => [example.fence.line, example] as const))("line %i", (_, example) => {
    expect(example.found, told(example)).toEqual(example.finds);
  });

  test("conditions that are always true for the checker are true", () => {
    const claims = examples.filter(({ fence }) => fence.marks !== undefined && "true" in fence.marks);
    expect(claims.length).toBeGreaterThan(0);
    for (const { fence, compiled, entity } of claims) {
      const roles = compiled.model?.entities.get(entity ?? "")?.roles;
      for (const [i, line] of fence.text.split("\n").filter(Boolean).entries()) {
        const condition = roles?.get(`example_${i}`)?.condition;
        if (condition === undefined) throw new Error(`${line} was not read`);
        const env = { now: "2026-03-29T08:30:00.000Z", today: "2026-03-29", rows: () => [] };
        expect(toJs(condition)(noRecord, env), line).toBe(true);
      }
    }
  });
});

// Keys

/** Each construct with keys: its point, and a block with a given key. */
const constructs: Readonly<Record<string, readonly [point: number, saying: (key: string) => string]>> = {
  "point 1": [1, (key) => `${key}: x`],
  "a screen": [2, (key) => `/probe: { ${key}: x }`],
  "a section": [2, (key) => `/probe/{id}: { record: User, sections: [{ ${key}: x }] }`],
  "a tile": [2, (key) => `/probe: { tiles: [{ ${key}: x }] }`],
  "a layout": [2, (key) => `/probe: { list: User, layouts: [{ ${key}: x }] }`],
  "an entity": [3, (key) => `Probe: { ${key}: x }`],
  "a field": [3, (key) => `Probe: { fields: { probe: { ${key}: x } } }`],
  "the states of an entity": [4, (key) => `User: { ${key}: x }`],
  "a state": [4, (key) => `User: { states: [{ probe: { ${key}: x } }] }`],
  "a transition": [4, (key) => `User: { states: [a], transitions: { probe: { ${key}: x } } }`],
  "a reminder": [4, (key) => `User: { remind: { probe: { ${key}: x } } }`],
  "an effect": [4, (key) => `User: { after: { create: [{ ${key}: x }] } }`],
  "a rule": [5, (key) => `User: [{ ${key}: x }]`],
  "point 6": [6, (key) => `${key}: x`],
  "a role": [6, (key) => `roles: { probe: { ${key}: x } }`],
  "the permissions of an entity": [6, (key) => `permissions: { User: { ${key}: x } }`],
  "a permission": [6, (key) => `permissions: { User: { read: [{ ${key}: x }] } }`],
  "point 7": [7, (key) => `${key}: x`],
  "sign in": [7, (key) => `sign in: { ${key}: x }`],
  "a provider": [7, (key) => `sign in: { providers: [{ ${key}: x }] }`],
  "a call": [7, (key) => `calls: { GET /probe: { ${key}: x } }`],
  "a query parameter": [7, (key) => `calls: { GET /probe: { query: { probe: { ${key}: x } } } }`],
  "an outgoing call": [7, (key) => `outgoing: { probe: { ${key}: x } }`],
  "a registration": [7, (key) => `sign in: { sign up: { ${key}: x } }`],
  "a token": [7, (key) => `token: { ${key}: x }`],
  "an error": [8, (key) => `PROBE: { ${key}: x }`],
};

const strange = "zzzzzzzzzzzzzzzzzzzzzzzz";

/** The keys that the checker lists in its message about an unknown one. */
const keysOf = (construct: string): readonly string[] => {
  const [point, saying] = constructs[construct] ?? [0, () => ""];
  const found = findingsOf(point, saying(strange)).find((finding) => finding.code === "UNKNOWN_KEY");
  return /^The keys are (.+)\.$/u.exec(found?.hint ?? "")?.[1]?.split(", ") ?? [];
};

describe("the reference has exactly the keys that the checker knows", () => {
  test.each(Object.keys(constructs))("%s", (construct) => {
    const keys = keysOf(construct);
    expect(keys.length).toBeGreaterThan(0);
    expect(rowsOf(page, construct).map(([, key]) => key)).toEqual(keys);
  });
});

test("each kind of clause that is not executed has an example that says so", () => {
  const text = examples.flatMap(({ compiled }) =>
    compiled.findings
      .filter((finding) => finding.code === "NOT_EXECUTED")
      .map((finding) => finding.message.split(":")[0] ?? ""),
  );
  for (const [kind, words] of Object.entries(notExecuted)) expect(text, kind).toContain(words);
});

// Types, names, addresses, constants

test("types: each with its actual column", () => {
  const executed = Object.entries(fieldKinds).filter(([name]) => name !== "state");
  expect(rowsOf(page, "types").map(([, name, words, column]) => [name, words, column])).toEqual(
    executed.map(([name, kind]) => [
      name === "reference" ? "Entity" : name,
      kindNames[name as keyof typeof fieldKinds],
      kind.column,
    ]),
  );
  const unknown = findingsOf(3, `Probe: { fields: { probe: ${strange} } }`);
  const hint = unknown.find((finding) => finding.code === "UNKNOWN_NAME")?.hint ?? "";
  const all = /^The types are (.+), and the entities' names\.$/u.exec(hint)?.[1]?.split(", ") ?? [];
  const names = executed.map(([name]) => name).filter((name) => name !== "reference");
  expect(names).toEqual(all);
});

test("reserved names are exactly those that no field can have", () => {
  const isReserved = (name: string) =>
    findingsOf(3, `Probe: { fields: { ${name}: text } }`).some((finding) => finding.code === "RESERVED_NAME");
  const documented = rowsOf(page, "reserved").flatMap(([names]) =>
    (names ?? "").split(", ").map((name) => name.replaceAll("`", "")),
  );
  const others = ["state", "label", "roles", "record", "page", "found", "today_", "search", "count", "day", "hours"];
  expect([...documented, ...others].filter(isReserved)).toEqual(documented);
});

test("reserved addresses are the program’s own", () => {
  const isKept = (address: string) =>
    findingsOf(2, `${address}: { list: User }`).some((finding) =>
      finding.hint.startsWith("Ninefold uses this address itself"),
    );
  const documented = rowsOf(page, "addresses").map(([address]) => address ?? "");
  expect([...documented, "/loans", "/api-keys", "/sign", "/"].filter(isKept)).toEqual(documented);
});

test("constants that the program reads, with their values and bounds", () => {
  const { model } = compile({ file: "probe.md", text: "# Probe\n\n## 1. Point\n\nNot shown.\n" });
  const built = [...(model?.limits.all.values() ?? [])].filter((limit) => limit.clause === null);
  const rows = rowsOf(page, "limits");
  expect(rows.map(([name, value]) => [name, value])).toEqual(built.map(({ name, value }) => [name, value]));
  const isRefused = (name: string, value: number) =>
    findingsOf(9, `${name}: ${value}`).some((finding) => finding.code === "BAD_VALUE");
  for (const [name = "", , least, most] of rows)
    expect(
      [Number(least) - 1, Number(least), Number(most), Number(most) + 1].map((value) => isRefused(name, value)),
      name,
    ).toEqual([true, false, false, true]);
});

// Tables generated from the code. `npx vitest run test/docs -u` writes them.

const code = (text: string) => `\`${text}\``;
/** Docstrings in the code name source files; the reference names its sections instead. */
const messageOf = (about: string) => about.replace(" `pattern.ts` has the dialect.", " See L10.9.");

interface Described {
  readonly written: string;
  readonly returns: string;
  readonly about: string;
}

/** One row for all that have the same description, such as `abs` of each type. */
const rowsBy = (all: readonly Described[]): readonly (readonly string[])[] =>
  [...new Set(all.map(({ about }) => about))].map((about) => {
    const alike = all.filter((one) => one.about === about);
    const types = alike.map(({ returns }) => returns);
    return [
      alike.map(({ written }) => code(written)).join(", "),
      new Set(types).size === 1 ? (types[0] ?? "") : types.join(", "),
      about,
    ];
  });

const describeOperation = (name: Operation): Described => {
  const { returns, about } = operationRow(name);
  return { written: name, returns, about: messageOf(about) };
};
const operations = (form: "operator" | "function") =>
  rowsBy(
    signatures
      .filter((signature) => signature.form === form)
      .map((signature) => describeOperation(signature.operation)),
  );

const generated: readonly (readonly [name: string, head: readonly string[], rows: readonly (readonly string[])[]])[] = [
  ["operators", ["Written", "Gives", "Is"], operations("operator")],
  ["functions", ["Written", "Gives", "Is"], operations("function")],
  [
    "each",
    ["Written", "Gives", "Is"],
    rowsBy(
      Object.entries({ ...iterators, ...listEnds }).map(([name, { bodyType, returns, about }]) => ({
        written: `.${name}(r, ${bodyType})`,
        returns,
        about,
      })),
    ),
  ],
  ["not executed", ["Kind", "Is"], Object.entries(notExecuted).map(([kind, words]) => [code(kind), words])],
  [
    "defaults",
    ["Code", "Point", "Silent about", "Default"],
    defaultCodes.map((defaultCode) => [
      code(defaultCode),
      defaults[defaultCode].point === 0 ? "–" : String(defaults[defaultCode].point),
      defaults[defaultCode].silent,
      defaults[defaultCode].inForce,
    ]),
  ],
];

test("operators, functions and defaults in the reference equal those in the code", async () => {
  expect(Object.keys(operationTable)).toHaveLength(signatures.length);
  const created = generated.reduce((text, [name, head, rows]) => withTable(text, name, head, rows), page);
  await expect(created).toMatchFileSnapshot("../../docs/language.md");
});

// Length

/** A reference that only grows is not read. Advice belongs to how-to pages, and reasons to decisions. */
test("the reference has at most 27,000 words", () => {
  expect(page.split(/\s+/u).filter(Boolean).length).toBeLessThanOrEqual(27_000);
});

// Numbers

test("every construct has its own number, in order", () => {
  const numbers = [...page.matchAll(/^(?:\| |\*\*)L(\d+)\.(\d+)\b/gmu)].map(([, chapter, number]) => [
    Number(chapter),
    Number(number),
  ]);
  const chapters = new Set(numbers.map(([chapter]) => chapter));
  for (const chapter of chapters) {
    const own = numbers.filter(([value]) => value === chapter).map(([, number]) => number ?? 0);
    expect(own, `L${chapter}`).toEqual(own.map((_, i) => i + 1));
  }
});
