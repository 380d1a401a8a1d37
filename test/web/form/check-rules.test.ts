import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { buildManifest } from "../../../src/core/derive/client/app-manifest.ts";
import { allRoles } from "../../../src/core/derive/openapi/openapi.ts";
import { getPhrasesFor } from "../../../src/core/explain/language.ts";
import type { RecordJson } from "../../../src/core/wire/records.ts";
import { evaluateForm } from "../../../src/web/form/state/computed-values.ts";
import { enterValue, leaveField } from "../../../src/web/form/state/edit-form.ts";
import type { Form } from "../../../src/web/form/state/form-node.ts";
import { openForm, openLists } from "../../../src/web/form/state/open-form.ts";
import { findErrors, withErrors, withOwnErrors } from "../../../src/web/form/state/send-form.ts";
import { compiled, example } from "../../app/program.ts";

/* The document's rules, checked by a form while the user types. */

const { model } = compiled(readFileSync(example("leave-desk"), "utf8"));
const { Request: request, PublicHoliday: holiday } = buildManifest(
  model,
  allRoles(model),
  getPhrasesFor("en"),
).entities;
if (request === undefined) throw new Error("the leave desk has requests");
const here = { locale: "en-GB", timezone: "Europe/Berlin", booleans: { yes: "Yes", no: "No" }, today: "2027-02-01" };
const given = ["kind", "first_day", "last_day", "note"];
const fields = request.fields.filter(({ name }) => given.includes(name));

const broken = (form: Form, record: RecordJson | null = null) =>
  evaluateForm(form, request, record, { context: here }).broken;
const typed = (form: Form, name: string, text: string): Form => enterValue(form, name, text, here);
const blank = () => typed(openForm("create", fields, null, here), "first_day", "2027-03-03");
const saved: RecordJson = {
  id: "1",
  version: 3,
  created_at: "2027-01-01T09:00:00.000Z",
  updated_at: "2027-01-01T09:00:00.000Z",
  kind: "special",
  first_day: "2027-03-01",
  last_day: "2027-03-05",
  note: null,
};

describe("a rule that reads only the form", () => {
  test("shows its error after you leave a field and all it reads is present, and then at every key", () => {
    const reversed = typed(blank(), "last_day", "2027-03-01");
    expect(broken(reversed)).toEqual([]);
    const left = leaveField(reversed, "last_day", here);
    expect(broken(left)).toEqual([
      {
        kind: "refused",
        field: "last_day",
        clause: "5.Request.DATES_REVERSED",
        message: "The last day (1 Mar 2027) is before the first day (3 Mar 2027).",
        help: null,
      },
    ]);
    expect(findErrors(left, "last_day", broken(left))).toHaveLength(1);
    expect(findErrors(left, "first_day", broken(left))).toEqual([]);
    expect(broken(typed(left, "last_day", "2027-03-04"))).toEqual([]);
    expect(broken(typed(left, "last_day", "2028-03-04"))).toMatchObject([
      {
        clause: "5.Request.TWO_YEARS",
        message: "The leave begins in 2027 and ends in 2028.",
        help: "Create one request up to 31 December and another from 1 January.",
      },
    ]);
  });

  test("is silent about missing and unreadable values, which have errors of their own", () => {
    expect(broken(leaveField(blank(), "first_day", here))).toEqual([]);
    const unread = leaveField(typed(blank(), "last_day", "soon"), "last_day", here);
    expect(broken(unread)).toEqual([]);
    expect(findErrors(unread, "last_day", broken(unread))).toMatchObject([{ kind: "unreadable" }]);
  });

  test("is silent if the form does not know all that it reads", () => {
    const without = fields.filter(({ name }) => name !== "first_day");
    const form = leaveField(typed(openForm("create", without, null, here), "last_day", "2027-01-01"), "last_day", here);
    expect(broken(form)).toEqual([]);
    const { first_day: _, ...hidden } = saved;
    const change = leaveField(
      typed(openForm("update", without, saved, here), "last_day", "2027-01-01"),
      "last_day",
      here,
    );
    expect(broken(change, hidden as RecordJson)).toEqual([]);
    expect(broken(change, saved)).toMatchObject([{ clause: "5.Request.DATES_REVERSED" }]);
  });

  test("is checked on changes of what it reads, and not on others", () => {
    const opened = openForm("update", fields, saved, here);
    const later = leaveField(typed(opened, "last_day", "2027-02-01"), "last_day", here);
    expect(broken(later, saved)).toMatchObject([{ field: "last_day", clause: "5.Request.DATES_REVERSED" }]);
    const wrong = { ...saved, last_day: "2027-02-01" };
    const noted = leaveField(typed(openForm("update", fields, wrong, here), "note", "By the way"), "note", here);
    expect(broken(noted, wrong)).toEqual([]);
  });

  test("is checked at its transition if the document says so", () => {
    const special = leaveField(typed(typed(blank(), "kind", "special"), "last_day", "2027-03-05"), "last_day", here);
    expect(request.rules?.map(({ clause }) => clause)).toContain("5.Request.NOTE_MISSING");
    expect(broken(leaveField(leaveField(special, "kind", here), "note", here))).toEqual([]);
  });

  test("is shown once if the server reported it too", () => {
    const left = leaveField(typed(blank(), "last_day", "2027-03-01"), "last_day", here);
    const [one] = broken(left);
    if (one === undefined) throw new Error("nothing is broken");
    const answered = withErrors(left, [one]);
    expect(findErrors(answered, "last_day", broken(answered))).toEqual([one]);
  });
});

