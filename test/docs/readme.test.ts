import { expect, test } from "vitest";
import { program } from "../../src/cli/program.ts";
import { usage } from "../../src/cli/usage.ts";
import { compile } from "../../src/core/compile.ts";
import { serveText } from "../app/program.ts";
import { examplesOf, told } from "./examples.ts";
import { fencesOf, filesIn, textOf } from "./pages.ts";

const page = textOf("README.md");
const [keys] = examplesOf(fencesOf(page));

test("the document of the README has ten lines and no findings", () => {
  if (keys === undefined) throw new Error("the README shows no document");
  expect(keys.document.split("\n")).toHaveLength(10);
  expect(keys.found, told(keys)).toEqual([]);
  expect(keys.compiled.open.map((openPoint) => openPoint.point)).toEqual([1, 2, 4, 5, 6, 7, 8, 9]);
});

test("it runs as the README says: a table, calls, and only administrators", async () => {
  const desk = await serveText(keys?.document ?? "");
  const somebody = await desk.person("Somebody");
  const administrator = await desk.person("Administrator", ["administrator"]);
  const key = { number: "A-12", door: "Workshop", lent: false };
  expect((await desk.visitor().get("/api/keys")).status).toBe(401);
  expect((await somebody.get("/api/keys")).problem()).toMatchObject({ status: 403, clause: "ADMINISTRATORS_ONLY" });
  const created = (await administrator.post("/api/keys", key)).record();
  expect(created).toMatchObject(key);
  expect((await administrator.post("/api/keys", key)).problem()).toMatchObject({ status: 409, code: "TAKEN" });
  expect((await administrator.patch(`/api/keys/${created.id}`, { lent: true })).record()).toMatchObject({ lent: true });
  expect((await administrator.get("/api/keys")).list().items).toHaveLength(1);
  expect((await administrator.get(`/api/keys/${created.id}/history`)).history()).toHaveLength(2);
  expect((await administrator.delete(`/api/keys/${created.id}`)).status).toBe(204);
  expect((await administrator.get("/_/open-points")).body).toMatchObject({ findings: [] });
});

test("the founding document leaves all nine points open, and compiles without findings", () => {
  const { model, findings, open } = compile({ file: "founding.md", text: textOf("examples/founding.md") });
  expect(findings).toEqual([]);
  expect([...new Set(open.map((openPoint) => openPoint.point))]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect([...(model?.entities.keys() ?? [])]).toEqual(["User"]);
  expect(model?.screens).toEqual([]);
});

test("the list of examples is complete, and each example runs", () => {
  for (const file of filesIn("examples", ".md")) {
    if (file.endsWith("/README.md")) continue;
    expect(page.includes(`(${file})`), file).toBe(true);
    const { model, findings } = compile({ file, text: textOf(file) });
    expect(model, file).toBeDefined();
    expect(
      findings.map((finding) => finding.code),
      file,
    ).toEqual([]);
  }
});

test("the README fits two screens", () => {
  expect(page.split("\n").length).toBeLessThanOrEqual(90);
});

test("the page of the command line has every command with its options", () => {
  const commands = textOf("docs/command-line.md");
  for (const calls of Object.values(usage)) {
    const words = calls.replaceAll(program, "ninefold").match(/ninefold [a-z]+(?: [a-z]+)?|--[a-z-]+/gu) ?? [];
    expect(words.length, calls).toBeGreaterThan(0);
    expect(
      words.filter((word) => !commands.includes(word)),
      calls,
    ).toEqual([]);
  }
});
