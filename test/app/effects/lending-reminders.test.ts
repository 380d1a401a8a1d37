import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { dateAt, getZone } from "../../../src/core/expression/values/calendar.ts";
import type { NotificationsJson } from "../../../src/core/wire/notifications.ts";
import { startJobs } from "../../../src/jobs/jobs.ts";
import { type ApiClient, serveText } from "../program.ts";

/* The lending desk tells its people of requests, decisions and due days. */

const DAY = 86_400_000;

/** Its people stay signed in for the days that pass. */
const text = readFileSync(new URL("../../../examples/lending.md", import.meta.url), "utf8").replace(
  "page_size: 50",
  "page_size: 50\nsession_length: 90 days",
);

test("keepers learn of requests, borrowers of decisions, and both of overdue things, once each", async () => {
  const desk = await serveText(text);
  const [keeper, member] = await Promise.all([desk.person("Jonas Weber", ["keeper"]), desk.person("Mei Tanaka")]);
  let now = new Date(new Date().setUTCHours(12, 0, 0, 0));
  const jobs = startJobs({
    work: () => desk.opened.service,
    clock: () => now,
    outside: { environment: {}, fetch },
    every: 1_000_000,
    log: { warn: () => undefined, error: ({ err }: { err?: unknown }) => Promise.reject(err) },
  });
  const started = now.getTime();
  const toDate = (days: number) => dateAt(new Date(started + days * DAY).toISOString(), getZone("Europe/Berlin")) ?? "";
  const seen = new Map<ApiClient, number>();
  /** The new notifications of a person, without the days in them. */
  const news = async (who: ApiClient) => {
    const { items } = (await who.get("/_/notifications")).body as NotificationsJson;
    const before = seen.get(who) ?? 0;
    seen.set(who, items.length);
    return items.slice(0, items.length - before).map((one) => one.text.replace(/\d{1,2} \w+ \d{4}/gu, "DAY"));
  };
  const { id: bike } = (await keeper.post("/api/things", { name: "Cargo bike", kind: "vehicle" })).record();
  const ask = async () =>
    (await member.post("/api/loans", { thing: bike, from_day: toDate(0), due_day: toDate(5) })).record().id;

  const first = await ask();
  expect(await news(keeper)).toEqual(["Mei Tanaka requests Cargo bike from DAY to DAY."]);
  await keeper.post(`/api/loans/${first}/decline`, { reason: "It is reserved." });
  expect(await news(member)).toEqual(["Your request for Cargo bike from DAY is declined: It is reserved."]);

  const second = await ask();
  await keeper.post(`/api/loans/${second}/hand_over`, {});
  expect(await news(member)).toEqual(["You have Cargo bike until DAY."]);
  await news(keeper);

  const after = async (days: number) => {
    now = new Date(started + days * DAY);
    await jobs.run();
    await jobs.run();
    return [await news(member), await news(keeper)];
  };
  const late = "Cargo bike, lent to Mei Tanaka, was due back on DAY.";
  expect(await after(3)).toEqual([[], []]);
  expect(await after(4)).toEqual([["Cargo bike is due back on DAY."], []]);
  expect(await after(5)).toEqual([[], []]);
  expect(await after(6)).toEqual([[late], [late]]);
  expect(await after(9)).toEqual([[], []]);

  // The program did not run on the day before.
  await keeper.post(`/api/loans/${second}/take_back`, {});
  const { id: third } = (
    await member.post("/api/loans", { thing: bike, from_day: toDate(10), due_day: toDate(15) })
  ).record();
  await keeper.post(`/api/loans/${third}/hand_over`, {});
  await Promise.all([news(member), news(keeper)]);
  expect(await after(15)).toEqual([["Cargo bike is due back on DAY."], []]);
  expect(await after(16)).toEqual([[late], [late]]);
  await jobs.stop();
});
