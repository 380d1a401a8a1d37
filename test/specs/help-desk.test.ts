import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { NotificationsJson } from "../../src/core/wire/notifications.ts";
import { example, serveText } from "../app/program.ts";

test("an agent learns who has a ticket assigned to them, and once of a comment that also mentions them", async () => {
  const desk = await serveText(readFileSync(example("help-desk"), "utf8"));
  const supervisor = await desk.person("Sven Supervisor", ["supervisor"]);
  const agent = await desk.person("Anna Agent", ["agent"]);
  const responsible = await desk.person("Otto Other", ["agent"]);
  const requester = await desk.person("Rita Requester");
  const category = (
    await supervisor.post("/api/categories", { name: "Network", about: "Cables", responsible: responsible.id })
  ).record();
  const { id } = (
    await requester.post("/api/tickets", {
      category: category.id,
      subject: "No network",
      description: "Since this morning.",
      affects: "me",
      place: "Room 204",
    })
  ).record();
  expect((await supervisor.post(`/api/tickets/${id}/assign`, { assignee: agent.id })).status).toBe(200);
  for (const text of ["Look at the switch.", "@Anna Agent look at the cable."])
    expect((await supervisor.post("/api/comments", { ticket: id, visibility: "internal", text })).status).toBe(201);
  const { items } = (await agent.get("/_/notifications")).body as NotificationsJson;
  expect(items.map(({ text }) => text.replace(/HD-\d+-\d+/u, "HD"))).toEqual([
    "Sven Supervisor mentioned you in HD (No network): @Anna Agent look at the cable.",
    "Sven Supervisor commented on HD: Look at the switch.",
    "Sven Supervisor has assigned HD (No network) to you.",
  ]);
});
