import { describe, expect, it } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import { finding } from "../../../src/core/findings.ts";
import type { Source } from "../../../src/core/source-text.ts";
import {
  createThreadCalls,
  type Thread,
  type ThreadAnswer,
  type ThreadRequest,
} from "../../../src/web/util/thread-calls.ts";
import { findingFrom } from "../../../src/web/workbench/document/findings-pane.tsx";
import { mergeTexts } from "../../../src/web/workbench/draft/merge-texts.ts";
import {
  type ComparedTexts,
  compareCompiled,
  getClauseKey,
  sameTexts,
  type TextComparison,
} from "../../../src/web/workbench/plan/text-comparison.ts";
import { compareWordings, findClauses } from "../../../src/web/workbench/proposals/collisions.ts";
import fc, { cases } from "../../chance.ts";

const fileOf = (...lines: readonly string[]) => [{ file: "a.md", text: lines.join("\n") }];

describe("a draft with an outdated base", () => {
  const base = ["one", "two", "three", "four", "five"];
  const merged = (draft: readonly string[], live: readonly string[]) => {
    const { files, collisions } = mergeTexts(fileOf(...base), fileOf(...draft), fileOf(...live));
    return { lines: files[0]?.text.split("\n"), collisions: collisions.length };
  };

  it("has the changes of both sides", () => {
    expect(merged(["one", "2", "three", "four", "five"], ["one", "two", "three", "four", "new", "five"])).toEqual({
      lines: ["one", "2", "three", "four", "new", "five"],
      collisions: 0,
    });
    expect(merged(["two", "three", "four", "five"], [...base, "six"])).toEqual({
      lines: ["two", "three", "four", "five", "six"],
      collisions: 0,
    });
  });

  it("keeps its own lines where both changed, and counts these places", () => {
    expect(merged(["one", "mine", "three", "four", "five"], ["one", "theirs", "three", "four", "5"])).toEqual({
      lines: ["one", "mine", "three", "four", "5"],
      collisions: 1,
    });
    expect(
      merged(["one", "new", "two", "three", "four", "five"], ["one", "new", "two", "three", "four", "five"]),
    ).toEqual({ lines: ["one", "new", "two", "three", "four", "five"], collisions: 0 });
  });

  it("has each line of one side only, for any edits", () => {
    const edits = fc.array(fc.constantFrom("keep", "remove", "change", "add"), { minLength: 5, maxLength: 5 });
    const edited = (mark: string, how: readonly string[]) =>
      base.flatMap((line, i) => {
        const kept = how[i] === "keep" ? [line] : how[i] === "change" ? [`${mark}${i}`] : [];
        return how[i] === "add" ? [line, `${mark}+${i}`] : kept;
      });
    fc.assert(
      fc.property(edits, edits, (one, other) => {
        const [draft, live] = [edited("d", one), edited("l", other)];
        const { lines, collisions } = merged(draft, live);
        for (const line of draft.filter((own) => own.startsWith("d"))) expect(lines).toContain(line);
        if (collisions === 0)
          for (const line of live.filter((own) => own.startsWith("l"))) expect(lines).toContain(line);
      }),
      { numRuns: cases(200, 5_000) },
    );
  });
});

describe("places that a draft and a newer version changed", () => {
  const desk = (note: string, create = "[lead]") => `# Desk

## 3. Entities and their fields
\`\`\`yaml
Note:
  fields:
    text: text
${note}
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { editor: granted, lead: granted }
permissions:
  Note:
    read: [editor, lead]
    create: ${create}
\`\`\`
`;
  const files = (text: string) => [{ file: "desk.md", text }];
  const [base, draft, live] = [
    desk("    due: date?"),
    desk("    due: { type: date, unique: true }", "[lead, editor]"),
    `# Office\nAn addition.\n${desk("    due: datetime?\n    size: integer?").slice(7)}`,
  ].map(files) as [Source[], Source[], Source[]];

  it("are named by their clauses, with both wordings at their lines", () => {
    const { collisions } = mergeTexts(base, draft, live);
    expect(collisions).toHaveLength(1);
    const [one] = collisions;
    if (one === undefined) throw new Error("no collision");
    const texts = { draft: compile(draft), live: compile(live) };
    expect(findClauses(one, texts)).toEqual(["3.Note.due", "3.Note.size"]);
    const wording = (side: "before" | "after") =>
      compareWordings("3.Note.due", one)?.sections.flatMap(({ rows }) =>
        rows
          .flatMap((row) => row[side] ?? [])
          .map(({ number, pieces }) => [number, pieces.map((p) => p.text).join("")]),
      );
    expect(wording("before")).toEqual([
      [9, "    due: datetime?"],
      [10, "    size: integer?"],
    ]);
    expect(wording("after")).toEqual([[8, "    due: { type: date, unique: true }"]]);
  });

  it("have the clause before them if only its value changed", () => {
    const { collisions } = mergeTexts(base, draft, files(desk("    due: date?", "[editor]")));
    const texts = {
      base: compile(base),
      draft: compile(draft),
      live: compile(files(desk("    due: date?", "[editor]"))),
    };
    expect(collisions.map((one) => findClauses(one, texts))).toEqual([["6.Note.create"]]);
  });
});

