import { readFileSync } from "node:fs";
import pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import type { ReferenceJson } from "../../../src/core/wire/records.ts";
import { type Answer, type ApiClient, example, serveText, type TestServer } from "../program.ts";

type Person = Awaited<ReturnType<TestServer["person"]>>;

/** An id without a record. */
const nowhere = "01a1f40a-58ca-7a05-9984-7eae99dc592e";

const problem = (answer: Answer) => {
  const { status, code, clause, errors } = answer.problem();
  return {
    status,
    code,
    ...(clause === undefined ? {} : { clause }),
    ...(errors === undefined ? {} : { errors: errors.map(({ at, code, clause }) => [at, code, clause].join(" ")) }),
  };
};

const lines = async (served: TestServer, record: string) =>
  (
    await served.database.query(
      "select person, entity, action, clause, document, changes from ninefold.audit where record = $1 order by id",
      [record],
    )
  ).rows;

/**
 * Claims belong to their owners. A clerk sees and settles all of them; an auditor sees them and changes nothing;
 * everybody signed in creates them. Neither clerk nor auditor sees the verdict or the closed categories.
 */
const claims = `
# Claims

## 3. Entities and their fields
\`\`\`yaml
Category:
  label: "{name}"
  fields:
    name:   { type: text, unique: true }
    closed: boolean
Claim:
  label: "{title}: {verdict}"
  fields:
    title:    { type: text, max: 12 }
    number:   { type: text?, unique: true }
    contact:  { type: email?, unique: true }
    amount:   { type: decimal, min: 0.01, max: 1000 }
    days:     { type: integer?, min: 1, max: 9 }
    kind:     { type: choice, values: [travel, tools], default: travel }
    paid_on:  date?
    urgent:   boolean
    category: Category?
    owner:    { type: User, set: user }
    agreed:   { type: text?, once: true }
    verdict:  text?
    reason:   text?
Remark:
  fields:
    claim: Claim
    text:  text
\`\`\`

## 4. States and transitions
\`\`\`yaml
Claim:
  field: status
  initial: open
  final: [granted, refused]
  states: [open, granted, refused]
  transitions:
    grant:  { from: open, to: granted, by: clerk, when: "amount <= 100", set: { verdict: "'granted in full'" } }
    refuse: { from: open, to: refused, by: clerk, asks: [reason] }
\`\`\`

## 5. Validation rules
\`\`\`yaml
Claim:
  - { rule: "paid_on == null || paid_on >= '2020-01-01'", else: TOO_OLD }
  - { rule: "!urgent || days != null", else: URGENT_WITHOUT_DAYS }
  - { rule: "reason != 'no'", when: "reason != null", during: refuse, else: SAY_MORE }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  member:  { members: signed in }
  clerk:   { members: granted }
  auditor: { members: granted }
  Claim:   { owner: "owner == user" }
permissions:
  User:
    read: [{ role: member, fields: [name] }]
  Category:
    read:   [{ role: member, when: "!closed" }, clerk]
    create: [clerk]
    delete: [clerk]
  Claim:
    read:
      - clerk
      - auditor
      - { role: owner, fields: [title, number, contact, amount, days, kind, paid_on, urgent, category, owner, agreed, status, reason] }
    create: [{ role: member, fields: [title, number, contact, amount, days, kind, paid_on, urgent, category, agreed] }]
    update:
      - { role: owner, when: "status == open", fields: [title, number, contact, amount, days, kind, paid_on, urgent, category, agreed] }
      - { role: clerk, fields: [verdict, reason, days] }
    delete: [{ role: owner, when: "status == open" }]
  Remark:
    create: [member]
    read:   [clerk]
\`\`\`

## 8. Error catalogue
\`\`\`yaml
TOO_OLD:             { status: 422, message: "{title} was paid on {paid_on}.", at: paid_on, help: "Ask the clerk." }
URGENT_WITHOUT_DAYS: { status: 409, message: "How many days are left?", at: days }
SAY_MORE:            { status: 422, message: "Say more than “{reason}”.", at: reason }
\`\`\`
`;

let served: TestServer;
let owner: Person;
let stranger: Person;
let clerk: Person;
let auditor: Person;
let administrator: Person;
let visitor: ApiClient;

beforeAll(async () => {
  served = await serveText(claims);
  owner = await served.person("Olga");
  stranger = await served.person("Sten");
  clerk = await served.person("Cleo", ["clerk"]);
  auditor = await served.person("Aude", ["auditor"]);
  administrator = await served.person("Ada", ["administrator"]);
  visitor = served.visitor();
});

const claim = { title: "Train", amount: "12.50" };
const create = async (values: object = {}) => (await owner.post("/api/claims", { ...claim, ...values })).record();

