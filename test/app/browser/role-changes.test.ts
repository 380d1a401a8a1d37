import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { PeopleJson } from "../../../src/core/wire/accounts/people.ts";
import { complaints, listening, member, visitAs } from "../../web/browser.ts";
import { example, startProgram } from "../program.ts";

test("an open page learns that a role was granted or taken, and keeps what is typed", async () => {
  const program = await startProgram({ text: await readFile(example("lending"), "utf8") });
  const chief = await program.signInAs("administrator");
  const { items } = (await chief.get(`/_/people?search=${encodeURIComponent(member)}`)).body as PeopleJson;
  const change = async (kind: "grant" | "take") =>
    expect((await chief.post(`/_/people/${items[0]?.id}/${kind}`, { role: "keeper" })).status).toBe(204);
  const page = await visitAs(program.url, member, { path: "/things" });
  const create = page.getByRole("link", { name: "New thing" });
  await page.getByRole("heading", { level: 1, name: "Things" }).waitFor();
  await listening(page);
  expect(await create.count()).toBe(0);

  await change("grant");
  await page.getByText("You can now act as Keeper.").waitFor();
  await create.first().click();
  await page.getByRole("textbox", { name: "Name" }).fill("Ladder");
  await change("take");
  await page.waitForTimeout(2_000);
  expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Ladder");
  await page.goto(`${program.url}/things`);
  await page.getByRole("heading", { level: 1, name: "Things" }).waitFor();
  expect(await create.count()).toBe(0);
  expect(complaints(page)).toEqual([]);
}, 120_000);
