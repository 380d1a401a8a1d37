import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import type { TokenMadeJson } from "../../src/core/wire/accounts/account.ts";
import { startJobs } from "../../src/jobs/jobs.ts";
import { serveText, type TestServer } from "../app/program.ts";
import { database } from "../postgres.ts";
import { type Example, examplesOf, told } from "./examples.ts";
import { type Fence, fencesOf, filesIn, textOf } from "./pages.ts";
import { states } from "./tutorial.ts";

/** The specification that the pages extend: the tutorial's, before its clause on signing in. */
const base = states[4] ?? "";
const expenses: Fence = { language: "markdown", text: base, line: 0, marks: { whole: "expenses" } };

const examples = new Map<string, readonly Example[]>(
  filesIn("docs/how-to", ".md").map((page) => {
    const name = page.replace(/^.*\/|\.md$/gu, "");
    return [name, examplesOf([expenses, ...fencesOf(textOf(page))]).slice(1)];
  }),
);

/** The document of an example, by page and index. */
const documentOf = (page: string, nth = 0): string => {
  const example = examples.get(page)?.[nth];
  if (example === undefined) throw new Error(`${page} has no example ${nth}`);
  return example.document;
};

describe("every example compiles without a finding", () => {
  const all = [...examples].flatMap(([page, own]) =>
    own.map((example) => [page, example.fence.line, example] as const),
  );
  test.each(all)("%s, line %i", (_page, _line, example) => {
    expect(example.found, told(example)).toEqual(example.finds);
  });
});

test("each page fits one screen", () => {
  for (const page of filesIn("docs/how-to", ".md"))
    expect(textOf(page).split("\n").length, page).toBeLessThanOrEqual(75);
});

const claim = { purpose: "Train to York", category: "travel", amount: "20" };
const refused = (answer: { problem(): { status: number; code: string } }) => answer.problem().code;

const jobsOf = (served: TestServer, ahead: () => number, environment: Record<string, string> = {}) =>
  startJobs({
    work: () => served.opened.service,
    clock: () => new Date(Date.now() + ahead()),
    outside: { environment, fetch },
    every: 1_000_000,
    log: { warn: () => undefined, error: ({ err }: { err?: unknown }) => Promise.reject(err) },
  });
const DAY = 86_400_000;

test("approve in two steps: over the limit a second, different person decides", async () => {
  const desk = await serveText(documentOf("approve-in-two-steps"));
  const staff = await desk.person("Sam");
  const both = await desk.person("Mona", ["manager", "finance"]);
  const finance = await desk.person("Fred", ["finance"]);
  const cheap = (await staff.post("/api/requests", { what: "Lamp", price: "40" })).record().id;
  expect((await both.post(`/api/requests/${cheap}/approve`)).record().status).toBe("approved");
  const dear = (await staff.post("/api/requests", { what: "Desk", price: "1500" })).record().id;
  expect(refused(await both.post(`/api/requests/${dear}/approve`))).toBe("GUARD");
  expect((await both.post(`/api/requests/${dear}/check`)).record().status).toBe("checked");
  expect(refused(await both.post(`/api/requests/${dear}/confirm`))).toBe("GUARD");
  expect((await finance.post(`/api/requests/${dear}/confirm`)).record().status).toBe("approved");
});

test("restrict who sees a record: a boss sees the claims of their people, a team some of the fields", async () => {
  const bosses = await serveText(documentOf("restrict-records"));
  const [eve, bob] = [await bosses.person("Eve"), await bosses.person("Bob")];
  await bosses.database.query(`update app."user" set boss = $1 where id = $2`, [bob.id, eve.id]);
  await eve.post("/api/claims", claim);
  await bob.post("/api/claims", claim);
  expect([
    (await eve.get("/api/claims")).list().items.length,
    (await bob.get("/api/claims")).list().items.length,
  ]).toEqual([1, 2]);

  const teams = await serveText(documentOf("restrict-records", 1));
  const [ann, tom, out] = [await teams.person("Ann"), await teams.person("Tom"), await teams.person("Out")];
  await teams.database.query(`update app."user" set team = 'sales' where id <> $1`, [out.id]);
  await ann.post("/api/claims", claim);
  expect((await tom.get("/api/claims")).list().items.map(({ purpose, amount }) => [purpose, amount])).toEqual([
    [claim.purpose, undefined],
  ]);
  expect((await out.get("/api/claims")).list().items).toEqual([]);
});

test("restrict who sees a record: people who can read a claim read its comments and add one", async () => {
  const desk = await serveText(documentOf("restrict-records", 2));
  const [ada, ben] = [await desk.person("Ada"), await desk.person("Ben")];
  const id = (await ada.post("/api/claims", claim)).record().id;
  expect((await ada.post("/api/comments", { claim: id, text: "Soon." })).status).toBe(201);
  expect((await ben.post("/api/comments", { claim: id, text: "?" })).status).not.toBe(201);
  expect((await ada.get("/api/comments")).list().items).toHaveLength(1);
  expect((await ben.get("/api/comments")).list().items).toEqual([]);
});

