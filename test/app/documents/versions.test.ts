import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { AppliedJson, ChangeJson, DocumentJson } from "../../../src/core/wire/authoring/document.ts";
import type { VersionsJson, VersionTextJson } from "../../../src/core/wire/authoring/versions.ts";
import { type ApiClient, ninefold, type Program, scratch, startProgram } from "../program.ts";

const keys = (fields: string) => `# Keys

## 3. Entities and their fields
\`\`\`yaml
Key: { fields: { number: text${fields} } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { staff: { members: signed in } }
permissions: { Key: { read: [staff], create: [staff], update: [staff], delete: [staff] } }
\`\`\`
`;

let program: Program;
let author: ApiClient;

const inForce = async (): Promise<DocumentJson> => (await author.get("/_/document")).body as DocumentJson;

const apply = async (text: string, note?: string): Promise<AppliedJson> => {
  const { hash, files } = await inForce();
  const draft = {
    base: hash,
    files: files.map(({ file }) => ({ file, text })),
    ...(note === undefined ? {} : { note }),
  };
  return (await author.post("/_/document", draft)).body as AppliedJson;
};

const versions = async (query = ""): Promise<VersionsJson> =>
  (await author.get(`/_/versions${query}`)).body as VersionsJson;

beforeAll(async () => {
  program = await startProgram({ text: keys(""), args: ["--demonstration"] });
  author = await program.signInAs("administrator");
});

describe("every version of the document is stored, and can be restored", () => {
  it("it is listed with author, note, time and changes, newest first", async () => {
    await apply(keys(", lent: boolean?"), "Keys are lent from now on");
    const { items, next } = await versions();
    expect(next).toBeNull();
    expect(items.map(({ number, note, restores }) => ({ number, note, restores }))).toEqual([
      { number: 2, note: "Keys are lent from now on", restores: null },
      { number: 1, note: "", restores: null },
    ]);
    const [second, first] = items;
    expect(first?.author).toBeNull();
    expect(second?.author?.label).toBeTruthy();
    expect(second?.steps.join(" ")).toContain("3.Key.lent");
    expect(Date.now() - Date.parse(second?.at ?? "")).toBeLessThan(60_000);
    expect(second?.hash).toBe((await inForce()).hash);
  });

  it("its whole text can be read", async () => {
    const one = (await author.get("/_/versions/1")).body as VersionTextJson;
    expect(one.files).toEqual([{ file: "specification.md", text: keys("") }]);
    expect((await author.get("/_/versions/99")).problem()).toMatchObject({ status: 404, code: "NOT_FOUND" });
    for (const number of ["0", "-1", "x", "1.5", "99999999999"])
      expect((await author.get(`/_/versions/${number}`)).status).toBe(404);
  });

  it("the list has pages", async () => {
    expect((await versions("?before=2")).items.map(({ number }) => number)).toEqual([1]);
    expect((await author.get("/_/versions?before=x")).problem()).toMatchObject({ status: 400, code: "BAD_CURSOR" });
  });

  it("restoring is planned first, and is a version of its own", async () => {
    await apply(keys(", lent: boolean?, place: text?"), "");
    const { hash } = await inForce();
    const plan = (await author.post("/_/versions/3/plan", { base: hash })).body as ChangeJson;
    expect(plan).toEqual({ steps: [], refused: [] });
    await apply(keys(", lent: boolean?, place: text?").replace("# Keys", "# Keys and doors"), "Doors, too");
    const input = { base: (await inForce()).hash, note: "Doors are not ours" };
    const restored = await author.post("/_/versions/3/restore", input);
    expect([restored.status, restored.body]).toMatchObject([200, { version: 5, hash }]);
    const [newest] = (await versions()).items;
    expect(newest).toMatchObject({ number: 5, restores: 3, note: "Doors are not ours", hash });
    expect((await inForce()).files[0]?.text).toBe(keys(", lent: boolean?, place: text?"));
    expect((await author.post("/_/versions/3/restore", input)).problem()).toMatchObject({
      status: 409,
      code: "DOCUMENT_CHANGED",
    });
  });

  it("is for administrators only, and rejects invalid requests", async () => {
    const { hash } = await inForce();
    const stranger = program.visitor();
    for (const path of ["/_/versions", "/_/versions/1"]) expect((await stranger.get(path)).status).toBe(401);
    for (const path of ["/_/versions/1/plan", "/_/versions/1/restore"])
      expect((await stranger.post(path, { base: hash })).status).toBe(401);
    for (const body of [{}, { base: 1 }, { base: hash, note: 1 }, { base: hash, note: "x".repeat(2_001) }])
      expect((await author.post("/_/versions/1/restore", body)).problem()).toMatchObject({ code: "MALFORMED" });
    expect((await inForce()).version).toBe(5);
  });
});

