import { beforeAll, describe, expect, test } from "vitest";
import { fromDayNumber, toDayNumber } from "../../../src/core/expression/values/calendar.ts";
import { namedPeriods, type PeriodName, periodDays } from "../../../src/core/expression/values/periods.ts";
import type { Application } from "../../../src/core/wire/application.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

/* Filters by periods that are relative to the time of the request: `due@=last_month`. */

const text = `# Desk

## 1. Purpose
\`\`\`yaml
timezone: Europe/Berlin
\`\`\`

## 2. Screens
\`\`\`yaml
/tasks: { list: Task, filters: [due] }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Task:
  label: "{name}"
  fields:
    name: text
    due: date?
    starts: datetime?
    price: decimal?
    noted: { type: datetime, set: now }
    again: { type: datetime, set: now }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Task:
  field: status
  initial: open
  final: [done]
  states: [{ open: { deadline: due } }, done]
  transitions:
    finish: { from: open, to: done, by: clerk }
  after:
    finish: { update: this, set: { again: now + 3 days } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { clerk: granted, guest: granted }
permissions:
  Task:
    read: [clerk, { role: guest, fields: [name, due] }]
    create: [clerk]
    delete: [clerk]
\`\`\`
`;

let desk: TestServer;
let clerk: ApiClient;
let guest: ApiClient;
let today: string;
/** The due days of the tasks by name: \`d-30\` is due 30 days ago. */
const days = new Map<string, string>();

beforeAll(async () => {
  desk = await serveText(text);
  clerk = await desk.person("Clara", ["clerk"]);
  guest = await desk.person("Gero", ["guest"]);
  today = new Intl.DateTimeFormat("sv", { timeZone: "Europe/Berlin" }).format(new Date());
  for (const by of [-400, -120, -40, -31, -10, -7, -6, -2, -1, 0, 1, 2, 6, 7, 29, 30, 45, 100, 400]) {
    const due = fromDayNumber(toDayNumber(today) + by) ?? "";
    days.set(`d${by}`, due);
    const starts = `${due}T12:00:00Z`;
    const task = (await clerk.post("/api/tasks", { name: `d${by}`, due, starts, price: 1 })).record();
    if (by === -2) (await clerk.post(`/api/tasks/${task.id}/finish`)).record();
  }
  (await clerk.post("/api/tasks", { name: "never" })).record();
});

const names = async (who: ApiClient, query: string): Promise<readonly string[]> =>
  (await who.get(`/api/tasks?${query}&limit=100`))
    .list()
    .items.map(({ name }) => String(name))
    .sort();
const within = (period: PeriodName): readonly string[] => {
  const { from, before } = periodDays(period, today);
  return [...days]
    .filter(([, due]) => (from === null || due >= from) && (before === null || due < before))
    .map(([name]) => name)
    .sort();
};

test("only a time that the program notes itself, also in effects, is known never to lie ahead", async () => {
  const { entities } = (await clerk.get("/_/application")).body as Application;
  const known = entities.Task?.fields.flatMap(({ name, past }) => (past ? [name] : []));
  expect(known).toEqual(["noted"]);
});