test("number records: one number for each record, or one drawn by a transition", async () => {
  const desk = await serveText(documentOf("number-records"));
  const ada = await desk.person("Ada");
  const numbers = [];
  for (let nth = 0; nth < 2; nth++) numbers.push((await ada.post("/api/claims", claim)).record().number);
  expect(numbers.map((item) => String(item).replace(/\d{4}/u, "YEAR"))).toEqual(["EX-YEAR-0001", "EX-YEAR-0002"]);

  const gapless = await serveText(documentOf("number-records", 1));
  const [eve, mona] = [await gapless.person("Eve"), await gapless.person("Mona", ["manager"])];
  const { id, number } = (await eve.post("/api/claims", claim)).record();
  expect(number).toBeNull();
  await eve.post(`/api/claims/${id}/submit`);
  expect((await mona.post(`/api/claims/${id}/approve`)).record().number).toMatch(/^EX-\d{4}-0001$/u);
});

test("notify people: on a condition, and each only with what they can read", async () => {
  const desk = await serveText(documentOf("notify-people"));
  const [ada, mona] = [await desk.person("Ada"), await desk.person("Mona", ["manager"])];
  for (const amount of ["20", "900"]) await ada.post("/api/claims", { ...claim, amount });
  const { items } = (await mona.get("/_/notifications")).body as { items: readonly { text: string }[] };
  expect(items).toHaveLength(1);
});

test("call another program: signed, with the values that the page shows", async () => {
  const seen: { readonly body: string; readonly signature: string; readonly key: string }[] = [];
  const books = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      const { "ninefold-signature": signature, "idempotency-key": key } = request.headers;
      seen.push({ body, signature: String(signature), key: String(key) });
      response.end();
    });
  });
  await new Promise<void>((resolve) => books.listen(0, "127.0.0.1", resolve));
  try {
    const desk = await serveText(documentOf("call-another-program"));
    const ada = await desk.person("Ada");
    const { id } = (await ada.post("/api/claims", { ...claim, amount: "48.20" })).record();
    const { port } = books.address() as AddressInfo;
    const environment = { APP_BOOKKEEPING_URL: `http://127.0.0.1:${port}`, APP_BOOKKEEPING_SECRET: "shh" };
    await jobsOf(desk, () => 0, environment).run();
    const [value] = seen;
    const shown = fencesOf(textOf("docs/how-to/call-another-program.md")).find(({ language }) => language === "json");
    expect(JSON.parse(value?.body ?? "")).toEqual({
      ...(JSON.parse(shown?.text ?? "") as object),
      id,
      claimant: "ada@example.com",
    });
    const [, stamp, signature] = /^t=(\d+),v1=([0-9a-f]+)$/u.exec(value?.signature ?? "") ?? [];
    expect(signature).toBe(createHmac("sha256", "shh").update(`${stamp}.${value?.body}`).digest("hex"));
    expect(value?.key).toMatch(/\S/u);
  } finally {
    await new Promise((resolve) => books.close(resolve));
  }
});

test("deadlines: an undecided request expires, and a loan has one reminder", async () => {
  let ahead = 0;
  const desk = await serveText(documentOf("deadlines"));
  const ada = await desk.person("Ada");
  const { id } = (await ada.post("/api/claims", claim)).record();
  await ada.post(`/api/claims/${id}/submit`);
  const jobs = jobsOf(desk, () => ahead);
  ahead = 31 * DAY;
  await jobs.run();
  const { rows } = await desk.database.query("select status, reason from app.claim");
  expect(rows).toEqual([{ status: "rejected", reason: "Nobody decided within 30 days." }]);

  const library = await serveText(documentOf("deadlines", 1));
  const ben = await library.person("Ben");
  await ben.post("/api/loans", { book: "Emma" });
  const clock = jobsOf(library, () => ahead);
  const told = async () => (await library.database.query("select text from ninefold.notification")).rows.length;
  ahead = 24 * DAY;
  await clock.run();
  expect(await told()).toBe(0);
  ahead = 26 * DAY;
  await clock.run();
  await clock.run();
  expect(await told()).toBe(1);
});

