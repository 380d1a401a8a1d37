import { expect, test } from "vitest";
import { answeredWith, storedReasons } from "../../../src/core/wire/unsent.ts";
import { administrator, complaints, visitAs } from "../../web/browser.ts";
import { serveText } from "../program.ts";

const text = `# Desk

## 3. Entities and their fields
\`\`\`yaml
Case: { fields: { title: text } }
\`\`\`
`;

test("“Send all again” is offered for messages that failed, not for those that were dropped", async () => {
  const desk = await serveText(text, { demonstration: true });
  const add = (said: string) =>
    desk.database.query(
      `insert into ninefold.outbox (call, payload, entity, record, clause, at, next_at, tries, state, said)
       values ('ledger', '{}', 'Case', uuidv7(), '4.Case', now(), now(), 1, 'given up', '${said}')`,
    );
  for (const said of [storedReasons.restored, storedReasons.restored, storedReasons.timeout]) await add(said);
  const page = await visitAs(await desk.listen(), administrator, { path: "/workbench/unsent" });
  await page.getByRole("row").nth(3).waitFor();
  await page.getByRole("link", { name: "Accounts" }).first().click();
  await page.getByRole("link", { name: "Not sent 3" }).click();
  const all = page.getByRole("button", { name: "Send all again" });
  expect(await all.count()).toBe(0);
  await add(answeredWith(410));
  await page.reload();
  await page.getByText("Nothing is at its address any more (status 410). Set a new address, then send again").waitFor();
  await all.click();
  await page.getByText("Failed emails and calls will be sent again in a moment").waitFor();
  // The page looks by itself for what became of it.
  await desk.database.query("delete from ninefold.outbox");
  await page.getByText("No email and no call to another program has failed.").waitFor();
  expect(complaints(page)).toEqual([]);
});