describe("a filter by a period", () => {
  test.each([
    ...namedPeriods.filter((name) => name !== "overdue"),
    ...(["last_7_days", "last_31_days", "next_7_days", "next_30_days"] as const),
  ])("finds the dates in it: %s", async (period) => {
    expect(await names(clerk, `due@=${period}`)).toEqual(within(period));
    expect(await names(clerk, `due%40=${period}&count=true`)).toEqual(within(period));
    if (period === "past" || period === "future") return;
    expect(await names(clerk, `starts@=${period}`)).toEqual(within(period));
  });

  test("finds moments that are over or to come", async () => {
    const at = (when: number) => new Date(Date.now() + when).toISOString();
    for (const [name, starts] of [
      ["just over", at(-60_000)],
      ["soon", at(3_600_000)],
    ] as const)
      (await clerk.post("/api/tasks", { name, starts })).record();
    const [past, future] = [await names(clerk, "starts@=past"), await names(clerk, "starts@=future")];
    expect([past.includes("just over"), past.includes("soon"), past.includes("never")]).toEqual([true, false, false]);
    expect([future.includes("just over"), future.includes("soon"), future.includes("never")]).toEqual([
      false,
      true,
      false,
    ]);
  });

  test("finds what is overdue: a deadline that has passed, in a state in which it is one", async () => {
    expect(await names(clerk, "due@=overdue")).toEqual(within("past").filter((name) => name !== "d-2"));
  });

  test("reveals no state to readers without one, and is possible for a deadline only", async () => {
    expect(await names(guest, "due@=past")).toEqual(within("past"));
    const refusal = async (who: ApiClient, query: string) => (await who.get(`/api/tasks?${query}`)).problem();
    expect(await refusal(guest, "due@=overdue")).toMatchObject({ status: 400, code: "BAD_QUERY" });
    expect(await refusal(clerk, "starts@=overdue")).toMatchObject({ status: 400, code: "BAD_QUERY" });
    const path = "/api/openapi.json";
    const described = async (who: ApiClient) => {
      const { paths } = (await who.get(path)).body as {
        paths: Record<string, { get: { parameters: { name?: string; schema?: object }[] } }>;
      };
      return paths["/api/tasks"]?.get.parameters.find(({ name }) => name === "due@")?.schema;
    };
    const period = { $ref: "#/components/schemas/Period" };
    expect(await described(clerk)).toEqual({ anyOf: [period, { const: "overdue" }] });
    expect(await described(guest)).toEqual(period);
  });

  test.each([
    "due@=last month",
    "due@=",
    "due@=last_0_days",
    "due@=today&due@=tomorrow",
    "price@=today",
    "name@=today",
  ])("that is none is rejected: %s", async (query) => {
    expect((await clerk.get(`/api/tasks?${query}`)).problem()).toMatchObject({ status: 400, code: "BAD_QUERY" });
  });

  test("limits other conditions on the field, which are alternatives", async () => {
    const [one, other] = [days.get("d-1"), days.get("d1")];
    expect(await names(clerk, `due=${one}&due=${other}&due@=past`)).toEqual(["d-1"]);
    expect(await names(clerk, `due>=${one}&due<=${other}&due@=last_31_days`)).toEqual(["d-1", "d0"]);
    expect(await names(clerk, `due=&due=${one}&due@=past`)).toEqual(["d-1"]);
    expect(await names(clerk, "due@=past&status=done")).toEqual(["d-2"]);
  });

  test("has pages, groups and exports with the same records", async () => {
    const seen: string[] = [];
    for (let after = ""; ; ) {
      const page = (await clerk.get(`/api/tasks?due@=past&sort=due&limit=3${after}`)).list();
      seen.push(...page.items.map(({ name }) => String(name)));
      if (page.next === null) break;
      after = `&after=${page.next}`;
    }
    expect(seen.toSorted()).toEqual(within("past"));
    const groups = (await clerk.get("/_/groups/tasks?due@=past&groups.by=status&groups.sums=price")).body as {
      count: number;
      sums: { price: string };
    };
    expect([groups.count, Number(groups.sums.price)]).toEqual([seen.length, seen.length]);
    const csv = await clerk.get("/_/export/tasks.csv?columns=name&due@=past");
    expect(
      csv.text
        .replace(/^\uFEFF/u, "")
        .trim()
        .split("\r\n")
        .slice(1)
        .sort(),
    ).toEqual(within("past"));
  });

  test("finds deleted records by the time of the deletion", async () => {
    const { id } = (await clerk.post("/api/tasks", { name: "gone" })).record();
    await clerk.send("DELETE", `/api/tasks/${id}`);
    const found = async (period: string) =>
      ((await clerk.get(`/_/trash?at@=${period}`)).body as { items: { label: string }[] }).items.map(
        ({ label }) => label,
      );
    expect(await found("today")).toEqual(["gone"]);
    expect(await found("past")).toEqual(["gone"]);
    expect(await found("last_year")).toEqual([]);
    for (const period of ["overdue", "long_ago"])
      expect((await clerk.get(`/_/trash?at@=${period}`)).problem()).toMatchObject({ status: 400, code: "BAD_QUERY" });
  });
});
