import { describe, expect, test } from "vitest";
import { type RefusedTransition, Timers } from "../../../src/jobs/timers.ts";
import { mailNotifications } from "../../../src/server/mail/notification-mails.ts";
import { listDueReminders } from "../../../src/server/plan/effects/due-reminders.ts";
import type { Steps } from "../../../src/server/plan/steps.ts";
import { database as createDatabase } from "../../postgres.ts";
import { serveText } from "../program.ts";

/* Reminders happen once for each record and moment. */

const text = `
## 1. Purpose
\`\`\`yaml
timezone: Europe/Berlin
\`\`\`
## 3. Entities
\`\`\`yaml
Loan:
  label: "{thing}"
  fields:
    thing: text
    borrower: { type: User, set: user }
    due: date?
    meets: datetime?
\`\`\`
## 4. States
\`\`\`yaml
Loan:
  field: status
  states: [lent, back]
  transitions: { give_back: { from: lent, to: back, by: staff } }
  remind:
    due_soon: { on: due - notice, when: status == lent, notify: borrower, text: "{thing} is due on {due}." }
    late: { on: due + 1 day, when: status == lent, notify: borrower, text: "{thing} was due on {due}." }
    meeting: { on: meets - 2 hours, notify: borrower, text: "{thing} at {meets}." }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { staff: { members: signed in } }
permissions: { Loan: { read: staff, create: staff, update: staff, delete: staff } }
\`\`\`
## 9. Limits
\`\`\`yaml
notice: 1 day
\`\`\`
`;

const setUp = async (written = text) => {
  const served = await serveText(written);
  const ada = await served.person("Ada", []);
  const refused: RefusedTransition<{ readonly code: string }>[] = [];
  const startTimers = () => new Timers<{ readonly code: string }>((what) => void refused.push(what));
  const timers = startTimers();
  const run = (time: string, by = timers) => by.run(served.opened.service, new Date(time));
  await run("2031-03-01T12:00:00Z");
  const told = async (): Promise<readonly string[]> => {
    const { rows } = await served.database.query("select text from ninefold.notification order by at, text");
    return rows.map((row) => String(row.text));
  };
  /** The notifications up to a time. */
  const at = async (time: string, by = timers): Promise<readonly string[]> => {
    const before = (await told()).length;
    await run(time, by);
    return (await told()).slice(before);
  };
  const lend = async (record: object) => (await ada.post("/api/loans", record)).record().id;
  return { served, ada, at, lend, told, run, startTimers, refused };
};

test("a reminder is sent once, in the morning of its day, and again if the day changes", async () => {
  const { ada, at, lend } = await setUp();
  const drill = await lend({ thing: "Drill", due: "2031-03-05" });
  expect(await at("2031-03-04T07:00:09Z")).toEqual([]);
  expect(await at("2031-03-04T07:00:11Z")).toEqual(["Drill is due on 5 Mar 2031."]);
  expect(await at("2031-03-04T07:00:13Z")).toEqual([]);
  await ada.patch(`/api/loans/${drill}`, { due: "2031-03-09" });
  expect(await at("2031-03-06T12:00:00Z")).toEqual([]);
  expect(await at("2031-03-08T12:00:00Z")).toEqual(["Drill is due on 9 Mar 2031."]);
  await ada.post(`/api/loans/${drill}/give_back`, {});
  expect(await at("2031-03-12T12:00:00Z")).toEqual([]);
});

test("the morning is that of the time zone, also when clocks change", async () => {
  const { at, lend } = await setUp();
  await lend({ thing: "Drill", due: "2031-03-31" });
  // In Berlin, summer time begins on this day.
  expect(await at("2031-03-30T05:59:00Z")).toEqual([]);
  expect(await at("2031-03-30T06:00:10Z")).toEqual(["Drill is due on 31 Mar 2031."]);
});

test("a datetime has its own moment", async () => {
  const { at, lend } = await setUp();
  await lend({ thing: "Room", meets: "2031-03-02T15:30:00Z" });
  expect(await at("2031-03-02T13:30:09Z")).toEqual([]);
  expect(await at("2031-03-02T13:30:10Z")).toEqual(["Room at 2 Mar 2031, 16:30."]);
  expect(await at("2031-03-02T13:31:00Z")).toEqual([]);
});

