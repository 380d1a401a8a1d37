import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { diff } from "../../src/cli/change/diff.ts";
import { plan } from "../../src/cli/change/plan.ts";
import { formatPlan } from "../../src/cli/change/plan-text.ts";
import { readPlannedVersion } from "../../src/cli/change/planned-version.ts";
import { CommandFailed } from "../../src/cli/exit-codes.ts";
import { usage } from "../../src/cli/usage.ts";
import { buildPlan } from "../../src/core/change/plan.ts";

const folder = mkdtempSync(join(tmpdir(), "ninefold-plan-"));
const old = "examples/lending.md";

const edited = (name: string, before: string, after: string): string => {
  const text = readFileSync(old, "utf8");
  expect(text).toContain(before);
  const path = join(folder, name);
  writeFileSync(path, text.replace(before, after));
  return path;
};

/** Runs a command in this process. */
const run = async (command: (args: readonly string[]) => Promise<number>, ...args: readonly string[]) => {
  const written: string[] = [];
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0);
  const exit = await command(args).finally(() => write.mockRestore());
  return { exit, stdout: written.join("") };
};

test("nothing changes: 0", async () => {
  expect(await run(diff, old, old)).toEqual({ exit: 0, stdout: `${old} → ${old}: no change.\n` });
});

test("something changes: 10, with the place of the clause", async () => {
  const now = edited("more.md", "page_size: 50", "page_size: 60");
  const { exit, stdout } = await run(plan, now, "--against", old);
  expect(exit).toBe(10);
  expect(stdout).toContain("9 Constants\n  ~ The constant page_size is now 60 instead of 50.\n");
  expect(stdout).toMatch(/before 9\.page_size \(line \d+\), now 9\.page_size \(line \d+\)/u);
  expect(stdout).toMatch(/: 1 change in behaviour\.\n$/u);
});

test("only the data changes: the last line says so", async () => {
  const version = await readPlannedVersion(old);
  const lastLine = (steps: readonly string[], says: readonly string[]) =>
    formatPlan(
      buildPlan(version, version, { steps, refused: says.map((one) => ({ clause: "3.Thing", says: one })) }),
      version,
      version,
      false,
    )
      .trimEnd()
      .split("\n")
      .at(-1);
  expect(lastLine(["A column is dropped."], [])).toBe(`${old} → ${old}: 1 change in the data.`);
  expect(lastLine([], ["2 records have no value."])).toBe(`${old} → ${old}: the data does not fit.`);
});

test("something is lost: 11, with an example, and the plan as a file", async () => {
  const now = edited("less.md", 'when: "borrower == user" }]', 'when: "borrower == user && status == asked" }]');
  const out = join(folder, "plan.json");
  const { exit, stdout } = await run(plan, now, "--against", old, "--json", "--out", out);
  expect(exit).toBe(11);
  expect(readFileSync(out, "utf8")).toBe(stdout);
  expect(JSON.parse(stdout)).toMatchObject({
    format: 1,
    before: { file: old, hash: expect.stringMatching(/^[0-9a-f]{64}$/u) },
    after: { file: now },
    behaviour: ["Loan.read", "Comment.read", "Comment.create"].map((subject) => ({
      ...{ point: 6, subject, loses: "access", witness: { role: "member" } },
    })),
    data: null,
  });
  expect((await run(diff, old, now)).stdout).toContain("For example: with the role member, where borrower is user");
});

test("a document with an error is not compared", async () => {
  const now = edited("wrong.md", "due_day:  date", "due_day:  dates");
  await expect(run(diff, old, now)).rejects.toMatchObject({ exit: 1 });
});

test("a command that is not understood ends with its usage", async () => {
  for (const [command, args] of [
    [plan, []],
    [plan, [old]],
    [diff, [old]],
  ] as const)
    await expect(run(command, ...args)).rejects.toThrow(CommandFailed);
  await expect(run(plan, old)).rejects.toMatchObject({ exit: 2 });
  await expect(run(plan, old, "--against", old, "--data", folder)).rejects.toMatchObject({
    exit: 2,
    hint: usage.plan,
  });
});