test("count working days and hours: weekends and holidays do not count", async () => {
  // A Monday, before a week with a holiday.
  let ahead = Date.parse("2027-03-22T08:00:00Z") - Date.now();
  const desk = await serveText(documentOf("count-working-days"), {
    app: { clock: () => new Date(Date.now() + ahead) },
  });
  const [ada, mona] = [await desk.person("Ada"), await desk.person("Mona", ["manager"])];
  await mona.post("/api/holidays", { day: "2027-03-26", name: "Good Friday" });
  const id = (await ada.post("/api/claims", claim)).record().id;
  await ada.post(`/api/claims/${id}/submit`);
  await ada.post("/api/claims", { ...claim, purpose: "Draft" });
  const clock = jobsOf(desk, () => ahead);
  const statesAfter = async (days: number) => {
    ahead += days * DAY;
    await clock.run();
    const { rows } = await desk.database.query("select status from app.claim order by purpose desc");
    return rows.map(({ status }) => status);
  };
  expect(await statesAfter(4)).toEqual(["submitted", "draft"]);
  expect(await statesAfter(5)).toEqual(["submitted", "rejected"]);
  expect(await statesAfter(5)).toEqual(["submitted", "rejected"]);
  expect(await statesAfter(2)).toEqual(["rejected", "rejected"]);
});

test("build an overview: each person sees figures of their own records", async () => {
  const desk = await serveText(documentOf("build-an-overview"));
  const [ada, mona] = [await desk.person("Ada"), await desk.person("Mona", ["manager"])];
  await ada.post("/api/claims", claim);
  const count = async (person: typeof ada) =>
    JSON.stringify((await person.get("/_/overview?screen=%2Ffigures")).body).includes(claim.purpose);
  expect([await count(ada), await count(mona)]).toEqual([true, false]);
});

test("handle accounts by calls: with the code of an organisation, and a token", async () => {
  const desk = await serveText(documentOf("accounts-by-calls"));
  await desk.database.query(
    "insert into app.office (id, version, created_at, updated_at, code) values (uuidv7(), 1, now(), now(), 'N1')",
  );
  const client = desk.visitor();
  const ada = { username: "Ada", handle: "ada", email: "ada@example.com", password: "a longer password", code: "N1" };
  expect((await client.post("/v1/users", { user: { ...ada, code: "N2" } })).status).toBe(409);
  expect((await client.post("/v1/users", { user: ada })).body).toMatchObject({ user: { username: "Ada" } });
  const signIn = (password: string) => desk.visitor().post("/v1/login", { handle: "ada", password });
  const { token } = (await signIn(ada.password)).body as { token: string };
  const headers = { authorization: `Bearer ${token}` };
  expect((await desk.visitor().get("/v1/account", headers)).body).toEqual({ name: "Ada", token });
  const change = { password: "another password", current_password: ada.password };
  expect((await desk.visitor().send("PUT", "/v1/account", change, { headers })).status).toBe(204);
  expect((await signIn(ada.password)).status).toBe(401);
  expect((await desk.visitor().send("DELETE", "/v1/account", undefined, { headers })).status).toBe(204);
  expect((await signIn(change.password)).status).toBe(401);
});

test("import records: a token imports a file, and refused rows are named", async () => {
  const desk = await serveText(documentOf("import-records"));
  const ada = await desk.person("Ada");
  const created = await ada.post("/_/account/tokens", { name: "Import", days: 30, roles: [], reads: false });
  const authorization = `Bearer ${(created.body as TokenMadeJson).token}`;
  const program = desk.visitor();
  const sent = await program.send("POST", "/api/claims/import?name=claims.csv&then=run", undefined, {
    raw: "Purpose,Category,Spent on,Amount\nTrain to Leeds,travel,12/31/2025,31.50\nTaxi,rocket,01/02/2026,9.00\n",
    headers: { authorization, "content-type": "text/csv" },
  });
  expect(sent.status).toBe(201);
  const { location = "" } = { location: sent.headers.get("location") ?? "" };
  const result = async () => (await program.get(location, { authorization })).body;
  await expect.poll(result, { timeout: 20_000 }).toMatchObject({ state: "done", added: 1, refused: 1 });
  expect((await ada.get("/api/claims")).list().items).toMatchObject([
    { purpose: "Train to Leeds", spent_on: "2025-12-31" },
  ]);
});

test("change safely: a new name loses nothing, and neither does a removed field", async () => {
  const renamed = documentOf("change-safely");
  const before = renamed.replace("cost_centre: { type: text?, was: department,", "department: { type: text?,");
  expect(before).not.toBe(renamed);
  const store = await database();
  try {
    const first = await serveText(before, { database: store });
    await first.person("Ada");
    await store.query(`update app."user" set department = 'Sales'`);
    await first.stop();
    const second = await serveText(renamed, { database: store });
    expect((await store.query(`select cost_centre from app."user"`)).rows).toEqual([{ cost_centre: "Sales" }]);
    await second.stop();
    const third = await serveText(base, { database: store });
    expect((await store.query("select entity, field from ninefold.retired")).rows).toEqual([
      { entity: "User", field: "cost_centre" },
    ]);
    await third.stop();
    await (await serveText(renamed, { database: store })).stop();
    expect((await store.query(`select cost_centre from app."user"`)).rows).toEqual([{ cost_centre: "Sales" }]);
  } finally {
    await store.end();
  }
});
