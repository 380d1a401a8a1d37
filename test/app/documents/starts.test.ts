import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import { packSources } from "../../../src/core/document/sources.ts";
import type { Source } from "../../../src/core/source-text.ts";
import { type ApplyChanges, chooseVersion, NothingToRun } from "../../../src/server/proposals/start-version.ts";
import { openVersion } from "../../../src/server/serving/open-document.ts";
import { database, type TestDatabase } from "../../postgres.ts";
import { failed, ninefold, scratch, startProgram } from "../program.ts";

/** Files at a start that differ from the live version. */

const desk = (fields: string, read = "[member]") => `# Desk

## 3. Entities and their fields
\`\`\`yaml
Note: { fields: { text: text${fields} } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { Note: { read: ${read}, create: [member] } }
\`\`\`
`;

let store: TestDatabase;
const stores: TestDatabase[] = [];
beforeEach(async () => {
  store = await database();
  stores.push(store);
});
afterAll(() => Promise.all(stores.map((one) => one.end())));

/** Starts with these files and stops: the version that ran, and what became of the files. */
const start = async (input: string | readonly Source[], policy: ApplyChanges = "additions", file = "desk.md") => {
  const compiled = compile(typeof input === "string" ? { file, text: input } : input);
  const opened = await openVersion((owner) => chooseVersion(owner, compiled, policy), {
    owner: store.url,
    app: store.appUrl,
  });
  await opened.close();
  return { version: opened.applied.version, change: opened.change, runs: opened.compiled.source.text };
};

const proposals = async () =>
  (await store.query("select number, source, base, state, hash, revision, text from ninefold.proposal order by number"))
    .rows;

describe("a file that differs from the live version at a start", () => {
  test("is published if it only adds something", async () => {
    await start(desk(""));
    expect(await start(desk(", due: date?"))).toMatchObject({ version: 2, change: { kind: "applied" } });
    expect(await start(desk(", due: date?", "[member, administrator]"))).toMatchObject({ version: 3 });
    expect(await proposals()).toEqual([]);
  });

  test("is a proposal if people or data lose something, and the live version runs", async () => {
    await start(desk(", due: date?"));
    const { version, change, runs } = await start(desk(""));
    expect([version, runs]).toEqual([1, desk(", due: date?")]);
    expect(change).toMatchObject({ kind: "proposed", proposal: 1, live: 1 });
    expect(change?.kind === "proposed" && change.plan?.behaviour[0]).toMatchObject({ loses: "data" });
    const closed = await start(desk(", due: date?", "none"));
    expect(closed.change?.kind === "proposed" && closed.change.plan?.behaviour[0]).toMatchObject({ loses: "access" });
    expect((await store.query("select count(*)::int as count from ninefold.retired")).rows).toEqual([{ count: 0 }]);
  });

  test("is a proposal if a rule forbids more, or if stored data does not fit", async () => {
    const rule = "\n## 5. Rules\n```yaml\nNote: [{ check: text != 'no' }]\n```\n";
    await start(desk(""));
    await store.query(
      `insert into app.note (id, text, created_at, updated_at) values (gen_random_uuid(), 'first', now(), now())`,
    );
    expect((await start(desk("") + rule)).change).toMatchObject({ kind: "proposed" });
    const { change } = await start(desk(", due: date"));
    expect(change).toMatchObject({ kind: "proposed", plan: { data: { refused: [{ clause: "3.Note.due" }] } } });
  });

  test("is one proposal, however often and by however many servers it is started", async () => {
    await start(desk(", due: date?"));
    await Promise.all([start(desk("")), start(desk("")), start(desk(""))]);
    expect(await proposals()).toMatchObject([{ number: 1, source: "file", base: 1, state: "open", revision: 1 }]);
    await start(desk(", size: integer?"));
    expect(await proposals()).toMatchObject([{ number: 1, revision: 2, text: desk(", size: integer?") }]);
    const events = await store.query("select kind, revision, text from ninefold.proposal_event order by id");
    expect(events.rows).toEqual([
      { kind: "proposed", revision: 1, text: desk("") },
      { kind: "changed", revision: 2, text: desk(", size: integer?") },
    ]);
  });

  test("with errors is a proposal too, and ends the start if there is no version", async () => {
    const broken = desk("").replace("text: text", "text: txet");
    await expect(start(broken)).rejects.toThrow(NothingToRun);
    await start(desk(""));
    expect(await start(broken)).toMatchObject({ version: 1, change: { kind: "proposed", proposal: 1, plan: null } });
  });

  test("that is an earlier version is neither published nor a proposal", async () => {
    await start(desk(""));
    await start(desk(", due: date?"));
    expect(await start(desk(""))).toMatchObject({ version: 2, change: { kind: "earlier", version: 1, live: 2 } });
    expect(await start(desk(", due: date?"))).toMatchObject({ version: 2, change: null });
    expect(await proposals()).toEqual([]);
  });

  test("does not undo the files of other servers", async () => {
    const [one, other] = [desk(", a: text?"), desk(", b: text?")];
    const first = await Promise.all([start(one, "additions", "one.md"), start(other, "additions", "other.md")]);
    expect(first.map(({ version }) => version)).toEqual([1, 1]);
    for (let i = 0; i < 2; i++)
      expect(
        (await Promise.all([start(one, "additions", "one.md"), start(other, "additions", "other.md")])).map(
          ({ version }) => version,
        ),
      ).toEqual([1, 1]);
    expect(await proposals()).toHaveLength(1);
  });

  test("is always or never published with an option", async () => {
    await start(desk(""), "never");
    expect(await start(desk(", due: date?"), "never")).toMatchObject({ version: 1, change: { kind: "proposed" } });
    expect(await start(desk(", due: date?"), "always")).toMatchObject({ version: 2, change: { kind: "published" } });
    expect(await start(desk(""), "always")).toMatchObject({ version: 3, change: { kind: "published" } });
  });

  test("is never published if changes need approval, and an operator’s override is logged", async () => {
    const strict = (fields: string) =>
      desk(fields).replace("permissions:", "changes: { another person: true }\npermissions:");
    await start(strict(""));
    for (const policy of ["additions", "always"] as const)
      expect(await start(strict(", due: date?"), policy)).toMatchObject({
        version: 1,
        change: { kind: "proposed", proposal: 1, needsApproval: true },
      });
    const file = join(await scratch(), "desk.md");
    await writeFile(file, strict(", due: date?"));
    const refused = failed(await ninefold(["apply", file, "--database", store.url]));
    expect([refused.exit, refused.messages[0]]).toEqual([
      6,
      "Changes to this specification need approval. Nothing was changed.",
    ]);
    const applied = ["apply", file, "--database", store.url, "--without-approval", "--note", "Urgent"];
    expect((await ninefold(applied)).exit).toBe(0);
    expect(failed(await ninefold(["restore-version", "1", "--database", store.url])).exit).toBe(6);
    const { stdout } = await ninefold(["versions", "--database", store.url]);
    expect(stdout).toContain("Published by an operator without approval. Urgent");
  });

  test("can have another name, and several files are one proposal", async () => {
    await start(desk(""), "additions", "desk.md");
    expect(await start(desk(""), "additions", "renamed.md")).toMatchObject({ version: 1, change: null });
    const files = ["desk/a.md", "desk/b.md"].map((file, i) => ({
      file,
      text: i === 0 ? "# Desk\n" : "## 3. Entities\n",
    }));
    expect((await start(files)).change).toMatchObject({ kind: "proposed", proposal: 1 });
    expect(await proposals()).toMatchObject([{ text: packSources(files).text }]);
  });

  test("is not stored if it is longer than the maximum of a proposal", async () => {
    await start(desk(", due: date?"));
    const { version, change } = await start(`${desk("")}\n${"Much prose. ".repeat(100_000)}`);
    expect([version, change]).toMatchObject([1, { kind: "proposed", proposal: null }]);
    expect(await proposals()).toEqual([]);
  });
});

