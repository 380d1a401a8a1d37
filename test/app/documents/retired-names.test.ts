import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OwnAccountJson } from "../../../src/core/wire/accounts/account.ts";
import type { Application } from "../../../src/core/wire/application.ts";
import type { DocumentJson } from "../../../src/core/wire/authoring/document.ts";
import type { ViewsJson } from "../../../src/core/wire/lists.ts";
import type { NotificationsJson } from "../../../src/core/wire/notifications.ts";
import { findUnknownParts, searchIn } from "../../../src/web/list/filter/list-search.ts";
import type { TestDatabase } from "../../postgres.ts";
import { authoringOf } from "../authoring.ts";
import { type Answer, type ApiClient, preparedDatabase, serveText, type TestServer } from "../program.ts";

/**
 * A version retires a field, a state, a screen, an entity, a role and a call. Saved views, addresses, tokens,
 * notifications and comments still name them: each gets a clear answer, and works again once the version is restored.
 */

const desk = (all: boolean): string => {
  const old = (text: string, instead = "") => (all ? text : instead);
  return `# Desk

## 2. Structure and navigation
\`\`\`yaml
/tickets: { list: Ticket, columns: [title${old(", place")}, state], filters: [${old("place, ")}state], sort: [${old("place, ")}title] }
${old("/places: { list: Ticket, columns: [place, title] }")}
${old("/incidents: { list: Incident }")}
/notes: { list: Note }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Ticket:
  label: "{title}"
  fields: { title: text${old(", place: text?")}, watchers: { type: User, many: true }, comments: { list: Comment.ticket } }
Comment: { fields: { ticket: Ticket, text: long text, author: { type: User, set: user } } }
${old("Incident: { fields: { title: text, watchers: { type: User, many: true }, notes: { list: Note.incident } } }")}
Note: { fields: { ${old("incident: Incident?, ")}text: long text, author: { type: User, set: user } } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Ticket:
  states: [open, ${old("lost, done", "{ done: { was: lost } }")}]
  transitions:
    finish: { from: open, to: done, by: clerk }
${old("    lose: { from: open, to: lost, by: clerk }")}
  after: { create: [{ notify: watchers, text: "{title}${old(" at {place}")}" }] }
Comment: { after: { create: [{ notify: "User.filter(u, contains(text, '@' + u.name))", text: "{text}" }] } }
${old('Incident: { after: { create: [{ notify: watchers, text: "{title}" }] } }')}
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { staff: { members: signed in }, clerk: granted, lead: granted${old(", porter: granted")} }
permissions:
  User: { read: { role: staff, fields: [name] } }
  Ticket: { read: [clerk, lead${old(", porter")}], create: [clerk], update: [clerk] }
  Comment: { read: [clerk, lead], create: [clerk] }
${old("  Incident: { read: [clerk, lead], create: [clerk], update: [clerk] }")}
  Note: { read: [clerk], create: [clerk], update: [clerk] }
\`\`\`

## 7. Calls
\`\`\`yaml
conventional: all
token: { by: [staff], longest: 90 days }
${old("calls: { GET /lost: { list: Ticket } }")}
\`\`\`
`;
};

let store: TestDatabase;
let served: TestServer;
let cookies: Readonly<Record<"ada" | "ben" | "admin", string>>;
let ids: Readonly<Record<"ben" | "comment" | "ticket" | "lost" | "incident" | "note", string>>;
let tokens: Readonly<Record<"porter" | "clerk", string>>;
let cursor: string;

const serve = (text: string): Promise<TestServer> =>
  serveText(text, {
    database: store,
    authoring: (opened, compiled, owner) => {
      let inForce = { compiled, applied: opened.applied };
      return authoringOf(opened, compiled, owner, {
        current: () => inForce,
        enforce: (next) => {
          inForce = next;
          return Promise.resolve();
        },
      });
    },
  });

const as = (who: keyof typeof cookies): ApiClient => served.signedIn(cookies[who]);
const bearing = (token: keyof typeof tokens) => ({ authorization: `Bearer ${tokens[token]}` });
const hash = async () => ((await as("admin").get("/_/document")).body as DocumentJson).hash;