test("about a list of parts is reported with the missing values before its transition is tried", () => {
  const purchasing = compiled(readFileSync(example("purchasing"), "utf8")).model;
  const { entities, screens } = buildManifest(purchasing, allRoles(purchasing), getPhrasesFor("en"));
  const { PurchaseRequest: purchase } = entities;
  const screen = screens.find((one) => one.kind === "form" && one.entity === "PurchaseRequest");
  if (purchase === undefined || screen?.kind !== "form") throw new Error("purchases have a form");
  const lists = openLists(screen.parts ?? [], entities, null, here);
  const form = openForm(
    "create",
    purchase.fields.filter(({ name }) => name === "purpose"),
    null,
    here,
    lists,
  );
  const { brokenWith } = evaluateForm(form, purchase, null, { context: here });
  expect(brokenWith(null)).toEqual([]);
  const rules = brokenWith("submit");
  expect(rules).toMatchObject([{ field: "lines", message: "The request has no lines." }]);
  const { errors } = withOwnErrors(form, here, rules);
  expect(errors.map(({ field }) => field)).toEqual(["purpose", "lines"]);
});

test("that reads other records, fields of the user or hidden fields is not sent to a form", () => {
  const told = (granted: readonly string[]) => {
    const person = { id: "00000000-0000-7000-8000-000000000001", granted: new Set(granted) };
    return buildManifest(model, person, getPhrasesFor("en")).entities.Request?.rules?.map(({ clause }) => clause) ?? [];
  };
  const all = model.entities.get("Request")?.rules.map(({ clause }) => clause.id) ?? [];
  expect(all).toContain("5.Request.NO_WORKING_DAY");
  expect(told([])).toEqual(request.rules?.map(({ clause }) => clause));
  expect(told([])).not.toContain("5.Request.NO_WORKING_DAY");
});

describe("a computed value that reads all records of an entity", () => {
  const form = typed(blank(), "last_day", "2027-03-05");

  test("is computed from them while you type, once they are loaded", () => {
    const items = [{ ...saved, id: "2", day: "2027-03-04", name: "Town festival" }];
    const loaded = new Map([["PublicHoliday", { fields: holiday?.fields ?? [], items }]]);
    expect(evaluateForm(form, request, null, { context: here, loaded }).record).toMatchObject({ days: 2 });
    expect(evaluateForm(form, request, null, { context: here }).record).not.toHaveProperty("days");
  });
});