test("a record that is written before its moment and committed after it is reminded", async () => {
  const { served, at, lend } = await setUp();
  const room = await lend({ thing: "Room", meets: "2031-03-09T15:30:00Z" });
  await served.database.onOne(async (client) => {
    await client.query("begin");
    await client.query("update app.loan set meets = '2031-03-02T15:30:00Z' where id = $1", [room]);
    expect(await at("2031-03-02T13:30:02Z")).toEqual([]);
    await client.query("commit");
  });
  expect(await at("2031-03-02T13:30:12Z")).toEqual(["Room at 2 Mar 2031, 16:30."]);
  expect(await at("2031-03-02T13:31:12Z")).toEqual([]);
});

test("what does not meet the condition at the moment is not reminded later, and neither is a moment in the past", async () => {
  const { ada, at, lend, served } = await setUp();
  const drill = await lend({ thing: "Drill", due: "2031-03-05" });
  await ada.post(`/api/loans/${drill}/give_back`, {});
  expect(await at("2031-03-04T12:00:00Z")).toEqual([]);
  await served.database.query("update app.loan set status = 'lent'");
  await lend({ thing: "Saw", due: "2031-03-05" });
  expect(await at("2031-03-05T06:59:00Z")).toEqual([]);
  // Moved to a day whose moment was handled, and back.
  await ada.patch(`/api/loans/${drill}`, { due: "2031-03-08" });
  expect(await at("2031-03-07T07:00:10Z")).toEqual(["Drill is due on 8 Mar 2031.", "Saw was due on 5 Mar 2031."]);
  await ada.patch(`/api/loans/${drill}`, { due: "2031-03-09" });
  await ada.patch(`/api/loans/${drill}`, { due: "2031-03-08" });
  expect(await at("2031-03-08T12:00:00Z")).toEqual([]);
});

test("deleted records are not reminded", async () => {
  const { ada, at, lend } = await setUp();
  await ada.delete(`/api/loans/${await lend({ thing: "Drill", due: "2031-03-05" })}`);
  expect(await at("2031-03-04T12:00:00Z")).toEqual([]);
});

test("after the program stood still, a week is caught up with", async () => {
  const { at, lend } = await setUp();
  await lend({ thing: "Old", due: "2031-03-03" });
  await lend({ thing: "Drill", due: "2031-03-10" });
  await lend({ thing: "Saw", due: "2031-03-14" });
  expect(await at("2031-03-15T12:00:00Z")).toEqual([
    "Drill is due on 10 Mar 2031.",
    "Drill was due on 10 Mar 2031.",
    "Saw is due on 14 Mar 2031.",
    "Saw was due on 14 Mar 2031.",
  ]);
  expect(await at("2031-03-15T12:01:00Z")).toEqual([]);
});

test("a mail says what its reader can read when it is written, in their language", async () => {
  const secretive = text
    .replace("    thing: text\n", "    thing: text\n    secret: text?\n")
    .replace('"{thing} is due on {due}."', '"{thing} is due on {due}, {secret}."')
    .replace(
      "timezone: Europe/Berlin",
      'timezone: Europe/Berlin\ntranslations: { de: { "{thing} is due on {due}, {secret}.": "{thing} ist am {due} fällig, {secret}." } }',
    )
    .replace("Loan: { read: staff,", "Loan: { read: { role: staff, fields: [thing, borrower, due, status] },");
  const { served, ada, run } = await setUp(secretive);
  await ada.post("/_/preferences", { language: "de" });
  await ada.post("/api/loans", { thing: "Drill", due: "2031-03-05", secret: "hush" });
  await run("2031-03-04T07:00:10Z");
  await mailNotifications(served.opened.service, "https://desk.example.com", new Date("2031-03-04T07:00:12Z"));
  const { rows } = await served.database.query("select text from ninefold.mail");
  expect(rows).toHaveLength(1);
  expect(rows[0]?.text).toMatch(/^Drill ist am 5\. März 2031 fällig, …\./mu);
});