/** The application is served again on the same database, as after every version. */
const live = async (answer: Answer, text: string) => {
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  await served.stop();
  served = await serve(text);
};

const says = (answer: Answer) => {
  const { status, code, detail, errors } = answer.problem();
  return [status, code, errors?.length === 1 ? `${errors[0]?.at} ${errors[0]?.code}` : detail];
};
const items = (answer: Answer) => answer.list().items.map((one) => one.title ?? one.text);
const views = async () =>
  ((await as("ada").get("/_/views")).body as ViewsJson).items.map(({ title, screen, query }) => [title, screen, query]);
const news = async () => ((await as("ben").get("/_/notifications?label=true")).body as NotificationsJson).items;

const PLACE = "place=Hall&sort=-place";
const preferences = { "/tickets": { columns: ["place", "title"], widths: { place: 200 } } };

beforeAll(async () => {
  store = await preparedDatabase();
  served = await serve(desk(true));
  const [ada, ben, admin] = [
    await served.person("Ada", ["clerk"]),
    await served.person("Ben", ["porter", "lead"]),
    await served.person("Admin", ["administrator", "clerk"]),
  ];
  const token = (somebody: ApiClient) => somebody.cookie().split("=")[1] ?? "";
  cookies = { ada: token(ada), ben: token(ben), admin: token(admin) };
  const create = async (answer: Promise<Answer>) => (await answer).record().id;
  const ticket = await create(ada.post("/api/tickets", { title: "Lamp", place: "Hall", watchers: [ben.id] }));
  const lost = await create(ada.post("/api/tickets", { title: "Key", place: "Yard" }));
  expect((await ada.post(`/api/tickets/${lost}/lose`)).status).toBe(200);
  const comment = await create(ada.post("/api/comments", { ticket, text: "@Ben look" }));
  const incident = await create(ada.post("/api/incidents", { title: "Fire", watchers: [ben.id] }));
  const note = await create(ada.post("/api/notes", { incident, text: "It is out" }));
  ids = { ben: ben.id, comment, ticket, lost, incident, note };
  const keep = async (by: ApiClient, role: string) =>
    (
      (await by.post("/_/account/tokens", { name: role, days: 30, roles: [role], reads: false })).body as {
        token: string;
      }
    ).token;
  tokens = { porter: await keep(ben, "porter"), clerk: await keep(ada, "clerk") };
  for (const [title, screen, query] of [
    ["In the hall", "/tickets", PLACE],
    ["Lost", "/tickets", "state=lost"],
    ["Places", "/places", "sort=title"],
    ["Fires", "/incidents", "search=Fire"],
  ])
    expect((await ada.post("/_/views", { screen, title, query, shared: false })).status).toBe(201);
  expect((await ada.post("/_/preferences", preferences)).status).toBe(204);
  cursor = (await ada.get("/api/tickets?sort=place&limit=1")).list().next ?? "";
});
afterAll(async () => {
  await served.stop();
  await store.end();
});

const [LIVE, RETIRED] = [desk(true), desk(false)];

/** Holds under the version that has everything, before the change and after it was restored. */
const everythingWorks = async () => {
  const ada = as("ada");
  expect(items(await ada.get(`/api/tickets?${PLACE}`))).toEqual(["Lamp"]);
  expect(items(await ada.get("/api/tickets?state=lost"))).toEqual(["Key"]);
  expect(items(await ada.get(`/api/tickets?sort=place&limit=1&after=${cursor}`))).toEqual(["Key"]);
  expect(items(await ada.get("/api/lost"))).toHaveLength(2);
  expect((await ada.get(`/api/notes/${ids.note}`)).record()).toMatchObject({
    text: "It is out",
    incident: { id: ids.incident, label: "Fire" },
  });
  expect((await ada.get("/_/export/tickets.csv?columns=title,place&sort=place")).text).toBe(
    "\uFEFFTitle,Place\r\nLamp,Hall\r\nKey,Yard\r\n",
  );
  expect(items(await served.visitor().get("/api/tickets", bearing("porter")))).toHaveLength(2);
  expect((await news()).map(({ path }) => path)).toEqual([
    `/incidents/${ids.incident}`,
    `/comments/${ids.comment}`,
    `/tickets/${ids.ticket}`,
  ]);
  const { screens } = (await ada.get("/_/application")).body as Application;
  expect(screens.map(({ path }) => path)).toEqual(expect.arrayContaining(["/places", "/incidents"]));
  expect((await ada.get("/_/preferences")).body).toEqual(preferences);
  expect(await views()).toEqual([
    ["Fires", "/incidents", "search=Fire"],
    ["In the hall", "/tickets", PLACE],
    ["Lost", "/tickets", "state=lost"],
    ["Places", "/places", "sort=title"],
  ]);
  expect(await rolesForTokens()).toEqual(["lead", "porter"]);
};

