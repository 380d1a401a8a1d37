import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exampleOfCommand, usage } from "../../../src/cli/usage.ts";
import { compile } from "../../../src/core/compile.ts";
import { connect } from "../../../src/postgres/database.ts";
import { createJob } from "../../../src/postgres/job/job-store.ts";
import { database, type TestDatabase } from "../../postgres.ts";
import { apiClientAt, command, failed, ninefold, scratch, serveText } from "../program.ts";

/** The commands about a change in a pipeline: without a terminal, for programs, and with bad input. */

const shelf = (fields: string, rules = "") => `# Shelf

## 3. Entities and their fields

\`\`\`yaml
Book:
  fields:
    title: text
${fields}\`\`\`
${rules}
## 6. Roles and permissions

\`\`\`yaml
roles: { reader: { members: signed in } }
permissions: { Book: { read: [reader], create: [reader], update: [reader], delete: [reader] } }
\`\`\`
`;
const first = shelf("    pages: integer?\n    place: text?\n");
const second = shelf("    pages: integer?\n    room: text?\n    colour: text?\n");

let store: TestDatabase;
let folder: string;
const write = async (name: string, text: string): Promise<string> => {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
};
const on = (...args: readonly string[]) => ninefold([...args, "--database", store.url]);
/** Runs a command for programs. The output has to be one JSON value, and standard error nothing. */
const json = async (...args: readonly string[]) => {
  const { exit, stdout, stderr } = await on(...args, "--json");
  expect(stderr).toBe("");
  return { exit, is: JSON.parse(stdout) };
};

beforeAll(async () => {
  store = await database();
  folder = await scratch();
  const served = await serveText(first, { database: store });
  const ada = await served.person("Ada", ["reader"]);
  await served.person("Chief", ["administrator"]);
  for (const title of ["Dune", "Emma"])
    expect((await ada.post("/api/books", { title, pages: 300, place: "Hall" })).status).toBe(201);
  await served.stop();
});
afterAll(() => store.end());

const versionCount = async (): Promise<number> => (await json("versions")).is.versions.length;

