import { beforeAll, describe, expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import type { Application } from "../../../src/core/wire/application.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

/* A transition back to the previous state. */

const text = `# Cases

## 1. What it does
\`\`\`yaml
locale: en-GB
\`\`\`
## 3. Entities
\`\`\`yaml
Case:
  label: "{title}"
  fields:
    title: text
    worker: { type: User, set: user }
\`\`\`
## 4. States
\`\`\`yaml
Case:
  field: status
  final: done
  states: [draft, { working: { title: In work } }, waiting, on_hold, done]
  transitions:
    begin:     { from: draft, to: working, by: member }
    submit:    { from: [draft, working], to: waiting, by: member }
    send_back: { from: waiting, to: previous, by: member, recorded in: came_from }
    hold:      { from: [draft, working, waiting], to: on_hold, by: member }
    resume:    { from: on_hold, to: previous, by: member, when: title != 'Stuck', recorded in: held_from }
    finish:    { from: [working, waiting, on_hold], to: done, by: member }
    rename:    { from: [draft, waiting, on_hold], to: same, by: member, asks: title }
  after:
    resume: { notify: worker, text: "{title} goes on." }
\`\`\`
## 6. Permissions
\`\`\`yaml
roles: { member: signed in }
permissions:
  User: { read: member }
  Case: { read: member, create: member, update: { role: member, fields: [title] } }
\`\`\`
`;

describe("a transition back", () => {
  let desk: TestServer;
  let mia: ApiClient;
  const add = async (title = "Door") => (await mia.post("/api/cases", { title })).record().id;
  const act = async (id: string, action: string) => await mia.post(`/api/cases/${id}/${action}`, {});
  const walk = async (id: string, ...actions: readonly string[]) => {
    for (const action of actions) expect((await act(id, action)).status).toBe(200);
    return (await mia.get(`/api/cases/${id}`)).record();
  };

  beforeAll(async () => {
    desk = await serveText(text);
    mia = await desk.person("Mia");
  });

  test("leads to the state in which the record was, and empties the field", async () => {
    expect(await walk(await add(), "begin", "hold")).toMatchObject({ status: "on_hold", held_from: "working" });
    expect(await walk(await add(), "begin", "hold", "resume")).toMatchObject({ status: "working", held_from: null });
    expect(await walk(await add(), "hold", "resume")).toMatchObject({ status: "draft", held_from: null });
  });

  test("goes back step by step, because a return is no new entry", async () => {
    const id = await add();
    expect(await walk(id, "begin", "submit", "hold")).toMatchObject({ held_from: "waiting", came_from: "working" });
    expect(await walk(id, "resume")).toMatchObject({ status: "waiting", held_from: null, came_from: "working" });
    expect(await walk(id, "send_back")).toMatchObject({ status: "working", came_from: null });
  });

  test("leaves nothing in the fields when the record goes on to another state", async () => {
    expect(await walk(await add(), "begin", "submit", "hold", "finish")).toMatchObject({
      status: "done",
      held_from: null,
      came_from: null,
    });
  });

  test("is no matter of a transition that stays in the state", async () => {
    const id = await add();
    await walk(id, "begin", "hold");
    const renamed = (await mia.post(`/api/cases/${id}/rename`, { title: "Window" })).record();
    expect(renamed).toMatchObject({ status: "on_hold", title: "Window", held_from: "working" });
    expect((await mia.get(`/api/cases/${id}/history`)).history()[0]?.changes).toEqual([
      { field: "title", before: "Door", after: "Window" },
    ]);
    await walk(id, "resume");
    expect((await mia.post(`/api/cases/${id}/rename`, { title: "Door" })).problem()).toMatchObject({
      status: 409,
      code: "WRONG_STATE",
    });
  });

  test("cannot be written in any other way", async () => {
    const id = await add();
    await walk(id, "hold");
    const refused = (await mia.patch(`/api/cases/${id}`, { held_from: "working" })).problem();
    expect(refused.status).toBe(403);
    expect((await mia.post("/api/cases", { title: "New", held_from: "working" })).problem().status).toBe(403);
  });

  test("happens once, whoever else acts at the same moment", async () => {
    const id = await add();
    await walk(id, "begin", "hold");
    const answers = await Promise.all([act(id, "resume"), act(id, "resume"), act(id, "finish"), act(id, "resume")]);
    const { status } = (await mia.get(`/api/cases/${id}`)).record();
    expect(["working", "done"]).toContain(status);
    const actions = (await mia.get(`/api/cases/${id}/history`)).history().map(({ action }) => action);
    expect(actions.filter((one) => one === "resume").length).toBeLessThanOrEqual(1);
    expect(answers.filter((one) => one.status === 200).length).toBe(actions.length - 3);
  });

  test("keeps its guard, and is explained with the state that is recorded", async () => {
    const id = await add("Stuck");
    await walk(id, "begin", "hold");
    expect((await act(id, "resume")).problem()).toMatchObject({ status: 409, code: "GUARD" });
    const { states, fields } = ((await mia.get("/_/application")).body as Application).entities.Case ?? {};
    expect(states?.transitions.find(({ name }) => name === "resume")).toMatchObject({
      to: ["draft", "working", "waiting"],
      previous: "held_from",
    });
    expect(fields?.find(({ name }) => name === "held_from")?.values).toContainEqual({
      value: "working",
      label: "In work",
    });
    const why = (await mia.get(`/api/why?do=Case.resume&record=${id}`)).body;
    expect(JSON.stringify(why)).toContain("Held from");
  });
});

describe("a transition back that can't know the previous state", () => {
  const codes = (from: string, to: string): readonly string[] =>
    compile({ file: "cases.md", text: text.replace(from, to) }).findings.map(
      ({ code, message }) => `${code}: ${message}`,
    );

  test("is reported", () => {
    expect(codes("", "")).toEqual([]);
    expect(codes(", recorded in: came_from", "").join()).toContain("needs “recorded in”");
    expect(codes("send_back: { from: waiting", "send_back: { from: draft").join()).toContain(
      "no record has a previous state there",
    );
    expect(codes("resume:    { from: on_hold,", "resume:    { from: [on_hold, waiting],").join()).toContain(
      "the state before waiting is no longer known",
    );
    expect(codes("recorded in: came_from", "recorded in: worker").join()).toContain("can’t hold a previous state");
    expect(codes("recorded in: came_from", "recorded in: came_from, needs: 2").join()).toContain(
      "leads to a named state",
    );
    expect(codes("recorded in: held_from", "recorded in: title").join()).toContain("can’t hold a previous state");
  });

  test("is an ordinary transition where a state has that name", () => {
    const findings = codes("states: [draft", "states: [previous, draft").join();
    expect(findings).toContain("“recorded in” is only for transitions with “needs”");
  });

  test("fills the field of records that were there before, if point 3 gives a value", async () => {
    const declared = text.replace(
      "    worker:",
      '    held_from: { type: choice?, title: Came from, fill: "draft" }\n    worker:',
    );
    const { model, findings } = compile({ file: "cases.md", text: declared });
    expect(findings).toEqual([]);
    expect(model?.entities.get("Case")?.fields.get("held_from")?.title).toBe("Came from");
  });
});
