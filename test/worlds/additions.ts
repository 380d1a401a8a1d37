import type { Random } from "./requests.ts";

/*
 * Parts that a random document can have: each adds rarer keys of the language to its text. A text that is not there is an
 * error, so that no part is left out in silence.
 */

/** The text with another one before each place that begins with the given words. */
const before = (text: string, place: string, more: string): string => {
  if (!text.includes(place)) throw new Error(`no ${place}`);
  return text.replace(place, () => `${more}${place}`);
};
const [entitiesAt, permissionsAt, callsAt] = ["Holiday: { fields", "  Holiday: { read", "  GET /shown/me:"];

/** The document with records of its own, and a table that an effect writes. */
const withLevels = (random: Random, text: string): string => {
  const by = random.pick(["level", "kind == a ? Level.low : Level.high"]) ?? "";
  const effect = random.pick([
    '{ put: Tally, key: [day, kind], set: { day, kind, last: title, sum: "Task.count(t, t.kind == kind)" } }',
    '{ delete: "Step.filter(s, s.task == this && s.done && s.secret)", when: "kind == a || owner.grade > 1" }',
    '{ create: Step, for: { other: "Task.filter(t, t.project == project && t != this && t.urgent)" }, set: { task: other, text: title, weight: "other.cost == null ? 1 : 2" } }',
  ]);
  return [
    [
      entitiesAt,
      `Level:
  title: { one: stage, many: stages }
  path: stages
  label: "{name}"
  fields: { name: { type: text, unique: true, max: 30 }, rate: { type: integer, default: "1" }, note: { type: text?, max: 60 } }
  records: { low: { name: Low, rate: 1 }, high: { name: High, rate: 5 } }
Tally: { fields: { day: date, kind: { type: choice, values: [a, B, c-d] }, sum: { type: integer, default: "0" }, last: { type: text?, title: The last, help: Of this day., unit: task } } }
`,
    ],
    [
      "    kind:     { type: choice",
      `    level:    { type: Level, default: Level.low, among: "Level.filter(l, l.rate < owner.grade + 9)", discloses: true }\n`,
    ],
    ["    net:      {", `    stage:    { type: Level?, discloses: true, computed: "${by}" }\n`],
    [
      permissionsAt,
      `  Level: { read: [{ role: staff, fields: [name] }, { role: chief, when: "rate < 9" }], create: none, update: { role: chief, fields: [note] }, delete: none }
  Tally: { read: [{ role: clerk, when: "sum < 3", fields: [day, kind, last] }, chief], create: none, update: none, delete: chief }
`,
    ],
  ]
    .reduce((all, [place = "", more = ""]) => before(all, place, more), text)
    .replace("    remark: {", "    settle: { from: draft, to: done, by: none }\n    remark: {")
    .replace(
      "    lapse: [",
      '    lapse: [{ make: settle, of: "Task.filter(t, t.project == project && t != this && t.dear && t.status == draft)" }, ',
    )
    .replaceAll("fields: [project, ", "fields: [project, level, ")
    .replace("    finish: [", `    finish: [${effect}, `)
    .replace("\nTask:\n  - ", '\nTask:\n  - { rule: "level != Level.high || cost != null", else: NO_NOTE }\n  - ');
};

/** The document with fields of the other types, and functions of each kind. */
const withTypes = (random: Random, text: string): string => {
  const number = random.pick([
    "year(day) + month(day) + day(day) + weekday(day) + days_between(day, until)",
    "days_between(date(text(day)), until) + round(decimal(text(share)) * 3)",
    "round(share * 10) + floor(share * 10) + abs(rank) + size(without(title, 'e'))",
    "integer(text(rank)) + steps.map(s, s.weight).max()",
    "steps.map(s, s.weight).min() + ceil(steps.map(s, s.weight).avg())",
  ]);
  const words = random.pick([
    "cost == null ? title : title + ' ' + text(cost, 2)",
    "before(title, ' ') + after(replace(title, 'a', 'b'), 'b') + text(day)",
    "lower(title).startsWith('a') || title.endsWith('e') ? lower(title) : title.matches('^[A-Z]') ? 'Big' : text(share)",
    "Step.one(s, s.task == this && s.weight == 9).text",
    "steps.first(s, s.weight).text",
  ]);
  const moment = random.pick([
    "datetime(end_of_month(day), time('08:30'))",
    "datetime(start_of_week(day), at) + 2 hours",
    "datetime(end_of_week(date_of(created_at)), at) + minutes(rank)",
    "datetime(day + months(rank) + days(1), '10:00') + hours(2)",
  ]);
  return before(
    text,
    "    net:      {",
    `    at:       time?
    takes:    duration?
    share:    { type: decimal?, min: 0, max: 1 }
    site:     url?
    phone:    { type: phone?, personal: true }
    contact:  { type: email?, once: true }
    story:    rich text?
    extra:    json?
    photo:    image?
    seen:     { type: datetime?, min: 2020-01-01 }
    figures:  { type: integer?, discloses: true, computed: "${number}" }
    words:    { type: text?, discloses: true, computed: "${words}" }
    moment:   { type: datetime?, discloses: true, computed: "${moment}" }
`,
  )
    .replace("    text:    { type: text, max: 80 }", "    place:   position\n    text:    { type: text, max: 80 }")
    .replace("    nick:     slug?", "    nick:     { type: slug?, from: code }")
    .replace('pattern: "T-{n:4}"', 'pattern: "T-{year}-{n:4}", gapless: finish');
};

