import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build, type Rollup } from "vite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const project = mkdtempSync(join(tmpdir(), "ninefold-language-"));
const added = join(project, "src/core/i18n/xx");

/** Copies German, with a mark before each text: a language that exists nowhere else. */
const writePseudoLanguage = (): void => {
  cpSync(join(root, "src/core/i18n/de"), added, { recursive: true });
  for (const name of readdirSync(added, { recursive: true, encoding: "utf8" })) {
    if (!/^(?:interface|change)\/\w+\.ts$|^(?:defaults|errors|explain|mail)\.ts$/u.test(name)) continue;
    const file = join(added, name);
    const marked = readFileSync(file, "utf8").replace(/(: |^ +)"((?:[^"\\]|\\.)*)"(?=,?$| \})/gmu, '$1"⟦$2"');
    writeFileSync(file, marked);
  }
};

beforeAll(() => {
  for (const path of ["src/core", "src/web/i18n", "src/web/util", "tsconfig.base.json", "package.json"])
    cpSync(join(root, path), join(project, path), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(project, "node_modules"));
  const compilerOptions = { composite: false, declaration: false, noEmit: true };
  const settings = { extends: "./tsconfig.base.json", compilerOptions, include: ["src/core/i18n"] };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify(settings));
  writePseudoLanguage();
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

const run = promisify(execFile);

/** The errors of the type check of the build, without what follows the first line of each. */
const typeErrors = async (): Promise<readonly string[]> => {
  const checked = run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", project], {
    cwd: project,
  });
  const { stdout } = await checked.catch((error: { readonly stdout: string }) => error);
  return stdout.split("\n").filter((line) => /^\S.*error TS/u.test(line));
};

/** The result of an expression that reads the modules of the program with the added language. */
const evaluate = async (expression: string): Promise<unknown> => {
  const script = `
    const { findCatalogue, messageText } = await import("${project}/src/core/i18n/languages.ts");
    const { titleFor } = await import("${project}/src/core/i18n/titles.ts");
    const { loadLanguage, loadWholeLanguage } = await import("${project}/src/web/i18n/languages.ts");
    console.log(JSON.stringify(${expression}));`;
  const loader = join(root, "scripts/load-typescript.mjs");
  const { stdout } = await run(process.execPath, ["--import", loader, "--input-type=module", "-e", script]);
  return JSON.parse(stdout);
};

describe("a language that is only a folder with its texts", () => {
  test("is complete", async () => expect(await typeErrors()).toEqual([]));

  test("is used by the server, the compiler and the browser", async () => {
    expect(
      await evaluate(`[
        findCatalogue("xx-XX").errors.texts.FORBIDDEN,
        messageText({ id: "when.create", values: { many: "Orte" } }, "xx"),
        titleFor("deputies.one", "xx"),
        (await loadLanguage("xx-XX")).texts["list.search.short"],
        (await loadWholeLanguage("xx")).texts["people.name"],
        (await loadLanguage("yy")).language,
      ]`),
    ).toEqual([
      "⟦Dazu sind Sie nicht berechtigt.",
      expect.stringMatching(/^⟦.*Orte/u),
      "Vertretung",
      "⟦Suchen",
      "⟦Name",
      "en",
    ]);
  });

  test("is built for browsers as files of its own, of which the first list has none", async () => {
    const built = (await build({
      root: project,
      configFile: false,
      logLevel: "silent",
      build: { write: false, minify: false, rolldownOptions: { input: "src/web/i18n/languages.ts" } },
    })) as Rollup.RollupOutput;
    const chunks = built.output.filter((item) => item.type === "chunk");
    const [first, ...others] = chunks.map(({ code }) => code);
    expect(first).not.toContain("⟦");
    const own = others.filter((code) => code.includes("⟦"));
    expect(
      own.map((code) => [code.includes('"list.search.short"'), code.includes('"people.name"')]).toSorted(),
    ).toEqual([
      [false, true],
      [true, false],
    ]);
  });

  test("fails its own build, with the id, if a text is missing; the others and the program go on", async () => {
    const file = join(added, "interface/list.ts");
    const whole = readFileSync(file, "utf8");
    writeFileSync(file, whole.replace(/^ {2}"list\.search\.short": .*\n/mu, ""));
    const errors = await typeErrors();
    writeFileSync(file, whole);
    expect(errors).not.toEqual([]);
    expect(errors.filter((line) => !line.startsWith("src/core/i18n/xx/"))).toEqual([]);
    expect(errors.join("\n")).toContain("list.search.short");
  });
});
