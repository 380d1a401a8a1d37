import { beforeAll, describe, expect, test } from "vitest";
import type { OwnAccountJson } from "../../../src/core/wire/accounts/account.ts";
import type { PersonAccountJson } from "../../../src/core/wire/accounts/people.ts";
import type { Application } from "../../../src/core/wire/application.ts";
import type { QuestionsJson } from "../../../src/core/wire/authoring/questions.ts";
import type { PermissionsJson, WhyJson } from "../../../src/core/wire/why.ts";
import { type Answer, type ApiClient, serveText, type TestServer } from "../program.ts";

/** The clauses, their conditions and the values found, for each reader, limited to the reader's permissions. */
const document = `# Desk

## 3. Entities
\`\`\`yaml
User: { fields: { manager: User?, secret_rank: { type: integer, default: "0" } } }
Request:
  label: "{note}"
  fields:
    employee: { type: User, set: user }
    deputy: User?
    kind: { type: choice, values: [holiday, sick] }
    note: text
    price: integer?
Diary:
  fields:
    owner: { type: User, set: user }
    text: text
\`\`\`
## 4. States
\`\`\`yaml
Request:
  field: status
  states: [draft, submitted, granted]
  transitions:
    submit: { from: draft, to: submitted, by: employee, when: "kind != sick" }
    grant:  { from: submitted, to: granted, by: [deputy, boss, chief] }
\`\`\`
## 5. Rules
\`\`\`yaml
Request:
  - { rule: "size(note) > 3", during: submit, else: NOTE_SHORT }
\`\`\`
## 6. Roles and permissions
\`\`\`yaml
roles:
  staff: { members: signed in }
  chief: { members: granted }
  Request:
    employee: "employee == user"
    deputy:   "deputy == user"
    boss:     "employee.manager == user"
  Diary: { owner: "owner == user" }
permissions:
  User: { read: [{ role: staff, fields: [name] }, { role: chief }], update: [{ role: chief, fields: [manager] }] }
  Request:
    read:   [{ role: staff, fields: [employee, deputy, kind, note, status] }]
    create: [{ role: staff, fields: [deputy, kind, note] }]
    update: [{ role: employee, when: "status == draft && kind == holiday", fields: [note, kind] }, { role: chief, when: "price != null" }]
    delete: [{ role: employee, when: "status == draft" }]
  Diary: { read: [owner], create: [{ role: staff, fields: [text] }], update: [owner] }
\`\`\`
## 8. Errors
\`\`\`yaml
NOTE_SHORT: { status: 422, message: "The note is too short." }
\`\`\`
`;

type Person = ApiClient & { readonly id: string };

let desk: TestServer;
let ada: Person;
let ben: Person;
let chief: Person;
let admin: Person;
let id = "";
let diary = "";

beforeAll(async () => {
  desk = await serveText(document);
  ada = await desk.person("Ada", []);
  ben = await desk.person("Ben", []);
  chief = await desk.person("Chief", ["chief"]);
  admin = await desk.person("Root", ["administrator"]);
  id = (await ada.post("/api/requests", { kind: "sick", note: "Flu" })).record().id;
  diary = (await ada.post("/api/diaries", { text: "Today" })).record().id;
});

const why = async (who: Person, what: string, more = `&record=${id}`): Promise<WhyJson> => {
  const answer = await who.get(`/api/why?do=${what}${more}`);
  expect(answer.status).toBe(200);
  return answer.body as WhyJson;
};

describe("an explanation names each clause, its condition, and the facts", () => {
  test("for a role on the record, of a person who does not have it", async () => {
    const answer = await why(ben, "Request.update");
    expect(answer).toMatchObject({
      answer: "no",
      because: "Only the employee (Ada) or a chief can edit this request.",
      // The request is not for a holiday, so Ada could not grant it either.
      could: "a chief",
    });
    expect(answer.ways).toEqual([
      {
        clause: "6.Request.update",
        role: "employee",
        title: "Employee",
        held: true,
        open: false,
        needs: [
          {
            clause: "6.roles.Request.employee",
            says: "you are the employee",
            holds: false,
            found: [{ field: "Employee", value: "Ada" }],
          },
          {
            clause: "6.Request.update",
            says: "the status is “Draft”",
            holds: true,
            found: [{ field: "Status", value: "Draft" }],
          },
          {
            clause: "6.Request.update",
            says: "the kind is “Holiday”",
            holds: false,
            found: [{ field: "Kind", value: "Sick" }],
          },
        ],
      },
    ]);
  });

  test("and what the closest permission lacks", async () => {
    expect(await why(ada, "Request.update")).toMatchObject({ answer: "no", because: "The kind is not “Holiday”." });
  });

  test("and includes guards and rules", async () => {
    const answer = await why(ada, "Request.submit");
    expect(answer).toMatchObject({ answer: "no", because: "The kind is “Sick”." });
    expect(answer.musts.map(({ clause, says, holds }) => [clause, says, holds])).toEqual([
      ["4.Request.submit", "the status is “Draft”", true],
      ["4.Request.submit", "the kind is not “Sick”", false],
      ["5.Request.NOTE_SHORT", "a condition of the specification is met", false],
    ]);
  });

  test("and what is possible", async () => {
    expect(await why(ada, "Request.delete")).toMatchObject({ answer: "yes", could: null });
  });

  test("and agrees with what happens", async () => {
    for (const who of [ada, ben, chief])
      for (const what of ["submit", "grant"]) {
        const { answer } = await why(who, `Request.${what}`);
        const { may } = (await who.get(`/api/requests/${id}`)).record();
        if (what === "grant") expect(may?.transitions.includes(what)).toBe(answer === "yes");
        else expect(answer).toBe("no");
      }
  });
});