/** The document with calls of several steps. */
const withSteps = (random: Random, text: string): string =>
  [
    [
      entitiesAt,
      `Mark: { label: "{person.name}", fields: { task: Task, person: { type: User, set: user }, why: { type: text?, unique: true, missing: same, discloses: true } } }
`,
    ],
    ["    net:      {", "    marks:    { list: Mark.task }\n"],
    ["Task:\n  - ", "Mark: [{ unique: [task, person], else: MARKED }]\n"],
    [
      permissionsAt,
      `  Mark: { read: [staff, { like: task }], create: [{ like: { task: ${random.pick(["read", "create", "update", "delete"])} } }, clerk], update: none, delete: [{ like: { task: update } }, { role: staff, when: "person == user", discloses: true }] }
`,
    ],
    [
      callsAt,
      `  POST /shown/tasks/{task.code}/mark: { do: [{ ensure: Mark }, { read: Task, gives: { title, marks: size(marks), mine: "marks.exists(m, m.person == user)" } }] }
  DELETE /shown/tasks/{task.code}/mark: { status: 200, by: [staff, chief], do: [{ delete all: Mark, where: person == user }, { read: Task, gives: { title, marks: size(marks) } }] }
  POST /shown/tasks/{task.code}/steps: { do: [{ create: Step, takes: { text, weight }, asks: weight, set: { secret: "true" } }, { update: Task, takes: { note } }, { list: Step, where: "weight > 2", query: { most: { type: integer, where: weight < input.most } }, sort: [-weight], gives: { texts: "page.map(s, s.text)" } }] }
  PUT /shown/tasks/{code}/both: { do: [{ replace: Task, takes: { note } }, { transition: Task.start }, { read: Task, gives: { title, note } }] }
  POST /shown/tasks/{code}/start: { transition: Task.start, when: assignee != null && cost < 90, set: {}, gives: Task.short(this) }
  POST /shown/marks/{task.code}: { ensure: Mark, takes: { why } }
  POST /shown/mine: { create: Task, takes: { project: project.name, title, cost }, set: { assignee: user, note: "'By ' + user.name" }, status: 200, headers: { X-Kind: task }, gives: Task.short(this) }
`,
    ],
    ["BUDGET: {", "MARKED: { status: 409, message: You have marked it., at: task }\n"],
  ].reduce((all, [place = "", more = ""]) => before(all, place, more), text);

