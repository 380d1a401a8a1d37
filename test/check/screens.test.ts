import { describe, expect, test } from "vitest";
import { found, foundOne } from "./documents.ts";

const entity = `Case:
  fields:
    title:  text
    secret: text?`;

const withScreens = (screens: string, permissions: string, more: Readonly<Record<number, string>> = {}) => ({
  2: screens,
  3: entity,
  6: `roles: { ${permissions.includes("lead") ? "lead: granted, " : ""}clerk: granted }\npermissions:\n  Case: ${permissions}`,
  ...more,
});

const all = "{ read: [clerk], create: [clerk], update: [lead] }";
const without =
  "{ read: [{ role: clerk, fields: [title] }, { role: lead, fields: [title] }], create: [clerk], update: [lead] }";

describe("NOBODY_READS", () => {
  test("finds a screen whose records no one can read", () => {
    const document = withScreens("/cases: { list: Case }", "{ read: none, create: [{ role: clerk }] }");
    expect(found(document)).toContain("NOBODY_READS 2./cases «/cases»");
  });

  test("nobody who sees it can read what it is grouped by", () => {
    const screens = "/cases: { list: Case, columns: [title], group: [secret] }";
    const document = { ...withScreens(screens, without), 3: entity.replace("secret: text?", "secret: boolean?") };
    expect(found(document)[0]).toMatch(/^NOBODY_READS 2\.\/cases\S* «secret»$/u);
    expect(foundOne(document).message).toContain("shows secret to group by, but no one who sees the screen");
  });

  test.each([
    ["a column", "/cases: { list: Case, columns: [title, secret] }", "as a column"],
    ["a filter", "/cases: { list: Case, columns: [title], filters: [secret] }", "as a filter"],
    ["what it is sorted by", "/cases: { list: Case, columns: [title], sort: [-secret] }", "to sort by"],
    ["a section", "/cases/{id}: { record: Case, sections: [{ fields: [title, secret] }] }", "in a section"],
  ])("nobody who sees it can read %s", (_, screens, as) => {
    const document = withScreens(screens, without);
    const [only] = found(document);
    expect(only).toMatch(/^NOBODY_READS 2\.\/cases\S* «-?secret»$/u);
    expect(foundOne(document).message).toContain(`shows secret ${as}, but no one who sees the screen (clerk or lead)`);
  });

  test("finds a role to which a list is sent that can read none of its records", () => {
    const screens = "/cases: { list: Case, columns: [title], send: { every: day 8:00, to: lead } }";
    const roles = "roles: { lead: granted, clerk: granted }\npermissions:\n  Case: { read: [clerk], create: [clerk] }";
    expect(foundOne(withScreens(screens, all, { 6: roles })).message).toBe(
      "/cases is sent to lead, but lead can’t read any Case.",
    );
  });

  test("checks only the roles that a screen is for", () => {
    const permissions = "{ read: [clerk, { role: lead, fields: [title] }], create: [clerk] }";
    expect(found(withScreens("/cases: { list: Case, columns: [secret], for: clerk }", permissions))).toEqual([]);
    expect(found(withScreens("/cases: { list: Case, columns: [secret], for: lead }", permissions))).toEqual([
      "NOBODY_READS 2./cases «secret»",
    ]);
    const document = withScreens("/cases: { list: Case, for: [clerk, lead] }", "{ read: [clerk], create: [clerk] }");
    const withLead = { ...document, 6: document[6].replace("clerk: granted", "clerk: granted, lead: granted") };
    expect(foundOne(withLead).message).toBe("/cases is for lead, but lead can’t read any Case.");
  });

  test("ignores the creation time, which is not a field", () =>
    expect(
      found(withScreens("/cases: { list: Case, columns: [title, created_at], sort: [-updated_at] }", without)),
    ).toEqual([]));

  test("accepts a column that some readers of the screen can read", () => {
    const some = "{ read: [{ role: clerk, fields: [title] }, lead], create: [clerk, lead], update: [lead] }";
    expect(found(withScreens("/cases: { list: Case, columns: [title, secret] }", some))).toEqual([]);
  });

  test("finds a transition that asks for a field that no one can read", () => {
    const states = {
      4: `Case:
  final: [done]
  states: [open, done]
  transitions:
    finish: { from: open, to: done, by: lead, asks: [secret] }`,
    };
    expect(found(withScreens("none", without, states))).toEqual(["NOBODY_READS 4.Case.finish «secret»"]);
    expect(found(withScreens("none", all.replace("[clerk]", "[clerk, lead]"), states))).toEqual([]);
  });

  test("finds a value in the dialog of a transition that no one who makes it can read", () => {
    const states = (by: string) => ({
      4: `Case:
  final: [done]
  states: [open, done]
  transitions:
    finish: { from: open, to: done, by: ${by}, shows: [title, secret] }`,
    });
    const permissions = "{ read: [clerk, { role: lead, fields: [title] }], create: [clerk], update: [clerk] }";
    expect(foundOne(withScreens("none", permissions, states("lead"))).message).toBe(
      "The dialog of finish shows secret, but no one who can make finish can read it.",
    );
    expect(found(withScreens("none", permissions, states("[lead, clerk]"))).join()).not.toContain("NOBODY_READS");
  });

  test("finds a reference through which a dialog shows a value, if no one who makes the transition can read it", () => {
    const document = {
      3: "Place: { fields: { name: text } }\nCase: { fields: { title: text, place: Place } }",
      4: `Case:
  final: [done]
  states: [open, done]
  transitions:
    finish: { from: open, to: done, by: lead, shows: place.name }`,
      6: "roles: { lead: granted, clerk: granted }\npermissions:\n  Place: { read: [clerk, lead], create: clerk }\n  Case: { read: [clerk, { role: lead, fields: [title] }], create: clerk }",
    };
    expect(found(document)).toEqual(["NOBODY_READS 4.Case.finish «finish»"]);
  });

  test("a dialog shows fields that exist, and no values that it asks for", () => {
    const states = (shows: string) => ({
      4: `Case:
  final: [done]
  states: [open, done]
  transitions:
    finish: { from: open, to: done, by: clerk, asks: title, shows: ${shows} }`,
    });
    const all = "{ read: [clerk], create: [clerk], update: [clerk] }";
    const findingsOf = (shows: string) => found(withScreens("none", all, states(shows))).join();
    expect(findingsOf("secret")).toBe("");
    expect(findingsOf("[secrets]")).toContain("UNKNOWN_NAME");
    expect(findingsOf('["title + secret"]')).toContain("BAD_VALUE 4.Case.finish");
    expect(findingsOf("[title]")).toContain("BAD_VALUE 4.Case.finish");
    expect(findingsOf("[secret, secret]")).toContain("NAME_TWICE 4.Case.finish");
  });

  test("accepts a document without permissions", () =>
    expect(found({ 2: "/cases: { list: Case }", 3: entity })).toEqual([]));
});

