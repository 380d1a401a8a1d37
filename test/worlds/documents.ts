import { compile } from "../../src/core/compile.ts";
import { common, rarer } from "./additions.ts";
import type { Random } from "./requests.ts";
import { randomFrom } from "./requests.ts";

/*
 * Random documents with much hidden data: readable records and fields are random, and hidden data are read by
 * everything that can read them: computed fields, labels, conditions of lists, tiles, charts, sections, rules, guards,
 * permissions, uniqueness, choices of references, effects and calls.
 */

const taskFields = [
  "title",
  "code",
  "kind",
  "cost",
  "day",
  "until",
  "watchers",
  "assignee",
  "owner",
  "note",
  "urgent",
  "tags",
  "proof",
  "due",
  "dear",
  "spent",
  "parts_open",
  "heaviest",
  "rank",
  "net",
  "length",
  "answer",
  "worked",
  "status",
  "steps",
  "number",
  "serial",
  "nick",
];
const projectFields = ["name", "budget", "lead", "closed", "opens", "tasks", "load"];
const stepFields = ["task", "text", "secret", "weight", "by_whom", "done", "sort"];
const spanFields = ["task", "day", "of_whom", "price"];
const userFields = ["name", "email", "grade", "boss", "tasks", "busy"];

const taskConditions = [
  "owner == user",
  "assignee == user",
  "kind != c-d",
  "kind == a || owner == user",
  "cost == null || cost < 50",
  "project.lead == user",
  "owner.boss == user",
  "owner.grade <= user.grade",
  "!urgent",
  "status != draft || owner == user",
  "steps.exists(s, s.by_whom == user) || owner == user",
  "day <= today",
  "project.budget > 100",
  "note != null",
  "watchers.exists(w, w == user) || owner == user",
];
const projectConditions = [
  "lead == user",
  "!closed",
  "budget < 500",
  "tasks.exists(t, t.owner == user)",
  "lead.boss == user",
  "opens <= today",
];
const stepConditions = [
  "by_whom == user",
  "!secret",
  "task.owner == user",
  "weight < 5",
  "task.status != draft",
  "task.cost == null",
  "sort == null || sort == task.kind",
];
const spanConditions = ["of_whom == user", "task.owner == user", "task.kind == a", "day <= today"];
const userConditions = ["this == user", "boss == user", "grade < 3", "grade <= user.grade"];

/** Zero, one or two conditions. */
const conditionFrom = (random: Random, from: readonly string[]): string | undefined => {
  const [one = "", other = ""] = random.some(from, 2);
  const at = random.next();
  if (at < 0.25) return undefined;
  if (at < 0.8) return one;
  return at < 0.9 ? `(${one}) && (${other})` : `(${one}) || (${other})`;
};

const fieldsFrom = (
  random: Random,
  all: readonly string[],
  needed: readonly string[],
  most = 1,
): string | undefined => {
  if (random.next() < 0.2 * most) return undefined;
  const some = new Set([...needed, ...random.some(all, Math.ceil(all.length * (0.2 + random.next() * 0.5)))]);
  return `[${all.filter((name) => some.has(name)).join(", ")}]`;
};

const permission = (
  role: string,
  when: string | undefined,
  fields: string | undefined,
  word: "fields" | "except" = "fields",
): string =>
  `{ role: ${role}${when === undefined ? "" : `, when: "${when}"`}${fields === undefined ? "" : `, ${word}: ${fields}`} }`;

const permissionsOf = (
  random: Random,
  roles: readonly string[],
  conditions: readonly string[],
  fields: readonly string[],
  input: readonly string[],
  needed: readonly string[],
): string => {
  const some = (least: number) => random.some(roles, least + Math.floor(random.next() * (roles.length - least + 1)));
  const read = some(1).map((role) =>
    permission(
      role,
      conditionFrom(random, conditions),
      fieldsFrom(random, fields, []),
      role === "chief" ? "except" : "fields",
    ),
  );
  const create = some(1).map((role) =>
    permission(
      role,
      random.next() < 0.3 ? conditionFrom(random, conditions) : undefined,
      fieldsFrom(random, input, needed),
    ),
  );
  const update = some(1).map((role) =>
    permission(role, conditionFrom(random, conditions), fieldsFrom(random, input, [])),
  );
  const remove = some(1).map((role) => permission(role, conditionFrom(random, conditions), undefined));
  return `
    read:   [${read.join(", ")}]
    create: [${create.join(", ")}]
    update: [${update.join(", ")}]
    delete: [${remove.join(", ")}]`;
};