const rolesForTokens = async () =>
  [...(((await as("ben").get("/_/account")).body as OwnAccountJson).tokens?.roles ?? [])].sort();

test("before the version, every name works", everythingWorks);

describe("once a version has retired them", () => {
  beforeAll(async () => {
    const files = [{ file: "specification.md", text: RETIRED }];
    await live(await as("admin").post("/_/document", { base: await hash(), files }), RETIRED);
  });

  test("filters, orders and page tokens in addresses are refused by name, and the page leaves them out and says so", async () => {
    const ada = as("ada");
    for (const [query, detail] of [
      ["place=Hall", "The address isn’t valid: you can’t filter by “place”."],
      ["place~=Hall", "The address isn’t valid: you can’t filter by “place~”."],
      ["sort=place", "The address isn’t valid: you can’t sort by “place”."],
      [`sort=place&after=${cursor}`, "The address isn’t valid: you can’t sort by “place”."],
      ["state=lost", "The address isn’t valid: “state” can’t have that value."],
      ["where=2./places", "The address isn’t valid: these records have no list “2./places”."],
    ])
      expect(says(await ada.get(`/api/tickets?${query}`)), query).toEqual([400, "BAD_QUERY", detail]);
    const { screens, entities } = (await ada.get("/_/application")).body as Application;
    const [screen] = screens.filter((one) => one.path === "/tickets");
    const entity = entities.Ticket;
    if (screen?.kind !== "list" || entity === undefined) throw new Error("the list of tickets is there");
    expect(findUnknownParts(PLACE, screen, entity)).toEqual(["place"]);
    expect(searchIn(PLACE, screen, entity)).toMatchObject({ filters: {}, sort: ["title"] });
    expect(screens.map(({ path }) => path)).not.toContain("/places");
    expect((await ada.get("/places?sort=title", { accept: "text/html" })).status).toBe(200);
  });

  test("saved views and column settings are kept; a view of a state shows the records that were moved", async () => {
    expect(await views()).toEqual([
      ["Fires", "/incidents", "search=Fire"],
      ["In the hall", "/tickets", PLACE],
      ["Lost", "/tickets", "state=done"],
      ["Places", "/places", "sort=title"],
    ]);
    expect(items(await as("ada").get("/api/tickets?state=done"))).toEqual(["Key"]);
    expect((await as("ada").get("/_/preferences")).body).toEqual(preferences);
  });

  test("an edit that names a retired field writes nothing, and calls that are gone say so", async () => {
    const ada = as("ada");
    for (const answer of [
      await ada.patch(`/api/tickets/${ids.ticket}`, { title: "Other", place: "Cellar" }),
      await ada.post("/api/tickets", { title: "Other", place: "Cellar" }),
    ])
      expect(says(answer)).toEqual([422, "UNKNOWN_FIELD", "/place UNKNOWN_FIELD"]);
    expect(says(await ada.patch(`/api/notes/${ids.note}`, { incident: ids.incident }))).toEqual([
      422,
      "UNKNOWN_FIELD",
      "/incident UNKNOWN_FIELD",
    ]);
    expect(items(await ada.get("/api/tickets?sort=title"))).toEqual(["Key", "Lamp"]);
    for (const answer of [
      await ada.post(`/api/tickets/${ids.ticket}/lose`),
      await ada.get("/api/lost"),
      await ada.get(`/api/incidents/${ids.incident}`),
      await ada.get("/_/export/incidents.csv"),
    ])
      expect(says(answer)).toEqual([404, "NO_SUCH_CALL", "This address doesn’t exist."]);
    for (const address of [
      `/api/why?do=Ticket.lose&record=${ids.ticket}`,
      `/api/why?do=Incident.read&record=${ids.incident}`,
      `/_/permissions?of=Incident&record=${ids.incident}`,
    ])
      expect(says(await ada.get(address)).slice(0, 2), address).toEqual([400, "BAD_QUERY"]);
    // Administrators can read every version, so they learn which one removed something.
    const admin = as("admin");
    const removed = (name: string) =>
      `Version 2 of the specification removed “${name}”. Its values are kept: see Versions, Retired data.`;
    const changed = await admin.patch(`/api/tickets/${ids.ticket}`, { place: "Cellar", nickname: "B" });
    expect(changed.problem().errors?.map(({ message }) => message)).toEqual([
      removed("place"),
      "The field nickname doesn’t exist.",
    ]);
    expect((await admin.get(`/api/incidents/${ids.incident}`)).problem().detail).toBe(removed("Incident"));
    expect((await admin.get("/api/accidents")).problem().detail).toBe("This address doesn’t exist.");
    expect((await ada.get(`/_/visits?of=Incident&record=${ids.incident}`)).problem().code).toBe("NOT_FOUND");
  });

  test("exports leave out a retired column with its heading, and refuse a retired filter", async () => {
    const ada = as("ada");
    expect((await ada.get("/_/export/tickets.csv?columns=title,place&sort=title")).text).toBe(
      "\uFEFFTitle\r\nKey\r\nLamp\r\n",
    );
    const alone = (await ada.get("/_/export/tickets.csv?columns=place&sort=title")).text;
    expect(alone).toBe((await ada.get("/_/export/tickets.csv?sort=title")).text);
    expect(alone).toContain("Key");
    expect((await ada.get(`/_/export/tickets.csv?columns=title&${PLACE}`)).problem().code).toBe("BAD_QUERY");
  });

  test("comments stay, and the history leaves the field out", async () => {
    const ada = as("ada");
    const note = (await ada.get(`/api/notes/${ids.note}`)).record();
    expect([note.text, "incident" in note]).toEqual(["It is out", false]);
    const fields = (await ada.get(`/api/tickets/${ids.lost}/history`))
      .history()
      .flatMap(({ changes }) => changes.map(({ field }) => field));
    expect([fields.includes("title"), fields.includes("place")]).toEqual([true, false]);
  });

  test("notifications keep their text; one of a retired entity leads nowhere", async () => {
    expect((await news()).map(({ entity, path }) => [entity, path])).toEqual([
      ["Incident", null],
      ["Comment", `/comments/${ids.comment}`],
      ["Ticket", `/tickets/${ids.ticket}`],
    ]);
    expect((await news()).map(({ text }) => text)).toEqual(["Fire", "@Ben look", "Lamp at Hall"]);
  });

  test("a token with a retired role is refused what the role permitted; the role can’t be granted", async () => {
    const refused = await served.visitor().get("/api/tickets", bearing("porter"));
    expect(says(refused).slice(0, 2)).toEqual([403, "FORBIDDEN"]);
    expect(items(await served.visitor().get("/api/tickets", bearing("clerk")))).toHaveLength(2);
    const granted = await as("admin").post(`/_/people/${ids.ben}/grant`, { role: "porter" });
    expect(says(granted)).toEqual([422, "NOT_A_CHOICE", "/role NOT_A_CHOICE"]);
    expect(await rolesForTokens()).toEqual(["lead"]);
  });
});

test("once the version before is restored, every name works again", async () => {
  await live(await as("admin").post("/_/versions/1/restore", { base: await hash() }), LIVE);
  await everythingWorks();
});
