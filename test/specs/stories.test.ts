import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Application } from "../../src/core/wire/application.ts";
import type { WhyJson } from "../../src/core/wire/why.ts";
import { Timers } from "../../src/jobs/timers.ts";
import { createDemonstration } from "../../src/server/auth/demo-sign-in.ts";
import { playStory } from "../../src/server/sample/story/play-story.ts";
import { readStory, StoryError } from "../../src/server/sample/story/read-story.ts";
import { open } from "../../src/server/serving/open-document.ts";
import { listEmpty } from "../app/empty-screens.ts";
import { type ApiClient, compiled, serveText, type TestServer } from "../app/program.ts";
import { sampleDays, USUAL_DAY } from "../app/sample-days.ts";
import { database } from "../postgres.ts";
import { thirdOfDay } from "../turns.ts";

/*
 * The stories of the examples: on the day of the start, each screen has something to show to each role that it is meant
 * for, whatever day it is.
 */

const root = new URL("../../", import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, root), "utf8");

interface Told {
  /** The example. */
  readonly name: string;
  /** A person for each role, and what that person can open but is meant for others. No tile of anybody else is empty. */
  readonly people: { readonly [name: string]: readonly string[] };
  /** Counts of zero, which are true of further people. */
  readonly zeros?: { readonly [name: string]: readonly string[] };
  /** SQL for what cannot be: what has happened lies in the future, or a sum that nobody would pay. `$1` is now. */
  readonly absurd: string;
}

const stories: readonly Told[] = [
  {
    name: "lending",
    people: { "Jonas Weber": [], "Lukas Brandt": [] },
    zeros: { "Mei Tanaka": ["“Overdue”"] },
    absurd: "select id from app.loan where status in ('lent', 'returned') and from_day > $1::date",
  },
  {
    name: "leave-desk",
    people: { "Jonas Weber": [], "Mei Tanaka": [], "Lukas Brandt": [] },
    zeros: Object.fromEntries(
      ["Hanna Lindqvist", "Ines Duarte", "Noah Fischer", "Tom Adeyemi"].map((person) => [
        person,
        ["“Sick leave without a doctor’s note”"],
      ]),
    ),
    absurd: "select id from app.request where (kind = 'sick' or status = 'booked') and first_day > $1::date",
  },
  {
    name: "help-desk",
    people: { "Jonas Weber": [], "Mei Tanaka": [], "Lukas Brandt": [] },
    absurd: "select id from app.ticket where reported_at > $1 or taken_at < reported_at or solved_at < taken_at",
  },
  {
    name: "purchasing",
    people: {
      "Sofía Marín": [],
      "Lukas Brandt": [],
      "Jonas Weber": ["/requests refused", "/requests withdrawn"],
      "Mei Tanaka": ["/requests endorsed", "/requests refused", "/requests withdrawn", "/requests cancelled"],
      "Tom Adeyemi": [],
    },
    absurd: `select id from app.line where unit_price not between 0.05 and 20000 union all
             select id from app.line where item like 'Monitor%' and unit_price < 100 union all
             select id from app.receipt where arrived_on > $1::date union all
             select id from app.invoice where dated > $1::date or paid_on > $1::date`,
  },
  {
    name: "booking",
    people: { "Jonas Weber": [], "Mei Tanaka": [], "Lukas Brandt": [] },
    absurd: "select id from app.booking where ends <= begins or (status = 'done' and begins > $1)",
  },
].filter(({ name }) => (process.env.STORY ?? name) === name);

