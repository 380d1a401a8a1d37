import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { check } from "../../src/cli/check.ts";
import { readDocumentFiles, writeDocumentFiles } from "../../src/cli/document-file.ts";
import { applyFixes } from "../../src/core/autofix.ts";
import { compile } from "../../src/core/compile.ts";
import { applicable, applyEdits } from "../../src/core/document/edits.ts";
import { finding } from "../../src/core/findings.ts";
import { cases, seedOr } from "../chance.ts";
import { documentOf, type Random, randomFrom } from "./reading.ts";

const folderOfExamples = new URL("../../examples/", import.meta.url);
const examples = readdirSync(folderOfExamples)
  .filter((name) => name.endsWith(".md") && name !== "README.md")
  .map((name) => readFileSync(new URL(name, folderOfExamples), "utf8"));

const mended = (text: string) => {
  const { compiled, done } = applyFixes([{ file: "desk.md", text }]);
  return { text: compiled.sources[0]?.text ?? "", codes: done.map(({ finding: { code } }) => code), compiled };
};

describe("a finding with a single fix is fixed", () => {
  for (const [what, point, before, after] of [
    [
      "quotes around what would be cut",
      8,
      "LATE: { message: Late, sorry, status: 409 }",
      'LATE: { message: "Late, sorry", status: 409 }',
    ],
    [
      "quotes around braces in a text",
      3,
      "Thing:\n  label: {name}\n  fields:\n    name: text",
      'Thing:\n  label: "{name}"\n  fields:\n    name: text',
    ],
    [
      "quotes around a list that is an expression",
      3,
      "Thing:\n  fields:\n    name: text\n    of: { type: User?, among: [user] }",
      'Thing:\n  fields:\n    name: text\n    of: { type: User?, among: "[user]" }',
    ],
    [
      "a key of the language that is misspelt",
      3,
      "Thing:\n  feilds:\n    name: text",
      "Thing:\n  fields:\n    name: text",
    ],
    ["tabs", 3, "Thing:\n\tfields:\n\t\tname: text", "Thing:\n  fields:\n    name: text"],
    ["a colon without its space", 9, "page_size:50", "page_size: 50"],
    [
      "a brace that is not closed",
      3,
      "Thing: { fields: { name: text }\nOther: {}",
      "Thing: { fields: { name: text } }\nOther: {}",
    ],
    ["a colour that is a comment", 1, "accent: #006272", 'accent: "#006272"'],
    [
      "one mend that lays another bare",
      3,
      "Thing:\n\tlable: {name}\n\tfields:\n\t\tname:text",
      'Thing:\n  label: "{name}"\n  fields:\n    name: text',
    ],
  ] as const)
    test(what, () => {
      const { text, compiled } = mended(documentOf(point, before));
      expect(text).toBe(documentOf(point, after));
      expect(compiled.findings.filter(({ severity }) => severity === "error")).toEqual([]);
    });

  test("also a block that is not closed", () => {
    const text = "# Desk\r\n\r\n## 3. Entities\r\n\r\n```yaml\r\nThing: {}";
    expect(mended(text).text).toBe(`${text}\r\n\`\`\`\r\n`);
  });
});

describe("an ambiguous finding is not fixed", () => {
  for (const [what, text] of [
    ["at an unknown entity", documentOf(6, "permissions:\n  Uesr:\n    read: administrator")],
    ["at an unknown role", documentOf(6, "permissions:\n  User:\n    read: administrtor")],
    ["at an unknown type", documentOf(3, "Thing:\n  fields:\n    name: txt")],
    ["at a word of a permission", documentOf(6, "roles:\n  staff: anyon")],
    ["at a key that is near two", documentOf(5, "Thing:\n  - { whee: a, else: X }")],
    ["at a key whose place is taken", documentOf(3, "Thing:\n  label: a\n  lable: b")],
    ["at a key whose value does not fit", documentOf(3, "Thing:\n  lable: [a, b]")],
    ["at where a quote ends", documentOf(8, 'LATE: { message: "Late, status: 409 }')],
    ["at a comma or quotes", documentOf(8, "LATE: { message: Late status: 409 }")],
  ] as const)
    test(what, () => expect(mended(text).text).toBe(text));
});

test("fixing a fixed document changes nothing", () => {
  const { text } = mended(
    documentOf(8, "LATE: { message: Late, sorry, status: 409 }\nSOON: {message: {x}, status: 409"),
  );
  expect(mended(text)).toMatchObject({ text, codes: [] });
});