describe("creating a record", () => {
  test("responds with 201, the record, its address, its version and its possible actions", async () => {
    const answer = await owner.post("/api/claims", { ...claim, paid_on: "2026-02-28", days: 3 });
    const record = answer.record();
    expect(answer.status).toBe(201);
    expect(answer.headers.get("location")).toBe(`/api/claims/${record.id}`);
    expect(answer.headers.get("etag")).toBe('"1"');
    expect(record).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      version: 1,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: record.created_at,
      title: "Train",
      number: null,
      contact: null,
      amount: "12.5",
      days: 3,
      kind: "travel",
      paid_on: "2026-02-28",
      urgent: false,
      category: null,
      owner: { id: owner.id, label: "Olga" },
      agreed: null,
      reason: null,
      status: "open",
      may: {
        update: ["title", "number", "contact", "amount", "days", "kind", "paid_on", "urgent", "category"],
        delete: true,
        transitions: [],
        refused: {},
      },
    });
    expect((await owner.get(`/api/claims/${record.id}`)).body).toEqual(record);
  });

  test("treats an empty text and null as missing, also for fields with a default", async () => {
    const record = await create({ number: "", paid_on: null, agreed: "" });
    expect(record).toMatchObject({ number: null, paid_on: null, agreed: null });
    expect(problem(await owner.post("/api/claims", { ...claim, kind: "" }))).toEqual({
      status: 422,
      code: "REQUIRED",
      clause: "3.Claim.kind",
      errors: ["/kind REQUIRED 3.Claim.kind"],
    });
  });

  test("reports all errors at once in the order of the document, each with its field and clause", async () => {
    const wrong = {
      ...{ amount: 0, days: 10, kind: "food", paid_on: "2026-02-30", urgent: "yes", category: "none" },
      ...{ number: 7, contact: "nobody", colour: "red" },
    };
    const answer = await owner.post("/api/claims", wrong);
    expect(problem(answer)).toEqual({
      status: 422,
      code: "INVALID",
      clause: expect.any(String),
      errors: expect.arrayContaining([
        "/title REQUIRED 3.Claim.title",
        "/number WRONG_TYPE 3.Claim.number",
        "/contact WRONG_TYPE 3.Claim.contact",
        "/amount TOO_SMALL 3.Claim.amount",
        "/days TOO_LARGE 3.Claim.days",
        "/kind NOT_A_CHOICE 3.Claim.kind",
        "/paid_on WRONG_TYPE 3.Claim.paid_on",
        "/urgent WRONG_TYPE 3.Claim.urgent",
        "/category WRONG_TYPE 3.Claim.category",
        "/colour UNKNOWN_FIELD 3.Claim",
      ]),
    });
    const fields = answer.problem().errors?.map(({ at }) => at) ?? [];
    expect(fields).toHaveLength(10);
    const inDocument = ["/title", "/number", "/contact", "/amount", "/days", "/kind", "/paid_on", "/urgent"];
    expect(fields.filter((at) => inDocument.includes(at))).toEqual(inDocument);
  });

  test("uses the field’s title and the violated bound in its message", async () => {
    const messages = (await owner.post("/api/claims", { title: "Thirteen long", amount: "1000.01", paid_on: 3 }))
      .problem()
      .errors?.map(({ message }) => message);
    expect(messages).toEqual([
      "Title can have at most 12 characters.",
      "Amount must be at most 1000.",
      "Paid on must be a date.",
    ]);
  });

  test("counts characters as people do", async () => {
    expect((await create({ title: "😀".repeat(12) })).title).toBe("😀".repeat(12));
    expect(problem(await owner.post("/api/claims", { ...claim, title: "😀".repeat(13) }))).toMatchObject({
      code: "TOO_LONG",
    });
  });

  test("points at an unknown field with a JSON pointer (RFC 6901)", async () => {
    const { errors } = (await owner.post("/api/claims", { ...claim, "a/b~c": 1 })).problem();
    expect(errors).toMatchObject([{ at: "/a~1b~0c", code: "UNKNOWN_FIELD" }]);
  });

  test.each(["id", "version", "created_at", "updated_at", "may", "_label"])(
    "rejects %s, which the program sets",
    async (name) => {
      expect(problem(await owner.post("/api/claims", { ...claim, [name]: "1" }))).toMatchObject({
        status: 422,
        code: "UNKNOWN_FIELD",
      });
    },
  );

  test("reports a field that the person can neither read nor write as unknown", async () => {
    const hidden = problem(await owner.post("/api/claims", { ...claim, verdict: "fair" }));
    const madeUp = problem(await owner.post("/api/claims", { ...claim, verdigt: "fair" }));
    expect(hidden).toMatchObject({ status: 422, code: "UNKNOWN_FIELD", errors: ["/verdict UNKNOWN_FIELD 3.Claim"] });
    expect(madeUp).toEqual({ ...hidden, errors: ["/verdigt UNKNOWN_FIELD 3.Claim"] });
    const { id } = await create();
    const path = `/api/claims/${id}`;
    const changed = await owner.patch(path, { verdict: "fair" });
    expect(changed.problem()).toMatchObject({ code: "UNKNOWN_FIELD", detail: "The field verdict doesn’t exist." });
    expect(problem(await clerk.patch(path, { verdict: "fair", title: "B" }))).toMatchObject({
      code: "NOT_YOURS_TO_WRITE",
      errors: ["/title NOT_YOURS_TO_WRITE 6.Claim.update"],
    });
  });

  test.each(["owner", "status", "reason"])(
    "is refused as a whole if the person can’t write one field (%s)",
    async (name) => {
      const before = (await served.database.query("select count(*) from app.claim")).rows;
      expect(problem(await owner.post("/api/claims", { ...claim, [name]: owner.id }))).toEqual({
        status: 403,
        code: "NOT_YOURS_TO_WRITE",
        clause: "6.Claim.create",
        errors: [`/${name} NOT_YOURS_TO_WRITE 6.Claim.create`],
      });
      expect((await served.database.query("select count(*) from app.claim")).rows).toEqual(before);
    },
  );

  test("is refused without permission, with the deciding clause, whatever was sent", async () => {
    for (const body of [{}, { name: "Food" }, { colour: 1 }])
      expect(problem(await owner.post("/api/categories", body))).toEqual({
        status: 403,
        code: "FORBIDDEN",
        clause: "6.Category.create",
      });
    expect(problem(await visitor.post("/api/categories", { name: "Food" }))).toEqual({
      status: 401,
      code: "NOT_SIGNED_IN",
      clause: "6.Category.create",
    });
  });

  test("responds with only the id if the person can’t read the new record", async () => {
    const { id } = await create();
    const answer = await owner.post("/api/remarks", { claim: id, text: "Please" });
    const remark = answer.record();
    expect(answer.status).toBe(201);
    expect(remark).toEqual({ id: remark.id, version: 1 });
    expect(answer.headers.get("location")).toBe(`/api/remarks/${remark.id}`);
    expect((await owner.get(`/api/remarks/${remark.id}`)).status).toBe(404);
    expect((await clerk.get(`/api/remarks/${remark.id}`)).record()).toMatchObject({ text: "Please" });
  });
});

describe("a rule", () => {
  test("refuses with its error: the document’s message with values, its help and its place", async () => {
    const answer = await owner.post("/api/claims", { ...claim, paid_on: "2019-12-31" });
    expect(answer.problem()).toMatchObject({
      status: 422,
      code: "TOO_OLD",
      clause: "5.Claim.TOO_OLD",
      help: "Ask the clerk.",
      errors: [
        {
          at: "/paid_on",
          code: "TOO_OLD",
          clause: "5.Claim.TOO_OLD",
          message: "Train was paid on 31 Dec 2019.",
          help: "Ask the clerk.",
        },
      ],
    });
  });

  test("is reported with other broken rules, and the first one sets the status", async () => {
    expect(problem(await owner.post("/api/claims", { ...claim, paid_on: "2019-12-31", urgent: true }))).toEqual({
      status: 422,
      code: "INVALID",
      clause: "5.Claim.TOO_OLD",
      errors: ["/paid_on TOO_OLD 5.Claim.TOO_OLD", "/days URGENT_WITHOUT_DAYS 5.Claim.URGENT_WITHOUT_DAYS"],
    });
  });

  test("is checked when a field that it reads changes, against the updated record", async () => {
    const { id } = await create({ urgent: true, days: 2 });
    expect(problem(await owner.patch(`/api/claims/${id}`, { days: null }))).toMatchObject({
      status: 409,
      code: "URGENT_WITHOUT_DAYS",
    });
    expect((await owner.patch(`/api/claims/${id}`, { days: null, urgent: false })).record()).toMatchObject({
      days: null,
      urgent: false,
      version: 2,
    });
  });

  test("of one action is checked at that action only", async () => {
    const { id } = await create();
    expect((await clerk.patch(`/api/claims/${id}`, { reason: "no" })).status).toBe(200);
    expect(problem(await clerk.post(`/api/claims/${id}/refuse`, { reason: "no" }))).toMatchObject({
      code: "SAY_MORE",
      clause: "5.Claim.SAY_MORE",
    });
    expect((await clerk.post(`/api/claims/${id}/refuse`, { reason: "late" })).record()).toMatchObject({
      status: "refused",
    });
  });
});

