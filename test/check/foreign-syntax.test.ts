import { describe, expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";
import { applyEdits } from "../../src/core/document/edits.ts";
import { documentOf, findingsOf } from "./documents.ts";

/*
 * Mistakes of people who know SQL, JavaScript or YAML, one per document. Each has one finding at its position;
 * following its hint, or applying its fix, removes it without new findings.
 */

type Points = Readonly<Record<number, string>>;

/** `%` marks the position of the mistake. */
interface Case {
  readonly points: Points;
  readonly wrong: string;
  readonly right: string;
  /** The code, the text at its position, and the hint. */
  readonly found: readonly [code: string, place: string, hint: string];
  /** The result of the fix, if it differs from `right`. */
  readonly mended?: string;
}

const filled = (points: Points, text: string): string => documentOf(points).replace("%", () => text);

const holds = ({ points, wrong, right, found: [code, place, hint], mended }: Case): void => {
  const text = filled(points, wrong);
  const findings = findingsOf(text);
  expect(findings.map((finding) => `${finding.code} ${finding.message}`)).toEqual([expect.stringContaining(code)]);
  const [value] = findings;
  expect(text.slice(value?.span.start, value?.span.end)).toBe(place);
  expect(value?.hint).toBe(hint);
  expect(findingsOf(filled(points, right))).toEqual([]);
  if (value?.fix === undefined) return;
  const [after] = applyEdits([{ file: "case.md", text }], value.fix);
  expect(after?.text).toBe(filled(points, mended ?? right));
  expect(findingsOf(after?.text ?? "")).toEqual([]);
};

const rooms = `Room:
  fields:
    name:     text
    note:     text?
    seats:    integer
    kind:     { type: choice, values: [small, large] }
    day:      date
    last:     date
    opened:   datetime
    tags:     { type: text, many: true }
    bookings: { list: Booking.room }
Booking:
  fields: { room: Room, day: date, hours: integer }`;

describe("in expressions", () => {
  const points = { 3: rooms, 5: 'Room: [{ rule: "%", else: WRONG }]', 8: "WRONG: That cannot be." };

  test.each<[wrong: string, place: string, hint: string, right: string]>([
    ["seats = 4", "=", "Write `==`.", "seats == 4"],
    ["seats <> 4", "<>", "Write `!=`.", "seats != 4"],
    ["seats === 4", "===", "Write `==`.", "seats == 4"],
    ["seats ≥ 4", "≥", "Write `>=`.", "seats >= 4"],
    ["seats > 1 AND seats < 9", "AND", "Write `&&`.", "seats > 1 && seats < 9"],
    ["seats > 9 Or seats < 2", "Or", "Write `||`.", "seats > 9 || seats < 2"],
    ["NOT (seats > 9)", "NOT", "Write `!`.", "! (seats > 9)"],
    ["note IS NOT null", "IS NOT", "Write `!=`.", "note != null"],
    ["note == NULL", "NULL", "Did you mean “null”?", "note == null"],
    ["note == None", "None", "Did you mean “null”?", "note == null"],
    ["kind IN [small]", "IN", "Write `in`.", "kind in [small]"],
    ["kind in ('small', 'small')", "('small', 'small')", "Write `[one, other]`.", "kind in ['small', 'small']"],
    ["name == ‘x’", "‘x’", "Write `'x'`.", "name == 'x'"],
    ["`name` == 'x'", "`name`", "Write `name`.", "name == 'x'"],
    ["seats > 3;", ";", "Remove it.", "seats > 3"],
    ["note?.size() > 3", "?.", "Write only `.`: the result is missing if a step is missing.", "note.size() > 3"],
    ["len(name) > 3", "len", "Did you mean “size”?", "size(name) > 3"],
    ["bookings.every(b, b.hours > 3)", "every", "Did you mean “all”?", "bookings.all(b, b.hours > 3)"],
    [
      "bookings.exists(b => b.hours > 3)",
      "=>",
      "Write a comma after the name: `.exists(r, …)`.",
      "bookings.exists(b , b.hours > 3)",
    ],
    ["day > CURRENT_DATE", "CURRENT_DATE", "Did you mean “today”?", "day > today"],
    ["last > day + 3 dayz", "dayz", "Write `days`.", "last > day + 3 days"],
    ["last > day + 3 d", "d", "Write `days`.", "last > day + 3 days"],
    ["kind == 'Small'", "'Small'", "Did you mean “small”?", "kind == small"],
    ["kind == Small", "Small", "Did you mean “small”?", "kind == small"],
  ])("%s, which has a fix", (wrong, place, hint, right) => {
    const about = { points, wrong, right };
    const [finding] = findingsOf(filled(points, wrong));
    expect(finding).toHaveProperty("fix");
    holds({ ...about, found: [finding?.code ?? "", place, hint] });
  });

  test.each<[wrong: string, place: string, hint: string, right: string]>([
    ["seats BETWEEN 2 AND 8", "BETWEEN", "Write two comparisons: `a >= 1 && a <= 9`.", "seats >= 2 && seats <= 8"],
    [
      "name LIKE 'x'",
      "LIKE",
      "Write `contains(a, 'text')`, `startsWith(a, 'text')` or `matches(a, 'pattern')`.",
      "contains(name, 'x')",
    ],
    ["if seats > 3 then kind == large", "if", "Write `condition ? one : other`.", "seats > 3 ? kind == large : true"],
    ["note ?? name == 'x'", "??", "Write `a == null ? other : a`.", "(note == null ? name : note) == 'x'"],
    ["seats ** 2 > 4", "**", "Write a product: `a * a`.", "seats * seats > 4"],
    [
      "SELECT seats FROM rooms",
      "SELECT",
      "Use the entity: `Booking.count(b, b.room == this)`.",
      "Booking.count(b, b.room == this) < 4",
    ],
    ["name.length > 3", "length", "Write it as a function: .size().", "name.size() > 3"],
    ["bookings.length > 3", "length", "Write it as a function: .size().", "bookings.size() > 3"],
    [
      "name.includes('x')",
      "includes",
      "Write `contains(text, 'part')` for a text, `value in list` for a list.",
      "contains(name, 'x')",
    ],
    ["tags.contains('x')", "tags.contains('x')", "Write “value in list”.", "'x' in tags"],
    ["'x' in name", "name", "Write contains(text, 'part').", "contains(name, 'x')"],
    ["bookings.sum(b, b.hours) > 3", "sum", "Write .map(b, …).sum().", "bookings.map(b, b.hours).sum() > 3"],
    ["bookings.sum(hours) > 3", "sum", "Write .map(r, r.hours).sum().", "bookings.map(r, r.hours).sum() > 3"],
    ["max(seats, 3) > 2", "max(seats, 3)", "Put them in a list: [one, other].max().", "[seats, 3].max() > 4"],
    ["isEmpty(name)", "isEmpty", "Write `… == null`, or for a list `list.size() == 0`.", "note == null"],
    [
      "coalesce(note, name) == 'x'",
      "coalesce",
      "Write `a == null ? other : a`.",
      "(note == null ? name : note) == 'x'",
    ],
    ["day > now()", "day > now()", "Write today for the date.", "day > today"],
    ["opened > day", "opened > day", "Take its day: date_of(…).", "date_of(opened) > day"],
    ["last > day + 3", "day + 3", "Add the unit: 3 days.", "last > day + 3 days"],
    [
      "day > 2026-12-24",
      "day > 2026-12-24",
      "Write a day in quotes, such as '2026-03-29', or add days: today + 3 days.",
      "day > '2026-12-24'",
    ],
    ["day > '24.12.2026'", "'24.12.2026'", "Write it as '2026-03-29'.", "day > '2026-12-24'"],
    ["seats == '4'", "seats == '4'", "Write the number without quotes: 4.", "seats == 4"],
    ["name == x", "x", "Put text in quotes: 'x'.", "name == 'x'"],
    ["kind == tiny_one", "tiny_one", "The values of Room.kind are small, large.", "kind == small"],
    ["kind.small", "small", "Compare it: … == small.", "kind == small"],
    ["kind in small", "small", "Use a name that exists.", "kind in [small]"],
  ])("%s", (wrong, place, hint, right) => {
    const [finding] = findingsOf(filled(points, wrong));
    holds({ points, wrong, right, found: [finding?.code ?? "", place, hint] });
  });
});

describe("in the points", () => {
  const staff = `roles: { staff: signed in }
permissions:
  User: { read: [{ role: staff, fields: [name] }] }
  Task: { read: [staff], create: [staff], update: [staff], delete: none }`;
  const task = `Task:
  fields: { title: text, owner: { type: User, set: user } }`;
  const states = `Task:
  states: [draft, sent, done]
  final: done
  transitions:
    send:   { from: draft, to: sent, by: staff }
    finish: { from: sent, to: done, by: staff }`;

  test.each<[string, Case]>([
    [
      "a type of SQL",
      {
        points: { 3: "Task: { fields: { title: % } }" },
        wrong: "varchar(20)",
        right: "text",
        found: ["UNKNOWN_NAME", "varchar(20)", "Did you mean “text”?"],
      },
    ],
    [
      "a type “reference”",
      {
        points: { 3: "Task: { fields: { title: text, parent: %? } }" },
        wrong: "reference",
        right: "Task",
        found: ["UNKNOWN_NAME", "reference?", "The type of a reference is the entity's name: “type: Room”."],
      },
    ],
    [
      "“optional: true”",
      {
        points: { 3: "Task: { fields: { title: text, note: { type: % } } }" },
        wrong: "text, optional: true",
        right: "text?",
        found: ["UNKNOWN_KEY", "optional", "Add a question mark to the type: “type: text?”."],
      },
    ],
    [
      "a misspelt key",
      {
        points: { 3: "Task: { %: '{title}', fields: { title: text } }" },
        wrong: "lable",
        right: "label",
        found: ["UNKNOWN_KEY", "lable", "Did you mean “label”?"],
      },
    ],
    [
      "a list without brackets",
      {
        points: { 3: "Task: { fields: { title: text, kind: { type: choice, values: % } } }" },
        wrong: "small, large",
        right: "[small, large]",
        found: ["WRONG_SHAPE", "small, large", "Put the items in brackets."],
      },
    ],
    [
      "a text that is the default, without quotes",
      {
        points: { 3: "Task: { fields: { title: { type: text, default: % } } }" },
        wrong: "hello",
        right: `"'hello'"`,
        found: ["UNKNOWN_NAME", "hello", "Put text in quotes: 'hello'."],
      },
    ],
    [
      "“tomorrow”",
      {
        points: { 3: "Task: { fields: { title: text, day: { type: date, default: % } } }" },
        wrong: "tomorrow",
        right: "today + 1 day",
        found: ["UNKNOWN_NAME", "tomorrow", "Write today + 1 day."],
      },
    ],
    [
      "computed fields in a circle by two ways",
      {
        points: {
          3: `Order: { fields: { net: { type: decimal, computed: "%" }, tax: { type: decimal, computed: net * 0.2 }, gross: { type: decimal, computed: net + tax } } }`,
        },
        wrong: "gross - tax",
        right: "1.5 * 3",
        found: ["CYCLE", "gross - tax", "Compute one of these fields from other fields."],
      },
    ],
    [
      "an entity in the plural",
      {
        points: { 2: "/tasks: { list: % }", 3: task },
        wrong: "Tasks",
        right: "Task",
        found: ["UNKNOWN_NAME", "Tasks", "Did you mean “Task”?"],
      },
    ],
    [
      "a field in camel case",
      {
        points: { 3: "Task: { fields: { title: text, %: date } }" },
        wrong: "firstDay",
        right: "first_day",
        found: [
          "BAD_NAME",
          "firstDay",
          "Did you mean “first_day”? Names consist of letters, digits and underscores, without spaces.",
        ],
      },
    ],
    [
      "an address with a colon",
      {
        points: { 2: "/tasks: { list: Task }\n%: { record: Task }", 3: task },
        wrong: "/tasks/:id",
        right: "/tasks/{id}",
        found: ["BAD_VALUE", "/tasks/:id", "Write for example /tasks/{id}."],
      },
    ],
    [
      "an order of SQL",
      {
        points: { 2: "/tasks: { list: Task, sort: [%] }", 3: task },
        wrong: "title DESC",
        right: "-title",
        found: ["BAD_VALUE", "title DESC", "Did you mean “-title”?"],
      },
    ],
    [
      "a state that was misspelt in a transition",
      {
        points: { 3: task, 4: states.replace("from: sent", "from: %"), 6: staff },
        wrong: "snet",
        right: "sent",
        found: ["UNKNOWN_NAME", "snet", "Did you mean “sent”?"],
      },
    ],
    [
      "a permission for a state that there is not",
      {
        points: {
          3: task,
          4: states,
          6: staff.replace("update: [staff]", 'update: [{ role: staff, when: "state == %" }]'),
        },
        wrong: "under_review",
        right: "draft",
        found: ["UNKNOWN_NAME", "under_review", "The values of Task.state are draft, sent, done."],
      },
    ],
    [
      "a role that nobody declared",
      {
        points: { 3: task, 6: staff.replace("delete: none", "delete: %") },
        wrong: "supervisor",
        right: "staff",
        found: [
          "UNKNOWN_NAME",
          "supervisor",
          "Declare it under “roles” in point 6, or use one of these: administrator, staff.",
        ],
      },
    ],
    [
      "nobody as a role",
      {
        points: { 3: task, 6: staff.replace("delete: none", "delete: %") },
        wrong: "nobody",
        right: "none",
        found: ["UNKNOWN_NAME", "nobody", "Write “none” if no one can do it."],
      },
    ],
    [
      "who holds a role, in the place of the role",
      {
        points: { 3: task, 6: staff.replace("delete: none", "delete: %") },
        wrong: "signed in",
        right: "staff",
        found: [
          "BAD_NAME",
          "signed in",
          "Declare a role under “roles” in point 6, such as “member: signed in”, and use its name here.",
        ],
      },
    ],
    [
      "a duration without its unit",
      {
        points: {
          3: task,
          4: states.replace("by: staff }", "timeout: % }"),
          6: staff,
        },
        wrong: "14",
        right: "14 days",
        found: ["TYPES_DIFFER", "14", "Add the unit: 14 days, or 14 hours."],
      },
    ],
    [
      "a misspelt unit of a constant that several places read",
      {
        points: {
          3: "Task: { fields: { day: { type: date, default: today + usual }, last: { type: date, default: today + usual } } }",
          9: "usual: %",
        },
        wrong: "2 wekes",
        right: "2 weeks",
        found: ["BAD_VALUE", "2 wekes", "Did you mean “2 weeks”?"],
      },
    ],
    [
      "a message in the place of an error",
      {
        points: { 3: task, 5: "Task: [{ rule: size(title) > 3, % }]", 8: "SHORT: Too short." },
        wrong: "message: SHORT",
        right: "else: SHORT",
        found: ["UNKNOWN_KEY", "message", "Did you mean “else”?"],
      },
    ],
  ])("%s", (_, about) => holds(about));
});

test("never applies a fix that guesses", () => {
  const text = filled(
    { 3: rooms, 5: 'Room: [{ rule: "%", else: WRONG }]', 8: "WRONG: No." },
    "seats > 1 AND len(name) > 3",
  );
  const { findings } = compile({ file: "case.md", text });
  expect(findings.filter(({ fix }) => fix !== undefined).map(({ code, nearest }) => [code, nearest])).toEqual([
    ["BAD_EXPRESSION", undefined],
    ["UNKNOWN_NAME", "size"],
  ]);
});
