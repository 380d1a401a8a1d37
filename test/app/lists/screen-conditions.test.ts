import { beforeAll, describe, expect, test } from "vitest";
import { buildManifest } from "../../../src/core/derive/client/app-manifest.ts";
import { allRoles } from "../../../src/core/derive/openapi/openapi.ts";
import { getPhrasesFor } from "../../../src/core/explain/language.ts";
import type { Application } from "../../../src/core/wire/application.ts";
import type { OverviewJson } from "../../../src/core/wire/overview.ts";
import { planOverview } from "../../../src/server/plan/read/overview.ts";
import { type ApiClient, compiled, serveText, type TestServer } from "../program.ts";

/** A clerk reads every case; its reporter reads it without its cost. */
const specification = `
# Cases

## 1. What the product does and for whom
\`\`\`yaml
timezone: Europe/Berlin
\`\`\`

## 2. Screens and routes
\`\`\`yaml
/:
  title: Overview
  tiles:
    - { title: Dear, count: Case, where: "cost > 100" }
    - { title: Mine, list: Case, where: "reporter == user", columns: [title, cost, status], sort: [title] }
    - { title: By month, chart: columns, from: Case, per: month_of(day), value: sum(cost) }
    - { title: By state, chart: bars, from: Case, per: status }
    - { title: By reporter, chart: parts, from: Case, per: reporter, value: count() }
    - { title: Of the vault, count: Vault }
    - { title: Cost, figure: Case, where: "day < '2026-04-01'", value: sum(cost), compare: { title: Later, where: "day >= '2026-04-01'" }, target: { at most: budget } }
    - { title: Open, figure: Case, value: share(status == open), target: { at least: 90 } }
    - { title: Average of none, figure: Case, where: "title == 'none'", value: avg(cost) }
    - { title: For clerks, for: clerk, count: Case, where: "status == closed" }
    - { title: Largest first, chart: bars, from: Case, per: status, value: sum(cost), sort: [-value] }
/cases:
  list: Case
  columns: [title, day, cost, status]
  sort: [title]
  layouts: [table, { board: status }, { calendar: day }]
/dear:
  list: Case
  where: "cost > 100"
  columns: [title, cost]
/clerks:
  list: Case
  for: clerk
  where: "status == open"
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Case:
  label: "{title}"
  fields:
    title:    text
    day:      date
    cost:     integer?
    seen:     datetime?
    reporter: { type: User, set: user }
Vault:
  fields: { code: text }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Case:
  field: status
  states: [open, closed]
  final: [closed]
  transitions: { close: { from: open, to: closed, by: clerk } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in }, clerk: { members: granted } }
permissions:
  User: { read: [{ role: member, fields: [name] }] }
  Case:
    read: [clerk, { role: member, when: "reporter == user", fields: [title, day, seen, reporter, status] }]
    create: [member]
  Vault: { read: none }
\`\`\`

## 9. Constants and limits
\`\`\`yaml
budget: 700.5
\`\`\`
`;

let desk: TestServer;
let clerk: ApiClient;
let member: ApiClient;

const titles = async (who: ApiClient, query: string) =>
  (await who.get(`/api/cases?sort=title&${query}`)).list().items.map(({ title }) => title);
const overview = async (who: ApiClient, screen = "/") =>
  (await who.get(`/_/overview?screen=${screen}`)).body as OverviewJson;

beforeAll(async () => {
  desk = await serveText(specification);
  clerk = await desk.person("Cleo", ["clerk"]);
  member = await desk.person("Max");
  const make = (who: ApiClient, title: string, day: string, cost: number | null, seen: string | null = null) =>
    who.post("/api/cases", { title, day, cost, seen });
  await make(clerk, "anvil", "2026-01-31", 500, "2026-01-31T23:30:00.000Z");
  await make(clerk, "bell", "2026-02-01", 50);
  await make(clerk, "clock", "2026-04-10", null);
  await make(member, "drum", "2026-04-11", 900);
  const [drum] = (await clerk.get("/api/cases?title=drum")).list().items;
  await clerk.post(`/api/cases/${drum?.id}/close`);
});

