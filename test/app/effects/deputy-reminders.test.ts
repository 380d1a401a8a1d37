import { expect, test } from "vitest";
import type { NotificationsJson } from "../../../src/core/wire/notifications.ts";
import { Timers } from "../../../src/jobs/timers.ts";
import { type ApiClient, serveText } from "../program.ts";

/* Both hear when a deputy's time begins and when it is over. */

const text = `# Claims

## 1. Purpose
\`\`\`yaml
locale: en-GB
timezone: Europe/Berlin
\`\`\`

## 3. Entities
\`\`\`yaml
Claim: { label: "{subject}", fields: { subject: text } }
\`\`\`

## 6. Permissions
\`\`\`yaml
roles: { clerk: granted, member: { members: signed in } }
deputies: { for: clerk, up to: 30 days }
permissions:
  User: { read: { role: member, fields: [name] } }
  Claim: { read: clerk, create: clerk }
\`\`\`

## 9. Limits
\`\`\`yaml
session_length: 30 days
\`\`\`
`;

const setUp = async () => {
  let now = new Date("2026-03-03T10:00:00Z");
  const desk = await serveText(text, { app: { clock: () => now } });
  const [ada, ben] = [await desk.person("Ada", ["clerk"]), await desk.person("Ben")];
  const server = () => new Timers<{ readonly code: string }>(() => undefined);
  const first = server();
  const run = async (time: string, ...servers: readonly (typeof first)[]) => {
    now = new Date(time);
    await Promise.all((servers.length === 0 ? [first] : servers).map((one) => one.run(desk.opened.service, now)));
  };
  await run("2026-03-03T10:00:01Z");
  const told = async (person: ApiClient) =>
    ((await person.get("/_/notifications")).body as NotificationsJson).items.map((item) => item.text);
  const name = async (from: string, last: string) => {
    const named = await ada.post("/api/deputies", { deputy: ben.id, first_day: from, last_day: last });
    expect(named.status).toBe(201);
    return named.record().id;
  };
  return { ada, ben, told, name, run, first, server };
};

const NAMED = "Ada names you as deputy from 10 Mar 2026 to 14 Mar 2026.";
const BEGINS = {
  ben: "You now stand in for Ada, until 14 Mar 2026.",
  ada: "Ben now stands in for you, until 14 Mar 2026.",
};
const OVER = {
  ben: "You no longer stand in for Ada: 14 Mar 2026 was the last day.",
  ada: "Ben no longer stands in for you: 14 Mar 2026 was the last day.",
};

test("on the morning of the first day and after the last one, once, with two servers", async () => {
  const { ada, ben, told, name, run, first, server } = await setUp();
  await name("2026-03-10", "2026-03-14");
  await run("2026-03-10T06:59:00Z");
  expect([await told(ada), await told(ben)]).toEqual([[], [NAMED]]);
  await run("2026-03-10T07:00:11Z", first, server());
  await run("2026-03-10T07:00:15Z", first, server());
  expect([await told(ada), await told(ben)]).toEqual([[BEGINS.ada], [BEGINS.ben, NAMED]]);
  await run("2026-03-14T12:00:00Z");
  expect(await told(ada)).toEqual([BEGINS.ada]);
  await run("2026-03-15T07:00:11Z", first, server());
  expect([await told(ada), await told(ben)]).toEqual([
    [OVER.ada, BEGINS.ada],
    [OVER.ben, BEGINS.ben, NAMED],
  ]);
});

test("when the program runs again, unless the time is over by then", async () => {
  const { ada, ben, told, name, run } = await setUp();
  await name("2026-03-10", "2026-03-14");
  await run("2026-03-12T15:00:00Z");
  expect([await told(ada), await told(ben)]).toEqual([[BEGINS.ada], [BEGINS.ben, NAMED]]);

  const other = await setUp();
  await other.name("2026-03-10", "2026-03-14");
  await other.run("2026-03-16T15:00:00Z");
  expect([await other.told(other.ada), await other.told(other.ben)]).toEqual([[OVER.ada], [OVER.ben, NAMED]]);
});

test("not if it begins on the day on which it is arranged, and not after it was ended early", async () => {
  const { ada, ben, told, name, run } = await setUp();
  await run("2026-03-10T05:00:00Z");
  const id = await name("2026-03-10", "2026-03-14");
  await run("2026-03-10T07:00:11Z");
  expect([await told(ada), await told(ben)]).toEqual([[], [NAMED]]);
  expect((await ada.delete(`/api/deputies/${id}`)).status).toBe(204);
  await run("2026-03-15T07:00:11Z");
  expect(await told(ada)).toEqual([]);
  expect((await told(ben))[0]).toContain("You no longer stand in for Ada. It was planned");
});