describe("an explanation reveals nothing that its reader can’t read", () => {
  test("it leaves out a condition on hidden values if it could reveal more than one", async () => {
    const answer = await why(chief, "Request.update");
    // Nobody can read the price; that it is missing follows from the refusal.
    expect(answer.ways[1]?.needs).toMatchObject([{ holds: false, found: [] }]);
  });

  test("it names a role that depends on hidden values, and not what it depends on", async () => {
    const sent = (await ada.post("/api/requests", { kind: "holiday", note: "To the sea" })).record().id;
    await ada.post(`/api/requests/${sent}/submit`, {});
    const answer = await why(ben, "Request.grant", `&record=${sent}`);
    const boss = answer.ways.find(({ role }) => role === "boss");
    expect(boss?.needs).toEqual([
      { clause: "6.roles.Request.boss", says: "you are the boss here", holds: false, found: [] },
    ]);
    expect(JSON.stringify(answer)).not.toContain("manager");
  });

  test("it hides the condition of a role from people without it, and shows it to an author", async () => {
    expect((await why(ben, "Request.update")).ways.map(({ role }) => role)).toEqual(["employee"]);
  });

  test("for a hidden record it equals the one for a missing record", async () => {
    const [hidden, none] = await Promise.all([
      ben.get(`/api/why?do=Diary.update&record=${diary}`),
      ben.get("/api/why?do=Diary.update&record=01a1f40a-58ca-7a05-9984-7eae99dc592e"),
    ]);
    expect(hidden.body).toMatchObject({ answer: "unseen" });
    expect(none.text).toBe(hidden.text);
  });

  test("there is none for visitors and missing records", async () => {
    expect((await desk.visitor().get(`/api/why?do=Request.update&record=${id}`)).status).toBe(401);
    for (const what of ["Nothing.read", "Request.fly", "", "Request"])
      expect((await ada.get(`/api/why?do=${what}&record=${id}`)).problem()).toMatchObject({ code: "BAD_QUERY" });
  });

  test("only administrators ask for others, and that is audited", async () => {
    const url = `/api/why?do=Request.update&record=${id}&as=${ben.id}`;
    expect((await ada.get(url)).problem()).toMatchObject({ status: 403, clause: "6.administrator" });
    expect((await admin.get(url)).status).toBe(200);
    const { rows } = await desk.database.query(
      "select person, record, action from ninefold.audit where action = 'ask_for'",
    );
    expect(rows).toEqual([{ person: admin.id, record: ben.id, action: "ask_for" }]);
  });
});

describe("a refusal has its reason", () => {
  test("the facts of the record, and people who could do it", async () => {
    const problem = (await ben.patch(`/api/requests/${id}`, { note: "Other" })).problem();
    expect(problem).toMatchObject({
      status: 403,
      code: "FORBIDDEN",
      because: "Only the employee (Ada) or a chief can edit this request.",
      // The request is not for a holiday, so Ada could not grant it either.
      could: "a chief",
    });
    const guard = (await ada.post(`/api/requests/${id}/submit`, {})).problem();
    expect(guard).toMatchObject({ status: 409, code: "GUARD", because: "The kind is “Sick”." });
  });

  test("unless it is about a hidden record", async () => {
    const problem = (await ben.patch(`/api/diaries/${diary}`, { text: "x" })).problem();
    expect(problem).toMatchObject({ status: 404, code: "NOT_FOUND" });
    expect(problem).not.toHaveProperty("because");
  });
});

/** Hidden data decide many outcomes in this document; explanations must not depend on them. */
const depot = `# Depot

## 3. Entities
\`\`\`yaml
Item:
  label: "{name}"
  fields:
    name: text
    kind: { type: choice, values: [tool, machine] }
    weight: integer?
    place: text?
    secret: integer?
    by: { type: text?, once: true }
Safe:
  fields: { code: text }
\`\`\`
## 4. States
\`\`\`yaml
Item:
  field: status
  states: [kept, lent, gone]
  transitions:
    lend:   { from: kept, to: lent, by: [{ role: keeper, when: "kind == tool" }], asks: [place] }
    weigh:  { from: kept, to: kept, by: keeper, when: "weight != null && secret == null" }
    return: { from: lent, to: kept, by: [keeper, clerk] }
    drop:   { from: kept, to: gone }
\`\`\`
## 5. Rules
\`\`\`yaml
Item:
  - { rule: "weight > 3 && secret == null", during: [return], else: HEAVY }
  - { rule: "weight != null", when: "kind == machine", during: [weigh], else: UNWEIGHED }
  - { rule: "status == lent || place != null", during: [lend], else: NOWHERE }
\`\`\`
## 6. Roles and permissions
\`\`\`yaml
roles: { keeper: { members: granted }, clerk: { members: granted }, owner: { members: granted } }
permissions:
  Item:
    read:   [{ role: keeper, fields: [name, kind, weight, place, by, status] }, { role: clerk, fields: [name, kind] }, owner]
    create: [owner]
    update: [{ role: keeper, when: "weight > 3 && secret == null", fields: [weight] }, { role: owner, fields: [name, weight, place, secret] }]
    delete: [{ role: keeper, when: "kind == tool" }, { role: keeper, when: "secret == null" }]
  Safe: { read: [owner], create: [owner] }
\`\`\`
## 7. Calls
\`\`\`yaml
base: /v1
calls:
  POST /items/{id}/loan: { transition: Item.lend }
  GET /audit: { list: Item, by: [owner] }
\`\`\`
## 8. Errors
\`\`\`yaml
HEAVY: { status: 422, message: "It is too light." }
UNWEIGHED: { status: 422, message: "It was not weighed." }
NOWHERE: { status: 422, message: "It stands nowhere." }
\`\`\`
`;

