import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import type { PicturesJson } from "../../src/core/wire.ts";
import { atRest, axeFindings, complaints, shifted, type Visit, visitWith } from "../web/browser.ts";
import { type Served, type Somebody, serveText } from "./program.ts";

/* A record's page: what followed from what, who somebody is, and whatever goes wrong while somebody types. */

const workshop = `
# Workshop

## 2. Screens and routes
\`\`\`yaml
/jobs:   { list: Job, columns: [name, owner, helpers, status] }
/tools:  { list: Tool }
/people: { list: User, columns: [name] }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
User: { fields: { hall: { type: text? } } }
Tool:
  label: "{name}"
  fields: { name: text, used: { type: integer, default: 0 } }
Job:
  label: "{name}"
  fields:
    name:    text
    tool:    { type: Tool? }
    owner:   { type: User, set: user }
    helpers: { type: User, many: true }
    days:    { type: integer?, max: 30 }
    plan:    { type: file? }
    photo:   { type: image? }
    remarks: { list: Remark.job }
    steps:   { list: Step.job }
Step:
  label: "{text}"
  fields: { job: { type: Job, part of: true }, text: text }
Remark:
  fields: { job: { type: Job, part of: true }, author: { type: User, set: user }, words: long text }
\`\`\`

## 4. States
\`\`\`yaml
Job:
  field: status
  states: [planned, begun, { done: { tone: good } }, { dropped: { tone: bad } }]
  transitions:
    begin:  { from: planned, to: begun, by: worker }
    finish: { from: begun, to: done, by: worker, asks: [days] }
    drop:   { from: [planned, begun], to: dropped, by: worker }
  after:
    begin: { update: tool, set: { used: "tool.used + 1" } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  worker:  { members: granted }
  visitor: { members: signed in }
  User:    { oneself: "this == user" }
permissions:
  User:
    read:   [{ role: worker, fields: [name, avatar] }, { role: visitor, fields: [name] }]
    update: [{ role: oneself, fields: [avatar] }]
  Tool:   { read: [worker, visitor], create: worker, update: worker, delete: worker }
  Job:    { read: [worker, visitor], create: worker, update: worker, delete: worker }
  Step:   { read: [worker, visitor], create: worker, update: worker, delete: worker }
  Remark: { read: [worker, visitor], create: worker, update: worker, delete: worker }
\`\`\`

## 9. Limits
\`\`\`yaml
upload_size: 20 kB
\`\`\`
`;

/** A picture of one pixel. */
const DOT = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

let desk: Served;
let url = "";
let ada: Somebody & { readonly id: string };
let ben: Somebody & { readonly id: string };
let vera: Somebody & { readonly id: string };
let picture = "";
const sent = async (somebody: Somebody, name: string, bytes: Buffer): Promise<string> => {
  const headers = { "content-type": "application/octet-stream" };
  return (await somebody.send("POST", `/_/files?name=${name}`, undefined, { raw: bytes, headers })).record().id;
};

beforeAll(async () => {
  desk = await serveText(workshop);
  url = await desk.listen();
  ada = await desk.person("Ada Lovelace", ["worker"]);
  ben = await desk.person("Ben Nevis", ["worker"]);
  vera = await desk.person("Vera Rubin");
  picture = await sent(ada, "ada.png", DOT);
  expect((await ada.patch(`/api/users/${ada.id}`, { avatar: picture })).status).toBe(200);
});

const see = (somebody: Somebody, path: string, more: Visit = {}): Promise<Page> =>
  visitWith(url, somebody.cookie(), { ...more, path });
const pictures = (page: Page) => page.locator(`img[src$="/api/users/${ada.id}/files/${picture}"]`);

describe("history", () => {
  test("says from what a line followed, with a way there, to whoever may see it", async () => {
    const tool = (await ada.post("/api/tools", { name: "Lathe" })).record().id;
    const job = (await ada.post("/api/jobs", { name: "Axle", tool, helpers: [] })).record().id;
    expect((await ada.post(`/api/jobs/${job}/begin`)).status).toBe(200);
    const page = await see(ada, `/tools/${tool}`);
    const cause = page.getByText("because of begin on the job Axle, clause 4.Job.after.begin.1");
    await cause.waitFor();
    await cause.getByRole("link", { name: "Axle" }).click();
    await page.getByRole("heading", { level: 1, name: "Axle" }).waitFor();
    expect(complaints(page)).toEqual([]);
  });
});

describe("pictures of people", () => {
  const asked = async (somebody: Somebody, ...people: readonly string[]) =>
    ((await somebody.get(`/_/pictures?of=${people.join(",")}`)).body as PicturesJson).items;

  test("are told to who may read them, and of those alone who have one", async () => {
    expect(await asked(ada, ada.id, ben.id)).toEqual([{ id: ada.id, file: picture }]);
    expect(await asked(ben, ada.id)).toEqual([{ id: ada.id, file: picture }]);
    expect(await asked(vera, ada.id, vera.id)).toEqual([]);
    expect(await asked(desk.visitor(), ada.id)).toEqual([]);
    for (const wrong of ["", "x", `${ada.id},`, Array.from({ length: 101 }, () => ada.id).join(",")])
      expect(await ben.get(`/_/pictures?of=${wrong}`)).toMatchObject({ status: 404 });
  });

  test("stand beside names in lists, on the record, in what is said and in the history, where nothing moves for them", async () => {
    const job = (await ada.post("/api/jobs", { name: "Frame", helpers: [ben.id, ada.id] })).record().id;
    await ada.post("/api/remarks", { job, words: "Mind the weld." });
    await ben.post("/api/remarks", { job, words: "Done." });
    const list = await see(ben, "/jobs");
    const row = list.getByRole("row").filter({ hasText: "Frame" });
    await expect.poll(() => row.locator("img").count()).toBeGreaterThan(0);
    await atRest(list);
    const sizes = await row.locator(".avatar").evaluateAll((all) =>
      all.map((one) => {
        const { width, height } = one.getBoundingClientRect();
        return `${width}×${height}`;
      }),
    );
    expect(new Set(sizes).size).toBe(1);
    // One question for all of them, and none for each.
    const questions: string[] = [];
    list.on("request", (request) => {
      if (request.url().includes("/_/pictures")) questions.push(request.url());
    });
    await list.goto(`${url}/jobs/${job}`);
    await list.getByText("Mind the weld.").waitFor();
    // The field of the owner, the one among the helpers, the comment, and the history.
    await expect.poll(() => pictures(list).count()).toBeGreaterThanOrEqual(3);
    await expect
      .poll(() => pictures(list).evaluateAll((all) => all.every((one) => (one as HTMLImageElement).naturalWidth > 0)))
      .toBe(true);
    await atRest(list);
    expect(questions.length).toBeLessThanOrEqual(4);
    expect(await list.getByText("BN", { exact: true }).count()).toBeGreaterThan(0);
    expect(await shifted(list)).toBeLessThan(0.1);
    expect(await axeFindings(list)).toEqual([]);
    expect(complaints(list)).toEqual([]);

    const other = await see(vera, `/jobs/${job}`);
    await other.getByText("Mind the weld.").waitFor();
    await atRest(other);
    expect(await other.locator(".avatar img").count()).toBe(0);
    expect(await other.getByText("AL", { exact: true }).count()).toBeGreaterThan(0);
    expect(complaints(other)).toEqual([]);
  });
});