describe("a record that a rule refuses for a reference, whatever else is entered", () => {
  const { model: reviews } = compiled(`# Reviews

## 3. Entities and their fields
\`\`\`yaml
User: { fields: { boss: User? } }
Review:
  fields:
    author:   { type: User, set: user }
    reviewer: User
    second:   User?
    backup:   User?
    follows:  Review?
\`\`\`

## 5. Rules
\`\`\`yaml
Review:
  - { rule: reviewer != author, else: OWN }
  - { rule: second != reviewer, else: TWICE }
  - { rule: follows != this, else: ITSELF }
  - { rule: backup != user, else: BACKUP }
  - { rule: backup != user.boss, when: user.boss != null, else: BOSS }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: signed in, lead: granted }
deputies: { for: lead, up to: 9 days }
permissions:
  User: { read: { role: member, fields: [name] } }
  Review: { read: member, create: member, update: member }
\`\`\`

## 8. Errors
\`\`\`yaml
OWN: Somebody else reviews it.
TWICE: Name two people.
ITSELF: It can't follow itself.
BACKUP: Somebody else is the backup.
BOSS: Spare your boss.
\`\`\`
`);
  const review = buildManifest(reviews, allRoles(reviews), getPhrasesFor("en")).entities.Review;
  if (review === undefined) throw new Error("there are no reviews");
  const people = { ada: { id: "ada", label: "Ada" }, ben: { id: "ben", label: "Ben" } };
  const asked = review.fields.filter(({ automatic, type }) => type === "reference" && !automatic);
  const signedIn = { ...here, person: people.ada };

  test("is not offered: the person whom the program sets, or the record itself", () => {
    const { isRefused } = evaluateForm(openForm("create", asked, null, signedIn), review, null, { context: signedIn });
    expect(isRefused("reviewer", "ada")).toBe(true);
    expect(isRefused("reviewer", "ben")).toBe(false);
    expect([isRefused("backup", "ada"), isRefused("backup", "ben")]).toEqual([true, false]);
    expect(review.rules).toHaveLength(4);
    const own: RecordJson = {
      ...saved,
      author: people.ben,
      reviewer: people.ada,
      second: null,
      backup: null,
      follows: null,
    };
    const change = evaluateForm(openForm("update", asked, own, signedIn), review, own, { context: signedIn });
    expect(change.isRefused("reviewer", "ben")).toBe(true);
    expect(change.isRefused("follows", own.id)).toBe(true);
    expect(change.isRefused("follows", "2")).toBe(false);
  });

  test("is offered if another entry of the form could make it acceptable, or if nobody is signed in", () => {
    const form = enterValue(openForm("create", asked, null, signedIn), "reviewer", people.ben, signedIn);
    expect(evaluateForm(form, review, null, { context: signedIn }).isRefused("second", "ben")).toBe(false);
    const unknown = evaluateForm(openForm("create", asked, null, here), review, null, { context: here });
    expect(unknown.isRefused("reviewer", "ada")).toBe(false);
    expect(unknown.isRefused("backup", "ada")).toBe(false);
  });

  test("has the words of the reader’s language if the error is a built-in one", () => {
    const { Deputy: deputy } = buildManifest(reviews, allRoles(reviews), getPhrasesFor("de")).entities;
    const rule = deputy?.rules?.find(({ clause }) => clause === "5.Deputy.DEPUTY_ONESELF");
    expect(rule?.message).toBe(getPhrasesFor("de").errors.texts.DEPUTY_ONESELF);
    expect(rule?.message).toContain("selbst");
  });

  test("is reported in the form if it is chosen nevertheless", () => {
    const form = leaveField(
      enterValue(openForm("create", asked, null, signedIn), "reviewer", people.ada, signedIn),
      "reviewer",
      signedIn,
    );
    expect(evaluateForm(form, review, null, { context: signedIn }).broken).toMatchObject([
      { field: "reviewer", clause: "5.Review.OWN", message: "Somebody else reviews it." },
    ]);
  });
});

