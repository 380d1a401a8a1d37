import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { plan } from "../../src/cli/change/plan.ts";
import type { Principal } from "../../src/core/derive/authorization/grants.ts";
import type { ReplayedActs } from "../../src/core/wire/authoring/replay.ts";
import { connect } from "../../src/postgres/database.ts";
import { DOCUMENT_LOCK } from "../../src/postgres/schema/system-tables.ts";
import { countFigures } from "../../src/server/authoring/count-figures.ts";
import { withReadableExamples } from "../../src/server/authoring/readable-examples.ts";
import { replayActs } from "../../src/server/authoring/replay-acts.ts";
import { compiled, scratch, serveText } from "../app/program.ts";
import { database } from "../postgres.ts";

/** Checks the acts of a database under a draft, and ends the connection. */
const replayOn = async (
  url: string,
  before: string,
  after: string,
  days = 366,
  most?: number,
): Promise<ReplayedActs> => {
  const owner = connect({ connection: url, max: 1 });
  try {
    return await replayActs(owner, compiled(before).model, compiled(after).model, {
      days,
      ...(most === undefined ? {} : { most }),
    });
  } finally {
    await owner.end();
  }
};

const desk = `# Desk

## 3. Entities and their fields
\`\`\`yaml
Team:
  fields:
    name: { type: text, max: 80 }
    left: { type: integer }
Request:
  fields:
    title:    { type: text, max: 80 }
    days:     { type: integer, min: 1 }
    kind:     { type: choice, values: [trip, course] }
    note:     text?
    team:     { type: Team }
    employee: { type: User, set: user }
\`\`\`

## 4. States
\`\`\`yaml
Request:
  field: status
  initial: draft
  final: [granted]
  states: [draft, submitted, granted]
  transitions:
    submit: { from: draft, to: submitted, by: staff }
    grant:  { from: submitted, to: granted, by: lead }
  after:
    grant:
      - { notify: employee, text: "Granted." }
\`\`\`

## 5. Rules
\`\`\`yaml
Request:
  - { rule: "days <= 40", else: TOO_LONG }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  staff: granted
  lead: granted
permissions:
  User: { read: [staff, lead] }
  Team: { read: [staff, lead], create: [lead], update: [lead] }
  Request:
    read: [staff, lead]
    create: [staff]
    update: [staff]
    delete: [staff]
\`\`\`
`;

const edited = (text: string, ...changes: readonly (readonly [old: string, now: string])[]): string =>
  changes.reduce((known, [old, now]) => {
    expect(known).toContain(old);
    return known.replace(old, now);
  }, text);