describe("the command line has the versions, whether or not the application is running", () => {
  const command = (...args: readonly string[]) => ninefold([...args, "--data", program.data]);

  it("versions lists them, for programs too", async () => {
    const { exit, stdout, stderr } = await command("versions");
    expect([exit, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      /^5 {2}\d{4}-\d\d-\d\d \d\d:\d\d UTC {2}.+, the text of version 3 {2}\(live\)\n {5}Doors are not ours\n/u,
    );
    expect(stdout).toMatch(/^1 {2}.* UTC {2}an operator$/mu);
    const { versions: all } = JSON.parse((await command("versions", "--json")).stdout) as {
      versions: readonly { readonly summary: unknown }[];
    };
    expect(all.map(({ summary: _, ...version }) => version)).toEqual((await versions()).items);
    expect(all[0]?.summary).toMatchObject({ text: expect.stringContaining("Keys and doors") });
  });

  it("it writes the text of one, and replaces a file as a whole", async () => {
    const path = join(await scratch(), "first.md");
    for (let time = 0; time < 2; time++) {
      expect(await command("versions", "1", "--out", path)).toMatchObject({ exit: 0, stderr: "" });
      expect(await readFile(path, "utf8")).toBe(keys(""));
    }
    expect(await readdir(dirname(path))).toEqual(["first.md"]);
  });

  it("it plans the restoring first; the running application then takes over the version and its file", async () => {
    const tried = await command("restore-version", "2", "--dry-run");
    expect([tried.exit, tried.stderr]).toEqual([0, ""]);
    expect(tried.stdout).toContain("3.Key.place: remove.");
    expect((await inForce()).version).toBe(5);
    const can = await command("restore-version", "4", "--dry-run");
    expect(can).toMatchObject({ exit: 0, stdout: "Restoring version 4 is possible. Nothing was changed.\n" });
    expect((await inForce()).version).toBe(5);
    const done = await command("restore-version", "4", "--note", "Doors after all", "--json");
    expect(JSON.parse(done.stdout)).toEqual({ version: 6, published: true, restores: 4, steps: [] });
    await expect.poll(async () => (await inForce()).version, { timeout: 30_000 }).toBe(6);
    expect((await versions()).items[0]).toMatchObject({
      number: 6,
      restores: 4,
      note: "Doors after all",
      author: null,
    });
    expect(await readFile(program.file, "utf8")).toContain("# Keys and doors");
    expect(await command("restore-version", "4")).toMatchObject({ exit: 0 });
    expect((await inForce()).version).toBe(6);
  });

  it("it plans a change with its effects on data, and applies the plan if nothing has changed since", async () => {
    const room = await scratch();
    const [next, plan] = [join(room, "next.md"), join(room, "plan.json")];
    const text = (await inForce()).files[0]?.text ?? "";
    await writeFile(next, text);
    expect(await command("plan", next)).toMatchObject({ exit: 0 });
    await writeFile(next, text.replace("place: text?", "place: text?, floor: integer?"));
    const planned = await command("plan", next, "--out", plan);
    expect([planned.exit, planned.stderr]).toEqual([10, ""]);
    expect(planned.stdout).toContain("New field “Floor” of keys.");
    expect(planned.stdout).toMatch(/^Data\n {2}.*3\.Key\.floor/mu);
    expect(planned.stdout).toContain("version 6 → ");

    // Another text, another version, a database of which the plan knows nothing.
    const other = join(room, "other.md");
    await writeFile(other, text.replace("place: text?", "place: text?, wall: integer?"));
    const bare = join(room, "bare.json");
    await writeFile(bare, JSON.stringify({ ...JSON.parse(await readFile(plan, "utf8")), data: null }));
    for (const [args, message] of [
      [["apply", other, "--plan", plan], "The plan is for another text. Nothing was changed."],
      [
        ["apply", next, "--plan", bare],
        "The plan was made without a database, so it doesn’t say what happens to the stored data. Nothing was changed.",
      ],
    ] as const) {
      const { exit, stderr } = await command(...args);
      expect([exit, stderr.split("\n")[0]]).toEqual([6, message]);
    }
    expect((await inForce()).version).toBe(6);

    // Stored data that has moved on, and a plan that this release would not make.
    const less = join(room, "less.md");
    const retiring = join(room, "retiring.json");
    await writeFile(less, text.replace("place: text?", "wall: text?"));
    expect((await command("plan", less, "--out", retiring)).exit).toBe(11);
    const key = (await author.post("/api/keys", { number: "Z-9", place: "Cellar" })).record();
    expect(await command("plan", less, "--records", "3.Key.place")).toMatchObject({
      exit: 0,
      stdout: `/api/keys/${key.id}\n`,
    });
    const moved = await command("apply", less, "--plan", retiring);
    expect([moved.exit, moved.stderr.split("\n")[0]]).toEqual([
      6,
      "The stored data has changed since the plan was made. Nothing was changed.",
    ]);
    expect((await author.delete(`/api/keys/${key.id}`)).status).toBeLessThan(300);
    // Of the same kind, but with another sentence.
    const strange = JSON.parse(await readFile(retiring, "utf8")) as { readonly behaviour: readonly object[] };
    const [line, ...lines] = strange.behaviour;
    await writeFile(retiring, JSON.stringify({ ...strange, behaviour: [{ ...line, text: "Something." }, ...lines] }));
    const older = await command("apply", less, "--plan", retiring);
    expect([older.exit, older.stderr.split("\n")[0]]).toEqual([
      6,
      "The plan was edited, or made by another release. Nothing was changed.",
    ]);
    expect((await inForce()).version).toBe(6);

    const applied = await command("apply", next, "--plan", plan, "--note", "Floors");
    expect([applied.exit, applied.stderr]).toEqual([0, ""]);
    expect(applied.stdout).toMatch(/Version 7 is live\.\n$/u);
    await expect.poll(async () => (await inForce()).version, { timeout: 30_000 }).toBe(7);
    expect((await versions()).items[0]).toMatchObject({ number: 7, note: "Floors", restores: null });
    const again = await command("apply", next, "--plan", plan);
    expect([again.exit, again.stdout]).toEqual([0, "Version 7 already has this text.\n"]);
    expect((await command("apply", next)).stdout).toBe("Version 7 already has this text.\n");

    const diff = await command("diff", "6", "7");
    expect([diff.exit, diff.stderr]).toEqual([10, ""]);
    expect(diff.stdout).toContain("New field “Floor” of keys.");
    expect((await command("diff", "7", "6")).exit).toBe(11);
    expect((await command("diff", "7", "7")).exit).toBe(0);
  });

  it("it asks before restoring retires what was entered since, and another restoring brings that back", async () => {
    const key = (await author.post("/api/keys", { number: "Z-8", place: "Attic" })).record();
    const unasked = await command("restore-version", "2");
    expect([unasked.exit, unasked.stderr]).toEqual([
      6,
      expect.stringMatching(/Nothing was changed\.\n {2}3\.Key\.place: remove\. The values of 1 record .*\n.*--yes/u),
    ]);
    expect((await inForce()).version).toBe(7);
    const confirmed = await command("restore-version", "2", "--yes", "--json");
    expect(JSON.parse(confirmed.stdout)).toMatchObject({ version: 8, restores: 2 });
    expect(await command("restore-version", "7")).toMatchObject({ exit: 0 });
    await expect.poll(async () => (await inForce()).version, { timeout: 30_000 }).toBe(9);
    expect((await author.get(`/api/keys/${key.id}`)).record()).toMatchObject({ place: "Attic" });
  });

  it("invalid commands say what is wrong", async () => {
    for (const [args, message] of [
      [["versions", "99", "--out", "x"], "This database has no version 99."],
      [["versions", "two", "--out", "x"], "“two” isn’t the number of a version."],
      [["versions", "2"], "Give no number to list all versions, or a number with --out."],
      [["restore-version"], "Give the number of one version."],
      [["restore-version", "99"], "This database has no version 99."],
      [["plan", program.file, "--against", program.file], "--against excludes --data and --database."],
      [["plan", "--frob"], "Unknown option '--frob'."],
      [["apply"], "Name one file or folder: the new version."],
      [["apply", program.file, "--plan", program.file], `${program.file} is not a plan.`],
    ] as const) {
      const { exit, stderr } = await command(...args);
      expect([exit, stderr.split("\n")[0]]).toEqual([2, message]);
    }
    const bare = await ninefold(["plan", program.file]);
    expect([bare.exit, bare.stderr.split("\n")[0]]).toEqual([
      2,
      "Name the version to compare with: --against OLD, --data DIR or --database URL.",
    ]);
    const nothing = await ninefold(["versions", "--data", join(await scratch(), "none")]);
    expect([nothing.exit, nothing.stderr.split("\n")[0]]).toEqual([5, expect.stringContaining("There is no data in")]);
  });

  it("it does the same on data that no program uses", async () => {
    await program.stop();
    expect((await command("versions")).stdout).toMatch(/^9 {2}/u);
    const reworded = join(await scratch(), "reworded.md");
    await writeFile(reworded, (await readFile(program.file, "utf8")).replace("# Keys and doors", "# Doors and keys"));
    expect(await command("apply", reworded)).toMatchObject({ exit: 0 });
    expect(await command("restore-version", "7", "--out", program.file)).toMatchObject({ exit: 0 });
    expect(await readFile(program.file, "utf8")).toContain("# Keys and doors");
    // A version stays live if its text cannot be written, and the command says both.
    const unwritten = join(await scratch(), "none", "desk.md");
    const restored = await command("restore-version", "10", "--out", unwritten);
    expect(restored).toMatchObject({
      exit: 1,
      stdout: expect.stringMatching(/^Version 12 is live: the text of version 10\.$/mu),
    });
    expect(restored.stderr).toContain(`Can’t write ${unwritten} (ENOENT).`);
  });
});