test("is left unchanged, and the program says what to do, in words and in the log", async () => {
  const file = join(await scratch(), "desk.md");
  await writeFile(file, desk(", due: date?"));
  const first = await startProgram({ file, database: store.url });
  await first.stop();
  await writeFile(file, desk(""));
  const second = await startProgram({ file, database: store.url });
  for (const text of [
    `${file} differs from version 1, and was not published, because it does more than add something:`,
    "[retires data]",
    "Version 1 keeps running. The file is stored as proposal 1.",
    `dist/cli/main.js plan ${file} --database URL”`,
    `dist/cli/main.js apply ${file} --database URL”, or start with --apply-changes always.`,
  ])
    expect(second.output()).toContain(text);
  const logged = second
    .output()
    .split("\n")
    .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as Record<string, unknown>] : []));
  expect(logged).toContainEqual(
    expect.objectContaining({
      proposal: 1,
      inForce: 1,
      planned: expect.objectContaining({
        behaviour: expect.arrayContaining([expect.objectContaining({ loses: "data" })]),
      }),
    }),
  );
  expect((await ninefold(["apply", file, "--database", store.url])).exit).toBe(0);
  for (const end = Date.now() + 80_000; ; ) {
    const { body } = await second.visitor().get("/readyz");
    if ((body as { version?: number }).version === 2) break;
    if (Date.now() > end) throw new Error(second.output());
  }
  expect(await readFile(file, "utf8")).toBe(desk(""));
  await second.stop();
  await writeFile(file, "# Desk\n\n## 3. Entities\n```yaml\nNote: [\n```\n");
  const third = await startProgram({ file, database: store.url });
  expect(third.output()).toContain("has errors, so version 2 keeps running. The file is stored as proposal 2.");
  await third.stop();
  const always = ["run", file, "--database", store.url, "--port", "0", "--apply-changes", "always"];
  expect(failed(await ninefold(always)).exit).toBe(1);
  const unknown = failed(await ninefold(["run", file], { env: { NINEFOLD_APPLY_CHANGES: "often" } }));
  expect([unknown.exit, unknown.messages[0]]).toEqual([
    2,
    "NINEFOLD_APPLY_CHANGES is “often”. Write always, additions or never.",
  ]);
});
