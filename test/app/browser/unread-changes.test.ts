import { expect, test } from "vitest";
import { axeFindings } from "../../web/axe.ts";
import { atRest, complaints, focused, visitAs } from "../../web/browser.ts";
import { example, serveDemonstration } from "../program.ts";

test("changes by others since the last visit are marked, summarised in one line with a link, and seen after you leave", {
  timeout: 90_000,
}, async () => {
  const program = await serveDemonstration({ file: example("help-desk") });
  const [agent, supervisor] = [await program.signInAs("agent"), await program.signInAs("supervisor")];
  const [category, other] = (await agent.get("/api/categories?limit=2")).list().items;
  const input = { category: category?.id, subject: "The lift stands still", description: "Since this morning" };
  const { id } = (await agent.post("/api/tickets", input)).record();
  const page = await visitAs(program.url, "Jonas Weber", { path: `/tickets/${id}` });
  await atRest(page);
  const news = page.getByRole("button", { name: /since/ });
  await expect.poll(() => news.count()).toBe(0);

  // The user's own changes are not unread, nor are changes during a visit.
  const text = page.waitForResponse((response) => response.url().endsWith("/_/visits") && response.status() === 204);
  await page.getByRole("link", { name: "Categories" }).click();
  await text;
  const { version } = (await agent.get(`/api/tickets/${id}`)).record();
  const changed = await supervisor.patch(
    `/api/tickets/${id}`,
    { priority: "urgent", category: other?.id },
    { "if-match": `"${version}"` },
  );
  expect(changed.status).toBe(200);
  await supervisor.post("/api/comments", { ticket: id, text: "I have told the landlord." });
  await agent.post("/api/comments", { ticket: id, text: "Thank you" });

  await page.goto(`${program.url}/tickets/${id}`);
  await page.getByRole("button", { name: /^1 comment since/ }).waitFor();
  await page.getByRole("button", { name: /^One change since/ }).click();
  await expect.poll(() => focused(page)).toContain("Mei Tanaka edited it");
  await expect.poll(() => page.getByText("was Normal").isVisible()).toBe(true);
  // The category too, and the value computed from the priority.
  await expect.poll(() => page.getByText(/^was /u).count()).toBe(3);
  const comments = page.getByRole("region", { name: "Comments" }).getByRole("listitem");
  await expect
    .poll(() => comments.filter({ hasText: "New:" }).allInnerTexts())
    .toEqual([expect.stringContaining("I have told the landlord.")]);
  expect(await axeFindings(page)).toEqual([]);

  const left = page.waitForResponse((response) => response.url().endsWith("/_/visits") && response.status() === 204);
  await page.getByRole("link", { name: "Categories" }).click();
  await left;
  await page.goto(`${program.url}/tickets/${id}`);
  await atRest(page);
  await expect.poll(() => news.count()).toBe(0);
  await expect.poll(() => page.getByText(/^was /u).count()).toBe(0);
  expect(complaints(page)).toEqual([]);
});