describe("hidden facts that decide", () => {
  let store: TestServer;
  let keeper: Person;
  let clerk: Person;
  let owner: Person;
  const items = new Map<string, string>();

  beforeAll(async () => {
    store = await serveText(depot);
    keeper = await store.person("Kim", ["keeper"]);
    clerk = await store.person("Cleo", ["clerk"]);
    owner = await store.person("Olga", ["owner"]);
    for (const kind of ["tool", "machine"])
      for (const weight of [1, 9])
        for (const secret of [null, 5]) {
          const created = await owner.post("/api/items", { name: "It", kind, weight, secret });
          items.set(`${kind} ${weight} ${secret}`, created.record().id);
        }
  });

  const request = async (who: Person, what: string, item: string | null, more = ""): Promise<WhyJson> => {
    const answer = await who.get(`/api/why?do=${what}&record=${item === null ? "" : items.get(item)}${more}`);
    expect(answer.status).toBe(200);
    return answer.body as WhyJson;
  };

  test("in the condition of a role in `by` are a step like others", async () => {
    expect(await request(keeper, "Item.lend", "tool 1 null")).toMatchObject({ answer: "yes" });
    const answer = await request(keeper, "Item.lend", "machine 1 null");
    expect(answer).toMatchObject({ answer: "no", because: "The kind is not “Tool”.", could: null });
    expect(answer.ways).toMatchObject([
      { role: "keeper", held: true, open: false, needs: [{ says: "the kind is “Tool”", holds: false }] },
    ]);
  });

  test("hide the whole rule that reads them", async () => {
    for (const item of ["tool 9 null", "tool 9 5"]) {
      const { musts } = await request(keeper, "Item.return", item);
      expect(musts.find(({ clause }) => clause === "5.Item.HEAVY")).toEqual({
        clause: "5.Item.HEAVY",
        says: "a condition that you can’t see is met",
        holds: null,
        found: [],
      });
    }
  });

  test("the state is shown to people who can read it; others see neither it nor the states that are required", async () => {
    expect((await request(keeper, "Item.return", "tool 9 null")).musts[0]).toEqual({
      clause: "4.Item.return",
      says: "the status is “Lent”",
      holds: false,
      found: [{ field: "Status", value: "Kept" }],
    });
    const answer = await request(clerk, "Item.return", "tool 9 null");
    expect(answer.because).toBe("“Return” isn’t possible for this item in its current state.");
    expect(answer.musts[0]).toEqual({
      clause: "4.Item.return",
      says: "its state allows “Return”",
      holds: null,
      found: [],
    });
  });

  test("two records that differ only in hidden values have the same explanation if neither allows the action", async () => {
    for (const [what, one, other] of [
      ["Item.update", "tool 1 null", "tool 1 5"],
      ["Item.lend", "machine 9 null", "machine 9 5"],
      ["Item.return", "tool 9 null", "tool 9 5"],
      ["Item.delete", "tool 1 null", "tool 1 5"],
    ] as const)
      expect([what, await request(keeper, what, one)]).toEqual([what, await request(keeper, what, other)]);
  });

  test("effects that refuse are shown, without their name if it is hidden", async () => {
    const answer = await request(keeper, "Item.update", "tool 9 5");
    expect(answer).toMatchObject({ answer: "no", because: "You don’t have access to the reason." });
    expect(answer.ways[0]?.needs).toMatchObject([
      { says: "the weight is more than 3", holds: true, found: [{ field: "Weight", value: "9" }] },
      { says: "a condition that you can’t see is met", holds: false, found: [] },
    ]);
  });

  test("a permission with hidden values is omitted if another one applies", async () => {
    const { answer, ways } = await request(keeper, "Item.delete", "tool 1 null");
    expect([answer, ways.map(({ open }) => open)]).toEqual(["yes", [true, null]]);
    expect((await request(keeper, "Item.delete", "machine 1 null")).ways.map(({ open }) => open)).toEqual([
      false,
      true,
    ]);
  });

  test("a rule with a condition is checked under it; one that reads the input is checked later", async () => {
    const [weighed, later] = [
      (await request(keeper, "Item.weigh", "tool 1 null")).musts.find(({ clause }) => clause === "5.Item.UNWEIGHED"),
      (await request(keeper, "Item.lend", "tool 1 null")).musts.find(({ clause }) => clause === "5.Item.NOWHERE"),
    ];
    expect(weighed).toMatchObject({ says: "if the kind is “Machine”, the weight is set", holds: true });
    expect(later).toMatchObject({ holds: null, later: true, found: [] });
  });

  test("facts that the person can do nothing about are omitted entirely", async () => {
    const texts = await Promise.all(
      ["Safe.update", "Wall.update"].map(async (what) => (await clerk.get(`/api/why?do=${what}&record=`)).text),
    );
    expect(texts[0]?.replace("Safe", "Wall")).toBe(texts[1]);
    expect(texts[0]).toContain("BAD_QUERY");
    expect((await clerk.get("/api/why?do=Item.weigh")).problem()).toMatchObject({ code: "BAD_QUERY" });
    expect((await clerk.get("/_/permissions?of=Safe")).problem()).toMatchObject({ code: "BAD_QUERY" });
  });

  test("without a record: what the role alone decides, and what it depends on", async () => {
    expect(await request(keeper, "Item.create", null)).toMatchObject({
      answer: "no",
      because: "Only an owner can create an item.",
      could: "an owner",
    });
    expect(await request(owner, "Item.create", null)).toMatchObject({ answer: "yes" });
    expect(await request(keeper, "Item.update", null)).toMatchObject({
      answer: "depends",
      ways: [{ needs: [{ says: "the weight is more than 3", holds: null }, { holds: null }] }],
    });
    expect(await request(owner, "Item.drop", "tool 1 null")).toMatchObject({
      answer: "no",
      because: "The specification doesn’t say who can do “Drop”. Until it does, only an administrator can.",
    });
  });

  test("for one field: who can read or change it; a hidden one equals a missing one", async () => {
    expect(await request(keeper, "Item.read", "tool 1 null", "&field=weight")).toMatchObject({ answer: "yes" });
    expect(await request(keeper, "Item.update", "tool 9 null", "&field=Place")).toMatchObject({
      answer: "no",
      because: "Only an owner can edit “Place”.",
    });
    expect(await request(keeper, "Item.update", "tool 9 null", "&field=by")).toMatchObject({
      because: "“By” can’t be edited after the record is created.",
    });
    const [hidden, none] = [
      await request(keeper, "Item.read", "tool 1 null", "&field=secret"),
      await request(keeper, "Item.read", "tool 1 null", "&field=nonsense"),
    ];
    expect(JSON.stringify(hidden).replace("secret", "nonsense")).toBe(JSON.stringify(none));
    expect(hidden.answer).toBe("unseen");
  });

  test("all possible actions of a person in one response", async () => {
    const { items: all } = (await keeper.get(`/_/permissions?of=Item&record=${items.get("tool 9 null")}`))
      .body as PermissionsJson;
    expect(all.map((one) => [one.do, one.answer])).toEqual([
      ["Item.read", "yes"],
      ["Item.create", "no"],
      ["Item.update", "yes"],
      ["Item.delete", "yes"],
      ["Item.lend", "yes"],
      ["Item.weigh", "yes"],
      ["Item.return", "no"],
      ["Item.drop", "no"],
    ]);
  });

  test("a refused call of the document has its reason too", async () => {
    const refused = await keeper.post(`/v1/items/${items.get("machine 1 null")}/loan`, { place: "Yard" });
    expect(refused.problem()).toMatchObject({
      code: "FORBIDDEN",
      because: "The kind is not “Tool”.",
    });
    expect((await clerk.get("/v1/audit")).problem()).toMatchObject({
      code: "FORBIDDEN",
      detail: "Only an owner can do this.",
      could: "an owner",
    });
  });

  test("an undecided permission is requested once, and the author sees the case, the options and their effects", async () => {
    const ask = (who: Person, what: string) => who.post("/_/questions", { do: what, record: items.get("tool 1 null") });
    const answers = await Promise.all([ask(keeper, "Item.drop"), ask(owner, "Item.drop")]);
    expect(answers.map(({ status }) => status)).toEqual([204, 204]);
    expect((await ask(keeper, "Item.drop")).status).toBe(204);
    // Questions about decided points, or about points that the person may not know, are refused.
    for (const [who, what] of [
      [keeper, "Item.lend"],
      [clerk, "Item.drop"],
      [keeper, "Safe.open"],
    ] as const)
      expect((await ask(who, what)).problem()).toMatchObject({ code: "BAD_QUERY" });
    expect((await keeper.get("/_/questions")).status).toBe(403);
    const root = await store.person("Root", ["administrator"]);
    const { items: questions } = (await root.get("/_/questions")).body as QuestionsJson;
    expect(questions).toMatchObject([
      {
        do: "Item.drop",
        clause: "4.Item.drop",
        records: 8,
        answers: [
          { role: "keeper", people: 1 },
          { role: "owner", people: 1 },
          { role: "clerk", people: 1 },
        ],
      },
    ]);
    expect(questions[0]?.asked.map(({ name }) => name).sort()).toEqual(["Kim", "Olga"]);
    expect(await request(owner, "Item.drop", null)).toMatchObject({ undecided: true });
  });
});

