import { exec } from "node:child_process";
import { readdirSync, truncateSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { database } from "../../postgres.ts";
import { example, failed, freePort, ninefold, scratch } from "../program.ts";
import { createRoom, shelf } from "./shelf.ts";

const { at, write } = createRoom();

test("a pipe that closes after the first lines causes no error", async () => {
  const main = join(import.meta.dirname, "../../../dist/cli/main.js");
  const { stdout, stderr } = await promisify(exec)(`"${process.execPath}" "${main}" export schema | head -1`);
  expect([stdout, stderr]).toEqual(["{\n", ""]);
});

describe("check", () => {
  const wrong = shelf.replace("title: text", "title: texts");

  test("of a document without errors ends with 0 and lists open points", async () => {
    const { exit, stdout, stderr } = await ninefold(["check", example("lending")]);
    expect([exit, stderr]).toEqual([0, ""]);
    expect(stdout.trimEnd().split("\n").at(-1)).toBe(
      "lending.md: no errors, no other findings, no open points, 10 defaults in use.",
    );
    const founding = await ninefold(["check", example("founding")]);
    expect(founding.exit).toBe(0);
    expect(founding.stdout).toContain("founding.md:27 open, point 6: No roles are shown.\n  NO_ROLES: ");
    expect(founding.stdout.trimEnd().split("\n").at(-1)).toBe(
      "founding.md: no errors, no other findings, 28 open points, 5 defaults in use.",
    );
  });

  test("names the defaults in force, such as password sign-in if point 7 does not say how", async () => {
    const decided = (sixth: string, seventh: string) =>
      [1, 2, 3, 4, 5, 6, 7, 8, 9]
        .map((point) => {
          const yaml = { 1: "name: Desk", 6: sixth, 7: seventh }[point] ?? "none";
          return `## ${point}. Point\n\n${point === 1 ? "A desk.\n\n" : ""}\`\`\`yaml\n${yaml}\n\`\`\`\n`;
        })
        .join("\n");
    const messageOf = async (seventh: string) =>
      (await ninefold(["check", await write("desk.md", `# Desk\n\n${decided("none", seventh)}`)])).stdout;
    const password = "  PASSWORD_ALONE, point 7: People sign in with email and password, without a provider.\n";
    for (const seventh of ["none", "conventional: all", "sign in: { sign up: none }"]) {
      const stdout = await messageOf(seventh);
      expect(stdout, seventh).toContain("Defaults in use where the specification says nothing:\n");
      expect(stdout, seventh).toContain(password);
      expect(stdout.trimEnd().split("\n").at(-1), seventh).toMatch(/no open points, \d+ defaults in use\.$/u);
    }
    expect(await messageOf("sign in: { password: true }")).not.toContain("PASSWORD_ALONE");
  });

  test("of a document with an error ends with 1, shows the place with a caret, and says what to do", async () => {
    const { exit, stdout, stderr } = await ninefold(["check", await write("wrong.md", wrong)]);
    expect([exit, stderr]).toEqual([1, ""]);
    const lines = stdout.split("\n");
    const at = lines.findIndex((line) => line.startsWith("wrong.md:8:12 error UNKNOWN_NAME"));
    expect(lines.slice(at + 1, at + 4)).toEqual([
      "  There is no type or entity “texts”. Did you mean “text”?",
      "  8 │     title: texts",
      "    │            ^^^^^",
    ]);
    expect(lines.at(-2)).toContain("1 error");
  });

  test("puts carets under the right letters after tabs and in long lines, and uses colour only on a terminal", async () => {
    const tabbed = `${shelf.replace("title: text", "title:\ttexts")}\n## 9. Limits\n\`\`\`yaml\npage_size: ${"x".repeat(300)}\n\`\`\`\n`;
    const { stdout } = await ninefold(["check", await write("tabbed.md", tabbed)]);
    expect(stdout).toContain("  8 │     title: texts\n    │            ^^^^^\n");
    expect(stdout).not.toContain("x".repeat(200));
    expect(stdout).not.toContain("\u001b");
  });

  test("ignores a byte order mark", async () => {
    const { stdout } = await ninefold(["check", await write("marked.md", `\ufeff${wrong}`)]);
    expect(stdout).toMatch(/^marked\.md:8:12 error UNKNOWN_NAME/u);
    const program = await ninefold(["check", "--json", await write("marked.md", `\ufeff${shelf}`)]);
    expect(JSON.parse(program.stdout)).toMatchObject({ runs: true, findings: [] });
  });

  test("--json writes the same as JSON, and nothing else", async () => {
    const { exit, stdout, stderr } = await ninefold(["check", "--json", await write("wrong.md", wrong)]);
    expect([exit, stderr]).toEqual([1, ""]);
    const json = JSON.parse(stdout);
    expect(json).toEqual({
      file: "wrong.md",
      files: ["wrong.md"],
      runs: false,
      findings: expect.any(Array),
      open: expect.any(Array),
      defaults: expect.any(Array),
    });
    expect(json.findings).toContainEqual({
      code: "UNKNOWN_NAME",
      severity: "error",
      message: "There is no type or entity “texts”.",
      hint: "Did you mean “text”?",
      nearest: "text",
      fix: [{ file: "wrong.md", line: 8, column: 12, endLine: 8, endColumn: 17, text: "text" }],
      file: "wrong.md",
      line: 8,
      column: 12,
      endLine: 8,
      endColumn: 17,
    });
    expect(json.open).toContainEqual({
      point: 4,
      file: "wrong.md",
      line: expect.any(Number),
      statement: "",
      default: "NO_STATES",
      inForce: "Records have no state.",
    });
  });

  test("--json of a valid document says so, with the defaults in force", async () => {
    const { exit, stdout } = await ninefold(["check", example("founding"), "--json"]);
    const json = JSON.parse(stdout);
    expect([exit, json.runs, json.findings, json.open.length]).toEqual([0, true, [], 28]);
    expect(json.defaults).toContainEqual({
      code: "NO_ROLES",
      point: 6,
      silent: "the roles",
      inForce: "The only role is administrator, and there is one first administrator.",
    });
  });

  test("of a folder reads its files as one document in the order of their names, with paths from the folder", async () => {
    const folder = await scratch();
    const home = join(folder, "desk");
    await mkdir(join(home, "more"), { recursive: true });
    await writeFile(
      join(home, "a.md"),
      "# Desk\n\n## 3. Entities\n\n```yaml\nBook: { fields: { title: text, on: Shelf } }\n```\n",
    );
    await writeFile(join(home, "more", "b.md"), "## 3. More\n\n```yaml\nShelf: { feilds: { name: text } }\n```\n");
    await writeFile(join(home, "notes.txt"), "## 3. No document\n");
    const { exit, stdout } = await ninefold(["check", "--json", home]);
    const json = JSON.parse(stdout);
    expect([exit, json.files]).toEqual([1, ["desk/a.md", "desk/more/b.md"]]);
    expect(json.findings).toMatchObject([{ code: "UNKNOWN_KEY", file: "desk/more/b.md", line: 4, column: 10 }]);
    const fixed = await ninefold(["check", "--fix", home]);
    expect(fixed.exit).toBe(0);
    expect(await readFile(join(home, "more", "b.md"), "utf8")).toBe(
      "## 3. More\n\n```yaml\nShelf: { fields: { name: text } }\n```\n",
    );
  });

  test("creates nothing and needs no database", async () => {
    const folder = await scratch();
    const { exit } = await ninefold(["check", example("lending")], { cwd: folder, env: { DATABASE_URL: "nonsense" } });
    expect([exit, readdirSync(folder)]).toEqual([0, []]);
  });
});

describe.each(["check", "run"])("%s", (verb) => {
  const ask = async (path: string) => failed(await ninefold([verb, path], { cwd: at() }));

  test("of a missing file", async () => {
    expect(await ask("nowhere.md")).toEqual({
      exit: 1,
      stdout: "",
      messages: ["There is no file nowhere.md.", "Name the file of a specification, such as examples/lending.md."],
    });
  });

  test.each(["", " \n\t\n"])("of an empty file: %j", async (text) => {
    const { exit, stdout, messages } = await ask(await write("empty.md", text));
    expect(exit).toBe(1);
    expect(stdout + messages.join("\n")).toContain("empty.md:1:1 error EMPTY_DOCUMENT\n  The specification is empty.");
  });

  test("of a binary file", async () => {
    const { exit, messages } = await ask(
      await write("picture.md", Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 255])),
    );
    expect([exit, messages[0]]).toEqual([1, `The file ${at("picture.md")} is not text.`]);
  });

  test("of a file that is not UTF-8", async () => {
    const { exit, stdout, messages } = await ask(await write("latin.md", Buffer.from("# B\u00fccher", "latin1")));
    expect(exit).toBe(1);
    expect(stdout + messages.join("\n")).toContain("latin.md:1:4 error NOT_UTF8");
  });

  test("of a file of 50 MB, at once", async () => {
    const path = await write("large.md", "# Large\n");
    truncateSync(path, 50_000_000);
    const from = performance.now();
    const { exit, messages } = await ask(path);
    expect([exit, messages[0]]).toEqual([1, `${path} is too large: 50 MB. A specification has at most 5 MB.`]);
    // Reading it as a specification would take minutes.
    expect(performance.now() - from).toBeLessThan(20_000);
  });

  test("of a folder without a document", async () => {
    const folder = await scratch();
    const { exit, messages } = await ask(folder);
    expect([exit, ...messages]).toEqual([
      1,
      `The folder ${folder} has no .md file.`,
      "Name a specification, or the folder that contains its files.",
    ]);
  });

  test("of a device, which never ends", async () => {
    for (const path of ["/dev/zero", "/dev/null"]) expect((await ask(path)).exit).toBe(1);
  });

  test("of invalid YAML and an invalid number: with their places", async () => {
    const path = await write(
      "yaml.md",
      "# Y\n\n## 3. Entities\n\n```yaml\nBook: { fields: { title: text }\n```\n\n## 9. Limits\n\n```yaml\npage_size: many\n```\n",
    );
    const { exit, stdout, messages } = await ask(path);
    const all = stdout + messages.join("\n");
    expect(exit).toBe(1);
    expect(all).toMatch(/^yaml\.md:6:\d+ error NOT_CLOSED/mu);
    expect(all).toMatch(/^yaml\.md:12:12 error BAD_VALUE/mu);
    expect(all).toContain("12 │ page_size: many\n     │            ^^^^");
  });

  test("of a document with an error creates nothing", async () => {
    const folder = await scratch();
    const path = await write("wrong.md", shelf.replace("title: text", "title: texts"));
    const { exit, stdout, stderr } = await ninefold([verb, path], { cwd: folder });
    expect(exit).toBe(1);
    expect(stdout + stderr).toContain("wrong.md:8:12 error UNKNOWN_NAME");
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([[], ["a.md", "b.md"], ["a.md", "--nonsense"], ["a.md", "-x"]])(
    "with unknown arguments ends with 2 and shows the usage: %j",
    async (...words) => {
      const { exit, messages } = failed(await ninefold([verb, ...words], { cwd: at() }));
      expect(exit).toBe(2);
      expect(messages.join("\n")).toContain(` ${verb} FILE|DIR`);
    },
  );
});

describe("the command line", () => {
  test("shows its commands without arguments and with --help", async () => {
    const { exit, stdout } = await ninefold([]);
    expect(exit).toBe(2);
    for (const word of [" check FILE|DIR", " run FILE|DIR", " sample remove FILE|DIR"]) expect(stdout).toContain(word);
    expect(await ninefold(["--help"])).toEqual({ exit: 0, stdout, stderr: "" });
    for (const name of ["run", "restore-version"]) {
      const shown = await ninefold([name, "some.md", "--help"]);
      expect(shown).toMatchObject({ exit: 0, stderr: "" });
      expect(shown.stdout).toMatch(new RegExp(`^node \\S+ ${name} [\\s\\S]*\\n {4}\\w`, "u"));
      for (const line of shown.stdout.split("\n").slice(0, 1)) expect(stdout).toContain(line);
    }
    expect(failed(await ninefold(["serve"]))).toMatchObject({
      exit: 2,
      messages: expect.arrayContaining(["Unknown command: serve."]),
    });
    expect((await ninefold(["constructor"])).exit).toBe(2);
  });

  test("shows its version", async () => {
    const { stdout } = await ninefold(["--version"]);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe("run ends before it creates anything", () => {
  const nothingMade = async (args: readonly string[], env: Record<string, string> = {}) => {
    const folder = await scratch();
    const ended = failed(await ninefold(["run", example("lending"), ...args], { cwd: folder, env }));
    expect(readdirSync(folder)).toEqual([]);
    return ended;
  };

  test.each([["abc"], ["65536"], ["80.5"], [""], ["0x50"], [" 80"]])("with an invalid port: “%s”", async (port) => {
    const { exit, messages } = await nothingMade([`--port=${port}`]);
    expect([exit, messages[0]]).toEqual([2, `“${port}” is not a port number.`]);
  });

  test.each([
    [["--admin-email", "a@example.com"], "Use --admin-email and --admin-password-file together."],
    [["--admin-password-file", "x"], "Use --admin-email and --admin-password-file together."],
    [["--admin-name", "Ada"], "--admin-name needs --admin-email."],
    [["--sample", "--no-sample"], "Use either --sample or --no-sample, not both."],
    [["--data", "d", "--database", "postgresql:///x"], "Use either --data or --database (or DATABASE_URL), not both."],
    [["--database", "mysql://localhost/x"], "The address of the database must begin with postgresql://."],
    [["--database", "localhost:5432"], "The address of the database must begin with postgresql://."],
  ])("with %j", async (args, sentence) => {
    const { exit, messages } = await nothingMade(args);
    expect([exit, messages[0]]).toEqual([2, sentence]);
  });

  test("with an invalid address of a database, without repeating its parts", async () => {
    const { exit, messages } = await nothingMade(["--database", "postgresql://ada:hunter2@[bad/x"]);
    expect(exit).toBe(2);
    expect(messages[0]).toBe("The address of the database is not valid.");
    expect(messages.join()).not.toContain("hunter2");
  });

  test("with a missing password file", async () => {
    const { exit, messages } = await nothingMade([
      "--admin-email",
      "a@example.com",
      "--admin-password-file",
      "nowhere",
    ]);
    expect([exit, messages[0]]).toEqual([2, "Can’t read the password file nowhere (ENOENT)."]);
  });

  test("with a ready file that can’t be written", async () => {
    const { exit, messages } = await nothingMade(["--ready-file", "no/such/folder/ready"]);
    expect([exit, messages[0]]).toEqual([2, "Can’t write the ready file no/such/folder/ready (ENOENT)."]);
  });

  test("with a port in use", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const address = taken.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    const { exit, messages } = await nothingMade(["--port", `${port}`]);
    taken.close();
    expect([exit, ...messages]).toEqual([
      3,
      `Another program uses port ${port}.`,
      `Choose another with --port, for example --port ${port + 1}.`,
    ]);
  });

  test.each([
    ["no server listens", "postgresql://ada:hunter2@127.0.0.1:1/x"],
    ["its host is unknown", "postgresql://ada:hunter2@no-such-host.invalid/x"],
    ["its socket is missing", "postgresql://ada:hunter2@/x?host=/no/such/folder"],
  ])("if the database is unreachable: %s", async (_, url) => {
    for (const input of [{ args: ["--database", url] }, { args: [], env: { DATABASE_URL: url } }]) {
      const { exit, messages } = await nothingMade([...input.args, "--port", `${await freePort()}`], input.env ?? {});
      expect(exit).toBe(5);
      expect(messages[0]).toMatch(/^Can’t reach the database: .+\.$/u);
      expect(messages[1]).toBe("Check that it is running and that the address is correct.");
      expect(messages.join()).not.toContain("hunter2");
    }
  });

  test("if the database does not exist", async () => {
    const store = await database();
    const url = store.url.replace(/test_\w+/u, "no_such_database");
    const { exit, messages } = await nothingMade(["--database", url, "--port", `${await freePort()}`]);
    await store.end();
    expect([exit, messages[0]]).toEqual([
      5,
      'The database refused the connection: database "no_such_database" does not exist.',
    ]);
  });
});
