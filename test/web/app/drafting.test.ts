import { describe, expect, it } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import { addMember } from "../../../src/core/document/definition-text.ts";
import type { DocumentJson } from "../../../src/core/wire/authoring/document.ts";
import type { ProposalTextJson } from "../../../src/core/wire/authoring/proposals.ts";
import { createDraftSession, decide } from "../../../src/web/workbench/draft/draft-session.ts";
import { countChangedLines } from "../../../src/web/workbench/draft/lines-changed.ts";

const text = "# Desk\n\n## 3. Entities\n\nNot shown. No entities are shown.\n\n## 9. Limits\n\nNot shown.\n";
const inForce: DocumentJson = { version: 1, hash: "h1", files: [{ file: "desk.md", text }], fixed: null };

const shelfOf = () => {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
    keys: () => [...kept.keys()],
  };
};

describe("a draft of the document", () => {
  it("shows text as it is typed", () => {
    const drafting = createDraftSession(inForce, shelfOf);
    drafting.change("desk.md", text.replace("## 9.", "## 8."));
    expect(drafting.store.get()).toMatchObject({ changed: true });
    expect(drafting.store.get().files[0]?.text).toContain("## 8.");
  });

  it("is stored on the device with the text it is based on", () => {
    const shelf = shelfOf();
    createDraftSession(inForce, () => shelf).change("desk.md", `${text}More.\n`);
    expect(createDraftSession(inForce, () => shelf).store.get()).toMatchObject({ changed: true, newer: null });
    const later = {
      ...inForce,
      version: 2,
      hash: "h2",
      files: [{ file: "desk.md", text: `# Office\n${text.slice(7)}` }],
    };
    const drafting = createDraftSession(later, () => shelf);
    expect(drafting.store.get()).toMatchObject({ changed: true, newer: later, inForce });
    expect(drafting.update()).toBe(0);
    expect(drafting.store.get()).toMatchObject({ changed: true, newer: null, inForce: later });
    expect(drafting.store.get().files[0]?.text).toBe(`# Office\n${text.slice(7)}More.\n`);
  });

  it("knows its previews until it is discarded", () => {
    const shelf = shelfOf();
    const drafting = createDraftSession(inForce, () => shelf);
    drafting.change("desk.md", `${text}More.\n`);
    drafting.addPreview("p1");
    drafting.change("desk.md", `${text}More of it.\n`);
    expect(createDraftSession(inForce, () => shelf).store.get().previews).toEqual(["p1"]);
    const undo = drafting.discard();
    expect(drafting.store.get().previews).toEqual([]);
    undo();
    expect(drafting.store.get().previews).toEqual(["p1"]);
  });

  it("stores as much as changed, once it has stored the text that it is based on", () => {
    const shelf = shelfOf();
    const written: string[] = [];
    const watched = {
      ...shelf,
      setItem: (key: string, value: string) => {
        written.push(value);
        shelf.setItem(key, value);
      },
    };
    const long = { ...inForce, files: [{ file: "desk.md", text: text + "A line.\n".repeat(1_000) }] };
    const drafting = createDraftSession(long, () => watched);
    const [before = ""] = long.files.map((file) => file.text);
    drafting.change("desk.md", before.replace("Desk", "Office"));
    drafting.change("desk.md", before.replace("Desk", "Offices"));
    expect(written.map(({ length }) => length < 200)).toEqual([false, true, true]);
    expect(createDraftSession(long, () => shelf).store.get().files).toEqual([
      { file: "desk.md", text: before.replace("Desk", "Offices") },
    ]);
    // Another tab works on another version, and this one continues.
    const other = createDraftSession({ ...inForce, hash: "h9" }, () => shelf);
    other.discard();
    other.change("desk.md", "Other.\n");
    drafting.change("desk.md", before.replace("Desk", "Store"));
    const later = { ...inForce, version: 2, hash: "h2" };
    expect(createDraftSession(later, () => shelf).store.get()).toMatchObject({ inForce: long, newer: later });
    drafting.discard();
    expect(shelf.keys()).toEqual([]);
  });

  it("is read as an earlier release stored it", () => {
    const shelf = shelfOf();
    const draft = {
      base: "h0",
      files: [{ file: "desk.md", text: "Mine.\n" }],
      from: { version: 0, files: inForce.files },
    };
    shelf.setItem("ninefold draft of the document", JSON.stringify(draft));
    expect(createDraftSession(inForce, () => shelf).store.get()).toMatchObject({
      files: draft.files,
      inForce: { version: 0, hash: "h0" },
      newer: inForce,
    });
  });

  it("can begin with an earlier version, and brings back the draft that this replaced", () => {
    const drafting = createDraftSession(inForce, shelfOf);
    const live: DocumentJson = { ...inForce, version: 3, hash: "h3", files: [{ file: "desk.md", text: `${text}3\n` }] };
    expect(drafting.restore(inForce.files, live)).toBeNull();
    expect(drafting.store.get()).toMatchObject({ changed: true, newer: null, inForce: live, files: inForce.files });
    drafting.change("desk.md", `${text}mine\n`);
    const undo = drafting.restore(inForce.files, live);
    expect(drafting.store.get().files).toEqual(inForce.files);
    undo?.();
    expect(drafting.store.get().files[0]?.text).toBe(`${text}mine\n`);
  });

  it("stays when somebody else publishes, and can be discarded for the live version", () => {
    const drafting = createDraftSession(inForce, shelfOf);
    const later = (version: number): DocumentJson => ({
      ...inForce,
      version,
      hash: `h${version}`,
      files: [{ file: "desk.md", text: `${text}${version}\n` }],
    });
    const [second, third] = [later(2), later(3)];
    drafting.follow(second);
    expect(drafting.store.get()).toMatchObject({ inForce: second, changed: false, files: second.files });
    drafting.change("desk.md", `Mine.\n${text}`);
    drafting.follow(third);
    expect(drafting.store.get()).toMatchObject({ inForce: second, newer: third, changed: true });
    const bringBack = drafting.discard();
    expect(drafting.store.get()).toMatchObject({ inForce: third, newer: null, changed: false });
    bringBack();
    expect(drafting.store.get()).toMatchObject({ inForce: second, newer: third, changed: true });
  });

  it("becomes the live version when published, and later edits are based on it", () => {
    const drafting = createDraftSession(inForce, shelfOf);
    drafting.change("desk.md", `${text}Mine.\n`);
    drafting.markPublished({ version: 2, hash: "h2" });
    expect(drafting.store.get()).toMatchObject({ changed: false, inForce: { version: 2, hash: "h2" } });
    drafting.change("desk.md", `${text}Mine.\nMore.\n`);
    drafting.follow({ ...inForce, version: 2, hash: "h2", files: [{ file: "desk.md", text: `${text}Mine.\n` }] });
    expect(drafting.store.get()).toMatchObject({ changed: true, newer: null });
    // A job published the text of the draft.
    drafting.follow({ ...inForce, version: 3, hash: "h3", files: drafting.store.get().files });
    expect(drafting.store.get()).toMatchObject({ changed: false, newer: null, inForce: { version: 3 } });
  });

  it("ends when it is discarded, and when it equals the live version", () => {
    const shelf = shelfOf();
    const drafting = createDraftSession(inForce, () => shelf);
    drafting.change("desk.md", "x");
    drafting.discard();
    expect(createDraftSession(inForce, () => shelf).store.get()).toMatchObject({ changed: false });
  });

  it("can be the text of a proposal, remembers which, and gives back the draft that it replaced", () => {
    const shelf = shelfOf();
    const drafting = createDraftSession(inForce, () => shelf);
    const proposed = { file: "desk.md", text: `${text}Proposed.\n` };
    const proposal = {
      number: 7,
      revision: 2,
      note: "Why",
      base: 1,
      state: "open",
      before: inForce.files,
      files: [proposed],
    } as unknown as ProposalTextJson;
    expect(drafting.open(proposal, inForce)).toBeNull();
    expect(drafting.store.get()).toMatchObject({ changed: true, newer: null, files: [proposed] });
    drafting.change("desk.md", `${proposed.text}More.\n`);
    expect(createDraftSession(inForce, () => shelf).store.get().proposal).toEqual({
      number: 7,
      revision: 2,
      note: "Why",
    });
    // One that began from an earlier version waits for the newer one, and stays the text of the proposal.
    const later = { ...inForce, version: 2, hash: "h2", files: [{ file: "desk.md", text: `First.\n${text}` }] };
    const bringBack = drafting.open({ ...proposal, state: "outdated" }, later);
    expect(drafting.store.get()).toMatchObject({ inForce: { version: 1 }, newer: later });
    expect(drafting.update()).toBe(0);
    expect(drafting.store.get()).toMatchObject({
      inForce: later,
      newer: null,
      files: [{ text: `First.\n${proposed.text}` }],
      proposal: { number: 7 },
    });
    bringBack?.();
    expect(drafting.store.get()).toMatchObject({ inForce, files: [{ text: `${proposed.text}More.\n` }] });
    drafting.discard();
    expect(drafting.store.get().proposal).toBeNull();
  });

  it("counts the lines that differ", () => {
    const count = (changed: string) => countChangedLines(inForce.files, [{ file: "desk.md", text: changed }]);
    expect(count(text)).toBe(0);
    expect(count(text.replace("Not shown. No", "Shown.\nNo"))).toBe(2);
    expect(count(text.replace("## 9. Limits\n\n", ""))).toBe(2);
    // Lines between two changes are not counted.
    const lines = text.split("\n");
    expect(count(lines.with(1, "first").with(-2, "last").join("\n"))).toBe(2);
  });
});

