import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { readDocumentFiles, readSources } from "../../src/cli/document-file.ts";
import { compile } from "../../src/core/compile.ts";
import { packSources, unpackSources } from "../../src/core/document/sources.ts";
import { placesIn, type Source } from "../../src/core/source-text.ts";

const block = (text: string) => `\n\`\`\`yaml\n${text}\n\`\`\`\n`;

const desk: readonly Source[] = [
  { file: "desk/README.md", text: "# About this folder\n\nScreenshots are not shown.\n" },
  {
    file: "desk/desk.md",
    text: `# Desk\n\n## 1. What it does\n\nIt lends things.\n\n## 6. Roles\n${block("roles:\n  keeper: granted")}`,
  },
  {
    file: "desk/loan.md",
    text: `# Loans\n\n## 3. Entities\n${block("Loan:\n  fields:\n    thing: Thing\n    due: date")}\n## 5. Rules\n${block(
      'Loan:\n  - { rule: "due >= today", else: LATE }',
    )}\n## 8. Errors\n${block("LATE: Too late.")}\n## 6. Roles\n${block("permissions:\n  Loan:\n    read: keeper")}`,
  },
  {
    file: "desk/thing.md",
    text: `## 3. Entities\n${block("Thing:\n  fields:\n    name: text\nLoan:\n  fields:\n    note: text?")}\n## 5. Rules\n${block(
      'Loan:\n  - { rule: "note == null || size(note) > 2", else: LATE }',
    )}\n## 6. Roles\n${block("permissions:\n  Thing:\n    read: keeper")}`,
  },
];

const errorsOf = (sources: readonly Source[]) => {
  const { findings, sources: read } = compile(sources);
  const at = placesIn(read);
  return findings
    .filter(({ severity }) => severity === "error")
    .map(({ code, span, also }) => {
      const place = at(span);
      const other = also && at(also);
      return `${code} ${place.file}:${place.line}:${place.column}${other ? ` ${other.file}:${other.line}:${other.column}` : ""}`;
    });
};

describe("the files of a folder are one document", () => {
  test("mappings merge at any depth, and lists append in the order of the files", () => {
    expect(errorsOf(desk)).toEqual([]);
    const { model } = compile(desk);
    expect([...(model?.entities.get("Loan")?.fields.keys() ?? [])]).toEqual(["thing", "due", "note"]);
    expect(model?.entities.get("Loan")?.rules).toHaveLength(2);
    expect(model?.name).toBe("Desk");
    expect(model?.sentence).toBe("It lends things.");
  });

  test("leaves that collide are an error with both places", () => {
    const again: Source = {
      file: "desk/z.md",
      text: `## 3. Entities\n${block("Loan:\n  fields:\n    due: datetime")}`,
    };
    expect(errorsOf([...desk, again])).toEqual(["KEY_TWICE desk/z.md:6:10 desk/loan.md:9:10"]);
  });

  test("positions refer to the right file", () => {
    const bad: Source = {
      file: "desk/z.md",
      text: `# Z\n\n## 3. Entities\n${block("Other:\n  fields:\n    a: Nothing9")}`,
    };
    expect(errorsOf([...desk, bad])).toEqual(["UNKNOWN_NAME desk/z.md:8:8"]);
  });

  test("findings and open points are in the order of the files", () => {
    const [first, second] = compile([
      { file: "b.md", text: "## 3. Entities\n\nNo entities are shown.\n" },
      { file: "a.md", text: "## 2. Screens\n\nNo screens are shown.\n" },
    ]).open;
    expect([first?.span.file, second?.span.file]).toEqual(["b.md", "a.md"]);
  });

  test("an open value belongs to the point in its own file", () => {
    const { open } = compile([
      { file: "d/a.md", text: `## 9. Limits\n${block("most: not shown")}` },
      { file: "d/b.md", text: `## 3. Entities\n${block("Thing: not shown")}` },
    ]);
    const values = open.filter(({ statement }) => statement === "not shown");
    expect(values.map(({ point, span }) => `${point} ${span.file}`)).toEqual(["9 d/a.md", "3 d/b.md"]);
  });

  test("a file without a point gives a finding, since its blocks would be ignored", () => {
    expect(compile(desk).open.some(({ statement }) => statement.includes("Screenshots"))).toBe(false);
    const notes: Source = {
      file: "desk/notes.md",
      text: `## Entities\n${block("Other: {}")}\n## More\n${block("x: y")}`,
    };
    const { findings, model } = compile([...desk, notes]);
    expect(findings.filter(({ span }) => span.file === notes.file).map(({ code }) => code)).toEqual(["NOT_A_POINT"]);
    expect(model?.entities.has("Other")).toBe(false);
  });

  test("an empty file adds nothing, and several of them are an empty document", () => {
    expect(errorsOf([...desk, { file: "desk/z.md", text: "" }])).toEqual([]);
    expect(
      errorsOf([
        { file: "d/a.md", text: "" },
        { file: "d/b.md", text: " \n" },
      ]),
    ).toEqual(["EMPTY_DOCUMENT d/a.md:1:1"]);
  });

  test("a point can have a heading in every file, but only one in each", () => {
    const twice: Source = { file: "desk/z.md", text: "## 3. Entities\n\nSome.\n\n## 3. More\n\nOthers.\n" };
    expect(errorsOf([...desk, twice])).toEqual(["POINT_TWICE desk/z.md:5:1 desk/z.md:1:1"]);
  });
});

