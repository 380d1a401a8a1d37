import { beforeAll, describe, expect, test } from "vitest";
import type { WhyJson } from "../../src/core/wire.ts";
import { type Served, type Somebody, serveText } from "./program.ts";

/** Each clause, what it needs and what was found, for whoever asks: and no more than they may read. */
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

type Person = Somebody & { readonly id: string };

let desk: Served;
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

describe("an answer names each clause, what it needs, and what was found", () => {
  test("a role that is held on the record, for somebody who does not hold it", async () => {
    const answer = await why(ben, "Request.update");
    expect(answer).toMatchObject({ answer: "no", because: "You are not the employee.", could: "employee or chief" });
    expect(answer.ways).toEqual([
      {
        clause: "6.Request.update",
        role: "employee",
        held: true,
        open: false,
        needs: [
          {
            clause: "6.Request.update",
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

  test("the nearest way says what it lacks", async () => {
    expect(await why(ada, "Request.update")).toMatchObject({ answer: "no", because: "The kind is not “Holiday”." });
  });

  test("a guard and a rule stand among what must hold", async () => {
    const answer = await why(ada, "Request.submit");
    expect(answer).toMatchObject({ answer: "no", because: "The kind is “Sick”." });
    expect(answer.musts.map(({ clause, says, holds }) => [clause, says, holds])).toEqual([
      ["4.Request.submit", "the status is “Draft”", true],
      ["4.Request.submit", "the kind is not “Sick”", false],
      ["5.Request.NOTE_SHORT", "“size(note) > 3” holds", false],
    ]);
  });

  test("what may be done says so", async () => {
    expect(await why(ada, "Request.delete")).toMatchObject({ answer: "yes", could: null });
  });

  test("it agrees with what happens", async () => {
    for (const who of [ada, ben, chief])
      for (const what of ["submit", "grant"]) {
        const { answer } = await why(who, `Request.${what}`);
        const { may } = (await who.get(`/api/requests/${id}`)).record();
        if (what === "grant") expect(may?.transitions.includes(what)).toBe(answer === "yes");
        else expect(answer).toBe("no");
      }
  });
});

describe("nobody is told more than they may read", () => {
  test("a condition on what is hidden from the reader is not told, where more than one thing is hidden", async () => {
    const answer = await why(chief, "Request.update");
    // The price may be read by nobody: that it is missing follows from the refusal alone.
    expect(answer.ways[1]?.needs).toMatchObject([{ holds: false, found: [] }]);
  });

  test("who does not hold a role is not told what it would need; an author is", async () => {
    expect((await why(ben, "Request.update")).ways.map(({ role }) => role)).toEqual(["employee"]);
  });

  test("a record that may not be seen answers like one that is not there", async () => {
    const [hidden, none] = await Promise.all([
      ben.get(`/api/why?do=Diary.update&record=${diary}`),
      ben.get("/api/why?do=Diary.update&record=01a1f40a-58ca-7a05-9984-7eae99dc592e"),
    ]);
    expect(hidden.body).toMatchObject({ answer: "unseen" });
    expect(none.text).toBe(hidden.text);
  });

  test("nothing is said to nobody, or of what is not there", async () => {
    expect((await desk.visitor().get(`/api/why?do=Request.update&record=${id}`)).status).toBe(401);
    for (const what of ["Nothing.read", "Request.fly", "", "Request"])
      expect((await ada.get(`/api/why?do=${what}&record=${id}`)).problem()).toMatchObject({ code: "BAD_QUERY" });
  });

  test("only administrators ask for others, and that they asked is kept", async () => {
    const url = `/api/why?do=Request.update&record=${id}&as=${ben.id}`;
    expect((await ada.get(url)).problem()).toMatchObject({ status: 403, clause: "6.administrator" });
    expect((await admin.get(url)).status).toBe(200);
    const { rows } = await desk.database.query(
      "select person, record, action from ninefold.audit where action = 'ask_for'",
    );
    expect(rows).toEqual([{ person: admin.id, record: ben.id, action: "ask_for" }]);
  });
});

describe("a refusal bears its reason", () => {
  test("what on the record stands against it, and who could", async () => {
    const problem = (await ben.patch(`/api/requests/${id}`, { note: "Other" })).problem();
    expect(problem).toMatchObject({
      status: 403,
      code: "FORBIDDEN",
      because: "You are not the employee.",
      could: "employee or chief",
    });
    const guard = (await ada.post(`/api/requests/${id}/submit`, {})).problem();
    expect(guard).toMatchObject({ status: 409, code: "GUARD", because: "The kind is “Sick”." });
  });

  test("one that is about a record that may not be seen bears none", async () => {
    const problem = (await ben.patch(`/api/diaries/${diary}`, { text: "x" })).problem();
    expect(problem).toMatchObject({ status: 404, code: "NOT_FOUND" });
    expect(problem).not.toHaveProperty("because");
  });
});