const rules = [
  '{ rule: "cost == null || cost <= project.budget", else: TOO_DEAR }',
  '{ rule: "Task.count(t, t.owner == owner && t.status == open) < 4", during: [start, create], else: TOO_MANY }',
  '{ with: { all: "Task.filter(t, t.project == project && t.cost != null).map(t, t.cost).sum()" }, rule: "all < 600", else: SPENT }',
  '{ rule: "owner.grade >= 1 || kind != c-d", else: GRADE }',
  '{ rule: "!(urgent && dear)", else: TOO_DEAR }',
  "{ unique: [project, title], else: TITLE_TWICE }",
  "{ no overlap: [day, until], within: assignee, else: BUSY }",
  "{ no overlap: [cost, spent], within: [assignee, kind], else: BUSY }",
  '{ unique: [nick], where: "kind == a", else: TITLE_TWICE }',
  '{ rule: "Step.count(s, s.task == this && s.secret) < 3", during: [start, update], else: TOO_MANY }',
  '{ rule: "assignee == null || assignee.grade > 0", else: GRADE }',
  '{ unique: [title], where: "!project.closed", else: TITLE_TWICE }',
  '{ rule: "cost == null || old.cost == null || cost >= old.cost", else: TOO_DEAR }',
  '{ rule: "owner == old.owner", when: "old.status != open || old.project.closed", else: GRADE }',
  '{ rule: "cost != null", before: finish, else: TOO_DEAR }',
  '{ rule: "status in undecided || note != null", else: NO_NOTE }',
  '{ rule: "owner.grade > 0 && !project.closed", before: [start, reopen], else: GRADE }',
];
const spanRule =
  '{ rule: "until == null || days(day, until).all(d, Span.count(s, s.of_whom == assignee && s.day == d) <= 9)", always: true, discloses: true, else: BUSY }';
const guards = [
  "cost == null || cost < 100",
  "owner.grade > 1",
  "steps.all(s, s.done)",
  "Task.count(t, t.assignee == assignee && t.status == open) < 5",
  "project.budget > 50",
  "note != null",
  "!project.closed",
];
const effects = [
  '{ notify: owner, text: "{title} costs {cost}, in {project.name} of {project.budget}, by {user.name}", attach: letter }',
  '{ notify: assignee, text: "{title}: {old.cost} is {cost}; {old.note}" }',
  '{ notify: "User.filter(u, u.grade > 1)", text: "{code}: {owner.name} {owner.grade}" }',
  '{ notify: "User.filter(u, note != null && contains(note, u.name))", text: "{user.name} names you in {title}: {note}" }',
  '{ call: room, text: "{title} costs {cost}, by {owner.name}: {note}" }',
  "{ create: Step, set: { task: this, text: \"'made'\", weight: 2, secret: urgent } }",
  '{ update: "Step.filter(s, s.task == this)", set: { done: "true" } }',
  '{ make: start, of: "Task.filter(t, t.project == project && t != this && t.status == draft && t.urgent)" }',
  '{ update: "Task.filter(t, t.project == project && t != this && t.kind == B)", set: { urgent: "true" } }',
  '{ update: "Step.filter(s, s.task == this)", set: { text: title } }',
];

/**
 * The text of a document, which depends only on the seed and need not be valid. A full one has every part, and the rarer keys
 * of the language.
 */
export const writeDocument = (seed: number, isFull = false): string => documentFrom(randomFrom(seed), isFull);

