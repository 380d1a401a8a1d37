import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compareBehaviour } from "../../src/core/change/compare-behaviour.ts";
import { findLikelyRenames } from "../../src/core/change/likely-renames.ts";
import { createCompiler } from "../../src/core/compile.ts";
import { suggestConversion, writeDuring, writeFill, writeWas } from "../../src/core/write-was.ts";
import { mutations } from "./mutants.ts";

const names = ["lending", "leave-desk", "booking"] as const;
const withoutWas = (text: string): string =>
  text
    .replace(/(?<indent>[ ]*)(?<name>\w+): \{ type: (?<type>[^,{}]+), was: \w+ \}/gu, "$<indent>$<name>: $<type>")
    .replace(/was: \w+, |\n {2}was: \w+(?=\n)/gu, "");

describe.each(names)("in %s", (name) => {
  const text = readFileSync(`examples/${name}.md`, "utf8");
  const compile = createCompiler();
  const before = compile({ file: "a.md", text }).model;
  if (before === undefined) throw new Error(`${name} has errors`);

  test.each(["a field is renamed", "a transition is renamed", "an entity is renamed"] as const)(
    "%s without “was”: the suggestion makes it a mere renaming",
    { timeout: 120_000 },
    (kind) => {
      const all = mutations[kind](text);
      const step = Math.max(1, Math.ceil(all.length / 2));
      for (const mutant of all.filter((_, i) => i % step === 0)) {
        const files = [{ file: "a.md", text: withoutWas(mutant) }];
        const after = compile(files).model;
        if (compile([{ file: "a.md", text: mutant }]).model === undefined || after === undefined) continue;
        const [likely, ...more] = findLikelyRenames(before, after);
        expect(more).toEqual([]);
        if (likely === undefined) throw new Error(`no suggestion for ${kind}`);
        const written = writeWas(files, likely, compile);
        const model = written === undefined ? undefined : compile(written).model;
        if (model === undefined) throw new Error(`“was: ${likely.old}” was not written`);
        // Only programs use names.
        const lines = compareBehaviour(before, model).filter(
          ({ point, message }) => point !== 7 && !/\.(?:was\.)?called$/u.test(message.id),
        );
        expect(lines.map(({ text }) => text)).toEqual([]);
        expect(findLikelyRenames(before, model)).toEqual([]);
      }
    },
  );

  test("a removed field, and an unchanged text, suggest nothing", () => {
    expect(findLikelyRenames(before, before)).toEqual([]);
  });
});