describe("the findings of a draft", () => {
  const sources = [
    { file: "b.md", text: "" },
    { file: "a.md", text: "" },
  ];
  const found = [
    ["a.md", 4],
    ["b.md", 9],
    ["b.md", 2],
  ].map(([file, start]) =>
    finding("EMPTY_DOCUMENT", { file: String(file), start: Number(start), end: Number(start) + 1 }, "", ""),
  );
  const placeOf = (at: readonly [string, number], direction: 1 | -1) => {
    const span = findingFrom(found, sources, { file: at[0], start: at[1] }, direction)?.span;
    return [span?.file, span?.start];
  };

  it("are visited in the order of the document, around its ends", () => {
    expect(placeOf(["b.md", 2], 1)).toEqual(["b.md", 9]);
    expect(placeOf(["b.md", 9], 1)).toEqual(["a.md", 4]);
    expect(placeOf(["a.md", 4], 1)).toEqual(["b.md", 2]);
    expect(placeOf(["a.md", 4], -1)).toEqual(["b.md", 9]);
    expect(placeOf(["b.md", 2], -1)).toEqual(["a.md", 4]);
    expect(findingFrom([], sources, { file: "a.md", start: 0 }, 1)).toBeUndefined();
  });
});

describe("a thread that is asked", () => {
  const files = (text: string): readonly Source[] => [{ file: "a.md", text }];
  const start = () => {
    const asked: ThreadRequest<ComparedTexts>[] = [];
    const listeners: { message?: (event: { data: ThreadAnswer<TextComparison> }) => void; error?: () => void } = {};
    const thread: Thread<ComparedTexts, TextComparison> = {
      postMessage: (one) => void asked.push(one),
      addEventListener: (type: string, listener: never) => void Object.assign(listeners, { [type]: listener }),
      terminate: () => undefined,
    };
    let started = 0;
    const ask = createThreadCalls<ComparedTexts, TextComparison>(() => {
      started++;
      return thread;
    });
    const answer = () => {
      const one = asked.at(-1);
      if (one !== undefined) listeners.message?.({ data: { id: one.id, answer: sameTexts } });
    };
    const compare = (before: readonly Source[], after: readonly Source[], signal: AbortSignal) =>
      ask({ before, after }, signal);
    return { compare, asked, answer, fail: () => listeners.error?.(), started: () => started };
  };
  const never = new AbortController().signal;

  it("gets one question at a time, and no outdated one", async () => {
    const { compare, asked, answer } = start();
    const first = compare(files("1"), files("2"), never);
    const outdated = new AbortController();
    void compare(files("1"), files("3"), outdated.signal);
    const second = compare(files("1"), files("4"), never);
    outdated.abort();
    expect(asked.map(({ question }) => question.after[0]?.text)).toEqual(["2"]);
    answer();
    await first;
    expect(asked.map(({ question }) => question.after[0]?.text)).toEqual(["2", "4"]);
    answer();
    await second;
  });

  it("is replaced after it failed", async () => {
    const { compare, answer, fail, started } = start();
    const first = compare(files("1"), files("2"), never);
    fail();
    await expect(first).rejects.toThrow("the thread failed");
    const second = compare(files("1"), files("2"), never);
    answer();
    await second;
    expect(started()).toBe(2);
  });
});