describe("a list of a screen with a condition", () => {
  test("applies it to the page, the count and later pages", async () => {
    expect(await titles(clerk, "where=2./dear")).toEqual(["anvil", "drum"]);
    const first = (await clerk.get("/api/cases?sort=title&where=2./dear&limit=1&count=true")).list();
    expect(first).toMatchObject({ count: 2, items: [{ title: "anvil" }] });
    const second = (await clerk.get(`/api/cases?sort=title&where=2./dear&limit=1&after=${first.next}`)).list();
    expect(second).toMatchObject({ next: null, items: [{ title: "drum" }] });
    expect((await clerk.get(`/api/cases?sort=title&limit=1&after=${first.next}`)).problem().code).toBe("BAD_CURSOR");
  });

  test("evaluates it with the reader’s permissions: a hidden cost is missing", async () => {
    expect(await titles(member, "")).toEqual(["drum"]);
    expect(await titles(member, "where=2./dear")).toEqual([]);
  });

  test("can be a tile’s, and can be filtered further", async () => {
    expect(await titles(clerk, "where=2./.2")).toEqual(["anvil", "bell", "clock"]);
    expect(await titles(clerk, "where=2./.2&where=2./dear")).toEqual(["anvil"]);
    expect(await titles(clerk, "where=2./dear&status=closed")).toEqual(["drum"]);
  });

  test("names it without sending it, and only on screens that the person can see", async () => {
    for (const where of ["cost>100", "2./nowhere", "2./.6", "2./.99", "3.Case", ""])
      expect((await clerk.get(`/api/cases?where=${encodeURIComponent(where)}`)).problem().code, where).toBe(
        "BAD_QUERY",
      );
    expect((await clerk.get("/api/cases?where=2./clerks")).status).toBe(200);
    expect((await member.get("/api/cases?where=2./clerks")).problem().code).toBe("BAD_QUERY");
  });
});