describe("for programs", () => {
  test("a plan has what the text says: lines with their places, likely renames, steps", async () => {
    const next = await write("next.md", second);
    const { exit, stdout } = await on("plan", next);
    expect(exit).toBe(11);
    const planned = await json("plan", next);
    expect(planned.exit).toBe(11);
    for (const line of planned.is.behaviour) {
      expect(stdout).toContain(line.text);
      const { before, after } = line.places;
      for (const [word, clause, place] of [
        ["before", line.before, before],
        ["now", line.after, after],
      ])
        if (place !== null) expect(stdout).toContain(`${word} ${clause} (line ${place.line})`);
    }
    expect(planned.is.renames).toContainEqual(
      expect.objectContaining({ of: "field", entity: "Book", old: "place", now: "room" }),
    );
    expect(stdout).toContain(
      "Book.room is new, and place is gone. If it is the same under a new name, add “was: place”.",
    );
    for (const step of planned.is.data.steps) expect(stdout).toContain(step);
    expect(planned.is.data.records).toContainEqual(expect.objectContaining({ point: "3.Book.place", count: 2 }));
    expect(stdout).toContain("--records 3.Book.place");
  });

  test("two rules with one error have a line each, also in the text", async () => {
    const rules = (most: number) =>
      `\n## 5. Rules\n\n\`\`\`yaml\nBook:\n  - { rule: "pages == null || pages < ${most}", else: BAD }\n  - { rule: "size(title) < ${most}", else: BAD }\n\`\`\`\n\n## 8. Errors\n\n\`\`\`yaml\nBAD: { status: 422, message: Bad }\n\`\`\`\n`;
    const old = await write("rules-old.md", shelf("    pages: integer?\n", rules(900)));
    const now = await write("rules-now.md", shelf("    pages: integer?\n", rules(800)));
    const { stdout } = await ninefold(["diff", old, now]);
    const lines = (await readFile(now, "utf8")).split("\n");
    const places = [...stdout.matchAll(/now 5\.\S+ \(line (\d+)\)/gu)].map(([, line]) =>
      lines[Number(line) - 1]?.trim(),
    );
    expect(places).toEqual([
      `- { rule: "pages == null || pages < 800", else: BAD }`,
      `- { rule: "size(title) < 800", else: BAD }`,
    ]);
  });

  test("a preview is one line of JSON when it is ready, and ends with its process", async () => {
    const next = await write("tried.md", second);
    const trying = command(["try", next, "--database", store.url, "--json"]);
    await expect.poll(() => trying.output(), { timeout: 60_000 }).toMatch(/\n/u);
    const { url, link, base, endsAt, masked, hasData, pid, ...rest } = JSON.parse(trying.output());
    expect({ base, masked, hasData, pid, rest }).toEqual({
      base: 1,
      masked: false,
      hasData: true,
      pid: trying.pid,
      rest: {},
    });
    expect(link).toMatch(new RegExp(`^${url}/sign-in#preview=`, "u"));
    expect(Date.parse(endsAt) - Date.now()).toBeGreaterThan(23 * 3_600_000);
    const chief = apiClientAt(url, "");
    expect((await chief.post("/_/session", { preview: link.split("=")[1] })).status).toBe(204);
    expect((await chief.get("/api/books")).list().items).toHaveLength(2);
    trying.signal("SIGTERM");
    const { exit, stdout, stderr } = await trying.ended;
    expect([exit, stderr, stdout.split("\n").length]).toEqual([0, "", 2]);
    const left = await store.query("select datname from pg_database where datname like $1", [`${store.name}_%`]);
    expect(left.rows).toEqual([]);
  });

  test("publishing says if the command did it, and what it changed", async () => {
    const next = await write("next.md", second);
    const published = await json("apply", next, "--note", "Rooms");
    expect([published.exit, published.is]).toEqual([
      0,
      { version: 2, published: true, steps: expect.arrayContaining([expect.stringContaining("3.Book.room")]) },
    ]);
    expect(await json("apply", next)).toEqual({ exit: 0, is: { version: 2, published: false, steps: [] } });
    const { versions } = (await json("versions")).is;
    expect(versions[0]).toMatchObject({ number: 2, note: "Rooms", steps: published.is.steps });

    const back = await json("restore-version", "1", "--dry-run");
    expect(back).toEqual({
      exit: 0,
      is: { version: null, published: false, restores: 1, steps: expect.arrayContaining([expect.any(String)]) },
    });
    expect(await json("restore-version", "1")).toMatchObject({
      exit: 0,
      is: { version: 3, published: true, restores: 1, steps: back.is.steps },
    });
    expect(await json("restore-version", "1")).toMatchObject({ is: { version: 3, published: false, steps: [] } });
    expect((await json("diff", "1", "2")).is).toMatchObject({ before: { file: "version 1" }, data: null });
  });

  test("each command has an example with its own options", async () => {
    for (const [name, example] of Object.entries(exampleOfCommand)) {
      expect(example).toMatch(new RegExp(`^node \\S+ ${name}(?: |$)`, "u"));
      for (const [option] of example.matchAll(/--[a-z-]+/gu))
        expect(usage[name as keyof typeof usage]).toContain(option);
    }
    const shown = await ninefold(["plan", "--help"]);
    expect(shown.stdout).toMatch(
      /\n\nExample:\n {2}node \S+ plan desk\.next\.md --data \.ninefold\/desk --out plan\.json\n$/u,
    );
  });
});

describe("bad input is one sentence with an exit code, and changes nothing", () => {
  test.each(["plan", "apply", "try"])("a missing file for %s", async (name) => {
    const { exit, messages } = failed(await on(name, join(folder, "nowhere.md")));
    expect([exit, messages[0]]).toEqual([1, `There is no file ${join(folder, "nowhere.md")}.`]);
  });

  test.each(["plan", "apply", "try", "versions", "restore-version", "retired"])(
    "a database that is away for %s",
    async (name) => {
      const words = ["plan", "apply", "try"].includes(name) ? [await write("next.md", second)] : [];
      const { exit, messages } = failed(
        await ninefold([
          name,
          ...(name === "restore-version" ? ["1"] : words),
          ...["--database", "postgresql://nobody:secret@127.0.0.1:9/none", "--json"],
        ]),
      );
      expect([exit, messages[0]]).toEqual([5, expect.stringMatching(/^Can’t reach the database: /u)]);
      expect(messages.join("\n")).not.toContain("secret");
    },
  );

  test("plans that were edited, are of another format, or are no plan", async () => {
    const before = await versionCount();
    const next = await write("planned.md", second);
    const path = join(folder, "plan.json");
    expect((await on("plan", next, "--out", path)).exit).toBe(11);
    const plan = JSON.parse(await readFile(path, "utf8"));
    const refusals = async (edited: unknown) => {
      const file = await write("edited.json", typeof edited === "string" ? edited : JSON.stringify(edited));
      const { exit, messages } = failed(await on("apply", next, "--plan", file));
      return [exit, messages[0]?.replace(file, "FILE")];
    };
    const noPlan = [2, "FILE is not a plan."];
    for (const edited of ["", "{", "null", "[]", "7", { ...plan, behaviour: [null] }, { ...plan, behaviour: {} }])
      expect(await refusals(edited)).toEqual(noPlan);
    for (const member of ["before", "after", "behaviour", "open"]) {
      expect(await refusals({ ...plan, [member]: undefined })).toEqual(noPlan);
      expect(await refusals({ ...plan, [member]: null })).toEqual(noPlan);
    }
    expect(await refusals({ ...plan, data: 7 })).toEqual(noPlan);
    for (const format of [0, 2])
      expect(await refusals({ ...plan, format })).toEqual([
        2,
        `FILE is a plan of another release, in format ${format}.`,
      ]);
    const moved = (message: string) => [6, `${message} Nothing was changed.`];
    expect(await refusals({ ...plan, before: { ...plan.before, hash: "0" } })).toEqual(
      moved("The plan starts from a version that isn’t live."),
    );
    expect(await refusals({ ...plan, after: { ...plan.after, hash: "0" } })).toEqual(
      moved("The plan is for another text."),
    );
    expect(await refusals({ ...plan, behaviour: plan.behaviour.slice(1) })).toEqual(
      moved("The plan was edited, or made by another release."),
    );
    expect(await versionCount()).toBe(before);
  });

  test("the specification of another application", async () => {
    const other = await write(
      "other.md",
      "# Keys\n\n## 3. Entities\n\n```yaml\nKey: { fields: { door: text } }\n```\n",
    );
    const before = await versionCount();
    const planned = await on("plan", other);
    expect(planned.exit).toBe(11);
    expect(planned.stdout).toContain(`${other} has none of the entities of version ${before}.`);
    const { exit, messages } = failed(await on("apply", other));
    expect([exit, messages[0]]).toEqual([
      6,
      `${other} has none of the entities of the live version. Nothing was changed.`,
    ]);
    expect(await versionCount()).toBe(before);
  });
});