test("a channel gets the message in place of people", async () => {
  const toRoom = text
    .replace('notify: borrower, text: "{thing} at {meets}."', 'call: room, text: "{thing} at {meets}."')
    .replace(
      "## 9. Limits",
      "## 7. Calls\n```yaml\noutgoing: { room: { slack: APP_ROOM, readers: staff } }\n```\n## 9. Limits",
    );
  const { served, at, lend } = await setUp(toRoom);
  await lend({ thing: "Room", meets: "2031-03-02T15:30:00Z" });
  expect(await at("2031-03-02T13:30:10Z")).toEqual([]);
  await at("2031-03-02T13:31:00Z");
  const { rows } = await served.database.query("select call, clause, payload ->> 'text' as text from ninefold.outbox");
  expect(rows).toEqual([{ call: "room", clause: "4.Loan.remind.meeting", text: "Room at 2 Mar 2031, 16:30." }]);
});

test("several servers remind of many records once each", async () => {
  const { served, told, run, startTimers } = await setUp();
  await served.database.query(
    `insert into app.loan (id, version, created_at, updated_at, state_since, status, thing, borrower, due)
     select uuidv7(), 1, now(), now(), now(), 'lent', 'Thing ' || n, (select id from app."user" where name = 'Ada'), '2031-03-05'
     from generate_series(1, 250) n`,
  );
  const servers = Array.from({ length: 4 }, startTimers);
  for (const second of [11, 13, 15])
    await Promise.all(servers.map((server) => run(`2031-03-04T07:00:${second}Z`, server)));
  const all = await told();
  expect(new Set(all).size).toBe(250);
  expect(all).toHaveLength(250);
});

test("a server that ends in the middle leaves the rest to the next one", async () => {
  const { served, told, run, startTimers } = await setUp();
  await served.database.query(
    `insert into app.loan (id, version, created_at, updated_at, state_since, status, thing, borrower, due)
     select uuidv7(), 1, now(), now(), now(), 'lent', 'Thing ' || n, (select id from app."user" where name = 'Ada'), '2031-03-05'
     from generate_series(1, 120) n`,
  );
  await served.database.query(
    `create function app.stop_once() returns trigger language plpgsql as
       $$ begin if new.text = 'Thing 110 is due on 5 Mar 2031.' then raise exception 'stopped' using errcode = '57P01'; end if; return new; end $$;
     create trigger stop_once before insert on ninefold.notification for each row execute function app.stop_once()`,
  );
  await expect(run("2031-03-04T07:00:11Z", startTimers())).rejects.toThrow();
  expect(await told()).toHaveLength(100);
  await served.database.query("drop trigger stop_once on ninefold.notification");
  await run("2031-03-04T07:00:15Z", startTimers());
  expect(new Set(await told()).size).toBe(120);
  expect(await told()).toHaveLength(120);
});

test("a record that cannot be reminded is reported, and does not stop the others", async () => {
  const { served, at, lend, refused } = await setUp();
  for (const thing of ["Axe", "Bad", "Cup"]) await lend({ thing, due: "2031-03-05" });
  await served.database.query(`alter table ninefold.notification add constraint not_bad check (text not like 'Bad%')`);
  expect(await at("2031-03-04T12:00:00Z")).toEqual(["Axe is due on 5 Mar 2031.", "Cup is due on 5 Mar 2031."]);
  expect(refused.map(({ transition, clause, until }) => [transition, clause, until])).toEqual([
    ["remind.due_soon", "4.Loan.remind.due_soon", null],
  ]);
  expect(await at("2031-03-04T12:05:00Z")).toEqual([]);
});