describe("a record that a person can’t read", () => {
  test("gives byte for byte the response of a missing one, to every call", async () => {
    const { id } = await create();
    const asks = (path: string): Promise<Answer>[] => [
      stranger.get(path),
      stranger.get(`${path}/history`),
      stranger.patch(path, { title: "Mine" }),
      stranger.patch(path, { colour: "red" }, { "if-match": '"7"' }),
      stranger.delete(path),
      stranger.post(`${path}/refuse`, { reason: "x" }),
    ];
    const hidden = await Promise.all(asks(`/api/claims/${id}`));
    const absent = await Promise.all(asks(`/api/claims/${nowhere}`));
    const noId = await Promise.all(asks("/api/claims/no-id-at-all"));
    const bytes = (answers: readonly Answer[]) =>
      answers.map(({ status, text, headers }) => [status, text, [...headers.keys()].sort()]);
    expect(bytes(hidden)).toEqual(bytes(absent));
    expect(bytes(noId)).toEqual(bytes(absent));
    for (const answer of hidden)
      expect(problem(answer)).toEqual({ status: 404, code: "NOT_FOUND", clause: "6.Claim.read" });
    expect((await owner.get(`/api/claims/${id}`)).record()).toMatchObject({ version: 1, title: "Train" });
  });

  test("is in nobody else’s list, and members don’t see each other’s claims", async () => {
    await create({ title: "Secret" });
    expect((await stranger.get("/api/claims?count=true")).list()).toEqual({ items: [], next: null, count: 0 });
    expect((await owner.get("/api/claims?title=Secret")).list().items).toHaveLength(1);
  });

  test("is found by its id in upper or lower case", async () => {
    const { id } = await create();
    expect((await owner.get(`/api/claims/${id.toUpperCase()}`)).record().id).toBe(id);
  });

  test("can’t be referred to, like a missing one", async () => {
    const open = (await clerk.post("/api/categories", { name: "Open" })).record();
    const closed = (await clerk.post("/api/categories", { name: "Closed", closed: true })).record();
    const hidden = await owner.post("/api/claims", { ...claim, category: closed.id });
    const absent = await owner.post("/api/claims", { ...claim, category: nowhere });
    expect(hidden.text).toBe(absent.text);
    expect(problem(hidden)).toEqual({
      status: 422,
      code: "NO_SUCH_REFERENCE",
      clause: "3.Claim.category",
      errors: ["/category NO_SUCH_REFERENCE 3.Claim.category"],
    });
    const { id } = await create({ category: open.id });
    expect(problem(await owner.patch(`/api/claims/${id}`, { category: closed.id }))).toMatchObject({
      code: "NO_SUCH_REFERENCE",
    });
    expect((await owner.get(`/api/claims/${id}`)).record().category).toEqual({ id: open.id, label: "Open" });
  });

  test("is shown as “…” where it was referred to before", async () => {
    const category = (await clerk.post("/api/categories", { name: "Soon closed" })).record();
    const { id } = await create({ category: category.id });
    await served.database.query("update app.category set closed = true where id = $1", [category.id]);
    expect((await owner.get(`/api/claims/${id}`)).record().category).toEqual({ id: category.id, label: "…" });
    expect((await clerk.get(`/api/claims/${id}`)).record().category).toEqual({ id: category.id, label: "Soon closed" });
    expect((await owner.get(`/api/claims/${id}/history`)).text).not.toContain("Soon closed");
  });
});

describe("a field that a person can’t read", () => {
  let id: string;
  beforeAll(async () => {
    ({ id } = await create());
    (await clerk.patch(`/api/claims/${id}`, { verdict: "doubtful" })).record();
    (await clerk.post("/api/remarks", { claim: id, text: "See there" })).record();
  });

  test("is absent from the record, from lists and from history", async () => {
    expect((await owner.get(`/api/claims/${id}`)).record()).not.toHaveProperty("verdict");
    for (const item of (await owner.get("/api/claims")).list().items) expect(item).not.toHaveProperty("verdict");
    const history = await owner.get(`/api/claims/${id}/history`);
    // A change of that field alone has no line, since its author and time would reveal it.
    expect(history.history().map(({ action }) => action)).toEqual(["create"]);
    expect(history.text).not.toContain("doubtful");
    expect((await auditor.get(`/api/claims/${id}`)).record()).toMatchObject({ verdict: "doubtful" });
    expect((await auditor.get(`/api/claims/${id}/history`)).history()[0]?.changes).toEqual([
      { field: "verdict", before: null, after: "doubtful" },
    ]);
  });

  test("is left out of labels, of its record and of references to it", async () => {
    expect((await owner.get(`/api/claims/${id}?label=true`)).record()._label).toBe("Train");
    expect((await auditor.get(`/api/claims/${id}?label=true`)).record()._label).toBe("Train: doubtful");
    const [remark] = (await clerk.get(`/api/remarks?claim=${id}`)).list().items;
    expect(remark?.claim).toEqual({ id, label: "Train: doubtful" });
  });

  test("is rejected in a filter and in a sort order", async () => {
    for (const query of ["verdict=doubtful", "sort=verdict", "sort=-verdict"])
      expect(problem(await owner.get(`/api/claims?${query}`))).toEqual({ status: 400, code: "BAD_QUERY" });
    expect((await auditor.get("/api/claims?verdict=doubtful")).list().items).toHaveLength(1);
  });

  test("is not searched", async () => {
    expect((await owner.get("/api/claims?search=doubtful")).list().items).toEqual([]);
    expect((await auditor.get("/api/claims?search=doubtful")).list().items).toHaveLength(1);
  });

  test("is absent from what the browser gets about the entity", async () => {
    expect((await stranger.get("/_/application")).text).not.toContain("verdict");
    expect((await auditor.get("/_/application")).text).toContain("verdict");
  });
});