/** The document with calls that are open under conditions, and pages of each kind. */
const withConditions = (random: Random, text: string): string => {
  const caller = random.pick([
    "user.grade > 0",
    "user.boss != null",
    "Task.exists(t, t.owner == user && t.urgent)",
    "user.busy < 2",
  ]);
  const own = random.pick([
    "note != null && cost < 50",
    "project.budget > 100",
    "owner.grade < 2",
    "steps.exists(s, s.secret)",
  ]);
  return before(
    text,
    callsAt,
    `  GET /shown/when/tasks: { list: Task, when: "${caller}", where: "${own}", sort: [-cost], paging: pages, gives: { titles: "page.map(t, t.title)", all: size(found) } }
  GET /shown/when/tasks/{code}: { read: Task, when: "${own}", gives: Task.short(this) }
  POST /shown/when/tasks: { create: Task, when: "${caller}", takes: { project: project.name, title, cost }, gives: Task.short(this) }
  PATCH /shown/when/tasks/{code}: { update: Task, when: "${own}", takes: { note, cost }, gives: Task.short(this) }
  PUT /shown/when/tasks/{code}: { replace: Task, when: "${own}", takes: { note }, missing: "null", unknown: refused, accepts: json, gives: { note } }
  DELETE /shown/when/tasks/{code}: { delete: Task, when: "${own}" }
  DELETE /shown/when/steps: { delete all: Step, when: "${caller}", where: "weight > 6", gives: { all: size(found) } }
  DELETE /shown/when/me: { delete: User, where: this == user, when: "${caller}" }
  POST /shown/when/users: { sign up: true, when: "${caller}", takes: { handle, email, password }, gives: { name } }
  POST /shown/devices: { sign up: true, when: "${caller}", takes: { handle, email }, gives: { token } }
  GET /shown/paged/a: { list: Task, paging: { offset: from, limit: count, size: 2 }, sort: [cost], gives: { titles: "page.map(t, t.title)", from: input.from } }
  GET /shown/paged/b: { list: Step, paging: { after: cursor, limit: count, size: 2 }, sort: [-weight], gives: { texts: "page.map(s, s.text)", next } }
  GET /shown/paged/c: { list: Step, paging: none, where: "task.cost == null || weight > 1", query: { most: { type: integer, default: 5, where: weight <= input.most }, kind: { type: Task.kind, where: task.kind == input.kind }, is: { header: X-Owner, type: text, where: task.owner.name == input.is } }, gives: Step.short(page) }
  GET /shown/newest: { list: Project, gives: { last: "page.map(p, p.tasks.last(t, t.day).title)", first: "page.map(p, p.tasks.first(t, t.cost).title)", costs: "page.map(p, text(p.tasks.map(t, t.cost).max(), 2))" } }
`,
  );
};

/** The document with settings of its calls, and names and words of its own. */
const withSettings = (random: Random, text: string): string =>
  text
    .replace(
      "currency: EUR\n",
      () =>
        `name: Desk of tasks\nlocale: ${random.pick(["de-AT", "en-GB", "fr"])}\ntimezone: ${random.pick(["Europe/Berlin", "America/New_York"])}\ncurrency: EUR\n`,
    )
    .replace(
      "decimals: numbers\n",
      () =>
        `decimals: ${random.pick(["numbers", "texts"])}\nunknown: ignored\nmissing: omitted\naccepts: [texts, forms]\nstatus: { create: 200 }\nheaders: { X-Service: desk }\n`,
    )
    .replace("cookie: pass, by:", "cookie: pass, scheme: Token, longest: 90 days, by:")
    .replace(
      "outgoing: { ",
      () =>
        `outgoing: { ping: { ${random.pick(["post", "put", "patch", "get", "delete"])}: APP_PING, sends: { title, cost, by: owner.name }, headers: { X-From: desk }, retries: 2, secret: APP_PING_SECRET }, `,
    )
    .replace("    finish: [", "    finish: [{ call: ping, when: cost != null }, ")
    .replace(
      "  field: status\n  states: [draft, {",
      "  field: { status: { title: Progress } }\n  initial: draft\n  final: done\n  states: [{ draft: { tone: neutral, title: Idea } }, {",
    )
    .replace("    remark: {", "    remark: { title: Say something,")
    .replace("room: { slack:", () => `room: { ${random.pick(["slack", "teams"])}:`)
    .replace("conventional: all\n", "conventional: all\nbase: /v1\n")
    .replace("verify email: false, asks", "verify email: false, roles: clerk, asks")
    .replace("  clerk: { members: granted }", "  clerk: { members: granted, title: Clerk of the desk }")
    .replace('owner: "owner == user", helper', 'owner: { when: "owner == user", title: Holder }, helper')
    .replace('TOO_DEAR: "', 'TOO_DEAR: { help: Ask the chief., message: "')
    .replace('of {project.budget}."\n', 'of {project.budget}." }\n')
    .replace("[table, { board: kind }", () => `[table, { board: kind }`)
    .replace("{ calendar: [day, until] }", "{ calendar: [day, until] }")
    .replace(
      "project, value: sum(cost) }] }",
      "project, value: sum(cost) }], send: { every: working day 07:30, to: staff, attach: csv, empty: true } }",
    )
    .replace(
      "\n/projects: {",
      "\n/tasks/new: { form: Task, title: New, fields: [project, title, cost, { list: steps, columns: [text, weight] }] }\n/steps: { list: Step, title: Steps, for: [clerk, chief], columns: [text, weight] }\n/projects: {",
    )
    .replace("sections: [{ fields: [title, {", "sections: [{ title: What, fields: [title, {")
    .replace(
      "{ chart: bars, from: Task, per: project }",
      "{ title: Shares, chart: parts, from: Task, per: project }, { chart: lines, from: Task, per: day, value: avg(cost), target: { at most: dear_sum } }",
    )
    .replace(
      "\npermissions:\n",
      "\nchanges: { propose: [chief, administrator], approve: administrator, approvals: 2, another person: true }\npermissions:\n",
    );