/** An application with its story, at the moment after its start. */
const tell = async (name: string, now: Date): Promise<TestServer> => {
  const text = textOf(`examples/${name}.md`);
  const store = await database();
  const opened = await open(compiled(text).model, compiled(text), { owner: store.url, app: store.appUrl });
  const timers = new Timers(() => undefined);
  const story = readStory({ file: `${name}.story.yaml`, text: textOf(`examples/${name}.story.yaml`) });
  const began = performance.now();
  const told = await playStory(opened.service, story, now, (until) => timers.run(opened.service, until));
  if (process.env.STORY_DAYS) console.log(name, now.toISOString(), `${Math.round(performance.now() - began)} ms`);
  expect(told.refused.map(({ line, code }) => `${line}: ${code}`)).toEqual([]);
  // On a usual day, later acts stay where the story says, so no record should have to move.
  if (now.getTime() === Date.parse(USUAL_DAY)) expect([...told.moved]).toEqual([]);
  const demonstration = await createDemonstration(opened.service);
  await opened.close();
  return serveText(text, { database: store, app: { clock: () => now, demonstration } });
};

/** The people whom the sign-in page offers. An administrator without a role sees no empty tile. */
const listOffered = async (served: TestServer): Promise<readonly string[]> => {
  const { signIn } = (await served.visitor().get("/_/application")).body as Application;
  return signIn.demonstration?.flatMap(({ name }) => (name === "Amara Okafor" ? [] : name)) ?? [];
};

/** Signs in as a person of the story. */
const signInAs = async (served: TestServer, person: string): Promise<ApiClient> => {
  const visitor = served.visitor();
  const { signIn } = (await visitor.get("/_/application")).body as Application;
  const { token } = signIn.demonstration?.find(({ name }) => name === person) ?? {};
  await visitor.post("/_/session", { demonstration: token });
  return visitor;
};

describe.each(thirdOfDay(stories))("the story of $name", ({ name, people, zeros, absurd }) => {
  test.each(sampleDays)("fills every screen for every role on %s", async (day) => {
    const now = new Date(day);
    const served = await tell(name, now);
    const found: Record<string, readonly string[]> = {};
    // On the first days of a year, a tile of this year can be empty for further people.
    for (const person of day === USUAL_DAY ? await listOffered(served) : Object.keys(people)) {
      const empty = await listEmpty(await signInAs(served, person), now);
      // Boards and calendars are filled for one person of each role, overviews for everybody.
      found[person] = person in people ? empty : empty.filter((one) => one.startsWith("“"));
    }
    const filled = Object.fromEntries(Object.keys(found).map((person) => [person, []]));
    expect(found).toEqual({ ...filled, ...(day === USUAL_DAY && zeros), ...people });
    expect((await served.database.query(absurd, [now])).rows).toEqual([]);
  });
});

test("of two requests for the bike, neither is handed over before it is back, and the second not beside the first", async () => {
  const served = await tell("lending", new Date(USUAL_DAY));
  const keeper = await signInAs(served, "Jonas Weber");
  const ofBike = async () => {
    const { items } = (await keeper.get("/api/loans?label=true&may=true&limit=200")).list();
    return new Map(items.map((loan) => [`${String(loan._label)} ${String(loan.status)}`, loan]));
  };
  const whyNot = async (loan: string) => {
    expect((await ofBike()).get(loan)?.may?.refused?.hand_over?.code).toBe("NOT_BACK");
    const { body } = await keeper.get(`/api/why?do=Loan.hand_over&record=${idOf(loan)}`);
    return (body as WhyJson).because;
  };
  const [first, second] = ["Cargo bike for Mei Tanaka asked", "Cargo bike for Noah Fischer asked"] as const;
  const before = await ofBike();
  const idOf = (loan: string) => String(before.get(loan)?.id);
  for (const loan of [first, second])
    expect(await whyNot(loan)).toBe("Cargo bike is with Lukas Brandt, due back on 6 Jun 2026.");

  await keeper.post(`/api/loans/${idOf("Cargo bike for Lukas Brandt lent")}/take_back`);
  for (const loan of [first, second]) expect((await ofBike()).get(loan)?.may?.transitions).toContain("hand_over");

  await keeper.post(`/api/loans/${idOf(first)}/hand_over`);
  const isOut = "Cargo bike is with Mei Tanaka, due back on 19 Jun 2026.";
  expect(await whyNot(second)).toBe(isOut);
  const { status, body } = await keeper.post(`/api/loans/${idOf(second)}/hand_over`);
  expect([status, body]).toMatchObject([409, { code: "NOT_BACK", clause: "5.Loan.NOT_BACK", detail: isOut }]);
});