describe("an undecided permission", () => {
  const open = `# Boxes

## 2. Screens
\`\`\`yaml
/boxes: { list: Box, columns: [name] }
/notes/new: { form: Note, fields: [text] }
\`\`\`
## 3. Entities
\`\`\`yaml
Box: { fields: { name: text, owner: { type: User, set: user } } }
Note: { fields: { text: text, rank: integer?, by_whom: { type: User, set: user } } }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { staff: { members: signed in }, keeper: { members: granted } }
permissions:
  Note: { read: [staff], create: [staff] }
\`\`\`
## 7. Calls
\`\`\`yaml
conventional: all
calls: { GET /v1/boxes: { list: Box } }
\`\`\`
`;

  test("is named in the refusal, and requested: read, create, change a field, delete, a screen, a call", async () => {
    const store = await serveText(open);
    const root = await store.person("Root", ["administrator"]);
    const [kim, lou] = [await store.person("Kim", ["keeper"]), await store.person("Lou")];
    const note = (await kim.post("/api/notes", { text: "One" })).record().id;
    await kim.post("/api/notes", { text: "Two" });
    await root.post("/api/boxes", { name: "A" });

    const refusals = [
      [await kim.get("/api/boxes"), "Box.read"],
      [await kim.get("/api/v1/boxes"), "Box.read"],
      [await kim.post("/api/boxes", { name: "B" }), "Box.create"],
      [await kim.patch(`/api/notes/${note}`, { rank: 2 }), "Note.update"],
      [await kim.delete(`/api/notes/${note}`), "Note.delete"],
    ] as const;
    for (const [answer, undecided] of refusals) expect(answer.problem()).toMatchObject({ status: 403, undecided });
    expect((await kim.delete(`/api/notes/${note}`)).problem().detail).toBe(
      "The specification doesn’t say who can delete a note. Until it does, no one can.",
    );
    expect((await kim.post("/api/notes", {})).problem().undecided).toBeUndefined();

    expect((await kim.get("/_/questions?where=/boxes")).body).toEqual({ undecided: "Box.read" });
    expect((await kim.get("/_/questions?where=/notes/new")).body).toEqual({ undecided: null });
    const wanted = [
      { where: "/boxes" },
      { where: "GET /v1/boxes" },
      { do: "Box.create" },
      { do: "Note.update", record: note, field: "rank" },
      { do: "Note.delete", record: note },
    ];
    for (const one of wanted) expect((await kim.post("/_/questions", one)).status).toBe(204);
    expect((await lou.post("/_/questions", { do: "Note.delete" })).status).toBe(204);
    for (const one of [{ do: "Note.create" }, { do: "User.create" }, { do: "Nothing.read" }, { where: "/nowhere" }])
      expect((await kim.post("/_/questions", one)).problem()).toMatchObject({ code: "BAD_QUERY" });

    const { items } = (await root.get("/_/questions")).body as QuestionsJson;
    const byName = new Map(items.map((one) => [one.do, one]));
    expect([...byName.keys()].sort()).toEqual(["Box.create", "Box.read", "Note.delete", "Note.update"]);
    expect(byName.get("Box.read")).toMatchObject({
      records: 1,
      asked: [{ name: "Kim", where: "/boxes" }],
      answers: [
        { writes: 'read: [{ role: staff, when: "owner == user" }]', own: "Owner", people: 3, records: 1 },
        { writes: "read: [keeper]", people: 1, records: 1 },
        { writes: "read: [staff]", people: 3, records: 1 },
      ],
    });
    expect(byName.get("Note.update")).toMatchObject({
      field: "Rank",
      records: 2,
      answers: [
        { writes: 'update: [{ role: staff, when: "by_whom == user", fields: [rank] }]', records: 2 },
        { writes: "update: [{ role: keeper, fields: [rank] }]" },
        { writes: "update: [{ role: staff, fields: [rank] }]" },
      ],
    });
    expect(byName.get("Box.create")?.answers.map(({ records }) => records)).toEqual([null, null, null]);
    expect(byName.get("Note.delete")?.asked.map(({ name }) => name)).toEqual(["Lou", "Kim"]);
    await store.stop();
  });
});