describe("a dashboard", () => {
  test("gets all tiles in one response, evaluated with the reader’s permissions", async () => {
    expect((await overview(clerk)).tiles).toMatchObject([
      { kind: "count", count: 2 },
      { kind: "list", count: 3, items: [{ title: "anvil", cost: 500 }, { title: "bell" }, { title: "clock" }] },
      {
        kind: "chart",
        groups: [
          { key: "2026-01-01", value: "500" },
          { key: "2026-02-01", value: "50" },
          { key: "2026-04-01", value: "900" },
        ],
      },
      {
        kind: "chart",
        groups: [
          { key: "open", value: "3" },
          { key: "closed", value: "1" },
        ],
      },
      {
        kind: "chart",
        groups: [
          { label: "Cleo", value: "3" },
          { label: "Max", value: "1" },
        ],
      },
      { kind: "figure", value: "550", compared: "900" },
      { kind: "figure", value: "75", compared: null },
      { kind: "figure", value: null, compared: null },
      { kind: "count", count: 1 },
      {
        kind: "chart",
        groups: [
          { key: "closed", value: "900" },
          { key: "open", value: "550" },
        ],
      },
    ]);
  });

  test("hides rows, sums and tiles that the reader can’t read", async () => {
    const application = (await member.get("/_/application")).body as Application;
    const screen = application.screens.find(({ kind }) => kind === "tiles");
    const shown = screen?.kind === "tiles" ? screen.tiles.map(({ title }) => title) : [];
    expect(shown).toEqual(["Dear", "Mine", "By state", "By reporter", "Open"]);
    expect((await overview(member)).tiles).toMatchObject([
      { kind: "count", count: 0 },
      { kind: "list", count: 1, items: [{ title: "drum" }] },
      { kind: "chart", groups: [{ key: "closed", value: "1" }] },
      { kind: "chart", groups: [{ label: "Max", value: "1" }] },
      { kind: "figure", value: "0", compared: null },
    ]);
    const [, own] = (await overview(member)).tiles;
    expect(JSON.stringify(own)).not.toContain("cost");
  });

  test("says which tiles add up only a part of their records, because the reader can’t see the others", () => {
    const mine = '    - { title: My share, figure: Case, where: "reporter == user", value: share(status == open) }\n';
    const { model } = compiled(specification.replace("    - { title: For clerks", `${mine}$&`));
    const partial = (...granted: readonly string[]) => {
      const person = { id: "01a1f405-0000-7000-8000-000000000000", granted: new Set(granted) };
      const { screens } = buildManifest(model, person, getPhrasesFor("en"));
      const [screen] = screens.filter((screen) => screen.kind === "tiles");
      return screen?.tiles.filter((tile) => tile.partial).map(({ title }) => title);
    };
    expect(partial("clerk")).toEqual([]);
    expect(partial()).toEqual(["By state", "By reporter", "Open"]);
  });

  test("does not exist at another address, nor for a visitor", async () => {
    expect((await clerk.get("/_/overview?screen=/cases")).problem().code).toBe("NOT_FOUND");
    expect((await clerk.get("/_/overview")).problem().code).toBe("NOT_FOUND");
    expect((await desk.visitor().get("/_/overview?screen=/")).problem().code).toBe("NOT_SIGNED_IN");
  });

  test("takes one statement for all counts, and one for each list, chart and figure", () => {
    const { context, format, caller } = desk.opened.service;
    const cleo = caller({ id: "01a1f405-0000-7000-8000-000000000000", granted: new Set(["clerk"]) }, new Date());
    const plan = planOverview(context, { screen: "/" }, cleo, format);
    expect(plan.kind === "plan" ? plan.steps().next().value : []).toHaveLength(1 + 8);
  });

  test("links to a list without a condition of its own, if there is one", async () => {
    const application = (await clerk.get("/_/application")).body as Application;
    const screen = application.screens.find(({ kind }) => kind === "tiles");
    const lists = screen?.kind === "tiles" ? screen.tiles.map(({ list }) => list) : [];
    expect(new Set(lists)).toEqual(new Set(["/cases"]));
  });
});

describe("a list is filtered", () => {
  test("by the ends of a range of dates, numbers and datetimes", async () => {
    expect(await titles(clerk, "day>=2026-02-01")).toEqual(["bell", "clock", "drum"]);
    expect(await titles(clerk, "day>=2026-02-01&day<=2026-04-10")).toEqual(["bell", "clock"]);
    expect(await titles(clerk, "cost>=50&cost<=500")).toEqual(["anvil", "bell"]);
    expect(await titles(clerk, "seen>=2026-01-31T23:30:00.000Z")).toEqual(["anvil"]);
    expect(await titles(clerk, "seen<=2026-01-31T23:29:59.999Z")).toEqual([]);
  });

  test("by alternatives of one field: a range, a value, missing", async () => {
    expect(await titles(clerk, "cost>=500&cost=")).toEqual(["anvil", "clock", "drum"]);
    expect(await titles(clerk, "cost<=50&cost=900")).toEqual(["bell", "drum"]);
  });

  test("by words that a text contains, in any case and without wildcards", async () => {
    expect(await titles(clerk, "title~=L")).toEqual(["anvil", "bell", "clock"]);
    expect(await titles(clerk, "title~=dru&title~=BEL")).toEqual(["bell", "drum"]);
    expect(await titles(clerk, "title~=%25")).toEqual([]);
  });

  test.each([
    "day>=tomorrow",
    "day>=2026-02-01&day>=2026-03-01",
    "title>=a",
    "status>=open",
    "day~=1",
    "cost<=",
    "reporter<=x",
  ])("and not by %s", async (query) =>
    expect((await clerk.get(`/api/cases?${query}`)).problem().code).toBe("BAD_QUERY"),
  );

  test("and never by a field that the reader can’t read", async () =>
    expect((await member.get("/api/cases?cost>=1")).problem().code).toBe("BAD_QUERY"));
});