describe("a comparison of texts", () => {
  const text = (read: string) => `# Desk

## 3. Entities

\`\`\`yaml
Thing: { fields: { name: { type: text } } }
\`\`\`

## 6. Roles and permissions

\`\`\`yaml
roles: { staff: { members: signed in }, owner: { members: granted } }
permissions:
  Thing:
    read: ${read}
\`\`\`
`;
  const compiled = (read: string) => compile([{ file: "a.md", text: text(read) }]);

  it("has the clauses of its lines as both texts have them", () => {
    const { behaviour, clauses } = compareCompiled(compiled("[owner]"), compiled("[staff]"), compile);
    expect(behaviour?.map(({ before, after }) => [before, after])).toContainEqual(["6.Thing.read", "6.Thing.read"]);
    expect(clauses.before["6.Thing.read"]).toMatchObject({ line: 15, text: "read: [owner]" });
    expect(clauses.after["6.Thing.read"]).toMatchObject({ line: 15, text: "read: [staff]" });
  });

  it("has the text of each of two rules with one error", () => {
    const rules = (first: string, second: string) =>
      compile([
        {
          file: "a.md",
          text: text("[owner]")
            .replace("name: { type: text }", "name: { type: text }, size: integer, depth: integer")
            .replace(
              "## 6.",
              `## 5. Rules\n\n\`\`\`yaml\nThing:\n  - { rule: "size > ${first}", else: BAD }\n  - { rule: "depth > ${second}", else: BAD }\n\`\`\`\n\n## 8. Errors\n\n\`\`\`yaml\nBAD: { status: 422, message: Bad }\n\`\`\`\n\n## 6.`,
            ),
        },
      ]);
    const { behaviour, clauses } = compareCompiled(rules("1", "1"), rules("2", "3"), compile);
    const texts = (of: "before" | "after") => behaviour?.map((line) => clauses[of][getClauseKey(line, of) ?? ""]?.text);
    expect(texts("before")).toEqual(['- { rule: "size > 1", else: BAD }', '- { rule: "depth > 1", else: BAD }']);
    expect(texts("after")).toEqual(['- { rule: "size > 2", else: BAD }', '- { rule: "depth > 3", else: BAD }']);
  });

  it("has the lines of a clause that differ, if it begins as before", () => {
    const screen = (columns: string) =>
      compile([
        {
          file: "a.md",
          text: text("[owner]")
            .replace("fields: {", "fields: { size: integer, depth: integer,")
            .replace("## 3.", `## 2. Screens\n\n\`\`\`yaml\n/things:\n  list: Thing\n${columns}\n\`\`\`\n\n## 3.`),
        },
      ]);
    const one = screen("  columns: [name, size]\n  sort: [size]");
    const changedIn = (later: string) => {
      const { clauses } = compareCompiled(one, screen(later), compile);
      return (["before", "after"] as const)
        .map((of) => clauses[of]["2./things"])
        .map((own) => [own?.text, own?.changed]);
    };
    expect(changedIn("  columns: [name, depth]\n  sort: [size]")).toEqual([
      ["/things:", "columns: [name, size]"],
      ["/things:", "columns: [name, depth]"],
    ]);
    expect(changedIn("  columns: [name, size]\n  sort: [size]\n  filters: [size]\n  title: Things here")).toEqual([
      ["/things:", undefined],
      ["/things:", "filters: [size]\ntitle: Things here"],
    ]);
    expect(changedIn("  columns:\n    - depth\n    - name\n    - size\n  sort: [depth]")[1]?.[1]?.split("\n")).toEqual([
      "columns:",
      "- depth",
      "- name",
      "…",
    ]);
  });

  it("has the lines of a new clause whose first one says nothing by itself", () => {
    const shelf = (fields: string, rules = "") =>
      compile([
        {
          file: "a.md",
          text: `# Shelf

## 3. Entities

\`\`\`yaml
Book:
  fields:
    pages: integer
    read: integer
${fields}\`\`\`
${rules === "" ? "" : `\n## 5. Rules\n\n\`\`\`yaml\nBook:\n${rules}\`\`\`\n\n## 8. Errors\n\n\`\`\`yaml\nTOO_MANY: { status: 422, message: Too many }\n\`\`\`\n`}`,
        },
      ]);
    const newLines = (after: ReturnType<typeof shelf>) => {
      const { behaviour, clauses } = compareCompiled(shelf(""), after, compile);
      const own = behaviour?.filter(({ point }) => point !== 7) ?? [];
      return [...new Set(own.map((line) => clauses.after[getClauseKey(line, "after") ?? ""]?.opening))].flatMap(
        (opening) => opening ?? [],
      );
    };
    const rule = (...lines: readonly string[]) => newLines(shelf("", lines.map((line) => `  ${line}\n`).join("")));
    expect(
      rule("- with:", '    left: "pages - read"', '  rule: "left < 900"', "  during: create", "  else: TOO_MANY"),
    ).toEqual(['- with:\nleft: "pages - read"\nrule: "left < 900"\nduring: create\nelse: TOO_MANY']);
    // The rule is one of the other lines of an item, wherever it stands.
    expect(rule("- else: TOO_MANY", "  rule: |", "    read <", "      900")).toEqual([
      "- else: TOO_MANY\nrule: |\nread <\n900",
    ]);
    expect(rule('- { rule: "read < 900", else: TOO_MANY }')).toEqual([]);
    expect(newLines(shelf("    rows:\n      type: integer\n      min: 1\n      max: 9\n      title: Lines\n"))).toEqual(
      ["rows:\ntype: integer\nmin: 1\nmax: 9\n…"],
    );
    expect(newLines(shelf("    rows: { type: integer, min: 1 }\n"))).toEqual([]);
  });

  it("has the lines of a rule that differ, also if they are not the first", () => {
    const rule = (...lines: readonly string[]) =>
      compile([
        {
          file: "a.md",
          text: text("[owner]")
            .replace("name: { type: text }", "name: { type: text }, size: integer")
            .replace(
              "## 6.",
              `## 5. Rules\n\n\`\`\`yaml\nThing:\n${lines.map((line) => `  ${line}\n`).join("")}\`\`\`\n\n## 8. Errors\n\n\`\`\`yaml\nBAD: { status: 422, message: Bad }\n\`\`\`\n\n## 6.`,
            ),
        },
      ]);
    const changedIn = (one: ReturnType<typeof rule>, other: ReturnType<typeof rule>) => {
      const { behaviour, clauses } = compareCompiled(one, other, compile);
      return (["before", "after"] as const).map((of) =>
        behaviour?.map((line) => clauses[of][getClauseKey(line, of) ?? ""]?.changed),
      );
    };
    const first = rule('- rule: "size > 1"', "  else: BAD");
    expect(changedIn(first, rule('- rule: "size > 2"', "  else: BAD"))).toEqual([
      ['- rule: "size > 1"'],
      ['- rule: "size > 2"'],
    ]);
    expect(changedIn(first, rule("- with:", '    half: "size - 2"', '  rule: "half > 1"', "  else: BAD"))).toEqual([
      ['- rule: "size > 1"'],
      ['- with:\nhalf: "size - 2"\nrule: "half > 1"'],
    ]);
  });

  it("has the lines that are new, if the other text has no such clause", () => {
    const read = (fields: string) => `\n      - owner\n      - role: staff\n        fields: [${fields}]`;
    const withSize = (fields: string) =>
      compile([{ file: "a.md", text: text(read(fields)).replace("fields: {", "fields: { size: integer,") }]);
    const { behaviour, clauses } = compareCompiled(withSize("name"), withSize("name, size"), compile);
    const gained = behaviour?.find(({ effect, point }) => point === 6 && effect === "allows");
    if (gained === undefined) throw new Error("nothing is allowed");
    expect(clauses.after[getClauseKey(gained, "after") ?? ""]).toMatchObject({
      text: "- role: staff",
      changed: "fields: [name, size]",
    });
  });

  it("has the translations that differ", () => {
    const german = (size: string) =>
      compile([
        {
          file: "a.md",
          text: text("[owner]").replace(
            "## 3.",
            `## 1. Purpose\n\n\`\`\`yaml\nname: Desk\ntranslations:\n  de:\n    Thing: Ding\n    Name: ${size}\n\`\`\`\n\n## 3.`,
          ),
        },
      ]);
    const { clauses } = compareCompiled(german("Name"), german("Bezeichnung"), compile);
    expect(clauses.before["1.translations.de"]?.changed).toBe("Name: Name");
    expect(clauses.after["1.translations.de"]?.changed).toBe("Name: Bezeichnung");
  });

  it("has no behaviour if a text has errors", () => {
    expect(compareCompiled(compiled("[owner]"), compiled("[nobody]"), compile).behaviour).toBeNull();
  });
});
