import { describe, expect, test } from "vitest";
import { type ReadOptions, readRule } from "../../src/core/expression/type-check/type-check.ts";
import type { Scope, Type } from "../../src/core/expression/values/type.ts";
import { leave } from "./leave.ts";

const read = (text: string, scope: Scope = leave, expected?: Type, options?: ReadOptions) =>
  readRule(text, { file: "leave.md", start: 0, end: text.length }, scope, expected, options);

/** The findings as `CODE “part” message`. */
const wrong = (text: string, scope?: Scope, expected?: Type) =>
  read(text, scope, expected).findings.map(
    ({ code, span, message }) => `${code} “${text.slice(span.start, span.end)}” ${message}`,
  );

const condition: Type = { kind: "boolean" };

describe("every expression of the reference is well typed", () => {
  const named: Scope = { ...leave, names: new Map([["taken", { type: { kind: "integer" }, optional: false }]]) };
  test.each([
    ["status == submitted && employee.manager == user"],
    ["status == granted && first_day <= end_of_week(today) && last_day >= today"],
    ["last_day >= first_day"],
    ["kind != sick || size(proof) > 0"],
    ["taken <= employee.allowance"],
    ["status in [submitted, granted]"],
    ["status in ['submitted', granted]"],
    ["this != user", "User"],
    ["employee == user"],
  ])("%s", (text, entity = "Request") => {
    expect(wrong(text, { ...named, entity }, condition)).toEqual([]);
  });
  test.each([
    ["days_between(first_day, last_day) + 1", { kind: "integer" }],
    ["month_of(first_day)", { kind: "date" }],
    ["limits.yearly_allowance", { kind: "integer" }],
    ["'not decided in time'", { kind: "text" }],
    ["user", { kind: "record", entity: "User" }],
    [
      "Request.filter(r, r.employee == employee && r.status in [submitted, granted]\n && year(r.first_day) == year(first_day)).map(r, r.days).sum()",
      { kind: "integer" },
    ],
  ] satisfies [string, Type][])("%s", (text, type) => {
    expect(read(text, leave, type)).toMatchObject({ findings: [], value: { type, missing: false } });
  });
});

describe("names", () => {
  test.each([
    ["statu == draft", "UNKNOWN_NAME “statu” “statu” is not a known name here."],
    ["status == submited", "UNKNOWN_NAME “submited” “submited” is not a value of Request.status here."],
    ["employee.manger == user", "UNKNOWN_NAME “manger” User has no “manger”."],
    ["limits.yearly > 1", "UNKNOWN_NAME “yearly” limits has no “yearly”."],
    ["sizes(proof) > 0", "UNKNOWN_NAME “sizes” There is no function “sizes”."],
    ["Requests.exists(r, true)", "UNKNOWN_NAME “Requests” “Requests” is not a known name here."],
    ["old.days > 1", "UNKNOWN_NAME “old” “old” is not a known name here."],
    ["days.name", "TYPES_DIFFER “name” A whole number has no fields."],
    ["comments.text", "TYPES_DIFFER “text” A list (each a Comment) has no fields."],
    ["Request.exists(days, true)", "NAME_TWICE “days” “days” already has another meaning here."],
    ["size(Request.map(r, r.comments)) > 1", "BAD_EXPRESSION “r.comments” There are no lists of lists."],
    ["Request.exists(r, r.x)", "UNKNOWN_NAME “x” Request has no “x”."],
  ])("%s", (text, finding) => expect(wrong(text)).toEqual([finding]));

  test("a similar name is offered as a fix", () => {
    const [finding] = read("status == submited").findings;
    expect(finding).toMatchObject({
      hint: "Did you mean “submitted”?",
      nearest: "submitted",
      fix: [{ span: { file: "leave.md", start: 10, end: 18 }, text: "submitted" }],
    });
  });

  test("a field of another type is not offered beside a choice", () => {
    const [finding] = read("status == day").findings;
    expect(finding).not.toHaveProperty("fix");
    expect(finding?.hint).toMatch(/^The values of Request\.status are /u);
  });

  test("a value that is also a field is a clash on either side", () => {
    const request = leave.entities.get("Request");
    const holiday = { name: "holiday", type: condition, optional: false, column: "holiday" };
    const fields = new Map(request?.fields).set("holiday", holiday);
    const scope: Scope = {
      ...leave,
      entities: new Map([...leave.entities, ["Request", { name: "Request", table: "request", fields }]]),
    };
    const clash = "AMBIGUOUS_NAME “holiday” “holiday” is both a value of Request.kind and the field holiday.";
    expect(wrong("kind == holiday", scope)).toEqual([clash]);
    expect(wrong("holiday == kind", scope)).toEqual([clash]);
    expect(wrong("kind in [sick, holiday]", scope)).toEqual([clash]);
    expect(wrong("kind == 'holiday' && this.holiday", scope)).toEqual([]);
  });

  test("names of the context can contain dots", () => {
    const scope: Scope = { ...leave, names: new Map([["input.kind", { type: { kind: "text" }, optional: true }]]) };
    expect(wrong("input.kind == 'x'", scope)).toEqual([]);
    expect(wrong("input.knd == 'x'", scope)).toEqual(["UNKNOWN_NAME “knd” input has no “knd”."]);
  });

  test("without a user or a record, both names are unknown", () => {
    const scope: Scope = { ...leave, user: false, entity: "" };
    expect(wrong("user.name == 'x'", scope)).toEqual(["UNKNOWN_NAME “user” There is no “user” here."]);
    expect(wrong("days > 1", scope)).toEqual(["UNKNOWN_NAME “days” “days” is not a known name here."]);
  });
});