describe("viewing as another person", () => {
  const look = (who: Person, person: string) => who.post("/_/look", { person });

  test("shows their view, changes nothing, is audited, and ends where it began", async () => {
    const root = await desk.person("Looker", ["administrator"]);
    expect((await root.get("/api/requests")).status).toBe(200);
    const begun = await look(root, ada.id);
    // The session is the existing one; there is no second one in a cookie.
    expect([begun.status, begun.headers.getSetCookie()]).toEqual([204, []]);
    const seen = (await root.get("/_/application")).body as Application;
    expect(seen.person).toMatchObject({ id: ada.id, name: "Ada", looked: true });
    expect((await root.get(`/api/requests/${id}`)).record().may).toEqual(
      (await ada.get(`/api/requests/${id}`)).record().may,
    );
    // A known token writes in one message; neither form of the write succeeds.
    for (const refused of [
      await root.patch(`/api/requests/${id}`, { note: "Mine" }),
      await root.post("/api/requests", { kind: "sick", note: "Mine" }),
      await root.delete(`/api/requests/${id}`),
      await root.post("/_/questions", { do: "Request.submit" }),
      await root.post("/_/account/password", { current: "x", password: "yyyyyyyyyyyy" }),
      await look(root, ben.id),
    ])
      expect(refused.problem()).toMatchObject({ status: 403, clause: "6.administrator" });
    expect((await ada.get("/api/requests?count=true")).list().count).toBe(
      (await root.get("/api/requests?count=true")).list().count,
    );
    const { rows } = await desk.database.query("select person, record from ninefold.audit where action = 'look_as'");
    expect(rows).toEqual([{ person: root.id, record: ada.id }]);
    const ended = await root.delete("/_/look");
    expect([ended.status, ended.headers.getSetCookie()]).toEqual([204, []]);
    expect(((await root.get("/_/application")).body as Application).person).toMatchObject({ id: root.id });
    expect((await root.get("/_/people")).status).toBe(200);
  });

  test("names the administrator in the audit and in the log of refusals, whatever they request", async () => {
    const root = await desk.person("Watcher", ["administrator"]);
    const other = await desk.person("Watched", ["administrator"]);
    await look(root, other.id);
    expect((await root.get(`/api/why?do=Request.update&as=${ada.id}`)).status).toBe(200);
    expect((await root.get(`/_/permissions?of=Request&as=${ben.id}`)).status).toBe(200);
    const { rows } = await desk.database.query(
      "select person, record from ninefold.audit where action = 'ask_for' and person = any($1) order by id",
      [[root.id, other.id]],
    );
    expect(rows).toEqual([
      { person: root.id, record: ada.id },
      { person: root.id, record: ben.id },
    ]);
    // The second time, the session is read together with the data.
    const nothing = "/api/requests/01a1f40a-58ca-7a05-9984-7eae99dc592e";
    for (let time = 0; time < 2; time++) expect((await root.get(nothing)).status).toBe(404);
    await desk.refusals.write();
    const refused = await desk.database.query("select person from ninefold.refusal where person = any($1)", [
      [root.id, other.id],
    ]);
    expect(refused.rows).toEqual([{ person: root.id }, { person: root.id }]);
  });

  test("is shown on the account’s page to administrators, and is in no history of the person", async () => {
    const root = await desk.person("Keeper", ["administrator"]);
    await look(root, ben.id);
    await admin.get(`/api/why?do=Request.update&record=${id}&as=${ben.id}`);
    const account = (await admin.get(`/_/people/${ben.id}`)).body as PersonAccountJson;
    expect(account.history.map(({ action }) => action)).toEqual(expect.arrayContaining(["look_as", "ask_for"]));
    for (const who of [ada, ben, chief])
      for (const of of [ben, ada]) {
        const lines = (await who.get(`/api/users/${of.id}/history`)).history();
        expect(lines.map(({ action }) => action)).toEqual(["create"]);
      }
  });

  test("is for administrators and existing people, and ends when the administrator loses the role", async () => {
    expect((await look(ada, ben.id)).problem()).toMatchObject({ status: 403 });
    const root = await desk.person("Former", ["administrator"]);
    expect((await look(root, "01a1f40a-58ca-7a05-9984-7eae99dc592e")).problem()).toMatchObject({ status: 404 });
    expect((await look(root, root.id)).problem()).toMatchObject({ status: 404 });
    expect((await look(root, ada.id)).status).toBe(204);
    expect((await root.get("/_/account")).status).toBe(200);
    await desk.database.query('update app."user" set roles = array[]::text[] where id = $1', [root.id]);
    expect((await root.get("/_/account")).status).toBe(401);
  });

  const application = async (who: Person) => ((await who.get("/_/application")).body as Application).person;
  const PASSWORD = "correct horse battery";
  let nth = 0;
  /** Two persons signed in with passwords: an administrator, who views as the other. */
  const pairLooking = async () => {
    nth++;
    const accounts = [
      await desk.account(`Overseer ${"x".repeat(nth)}`, PASSWORD, ["administrator"]),
      await desk.account(`Overseen ${"x".repeat(nth)}`, PASSWORD),
    ];
    const [overseer, overseen] = await Promise.all(
      accounts.map(async ({ id, email }) => {
        const visitor = desk.visitor();
        expect((await visitor.post("/_/session", { email, password: PASSWORD })).status).toBe(204);
        return { ...visitor, id, email };
      }),
    );
    if (overseer === undefined || overseen === undefined) throw new Error("nobody is signed in");
    expect((await look(overseer, overseen.id)).status).toBe(204);
    expect(await application(overseer)).toMatchObject({ id: overseen.id, looked: true });
    return { overseer, overseen };
  };
  type Looking = Awaited<ReturnType<typeof pairLooking>>;
  const link = async (of: string) =>
    /password=(.+)$/u.exec(((await admin.post(`/_/people/${of}/password_link`)).body as { link: string }).link)?.[1];

  test.each<readonly [string, (looking: Looking) => Promise<Answer>]>([
    ["ends their sessions", ({ overseer }) => admin.post(`/_/people/${overseer.id}/end_sessions`)],
    ["deactivates them", ({ overseer }) => admin.post(`/_/people/${overseer.id}/deactivate`)],
    [
      "resets their password by a link",
      async ({ overseer }) =>
        desk.visitor().post("/_/password", { token: await link(overseer.id), password: "another good password" }),
    ],
    [
      "changes the administrator’s password elsewhere",
      async ({ overseer: { email } }) => {
        const elsewhere = desk.visitor();
        await elsewhere.post("/_/session", { email, password: PASSWORD });
        return elsewhere.post("/_/account/password", { current: PASSWORD, password: "another good password" });
      },
    ],
  ])("ends with the administrator’s session, when somebody %s", async (_, ends) => {
    const looking = await pairLooking();
    expect((await ends(looking)).status).toBe(204);
    expect(await application(looking.overseer)).toBe(null);
    await looking.overseer.delete("/_/look");
    expect(await application(looking.overseer)).toBe(null);
  });

  test.each<readonly [string, (looking: Looking) => Promise<Answer>]>([
    ["an administrator ends their sessions", ({ overseen }) => admin.post(`/_/people/${overseen.id}/end_sessions`)],
    ["they are deactivated", ({ overseen }) => admin.post(`/_/people/${overseen.id}/deactivate`)],
    [
      "they change their password",
      ({ overseen }) => overseen.post("/_/account/password", { current: PASSWORD, password: "another good password" }),
    ],
    ["they end all other sessions", ({ overseen }) => overseen.delete("/_/account/sessions")],
    [
      "they end that session",
      async ({ overseen }) => {
        const { open } = (await overseen.get("/_/account")).body as OwnAccountJson;
        return overseen.delete(`/_/account/sessions/${open.find(({ viewer }) => viewer !== undefined)?.id}`);
      },
    ],
    [
      "half an hour is over",
      async ({ overseen }) => {
        desk.ahead(30 * 60_000 + 1_000);
        return overseen.delete("/_/session");
      },
    ],
  ])("ends with the other person’s session too, when %s, and the administrator can return", async (_, ends) => {
    const looking = await pairLooking();
    expect((await ends(looking)).status).toBe(204);
    expect(await application(looking.overseer)).toBe(null);
    expect((await looking.overseer.delete("/_/look")).status).toBe(204);
    expect(await application(looking.overseer)).toMatchObject({ id: looking.overseer.id });
    desk.ahead(0);
  });

  test("is marked in the lists of sessions: with its administrator for administrators, and as such for the person", async () => {
    const { overseer, overseen } = await pairLooking();
    const open = async (of: string) => ((await admin.get(`/_/people/${of}`)).body as PersonAccountJson).open;
    const own = ((await overseen.get("/_/account")).body as OwnAccountJson).open;
    expect(own.map(({ viewer, agent, address }) => [viewer, agent, address])).toContainEqual([null, "", ""]);
    expect(own).toHaveLength(2);
    expect((await open(overseen.id)).map(({ viewer }) => viewer)).toContain("Overseer xxxxxxxxxxx");
    expect((await open(overseer.id)).map(({ viewing }) => viewing)).toEqual(["Overseen xxxxxxxxxxx"]);
    expect(((await admin.get(`/_/people/${overseen.id}`)).body as PersonAccountJson).sessions).toBe(1);
    await overseer.delete("/_/look");
    expect(await open(overseen.id)).toHaveLength(1);
    expect((await open(overseer.id)).map(({ viewing }) => viewing)).toEqual([undefined]);
  });

  test("ends at sign-out, and the way back over HTTPS signs nobody out", async () => {
    const { overseer } = await pairLooking();
    expect((await overseer.delete("/_/session")).status).toBe(204);
    expect(await application(overseer)).toBe(null);

    const site = { origin: "https://desk.example.com", proxies: [] };
    const served = await serveText(document, { app: { site } });
    const root = await served.person("Root", ["administrator"]);
    const bea = await served.person("Bea");
    const cookie = root.cookie();
    expect(cookie).toMatch(/^__Host-session=/u);
    const same = { origin: site.origin };
    expect((await root.post("/_/look", { person: bea.id }, same)).status).toBe(204);
    expect(await application(root)).toMatchObject({ id: bea.id, looked: true });
    expect((await root.delete("/_/look", same)).status).toBe(204);
    expect([await application(root), root.cookie()]).toEqual([expect.objectContaining({ id: root.id }), cookie]);
    await served.stop();
  });
});