describe("an undecided transition", () => {
  const desk = (transitions: string) => `# Desk

## 3. Entities
\`\`\`yaml
Idea: { fields: { text: text } }
\`\`\`
## 4. States
\`\`\`yaml
Idea:
  states: [new, taken]
  transitions:${transitions}
\`\`\`
## 6. Permissions
\`\`\`yaml
roles: { staff: { members: signed in } }
permissions: { Idea: { read: [staff] } }
\`\`\`
`;
  const answered = (whole: string): string => {
    const span = compile({ file: "desk.md", text: whole }).model?.entities.get("Idea")?.states?.transitions.get("take")
      ?.clause.span;
    return addMember(whole, span?.start ?? 0, "by: staff") ?? "";
  };

  it.each([
    [
      "in braces",
      "\n    take: { from: new, to: taken }\n    drop: { from: taken, to: new }",
      "    take: { from: new, to: taken, by: staff }\n",
    ],
    [
      "in braces with a list",
      '\n    take: { from: [new], set: { text: "text" }, to: taken }',
      '    take: { from: [new], set: { text: "text" }, to: taken, by: staff }',
    ],
    [
      "in lines",
      "\n    take: # soon\n      from: new\n      to: taken",
      "    take: # soon\n      by: staff\n      from: new\n",
    ],
    [
      "among others on one line",
      " { take: { from: new, to: taken }, drop: { from: taken, to: new } }",
      "{ take: { from: new, to: taken, by: staff }, drop:",
    ],
  ])("is decided by one click, %s", (_, transitions, expected) => {
    const whole = answered(desk(transitions));
    expect(whole).toContain(expected);
    const { model } = compile({ file: "desk.md", text: whole });
    expect(model?.entities.get("Idea")?.states?.transitions.get("take")?.by).toEqual(["staff"]);
  });
});