/** Somebody who decides cannot write the fields, but makes the transition. */
describe("a rule that a transition breaks whatever is entered", () => {
  const { model: orders } = compiled(`# Orders

## 3. Entities
\`\`\`yaml
Order:
  fields:
    cost:  { type: integer, min: 0 }
    half:  { type: integer, computed: "cost" }
    note:  text?
    lines: { list: Line.order }
Line: { fields: { order: { type: Order, part of: true }, pieces: { type: integer, min: 1 } } }
\`\`\`

## 4. States
\`\`\`yaml
Order:
  states: [asked, approved, declined]
  transitions:
    approve: { from: asked, to: approved, by: head }
    decline: { from: asked, to: declined, by: head, asks: note }
\`\`\`

## 5. Rules
\`\`\`yaml
Order:
  - { rule: half <= most, during: approve, else: TOO_MUCH }
  - { rule: lines.size() > 0, during: approve, else: EMPTY }
  - { rule: note != form, during: decline, else: FORM }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { staff: signed in, clerk: granted, head: granted }
permissions:
  User: { read: { role: staff, fields: [name] } }
  Order: { read: staff, create: clerk, update: none }
\`\`\`

## 8. Errors
\`\`\`yaml
TOO_MUCH: "{half} is more than {most}."
EMPTY: It has no lines.
FORM: Not that.
\`\`\`

## 9. Constants
\`\`\`yaml
most: 100
form: { value: none, type: text }
\`\`\`
`);
  const head = { id: "ada", granted: new Set(["head"]) };
  const { Order: order } = buildManifest(orders, head, getPhrasesFor("en")).entities;
  if (order === undefined) throw new Error("there are no orders");
  const { kind: _, first_day: __, last_day: ___, ...moments } = saved;
  const brokenAlready = (more: Partial<RecordJson>, transition = "approve") =>
    evaluateForm(openForm("ask", [], null, here), order, { ...moments, ...more } as RecordJson, {
      context: here,
      transition,
    }).brokenAlready;

  test("is known before anybody presses, with its own words", () => {
    expect(brokenAlready({ cost: 101, half: 101 })).toEqual([
      { clause: "5.Order.TOO_MUCH", message: "101 is more than 100.", help: null },
    ]);
    expect(brokenAlready({ cost: 100, half: 100 })).toEqual([]);
    expect(brokenAlready({ cost: 101, half: 101 }, "decline")).toEqual([]);
  });

  test("is left to the server if a value that it reads is missing here", () => {
    expect(brokenAlready({ cost: 101 })).toEqual([]);
    const [own] = (order.rules ?? []).filter(({ clause }) => clause === "5.Order.EMPTY");
    expect(own?.reads).toContain("lines");
  });

  test("is left to its field if the dialog asks for a value that it reads", () => {
    const asked = order.fields.filter(({ name }) => name === "note");
    const form = openForm("ask", asked, null, here);
    const record = { ...moments, cost: 1, half: 1, note: "none" } as RecordJson;
    expect(evaluateForm(form, order, record, { context: here, transition: "decline" }).brokenAlready).toEqual([]);
  });

  test("is not sent to somebody who can neither write what it reads nor make the transition", () => {
    const reader = buildManifest(orders, { id: "ben", granted: new Set<string>() }, getPhrasesFor("en")).entities.Order;
    expect(reader?.rules?.some(({ clause }) => clause === "5.Order.TOO_MUCH") ?? false).toBe(false);
  });
});

describe("a rule about the length of a text", () => {
  test("is known before anything is entered, in the forms that check it", () => {
    const desk = compiled(readFileSync(example("help-desk"), "utf8")).model;
    const { Ticket: ticket } = buildManifest(desk, allRoles(desk), getPhrasesFor("en")).entities;
    if (ticket === undefined) throw new Error("the help desk has tickets");
    const asked = ticket.fields.filter(({ name }) => name === "solution" || name === "cause");
    const leastOf = (transition: string | null) =>
      evaluateForm(openForm("ask", asked, null, here), ticket, null, { context: here, transition }).leastLength;
    expect(leastOf("solve")("solution")).toBe(20);
    expect(leastOf("solve")("cause")).toBe(0);
    expect(leastOf("reopen")("solution")).toBe(0);
  });
});