test("a condition on a field that is hidden in this record does not reveal its result, though other records show the field", async () => {
  const tickets = await serveText(`# Tickets

## 3. Entities
\`\`\`yaml
Ticket:
  fields:
    owner: { type: User, set: user }
    reader: User?
    title: text
    rating: integer?
\`\`\`
## 6. Roles and permissions
\`\`\`yaml
roles:
  staff: { members: signed in }
  Ticket: { owner: "owner == user", reader: "reader == user" }
permissions:
  User: { read: { role: staff, fields: [name] } }
  Ticket:
    read: [{ role: owner, fields: [owner, reader, title, rating] }, { role: reader, fields: [title] }]
    create: [{ role: staff, fields: [reader, title, rating] }]
    update: [{ role: owner, when: "rating == null", fields: [rating] }]
\`\`\`
`);
  try {
    const [owner, reader] = [await tickets.person("Olga", []), await tickets.person("Rita", [])];
    const outcomes = async (rating: number | null) => {
      const body = { title: "Printer", reader: reader.id, ...(rating === null ? {} : { rating }) };
      const { id } = (await owner.post("/api/tickets", body)).record();
      const of = async (asking: ApiClient) =>
        ((await asking.get(`/api/why?do=Ticket.update&record=${id}`)).body as WhyJson).ways
          .flatMap(({ needs }) => needs)
          .filter(({ says }) => says.includes("rating"))
          .map(({ holds, found }) => [holds, found]);
      return { owner: await of(owner), reader: await of(reader) };
    };
    const [open, rated] = [await outcomes(null), await outcomes(5)];
    expect(open.owner).toEqual([[true, [expect.anything()]]]);
    expect(rated.owner).toEqual([[false, [expect.anything()]]]);
    expect(open.reader).toEqual([[null, []]]);
    expect(rated.reader).toEqual(open.reader);
  } finally {
    await tickets.stop();
  }
});