const documentFrom = (random: Random, isFull: boolean): string => {
  const maybe = (share: number, text: string): string => (random.next() < share || isFull ? text : "");
  const pick = (from: readonly string[]): string => random.pick(from) ?? "";
  const periods = ["month_of(day)", "quarter_of(day)", "year_of(day)"];
  const roles = ["staff", "clerk", "chief"];
  const condition = (from: readonly string[]) => pick(from);
  const screens = [
    `/tasks: { list: Task, columns: [title, kind, cost, day], sort: [day], group: [kind, month_of(day)], filters: [kind], where: "${condition(taskConditions)}" }`,
    `/board: { list: Task, columns: [title, cost], layouts: [table, { board: kind }, { board: status }, { calendar: [day, until] }, { pivot: kind, by: project, value: sum(cost) }] }`,
    `/tasks/{id}: { record: Task, sections: [{ fields: [title, { field: cost, when: "${condition(taskConditions)}" }, { field: note, when: "cost != null" }] }, { list: steps }, history] }`,
    `/tasks/{id}/letter: { letter: Task, where: "${condition(taskConditions)}", text: ["{title} for {owner.name}: {note}", { heading: "{project.name} {project.budget}" }, { table: steps, columns: [text, weight], totals: [weight], where: "!secret || by_whom == user", sort: [-weight, text] }, "{cost}, {user.name}"] }`,
    `/projects/{id}/letter: { letter: Project, text: ["{name}", { table: tasks, columns: [title, cost], totals: [cost], where: "owner == user || cost < 90", sort: [owner, -cost] }] }`,
    `/projects: { list: Project, columns: [name, budget], sort: [-name] }`,
    `/: { tiles: [{ count: Task, where: "${condition(taskConditions)}" }, { list: Task, where: "${condition(taskConditions)}", columns: [title, cost], sort: [-cost] }, { chart: bars, from: Task, per: kind, value: sum(cost), sort: [-value] }, { chart: columns, from: Task, per: ${pick(periods)} }, { chart: bars, from: Task, per: project }, { chart: bars, from: Step, per: task.kind, value: max(weight) }, { count: Task, where: "${condition(taskConditions)}", for: ${pick(roles)} }, { count: Step, where: "${condition(stepConditions)}" }, { pivot: status, by: ${pick(["day", ...periods.slice(1)])}, from: Task, where: "${condition(taskConditions)}", value: sum(cost) }, { figure: Task, where: "${condition(taskConditions)}", value: sum(cost), target: { at most: dear_sum }, compare: { title: Others, where: "${condition(taskConditions)}" } }, { figure: Task, value: "share(${condition(taskConditions)})", target: { at least: 50 } }, { count: Task, for: [${pick(["owner", "helper", "head"])}, ${pick(roles)}] }], send: { every: day 08:00, to: ${pick(roles)} } }`,
  ];
  const held = `
  Task: { owner: "owner == user", helper: "assignee == user", head: "owner.boss == user" }
  Project: { lead: "lead == user" }
  Step: { author: "by_whom == user" }
  User: { oneself: "this == user", superior: "boss == user" }`;
  const spans = maybe(
    0.7,
    `Span:
  label: "{task.title} {day}"
  rows of: { task: Task, day: "days(day, until)" }
  where: "task.until != null && task.kind != c-d"
  fields:
    of_whom: { type: User?, kept: true, discloses: true, computed: task.assignee }
    price:   { type: money?, currency: EUR, discloses: true, computed: task.cost }
`,
  );
  const errorShape = maybe(
    0.3,
    `\nerror shape: { status: "status == 404 ? 'missing' : 'fail'", code, clause, messages, all: [{ at, path, field, message, code, clause, value }], fields: { "{field}": { message, value, list: [message] } } }`,
  );
  const text = `# Desk

## 1. What it does
\`\`\`yaml
currency: EUR
translations: { de: { Task: Aufgabe, Tasks: Aufgaben, task: Aufgabe, tasks: Aufgaben, Title: Titel, Cost: Kosten } }
\`\`\`

## 2. Screens and routes
\`\`\`yaml
${screens.join("\n")}
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
User:
  fields:
    handle: { type: text?, unique: true, max: 30, discloses: true }
    grade: { type: integer, default: "${pick(["0", "2"])}", min: 0, max: 9 }
    boss:  { type: User? }
    tasks: { list: Task.owner }
    busy:  { type: integer, discloses: true, computed: "Task.count(t, t.owner == this && t.status == open)" }
Holiday: { fields: { day: { type: date, unique: true } } }
Project:
  label: "{name}${pick(["", " {budget}", " of {lead.name}"])}"
  fields:
    name:   { type: text, max: 60, unique: true, examples: [Bridge, Tower, Harbour, Garden] }
    budget: { type: money, currency: EUR, default: "400", min: 0 }
    lead:   User?
    closed: boolean
    opens:  { type: date, default: today }
    tasks:  { list: Task.project }
    load:   { type: integer, discloses: true, computed: "Task.count(t, t.project == this && t.status != done)" }
Task:
  label: "{title}${pick(["", " {cost}", " {owner.name} {owner.grade}", " {project.name}"])}"
  fields:
    project:  { type: Project${maybe(0.3, ', among: "Project.filter(p, !p.closed)"')} }
    title:    { type: text, max: 80${maybe(0.3, ", unique: true")} }
    code:     { type: text?, max: 20${maybe(0.5, ", unique: true")} }
    number:   { type: sequence, pattern: "T-{n:4}" }
    serial:   integer sequence
    nick:     slug?
    kind:     { type: choice, values: [a, B, c-d], default: a }
    cost:     { type: money?, currency: EUR, min: 0, max: 1000${maybe(0.4, ', default: "project.budget / 10"')} }
    day:      { type: date, default: today }
    until:    { type: date?${maybe(0.4, ', default: "day + 3 days"')} }
    watchers: { type: User, many: true }
    assignee: { type: User?${maybe(0.5, ', among: "User.filter(u, u.grade > 0)"')} }
    owner:    { type: User, set: user }
    note:     { type: long text?${maybe(0.3, ', required: "cost != null && cost > 80"')} }
    urgent:   boolean
    tags:     { type: text, many: true }
    proof:    { type: file, many: true }
    due:      { type: date, computed: "day + 3 days", discloses: true }
    dear:     { type: boolean, computed: "cost != null && cost > 40", discloses: true }
    spent:    { type: money?, currency: EUR, kept: ${pick(["true", "{ until: [project, start] }", "for good"])}, computed: "project.budget", discloses: true }
    heaviest: { type: text?, discloses: true, computed: "steps.last(s, s.weight).text" }
    parts_open: { type: integer, discloses: true, computed: "steps.filter(s, !s.done).count()" }
    net:      { type: money?, discloses: true, computed: "${pick(["round_half_up(cost * 0.93, 1)", "round_up(cost / 3, 1) + round_down(cost / 3, 1)"])}" }
    length:   { type: integer?, discloses: true, computed: "working_days(day, until)" }
    answer:   { type: datetime?, discloses: true, computed: "${pick(["add_working_hours(created_at, 8, Holiday.map(h, h.day), office_hours)", "datetime(add_working_days(day, 2, Holiday.map(h, h.day)), '12:00')"])}" }
    worked:   { type: decimal?, discloses: true, computed: "working_hours(created_at, datetime(until, '12:00'), office_hours)" }
    form:     { type: text, discloses: true, computed: "form_number + title" }
    rank:     { type: integer, discloses: true, computed: "owner.grade + (urgent ? 10 : 0)" }
    steps:    { list: Step.task }
Step:
  label: "{text}${pick(["", " {weight}"])}"
  fields:
    task:    { type: Task, part of: true }
    text:    { type: text, max: 80 }
    secret:  boolean
    weight:  { type: integer, default: 1, min: 0, max: 9 }
    by_whom: { type: User?, set: user }
    done:    boolean
    sort:    { type: choice?, values: Task.kind }
${spans}\`\`\`

## 4. States and transitions
\`\`\`yaml
Task:
  field: status
  states: [draft, { open: { deadline: due } }, done]
  transitions:
    start:  { from: draft, to: open, main: true${maybe(0.5, ", shows: [cost, owner.name]")}, by: [${random.some([...roles, "owner", "helper", "head"], 3).join(", ")}]${maybe(0.5, `, when: "${pick(guards)}"`)} }
    finish: { from: open, to: done, by: [${random.some([...roles, "owner", "helper", "head"], 3).join(", ")}]${maybe(0.5, ", asks: [cost], set: { note: \"cost > 50 ? 'Dear' : note\" }")}${maybe(0.5, `, when: "${pick(guards)}"`)} }
    remark: { from: [draft, open], to: same, by: [staff, owner], asks: [note, { reason: { type: text?, max: 40, default: "${pick(["note", "owner.name", "project.name"])}" }, effort: { type: integer?, default: rank }, mate: { type: User?${maybe(0.5, ', among: "User.filter(u, u.grade > 0)", discloses: true')}${maybe(0.5, ", default: assignee")} } }], when: "cost == null || cost < 100" }
    reopen: { from: done, to: open, by: [${random.some([...roles, "owner", "head"], 2).join(", ")}], set: { urgent: "true" } }
    lapse:  { from: open, to: done, timeout: 20 days${maybe(0.4, `, when: "${pick(guards)}"`)} }
    ${maybe(0.5, 'wake:   { from: draft, to: open, once: "urgent && project.budget > 90" }')}
  after:
    lapse: [${random.some(effects, 2).join(", ")}]
    finish: [${random.some(effects, 3).join(", ")}]
    update: [${random.some(effects.slice(0, 4), 1).join(", ")}]
    remark: { notify: owner, text: "{title}: {reason}", when: "effort == null || effort < 5" }
    start, reopen: { notify: owner, text: "{title} ({kind}) moves: {cost}, {owner.grade}" }
\`\`\`

## 5. Validation rules
\`\`\`yaml
Task:
${random
  .some([...rules, ...(spans === "" ? [] : [spanRule, spanRule])], 5)
  .map((rule) => `  - ${rule}`)
  .join("\n")}
${maybe(
  0.6,
  `Project:
  - { rule: "Task.filter(t, t.project == this && t.cost != null).map(t, t.cost).sum() <= budget * 3", always: true, else: BUDGET }
`,
)}\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  staff: { members: ${pick(["signed in", "signed in", "anyone"])} }
  clerk: { members: granted }
  chief: { members: granted }${held}
permissions:
  Holiday: { read: ${pick(["staff", "chief"])}, create: none, update: none, delete: none }
  User:
    read: [{ role: staff, fields: [name${pick(["", ", grade", ", boss"])}] }, ${random.some(["oneself", "superior", "chief", permission("clerk", condition(userConditions), fieldsFrom(random, userFields, ["name"]))], 2).join(", ")}]
    update: [{ role: chief, fields: [grade, boss] }]
  Project: ${permissionsOf(random, [...roles, "lead"], projectConditions, projectFields, ["name", "budget", "lead", "closed", "opens"], ["name"])}
  Task: ${permissionsOf(random, [...roles, "owner", "helper", "head"], taskConditions, ["project", ...taskFields], ["project", "title", "code", "nick", "kind", "cost", "day", "until", "watchers", "assignee", "note", "urgent", "tags", "proof"], ["project", "title"])}
  Step:${random.next() < 0.3 ? "\n    read: [{ like: task }]\n    create: [{ like: task, fields: [task, text, secret, weight] }]\n    update: [author]\n    delete: [author]" : permissionsOf(random, [...roles, "author", "owner"], stepConditions, stepFields, ["task", "text", "secret", "weight", "done", "sort"], ["task", "text"])}
${maybe(
  spans === "" ? 0 : 1,
  `  Span: { read: [${random
    .some(roles, 2)
    .map((role) => permission(role, conditionFrom(random, spanConditions), fieldsFrom(random, spanFields, [])))
    .join(", ")}] }`,
)}
\`\`\`

## 7. The calls it makes
\`\`\`yaml
conventional: all
sign in: { by: handle, basic: true, sign up: { verify email: false, asks: handle } }
cors: https://*.example.com
token: { header: X-Auth-Token, cookie: pass, by: [staff, clerk] }${errorShape}
decimals: numbers
outgoing: { room: { slack: APP_ROOM, readers: staff } }
shapes:
  Project: { short: { id, name, budget, lead: lead.name } }
  Task: { short: { id, url: "GET /shown/tasks/{code}", title, cost, project: Project.short(project), owner, late: "due < today" } }
  Step: { short: { text, weight, task: task.title }, sent: { key: id, what: { text }, weight } }
calls:
  GET /shown/tasks:
    list: Task
    where: "${condition(taskConditions)}"
    query: { title, day, by: { type: text, where: "owner.name == input.by" }, who: owner.name, tag: tags, key: id, from: { header: X-From, type: text, where: title > input.from, rule: size(input.from) < 9, else: GONE } }
    sortable: [title, cost, day, serial, created_at]
    selectable: [title, cost, project, owner, late]
    gives: { tasks: Task.short(page), all: size(found), next }
  GET /shown/sorted: { list: Task, gives: { tags: "page.map(t, t.title).sorted()", costs: "found.map(t, t.cost).sorted()" } }
  GET /shown/numbered: { list: Task, sort: [title], paging: { page: p, limit: per_page, size: 3 }, sortable: { fields: { words: title, cost }, by: sortBy, order: way }, gives: { titles: "page.map(t, t.title)", page: input.p, of: ceil(size(found) / input.per_page) } }
  GET /shown/own/{code}: { read: Task, when: owner == user || kind == a, gives: { title } }
  GET /shown/tags: { list: Task, distinct: tags, query: { kind }, gives: { tags: page, all: size(found), next } }
  GET /shown/nicks: { list: Task, distinct: lower(nick) }
  GET /shown/costs: { list: Task, distinct: cost, paging: offset, gives: { costs: page, sum: found.sum() } }
  GET /shown/tasks/{code}: { read: Task, errors: { NOT_FOUND: GONE }, missing: omitted, selectable: [id, cost, late], gives: { task: Task.short(this), steps: Step.short(steps), count: "steps.count()" } }
  PUT /shown/tasks/{code}: { replace: Task, takes: { title, note, cost, colour: nick }, asks: title, unknown: ignored, accepts: [texts, forms], gives: none }
  PUT /shown/put/{code}: { put: Task, takes: { project: project.name, title, note, cost }, gives: Task.short(this) }
  POST /shown/stepped: { create: Task, takes: { project: project.name, title, list: Step.sent(steps) }, gives: { list: Step.sent(steps) } }
  DELETE /shown/steps: { delete all: Step, where: done && weight > 3, query: { of: task.code }, gives: { count: size(found), texts: "found.map(s, s.text)" } }
  GET /shown/steps/{id}: { read: Step, gives: { text, self: "GET /shown/steps/{id}", all: GET /shown/tasks } }
  POST /shown/leave: { sign out: true, takes: { key: token }, gives: none }
  GET /shown/me: { read: User, where: this == user, gives: { name, token } }
  PUT /shown/me: { update: User, where: this == user, takes: { name, password, current_password }, gives: { name, token } }
  DELETE /shown/me: { delete: User, where: this == user }
  POST /shown/login: { sign in: true, takes: { handle, password }, gives: { name } }
  POST /shown/refresh: { sign in: true, takes: { key: token }, gives: { name } }
  POST /shown/users: { sign up: true, takes: { user: { handle, email, password } }, gives: { name } }
  POST /shown/forgot: { forgot password: true, link: APP_RESET_PAGE, gives: { sent: true } }
  POST /shown/reset: { reset password: true, takes: { token, new: password }, gives: { name } }
  POST /shown/logout: { sign out: true, gives: { bye: name } }
  GET /shown/titles: { list: Task, distinct: ${pick(["title", "project.name", "kind"])}, gives: { titles: page } }
  POST /shown/tasks: { create: Task, takes: { project: project.name, title }, gives: "Task.short(this)" }
  PATCH /shown/tasks/{code}: { update: Task, takes: { task: { note, cost } }, gives: { task: Task.short(this) } }
  GET /shown/projects/{project.name}/tasks: { list: Task, query: { q: { type: text, where: "lower(title).contains(lower(input.q))" } }, gives: { tasks: Task.short(page) } }
  POST /shown/projects/{project.name}/tasks: { create: Task, takes: { title, kind, cost }, gives: "Task.short(this)" }
\`\`\`

## 8. Error catalogue
\`\`\`yaml
GONE: { status: 410, message: There is nothing here., shape: { gone: message } }
FORBIDDEN: { message: Not for you., shape: none }
BAD_PATH: { status: 400, message: That is no address., shape: message }
TOO_LONG: { message: "{member} is too long: {value}", shape: { long: { "{field}": value } } }
TAKEN: "{member} is taken: {value}"
NO_SUCH_REFERENCE: "{member} is unknown: {value}"
TOO_DEAR: "{title} is too dear: {cost} of {project.budget}."
TOO_MANY: { status: 409, message: "{owner.name} has too many, {title} too." }
SPENT: { status: 409, message: "{all} is spent in {project.name}." }
GRADE: "{owner.name} has the grade {owner.grade}, and {title} has {rank}."
TITLE_TWICE: { status: 409, message: "{title} is there already." }
BUSY: { status: 409, message: "{assignee.name} is busy from {day}." }
NO_NOTE: "{title} has no note{owner.grade > 5 ? '!' : '.'}"
${errorShape === "" ? "" : "NOT_SIGNED_IN: { message: is missing, at: token }\n"}BUDGET: { status: 409, message: "{name} has {budget} and needs {load}." }
\`\`\`

## 9. Business constants and limits
\`\`\`yaml
form_number: { value: 1450, type: text }
undecided: [draft, open]
dear_sum: 500 EUR
office_hours: Mon-Thu 08:00-12:00, 13:00-17:00, Fri 08:00-14:00
password_length: 11
\`\`\`
`;
  // Drawn last, so that the rest of a document stays as it is for its seed.
  const all = common.reduce(
    (done, [share, add]) => (random.next() < share && !isFull ? done : add(random, done)),
    text,
  );
  return isFull ? rarer.reduce((done, add) => add(random, done), all) : all;
};