describe("types", () => {
  test.each([
    ["first_day + 1", "A whole number can’t be added to a date."],
    ["last_day - first_day", "A date can’t be subtracted from a date."],
    ["days && true", "“&&” needs conditions, but this is a whole number."],
    ["days > 1 || note", "“||” needs conditions, but this is a text."],
    ["!days", "“!” needs a condition, but this is a whole number."],
    ["-note", "A text can’t have a minus sign."],
    ["days ? 1 : 2", "“?” needs a condition before it, but this is a whole number."],
    ["days > 1 ? 1 : note", "Both sides of “:” need the same type, but these are a whole number and a text."],
    ["first_day < 'soon'", "“soon” is not a date."],
    ["first_day < '2026-02-30'", "“2026-02-30” is not a date."],
    ["employee == this", "A User can’t be compared with a Request."],
    ["kind == status", "A value of Request.kind can’t be compared with a value of Request.status."],
    ["kind == 'leave'", "Request.kind has no value “leave”."],
    ["kind in ['sik']", "Request.kind has no value “sik”."],
    ["kind < sick", "A value of Request.kind has no order, so “<” can’t compare it."],
    ["days in 3", "“in” needs a list after it, but this is a whole number."],
    ["days in [note]", "A whole number can’t be an element of a list (each a text)."],
    ["proof == proof", "A list (each a file) can’t be compared with “==”."],
    ["cost * cost", "An amount in EUR can’t be multiplied by an amount in EUR."],
    ["cost + days", "A whole number can’t be added to an amount in EUR."],
    ["employee < user", "A User has no order, so “<” can’t compare it."],
    ["year(days)", "“year” does not take a whole number."],
    ["days_between(first_day)", "“days_between” does not take a date."],
    ["note.matches(reason)", "A constant is required here."],
    ["note.matches('(')", "A group is never closed."],
    [
      "add_working_hours(now, 8, 'Mon-Fri 17:00-9:00') > now",
      "“17:00-9:00” ends before it begins. Hours after midnight belong to the next day: “22:00-24:00”, and “00:00-06:00”.",
    ],
    [
      "add_working_hours(now, 8, 'Mon-Fry 9:00-17:00') > now",
      "“Mon-Fry” are not days. Write Mon, Tue, Wed, Thu, Fri, Sat and Sun.",
    ],
    ["add_working_hours(now, 8, 'Mon-Fri 9:00-17:00, Wed 12:00-13:00') > now", "The hours of Wed overlap."],
    [
      "add_working_hours(now, 8, 'Mon 9:00-24:01') > now",
      "“9:00-24:01” is not a range of times between 00:00 and 24:00.",
    ],
    [
      "add_working_hours(now, 8, '9:00-17:00') > now",
      "“9:00-17:00” needs its days. Write them as in “Mon-Fri 09:00-17:00”.",
    ],
    [
      "add_working_hours(now, 8, 'weekdays') > now",
      "“weekdays” are not working hours. Write them as in “Mon-Fri 09:00-17:00”.",
    ],
    ["add_working_hours(now, 8, note) > now", "A constant is required here."],
    ["add_working_hours(now, 8) > now", "“add_working_hours” does not take a date with its time and a whole number."],
    ["round(1.5, 11)", "A number can be rounded to 0 to 10 places."],
    ["days.filter(d, true)", "“filter” needs a list, but this is a whole number."],
    ["comments.filter(true)", "“filter” takes a name and an expression."],
    ["comments.filter(c, c.text)", "This is a text, but a condition is required here."],
    ["(days > 1) == null", "A condition is never missing."],
    ["comments != null", "A list (each a Comment) is never missing."],
    ["99999999999999999999999999999", "This number is too long."],
    ["[days, note]", "This is a text, but a whole number is required here."],
  ])("%s", (text, message) => expect(read(text).findings.map((finding) => finding.message)).toEqual([message]));

  test.each([
    ["first_day < '2026-02-28'"],
    ["cost > 100 && cost > 99.95"],
    ["100 < cost"],
    ["cost in [100, 200]"],
    ["days / 2 > 1.5"],
    ["year(now) == year(first_day)"],
    ["now - 14 days > now - limits.decision_time"],
    ["null == note"],
    ["kind == (days > 3 ? sick : holiday)"],
    ["(days > 3 ? sick : kind) == sick"],
    ["kind == (days > 3 ? 'sick' : 'holiday')"],
    ["(days > 3 ? 'sick' : days > 2 ? 'holiday' : null) == kind"],
    ["'sick' == kind"],
    ["[1, 2.5].sum() > 1"],
    ["user in [employee, employee.manager]"],
    ["employee in Request.map(r, r.employee)"],
    ["comments.count(c, c.author == user) > 1"],
    ["Request.one(r, r != this).days == days"],
    ["Request.filter(r, r != this).last(r, r.first_day).days == days"],
  ])("%s is well typed", (text) => expect(wrong(text, leave, condition)).toEqual([]));

  test("one mistake gives one finding", () => {
    expect(wrong("(statu == draft || days > 3) && size(proof) > 0", leave, condition)).toHaveLength(1);
    expect(wrong("(statu.x.y + 1) * 2 > days", leave, condition)).toHaveLength(1);
    for (const text of ["days = 1", "days > 1 and score > 3", "not (days > 1)", "days => 1", "days ` 1", "(score > 1"])
      expect(wrong(text, leave, condition), text).toHaveLength(1);
  });

  test("a certain correction is offered as a fix", () => {
    const fixes = (text: string) => read(text, leave, condition).findings.map(({ fix }) => fix?.[0]?.text);
    expect(fixes("days = 1 and not(score > 2)")).toEqual(["==", "&&", "!"]);
    expect(fixes("kind == 'sik'")).toEqual(["sick"]);
    expect(read("first_day + 1").findings[0]?.hint).toBe("Add the unit: 1 day.");
    expect(read("last_day - first_day").findings[0]?.hint).toBe(
      "Write days_between(first, last) for the number of days.",
    );
    expect(read("year(days)").findings[0]?.hint).toBe("It takes a date.");
    expect(read("days + note").findings[0]?.hint).toBe("“+” takes a whole number and a whole number.");
  });

  test("the type of the whole expression must fit its place", () => {
    expect(wrong("days", leave, condition)).toEqual([
      "TYPES_DIFFER “days” This is a whole number, but a condition is required here.",
    ]);
    expect(read("days", leave, { kind: "decimal" }).value).toMatchObject({ kind: "call", row: "decimal(integer)" });
    expect(read("sick", leave, { kind: "choice", of: "Request.kind", values: ["sick"] }).value).toMatchObject({
      kind: "constant",
      value: "sick",
    });
  });

  test("an expression that would make too much SQL is refused", () => {
    const nested = (depth: number): string => (depth === 0 ? "1.5" : `round(${nested(depth - 1)} * days, 2)`);
    expect(wrong(nested(3))).toEqual([]);
    expect(read(nested(6)).findings).toMatchObject([{ message: "This expression is too complex." }]);
  });
});