describe("the other records that a rule selects", () => {
  const loans = `# Loans
## 3. Entities
\`\`\`yaml
Loan: { label: "{thing} {note}", fields: { thing: text, note: text, borrower: { type: User, set: user } } }
\`\`\`
## 4. States
\`\`\`yaml
Loan: { field: status, states: [asked, lent], transitions: { lend: { from: asked, to: lent, by: [keeper, borrower] } } }
\`\`\`
## 5. Rules
\`\`\`yaml
Loan:
  - rule: "Loan.count(l, l != this && l.thing == thing && l.note != 'spare') == 0"
    during: lend
    discloses: true
    else: TAKEN
\`\`\`
## 6. Roles and permissions
\`\`\`yaml
roles: { staff: signed in, keeper: granted, Loan: { borrower: "borrower == user" } }
permissions:
  User: { read: { role: staff, fields: [name] } }
  Loan: { read: [keeper, borrower], create: { role: staff, fields: [thing, note] } }
\`\`\`
`;

  test("are named as far as the reader can find them", async () => {
    const server = await serveText(loans);
    const [keeper, ann, ben] = await Promise.all([
      server.person("Keeper", ["keeper"]),
      server.person("Ann", []),
      server.person("Ben", []),
    ]);
    const add = async (person: Person, note: string) =>
      (await person.post("/api/loans", { thing: "Bike", note })).record().id;
    const selected = async (person: Person, id: string) => {
      const why = (await person.get(`/api/why?do=Loan.lend&record=${id}`)).body as WhyJson;
      return why.musts.find(({ clause }) => clause === "5.Loan.TAKEN")?.records;
    };
    const own = await add(ann, "one");
    expect(await selected(keeper, own)).toBeUndefined();
    await add(ben, "two");
    await add(ann, "spare");
    // Another person’s loan is in the way, which the refusal says. The borrower could not find it in a list.
    expect(await selected(ann, own)).toBeUndefined();
    const labels = (records: WhyJson["musts"][number]["records"]) => records?.items.map(({ label }) => label);
    expect(labels(await selected(keeper, own))).toEqual(["Bike two"]);
    const more = [await add(ann, "three"), await add(ann, "four")];
    const found = await selected(ann, own);
    expect(found).toMatchObject({ entity: "Loan", more: 0 });
    expect(found?.items.map(({ id }) => id)).toEqual(more);
    await add(ben, "five");
    expect(labels(await selected(keeper, own))).toEqual(["Bike two", "Bike three", "Bike four"]);
    expect((await selected(keeper, own))?.more).toBe(1);
  });

  /** The records that keep a loan from being lent, for the reader, with another rule and other permissions. */
  const named = async (rule: string, read: string, query: (ids: { readonly ben: string }) => string = () => "") => {
    const server = await serveText(
      loans
        .replace("l != this && l.thing == thing && l.note != 'spare'", rule)
        .replace("Loan: { read: [keeper, borrower],", `Loan: { read: ${read},`)
        .replace("transitions: {", "transitions: { hand: { from: asked, to: lent, by: keeper },"),
    );
    const [keeper, ben] = await Promise.all([
      server.person("Keeper", ["keeper", "administrator"]),
      server.person("Ben", []),
    ]);
    const add = async (person: Person, note: string) =>
      (await person.post("/api/loans", { thing: "Bike", note })).record().id;
    const id = await add(keeper, "one");
    await add(ben, "spare");
    const lent = await add(keeper, "lent");
    expect((await keeper.post(`/api/loans/${lent}/hand`, {})).status).toBe(200);
    const url = `/api/why?do=Loan.lend&record=${id}${query({ ben: ben.id })}`;
    const { musts } = (await keeper.get(url)).body as WhyJson;
    return musts.find(({ clause }) => clause === "5.Loan.TAKEN")?.records?.items.map(({ label }) => label);
  };

  test("are not named by values that the transition changes", async () => {
    expect(await named("l != this && l.status == lent", "keeper")).toEqual(["Bike lent"]);
    expect(await named("l != this && l.status == status", "keeper")).toBeUndefined();
  });

  test("are not named by values that the reader cannot see on them", async () => {
    const rule = "l != this && l.note != 'spare'";
    expect(await named(rule, "keeper")).toEqual(["Bike lent"]);
    // “Bike spare” is another person’s, of which the keeper sees no note: a hidden one would be no “spare”.
    expect(await named(rule, "[borrower, { role: keeper, fields: [thing] }]")).toEqual(["Bike lent"]);
    expect(
      await named("l != this && l.note == 'spare'", "[borrower, { role: keeper, fields: [thing] }]"),
    ).toBeUndefined();
    const others = "l != this && Loan.count(o, o != l && o.note != l.note) > 0";
    expect(await named(others, "[borrower, { role: keeper, fields: [thing] }]")).toBeUndefined();
    expect(await named("l != this && !('keeper' in l.borrower.roles)", "keeper")).toBeUndefined();
  });

  test("are not those of an administrator who asks for somebody else", async () => {
    const rule = "l != this && l.borrower == user";
    expect(await named(rule, "keeper")).toEqual(["Bike lent"]);
    expect(await named(rule, "keeper", ({ ben }) => `&as=${ben}`)).toBeUndefined();
  });
});