describe("acts of a desk", async () => {
  const store = await database();
  const served = await serveText(desk, { database: store });
  const staff = await served.person("Sam Staff", ["staff"]);
  const lead = await served.person("Lea Lead", ["lead"]);
  const team = (await lead.post("/api/teams", { name: "North", left: 30 })).record().id;
  const ids: string[] = [];
  // Ten requests of 1 to 10 days; the odd ones are courses, and every third has a note.
  for (let days = 1; days <= 10; days++) {
    const kind = days % 2 === 0 ? "trip" : "course";
    const body = { title: `Request ${days}`, days, kind, team, ...(days % 3 === 0 ? { note: "Urgent" } : {}) };
    ids.push((await staff.post("/api/requests", body)).record().id);
  }
  for (const id of ids.slice(0, 6)) await staff.post(`/api/requests/${id}/submit`);
  for (const id of ids.slice(0, 4)) await lead.post(`/api/requests/${id}/grant`);
  for (const id of ids.slice(8)) await staff.patch(`/api/requests/${id}`, { days: 20 });
  const admin = await served.person("Ada Admin", ["administrator"]);
  for (const act of ["grant", "take"]) await admin.post(`/_/people/${staff.id}/${act}`, { role: "lead" });
  await staff.delete(`/api/requests/${ids[7]}`);
  // Refused: the employee may not grant, and the first request is granted already.
  await staff.post(`/api/requests/${ids[4]}/grant`);
  await lead.post(`/api/requests/${ids[0]}/grant`);
  await lead.post("/api/requests", { title: "Mine", days: 1, kind: "trip", team });
  await served.stop();
  const acts = 1 + 10 + 6 + 4 + 2 + 1;
  const countsOf = (counts: ReplayedActs["refused"]): Readonly<Record<string, number>> =>
    Object.fromEntries(counts.map((count) => [`${count.clause} ${count.code}`, count.acts]));
  const replay = (...changes: readonly (readonly [old: string, now: string])[]) =>
    replayOn(store.url, desk, edited(desk, ...changes));

  test("nothing differs under the same version", async () => {
    expect(await replayOn(store.url, desk, desk)).toMatchObject({ acts, refused: [], allowed: [], left: [] });
  });

  const cases: readonly (readonly [
    what: string,
    changes: readonly (readonly [string, string])[],
    refused: Readonly<Record<string, number>>,
  ])[] = [
    ["a tighter rule", [["days <= 40", "days <= 15"]], { "5.Request.TOO_LONG TOO_LONG": 2 }],
    [
      "a rule at one transition",
      [["else: TOO_LONG }", 'else: TOO_LONG }\n  - { rule: "days <= 3", during: grant, else: TOO_LARGE }']],
      { "5.Request.TOO_LARGE TOO_LARGE": 1 },
    ],
    [
      "a rule over other records",
      [
        [
          "else: TOO_LONG }",
          'else: TOO_LONG }\n  - { rule: "Request.filter(r, r.employee == employee && r.status != draft).map(r, r.days).sum() <= 10", during: submit, else: TAKEN }',
        ],
      ],
      { "5.Request.TAKEN TAKEN": 2 },
    ],
    ["a bound", [["min: 1", "min: 4"]], { "3.Request.days TOO_SMALL": 3 }],
    [
      "a shorter text",
      [["title:    { type: text, max: 80 }", "title:    { type: text, max: 9 }"]],
      { "3.Request.title TOO_LONG": 1 },
    ],
    [
      "a required field",
      [["note:     text?", "note:     { type: text, fill: \"'none'\" }"]],
      { "3.Request.note REQUIRED": 7 },
    ],
    [
      "a new required field",
      [["note:     text?", "note:     text?\n    reason:   { type: text, fill: \"'none'\" }"]],
      { "3.Request.reason REQUIRED": 10 },
    ],
    [
      "a conditional required field",
      [["note:     text?", 'note:     { type: text?, required: "days > 8" }']],
      { "3.Request.note REQUIRED": 2 },
    ],
    ["a unique field", [["note:     text?", "note:     { type: text?, unique: true }"]], { "3.Request.note TAKEN": 2 }],
    ["a value that goes", [["values: [trip, course]", "values: [trip]"]], { "3.Request.kind NOT_A_CHOICE": 5 }],
    ["a permission", [["update: [staff]", "update: [lead]"]], { "6.Request.update FORBIDDEN": 2 }],
    [
      "a permission on records",
      [["delete: [staff]", 'delete: [{ role: staff, when: "days > 8" }]']],
      { "6.Request.delete FORBIDDEN": 1 },
    ],
    [
      "a permission by field",
      [["update: [staff]", "update: [{ role: staff, fields: [title] }]"]],
      { "6.Request.update NOT_YOURS_TO_WRITE": 2 },
    ],
    [
      "a role of a transition",
      [["to: granted, by: lead", "to: granted, by: staff"]],
      { "4.Request.grant FORBIDDEN": 4 },
    ],
    [
      "a guard",
      [["to: submitted, by: staff", 'to: submitted, by: staff, when: "days < 5"']],
      { "4.Request.submit GUARD": 2 },
    ],
    [
      "a question of a transition",
      [["to: submitted, by: staff", "to: submitted, by: staff, asks: [note]"]],
      { "4.Request.submit REQUIRED": 4 },
    ],
    [
      "a state from which a transition leads",
      [["{ from: submitted, to: granted", "{ from: draft, to: granted"]],
      { "4.Request.grant WRONG_STATE": 4 },
    ],
    [
      "a reference that cannot be read",
      [["Team: { read: [staff, lead]", "Team: { read: [lead]"]],
      { "3.Request.team NO_SUCH_REFERENCE": 10 },
    ],
    [
      "records that cannot be read",
      [["Request:\n    read: [staff, lead]", "Request:\n    read: [lead]"]],
      { "6.Request.read NOT_FOUND": 9 },
    ],
  ];
  test.each(cases)("%s refuses exactly the acts that break it", async (_, changes, refused) => {
    const found = await replay(...changes);
    expect(countsOf(found.refused)).toEqual(refused);
    expect(found).toMatchObject({ acts, cut: null, left: [] });
  });

  const types: readonly (readonly [type: string, options: string, fill: string])[] = [
    ["integer", "", "0"],
    ["decimal", "", "0"],
    ["money", "", "0"],
    ["boolean", "", "false"],
    ["date", "", "today"],
    ["time", "", "time('08:00')"],
    ["datetime", "", "now"],
    ["choice", ", values: [high, low]", "low"],
    ["Team", "", "Team.one(t, t.name == 'North')"],
  ];
  test.each(types)("an act whose text is no %s is not known to be allowed", async (type, options, fill) => {
    const tight = ["days <= 40", "days <= 15"] as const;
    const required = `title:    { type: ${type}${options}, fill: "${fill}" }`;
    const found = await replay(["title:    { type: text, max: 80 }", required], tight);
    expect(countsOf(found.refused)).toEqual({ "5.Request.TOO_LONG TOO_LONG": 2 });
    expect(found).toMatchObject({ acts, cut: null, left: [{ why: "changed type", reads: "Request.title", acts: 10 }] });
    const optional = `note:     { type: ${type}${type === "boolean" ? "" : "?"}${options} }`;
    expect(await replay(["note:     text?", optional])).toMatchObject({ acts, refused: [], left: [{ acts: 3 }] });
  });

  test("a change that is not checked says which past value is missing", async () => {
    const rule = (condition: string) =>
      edited(desk, [
        "else: TOO_LONG }",
        `else: TOO_LONG }\n  - { rule: "${condition}", during: submit, else: TOO_LARGE }`,
      ]);
    const left = async (condition: string, records?: number) => {
      const owner = connect({ connection: store.url, max: 1 });
      const versions = [desk, rule(condition)].map((text) => compiled(text).model);
      const [before, after] = versions;
      if (before === undefined || after === undefined) throw new Error("no models");
      const found = await replayActs(owner, before, after, records === undefined ? {} : { records }).finally(() =>
        owner.end(),
      );
      return found.left.map(({ why, clause, reads }) => [why, clause, reads]);
    };
    const all = "Request.filter(r, r.employee == employee).map(r, r.days).sum() <= 1000";
    expect(await left(all)).toEqual([]);
    expect(await left(all, 6)).toEqual([["many records", "5.Request.TOO_LARGE", "Request"]]);
    expect(await left("updated_at <= now")).toEqual([["no history", "5.Request.TOO_LARGE", "Request.updated_at"]]);
  });

  test("whole numbers that become texts are decided", async () => {
    const text = ["days:     { type: integer, min: 1 }", "days:     { type: text }"] as const;
    const rule = ["days <= 40", "days != '20'"] as const;
    expect(await replay(text, rule)).toMatchObject({ acts, cut: null });
    const none = ["days <= 40", "title != note"] as const;
    expect(await replay(text, none)).toMatchObject({ acts, refused: [], left: [] });
  });

  test("of each kind the newest acts are checked, as if all were, and the rest is counted", async () => {
    const { rows: newest } = await store.query(
      `select entity, action, record from (
         select *, row_number() over (partition by entity, action order by id desc) as n from ninefold.audit) lines where n <= 2`,
    );
    const isNewest = ({ entity, record, action }: ReplayedActs["refused"][number]["examples"][number]): boolean =>
      newest.some((line) => line.entity === entity && line.record === record && line.action === action);
    const refusedIn = ({ refused }: ReplayedActs) =>
      refused.flatMap(({ clause, examples }) =>
        examples.filter(isNewest).map(({ record, action, at }) => `${clause} ${action} ${record} ${at}`),
      );
    for (const [what, changes] of cases) {
      const draft = edited(desk, ...changes);
      const all = await replayOn(store.url, desk, draft);
      const some = await replayOn(store.url, desk, draft, 366, 2);
      expect(refusedIn(some).toSorted(), what).toEqual(refusedIn(all).toSorted());
      expect(some, what).toMatchObject({ acts: 10, left: [], cut: { by: "acts", seconds: 20 } });
      expect(some.kinds).toEqual([
        { entity: "Request", action: "create", judged: 2, changes: 10 },
        { entity: "Request", action: "submit", judged: 2, changes: 6 },
        { entity: "Request", action: "grant", judged: 2, changes: 4 },
        { entity: "User", action: "create", judged: 2, changes: 3 },
      ]);
      expect(all.kinds).toEqual([]);
    }
  });

  test("rare acts are checked behind thousands of frequent ones, with the records of their time", async () => {
    await store.rest();
    const copy = await database(store);
    const rule =
      'else: TOO_LONG }\n  - { rule: "days <= 3 && team.left <= 30", during: [submit, grant], else: TOO_LARGE }';
    const after = edited(desk, ["else: TOO_LONG }", rule]);
    // The newest lines are about the tenth request; older ones changed others that no checked act mentions.
    await copy.query(`update app.request set days = 20 where id = any ($1)`, [ids.slice(0, 3)]);
    await copy.query(`update app.team set "left" = 99`);
    const add = (entity: string, record: unknown, field: string, from: number, to: number, count: number) =>
      copy.query(
        `insert into ninefold.audit (at, person, entity, record, action, clause, document, changes)
         select now() + n * interval '1 millisecond', $1, $2, $3, 'update', '6.Request.update', 1, jsonb_build_object($4::text, jsonb_build_array($5::int, $6::int))
         from generate_series(1, $7) n`,
        [staff.id, entity, record, field, from, to, count],
      );
    for (const [i, id] of ids.slice(0, 3).entries()) await add("Request", id, "days", i + 1, 20, 1);
    await add("Team", team, "left", 30, 99, 1);
    await add("Request", ids[9], "days", 20, 20, 2_000);
    await add("Request", ids[8], "days", 20, 20, 2_000);
    const found = await replayOn(copy.url, desk, after, 366, 10);
    // The fourth request has four days; the fifth and the sixth were only submitted.
    expect(countsOf(found.refused)).toEqual({ "5.Request.TOO_LARGE TOO_LARGE": 4 });
    expect(found.kinds).toEqual([{ entity: "Request", action: "update", judged: 10, changes: 4_005 }]);
    await copy.end();
  });

  test("examples name record, act and moment, and say if the record is gone", async () => {
    const { refused } = await replay(["delete: [staff]", "delete: [lead]"]);
    expect(refused).toEqual([
      {
        clause: "6.Request.delete",
        code: "FORBIDDEN",
        message: null,
        acts: 1,
        examples: [{ at: expect.any(String), entity: "Request", record: ids[7], action: "delete", isGone: true }],
      },
    ]);
  });

  test("refused requests are checked by permission and state", async () => {
    const found = await replay(
      ["to: granted, by: lead", "to: granted, by: [staff, lead]"],
      ["create: [staff]", "create: [staff, lead]"],
    );
    expect(found).toMatchObject({ refusals: 3, refused: [] });
    expect(countsOf(found.allowed)).toEqual({ "4.Request.grant FORBIDDEN": 1, "6.Request.create FORBIDDEN": 1 });
  });

  test("effects that would have turned out differently are counted", async () => {
    const found = await replay(['text: "Granted." }', 'text: "Granted.", when: "days > 2" }']);
    expect(countsOf(found.effects)).toEqual({ "4.Request.after.grant.1 EFFECT": 2 });
    expect(found.refused).toEqual([]);
  });

  test("renamed and removed things are found under their names of the time", async () => {
    const second = edited(
      desk,
      ["Request:\n  fields:", "Application:\n  was: Request\n  fields:"],
      ["days:     { type: integer", "length:   { type: integer, was: days"],
      ["values: [trip, course]", "values: [trip, { training: { was: course } }]"],
      ["\nRequest:\n  field: status", "\nApplication:\n  field: status"],
      ["    submit: { from", "    hand_in: { was: submit, from"],
      ['Request:\n  - { rule: "days', 'Application:\n  - { rule: "length'],
      ["  Request:\n    read", "  Application:\n    read"],
    );
    // As a draft, and in force with a draft of its own.
    const tight = edited(second, ["length <= 40", "length <= 15"]);
    expect(countsOf((await replayOn(store.url, desk, tight)).refused)).toEqual({
      "5.Application.TOO_LONG TOO_LONG": 2,
    });
    await store.rest();
    const copy = await database(store);
    const later = await serveText(second, { database: copy });
    const person = await later.person("Una", ["staff"]);
    const body = { title: "Later", length: 30, kind: "training", team };
    const id = (await person.post("/api/applications", body)).record().id;
    await person.post(`/api/applications/${id}/hand_in`);
    await later.stop();
    const plain = second
      .replaceAll(/was: \w+, /gu, "")
      .replace(", was: days", "")
      .replace("{ training: { was: course } }", "training")
      .replace("  was: Request\n", "");
    expect(await replayOn(copy.url, second, plain)).toMatchObject({ acts: acts + 2, refused: [], left: [] });
    const found = await replayOn(
      copy.url,
      second,
      edited(
        plain,
        ["length <= 40", "length <= 15"],
        ["    note:     text?\n", ""],
        ["to: submitted, by: staff", 'to: submitted, by: staff, when: "kind == trip"'],
      ),
    );
    expect(countsOf(found.refused)).toEqual({
      "5.Application.TOO_LONG TOO_LONG": 3,
      "4.Application.hand_in GUARD": 4,
    });
    // Nothing is known of their records and their person.
    await copy.query(`delete from app.application where id = $1`, [id]);
    await copy.query(`delete from app."user" where id = $1`, [person.id]);
    expect(await replayOn(copy.url, second, plain)).toMatchObject({
      acts,
      refused: [],
      left: [
        { why: "person", clause: null, reads: null, acts: 1 },
        { why: "record", clause: null, reads: null, acts: 1 },
      ],
    });
    await copy.end();
  });

  test("a removed entity or transition refuses its acts by the clause that had it", async () => {
    const found = await replay(
      ["    grant:  { from: submitted, to: granted, by: lead }\n", ""],
      ['  after:\n    grant:\n      - { notify: employee, text: "Granted." }\n', ""],
    );
    expect(countsOf(found.refused)).toEqual({ "4.Request.grant NO_SUCH_CALL": 4 });
  });

  test("the plan of the command line has the replay, with the line of each clause", async () => {
    const file = join(await scratch(), "desk.md");
    await writeFile(file, edited(desk, ["days <= 40", "days <= 15"]));
    const printed = async (...args: readonly string[]): Promise<string> => {
      const written: string[] = [];
      const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => written.push(String(text)) > 0);
      await plan([file, "--database", store.url, ...args]).finally(() => write.mockRestore());
      return written.join("");
    };
    const text = await printed();
    expect(text).toMatch(/\n {6}Today: 2 records, such as [0-9a-f-]{36}\n/u);
    expect(text).toContain(
      "Replay\n  Of 24 changes that people made in the last 30 days, 2 would have been refused:\n",
    );
    expect(text).toMatch(
      /\n {4}2 by 5\.Request\.TOO_LONG \(line 37\)\n {6}Request [0-9a-f-]{36} update, \d{4}-\d\d-\d\d \d\d:\d\d; /u,
    );
    expect(JSON.parse(await printed("--json", "--days", "7"))).toMatchObject({ replay: { days: 7, acts } });
    expect(JSON.parse(await printed("--json", "--days", "0"))).not.toHaveProperty("replay");
    await expect(printed("--days", "400")).rejects.toMatchObject({ exit: 2 });
  });

  test("a command that waits for a publication in vain says so, and not that the database is away", async () => {
    const file = join(await scratch(), "locked.md");
    await writeFile(file, edited(desk, ["days <= 40", "days <= 15"]));
    const owner = connect({ connection: store.url, max: 1 });
    try {
      await owner.transaction(async (query) => {
        await query({ text: "select pg_advisory_xact_lock($1)", values: [DOCUMENT_LOCK] });
        await expect(plan([file, "--database", store.url])).rejects.toMatchObject({
          exit: 5,
          message:
            "The database took too long, and the command was cancelled: canceling statement due to lock timeout.",
          hint: "Perhaps somebody else is publishing a version. Run the command again in a moment.",
        });
      });
    } finally {
      await owner.end();
    }
  });

  test("an author gets links only to records that they can read, and every count", async () => {
    const hidden = edited(desk, [
      "Request:\n    read: [staff, lead]",
      'Request:\n    read: [{ role: staff, when: "days > 9" }, lead]',
    ]);
    const owner = connect({ connection: store.url, max: 1 });
    const author = { id: staff.id, granted: new Set(["administrator", "staff"]) };
    try {
      const [before, after] = [desk, edited(desk, ["min: 1", "min: 30"])].map((text) => compiled(text).model);
      if (before === undefined || after === undefined) throw new Error("no models");
      const now = new Date();
      const replay = await replayActs(owner, before, after, { now });
      const counts = [["3.Request.days", 12, 12]];
      const seen = async (text: string, principal: Principal = author) =>
        (await withReadableExamples(owner, compiled(text).model, replay, principal, now)).refused.map((replayCount) => [
          replayCount.clause,
          replayCount.acts,
          replayCount.examples.length,
        ]);
      expect(await seen(desk)).toEqual(counts);
      // The tenth request and the ninth have 20 days now: four acts.
      expect(await seen(hidden)).toEqual([["3.Request.days", 12, 4]]);
      expect(await seen(hidden, { id: lead.id, granted: new Set(["administrator"]) })).toEqual([
        ["3.Request.days", 12, 0],
      ]);
      // A draft can ask for any value: the examples would tell one that the author cannot read.
      const masked = edited(desk, [
        "Request:\n    read: [staff, lead]",
        "Request:\n    read: [{ role: staff, except: days }, lead]",
      ]);
      expect(await seen(masked)).toEqual([["3.Request.days", 12, 0]]);
    } finally {
      await owner.end();
    }
  });

  const figuresIn = async (before: string, after: string, author: Principal | null) => {
    const owner = connect({ connection: store.url, max: 1 });
    try {
      const lines = await countFigures(owner, compiled(before).model, compiled(after).model, author, new Date());
      for (const { figures } of lines) {
        expect(figures?.ids.length ?? 0).toBe(Math.min(figures?.records ?? 0, 20));
        expect(figures?.example ?? null).toBe(figures?.ids[0] ?? null);
      }
      return lines.map(({ subject, figures }) => [
        subject,
        figures?.records ?? null,
        figures?.people ?? null,
        ...(figures?.role == null ? [] : [figures.role]),
      ]);
    } finally {
      await owner.end();
    }
  };
  const figures: readonly (readonly [string, readonly [string, string], readonly unknown[]])[] = [
    ["a rule: the records that break it", ["days <= 40", "days <= 15"], ["Request.TOO_LONG", 2, null]],
    [
      "a permission on records",
      ["delete: [staff]", 'delete: [{ role: staff, when: "days > 8" }]'],
      ["Request.delete", 7, 1, "staff"],
    ],
    ["a permission as a whole", ["update: [staff]", "update: [lead]"], ["Request.update", 9, 1, "staff"]],
    [
      "a guard",
      ["to: submitted, by: staff", 'to: submitted, by: staff, when: "days < 5"'],
      ["Request.submit", 5, null],
    ],
    [
      "a permission of each person",
      ["delete: [staff]", 'delete: [{ role: staff, when: "employee == user" }]'],
      ["Request.delete", null, 1, "staff"],
    ],
    [
      "the creation of records that are not there yet",
      ["create: [staff]", "create: []"],
      ["Request.create", null, 1, "staff"],
    ],
  ];
  test.each(figures)("figures of %s", async (_, change, line) => {
    expect(await figuresIn(desk, edited(desk, change), null)).toContainEqual(line);
  });

  test("figures contain only what their author can read", async () => {
    const change = ["delete: [staff]", 'delete: [{ role: staff, when: "days > 8" }]'] as const;
    const hidden = edited(desk, [
      "Request:\n    read: [staff, lead]",
      'Request:\n    read: [{ role: staff, when: "days > 2" }, { role: lead, fields: [title] }]',
    ]);
    const of = (...roles: readonly string[]) =>
      figuresIn(hidden, edited(hidden, change), { id: staff.id, granted: new Set(["administrator", ...roles]) });
    expect(await of("staff")).toEqual([["Request.delete", 5, 1, "staff"]]);
    // The lead reads no days, and an administrator without a role reads no request.
    expect(await of("lead")).toEqual([["Request.delete", null, 1, "staff"]]);
    expect(await of()).toEqual([["Request.delete", null, 1, "staff"]]);
  });

  test("the replay covers only the given days", async () => {
    expect(await replayOn(store.url, desk, desk, 0)).toMatchObject({ acts: 0, days: 0 });
  });
});