/** The first valid document from a seed on. */
export const generated = (seed: number, isFull = false): { readonly text: string; readonly seed: number } => {
  for (let at = seed; at < seed + 200; at++) {
    const text = documentFrom(randomFrom(at), isFull);
    const { findings, model } = compile({ file: "desk.md", text });
    if (model !== undefined && !findings.some(({ code }) => code === "NOT_EXECUTED")) return { text, seed: at };
  }
  const { findings } = compile({ file: "desk.md", text: documentFrom(randomFrom(seed), isFull) });
  throw new Error(
    `no document from ${seed}: ${JSON.stringify(findings.filter(({ severity }) => severity === "error" || severity === "not executed").slice(0, 5))}`,
  );
};

/** An application in which nobody signs in, with much that visitors cannot read. */
export const openDocument = `# House board

## 2. Screens and routes
\`\`\`yaml
/: { tiles: [{ count: Notice, where: "secret != null" }, { chart: bars, from: Notice, per: kind, value: sum(cost) }] }
/notices: { list: Notice, columns: [text, kind, cost], filters: [kind], sort: [-cost], layouts: [table, { board: kind }, { board: status }] }
/notices/{id}: { record: Notice, sections: [{ fields: [text, { field: kind, when: "secret != null" }] }, { list: replies }, history] }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
House:
  label: "{name}"
  fields: { name: { type: text, unique: true, max: 60 }, budget: { type: integer, default: 40 }, closed: boolean }
Notice:
  label: "{text} {cost}"
  fields:
    house:   { type: House, among: "House.filter(h, !h.closed)", discloses: true }
    text:    { type: text, max: 60 }
    kind:    { type: choice, values: [offer, wish, warning], default: offer }
    secret:  { type: text?, max: 60, unique: true, discloses: true }
    cost:    { type: integer?, min: 0, max: 90 }
    hidden:  boolean
    share:   { type: integer?, discloses: true }
    dear:    { type: boolean, computed: "cost != null && cost > house.budget", discloses: true }
    count:   { type: integer, computed: "replies.count()", discloses: true }
    replies: { list: Reply.notice }
Reply:
  label: "{text}"
  fields: { notice: { type: Notice, part of: true }, text: { type: text, max: 60 }, shown: boolean }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Notice:
  field: status
  states: [open, done]
  final: done
  transitions: { finish: { from: open, to: done, by: visitor, when: "cost == null || cost < 50", set: { share: house.budget }, discloses: true } }
  after: { finish: { update: "Notice.filter(n, n.house == house && n.kind == wish)", set: { hidden: "true" } } }
\`\`\`

## 5. Validation rules
\`\`\`yaml
Notice:
  - { rule: "Notice.filter(n, n.house == house && n.cost != null).map(n, n.cost).sum() < 200", discloses: true, else: SPENT }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { visitor: { members: anyone } }
permissions:
  House:  { read: { role: visitor, fields: [name, closed] } }
  Notice:
    read:   [{ role: visitor, when: "!hidden", fields: [house, text, kind, dear, share, status, replies] }, { role: visitor, when: "kind == wish" }]
    create: { role: visitor, fields: [house, text, kind, secret, cost] }
    update: { role: visitor, when: "status == open", fields: [text, kind, secret] }
    delete: { role: visitor, when: "kind == offer" }
  Reply:  { read: { role: visitor, when: shown }, create: { role: visitor, fields: [notice, text, shown] } }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
sign in: none
shapes: { Notice: { short: { id, text, cost, house: house.name, replies: replies.count() } } }
calls:
  GET /open/notices: { list: Notice, sortable: [text, kind], query: { kind }, gives: { notices: Notice.short(page), all: size(found), next } }
  GET /open/notices/{id}: { read: Notice, gives: Notice.short(this) }
  POST /open/notices: { create: Notice, takes: { house: house.name, text, cost }, gives: Notice.short(this) }
\`\`\`

## 8. Error catalogue
\`\`\`yaml
SPENT: "{house.name} has no more to spend."
\`\`\`
`;