describe("a decision is inserted at its place in the document", () => {
  const entities =
    "# Desk\n\n## 3. Entities\n```yaml\nIdea: { fields: { text: text, owner: { type: User, set: user } } }\nBox: { fields: { name: text } }\n```\n";
  const decided = (point6: string, what: string, writes: string): string | undefined =>
    decide([{ file: "desk.md", text: entities + point6 }], { do: what, writes }, (files) => compile(files))?.[0]?.text;
  const roles = "roles: { staff: { members: signed in } }\n";
  const block = (yaml: string) => `## 6. Permissions\n\`\`\`yaml\n${yaml}\`\`\`\n\n## 9. Limits\nNot shown.\n`;

  it.each([
    [
      "beside what is said of it, in braces",
      block(`${roles}permissions: { Idea: { read: [staff] } }\n`),
      "Idea.delete",
      "delete: [staff]",
      "permissions: { Idea: { read: [staff], delete: [staff] } }",
    ],
    [
      "beside what is said of it, in lines",
      block(`${roles}permissions:\n  Idea:\n    read: [staff]\n`),
      "Idea.update",
      'update: [{ role: staff, when: "owner == user", fields: [text] }]',
      '  Idea:\n    update: [{ role: staff, when: "owner == user", fields: [text] }]\n    read: [staff]\n',
    ],
    [
      "before another entity, in braces",
      block(`${roles}permissions: { Idea: { read: [staff] } }\n`),
      "Box.read",
      "read: [staff]",
      "permissions: { Box: { read: [staff] }, Idea: { read: [staff] } }",
    ],
    [
      "before another entity, in lines",
      block(`${roles}permissions:\n  Idea:\n    read: [staff]\n`),
      "Box.read",
      "read: [staff]",
      "permissions:\n  Box: { read: [staff] }\n  Idea:\n",
    ],
    [
      "where nothing is permitted yet",
      block(roles),
      "Box.read",
      "read: [staff]",
      `${roles}permissions:\n  Box: { read: [staff] }\n\`\`\`\n\n## 9.`,
    ],
    [
      "where point 6 has no block",
      "## 6. Permissions\nNot shown.\n\n## 9. Limits\nNot shown.\n",
      "Box.read",
      "read: [administrator]",
      "Not shown.\n\n```yaml\npermissions:\n  Box: { read: [administrator] }\n```\n\n## 9.",
    ],
    [
      "where there is no point 6",
      "",
      "Box.read",
      "read: [administrator]",
      "## 6. Roles and permissions\n\n```yaml\npermissions:\n  Box: { read: [administrator] }\n```\n",
    ],
  ])("%s", (_, point6, what, writes, wanted) => {
    const after = decided(point6, what, writes);
    expect(after).toContain(wanted);
    expect(
      compile({ file: "desk.md", text: after ?? "" }).findings.filter(({ severity }) => severity === "error"),
    ).toEqual([]);
  });

  it("or must be written by hand if an insertion would not decide it", () => {
    expect(
      decided(block(`${roles}permissions: { Idea: { read: [staff] } }\n`), "Idea.delete", "read: [staff]"),
    ).toBeUndefined();
    expect(decided(block(roles), "Nothing.read", "read: [staff]")).toBeUndefined();
  });
});