/**
 * The document with alternatives in the tables of its letters. Without their brackets, the second one takes in other rows, also
 * those that nobody can see, because their values are missing there.
 */
const withAlternatives = (random: Random, text: string): string =>
  text
    .replace(
      'where: "!secret || by_whom == user", sort',
      () => `where: "${random.pick(["weight > 7 || !done", "task.cost > 90 || task.note == null"])}", sort`,
    )
    .replace(
      'where: "owner == user || cost < 90", sort',
      () => `where: "${random.pick(["owner == user || note == null", "cost > 90 || kind != c-d"])}", sort`,
    )
    .replace(
      "\nTask:\n  - ",
      '\nTask:\n  - { unique: [title, assignee], missing: same, where: "kind != c-d", else: TITLE_TWICE, name: one_each }\n  - ',
    );

/** The document with a transition and reminders that come by the clock, and with pages of every site. */
const withClock = (random: Random, text: string): string =>
  before(
    before(
      text,
      "  after:\n    lapse:",
      `  remind:
    soon: { on: "day - 1 day", when: "${random.pick(["status != done", "cost == null || cost < 50"])}", notify: "[owner, assignee]", text: "{title}: {cost}, {owner.grade}", attach: letter }
    over: { on: "due + 2 hours", call: room, text: "{title} is over: {cost}" }
`,
    ),
    "    lapse:  {",
    `    expire: { from: open, to: done, once: "add_working_hours(updated_at, ${random.pick(["80", "rank + 60"])}, office_hours) <= now" }
`,
  ).replace("cors: https://*.example.com", () => `cors: ${random.pick(["https://*.example.com", '"*"'])}`);

/** The document with people who stand in for others. */
const withDeputies = (random: Random, text: string): string => {
  const roles = random.pick(["[head, chief]", "owner", "[clerk, helper, lead]"]) ?? "";
  const among = random.pick(["", ', among: "User.filter(u, u.grade > 1)"']) ?? "";
  return text.replace("\npermissions:\n", `\ndeputies: { for: ${roles}, up to: 30 days${among} }\npermissions:\n`);
};

/** The document with a state from which records go back to their previous one. */
const withHolding = (random: Random, text: string): string => {
  const from = random.pick(["[draft, open]", "[draft, open, done]", "open"]) ?? "";
  const by = random.pick(["clerk", "[chief, owner]", "[staff, head]"]) ?? "";
  const when = random.pick(["", ', when: "owner.grade > 1"', ", asks: note?"]) ?? "";
  return text.replace("{ open: { deadline: due } }, done]", "{ open: { deadline: due } }, done, held]").replace(
    "    start:  {",
    `    hold:   { from: ${from}, to: held, by: ${by} }
    resume: { from: held, to: previous, by: ${by}, recorded in: held_from${when} }
    start:  {`,
  );
};

/** The document with transitions that need several people. */
const withSeveral = (random: Random, text: string): string => {
  const count = random.pick(["2", '"cost == null || cost < 50 ? 1 : 2"', '"owner.grade > 1 ? 1 : 2"']) ?? "";
  const until = random.pick(["", ", until: [cost, steps]", ", until: none"]) ?? "";
  const roles = random.pick(["[clerk, chief]", '[head, { role: chief, when: "owner.grade > 1" }]']) ?? "";
  return text
    .replace("finish: { ", `finish: { needs: ${count}, recorded in: finished_by${until}, `)
    .replace(/reopen: (\{.*?), by: \[.*?\]/u, `reopen: $1, needs: ${roles}, recorded in: reopened_by`);
};

type Add = (random: Random, text: string) => string;

/** Parts of many documents, each with the share of those that lack it. */
export const common: readonly (readonly [share: number, add: Add])[] = [
  [0.5, withSeveral],
  [0.6, withHolding],
  [0.6, withDeputies],
];

/** Parts of full documents alone. */
export const rarer: readonly Add[] = [
  withLevels,
  withTypes,
  withSteps,
  withConditions,
  withSettings,
  withAlternatives,
  withClock,
];