describe("missing values", () => {
  test.each([
    ["note", true],
    ["days", false],
    ["employee.manager", true],
    ["employee.name", false],
    ["employee.manager.name", true],
    ["user", false],
    ["user.name", true],
    ["score + 1", true],
    ["days + 1", false],
    ["days / 2", false],
    ["days / days", true],
    ["size(note)", false],
    ["score == null ? 0 : score", false],
    ["score != null ? score : 0", false],
    ["score != null ? 0 : score", true],
    ["score > 3 ? score : 0", false],
    ["!(score == null || days > 3) ? score : 0", false],
    ["employee.manager.name != null ? employee.manager : user", false],
    ["comments.map(c, c.text).max()", true],
    ["comments.count()", false],
    ["[score].sum()", false],
  ])("%s: %s", (text, missing) => expect(read(text).value?.missing).toBe(missing));

  const warned = (text: string, guard?: string) => {
    const known = guard === undefined ? undefined : read(guard).value;
    const options = { unguarded: [], ...(known ? { guard: known } : {}) };
    return read(text, leave, condition, options).findings.map(({ span }) => text.slice(span.start, span.end));
  };
  test.each([
    ["score > 3", ["score"]],
    ["score + 1 > days && note == 'x'", ["score + 1", "note"]],
    ["note == reason", []],
    ["score != 3", []],
    ["score == null || score > 3", []],
    ["score != null && score > 3", []],
    ["!(score != null && score < 3)", []],
    ["!(score < 3)", []],
    ["!!(score < 3)", ["score"]],
    ["score in [1, 2]", ["score"]],
    ["note.contains('x')", ["note"]],
    ["size(note) > 3", []],
    ["employee.manager == user", ["employee.manager"]],
    ["Request.exists(r, r.score > 3)", []],
    ["Request.all(r, r.score > 3)", ["r.score"]],
  ])("%s warns of %j", (text, parts) => expect(warned(text)).toEqual(parts));

  test("a rule that is checked only if the field is present needs no guard", () => {
    expect(warned("score > 3", "score != null")).toEqual([]);
    expect(warned("score > 3", "days > 3")).toEqual(["score"]);
  });

  test("a warning does not keep the rule from running", () => {
    expect(read("score > 3", leave, condition, { unguarded: ["score"] }).findings).toEqual([]);
    const { value, findings } = read("score > 3", leave, condition, { unguarded: [] });
    expect(value).toBeDefined();
    expect(findings).toMatchObject([{ code: "OPTIONAL_UNGUARDED", severity: "warning" }]);
  });
});

test("a finding has the position of its part, also in folded YAML text", () => {
  const text = "days > 3 && statu == draft";
  const folded = (offset: number) => 100 + offset + (offset >= 12 ? 7 : 0);
  const { findings } = readRule(text, { file: "f", start: 100, end: 140 }, leave, condition, { locate: folded });
  expect(findings[0]?.span).toEqual({ file: "f", start: 119, end: 124 });
});
