import { beforeAll, expect, test } from "vitest";
import { open } from "../../../src/server/serving/open-document.ts";
import { database } from "../../postgres.ts";
import { type ApiClient, compiled, serveText, type TestServer } from "../program.ts";

const leave = (more: { readonly where?: string; readonly kept?: string } = {}) => `
# Leave

## 1. What the product does and for whom
\`\`\`yaml
timezone: Europe/Berlin
\`\`\`

## 2. Screens and routes
\`\`\`yaml
/days: { list: Day, columns: [day, absence, person], filters: [day], sort: [day], layouts: [table, { calendar: [day] }] }
/:
  title: Overview
  tiles: [{ title: Away today, count: Day, where: "day == today" }]
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
User:
  fields:
    busy_days: { type: integer, computed: "Day.count(d, d.person == this)", discloses: true }
Absence:
  label: "{reason}"
  fields:
    employee: { type: User, set: user }
    reason:   text
    from:     date
    to:       date
    half:     boolean
Day:
  label: "{absence.reason}"
  rows of: { absence: Absence, day: "days(from, to)" }
  where: "${more.where ?? "absence.status == granted && weekday(day) < 6"}"
  fields:
    person: { type: User, kept: true, computed: absence.employee }
    counts: { type: decimal, computed: "absence.half ? 0.5 : 1" }${more.kept ?? ""}
\`\`\`

## 4. States and transitions
\`\`\`yaml
Absence:
  field: status
  initial: asked
  final: [refused]
  states: [asked, granted, refused]
  transitions:
    grant:  { from: asked, to: granted, by: chief }
    revoke: { from: granted, to: refused, by: chief }
\`\`\`

## 5. Validation rules
\`\`\`yaml
Absence:
  - { rule: "Day.filter(d, d.person == employee).map(d, d.counts).sum() <= limits.most", during: [grant, update], else: TOO_MANY }
Day:
  - { unique: [person, day], else: TWICE }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  staff: { members: signed in }
  chief: { members: granted }
  Day:   { own: "absence.employee == user" }
permissions:
  User: { read: [{ role: staff, fields: [name] }, chief] }
  Absence: { read: staff, create: staff, update: chief, delete: chief }
  Day:  { read: [own, chief] }
\`\`\`

## 8. Error catalogue
\`\`\`yaml
TOO_MANY: That is more than anybody has.
TWICE: There is leave on one of these days already.
\`\`\`

## 9. Business constants and limits
\`\`\`yaml
most: 6
\`\`\`
`;

let desk: TestServer;
let chief: ApiClient & { readonly id: string };
let ada: ApiClient & { readonly id: string };
let bob: ApiClient & { readonly id: string };

beforeAll(async () => {
  desk = await serveText(leave());
  chief = await desk.person("Chief", ["chief"]);
  ada = await desk.person("Ada");
  bob = await desk.person("Bob");
});

const absence = async (who: ApiClient, from: string, to: string, half = false) =>
  (await who.post("/api/absences", { reason: `${from} to ${to}`, from, to, half })).record();
const days = async (who: ApiClient, words = "") =>
  (await who.get(`/api/days?sort=day&${words}`)).list().items.map(({ day }) => day);

test("derived rows are created, updated and deleted with their source", async () => {
  const asked = await absence(ada, "2026-05-14", "2026-05-18");
  expect(await days(chief)).toEqual([]);
  expect((await chief.post(`/api/absences/${asked.id}/grant`, {})).status).toBe(200);
  const items = (await chief.get("/api/days?sort=day&label=true")).list().items;
  expect(items).toMatchObject([
    {
      day: "2026-05-14",
      absence: { id: asked.id, label: "2026-05-14 to 2026-05-18" },
      person: { id: ada.id, label: "Ada" },
      counts: "1",
      _label: "2026-05-14 to 2026-05-18",
    },
    { day: "2026-05-15" },
    { day: "2026-05-18" },
  ]);
  await chief.patch(`/api/absences/${asked.id}`, { from: "2026-05-15", half: true });
  const after = (await chief.get("/api/days?sort=day")).list().items;
  expect(after).toMatchObject([{ day: "2026-05-15", counts: "0.5" }, { day: "2026-05-18" }]);
  // The row is unchanged rather than recreated.
  expect(after.map(({ id }) => id)).toEqual(items.slice(1).map(({ id }) => id));
  expect((await chief.get(`/api/days/${after[0]?.id}`)).record()).toMatchObject({ day: "2026-05-15" });
  expect((await chief.get(`/api/users/${ada.id}`)).record()).toMatchObject({ busy_days: 2 });
  await chief.post(`/api/absences/${asked.id}/revoke`, {});
  expect(await days(chief)).toEqual([]);
});

