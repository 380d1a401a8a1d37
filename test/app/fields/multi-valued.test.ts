import { beforeAll, describe, expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import { ChangeRefused } from "../../../src/postgres/schema/apply-steps.ts";
import { open } from "../../../src/server/serving/open-document.ts";
import { database } from "../../postgres.ts";
import { type ApiClient, compiled, serveText, type TestServer } from "../program.ts";

const tickets = `
# Tickets

## 2. Screens and routes
\`\`\`yaml
/tickets: { list: Ticket, columns: [title, tags, watchers], filters: [tags, watchers], sort: [title] }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
User:
  fields:
    teams:   { type: Team, many: true }
    watched: { list: Ticket.watchers }
    busy:    { type: integer, computed: "watched.count(t, t.urgent)", discloses: true }
Team:
  label: "{name}"
  fields: { name: { type: text, unique: true } }
Tag:
  label: "{name}"
  fields:
    name:    { type: text, unique: true }
    hidden:  boolean
    used:    { type: integer, computed: "Ticket.count(t, this in t.tags)", discloses: true }
    tickets: { list: Ticket.tags }
Ticket:
  label: "{title}"
  fields:
    title:    text
    urgent:   boolean
    team:     Team?
    author:   { type: User, set: user }
    tags:     { type: Tag, many: true }
    watchers: { type: User, many: true, default: "[user]", among: "User.filter(u, u.name != 'Gone')" }
    first:    { type: text?, computed: "tags.map(t, t.name).min()" }
    amounts:  { type: decimal, many: true }
    prices:   { type: money, many: true, currency: EUR }
    moments:  { type: datetime, many: true }
    hours:    { type: time, many: true }
    waits:    { type: duration, many: true }
    remarks:  { type: long text, many: true }
\`\`\`

## 5. Validation rules
\`\`\`yaml
Ticket:
  - { rule: "size(tags) <= 3", else: TOO_MANY_TAGS }
  - { rule: "!urgent || tags.exists(t, t.name == 'fire')", else: NOT_URGENT }
  - { rule: "watchers.all(w, w.busy <= 2)", else: TOO_BUSY }
  - { rule: "tags.all(t, Ticket.count(o, t in o.tags) <= 4)", during: create, else: USED_UP }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  staff: { members: granted }
  guest: { members: granted }
  Ticket: { watcher: "user in watchers", teammate: "team in user.teams" }
permissions:
  User:
    read: [{ role: staff }, { role: guest, fields: [name] }]
  Team: { read: [staff, guest], create: staff }
  Tag:
    read:   [staff, { role: guest, when: "!hidden" }]
    create: staff
    delete: staff
  Ticket:
    read:   [staff, watcher, teammate]
    create: [staff, guest]
    update: [staff, { role: watcher, fields: [tags] }]
    delete: staff
\`\`\`

## 8. Error catalogue
\`\`\`yaml
TOO_MANY_TAGS: "More than three: {tags.map(t, t.name)}."
NOT_URGENT: Only a fire is urgent.
TOO_BUSY: One of them has enough to watch.
USED_UP: A tag stands at four tickets at most.
\`\`\`
`;

let desk: TestServer;
let staff: ApiClient & { readonly id: string };
let guest: ApiClient & { readonly id: string };
const tag: Record<string, string> = {};

beforeAll(async () => {
  desk = await serveText(tickets);
  staff = await desk.person("Sam", ["staff"]);
  guest = await desk.person("Gus", ["guest"]);
  for (const name of ["fire", "network", "printer", "secret", "lonely"])
    tag[name] = String((await staff.post("/api/tags", { name, hidden: name === "secret" })).record().id);
});

const ids = (...names: readonly string[]) => names.map((name) => tag[name]);
const titles = async (who: ApiClient, words = "") =>
  (await who.get(`/api/tickets?${words}`)).list().items.map(({ title }) => title);

describe("several references in one field", () => {
  test("are read in order with their labels, changed as a whole, and shown in history", async () => {
    const created = await staff.post("/api/tickets", { title: "Router", tags: ids("printer", "network", "printer") });
    const router = created.record();
    expect(router).toMatchObject({
      tags: [
        { id: tag.printer, label: "printer" },
        { id: tag.network, label: "network" },
      ],
      watchers: [{ id: staff.id, label: "Sam" }],
      first: "network",
    });
    const changed = await staff.patch(`/api/tickets/${router.id}`, { tags: ids("fire", "printer"), urgent: true });
    expect(changed.record()).toMatchObject({ first: "fire", urgent: true });
    const [line] = (await staff.get(`/api/tickets/${router.id}/history`)).history();
    expect(line?.changes).toContainEqual({
      field: "tags",
      before: [
        { id: tag.printer, label: "printer" },
        { id: tag.network, label: "network" },
      ],
      after: [
        { id: tag.fire, label: "fire" },
        { id: tag.printer, label: "printer" },
      ],
    });
    expect((await staff.get("/api/tags?sort=name")).list().items.map(({ name, used }) => `${name} ${used}`)).toEqual([
      "fire 1",
      "lonely 0",
      "network 0",
      "printer 1",
      "secret 0",
    ]);
    expect((await staff.get(`/api/users/${staff.id}`)).record()).toMatchObject({ busy: 1 });
  });

  test("are refused one by one: missing record, outside the selection, too many, and broken rules", async () => {
    const code = async (values: object) => {
      const { errors } = (await staff.post("/api/tickets", { title: "No", ...values })).problem();
      return errors?.map((one) => `${one.at} ${one.code} ${one.message}`);
    };
    const deleted = await desk.person("Gone", []);
    expect(await code({ tags: "fire" })).toMatchObject([expect.stringMatching(/^\/tags WRONG_TYPE/u)]);
    expect(await code({ tags: [tag.fire, "0198a000-0000-7000-8000-000000000000"] })).toMatchObject([
      expect.stringMatching(/^\/tags NO_SUCH_REFERENCE/u),
    ]);
    expect(await code({ watchers: [staff.id, deleted.id] })).toMatchObject([
      expect.stringMatching(/^\/watchers NOT_AMONG/u),
    ]);
    expect(await code({ tags: ids("fire", "network", "printer", "lonely") })).toEqual([
      "/tags TOO_MANY_TAGS More than three: fire, network, printer, lonely.",
    ]);
    expect(await code({ urgent: true, tags: ids("network") })).toMatchObject([expect.stringMatching(/NOT_URGENT/u)]);
  });

  test("keep records that a person can’t see, and can’t gain any", async () => {
    const own = (await guest.post("/api/tickets", { title: "Guest's", tags: ids("fire") })).record();
    expect((await guest.patch(`/api/tickets/${own.id}`, { tags: ids("secret") })).problem().errors).toMatchObject([
      { at: "/tags", code: "NO_SUCH_REFERENCE" },
    ]);
    await staff.patch(`/api/tickets/${own.id}`, { tags: ids("secret", "fire") });
    expect((await guest.get(`/api/tickets/${own.id}`)).record().tags).toEqual([
      { id: tag.secret, label: "…" },
      { id: tag.fire, label: "fire" },
    ]);
    const stored = await guest.patch(`/api/tickets/${own.id}`, { tags: ids("secret", "network") });
    expect(stored.record().tags).toMatchObject([{ id: tag.secret }, { id: tag.network }]);
  });

  test("grant permissions to people among them, who find the record in lists", async () => {
    const north = (await staff.post("/api/teams", { name: "North" })).record().id;
    await staff.post("/api/tickets", { title: "Of North", team: north, watchers: [] });
    expect(await titles(guest)).toEqual(["Guest's"]);
    await desk.database.query('update app."user" set teams = array[$1::uuid] where id = $2', [north, guest.id]);
    expect((await titles(guest, "sort=title")).sort()).toEqual(["Guest's", "Of North"]);
    expect(await titles(guest, `watchers=${guest.id}`)).toEqual(["Guest's"]);
    expect(await titles(staff, `tags=${tag.network}&sort=title`)).toEqual(["Guest's"]);
    expect(await titles(staff, "tags=&sort=title")).toEqual(["Of North"]);
    expect(await titles(staff, "sort=tags")).toEqual(["Router", "Guest's", "Of North"]);
  });

  test("prevent the deletion of their targets, and are deleted with their own record", async () => {
    const links = async () =>
      (await desk.database.query("select count(*)::int as n from app.ticket__links_tags")).rows[0]?.n;
    const before = await links();
    const spare = String((await staff.post("/api/tags", { name: "spare", hidden: false })).record().id);
    const created = (await staff.post("/api/tickets", { title: "Spare", tags: [spare] })).record();
    expect((await staff.delete(`/api/tags/${spare}`)).problem().code).toBe("IN_USE");
    expect((await staff.delete(`/api/tickets/${created.id}`)).status).toBe(204);
    expect(await links()).toBe(before);
    expect((await staff.delete(`/api/tags/${spare}`)).status).toBe(204);
  });

  test("are counted by rules under simultaneous writes", async () => {
    const name = "contested";
    const contested = String((await staff.post("/api/tags", { name, hidden: false })).record().id);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) => staff.post("/api/tickets", { title: `Race ${i}`, tags: [contested] })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 422, 422, 422, 422]);
    expect((await staff.get(`/api/tags/${contested}`)).record()).toMatchObject({ used: 4 });
  });
});