describe("layouts", () => {
  test("need fields that the person can read", async () => {
    const application = (await member.get("/_/application")).body as Application;
    const cases = application.screens.find(({ path }) => path === "/cases");
    expect(cases).toMatchObject({
      layouts: [{ kind: "table" }, { kind: "board", field: "status" }, { kind: "calendar", from: "day", to: null }],
    });
  });

  test.each([
    ["{ board: title }", "“title”", "a column for each state"],
    ["{ calendar: [title] }", "“title”", "Name a date"],
  ])("%s is a finding", (layout, _, hint) => {
    const text = specification.replace("{ board: status }", layout);
    expect(() => compiled(text)).toThrow(/The layout can’t use title/u);
    expect(hint).not.toBe("");
  });
});

describe("the definition of a tile is checked", () => {
  test.each([
    ["sum of a text", "value: sum(title)", /sum\(\) needs a number/u],
    ["no aggregate", "value: median(cost)", /not an aggregate/u],
    ["sum of nothing", "value: sum()", /sum\(\) needs a field/u],
    ["share of nothing", "value: share()", /share\(\) needs a condition/u],
    ["share of no condition", "value: share(cost)", /boolean|condition/u],
    ["two bounds", "value: sum(cost), target: { at least: 1, at most: 2 }", /A target has one bound/u],
    ["no bound", "value: sum(cost), target: {}", /A target has one bound/u],
    ["a target of another type", "value: sum(cost), target: { at least: today }", /date/u],
    ["a computed target", "value: sum(cost), target: { at least: budget * 2 }", /A target can’t be computed/u],
    ["an order of a chart", "value: sum(cost), sort: [title]", /A chart can’t be sorted by “title”/u],
    ["a chart that is compared", "value: sum(cost), compare: { title: Later }", /Only a figure has “compare”/u],
  ])("%s", (_, value, said) => expect(() => compiled(specification.replace("value: sum(cost)", value))).toThrow(said));

  test("a chart needs a field to group by, which is not a datetime", () => {
    expect(() => compiled(specification.replace(", per: month_of(day)", ""))).toThrow(/needs “per”/u);
    expect(() => compiled(specification.replace("per: month_of(day)", "per: seen"))).toThrow(/can’t be grouped/u);
  });

  test("a comparison needs a title, and bars have no target", () => {
    expect(() => compiled(specification.replace("title: Later, ", ""))).toThrow(/A comparison needs “title”/u);
    expect(() => compiled(specification.replace("per: status }", "per: status, target: { at most: 3 } }"))).toThrow(
      /Only figures, columns and lines have a target/u,
    );
  });

  test("the browser gets the target as a number, and the title of the comparison", () => {
    const { model } = compiled(specification);
    const [screen] = buildManifest(model, allRoles(model), getPhrasesFor("en")).screens;
    const tiles = screen?.kind === "tiles" ? screen.tiles : [];
    expect(tiles.flatMap((tile) => (tile.kind === "figure" ? [tile] : []))).toMatchObject([
      {
        value: { how: "sum", label: "Cost" },
        compare: { title: "Later" },
        target: { bound: "at most", value: "700.5" },
      },
      { value: { how: "share", unit: null }, compare: null, target: { bound: "at least", value: "90" } },
      { value: { how: "avg" }, compare: null, target: null },
    ]);
  });

  test("a chart’s groups are named by the field whose values they are", () => {
    const { model } = compiled(specification.replace("per: reporter,", "per: reporter.name,"));
    const [screen] = buildManifest(model, allRoles(model), getPhrasesFor("en")).screens;
    const tiles = screen?.kind === "tiles" ? screen.tiles : [];
    expect(tiles.flatMap((tile) => (tile.kind === "chart" ? [tile.per] : []))).toEqual([
      { label: "Day", step: "month", field: null, group: "day" },
      { label: "Status", step: null, field: "status", group: "status" },
      { label: "Name", step: null, field: null, group: null },
      { label: "Status", step: null, field: "status", group: "status" },
    ]);
  });
});
