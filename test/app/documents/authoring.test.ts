import { readFile, writeFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import type { AppliedJson, ChangeJson, DocumentJson } from "../../../src/core/wire/authoring/document.ts";
import { type ApiClient, example, type Program, startProgram } from "../program.ts";

/** A document changed at run time, from an empty one to an application with two roles. */
let program: Program;
let author: ApiClient;
const founding = await readFile(example("founding"), "utf8");

const inForce = async (): Promise<DocumentJson> => (await author.get("/_/document")).body as DocumentJson;

/** Replaces the prose of a point by a block. */
const answered = (text: string, point: number, block: string): string =>
  text.replace(new RegExp(`(^## ${point}\\..*$)[^]*?(?=^## |(?![^]))`, "mu"), `$1\n\`\`\`yaml\n${block}\n\`\`\`\n\n`);

const send = async (
  path: "/_/document" | "/_/document/plan" | "/_/document/replay",
  change: (text: string) => string,
  base?: string,
  headers: Readonly<Record<string, string>> = {},
) => {
  const document = await inForce();
  const files = document.files.map(({ file, text }) => ({ file, text: change(text) }));
  return author.post(path, { base: base ?? document.hash, files }, headers);
};

beforeAll(async () => {
  program = await startProgram({ text: founding });
  author = await program.signInAs("administrator");
});

describe("a document that is changed in the workbench comes into force at once", () => {
  it("administrators, and only they, can read all of it", async () => {
    const document = await inForce();
    expect(document).toMatchObject({ version: 1, fixed: null, files: [{ file: "specification.md", text: founding }] });
    expect((await program.visitor().get("/_/document")).status).toBe(401);
    for (const path of ["/_/document", "/_/document/plan", "/_/document/replay"])
      expect((await program.visitor().post(path, { base: document.hash, files: document.files })).status).toBe(401);
  });

  it("a plan shows the effects of a change without making it", async () => {
    const plan = (await send("/_/document/plan", (text) => answered(text, 3, "Key: { fields: { number: text } }")))
      .body as ChangeJson;
    expect(plan.refused).toEqual([]);
    const replay = await send("/_/document/replay", (text) => answered(text, 3, "Key: { fields: { number: text } }"));
    expect(replay.body).toEqual({
      days: 30,
      cut: null,
      kinds: [],
      acts: 0,
      refused: [],
      refusals: 0,
      allowed: [],
      effects: [],
      left: [],
      figures: expect.arrayContaining([
        {
          subject: "Key.read",
          text: "Administrators can now read keys.",
          figures: { records: null, people: 1, role: "administrator", example: null, ids: [] },
        },
      ]),
    });
    expect(plan.steps.join(" ")).toContain("3.Key");
    expect((await author.get("/api/keys")).status).toBe(404);
    expect((await inForce()).version).toBe(1);
  });

  it("the founding document becomes an application for two roles without a restart", async () => {
    const three = await send("/_/document", (text) =>
      answered(text, 3, "Key:\n  fields:\n    number: { type: text, unique: true }\n    lent: boolean"),
    );
    expect(three.body).toMatchObject({ version: 2 } satisfies Partial<AppliedJson>);
    const six = await send("/_/document", (text) =>
      answered(
        text,
        6,
        "roles:\n  keeper: { members: granted }\n  staff: { members: signed in }\npermissions:\n  Key:\n    read: [staff]\n    create: [keeper]\n    update: [keeper]\n    delete: [keeper]",
      ),
    );
    expect(six.body).toMatchObject({ version: 3 } satisfies Partial<AppliedJson>);
    const list = await author.get("/api/keys");
    // A demonstration gets samples for what is new.
    expect(list.list().items.length).toBeGreaterThan(5);
    expect(list.headers.get("ninefold-version")).toBe("3");
    const refused = (await author.post("/api/keys", { number: "A-12", lent: false })).problem();
    expect(refused).toMatchObject({ status: 403, clause: "6.Key.create" });
  });

  it("its text is written to the file byte for byte", async () => {
    const document = await inForce();
    expect(await readFile(program.file, "utf8")).toBe(document.files[0]?.text);
    expect(document.files[0]?.text).toContain("keeper: { members: granted }");
  });

  it("a draft of an outdated text is refused", async () => {
    const answer = await send("/_/document", (text) => text, "0".repeat(64));
    expect(answer.problem()).toMatchObject({ status: 409, code: "DOCUMENT_CHANGED" });
  });

  it("a document with an error is refused with its lines, and the live version stays", async () => {
    const before = await inForce();
    const answer = await send("/_/document", (text) => text.replace("number: { type: text", "number: { type: txet"));
    expect(answer.problem()).toMatchObject({ status: 422, code: "DOCUMENT_INVALID" });
    expect(answer.problem().errors?.[0]?.message).toMatch(/^specification\.md:\d+: There is no type or entity “txet”/u);
    expect(await inForce()).toEqual(before);
    expect(await readFile(program.file, "utf8")).toBe(before.files[0]?.text);
  });

  it("a change that stored data does not fit is refused in the plan and at publication, and file and tables stay", async () => {
    const before = await inForce();
    const unfit = (text: string) =>
      text.replace("Key:\n  fields:", "User: { fields: { desk: text } }\nKey:\n  fields:");
    const plan = (await send("/_/document/plan", unfit)).body as ChangeJson;
    expect(plan.refused.map(({ says }) => says).join(" ")).toContain("3.User.desk");
    const answer = (await send("/_/document", unfit)).problem();
    expect(answer).toMatchObject({ status: 409, code: "CHANGE_REFUSED" });
    expect(answer.errors?.map(({ message }) => message).join(" ")).toContain("3.User.desk");
    expect(await inForce()).toEqual(before);
    expect(await readFile(program.file, "utf8")).toBe(before.files[0]?.text);
  });

  it("a plan, its reasons and a refusal are in the reader’s language", async () => {
    const fits = (text: string) => text.replace("    lent: boolean", "    lent: boolean\n    hook: text?");
    const unfit = (text: string) =>
      text.replace("Key:\n  fields:", "User: { fields: { desk: text } }\nKey:\n  fields:");
    for (const [language, step, reason] of [
      ["en", "3.Key.hook: add column hook", "3.User.desk can’t be added as a required field"],
      ["de", "3.Key.hook: die Spalte hook hinzufügen", "3.User.desk kann nicht als Pflichtfeld hinzukommen"],
      [
        "fr",
        "3.Key.hook\u202f: ajouter la colonne hook",
        "3.User.desk ne peut pas être ajouté comme champ obligatoire",
      ],
    ] as const) {
      const headers = { "accept-language": language };
      const plan = (await send("/_/document/plan", fits, undefined, headers)).body;
      expect(plan).toEqual({ steps: [step], refused: [] } satisfies ChangeJson);
      const planned = (await send("/_/document/plan", unfit, undefined, headers)).body as ChangeJson;
      expect(planned.refused).toMatchObject([{ clause: "3.User.desk", says: expect.stringContaining(reason) }]);
      expect(Object.keys(planned.refused[0] ?? {})).not.toContain("message");
      const { errors } = (await send("/_/document", unfit, undefined, headers)).problem();
      expect(errors?.map(({ message }) => message)).toEqual([planned.refused[0]?.says]);
    }
  });

  it("one of several drafts of the same text is accepted", async () => {
    const { hash, files, version } = await inForce();
    const drafts = ["one", "two", "three", "four"].map((name) =>
      author.post("/_/document", {
        base: hash,
        files: files.map(({ file, text }) => ({
          file,
          text: text.replace("    lent: boolean", `    lent: boolean\n    ${name}: text?`),
        })),
      }),
    );
    const statuses = (await Promise.all(drafts)).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 409, 409, 409]);
    expect((await inForce()).version).toBe(version + 1);
  });

  it("a file that was changed outside is not overwritten, and the response says so", async () => {
    const before = await inForce();
    await writeFile(program.file, `${before.files[0]?.text}\nA note from outside.\n`);
    const answer = await send("/_/document", (text) =>
      text.replace("    lent: boolean", "    lent: boolean\n    hook: text?"),
    );
    expect(answer.problem()).toMatchObject({ status: 409, code: "DOCUMENT_FIXED" });
    expect(answer.problem().detail).toContain("outside");
    expect((await inForce()).version).toBe(before.version);
    expect(await readFile(program.file, "utf8")).toContain("A note from outside.");
  });

  it("a body that is not a draft is rejected", async () => {
    for (const body of [{}, { base: 1, files: [] }, { base: "x", files: [] }, { base: "x", files: [{ file: "a" }] }])
      expect((await author.post("/_/document", body)).problem()).toMatchObject({ status: 400, code: "MALFORMED" });
  });
});
