import { expect, test } from "vitest";
import type { Application } from "../../../src/core/wire/application.ts";
import type { Problem } from "../../../src/core/wire/problems.ts";
import type { RecordJson } from "../../../src/core/wire/records.ts";
import { evaluateForm } from "../../../src/web/form/state/computed-values.ts";
import { enterValue, leaveField } from "../../../src/web/form/state/edit-form.ts";
import type { Form } from "../../../src/web/form/state/form-node.ts";
import { openForm } from "../../../src/web/form/state/open-form.ts";
import { readForm } from "../../../src/web/form/state/send-form.ts";
import type { Entered } from "../../../src/web/format/input-value.ts";
import type { LocaleContext } from "../../../src/web/format/locale-context.ts";
import { randomFrom } from "../../document/reading.ts";
import { serveText } from "../program.ts";

/* A form's results for the rules equal those of the server on saving, including missing values. */

const text = `# Desk

## 1. What it does and for whom

\`\`\`yaml
locale: en-GB
timezone: Europe/Berlin
\`\`\`

## 3. Entities and their fields

\`\`\`yaml
Box:
  fields:
    kind:   { type: choice, values: [plain, odd] }
    few:    integer?
    many:   integer?
    weight: decimal?
    price:  { type: money?, currency: EUR }
    from:   date?
    to:     date?
    begins: datetime?
    ends:   datetime?
    note:   text?
    closed: boolean
    sum:    { type: integer, computed: "few == null || many == null ? 0 : few + many" }
    began:  { type: integer?, kept: { until: kind }, computed: few }
\`\`\`

## 4. States and transitions

\`\`\`yaml
Box:
  field: status
  initial: open
  states: [open, shut, sent]
  transitions:
    shut: { from: open, to: shut, by: member, asks: [to, note?] }
    fill: { from: open, to: open, by: member, asks: [many, weight?], set: { few: 1 } }
    send: { from: [open, shut], to: sent, by: member, asks: [weight], when: "kind != odd" }
\`\`\`

## 5. Validation rules

\`\`\`yaml
Box:
  - { rule: "few == null || many == null || few < many", else: FEW }
  - { rule: "sum < 9", else: SUM }
  - { rule: "from == null || to == null || from <= to", else: REVERSED }
  - { rule: "from == null || to == null || days_between(from, to) <= 20", when: "!closed", else: LONG }
  - { rule: "begins == null || ends == null || begins < ends", else: ENDS }
  - { rule: "note != null && size(note) > 2", when: "kind == odd", else: NOTE }
  - { rule: "weight == null || price == null || price >= 2.50 || weight < 1.5", else: CHEAP }
  - { rule: "!closed || to != null", during: update, else: CLOSED }
  - { rule: "kind == plain || size(note) > 3", during: shut, else: SHORT }
  - { rule: "few == null || old.few == null || few >= old.few", else: FALLS }
  - { rule: "began == null || many == null || many < began + 4", else: BEGAN }
\`\`\`

## 6. Roles and permissions

\`\`\`yaml
roles:
  member: { members: signed in }
permissions:
  Box: { read: [member], create: [member], update: [member], delete: [member] }
\`\`\`

## 8. Error catalogue

\`\`\`yaml
FEW:      { status: 422, message: "{few} is not less than {many}.", at: few }
SUM:      { status: 422, message: "{sum} in all.", help: "Eight, not {sum}." }
REVERSED: { status: 422, message: "{to} is before {from}.", at: to }
LONG:     { status: 422, message: "From {from} to {to} is long." }
ENDS:     { status: 422, message: "It ends ({ends}) before it begins ({begins}).", at: ends }
NOTE:     { status: 422, message: "Say why.", at: note }
SHORT:    { status: 422, message: "Say more.", at: note }
CHEAP:    { status: 422, message: "{weight} for {price}?", at: price }
CLOSED:   { status: 422, message: "Until when?", at: to }
BEGAN:    { status: 422, message: "It began with {began}.", at: many }
FALLS:    { status: 422, message: "It was {old.few}, which is more than {few}.", at: few }
\`\`\`
`;

const choices: Readonly<Record<string, readonly Entered[]>> = {
  kind: ["plain", "odd"],
  few: ["", "1", "4", "7"],
  many: ["", "2", "4", "5"],
  weight: ["", "1.49", "1.50", "20"],
  price: ["", "2.49", "2.50", "1,000.10"],
  from: ["", "2027-03-01", "28 Feb 2027", "2027-12-31"],
  to: ["", "2027-03-01", "2027-03-20", "2028-01-02"],
  begins: ["", "2027-03-28\n01:30", "2027-03-28\n03:30", "2027-10-31\n02:30"],
  ends: ["", "2027-03-28\n03:30", "2027-10-31\n02:30", "2027-10-31\n03:00"],
  note: ["", "ab", "abc", "  a  "],
  closed: ["true", "false"],
};