describe("NOBODY_WRITES", () => {
  const form = "/cases/new: { form: Case, fields: [title] }";

  test("finds a form whose fields no one can write", () => {
    const document = withScreens(form, "{ read: [clerk], create: none, update: [{ role: clerk, fields: [secret] }] }");
    expect(found(document)).toEqual(["NOBODY_WRITES 2./cases/new «/cases/new»"]);
  });

  test("accepts a form with one writable field", () => {
    expect(found(withScreens(form, "{ read: [clerk], create: [clerk] }"))).toEqual([]);
    expect(found(withScreens(form, "{ read: [clerk], update: [{ role: clerk, fields: [title] }] }"))).toEqual([]);
  });

  test("finds a field that is never written", () => {
    const permissions = "{ read: [clerk], create: [{ role: clerk, fields: [title] }] }";
    const document = withScreens("none", permissions);
    expect(found(document)).toEqual(["NOBODY_WRITES 3.Case.secret «secret»"]);
    expect(foundOne(document).message).toBe("No permission, transition or effect ever writes secret of a case.");
  });

  test.each([
    ["a transition asks for it", "asks: [secret]"],
    ["a transition sets it", `set: { secret: "'closed'" }`],
  ])("%s", (_, says) =>
    expect(
      found(
        withScreens("none", "{ read: [clerk], create: [{ role: clerk, fields: [title] }] }", {
          4: `Case:
  final: [done]
  states: [open, done]
  transitions:
    finish: { from: open, to: done, by: clerk, ${says} }`,
        }),
      ),
    ).toEqual([]),
  );

  test.each([
    ["changes", `{ update: parent, set: { secret: "'late'" } }`],
    ["creates with", `{ create: Case, set: { title: "'Next'", parent: parent, secret: "'late'" } }`],
    ["puts", `{ put: Case, key: title, set: { title: "'Sum'", parent: parent, secret: "'late'" } }`],
    ["makes a transition with", `{ make: finish, of: parent, set: { secret: "'late'" } }`],
  ])("an effect of another entity %s it", (_, effect) =>
    expect(
      found({
        3: `Case:
  fields: { title: { type: text, unique: true }, secret: text?, parent: Case? }
Remark:
  fields: { parent: Case, text: text }`,
        4: `Case:
  final: [done]
  states: [open, done]
  transitions:
    finish: { from: open, to: done, by: clerk }
Remark:
  after: { create: ${effect} }`,
        6: `roles: { clerk: granted }
permissions:
  Case: { read: [clerk], create: [{ role: clerk, fields: [title, parent] }] }
  Remark: { read: [clerk], create: [clerk] }`,
      }),
    ).toEqual([]),
  );

  test("accepts a field that a seed record sets", () =>
    expect(
      found({
        3: `Kind:
  fields: { name: text, rate: integer? }
  records:
    travel: { name: Travel, rate: 3 }`,
        6: `roles: { clerk: granted }
permissions:
  Kind: { read: [clerk], create: [{ role: clerk, fields: [name] }] }`,
      }),
    ).toEqual([]));
});

describe("a screen that is sent", () => {
  const send = (sent: string, main = "list: Case") =>
    withScreens(`/cases: { ${main}, send: ${sent} }`, "{ read: [clerk], create: [clerk] }");

  test.each(["day 8:00", "working day 08:30", "monday 23:59", "month 00:00"])("takes %s", (every) => {
    expect(found(send(`{ every: ${every}, to: clerk }`))).toEqual([]);
  });

  test.each([
    ["Mondays at 8:00", "Did you mean “monday 08:00”?"],
    ["workday 08:00", "Write a day and a time"],
    ["monday 24:00", "Write a day and a time"],
  ])("refuses %s", (every, hint) => {
    const finding = foundOne(send(`{ every: ${every}, to: clerk }`));
    expect([finding.code, finding.message]).toEqual(["BAD_VALUE", `“${every}” is not a schedule.`]);
    expect(finding.hint).toContain(hint);
  });

  test("is a list or an overview, and only a list has rows to attach", () => {
    expect(foundOne(send("{ every: day 8:00, to: clerk }", "form: Case, fields: [title]")).message).toBe(
      "A form can’t be sent.",
    );
    expect(foundOne(send("{ every: day 8:00, to: clerk, attach: csv }", "tiles: [{ count: Case }]")).message).toBe(
      "An overview has no rows to attach.",
    );
  });
});
