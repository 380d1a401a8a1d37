import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { ChangesJson } from "../../../src/core/wire/changes.ts";
import { database } from "../../postgres.ts";
import { type ApiClient, apiClientAt, example, serveText } from "../program.ts";

type Heard = ChangesJson["changed"] | undefined;

/** The answers to all pages when the certain ones have come and some time has passed; undefined for those that wait on. */
const heardWith = async (certain: Promise<unknown>, pages: readonly Promise<Heard>[]): Promise<readonly Heard[]> => {
  await certain;
  const end = sleep(1_500).then(() => undefined);
  return Promise.all(pages.map((one) => Promise.race([one, end])));
};

/** Members of the lending desk see their own loans and are not notified of others. */
test("a change is announced to people who can see the record before or after it, and to nobody else", async () => {
  const desk = await serveText(readFileSync(example("lending"), "utf8"));
  const [ada, ben, keeper] = [await desk.person("Ada"), await desk.person("Ben"), await desk.person("Kim", ["keeper"])];
  const url = await desk.listen();
  const thing = (await keeper.post("/api/things", { name: "Drill", kind: "tool" })).record().id;
  const ask = async (who: ApiClient) => (await who.post("/api/loans", { thing, due_day: "2999-01-01" })).record().id;
  const own = await ask(ada);
  const live = apiClientAt(url, ada.cookie());
  const other = apiClientAt(url, ben.cookie());

  /** The changes announced to Ada and to Ben after an action that one of them hears of; undefined for the other. */
  const toldOf = async (act: () => Promise<unknown>): Promise<readonly Heard[]> => {
    const waiting = await Promise.all(
      [live, other].map(async (who) => {
        const { at } = (await who.get("/_/changes")).body as ChangesJson;
        return () => who.get(`/_/changes?after=${at}`).then(({ body }) => (body as ChangesJson).changed);
      }),
    );
    const told = waiting.map((wait) => wait());
    await sleep(700);
    await act();
    return heardWith(Promise.race(told), told);
  };
  expect(await toldOf(() => ask(ben))).toEqual([undefined, ["Loan", "Thing"]]);
  expect(await toldOf(() => keeper.post(`/api/loans/${own}/hand_over`))).toEqual([["Loan", "Thing"], undefined]);
  const deleted = await ask(ada);
  expect(await toldOf(() => ada.delete(`/api/loans/${deleted}`))).toEqual([["Loan", "Thing"], undefined]);
  const places = [await live.get("/_/changes"), await live.get("/_/changes")].map(
    (one) => (one.body as ChangesJson).at,
  );
  expect(new Set(places).size).toBe(2);
});

test("values that follow from hidden records are read again every five minutes, whatever happens to these", async () => {
  let now = new Date("2026-03-02T10:00:10Z");
  const desk = await serveText(readFileSync(example("lending"), "utf8"), { app: { clock: () => now } });
  const [ben, keeper] = [await desk.person("Ben"), await desk.person("Kim", ["keeper"])];
  const waits = await Promise.all(
    [ben, keeper].map(async (who) => {
      const { at } = (await who.get("/_/changes")).body as ChangesJson;
      return async () => ((await who.get(`/_/changes?after=${at}`)).body as ChangesJson).changed;
    }),
  );
  const told = waits.map((wait) => wait());
  await sleep(700);
  now = new Date("2026-03-02T10:05:00Z");
  // In place of the end of the wait.
  desk.opened.service.changes.release();
  // The keeper sees all loans, and is told of their changes.
  expect(await Promise.all(told)).toEqual([["Thing"], []]);
  expect(await Promise.all(waits.map((wait) => wait()))).toEqual([[], []]);
});

test("so are derived rows, also when the period ends with a change that the person sees", async () => {
  let now = new Date("2026-03-02T10:00:10Z");
  const desk = await serveText(
    `
# Leave

## 3. Entities and their fields
\`\`\`yaml
Leave:     { label: "{day}", fields: { day: date, by: { type: User, set: user } } }
AbsentDay: { label: "{leave.day}", rows of: { leave: Leave } }
Note:      { label: "{text}", fields: { text: text } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in }, Leave: { absent: by == user } }
permissions:
  Leave:     { read: absent, create: member }
  AbsentDay: { read: member }
  Note:      { read: member, create: member }
\`\`\`
`,
    { app: { clock: () => now } },
  );
  const ben = await desk.person("Ben");
  const { at } = (await ben.get("/_/changes")).body as ChangesJson;
  const told = ben.get(`/_/changes?after=${at}`);
  await sleep(700);
  now = new Date("2026-03-02T10:05:00Z");
  await ben.post("/api/notes", { text: "Closed on Friday" });
  expect([...(((await told).body as ChangesJson).changed ?? [])].sort()).toEqual(["AbsentDay", "Note"]);
});