test("people are introduced by the roles that they hold on records, and by the work of these roles", async () => {
  const served = await tell("leave-desk", new Date(USUAL_DAY));
  const { signIn } = (await served.visitor().get("/_/application", { "accept-language": "en" })).body as Application;
  const shown = new Map(signIn.demonstration?.map(({ name, titles, does }) => [name, { titles, does }]));
  expect(shown.get("Mei Tanaka")).toEqual({
    titles: ["Manager"],
    does: ["Managers see the requests that wait for them and who of their people is away"],
  });
  expect(shown.get("Sofía Marín")).toEqual({
    titles: ["Staff"],
    does: ["Staff request leave"],
  });
  expect([...shown.keys()].at(-1)).toBe("Amara Okafor");
});

test("the story of the how-to page is played as it says", async () => {
  const [, text = ""] = /```text\n([\s\S]*?)```/u.exec(textOf("docs/how-to/tell-a-story.md")) ?? [];
  const served = await serveText(textOf("examples/lending.md"));
  const now = new Date(USUAL_DAY);
  const story = readStory({ file: "lending.story.yaml", text });
  const told = await playStory(served.opened.service, story, now, () => Promise.resolve());
  expect(told).toEqual({ people: 3, records: 6, refused: [], moved: new Map() });
  const { rows } = await served.database.query("select status, remark from app.loan order by created_at");
  expect(rows).toEqual([
    { status: "lent", remark: "Flyers for the open day." },
    { status: "asked", remark: null },
  ]);
});

test("a record whose days the specification refuses at this time of the year has them in another week", async () => {
  const leaveDesk = await serveText(textOf("examples/leave-desk.md"));
  const story = readStory({ file: "leave-desk.story.yaml", text: textOf("examples/leave-desk.story.yaml") });
  // The week of exams, four weeks later, begins on 28 December, and leave within two years needs two requests.
  const now = new Date("2026-11-30T09:00:00Z");
  const { refused, moved } = await playStory(leaveDesk.opened.service, story, now, () => Promise.resolve());
  expect(refused).toEqual([]);
  expect([...moved.values()]).toEqual([1]);
  const { rows } = await leaveDesk.database.query(
    "select first_day::text, last_day::text from app.request where note = 'I have exams that week.'",
  );
  expect(rows).toEqual([{ first_day: "2027-01-04", last_day: "2027-01-08" }]);
});

test("a story for another document is refused before anything is created", async () => {
  const served = await serveText(textOf("examples/lending.md"));
  for (const text of [
    "people: { ada: { name: Ada, roles: [captain] } }",
    "people: { ada: { name: Ada } }\nBoat: { a: { today ada: { name: Anna } } }",
    "people: { ada: { name: Ada } }\nLoan: { a: { today ada sink: } }",
    "people: { ada: { name: Ada } }\nLoan: { a: { today ada: { boat: Anna } } }",
    "people: { ada: { name: Ada } }\nLoan: { a: { once ada: { remark: Soon } } }",
  ]) {
    const story = readStory({ file: "lending.story.yaml", text });
    const playing = playStory(served.opened.service, story, new Date(), () => Promise.resolve());
    await expect(playing).rejects.toThrow(StoryError);
  }
  expect((await served.database.query(`select 1 from app."user"`)).rows).toEqual([]);
});

describe("a story with a mistake", () => {
  const read = (text: string) => () => readStory({ file: "a.story.yaml", text });
  test.each([
    ["Loan: { a: { today jonas: { due_day: today } } }", 1],
    ["people:\n  jonas: { name: Jonas Weber }\nLoan:\n  a:\n    tomorrow: { due_day: today }\n", 5],
    ["people:\n  - jonas\n", 2],
  ])("is refused with its line", (text, line) => {
    expect(read(text)).toThrow(StoryError);
    try {
      read(text)();
    } catch (error) {
      expect(error).toMatchObject({ line });
    }
  });
});