describe("several values of other types", () => {
  test("are stored exactly, and returned alike", async () => {
    const values = {
      amounts: ["1.5", "12345678901234567890.123456789"],
      moments: ["2026-03-29T01:30:00.000Z", "2026-03-29T01:30:00.250Z"],
      hours: ["08:30:00", "23:59:59"],
      waits: ["P14D", "PT1H30M"],
      remarks: ["One\nline, “quoted”", "another"],
    };
    const created = await staff.post("/api/tickets", { title: "Typed", ...values, prices: ["12.5", "0.01"] });
    const prices = [
      { amount: "12.50", currency: "EUR" },
      { amount: "0.01", currency: "EUR" },
    ];
    expect(created.record()).toMatchObject({ ...values, prices });
    const [line] = (await staff.get(`/api/tickets/${created.record().id}/history`)).history();
    for (const [field, after] of Object.entries({ ...values, prices }))
      expect(line?.changes).toContainEqual({ field, before: null, after });
  });
});

describe("a field that becomes multi-valued", () => {
  const shelf = (fields: string) => `
# Shelf
## 3. Entities and their fields
\`\`\`yaml
Author: { fields: { name: text }, label: "{name}" }
Book:
  fields: { ${fields} }
\`\`\`
## 5. Validation rules
\`\`\`yaml
Book: [{ unique: title, else: TWICE }]
\`\`\`
## 8. Error catalogue
\`\`\`yaml
TWICE: That title is there.
\`\`\`
`;
  const one = shelf("title: text, author: Author?, kind: { type: choice, values: [novel, poem] }, pages: integer?");
  const many = shelf(
    "title: text, author: { type: Author, many: true }, kind: { type: choice, values: [novel, poem], many: true }, pages: { type: integer, many: true }",
  );

  test("keeps its stored value as the first one, and can go back if there is no second", async () => {
    const store = await database();
    const apply = async (text: string) => {
      const specification = compiled(text, "shelf.md");
      const opened = await open(specification.model, specification, { owner: store.url, app: store.appUrl });
      await opened.close();
      return opened.applied.done;
    };
    const messageOf = async (text: string) =>
      apply(text).catch((error: unknown) =>
        error instanceof ChangeRefused ? error.refused.map(({ says }) => says) : [String(error)],
      );
    const books = async () => (await store.query("select author, kind, pages from app.book order by title")).rows;
    try {
      await apply(one);
      const [ann, ben] = ["11111111-0000-7000-8000-000000000000", "22222222-0000-7000-8000-000000000000"];
      for (const id of [ann, ben])
        await store.query("insert into app.author (id, created_at, updated_at, name) values ($1, now(), now(), 'A')", [
          id,
        ]);
      for (const [title, author, pages] of [
        ["a", ann, 10],
        ["b", null, null],
      ])
        await store.query(
          "insert into app.book (id, created_at, updated_at, title, author, kind, pages) values (gen_random_uuid(), now(), now(), $1, $2, 'novel', $3)",
          [title, author, pages],
        );
      const before = await books();
      expect(await apply(many)).toEqual(expect.arrayContaining(["3.Book.author: allow several values"]));
      expect(await books()).toEqual([
        { author: [ann], kind: ["novel"], pages: ["10"] },
        { author: [], kind: ["novel"], pages: [] },
      ]);
      expect(await apply(many)).toEqual([]);
      expect((await store.query("select refers from app.book__links_author")).rows).toEqual([{ refers: ann }]);
      await store.query("update app.book set author = $1, pages = '{1,2}' where title = 'a'", [[ben, ann]]);
      expect((await store.query("select refers from app.book__links_author order by 1")).rows).toHaveLength(2);
      expect(await messageOf(one)).toEqual([
        "3.Book.author can’t hold only one value: 1 record has several values. Correct it, or choose a value with “was” and “fill”.",
        "3.Book.pages can’t hold only one value: 1 record has several values. Correct it, or choose a value with “was” and “fill”.",
      ]);
      await store.query("update app.book set author = $1, pages = '{10}' where title = 'a'", [[ann]]);
      expect(await messageOf(one)).toEqual(expect.arrayContaining(["3.Book.author: allow only one value"]));
      expect(await books()).toEqual(before);
      expect(await apply(one)).toEqual([]);
      await expect(store.query("update app.book set kind = 'other'")).rejects.toThrow(/book__values_kind/u);
      await expect(store.query("delete from app.author where id = $1", [ann])).rejects.toThrow(/book__fk_author/u);
    } finally {
      await store.end();
    }
  });
});