describe("a value", () => {
  const text = (values: string, states: string, note = "text?") => `# Desk

## 3. Entities

\`\`\`yaml
Thing:
  fields:
    name: text
    note: ${note}
    kind: { type: choice, values: ${values} }
\`\`\`

## 4. States

\`\`\`yaml
Thing:
  field: status
  initial: ${/open\w*/u.exec(states)?.[0]}
  final: [done]
  states: ${states}
  transitions: { finish: { from: ${/open\w*/u.exec(states)?.[0]}, to: done, by: keeper } }
\`\`\`

## 6. Roles and permissions

\`\`\`yaml
roles: { keeper: { members: granted } }
permissions: { Thing: { read: [keeper], create: [keeper], update: [keeper], delete: [keeper] } }
\`\`\`
`;
  const compile = createCompiler();
  const modelOf = (values: string, states: string) => {
    const { model } = compile({ file: "a.md", text: text(values, states) });
    if (model === undefined) throw new Error("the text has errors");
    return model;
  };
  const suggested = (values: string, states: string): string | undefined => {
    const files = [{ file: "a.md", text: text(values, states) }];
    const [likely] = findLikelyRenames(modelOf("[small, large]", "[open, done]"), modelOf(values, states));
    return likely && writeWas(files, likely, compile)?.[0]?.text;
  };

  test("that was renamed gets its former name, whatever it has already", () => {
    expect(suggested("[small, huge]", "[open, done]")).toContain("values: [small, { huge: { was: large } }]");
    expect(suggested("[small, large]", "[{ opened: { tone: good } }, done]")?.replace("initial: open\n", "")).toContain(
      "states: [{ opened: { was: open, tone: good } }, done]",
    );
    expect(suggested("[small, { huge: { was: tall } }]", "[open, done]")).toContain(
      "values: [small, { huge: { was: [tall, large] } }]",
    );
    expect(suggested("[small]", "[open, done]")).toBeUndefined();
  });

  test("that was split is renamed to the one with its title", () => {
    const split = "[{ open_for_parts: { title: Waits } }, { open_for_all: { title: Open } }, done]";
    expect(suggested("[small, large]", split)).toContain("{ open_for_all: { was: open, title: Open } }");
  });

  test("takes over the records of a removed one", () => {
    const files = [{ file: "a.md", text: text("[small, large]", "[open, { done: { tone: good } }]") }];
    const model = compile(files).model;
    const span = model?.entities.get("Thing")?.states?.states[1]?.clause.span;
    if (span === undefined) throw new Error("no state");
    const rename = { of: "value", entity: "Thing", field: "status", old: "lost", now: "done", span } as const;
    expect(writeWas(files, rename, compile)?.[0]?.text).toContain("{ done: { was: lost, tone: good } }");
  });

  test("is converted where a text becomes a number", () => {
    for (const [note, converted] of [
      ["decimal", "note: { type: decimal, fill: decimal(was.note), was: { note: text } }"],
      ["{ type: decimal, max: 80 }", "note: { type: decimal, max: 80, fill: decimal(was.note), was: { note: text } }"],
      [
        "\n      type: decimal",
        "note: \n      was: { note: text }\n      fill: decimal(was.note)\n      type: decimal",
      ],
    ] as const) {
      const files = [{ file: "a.md", text: text("[small]", "[open, done]", note) }];
      const fill = { entity: "Thing", field: "note", fill: "decimal(was.note)", was: "text" };
      expect(writeFill(files, fill, compile)?.[0]?.text).toContain(converted);
    }
  });

  test("is chosen where a text becomes a choice, or several values one", () => {
    for (const [note, was, converted] of [
      [
        "{ type: choice?, values: [in_stock, sold] }",
        "text",
        `fill: "was.note in ['in_stock', 'In stock'] ? 'in_stock' : was.note in ['sold', 'Sold'] ? 'sold' : null", was: { note: text } }`,
      ],
      [
        "{ type: choice, values: [a, b] }",
        "text",
        `fill: "was.note in ['a', 'A'] ? 'a' : was.note in ['b', 'B'] ? 'b' : null", was: { note: text } }`,
      ],
      // The title of one value can be another value.
      [
        "{ type: choice, values: [a, A] }",
        "text",
        `fill: "was.note == 'a' ? 'a' : was.note == 'A' ? 'A' : null", was: { note: text } }`,
      ],
      // A digit at the beginning, the name of a field, a hyphen.
      [
        "{ type: choice, values: [4x4, name, in-use] }",
        "text",
        "fill: \"was.note == '4x4' ? '4x4' : was.note in ['name', 'Name'] ? 'name' : was.note in ['in-use', 'In use'] ? 'in-use' : null\"",
      ],
      [
        "{ type: choice, values: [a, name] }",
        "[text]",
        `fill: "'a' in was.note ? 'a' : 'name' in was.note ? 'name' : null", was: { note: [text] } }`,
      ],
      ["{ type: integer, max: 9 }", "[integer]", "max: 9, fill: was.note.max(), was: { note: [integer] } }"],
    ] as const) {
      const files = [{ file: "a.md", text: text("[small]", "[open, done]", note) }];
      const field = compile(files).model?.entities.get("Thing")?.fields.get("note");
      const fill = field && suggestConversion(field, was);
      if (fill === undefined) throw new Error(`nothing is suggested for ${note}`);
      const [written] = writeFill(files, { entity: "Thing", field: "note", fill, was }, compile) ?? [];
      expect(written?.text).toContain(converted);
      expect(
        compile(written === undefined ? [] : [written]).findings.filter(({ severity }) => severity === "error"),
      ).toEqual([]);
    }
  });

  test("can stay where a rule is checked only during some writes", () => {
    const rule = (says: string) =>
      `${text("[small]", "[open, done]")}\n## 5. Rules\n\n\`\`\`yaml\nThing:\n${says}\n\`\`\`\n\n## 8. Errors\n\n\`\`\`yaml\nSHORT: Short.\n\`\`\`\n`;
    for (const [says, written] of [
      [
        '  - { rule: "size(name) > 3", else: SHORT }',
        '  - { rule: "size(name) > 3", during: [create, update], else: SHORT }',
      ],
      [
        '  - rule: "size(name) > 3"\n    else: SHORT',
        '  - rule: "size(name) > 3"\n    during: [create, update]\n    else: SHORT',
      ],
      [
        '  - { else: SHORT, rule: "size(name) > 3" }',
        '  - { during: [create, update], else: SHORT, rule: "size(name) > 3" }',
      ],
      [
        '  - { rule: "size(name) > 3",\n      else: SHORT }',
        '  - { rule: "size(name) > 3",\n      during: [create, update], else: SHORT }',
      ],
      [
        '  - { rule: "size(name) > 3", # long enough\n      else: SHORT }',
        '  - { rule: "size(name) > 3", # long enough\n      during: [create, update], else: SHORT }',
      ],
      [
        '  - else: SHORT\n    rule: "size(name) > 3"',
        '  - during: [create, update]\n    else: SHORT\n    rule: "size(name) > 3"',
      ],
    ] as const) {
      const [changed] =
        writeDuring([{ file: "a.md", text: rule(says) }], { entity: "Thing", rule: "5.Thing.SHORT" }, compile) ?? [];
      expect(changed?.text).toBe(rule(written));
    }
  });

  test("is filled in where a required field has none", () => {
    for (const [note, filled] of [
      ["text", "note: { type: text, fill: \"'None'\" }"],
      ["{ type: text, max: 80 }", "note: { type: text, max: 80, fill: \"'None'\" }"],
      ["\n      type: text", "note: \n      fill: \"'None'\"\n      type: text"],
    ] as const) {
      const files = [{ file: "a.md", text: text("[small]", "[open, done]", note) }];
      const written = writeFill(files, { entity: "Thing", field: "note", fill: "\"'None'\"" }, compile);
      expect(written?.[0]?.text).toContain(filled);
    }
  });
});
