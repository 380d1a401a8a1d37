import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Application } from "../../src/core/wire/application.ts";
import type { OverviewJson } from "../../src/core/wire/overview.ts";
import { sentFile } from "../app/openapi/ways.ts";
import { example, serveText } from "../app/program.ts";

/* Purchasing: what its specification promises to the people of finance. */

test("finance corrects the category once a request is no draft, and nothing else, with a line in its history", async () => {
  const served = await serveText(readFileSync(example("purchasing"), "utf8"));
  const finance = await served.person("Fiona Finance", ["finance"]);
  const head = await served.person("Hans Head");
  const requester = await served.person("Rita Requester");
  const department = { name: "Sales", cost_centre: "4200", head: head.id, budget: "90000" };
  const sales = (await finance.post("/api/departments", department)).record();
  const lines = [{ item: "Drill", quantity: "10", unit_price: "20.00" }];
  const request = { department: sales.id, purpose: "Drills", category: "office", lines };
  const draft = (await requester.post("/api/requests", request)).record();
  const correct = async (body: object) => {
    const { version } = (await requester.get(`/api/requests/${draft.id}`)).record();
    return finance.patch(`/api/requests/${draft.id}`, body, { "if-match": `"${version}"` });
  };
  expect((await correct({ category: "marketing" })).status).toBe(404);
  await requester.post(`/api/requests/${draft.id}/submit`, {});
  expect((await correct({ category: "marketing" })).record().category).toBe("marketing");
  await head.post(`/api/requests/${draft.id}/refuse`, { reason: "Not this year." });
  expect((await correct({ category: "tools_and_machines" })).record().category).toBe("tools_and_machines");
  const history = await finance.get(`/api/requests/${draft.id}/history`);
  expect(history.text.match(/tools_and_machines/gu)?.length).toBe(1);

  expect((await correct({ purpose: "Laser cutter" })).status).toBe(403);
  const added = await finance.post("/api/lines", { request: draft.id, item: "Saw", unit_price: "1.00" });
  expect(added.status).toBe(403);
});

test("a corrected category keeps the first of two approvals of finance", async () => {
  const served = await serveText(readFileSync(example("purchasing"), "utf8"));
  const [first, second] = [await served.person("Fiona", ["finance"]), await served.person("Fred", ["finance"])];
  const [head, requester] = [await served.person("Hans Head"), await served.person("Rita Requester")];
  const department = { name: "Sales", cost_centre: "4200", head: head.id, budget: "90000" };
  const sales = (await first.post("/api/departments", department)).record();
  const lines = [{ item: "Drill", quantity: "10", unit_price: "3000.00" }];
  const quotes = [await sentFile(requester), await sentFile(requester)];
  const request = { department: sales.id, purpose: "Drills", category: "office", quotes, lines };
  const { id } = (await requester.post("/api/requests", request)).record();
  await requester.post(`/api/requests/${id}/submit`, {});
  await head.post(`/api/requests/${id}/endorse`, {});
  expect((await first.post(`/api/requests/${id}/release`, {})).record().status).toBe("endorsed");
  const { version } = (await second.get(`/api/requests/${id}`)).record();
  const corrected = await second.patch(
    `/api/requests/${id}`,
    { category: "marketing" },
    { "if-match": `"${version}"` },
  );
  expect(corrected.record().category).toBe("marketing");
  expect((await second.post(`/api/requests/${id}/release`, {})).record().status).toBe("approved");
});

test("a deputy approves for the head of a department, has it in the same tile, and never approves their own request", async () => {
  const served = await serveText(readFileSync(example("purchasing"), "utf8"));
  const finance = await served.person("Fiona Finance", ["finance"]);
  const [head, deputy] = [await served.person("Hans Head"), await served.person("Doris Deputy")];
  const requester = await served.person("Rita Requester");
  const department = { name: "Sales", cost_centre: "4200", head: head.id, budget: "90000" };
  const sales = (await finance.post("/api/departments", department)).record();
  const submitted = async (person: typeof head): Promise<string> => {
    const lines = [{ item: "Drill", quantity: "10", unit_price: "20.00" }];
    const request = { department: sales.id, purpose: "Drills", category: "office", lines };
    const path = `/api/requests/${(await person.post("/api/requests", request)).record().id}`;
    await person.post(`${path}/submit`, {});
    return path;
  };
  const request = await submitted(requester);
  expect((await deputy.get(request)).status).toBe(404);
  const dayFrom = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const days = { first_day: dayFrom(-1), last_day: dayFrom(14) };
  const { deputies } = (await head.get("/_/application")).body as Application;
  expect(deputies?.acts).toEqual([
    "Approve, send back and decline requests",
    "Pass on to finance (requests)",
    "See more about departments (Budget, Committed and Remaining budget)",
    "See invoices",
  ]);
  // Finance is the head of no department, and reads all of them as finance.
  expect(((await finance.get("/_/application")).body as Application).deputies).toBeNull();
  expect((await head.post("/api/deputies", { deputy: deputy.id, ...days })).status).toBe(201);
  const own = await submitted(deputy);
  const { tiles } = (await deputy.get("/_/overview?screen=/")).body as OverviewJson;
  const [waiting] = tiles;
  expect(waiting?.kind === "list" && waiting.items.map(({ id }) => `/api/requests/${id}`)).toEqual([request]);
  for (const [transition, body, code] of [
    ["approve", {}, "GUARD"],
    // Several roles decline, each on a condition of its own.
    ["refuse", { reason: "No." }, "FORBIDDEN"],
  ] as const) {
    const refused = (await deputy.post(`${own}/${transition}`, body)).problem();
    expect([transition, refused.code]).toEqual([transition, code]);
  }
  expect((await deputy.post(`${request}/approve`, {})).record().status).toBe("approved");
});
