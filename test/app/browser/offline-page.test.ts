import { expect, test } from "vitest";
import { complaints, visit } from "../../web/browser.ts";
import { serveDemonstration } from "../program.ts";

const text = `# Keys

## 3. Entities and their fields
\`\`\`yaml
Key: { label: "{number}", fields: { number: text } }
\`\`\`
`;

test("the page without a connection asks the server at growing intervals, and opens the application once it answers", async () => {
  const { url } = await serveDemonstration({ text });
  const worker = await (await fetch(`${url}/_/offline.js?language=en`)).text();
  const [, html = '""'] = /^const page = (.+);$/mu.exec(worker) ?? [];
  const [, policy = '""'] = /"content-security-policy": (".+") \}/u.exec(worker) ?? [];
  const page = await visit(`${url}/_/offline.js`, {});
  const asked: string[] = [];
  let isStopped = true;
  await page.route(`${url}/sign-in`, async (route) => {
    const isQuestion = route.request().method() === "HEAD";
    if (isQuestion) asked.push(route.request().method());
    if (!isStopped) return route.continue();
    if (!isQuestion)
      return route.fulfill({
        status: 503,
        contentType: "text/html; charset=utf-8",
        headers: { "content-security-policy": JSON.parse(policy) as string },
        body: JSON.parse(html) as string,
      });
    // The network is there, and the server is not: nobody answers, or only a proxy does.
    return asked.length % 2 === 1 ? route.abort("connectionrefused") : route.fulfill({ status: 502 });
  });
  await page.clock.install();
  await page.goto(`${url}/sign-in`);
  await page.getByRole("heading", { name: "Can’t reach Keys" }).waitFor();
  const passes = async (seconds: number, questions: number) => {
    await page.clock.runFor(seconds * 1000);
    await expect.poll(() => asked.length).toBe(questions);
    // Its answer begins the next pause.
    await page.waitForTimeout(100);
  };
  await passes(1.1, 1);
  await passes(1.1, 1);
  await passes(1, 2);
  await passes(3.5, 2);
  await passes(1, 3);
  isStopped = false;
  await passes(8.5, 4);
  await page.clock.resume();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(complaints(page).filter((line) => !/503|502|ERR_CONNECTION_REFUSED/u.test(line))).toEqual([]);
});
