import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";
import { writeEmptyDocument } from "../../src/core/draft/empty-document.ts";
import {
  findChoices,
  suggestActions,
  writeEntity,
  writeList,
  writePurpose,
  writeRoles,
  writeStates,
} from "../../src/core/draft/write-step.ts";

const check = (text: string) => {
  const { model, findings, open } = compile([{ file: "keys.md", text }]);
  expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
  return { model, open: open.map(({ point }) => point) };
};

test("from an empty document, each step writes a block that runs", () => {
  let text = writeEmptyDocument("New application");
  expect(check(text).open).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  const step = (written: { readonly text: string; readonly from: number; readonly to: number }) => {
    ({ text } = written);
    return { ...check(text), block: text.slice(written.from, written.to) };
  };

  const purpose = step(writePurpose(text, { name: "Key “cabinet”", about: "Who has which key" }));
  expect(purpose.block).toBe("Who has which key.");
  expect(purpose.model?.name).toBe("Key “cabinet”");
  expect(purpose.open).not.toContain(1);

  const entity = writeEntity(text, { name: "keys", fields: "Number\ndoor\nlent: boolean\n\ndue: date?" });
  expect(entity.entity).toBe("Key");
  const stored = step(entity);
  expect([...(stored.model?.entities.get("Key")?.fields.keys() ?? [])]).toEqual(
    expect.arrayContaining(["number", "door", "lent", "due"]),
  );
  expect(stored.open).not.toContain(3);

  const list = step(writeList(text, { entity: "Key", path: "keys", columns: ["number", "door"] }));
  expect(list.model?.screens.map(({ path }) => path)).toContain("/keys");

  const roles = step(writeRoles(text, { reader: "Staff", writer: "Key keeper", entities: ["Key"] }));
  expect([...(roles.model?.roles.keys() ?? [])]).toEqual(expect.arrayContaining(["staff", "key_keeper"]));
  expect(roles.open).not.toContain(6);

  const states = step(
    writeStates(text, { entity: "Key", field: "", states: "in, out, lost", actions: "lend", role: "key_keeper" }),
  );
  expect([...(states.model?.entities.get("Key")?.states?.transitions.keys() ?? [])]).toEqual(["lend", "mark_as_lost"]);
  expect(states.open).toEqual([5, 7, 8, 9]);
});

test("a step keeps what a point says already, and adds a heading that is missing", () => {
  const keys = "# Desk\n\n## 3. Entities\n\nThings that we lend.\n\n```yaml\nKey: { fields: { door: text } }\n```\n";
  const { text } = writeEntity(keys, { name: "Loan", fields: "day: date\nkey: Key" });
  expect(text).toContain("Things that we lend.");
  expect([...(check(text).model?.entities.keys() ?? [])]).toEqual(expect.arrayContaining(["Key", "Loan"]));
  const listed = writeList(text, { entity: "Loan", path: "loans", columns: ["day"] });
  expect(listed.text).toContain("# Desk\n\n## 2. Screens and routes\n\n```yaml\n/loans:");
  expect(listed.text).toContain("```\n\n## 3. Entities\n\nThings that we lend.\n");
  expect(listed.text.indexOf("## 2.")).toBeLessThan(listed.text.indexOf("## 3."));
  expect(check(listed.text).model?.screens.map(({ path }) => path)).toContain("/loans");
  expect(
    check(writeRoles(listed.text, { reader: "staff", writer: "staff", entities: ["Key"] }).text).model?.roles.size,
  ).toBe(2);
});

test("the tutorial shows what a step writes", () => {
  const tutorial = readFileSync(new URL("../../docs/tutorial.md", import.meta.url), "utf8");
  const { text, from, to } = writeEntity(writeEmptyDocument("Keys"), {
    name: "key",
    fields: "number\ndoor\nlent: boolean",
  });
  const indented = text.slice(from, to).replaceAll(/^/gmu, "  ");
  expect(tutorial).toContain(`\`\`\`yaml\n${indented}\n  \`\`\``);
});

test("a choice becomes the state, and another field keeps its name", () => {
  const drafted = `# Desk

## 3. Entities and their fields

\`\`\`yaml
Repair:
  fields:
    no: integer
    status: { type: choice, values: [done, open], source: "2 different values" }
    kind: { type: choice?, values: [oil, noise] }
    how: { type: choice, title: "How (often)", values: [once, "no"], source: "2 different values" }
Other:
  fields:
    size: { type: choice, values: [small, large] }
\`\`\`
`;
  expect([...findChoices(drafted, "Repair")]).toEqual([
    ["status", ["done", "open"]],
    ["kind", ["oil", "noise"]],
    ["how", ["once", "no"]],
  ]);
  const optional = writeStates(drafted, {
    entity: "Repair",
    field: "kind",
    states: "noise, oil",
    actions: "",
    role: "administrator",
  });
  expect(check(optional.text).model?.entities.get("Repair")?.states).toMatchObject({ field: "kind", initial: "noise" });
  const rest = { entity: "Repair", states: "open, done", actions: "finish", role: "administrator" };
  const turned = check(writeStates(drafted, { ...rest, field: "status" }).text);
  expect(turned.model?.entities.get("Repair")?.states).toMatchObject({ field: "status", initial: "open" });
  const titled = writeStates(drafted, { ...rest, states: "once, no", field: "how" }).text;
  expect(titled).toContain('field: { how: { title: "How (often)" } }');
  expect(check(titled).model?.entities.get("Repair")?.fields.get("how")?.title).toBe("How (often)");
  const beside = check(writeStates(drafted, { ...rest, field: "" }).text);
  expect(beside.model?.entities.get("Repair")?.states?.field).toBe("status_2");
});

test("actions are named so that a button reads well, whatever the state is called", () => {
  expect(suggestActions("open, in_repair, handed back, 4x4")).toBe(
    "mark_as_in_repair, mark_as_handed_back, mark_as_4x4",
  );
  expect(suggestActions("open")).toBe("");
});
