import { beforeAll, describe, expect, test } from "vitest";
import type { Application } from "../../../src/core/wire/application.ts";
import type { RecordJson } from "../../../src/core/wire/records.ts";
import { type ApiClient, compiled, serveText, type TestServer } from "../program.ts";

/* A transition that needs several people. */

const text = `# Purchases

## 1. What it does
\`\`\`yaml
name: Purchases
locale: en-GB
timezone: Europe/Berlin
currency: EUR
\`\`\`
## 3. Entities
\`\`\`yaml
Request:
  label: "{title}"
  fields:
    title: text
    amount: money
    note: text?
    requester: { type: User, set: user }
    number: { type: sequence, pattern: "P-{n:3}", gapless: approve }
    asked_on: { type: date?, computed: today, kept: { until: approve } }
    lines: { list: Line.request }
Line:
  fields:
    request: { type: Request, part of: true }
    item: text
\`\`\`
## 4. States
\`\`\`yaml
Request:
  field: status
  initial: draft
  final: [approved, ordered]
  states: [draft, waiting, { approved: { tone: good } }, checking, ordered]
  transitions:
    submit:    { from: draft, to: waiting, by: requester }
    approve:   { from: waiting, to: approved, by: approver, needs: "amount > 1000 ? 2 : 1", recorded in: approved_by, until: [amount, lines], set: { note: "'Approved'" } }
    send_back: { from: waiting, to: draft, by: approver }
    take_back: { from: waiting, to: waiting, by: approver, when: "user in approved_by", set: { approved_by: "approved_by.filter(u, u != user)" } }
    check:     { from: draft, to: checking, by: requester }
    order:     { from: checking, to: ordered, needs: [approver, { role: finance, when: amount > 1000 }], recorded in: ordered_by }
    recheck:   { from: ordered, to: checking, by: approver, needs: 2, recorded in: rechecked_by }
  after:
    approve: { notify: requester, text: "{title} is approved." }
\`\`\`
## 5. Rules
\`\`\`yaml
Request:
  - { rule: "size(lines) > 0", during: approve, else: NO_LINES }
\`\`\`
## 6. Permissions
\`\`\`yaml
roles:
  member: { members: signed in }
  approver: { members: granted }
  finance: { members: granted }
  Request: { requester: "requester == user" }
permissions:
  User: { read: member }
  Request:
    read: member
    create: { role: member, fields: [title, amount] }
    update: { role: member, fields: [title, amount, note, lines] }
  Line:
    read: [{ like: request }]
    create: [{ like: { request: update } }]
    update: [{ like: { request: update } }]
    delete: [{ like: { request: update } }]
\`\`\`
## 8. Errors
\`\`\`yaml
NO_LINES: "Add a line."
\`\`\`
`;

const people = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map((one: { label: string }) => one.label).toSorted() : [];