describe("a version of a document stores every file completely", () => {
  test("one file is stored as its text", () => {
    const [, only] = desk;
    expect(only && packSources([only])).toBe(only);
    expect(only && compile(only).source).toBe(only);
  });

  test("several files can be restored unchanged", () => {
    const { source } = compile(desk);
    expect(source.file).toBe("desk/");
    expect(unpackSources(source)).toEqual(desk);
  });

  test("the names and order of files are part of the version", () => {
    const other = desk.map((source) =>
      source.file === "desk/loan.md" ? { ...source, file: "desk/loans.md" } : source,
    );
    expect(packSources(other).text).not.toBe(packSources(desk).text);
  });
});

describe("reading a folder", () => {
  let folder: string | undefined;
  afterEach(() => folder && rmSync(folder, { recursive: true, force: true }));
  const folderOf = (files: Readonly<Record<string, string>>): string => {
    folder = mkdtempSync(join(tmpdir(), "ninefold-"));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, "desk", name)), { recursive: true });
      writeFileSync(join(folder, "desk", name), text);
    }
    return join(folder, "desk");
  };

  test("takes every .md in it and its subfolders, in byte order of their paths", async () => {
    const path = folderOf({
      "é.md": "6",
      "z.md": "5",
      "a/b.md": "3",
      "a-c.md": "2",
      "B.MD": "1",
      "a/z/c.md": "4",
      "notes.txt": "no",
      ".hidden.md": "no",
      ".git/x.md": "no",
      "node_modules/x/README.md": "no",
    });
    symlinkSync(path, join(path, "a", "round"));
    const names = ["desk/B.MD", "desk/a-c.md", "desk/a/b.md", "desk/a/z/c.md", "desk/z.md", "desk/é.md"];
    expect((await readSources(path)).map(({ file }) => file)).toEqual(names);
    expect((await readSources(`${path}/`)).map(({ text }) => text).join("")).toBe("123456");
  });

  test("follows a link to a file, and writes to its target", async () => {
    const path = folderOf({ "desk.md": "# Desk" });
    writeFileSync(join(dirname(path), "elsewhere.md"), "# Elsewhere");
    symlinkSync(join(dirname(path), "elsewhere.md"), join(path, "link.md"));
    const files = await readDocumentFiles(path);
    expect(files.map(({ source }) => source.text)).toEqual(["# Desk", "# Elsewhere"]);
    expect(files[1]?.path.endsWith("elsewhere.md")).toBe(true);
  });

  for (const [what, files, message] of [
    ["no documents", { "a.txt": "" }, /has no \.md file/u],
    ["bytes that are no text", { "a.md": "a\0b" }, /is not text/u],
  ] as const)
    test(`${what}: one sentence`, async () => {
      await expect(readSources(folderOf(files))).rejects.toThrow(message);
    });
});