const crews = `
# Crews

## 3. Entities and their fields
\`\`\`yaml
Depot:
  label: "{name} ({town})"
  fields: { name: text, town: text, hidden: boolean }
Van:
  label: "{plate} of {depot}"
  fields: { plate: text, depot: Depot }
Job:
  label: "{vans}, led by {lead}"
  fields:
    lead: { type: User, set: user }
    vans: { type: Van, many: true }
    crew: { type: User, many: true }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Job:
  states: [{ planned: { title: About to go } }, gone]
  final: [gone]
  transitions: { go: { from: planned, to: gone, by: driver } }
  after:
    create: { notify: user, text: "{lead} goes with {vans} and {crew}: {state}." }
\`\`\`

## 5. Validation rules
\`\`\`yaml
Job:
  - { rule: "!(lead in crew)", else: LEADS_ALREADY }
  - { unique: lead, else: ONE_EACH }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  driver: { members: signed in }
  clerk:  { members: granted }
permissions:
  User:  { read: { role: driver, fields: [name] } }
  Depot: { read: [clerk, { role: driver, when: "!hidden" }, { role: driver, when: hidden, fields: [name] }], create: clerk }
  Van:   { read: driver, create: clerk }
  Job:   { read: driver, create: driver }
\`\`\`

## 8. Error catalogue
\`\`\`yaml
LEADS_ALREADY: "{lead} cannot go with {vans} as one of {crew}."
ONE_EACH: "{lead} has a job already."
\`\`\`
`;