describe("updating a record", () => {
  test("changes the fields that were sent, keeps the others, and raises the version", async () => {
    const { id, created_at } = await create({ number: "A1", days: 2 });
    const answer = await owner.patch(`/api/claims/${id}`, { title: "Bus", number: null }, { "if-match": '"1"' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("etag")).toBe('"2"');
    const record = answer.record();
    expect(record).toMatchObject({ version: 2, title: "Bus", number: null, days: 2, amount: "12.5", created_at });
    expect(record.updated_at >= created_at).toBe(true);
    expect((await owner.get(`/api/claims/${id}`)).body).toEqual(record);
  });

  test("is refused from an older version, and allowed without a version or with *", async () => {
    const { id } = await create();
    expect((await owner.patch(`/api/claims/${id}`, { title: "B" })).record().version).toBe(2);
    expect((await owner.patch(`/api/claims/${id}`, { title: "C" }, { "if-match": "*" })).record().version).toBe(3);
    const stale = await owner.patch(`/api/claims/${id}`, { title: "D" }, { "if-match": '"2"' });
    expect(problem(stale)).toEqual({ status: 412, code: "CHANGED_MEANWHILE", clause: "3.Claim" });
    expect((await owner.get(`/api/claims/${id}`)).record()).toMatchObject({ version: 3, title: "C" });
  });

  test.each(["2", 'W/"2"', '"two"', '""', '"2", "3"', '"-1"', '"99999999999"'])(
    "is refused with an invalid If-Match (%s)",
    async (header) => {
      const { id } = await create();
      const answer = await owner.patch(`/api/claims/${id}`, { title: "B" }, { "if-match": header });
      expect(problem(answer)).toEqual({ status: 400, code: "BAD_QUERY" });
      expect((await owner.get(`/api/claims/${id}`)).record().version).toBe(1);
    },
  );

  test("twice at once from the same version succeeds once and is refused once", async () => {
    const { id } = await create();
    const answers = await Promise.all(
      ["B", "C", "D", "E"].map((title) => owner.patch(`/api/claims/${id}`, { title }, { "if-match": '"1"' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
    expect((await owner.get(`/api/claims/${id}`)).record().version).toBe(2);
  });

  test("is refused as a whole if the person can’t write one field", async () => {
    const { id } = await create();
    for (const name of ["reason", "status", "owner"])
      expect(problem(await owner.patch(`/api/claims/${id}`, { title: "B", [name]: null }))).toEqual({
        status: 403,
        code: "NOT_YOURS_TO_WRITE",
        clause: "6.Claim.update",
        errors: [`/${name} NOT_YOURS_TO_WRITE 6.Claim.update`],
      });
    expect((await owner.get(`/api/claims/${id}`)).record()).toMatchObject({ version: 1, title: "Train" });
  });

  test("uses all permissions that apply to the record: an owner who is a clerk can write the fields of both", async () => {
    const both = await served.person("Bo", ["clerk"]);
    const { id } = (await both.post("/api/claims", claim)).record();
    expect((await both.patch(`/api/claims/${id}`, { title: "Own", verdict: "fair" })).record().version).toBe(2);
    const other = await create();
    expect(problem(await both.patch(`/api/claims/${other.id}`, { title: "Theirs", verdict: "fair" }))).toEqual({
      status: 403,
      code: "NOT_YOURS_TO_WRITE",
      clause: "6.Claim.update",
      errors: ["/title NOT_YOURS_TO_WRITE 6.Claim.update"],
    });
    expect((await both.patch(`/api/claims/${other.id}`, { verdict: "fair" })).status).toBe(200);
  });

  test("is refused for a field that can be set only once", async () => {
    const { id } = await create({ agreed: "by phone" });
    expect(problem(await owner.patch(`/api/claims/${id}`, { agreed: "by mail" }))).toMatchObject({ status: 403 });
    expect((await owner.get(`/api/claims/${id}`)).record()).toMatchObject({ agreed: "by phone" });
  });

  test("can’t clear a required field", async () => {
    const { id } = await create();
    for (const nothing of [null, ""])
      expect(problem(await owner.patch(`/api/claims/${id}`, { title: nothing }))).toEqual({
        status: 422,
        code: "REQUIRED",
        clause: "3.Claim.title",
        errors: ["/title REQUIRED 3.Claim.title"],
      });
  });

  test("is refused to a person who can only read, with the deciding clause", async () => {
    const { id } = await create();
    expect(problem(await auditor.patch(`/api/claims/${id}`, { title: "B" }))).toEqual({
      status: 403,
      code: "FORBIDDEN",
      clause: "6.Claim.update",
    });
    (await clerk.post(`/api/claims/${id}/grant`)).record();
    expect(problem(await owner.patch(`/api/claims/${id}`, { title: "B" }))).toMatchObject({
      status: 403,
      code: "FORBIDDEN",
    });
  });

  test("after which its author can’t read the record says only that it happened", async () => {
    const shop = await serveText(`
# Tips
## 3. Entities
\`\`\`yaml
Tip: { fields: { text: text, open: boolean } }
\`\`\`
## 6. Permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions:
  Tip: { read: [{ role: member, when: "open" }], create: [member], update: [member] }
\`\`\`
`);
    const ada = await shop.person("Ada");
    const { id } = (await ada.post("/api/tips", { text: "Hush", open: true })).record();
    const answer = await ada.patch(`/api/tips/${id}`, { open: false });
    expect(answer.body).toEqual({ id, version: 2 });
    expect((await ada.get(`/api/tips/${id}`)).status).toBe(404);
  });
});

describe("a unique field", () => {
  test("has each value once, and can be missing in many records", async () => {
    const first = await create({ number: "U1" });
    const taken = { status: 409, code: "TAKEN", clause: "3.Claim.number", errors: ["/number TAKEN 3.Claim.number"] };
    expect(problem(await owner.post("/api/claims", { ...claim, number: "U1" }))).toEqual(taken);
    const second = await create({ number: "U2" });
    expect(problem(await owner.patch(`/api/claims/${second.id}`, { number: "U1" }))).toEqual(taken);
    expect((await owner.patch(`/api/claims/${first.id}`, { number: "U1" })).status).toBe(200);
    await create();
    await create();
  });

  test("ignores case for email addresses, and not for texts", async () => {
    await create({ contact: "Ada@Example.com", number: "u3" });
    expect(problem(await owner.post("/api/claims", { ...claim, contact: "ada@example.COM" }))).toMatchObject({
      code: "TAKEN",
      clause: "3.Claim.contact",
    });
    await create({ number: "U3" });
  });

  test("gives the value to one of several simultaneous requests", async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => owner.post("/api/claims", { ...claim, number: "RACE" })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    for (const answer of answers) if (answer.status === 409) expect(answer.problem().code).toBe("TAKEN");
  });
});

describe("a transition", () => {
  test("changes the state and the fields that it asks for and sets, and nothing else", async () => {
    const before = await create();
    const answer = await clerk.post(`/api/claims/${before.id}/grant`, undefined, { "if-match": '"1"' });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("etag")).toBe('"2"');
    const { updated_at, version, may, status, verdict, ...same } = answer.record();
    expect({ status, verdict, version }).toEqual({ status: "granted", verdict: "granted in full", version: 2 });
    expect(before).toMatchObject(same);
    const refused = (await clerk.post(`/api/claims/${(await create()).id}/refuse`, { reason: "late" })).record();
    expect(refused).toMatchObject({ status: "refused", reason: "late", verdict: null });
  });

  test("requires the fields that it asks for, even if they are optional elsewhere", async () => {
    const { id } = await create();
    for (const body of [undefined, {}, { reason: null }, { reason: "" }])
      expect(problem(await clerk.post(`/api/claims/${id}/refuse`, body))).toMatchObject({
        status: 422,
        code: "REQUIRED",
        clause: "4.Claim.refuse",
      });
  });

  test("writes only the fields that it asks for", async () => {
    const { id } = await create();
    expect(problem(await clerk.post(`/api/claims/${id}/refuse`, { reason: "late", verdict: "x" }))).toEqual({
      status: 403,
      code: "NOT_YOURS_TO_WRITE",
      clause: "4.Claim.refuse",
      errors: ["/verdict NOT_YOURS_TO_WRITE 4.Claim.refuse"],
    });
    expect((await clerk.get(`/api/claims/${id}`)).record()).toMatchObject({ status: "open", version: 1 });
  });

  test("from another state is refused before any other check", async () => {
    const { id } = await create();
    (await clerk.post(`/api/claims/${id}/grant`)).record();
    const answer = await clerk.post(`/api/claims/${id}/refuse`, {});
    expect(problem(answer)).toEqual({ status: 409, code: "WRONG_STATE", clause: "4.Claim.refuse" });
    expect(answer.problem().detail).toBe("“Refuse” is only possible while the claim is “Open”, not “Granted”.");
  });

  test("is refused if its guard does not hold", async () => {
    const { id } = await create({ amount: "100.01" });
    expect(problem(await clerk.post(`/api/claims/${id}/grant`))).toEqual({
      status: 409,
      code: "GUARD",
      clause: "4.Claim.grant",
    });
    expect((await clerk.get(`/api/claims/${id}`)).record()).toMatchObject({
      status: "open",
      may: { transitions: ["refuse"], refused: { grant: { code: "GUARD", clause: "4.Claim.grant" } } },
    });
  });

  test("is for its roles only", async () => {
    const { id } = await create();
    for (const who of [owner, auditor])
      expect(problem(await who.post(`/api/claims/${id}/grant`))).toEqual({
        status: 403,
        code: "FORBIDDEN",
        clause: "4.Claim.grant",
      });
    expect(problem(await visitor.post(`/api/claims/${id}/grant`))).toMatchObject({
      status: 401,
      code: "NOT_SIGNED_IN",
    });
  });

  test("that the document does not have is not a call", async () => {
    const { id } = await create();
    for (const name of ["open", "granted", "update", "constructor", "Grant"])
      expect(problem(await clerk.post(`/api/claims/${id}/${name}`))).toEqual({ status: 404, code: "NO_SUCH_CALL" });
  });

  test("made by several at once is made once, with one line of audit", async () => {
    const { id } = await create();
    const answers = await Promise.all(Array.from({ length: 6 }, () => clerk.post(`/api/claims/${id}/grant`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    for (const answer of answers) if (answer.status === 409) expect(answer.problem().code).toBe("WRONG_STATE");
    expect((await lines(served, id)).map(({ action }) => action)).toEqual(["create", "grant"]);
    expect((await clerk.get(`/api/claims/${id}`)).record().version).toBe(2);
  });

  test("and its opposite at once: one is made", async () => {
    const { id } = await create();
    const answers = await Promise.all([
      clerk.post(`/api/claims/${id}/grant`),
      clerk.post(`/api/claims/${id}/refuse`, { reason: "late" }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await lines(served, id)).toHaveLength(2);
  });
});

describe("deleting a record", () => {
  test("removes it and keeps its last values in the audit", async () => {
    const { id } = await create({ days: 4 });
    const answer = await owner.delete(`/api/claims/${id}`, { "if-match": '"1"' });
    expect([answer.status, answer.text]).toEqual([204, ""]);
    for (const deleted of [await owner.get(`/api/claims/${id}`), await owner.delete(`/api/claims/${id}`)])
      expect(problem(deleted)).toMatchObject({ status: 404, code: "NOT_FOUND" });
    expect((await lines(served, id)).at(-1)).toMatchObject({
      action: "delete",
      clause: "6.Claim.delete",
      changes: { title: ["Train", null], days: [4, null], status: ["open", null] },
    });
  });

  test("is refused without permission, from an older version, and while others refer to it", async () => {
    const { id } = await create();
    expect(problem(await auditor.delete(`/api/claims/${id}`))).toEqual({
      status: 403,
      code: "FORBIDDEN",
      clause: "6.Claim.delete",
    });
    expect(problem(await owner.delete(`/api/claims/${id}`, { "if-match": '"2"' }))).toMatchObject({ status: 412 });
    (await owner.post("/api/remarks", { claim: id, text: "x" })).record();
    expect(problem(await owner.delete(`/api/claims/${id}`))).toEqual({
      status: 409,
      code: "IN_USE",
      clause: "3.Claim",
    });
    expect((await owner.get(`/api/claims/${id}`)).record().version).toBe(1);
    expect(await lines(served, id)).toHaveLength(1);
  });

  test("twice at once deletes once", async () => {
    const { id } = await create();
    const answers = await Promise.all(Array.from({ length: 4 }, () => owner.delete(`/api/claims/${id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404]);
    expect(await lines(served, id)).toHaveLength(2);
  });
});

describe("history", () => {
  test("says who did what, when, under which clause and version, newest first", async () => {
    const { id } = await create();
    (await owner.patch(`/api/claims/${id}`, { amount: "13", days: 2 })).record();
    (await clerk.post(`/api/claims/${id}/refuse`, { reason: "late" })).record();
    const history = (await auditor.get(`/api/claims/${id}/history`)).history();
    expect(history).toMatchObject([
      {
        person: { id: clerk.id, label: "Cleo" },
        action: "refuse",
        clause: "4.Claim.refuse",
        document: 1,
        changes: [
          { field: "reason", before: null, after: "late" },
          { field: "status", before: "open", after: "refused" },
        ],
      },
      {
        person: { id: owner.id, label: "Olga" },
        action: "update",
        clause: "6.Claim.update",
        changes: [
          { field: "amount", before: "12.5", after: "13" },
          { field: "days", before: null, after: 2 },
        ],
      },
      { action: "create", clause: "6.Claim.create" },
    ]);
    expect(history.at(-1)?.changes).toContainEqual({
      field: "owner",
      before: null,
      after: { id: owner.id, label: "Olga" } satisfies ReferenceJson,
    });
  });

  test("is silent about unchanged fields", async () => {
    const { id } = await create();
    (await owner.patch(`/api/claims/${id}`, { title: "Train", amount: "12.50", days: 3 })).record();
    const [line] = (await owner.get(`/api/claims/${id}/history`)).history();
    expect(line?.changes.map(({ field }) => field)).toEqual(["days"]);
  });
});

describe("checks have a fixed order", () => {
  test("401, 404, 403, 412, 422, 409: each comes before all later ones", async () => {
    await create({ number: "ORDER" });
    const { id } = await create();
    const path = `/api/claims/${id}`;
    const stale = { "if-match": '"9"' };
    const current = { "if-match": '"1"' };
    const asked = [
      await visitor.patch(path, { reason: "x", days: 0, number: "ORDER" }, stale),
      await stranger.patch(path, { reason: "x", days: 0, number: "ORDER" }, stale),
      await auditor.patch(path, { reason: "x", days: 0, number: "ORDER" }, stale),
      await owner.patch(path, { reason: "x", days: 0, number: "ORDER" }, stale),
      await owner.patch(path, { days: 0, number: "ORDER" }, stale),
      await owner.patch(path, { days: 0, number: "ORDER" }, current),
      await owner.patch(path, { paid_on: "2000-01-01", number: "ORDER" }, current),
      await owner.patch(path, { days: 1, number: "ORDER" }, current),
    ];
    expect(asked.map((answer) => `${answer.status} ${answer.problem().code}`)).toEqual([
      "401 NOT_SIGNED_IN",
      "404 NOT_FOUND",
      "403 FORBIDDEN",
      "403 NOT_YOURS_TO_WRITE",
      "412 CHANGED_MEANWHILE",
      "422 TOO_SMALL",
      "422 TOO_OLD",
      "409 TAKEN",
    ]);
    for (const answer of asked) expect(answer.headers.get("content-type")).toMatch(/^application\/problem\+json/);
    expect(await lines(served, id)).toHaveLength(1);
  });

  test("for a transition too: role, existence, guard, version, then the others", async () => {
    const { id } = await create();
    const path = `/api/claims/${id}/refuse`;
    const stale = { "if-match": '"9"' };
    const asked = [
      await visitor.post(path, { verdict: "x" }, stale),
      await stranger.post(path, { verdict: "x" }, stale),
      await auditor.post(path, { verdict: "x" }, stale),
      await clerk.post(path, { verdict: "x" }, stale),
      await clerk.post(path, {}, stale),
      await clerk.post(path, {}),
      await clerk.post(path, { reason: "no" }),
    ];
    expect(asked.map((answer) => `${answer.status} ${answer.problem().code}`)).toEqual([
      "401 NOT_SIGNED_IN",
      "404 NOT_FOUND",
      "403 FORBIDDEN",
      "403 NOT_YOURS_TO_WRITE",
      "412 CHANGED_MEANWHILE",
      "422 REQUIRED",
      "422 SAY_MORE",
    ]);
  });
});

describe("an Idempotency-Key", () => {
  const count = async () => (await served.database.query("select count(*)::int as n from app.claim")).rows[0]?.n;
  const send = (who: ApiClient, key: string, body: object, path = "/api/claims") =>
    who.post(path, body, { "idempotency-key": key });

  test("repeated creates one record, and both responses are about it", async () => {
    const first = await send(owner, "once", claim);
    const before = await count();
    const second = await send(owner, "once", claim);
    expect(second.status).toBe(201);
    expect(second.body).toEqual(first.body);
    for (const header of ["location", "etag"]) expect(second.headers.get(header)).toBe(first.headers.get(header));
    expect(await count()).toBe(before);
    expect(await lines(served, first.record().id)).toHaveLength(1);
  });

  test("repeated with another body is rejected", async () => {
    const { id } = (await send(owner, "other", claim)).record();
    for (const answer of [
      await send(owner, "other", { ...claim, title: "Bus" }),
      await send(owner, "other", { claim: id, text: "x" }, "/api/remarks"),
    ])
      expect(problem(answer)).toEqual({ status: 422, code: "KEY_REUSED" });
  });

  test("is separate for each person", async () => {
    const own = (await send(owner, "shared", claim)).record();
    const theirs = (await send(stranger, "shared", claim)).record();
    expect(theirs.id).not.toBe(own.id);
  });

  test("sent several times at once creates one record", async () => {
    const before = Number(await count());
    const answers = await Promise.all(Array.from({ length: 6 }, () => send(owner, "moment", claim)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 201]);
    expect(new Set(answers.map((answer) => answer.record().id)).size).toBe(1);
    expect(await count()).toBe(before + 1);
  });

  test("works with unique fields: the repetition does not collide with the first", async () => {
    const first = await send(owner, "unique", { ...claim, number: "KEY1" });
    const second = await send(owner, "unique", { ...claim, number: "KEY1" });
    expect(second.status).toBe(201);
    expect(second.body).toEqual(first.body);
  });

  test("works for a person who can’t read the new record", async () => {
    const { id } = await create();
    const first = await send(owner, "unread", { claim: id, text: "x" }, "/api/remarks");
    const second = await send(owner, "unread", { claim: id, text: "x" }, "/api/remarks");
    expect([second.status, second.body]).toEqual([201, first.body]);
  });

  test("is not used up by a refused request", async () => {
    expect((await send(owner, "retry", { ...claim, days: 0 })).status).toBe(422);
    expect((await send(owner, "retry", { ...claim, days: 1 })).status).toBe(201);
  });

  test("has 1 to 255 characters", async () => {
    expect((await send(owner, "k".repeat(255), claim)).status).toBe(201);
    for (const key of ["", "k".repeat(256)])
      expect(problem(await send(owner, key, claim))).toEqual({ status: 400, code: "BAD_QUERY" });
  });
});

describe("the audit", () => {
  test("has one line for each write: person, clause, version of the document and changes", async () => {
    const { id } = await create({ number: "AUDIT" });
    (await owner.patch(`/api/claims/${id}`, { days: 3 })).record();
    (await clerk.post(`/api/claims/${id}/refuse`, { reason: "late" })).record();
    const common = { entity: "Claim", document: 1 };
    expect(await lines(served, id)).toEqual([
      {
        ...common,
        person: owner.id,
        action: "create",
        clause: "6.Claim.create",
        changes: {
          title: [null, "Train"],
          number: [null, "AUDIT"],
          amount: [null, "12.5"],
          kind: [null, "travel"],
          urgent: [null, false],
          owner: [null, owner.id],
          status: [null, "open"],
        },
      },
      { ...common, person: owner.id, action: "update", clause: "6.Claim.update", changes: { days: [null, 3] } },
      {
        ...common,
        person: clerk.id,
        action: "refuse",
        clause: "4.Claim.refuse",
        changes: { status: ["open", "refused"], reason: [null, "late"] },
      },
    ]);
  });

  test("has nothing about refused requests", async () => {
    const { id } = await create();
    const readAll = async () => (await served.database.query("select count(*) from ninefold.audit")).rows;
    const before = await readAll();
    for (const answer of [
      await owner.post("/api/claims", { ...claim, number: "AUDIT" }),
      await owner.post("/api/claims", { ...claim, paid_on: "2000-01-01" }),
      await owner.patch(`/api/claims/${id}`, { title: null }),
      await owner.patch(`/api/claims/${id}`, { number: "AUDIT" }),
      await auditor.patch(`/api/claims/${id}`, { title: "B" }),
      await clerk.post(`/api/claims/${id}/refuse`, { reason: "no" }),
      await clerk.delete(`/api/claims/${id}`),
      await stranger.delete(`/api/claims/${id}`),
    ])
      expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(await readAll()).toEqual(before);
  });

  test("can’t be changed or emptied, not even by the owner of the database", async () => {
    for (const statement of [
      "update ninefold.audit set action = 'x'",
      "delete from ninefold.audit",
      "truncate ninefold.audit",
    ])
      await expect(served.database.query(statement)).rejects.toThrow("ninefold.audit is append only");
  });
});

test("is writable for the role of requests only as requests need it", async () => {
  const client = new pg.Client(served.database.appUrl);
  await client.connect();
  try {
    for (const statement of [
      "update ninefold.audit set action = 'x'",
      "delete from ninefold.audit",
      "delete from ninefold.version",
      "insert into ninefold.version values (9, 'x', 'x', 'x')",
      "update ninefold.release set steps = 0",
      "create table app.mine (id int)",
      "create table ninefold.mine (id int)",
      "alter table app.claim add column mine int",
      "drop table app.remark",
      "truncate app.remark",
      "create schema mine",
    ])
      await expect(client.query(statement), statement).rejects.toThrow(/permission denied|must be owner/u);
    expect((await client.query("select count(*)::int as n from app.claim")).rows).toHaveLength(1);
  } finally {
    await client.end();
  }
});

describe("an administrator", () => {
  test("can’t reach records if the document decides who can", async () => {
    const { id } = await create();
    expect((await administrator.get("/api/claims?count=true")).list()).toEqual({ items: [], next: null, count: 0 });
    expect(problem(await administrator.get("/api/remarks"))).toEqual({
      status: 403,
      code: "FORBIDDEN",
      clause: "6.Remark.read",
    });
    expect(problem(await administrator.get(`/api/claims/${id}`))).toMatchObject({ status: 404 });
    expect(problem(await administrator.post(`/api/claims/${id}/grant`))).toMatchObject({ status: 404 });
    expect((await administrator.get("/_/application")).body).toMatchObject({
      entities: { Claim: { create: expect.any(Array) } },
    });
  });

  test("can reach all records if a permission is not shown, and nobody else can", async () => {
    const silent = await serveText(`
# Notes
## 3. Entities
\`\`\`yaml
Note: { fields: { text: text } }
\`\`\`
## 4. States
\`\`\`yaml
Note: { states: [new, { old: { tone: good } }], final: old, transitions: { age: { from: new, to: old } } }
\`\`\`
`);
    const admin = await silent.person("Ada", ["administrator"]);
    const other = await silent.person("Otto", ["keeper"]);
    const { id } = (await admin.post("/api/notes", { text: "x" })).record();
    expect((await admin.patch(`/api/notes/${id}`, { text: "y" })).record()).toMatchObject({ text: "y" });
    expect((await admin.post(`/api/notes/${id}/age`)).record()).toMatchObject({ state: "old" });
    for (const who of [other, silent.visitor()]) {
      const status = who === other ? 403 : 401;
      expect(problem(await who.get("/api/notes"))).toMatchObject({ status, clause: "ADMINISTRATORS_ONLY" });
      expect(problem(await who.post("/api/notes", { text: "z" }))).toMatchObject({
        status,
        clause: "ADMINISTRATORS_ONLY",
      });
      expect((await who.get(`/api/notes/${id}`)).status).toBe(status === 403 ? 404 : 401);
    }
    expect(
      (await silent.database.query("select clause from ninefold.audit where record = $1 order by id", [id])).rows,
    ).toEqual([{ clause: "ADMINISTRATORS_ONLY" }, { clause: "ADMINISTRATORS_ONLY" }, { clause: "4.Note.age" }]);
    expect((await admin.delete(`/api/notes/${id}`)).status).toBe(204);
  });

  test("has the permissions of clauses that name the role administrator", async () => {
    const named = await serveText(`
# Notes
## 3. Entities
\`\`\`yaml
Note: { fields: { text: text } }
\`\`\`
## 6. Permissions
\`\`\`yaml
permissions: { Note: { read: [administrator] } }
\`\`\`
`);
    const admin = await named.person("Ada", ["administrator"]);
    expect((await admin.get("/api/notes")).list().items).toEqual([]);
    expect(problem(await admin.post("/api/notes", { text: "x" }))).toMatchObject({ status: 403, clause: "6.Note" });
  });
});

describe("the lending desk", () => {
  test("a thing is lent: a member asks, a keeper hands it over and takes it back, and both read the history", async () => {
    const desk = await serveText(readFileSync(example("lending"), "utf8"));
    const keeper = await desk.person("Kim", ["keeper"]);
    const member = await desk.person("Mia");
    const other = await desk.person("Max");
    const { id: thing } = (await keeper.post("/api/things", { name: "Cordless drill", kind: "tool" })).record();
    const loan = (await member.post("/api/loans?label=true", { thing, due_day: "2099-01-02" })).record();
    expect(loan).toMatchObject({ _label: "Cordless drill for Mia", status: "asked", borrower: { label: "Mia" } });
    expect(loan.from_day).toBe(new Intl.DateTimeFormat("en-CA", { timeZone: "Europe/Berlin" }).format(new Date()));

    expect(problem(await member.post("/api/loans", { thing, from_day: "2099-01-02", due_day: "2099-01-01" }))).toEqual({
      status: 422,
      code: "DUE_BEFORE_START",
      clause: "5.Loan.DUE_BEFORE_START",
      errors: ["/due_day DUE_BEFORE_START 5.Loan.DUE_BEFORE_START"],
    });
    expect(problem(await member.post(`/api/loans/${loan.id}/hand_over`))).toMatchObject({
      status: 403,
      clause: "4.Loan.hand_over",
    });
    expect((await other.get(`/api/loans/${loan.id}`)).status).toBe(404);
    expect((await keeper.post(`/api/loans/${loan.id}/hand_over`)).record()).toMatchObject({
      status: "lent",
      may: { transitions: ["take_back"] },
    });
    expect((await keeper.post(`/api/loans/${loan.id}/take_back`)).record()).toMatchObject({ status: "returned" });
    const history = (await member.get(`/api/loans/${loan.id}/history`)).history();
    expect(history.map(({ action, person }) => `${action} by ${person?.label}`)).toEqual([
      "take_back by Kim",
      "hand_over by Kim",
      "create by Mia",
    ]);
    expect(problem(await keeper.delete(`/api/things/${thing}`))).toMatchObject({ status: 409, code: "IN_USE" });
  });
});

describe("people", () => {
  const circle = `
# Circle
## 6. Permissions
\`\`\`yaml
roles: { member: { members: signed in }, host: { members: granted } }
permissions:
  User:
    read:   [{ role: member, fields: [name] }, host]
    update: [{ role: member, when: "this == user", fields: [name] }]
    delete: [host]
\`\`\`
`;

  test("are records: a person who can read only names neither sees nor searches other fields", async () => {
    const served = await serveText(circle);
    const mia = await served.person("Mia");
    const host = await served.person("Hera", ["host"]);
    const seen = (await mia.get("/api/users?sort=name")).list().items;
    expect(seen.map(({ name }) => name)).toEqual(["Hera", "Mia"]);
    for (const one of seen)
      expect(Object.keys(one).sort()).toEqual(["created_at", "id", "name", "updated_at", "version"]);
    for (const query of [`email=${mia.email}`, "sort=email"])
      expect(problem(await mia.get(`/api/users?${query}`))).toEqual({ status: 400, code: "BAD_QUERY" });
    expect((await mia.get(`/api/users?search=${mia.email}`)).list().items).toEqual([]);
    expect((await host.get(`/api/users/${mia.id}`)).record()).toMatchObject({ email: mia.email });
  });

  test("can’t grant themselves anything: roles and account status are fields of no call", async () => {
    const served = await serveText(circle);
    const mia = await served.person("Mia");
    const host = await served.person("Hera", ["host"]);
    for (const more of [{ roles: ["administrator"] }, { active: false }, { password: "a good long password" }])
      expect(problem(await mia.patch(`/api/users/${mia.id}`, { name: "M", ...more }))).toMatchObject({
        code: "UNKNOWN_FIELD",
      });
    expect((await host.get(`/api/users/${mia.id}`)).record()).not.toHaveProperty("roles");
    expect((await mia.patch(`/api/users/${mia.id}`, { name: "Mia M." })).record()).toMatchObject({ name: "Mia M." });
    expect(problem(await mia.patch(`/api/users/${host.id}`, { name: "H" }))).toMatchObject({
      status: 403,
      code: "FORBIDDEN",
    });
    const { rows } = await served.database.query(`select "name", "roles", "active" from app."user" order by "name"`);
    expect(rows).toEqual([
      { name: "Hera", roles: ["host"], active: true },
      { name: "Mia M.", roles: [], active: true },
    ]);
  });

  test("lose their sessions when they are deleted", async () => {
    const served = await serveText(circle);
    const mia = await served.person("Mia");
    const host = await served.person("Hera", ["host"]);
    expect((await mia.get("/api/users")).status).toBe(200);
    expect((await host.delete(`/api/users/${mia.id}`)).status).toBe(204);
    expect(problem(await mia.get("/api/users"))).toMatchObject({ status: 401, code: "NOT_SIGNED_IN" });
  });
});

describe("a hidden value", () => {
  const secrets = `
# Secrets
## 3. Entities
\`\`\`yaml
Box: { label: "{name}", fields: { name: text } }
Case:
  label: "{title} in {box.name} ({secret})"
  fields: { title: text, secret: text?, box: Box }
\`\`\`
## 4. States
\`\`\`yaml
Case: { states: [open, shut], final: shut, transitions: { shut: { from: open, to: shut, by: member } } }
\`\`\`
## 5. Rules
\`\`\`yaml
Case: [{ rule: "title != 'x'", else: NAMED }]
\`\`\`
## 6. Permissions
\`\`\`yaml
roles: { member: { members: signed in }, keeper: { members: granted } }
permissions:
  Box:  { read: [keeper], create: [keeper] }
  Case: { read: [{ role: member, fields: [title, box] }, keeper], create: [keeper], update: [member] }
\`\`\`
## 8. Errors
\`\`\`yaml
NAMED: { message: "{title}: {secret}, {box.name}.", at: title }
\`\`\`
`;
  let served: TestServer;
  let member: Person;
  let keeper: Person;
  let id: string;
  beforeAll(async () => {
    served = await serveText(secrets);
    member = await served.person("Mia");
    keeper = await served.person("Kim", ["keeper"]);
    const box = (await keeper.post("/api/boxes", { name: "Cellar" })).record();
    ({ id } = (await keeper.post("/api/cases", { title: "A", secret: "gold", box: box.id })).record());
  });

  test("is shown as “…” in a label, through references too", async () => {
    expect((await keeper.get(`/api/cases/${id}?label=true`)).record()._label).toBe("A in Cellar (gold)");
    const seen = (await member.get(`/api/cases/${id}?label=true`)).record();
    expect(seen).toMatchObject({ _label: "A in … (…)", box: { label: "…" } });
  });

  test("is shown as “…” in the message of a broken rule, or as the field’s title if it can’t be missing", async () => {
    const messageOf = async (who: Person) =>
      (await who.patch(`/api/cases/${id}`, { title: "x" })).problem().errors?.[0]?.message;
    expect(await messageOf(keeper)).toBe("x: gold, Cellar.");
    expect(await messageOf(member)).toBe("x: …, Box.");
  });

  test("is not revealed by a refusal: a hidden state is only said to be another one", async () => {
    (await keeper.post(`/api/cases/${id}/shut`)).record();
    const refused = await member.post(`/api/cases/${id}/shut`);
    expect(problem(refused)).toMatchObject({ status: 409, code: "WRONG_STATE" });
    // The text of a response may write a character as its code.
    const said = ({ body }: { readonly body: unknown }) => JSON.stringify(body);
    expect(said(refused)).not.toMatch(/not “Shut”/u);
    expect(said(await member.get(`/api/cases/${id}`))).not.toMatch(/not “Shut”/u);
    expect(said(await keeper.get(`/api/cases/${id}`))).toMatch(/not “Shut”/u);
  });
});

describe("simultaneous requests", () => {
  test("that change different fields all succeed one after the other, and none is lost", async () => {
    // The order of members does not matter: `urgent` needs `days`, which is read first.
    const { id } = await create({ days: 3 });
    const changes = [
      { title: "Bus" },
      { days: 5 },
      { paid_on: "2026-01-02" },
      { number: "AT1" },
      { kind: "tools" },
      { urgent: true },
    ];
    const answers = await Promise.all(changes.map((change) => owner.patch(`/api/claims/${id}`, change)));
    expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
    const record = (await owner.get(`/api/claims/${id}`)).record();
    expect(record).toMatchObject({ ...Object.assign({}, ...changes), version: 1 + changes.length });
    expect(await lines(served, id)).toHaveLength(1 + changes.length);
  });

  test("that are each valid alone and invalid together do not both succeed", async () => {
    for (let round = 0; round < 8; round++) {
      const { id } = await create({ days: 3 });
      const answers = await Promise.all([
        owner.patch(`/api/claims/${id}`, { urgent: true }),
        owner.patch(`/api/claims/${id}`, { days: null }),
      ]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    }
  });

  test("update or delete a record, and never update a deleted one", async () => {
    for (let round = 0; round < 8; round++) {
      const { id } = await create();
      const [changed, deleted] = await Promise.all([
        owner.patch(`/api/claims/${id}`, { title: "Bus" }),
        owner.delete(`/api/claims/${id}`),
      ]);
      expect(deleted.status).toBe(204);
      expect([200, 404]).toContain(changed.status);
      const actions = (await lines(served, id)).map(({ action }) => action);
      expect(actions).toEqual(changed.status === 200 ? ["create", "update", "delete"] : ["create", "delete"]);
    }
  });

  test("refer to and delete a record: one is refused, and no reference dangles", async () => {
    for (let round = 0; round < 8; round++) {
      const { id } = await create();
      const [remark, deleted] = await Promise.all([
        owner.post("/api/remarks", { claim: id, text: "x" }),
        owner.delete(`/api/claims/${id}`),
      ]);
      const codes = [remark, deleted].map((answer) => (answer.status < 300 ? answer.status : answer.problem().code));
      expect([
        [201, "IN_USE"],
        ["NO_SUCH_REFERENCE", 204],
      ]).toContainEqual(codes);
    }
  });
});

test("today is the date in the document’s time zone, wherever the server is", async () => {
  const today = async (zone: string) => {
    const served = await serveText(`
# Days
## 1. What
\`\`\`yaml
timezone: ${zone}
\`\`\`
## 3. Entities
\`\`\`yaml
Note: { fields: { day: { type: date, default: today }, at: { type: datetime, set: now } } }
\`\`\`
`);
    const admin = await served.person("Ada", ["administrator"]);
    const { day, at } = (await admin.post("/api/notes", {})).record();
    expect(day).toBe(new Intl.DateTimeFormat("en-CA", { timeZone: zone }).format(new Date(String(at))));
    return day;
  };
  // Twenty-five hours apart, these zones never have an equal date.
  expect(await today("Pacific/Kiritimati")).not.toBe(await today("Pacific/Pago_Pago"));
});

describe("names that could collide with the words of a call", () => {
  test("a field can have any name that the language does not reserve", async () => {
    const names = [
      "state",
      "fresh",
      "guard",
      "done",
      "readable",
      "record",
      "person",
      "roles",
      "count",
      "order",
      "select",
    ];
    const odd = await serveText(`
# Odd
## 3. Entities
\`\`\`yaml
Odd: { fields: { ${names.map((name) => `${name}: text?`).join(", ")}, title: text } }
\`\`\`
## 4. States
\`\`\`yaml
Odd: { field: is_at, states: [new, old], final: old, transitions: { age: { from: new, to: old, by: member, when: "title != 'x'", asks: guard } } }
\`\`\`
## 6. Permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { Odd: { read: [member], create: [member], update: [member], delete: [member] } }
\`\`\`
`);
    const ada = await odd.person("Ada");
    const values = Object.fromEntries(names.map((name) => [name, `its ${name}`]));
    const { id } = (await ada.post("/api/odds", { ...values, title: "A" })).record();
    expect((await ada.get(`/api/odds/${id}`)).record()).toMatchObject(values);
    const empty = Object.fromEntries(names.map((name) => [name, null]));
    expect((await ada.patch(`/api/odds/${id}`, empty)).record()).toMatchObject({ ...empty, version: 2 });
    const aged = await ada.post(`/api/odds/${id}/age`, { guard: "on" }, { "if-match": '"2"' });
    expect(aged.record()).toMatchObject({ ...empty, guard: "on", is_at: "old", version: 3 });
    expect((await ada.get(`/api/odds/${id}/history`)).history()).toHaveLength(3);
    expect((await ada.delete(`/api/odds/${id}`, { "if-match": '"3"' })).status).toBe(204);
  });

  test("a transition called “update” and an update are different calls", async () => {
    const text = `
# Cases
## 3. Entities
\`\`\`yaml
Case: { fields: { title: text, note: text? } }
\`\`\`
## 4. States
\`\`\`yaml
Case: { states: [open, closed], final: closed, transitions: { update: { from: open, to: closed, by: clerk, asks: note } } }
\`\`\`
## 6. Permissions
\`\`\`yaml
roles: { clerk: { members: granted } }
permissions: { Case: { read: [clerk], create: [clerk], update: [clerk] } }
\`\`\`
`;
    const { model, findings } = compile({ file: "cases.md", text });
    if (model === undefined) {
      expect(findings).toMatchObject([{ code: "RESERVED_NAME", clause: "4.Case.update" }]);
      return;
    }
    const cases = await serveText(text);
    const clerkOfCases = await cases.person("Cleo", ["clerk"]);
    const { id } = (await clerkOfCases.post("/api/cases", { title: "A" })).record();
    expect((await clerkOfCases.patch(`/api/cases/${id}`, { note: "x" })).record()).toMatchObject({ state: "open" });
    expect((await clerkOfCases.post(`/api/cases/${id}/update`, { note: "y" })).record()).toMatchObject({
      state: "closed",
    });
    expect((await clerkOfCases.patch(`/api/cases/${id}`, { note: "z" })).record()).toMatchObject({ state: "closed" });
  });
});