test("a form checks rules as the server does, for new and changed records", async () => {
  const served = await serveText(text);
  const ada = await served.person("Ada");
  const application = (await ada.get("/_/application")).body as Application;
  const box = application.entities.Box;
  if (box === undefined) throw new Error("there are no boxes");
  const all = box.rules?.map(({ clause }) => clause) ?? [];
  expect(all).toHaveLength(11);
  const here: LocaleContext = {
    locale: application.locale,
    timezone: application.timezone,
    booleans: { yes: "Yes", no: "No" },
    today: "2027-02-01",
  };
  const fields = box.fields.filter(({ name }) => name in choices);
  const random = randomFrom(11);

  const filled = (form: Form, some: readonly string[]): Form =>
    some.reduce((now, name) => {
      const entered = random.pick(choices[name] as [Entered, ...Entered[]]);
      return leaveField(enterValue(now, name, entered, here), name, here);
    }, form);
  const says = (form: Form, record: RecordJson | null, transition: string | null = null) =>
    evaluateForm(form, box, record, { context: here, transition })
      .broken.flatMap((one) => (one.kind === "refused" ? [`${one.clause} ${one.message} ${one.help ?? ""}`] : []))
      .sort();
  const answers = (problem: Partial<Problem>) =>
    (problem.errors ?? []).map(({ clause, message, help }) => `${clause} ${message} ${help ?? ""}`).sort();

  const met = new Set<string>();
  const compare = async (form: Form, record: RecordJson | null): Promise<RecordJson | null> => {
    const read = readForm(form, here);
    if (read.kind === "form") throw new Error(`${JSON.stringify(form.entered)} cannot be read`);
    const said = says(form, record);
    const answer =
      record === null
        ? await ada.post("/api/boxes", read.body)
        : await ada.patch(`/api/boxes/${record.id}`, read.body, { "if-match": `"${record.version}"` });
    const body = answer.body as Partial<Problem>;
    expect(said, `${JSON.stringify(form.entered)} ${answer.text}`).toEqual(answer.status < 300 ? [] : answers(body));
    for (const one of said) met.add(one.split(" ")[0] ?? "");
    return answer.status < 300 ? answer.record() : null;
  };

  const names = Object.keys(choices);
  const created: RecordJson[] = [];
  for (let round = 0; round < 150; round++) {
    const record = await compare(filled(openForm("create", fields, null, here), names), null);
    if (record !== null) created.push(record);
  }
  expect(created.length).toBeGreaterThan(5);
  for (let round = 0; round < 150; round++) {
    const [record] = created.splice(random.below(created.length), 1);
    if (record === undefined) throw new Error("there is nothing to change");
    const some = names.filter(() => random.next() < 0.35);
    created.push((await compare(filled(openForm("update", fields, record, here), some), record)) ?? record);
  }

  // The input of a transition gives equal results, except for rules that read values which the transition changes.
  const transitions = box.states?.transitions ?? [];
  const answeredWith = (name: string) => box.rules?.filter((rule) => rule.with.includes(name)).map(({ at }) => at);
  expect(answeredWith("shut")).toEqual(["to", null, "note", "note"]);
  expect(answeredWith("fill")).toEqual(["price"]);
  const closed = new Set<boolean>();
  for (let round = 0; round < 150; round++) {
    const [record] = created.splice(random.below(created.length), 1);
    const open = transitions.filter(({ from }) => from.includes(`${record?.status}`));
    const transition = open[random.below(open.length)];
    if (record === undefined || transition === undefined) continue;
    const asked = fields
      .filter(({ name }) => transition.asks.includes(name))
      .map((field) => ({ ...field, optional: transition.asksIfAny?.includes(field.name) === true }));
    let form = openForm("ask", asked, record, here);
    do form = filled(form, transition.asks);
    while (asked.some(({ name, optional }) => !optional && form.entered[name] === ""));
    const read = readForm(form, here);
    if (read.kind === "form") throw new Error(`${JSON.stringify(form.entered)} cannot be read`);
    const answer = await ada.post(`/api/boxes/${record.id}/${transition.name}`, read.body, {
      "if-match": `"${record.version}"`,
    });
    const isClosed = evaluateForm(form, box, record, { context: here }).closed.has(transition.name);
    closed.add(isClosed);
    expect(answer.status === 409, answer.text).toBe(isClosed);
    const told = box.rules?.filter((rule) => rule.with.includes(transition.name)).map(({ clause }) => clause) ?? [];
    const answered = answers(answer.body as Partial<Problem>).filter((one) => told.includes(one.split(" ")[0] ?? ""));
    const said = says(form, record, transition.name);
    if (!isClosed) expect(said, `${transition.name} ${answer.text}`).toEqual(answer.status < 300 ? [] : answered);
    for (const one of said) met.add(one.split(" ")[0] ?? "");
    created.push(answer.status < 300 ? answer.record() : record);
  }
  expect(closed.size).toBe(2);
  // Each rule was violated and reported.
  expect([...met].sort()).toEqual([...all].sort());
  await served.stop();
});