test("references in a text are shown by their labels in order, as far as the reader can see them", async () => {
  const served = await serveText(crews);
  const clerk = await served.person("Cleo", ["clerk"]);
  const ada = await served.person("Ada");
  const ben = await served.person("Ben");
  const depot = async (name: string, hidden: boolean) =>
    (await clerk.post("/api/depots", { name, town: "Ulm", hidden })).record().id;
  const van = async (plate: string, at: string) => (await clerk.post("/api/vans", { plate, depot: at })).record().id;
  const vans = [await van("U 2", await depot("North", true)), await van("U 1", await depot("South", false))];

  const refused = await ada.post("/api/jobs", { vans, crew: [ben.id, ada.id] });
  expect(refused.problem().errors?.[0]?.message).toBe(
    "Ada cannot go with U 2 of North (…), U 1 of South (Ulm) as one of Ben, Ada.",
  );
  const created = (await ada.post("/api/jobs?label=true", { vans, crew: [ben.id] })).record();
  expect(created._label).toBe("U 2 of North (…), U 1 of South (Ulm), led by Ada");
  expect((await clerk.get(`/api/jobs/${created.id}?label=true`)).record()._label).toBe(
    "U 2 of North (Ulm), U 1 of South (Ulm), led by Ada",
  );
  expect((await ada.post("/api/jobs", {})).problem().errors?.[0]?.message).toBe("Ada has a job already.");
  expect((await ada.get("/_/notifications")).body).toMatchObject({
    items: [{ text: "Ada goes with U 2 of North (…), U 1 of South (Ulm) and Ben: About to go." }],
  });
  const list = await clerk.get("/api/jobs?label=true");
  expect(list.list().items.map((one) => one._label)).toEqual(["U 2 of North (Ulm), U 1 of South (Ulm), led by Ada"]);
  await served.stop();
});

test("a label that refers to itself through references is a cycle", () => {
  const text = crews
    .replace('label: "{name} ({town})"', 'label: "{name} ({jobs})"')
    .replace(
      "fields: { name: text, town: text, hidden: boolean }",
      "fields: { name: text, town: text, hidden: boolean, jobs: { type: Job, many: true } }",
    );
  const { findings } = compile({ file: "crews.md", text });
  expect(findings.filter(({ severity }) => severity === "error").map(({ code, message }) => [code, message])).toEqual([
    ["CYCLE", "The label of Depot contains itself: Job, Van, Depot."],
  ]);
});