/** A hastily typed document: misspelt words, missing quotes, tabs. */
const hurried = (text: string, random: Random): string => {
  const change = (line: string): string => {
    const kind = random.below(30);
    if (kind === 0) return line.replace(/"([^"]*)"/u, "$1");
    if (kind === 1)
      return line.replace(
        /\b(label|fields|transitions|message|columns|sections|default)\b/u,
        (word) => `${word.slice(0, -2)}${word.slice(-1)}${word.slice(-2, -1)}`,
      );
    if (kind === 2) return line.replace(/^ {2}/u, "\t");
    if (kind === 3) return line.replace(/: /u, ":");
    if (kind === 4) return line.replace(/ \}$/u, "");
    return line;
  };
  return text
    .split(/(^```(?:yaml)?$)/mu)
    .map((part, index) => (index % 4 === 2 ? part.split("\n").map(change).join("\n") : part))
    .join("");
};

test("in randomly mistyped documents exactly the edits of the findings are made", {
  timeout: 120_000,
}, () => {
  const random = randomFrom(seedOr(11));
  const tries = cases(6, 40);
  const documents = examples as [string, ...string[]];
  let mends = 0;
  for (let round = 0; round < tries; round++) {
    const text = hurried(random.pick(documents), random);
    let at = text;
    // One round at a time, after which the remaining findings are fixed by hand.
    for (let rounds = 0; rounds < 10; rounds++) {
      const { findings, sources } = compile({ file: "desk.md", text: at });
      const edits = applicable(sources, findings)
        .flatMap(({ fix = [] }) => fix)
        .toSorted((a, b) => a.span.start - b.span.start);
      if (edits.length === 0) break;
      mends += edits.length;
      let next = "";
      let from = 0;
      for (const { span, text: replacement } of edits) {
        next += at.slice(from, span.start) + replacement;
        from = span.end;
      }
      at = next + at.slice(from);
    }
    expect(mended(text).text).toBe(at);
  }
  expect(mends).toBeGreaterThan(2 * tries);
});

test("edits that touch are not applied together, and the edits of one finding are applied all or none", () => {
  const at = (start: number, end: number, text: string) => ({ span: { file: "a", start, end }, text });
  const fixing = (...fix: readonly ReturnType<typeof at>[]) =>
    finding("BAD_YAML", fix[0]?.span ?? { file: "a", start: 0, end: 0 }, "", "", { fix });
  const sources = [{ file: "a", text: "0123456789" }];
  const [one, two, three] = [
    fixing(at(1, 2, "x"), at(7, 8, "x")),
    fixing(at(4, 5, "y"), at(7, 7, "y")),
    fixing(at(5, 6, "z")),
  ];
  const chosen = applicable(sources, [three, two, one]);
  expect(chosen).toEqual([one, three]);
  expect(
    applyEdits(
      sources,
      chosen.flatMap(({ fix }) => fix),
    ),
  ).toEqual([{ file: "a", text: "0x234z6x89" }]);
});

describe("ninefold check --fix", () => {
  let folder = "";
  let fixed = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "ninefold-"));
    fixed = "";
    vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
      fixed += String(chunk);
      return true;
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    rmSync(folder, { recursive: true, force: true });
  });
  const replace = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const bad = documentOf(8, "REQUIRED: Needed, sorry: now");

  test("writes the file, lists its fixes, and keeps every other byte, the byte order mark and the permissions", async () => {
    const path = replace("desk.md", `\ufeff${bad.replaceAll("\n", "\r\n")}`);
    chmodSync(path, 0o640);
    expect(await check([path, "--fix"])).toBe(0);
    expect(readFileSync(path, "utf8")).toBe(
      `\ufeff${bad.replace("Needed, sorry: now", '"Needed, sorry: now"').replaceAll("\n", "\r\n")}`,
    );
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(fixed).toMatch(/^desk\.md:6:11 fixed NEEDS_QUOTES: /u);
    expect(readdirSync(folder)).toEqual(["desk.md"]);
  });

  test("writes nothing if there is nothing to fix", async () => {
    const path = replace("desk.md", documentOf(3, "Thing:\n  fields:\n    name: txt"));
    const { mtimeMs } = statSync(path);
    expect(await check([path, "--fix"])).toBe(1);
    expect(statSync(path).mtimeMs).toBe(mtimeMs);
    expect(fixed).toMatch(/^Nothing could be fixed automatically\./u);
  });

  test("fixes each file of a folder in place", async () => {
    replace("a.md", documentOf(3, "Thing:\n  fields:\n    name: text"));
    replace("b.md", bad);
    await check([folder, "--fix", "--json"]);
    expect(JSON.parse(fixed)).toMatchObject({ fixed: [{ code: "NEEDS_QUOTES", line: 6 }], runs: true });
    expect(readFileSync(join(folder, "b.md"), "utf8")).toContain('"Needed, sorry: now"');
    expect(readdirSync(folder)).toEqual(["a.md", "b.md"]);
  });

  test("writes through a link, and the link stays", async () => {
    const path = replace("desk.md", bad);
    symlinkSync(path, join(folder, "link.md"));
    await check([join(folder, "link.md"), "--fix"]);
    expect(readFileSync(path, "utf8")).toContain('"Needed, sorry: now"');
    expect(readdirSync(folder)).toEqual(["desk.md", "link.md"]);
  });

  test("writes nothing if one of the files has changed meanwhile", async () => {
    const [one, other] = [replace("a.md", "# A"), replace("b.md", "# B")];
    const files = await readDocumentFiles(folder);
    writeFileSync(other, "# Changed");
    const changes = files.map((file) => ({ file, text: "# New" }));
    await expect(writeDocumentFiles(changes)).rejects.toThrow(/changed while the command was running/u);
    expect([readFileSync(one, "utf8"), readFileSync(other, "utf8")]).toEqual(["# A", "# Changed"]);
    expect(readdirSync(folder)).toEqual(["a.md", "b.md"]);
  });
});