describe("a transition that needs several people", () => {
  let desk: TestServer;
  let rita: ApiClient & { readonly id: string };
  let approvers: readonly (ApiClient & { readonly id: string })[];
  let ada: ApiClient;
  let ben: ApiClient;
  let fay: ApiClient;

  const at = (id: string, action = "") => `/api/requests/${id}${action === "" ? "" : `/${action}`}`;
  const now = async (id: string): Promise<RecordJson> => (await rita.get(at(id))).record();
  const request = async (amount: number, step = "submit"): Promise<string> => {
    const { id } = (await rita.post("/api/requests", { title: "Desk", amount: String(amount) })).record();
    expect((await rita.post("/api/lines", { request: id, item: "Desk" })).status).toBe(201);
    expect((await rita.post(at(id, step), {})).status).toBe(200);
    return id;
  };

  beforeAll(async () => {
    desk = await serveText(text);
    rita = await desk.person("Rita");
    approvers = await Promise.all(["Ada", "Ben", "Cem", "Dora"].map((name) => desk.person(name, ["approver"])));
    fay = await desk.person("Fay", ["finance", "approver"]);
    [ada = rita, ben = rita] = approvers;
  });

  test("waits for each of them, counts nobody twice, and then happens with its values and effects", async () => {
    const id = await request(2000);
    expect((await ada.get(at(id))).record().may?.transitions).toContain("approve");
    const first = (await ada.post(at(id, "approve"), {})).record();
    expect(first).toMatchObject({ status: "waiting", note: null, number: null });
    expect(people(first.approved_by)).toEqual(["Ada"]);
    const again = (await ada.post(at(id, "approve"), {})).problem();
    expect(again).toMatchObject({
      status: 409,
      code: "NEEDS_ANOTHER_PERSON",
      clause: "4.Request.approve",
      detail: "You have already done this. It needs another person.",
    });
    const { may } = (await ada.get(at(id))).record();
    expect(may?.transitions).not.toContain("approve");
    expect(may?.refused?.approve).toMatchObject({ code: "NEEDS_ANOTHER_PERSON" });
    expect(JSON.stringify((await ada.get(`/api/why?do=Request.approve&record=${id}`)).body)).toContain('"answer":"no"');
    const done = (await ben.post(at(id, "approve"), {})).record();
    expect(done).toMatchObject({ status: "approved", note: "Approved", number: "P-001" });
    expect(people(done.approved_by)).toEqual(["Ada", "Ben"]);
    const told = JSON.stringify((await rita.get("/_/notifications")).body);
    expect(told.split("Desk is approved.").length).toBe(2);
    const actions = (await rita.get(at(id, "history"))).history().map((line) => line.action);
    expect(actions.slice(0, 3)).toEqual(["approve_complete", "approve", "approve"]);
  });

  test("is shown with its people, and refused in the language of the reader", async () => {
    const id = await request(2000);
    await ada.post(at(id, "approve"), {});
    const german = (await ada.post(at(id, "approve"), {}, { "accept-language": "de" })).problem();
    expect(german.detail).toBe("Sie haben das schon getan. Jetzt ist eine andere Person nötig.");
    const { entities } = (await rita.get("/_/application")).body as Application;
    const steps = entities.Request?.states?.transitions ?? [];
    expect(steps.find(({ name }) => name === "approve")?.needs).toEqual({
      count: null,
      field: "approved_by",
      completion: "approve_complete",
    });
  });

  test("tells how many it needs of each record, alone and in lists, while it waits for them", async () => {
    const [large, small] = [await request(2000), await request(500)];
    const needed = async (id: string) => (await rita.get(at(id))).record().may?.needed;
    expect(await needed(large)).toEqual({ approve: 2 });
    expect(await needed(small)).toEqual({ approve: 1 });
    const list = (await ada.get("/api/requests?may=true")).list().items;
    expect(list.find(({ id }) => id === large)?.may?.needed).toEqual({ approve: 2 });
    // The browser requests rows with capabilities where their number depends on the record.
    const { screens } = (await rita.get("/_/application")).body as Application;
    const lists = screens.flatMap((screen) => (screen.kind === "list" ? [screen] : []));
    expect(lists.map(({ entity, capabilities }) => [entity, capabilities])).toEqual(
      expect.arrayContaining([
        ["Request", true],
        ["Line", undefined],
      ]),
    );
    expect((await ada.post(at(small, "approve"), {})).record().may?.needed).toBeUndefined();
    expect(await needed(small)).toBeUndefined();
  });

  test("tells how many it needs only of records whose deciding value the reader can read", async () => {
    const limited = await serveText(`# Purchases
## 3. Entities
\`\`\`yaml
Request: { label: "{title}", fields: { title: text, amount: integer, requester: { type: User, set: user } } }
\`\`\`
## 4. States
\`\`\`yaml
Request:
  field: status
  states: [waiting, approved]
  transitions:
    approve: { from: waiting, to: approved, by: clerk, needs: "amount > 1000 ? 2 : 1", recorded in: approved_by }
\`\`\`
## 6. Permissions
\`\`\`yaml
roles: { clerk: { members: granted }, guest: { members: granted } }
permissions:
  Request:
    read: [{ role: [clerk, guest], fields: [title, status] }, { role: clerk, when: requester == user }]
    create: clerk
\`\`\`
`);
    const [mia, tom] = [await limited.person("Mia", ["clerk"]), await limited.person("Tom", ["clerk"])];
    const guest = await limited.person("Gast", ["guest"]);
    const { id } = (await mia.post("/api/requests", { title: "Desk", amount: 2000 })).record();
    const needed = async (who: ApiClient) => [
      (await who.get(at(id))).record().may?.needed,
      (await who.get("/api/requests?may=true")).list().items[0]?.may?.needed,
    ];
    expect(await needed(mia)).toEqual([{ approve: 2 }, { approve: 2 }]);
    expect(await needed(tom)).toEqual([undefined, undefined]);
    expect(await needed(guest)).toEqual([undefined, undefined]);
  });

  test("needs as many as the record says", async () => {
    const id = await request(500);
    expect((await ada.post(at(id, "approve"), {})).record()).toMatchObject({ status: "approved" });
  });

  test("counts people who act at the same moment once each", async () => {
    const id = await request(2000);
    const answers = await Promise.all([...approvers, ...approvers].map((one) => one.post(at(id, "approve"), {})));
    const done = await now(id);
    expect(done.status).toBe("approved");
    expect(people(done.approved_by)).toHaveLength(2);
    expect(new Set(people(done.approved_by)).size).toBe(2);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
  });

  test("begins anew after a change of what was approved, of a part, and when it is sent back", async () => {
    const id = await request(2000);
    const approved = async () => people((await now(id)).approved_by);
    const approve = async () => {
      expect((await ada.post(at(id, "approve"), {})).status).toBe(200);
      expect(await approved()).toEqual(["Ada"]);
    };
    await approve();
    expect((await rita.patch(at(id), { title: "Chair" })).status).toBe(200);
    expect(await approved()).toEqual(["Ada"]);
    expect((await rita.patch(at(id), { amount: "3000" })).status).toBe(200);
    expect(await approved()).toEqual([]);
    await approve();
    expect((await rita.post("/api/lines", { request: id, item: "Lamp" })).status).toBe(201);
    expect(await approved()).toEqual([]);
    await approve();
    expect((await ben.post(at(id, "send_back"), {})).status).toBe(200);
    expect((await rita.post(at(id, "submit"), {})).status).toBe(200);
    expect(await approved()).toEqual([]);
    await approve();
    expect((await ada.post(at(id, "take_back"), {})).status).toBe(200);
    expect(await approved()).toEqual([]);
    const actions = (await rita.get(at(id, "history"))).history().map((line) => line.action);
    expect(actions).toContain("approve_void");
  });

  test("checks its rules with each person", async () => {
    const { id } = (await rita.post("/api/requests", { title: "Empty", amount: "2000" })).record();
    await rita.post(at(id, "submit"), {});
    expect((await ada.post(at(id, "approve"), {})).problem()).toMatchObject({ code: "NO_LINES" });
    expect(people((await now(id)).approved_by)).toEqual([]);
  });

  test("can lead back to where another one starts, which then needs its people again", async () => {
    const id = await request(500, "check");
    expect((await ada.post(at(id, "order"), {})).record().status).toBe("ordered");
    expect((await ada.post(at(id, "recheck"), {})).record().status).toBe("ordered");
    const back = (await ben.post(at(id, "recheck"), {})).record();
    expect([back.status, back.ordered_by]).toEqual(["checking", []]);
    const done = (await ada.post(at(id, "order"), {})).record();
    expect([done.status, done.rechecked_by]).toEqual(["ordered", []]);
  });

  test("needs the roles of a list in their order, each with another person", async () => {
    const id = await request(2000, "check");
    const finance = await desk.person("Flo", ["finance"]);
    expect((await finance.post(at(id, "order"), {})).problem()).toMatchObject({ status: 403, code: "FORBIDDEN" });
    expect((await fay.post(at(id, "order"), {})).record()).toMatchObject({ status: "checking" });
    expect((await ada.post(at(id, "order"), {})).problem()).toMatchObject({ code: "FORBIDDEN" });
    expect((await fay.post(at(id, "order"), {})).problem()).toMatchObject({ code: "NEEDS_ANOTHER_PERSON" });
    const done = (await finance.post(at(id, "order"), {})).record();
    expect(done.status).toBe("ordered");
    expect(people(done.ordered_by)).toEqual(["Fay", "Flo"]);
    const cheap = await request(10, "check");
    expect((await ada.post(at(cheap, "order"), {})).record().status).toBe("ordered");
    const other = await request(2000, "check");
    expect((await ada.post(at(other, "order"), {})).record().status).toBe("checking");
    const again = (await ada.post(at(other, "order"), {})).problem();
    expect(again).toMatchObject({ status: 409, code: "NEEDS_ANOTHER_PERSON" });
    expect((await ben.post(at(other, "order"), {})).problem()).toMatchObject({ status: 403, could: "Finance" });
  });

  test("lets nobody write the list or complete it by a call", async () => {
    const id = await request(2000);
    expect((await rita.patch(at(id), { approved_by: [rita.id] })).status).toBe(403);
    for (const created of ["approve_complete", "approve_void"])
      expect((await ada.post(at(id, created), {})).status).toBeGreaterThanOrEqual(400);
    const { paths } = (await ada.get("/api/openapi.json")).body as { paths: Record<string, unknown> };
    const steps = Object.keys(paths).filter((path) => path.includes("approve"));
    expect(steps).toEqual(["/api/requests/{id}/approve"]);
    expect(JSON.stringify(paths["/api/requests/{id}/approve"])).toContain("NEEDS_ANOTHER_PERSON");
  });
});

describe("the checker", () => {
  const changed = (from: string, to: string): string => {
    try {
      compiled(text.replace(from, to));
      return "";
    } catch (error) {
      return String(error);
    }
  };

  test("reports what such a transition cannot have", () => {
    expect(changed(", recorded in: approved_by", "")).toContain("needs “recorded in”");
    expect(changed("approve:   { from: waiting,", "approve:   { from: [waiting, draft],")).toContain(
      "starts in one state",
    );
    expect(changed("needs: [approver,", "by: approver, needs: [approver,")).toContain("names the roles already");
    expect(changed("recorded in: approved_by", "recorded in: requester")).toContain("is not a list of people");
    expect(changed("submit:    { from: draft,", "submit:    { until: title, from: draft,")).toContain(
      "only for transitions with",
    );
    expect(changed("until: [amount, lines]", "until: [amont]")).toContain("UNKNOWN_NAME");
    expect(changed('needs: "amount > 1000 ? 2 : 1"', "needs: amount")).not.toBe("");
  });
});