test("permissions apply to them, and nobody writes them", async () => {
  const [hers, his] = [await absence(ada, "2026-06-01", "2026-06-01"), await absence(bob, "2026-06-02", "2026-06-02")];
  for (const { id } of [hers, his]) await chief.post(`/api/absences/${id}/grant`, {});
  expect(await days(ada)).toEqual(["2026-06-01"]);
  expect(await days(bob)).toEqual(["2026-06-02"]);
  expect(await days(chief, "day%3E=2026-06-02")).toEqual(["2026-06-02"]);
  const [row] = (await bob.get("/api/days")).list().items;
  expect((await ada.get(`/api/days/${row?.id}`)).status).toBe(404);
  expect((await bob.post("/api/days", { day: "2026-06-03" })).problem()).toMatchObject({
    status: 403,
    clause: "3.Day",
  });
  expect((await chief.patch(`/api/days/${row?.id}`, { day: "2026-06-03" })).problem()).toMatchObject({ status: 403 });
  expect((await chief.delete(`/api/days/${row?.id}`)).problem()).toMatchObject({ status: 403 });
  const description = (await chief.get("/api/openapi.json")).body as { paths: Record<string, object> };
  expect(Object.keys(description.paths["/days"] ?? description.paths["/api/days"] ?? {})).toEqual(["get"]);
  for (const { id } of [hers, his]) expect((await chief.delete(`/api/absences/${id}`)).status).toBe(204);
  expect(await days(chief)).toEqual([]);
});

test("rules that count them see the rows that a write would produce, also under simultaneous writes", async () => {
  const cyd = await desk.person("Cyd");
  const long = await absence(cyd, "2026-07-06", "2026-07-14");
  expect((await chief.post(`/api/absences/${long.id}/grant`, {})).problem().errors).toMatchObject([
    { code: "TOO_MANY" },
  ]);
  const parts = await Promise.all(
    ["2026-07-06", "2026-07-13", "2026-07-20", "2026-07-27"].map((monday) =>
      absence(
        cyd,
        monday,
        monday.replace(/\d\d$/u, (day) => String(Number(day) + 1).padStart(2, "0")),
      ),
    ),
  );
  const answers = await Promise.all(parts.map(({ id }) => chief.post(`/api/absences/${id}/grant`, {})));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 422]);
  expect((await chief.get(`/api/users/${cyd.id}`)).record()).toMatchObject({ busy_days: 6 });
});

test("a constraint between derived rows refuses the write that would produce them", async () => {
  const dan = await desk.person("Dan");
  const [one, other] = [await absence(dan, "2026-09-01", "2026-09-03"), await absence(dan, "2026-09-03", "2026-09-04")];
  expect((await chief.post(`/api/absences/${one.id}/grant`, {})).status).toBe(200);
  expect((await chief.post(`/api/absences/${other.id}/grant`, {})).problem().errors).toMatchObject([
    { code: "TWICE", message: "There is leave on one of these days already." },
  ]);
});

test("another document derives them again from stored records", async () => {
  const store = await database();
  const apply = async (text: string) => {
    const specification = compiled(text, "leave.md");
    const opened = await open(specification.model, specification, { owner: store.url, app: store.appUrl });
    await opened.close();
    return opened.applied.done;
  };
  const count = async () => (await store.query("select count(*)::int as n from app.day")).rows[0]?.n;
  try {
    await apply(leave());
    await store.query(
      `with u as (insert into app."user" (id, version, created_at, updated_at, name, email) values (gen_random_uuid(), 1, now(), now(), 'U', 'u@x.y') returning id)
       insert into app.absence (id, version, created_at, updated_at, employee, reason, "from", "to", half, status, state_since)
       select gen_random_uuid(), 1, now(), now(), id, 'R', '2026-05-14', '2026-05-18', false, 'granted', now() from u`,
    );
    expect(await count()).toBe(3);
    expect(await apply(leave())).toEqual([]);
    await apply(leave({ where: "absence.status == granted" }));
    expect(await count()).toBe(5);
    await apply(leave({ kept: "\n    why: { type: text, kept: true, computed: absence.reason }" }));
    expect((await store.query("select distinct why from app.day")).rows).toEqual([{ why: "R" }]);
    await store.query("update app.absence set reason = 'Other'");
    expect((await store.query("select distinct why from app.day")).rows).toEqual([{ why: "Other" }]);
    await store.query("delete from app.absence");
    expect(await count()).toBe(0);
  } finally {
    await store.end();
  }
});