describe("with a new version of the document", () => {
  const withoutReminders = text.replace(/ {2}remind:\n(?: {4}.*\n)+/u, "");
  const renamed = text.replaceAll("Loan:", "Lending:").replace('  label: "{thing}"', '  was: Loan\n  label: "{thing}"');

  /** Serves versions one after another, and runs the timers of each once. */
  const play = async (versions: readonly (readonly [string, string])[]) => {
    const database = await createDatabase();
    const told: (readonly string[])[] = [];
    for (const [nth, [version, time]] of versions.entries()) {
      const served = await serveText(version, { database });
      if (nth === 0) {
        const ada = await served.person("Ada", []);
        for (const day of [4, 5, 6, 7, 8])
          await ada.post("/api/loans", { thing: `Due on ${day}`, due: `2031-03-0${day}` });
      }
      await database.query("delete from ninefold.notification");
      await new Timers(() => undefined).run(served.opened.service, new Date(time));
      const { rows } = await database.query("select text from ninefold.notification order by text");
      told.push(rows.map((row) => String(row.text).split(" is ")[0] ?? ""));
      await served.stop();
    }
    await database.end();
    return told;
  };

  test("a reminder that is new reminds of no moment before it", async () => {
    const versions = [
      [withoutReminders, "2031-03-05T12:00:00Z"],
      [text, "2031-03-05T12:00:00Z"],
      [text, "2031-03-06T12:00:00Z"],
    ] as const;
    expect(await play(versions)).toEqual([[], [], ["Due on 7", "Due on 5 was due on 5 Mar 2031."].toSorted()]);
  });

  test("one that was removed for a time does not catch up, and another time of one that exists counts from then on", async () => {
    const earlier = text.replace("notice: 1 day", "notice: 3 days");
    expect(
      await play([
        [text, "2031-03-02T12:00:00Z"],
        [withoutReminders, "2031-03-02T12:01:00Z"],
        [text, "2031-03-05T06:00:00Z"],
        [earlier, "2031-03-05T06:01:00Z"],
        [earlier, "2031-03-05T07:01:00Z"],
      ]),
    ).toEqual([[], [], [], [], ["Due on 4 was due on 4 Mar 2031.", "Due on 8"]]);
  });

  test("those of a renamed entity go on", async () => {
    expect(
      await play([
        [text, "2031-03-03T12:00:00Z"],
        [renamed, "2031-03-04T12:00:00Z"],
      ]),
    ).toEqual([[], ["Due on 5"]]);
  });
});

test.each([
  ["due_soon", "loan__by_due_reminder"],
  ["meeting", "loan__by_meets_reminder"],
])("an index finds the records of %s", async (name, index) => {
  const { served } = await setUp();
  await served.database.query(
    `insert into app.loan (id, version, created_at, updated_at, state_since, status, thing, due, meets, borrower)
     select uuidv7(), 1, now(), now(), now(), 'lent', 'Thing', date '2020-01-01' + n % 7000, timestamptz '2020-01-01' + n * interval '2 hours',
       (select id from app."user" where name = 'Ada')
     from generate_series(1, 50000) n`,
  );
  await served.database.query("analyze app.loan");
  const { service } = served.opened;
  const now = new Date("2031-03-02T12:00:00Z");
  const [due] = listDueReminders(service.model, now).filter(({ reminder }) => reminder.name === name);
  if (due === undefined) throw new Error(`no reminder ${name}`);
  const plans: string[] = [];
  await service.follow((tx) => explained(due.handle({ limit: 100, skips: false }, () => undefined)(tx)), now);
  /** Asks for the plan of the statement that looks for the records. */
  function* explained<T>(steps: Steps<T>): Steps<T> {
    let next = steps.next();
    while (next.done !== true) {
      const [query] = next.value;
      if (query?.text.includes('AS "due" WHERE') === true) {
        const [rows = []] = yield [
          { name: `plan ${name}`, text: `explain (analyze, costs off) ${query.text}`, values: query.values },
        ];
        plans.push(rows.map((row) => String(row["QUERY PLAN"])).join("\n"));
      }
      next = steps.next(yield next.value);
    }
    return next.value;
  }
  expect(plans).toHaveLength(1);
  expect(plans[0]).toContain(index);
  const [, removed = "0"] = /Rows Removed by Filter: (\d+)/u.exec(plans[0] ?? "") ?? [];
  expect(Number(removed)).toBeLessThan(200);
});