/** A rack counts tickets, all of which the person sees; hours alone are hidden. */
test("so is what follows from such a value that is hidden too, but not what reads other values of the same records", async () => {
  let now = new Date("2026-03-02T10:00:10Z");
  const desk = await serveText(
    `
# Repairs

## 3. Entities and their fields
\`\`\`yaml
Rack:
  label: "{name}"
  fields: { name: text, tickets: { list: Ticket.rack }, waiting: { type: integer, computed: tickets.count() } }
Ticket:
  label: "{what}"
  fields:
    what: text
    rack: Rack
    spent: { list: Hours.ticket }
    hours: { type: integer, computed: "spent.map(h, h.hours).sum()" }
    is_long: { type: boolean, computed: hours > 8 }
Bill:  { label: "{ticket}", fields: { ticket: Ticket, is_high: { type: boolean, computed: ticket.is_long } } }
Hours: { fields: { ticket: Ticket, hours: integer, by: { type: User, set: user } } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in }, Hours: { own: by == user } }
permissions:
  Rack:   { read: member }
  Ticket: { read: [{ role: member, fields: [what, rack, is_long] }] }
  Bill:   { read: member }
  Hours:  { read: own }
\`\`\`
`,
    { app: { clock: () => now } },
  );
  const ben = await desk.person("Ben");
  const { at } = (await ben.get("/_/changes")).body as ChangesJson;
  const told = ben.get(`/_/changes?after=${at}`);
  await sleep(700);
  now = new Date("2026-03-02T10:05:00Z");
  desk.opened.service.changes.release();
  // The value of a bill follows from that of its ticket, which follows from one that the person cannot read.
  expect([...(((await told).body as ChangesJson).changed ?? [])].sort()).toEqual(["Bill", "Ticket"]);
});

/** Otherwise all pages would read everything again at once. */
test("after a restart, a page hears of the changes that it missed, even of many", async () => {
  const text = readFileSync(example("lending"), "utf8");
  const stored = await database();
  const before = await serveText(text, { database: stored });
  const keeper = await before.person("Kim", ["keeper"]);
  const { at } = (await keeper.get("/_/changes")).body as ChangesJson;
  await stored.query(
    `insert into ninefold.audit (entity, record, action, clause, document, changes)
     select 'Thing', gen_random_uuid(), 'update', '6.Thing', 1, '{}' from generate_series(1, 1000)`,
  );
  const after = await serveText(text, { database: stored });
  const again = apiClientAt(await after.listen(), keeper.cookie());
  const { changed } = (await again.get(`/_/changes?after=${at}`)).body as ChangesJson;
  expect(changed).toContain("Thing");
  await stored.end();
});

/** Roles decide what pages show, so a page must load everything again. */
test("a person whose roles changed is told at once, also at another server, and nobody else is", async () => {
  const text = readFileSync(example("lending"), "utf8");
  const stored = await database();
  const [desk, elsewhere] = [await serveText(text, { database: stored }), await serveText(text, { database: stored })];
  const chief = await desk.person("Cleo", ["administrator"]);
  const [ada, ben] = [await desk.person("Ada"), await desk.person("Ben")];
  const [atDesk, atOther] = [await desk.listen(), await elsewhere.listen()];
  const { id } = await stored
    .query(`select "id" from app."user" where "name" = 'Ada'`)
    .then(({ rows }) => rows[0] as { readonly id: string });
  const [atFirst, ofBen] = [apiClientAt(atDesk, ada.cookie()), apiClientAt(atDesk, ben.cookie())];
  const pages = [atFirst, apiClientAt(atOther, ada.cookie()), ofBen];
  const places = await Promise.all(pages.map(async (who) => ((await who.get("/_/changes")).body as ChangesJson).at));

  for (const kind of ["grant", "take"]) {
    const waiting = pages.map(async (who, i) => {
      const answer = (await who.get(`/_/changes?after=${places[i]}`)).body as ChangesJson;
      places[i] = answer.at;
      return answer.changed;
    });
    await sleep(700);
    expect((await chief.post(`/_/people/${id}/${kind}`, { role: "keeper" })).status).toBe(204);
    const [told, alsoTold, other] = await heardWith(Promise.all(waiting.slice(0, 2)), waiting);
    expect([told, alsoTold]).toEqual([null, null]);
    expect(other).not.toBeNull();
    // Ben sees who there is, but not their roles.
    places[2] = ((await ofBen.get("/_/changes")).body as ChangesJson).at;
  }
  // A page that did not wait meanwhile is told when it asks again.
  const missed = places[0];
  await chief.post(`/_/people/${id}/grant`, { role: "keeper" });
  const late = (await atFirst.get(`/_/changes?after=${missed}`)).body as ChangesJson;
  expect(late.changed).toBeNull();
  await stored.end();
}, 30_000);