test("a publication that was interrupted is resumed from a folder with another name", async () => {
  const [base, next] = [join(folder, "desk"), join(folder, "desk.next")];
  for (const path of [base, next]) await mkdir(path);
  await write("desk/a.md", first);
  await write("desk.next/a.md", first);
  await write("desk/b.md", "## 9. Constants\n\n```yaml\npage_size: 20\n```\n");
  await write("desk.next/b.md", "## 9. Constants\n\n```yaml\npage_size: 30\n```\n");
  const { version } = (await json("apply", base)).is;
  const { versions } = (await json("versions")).is;
  const files = ["a.md", "b.md"].map(async (name) => ({
    file: `desk/${name}`,
    text: await readFile(join(next, name), "utf8"),
  }));
  const owner = connect({ connection: store.url, max: 1 });
  await createJob((work) => owner.transaction(work), {
    source: compile(await Promise.all(files)).source,
    base: versions[0].hash,
    person: null,
    note: "Interrupted",
  });
  await owner.end();
  expect(await json("apply", next)).toMatchObject({ exit: 0, is: { version: version + 1, published: true } });
});

test("data of another release", async () => {
  await store.query("update ninefold.release set steps = steps - 1");
  const next = await write("next.md", second);
  for (const words of [
    ["plan", next],
    ["apply", next],
    ["try", next],
    ["versions"],
    ["restore-version", "1"],
    ["retired"],
  ]) {
    const { exit, messages } = failed(await on(...words));
    expect([exit, messages]).toEqual([
      5,
      ["This database was last used by another release of Ninefold.", "Start the application with this release first."],
    ]);
  }
  await store.query("update ninefold.release set steps = steps + 1");
});

test("of two commands at once with one plan, each publishes it or says that it is live; two plans exclude each other", async () => {
  const begun = await versionCount();
  const [one, other] = [await write("one.md", second), await write("other.md", second.replace("colour", "shade"))];
  const [planOne, planOther] = [join(folder, "one.json"), join(folder, "other.json")];
  await on("plan", one, "--out", planOne);
  await on("plan", other, "--out", planOther);
  const ended = await Promise.all([on("apply", one, "--plan", planOne), on("apply", other, "--plan", planOther)]);
  expect(ended.map(({ exit }) => exit).toSorted()).toEqual([0, 6]);
  expect(ended.find(({ exit }) => exit === 6)?.stderr).toContain("Nothing was changed.");
  expect(await versionCount()).toBe(begun + 1);

  const third = await write("third.md", shelf("    pages: integer?\n    wall: text?\n"));
  const planned = join(folder, "third.json");
  await on("plan", third, "--out", planned);
  const both = await Promise.all([1, 2].map(() => on("apply", third, "--plan", planned)));
  expect(both.map(({ exit, stderr }) => [exit, stderr])).toEqual([
    [0, ""],
    [0, ""],
  ]);
  expect(await versionCount()).toBe(begun + 2);
});
