import { describe, expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";
import { documentOf, findingsOf } from "./documents.ts";

/* Findings about what authors who know the reference wrote first, with the advice that leads them on. */

const hintsOf = (points: Readonly<Record<number, string>>): readonly string[] =>
  findingsOf(documentOf(points)).map(({ code, message, hint }) => `${code} ${message} ${hint}`);

const fields = (more: string) => ({ 3: `Case:\n  fields: { title: text, ${more} }` });

describe("a limit that only a rule can set", () => {
  test.each([
    ["born: { type: date, max: today }", "A limit that moves is a rule of point 5: “rule: born <= today”."],
    [
      "due: { type: datetime, min: now + 1 hour }",
      "A limit that moves is a rule of point 5: “rule: due >= now + 1 hour”.",
    ],
    [
      "plans: { type: file, many: true, max: 20 }",
      "A rule of point 5 can limit their number: “rule: size(plans) <= 20”.",
    ],
  ])("%s", (field, hint) => {
    expect(hintsOf(fields(field))).toEqual([expect.stringContaining(hint)]);
  });
});

const roles = `
roles:
  clerk: granted
  boss:  granted
  Case: { owner: by == user }
permissions:
  Case: { read: clerk, create: clerk }
deputies: { for: [clerk, owner], up to: 3 days }`;

describe("a text that is no value of the list in which it is looked for", () => {
  const six =
    "roles: { clerk: granted, guest: signed in }\npermissions: { Case: { read: [clerk, guest], create: clerk } }";
  const hints = (when: string) =>
    hintsOf({
      3: "Case:\n  fields: { title: text, tags: { type: choice, values: [red, blue], many: true }, kind: { type: choice, values: [small, large] } }",
      4: `Case: { after: { create: { notify: "User.filter(u, ${when})", text: "{title}" } } }`,
      6: six,
    });
  test("a role", () => {
    expect(hints("'clerk' in u.roles || 'administrator' in u.roles")).toEqual([]);
    expect(hints("'clark' in u.roles")).toEqual([
      "NEVER_TRUE “roles” never contains “clark”, because there is no such role. Did you mean “clerk”?",
    ]);
    const clark = "NEVER_TRUE “roles” never contains “clark”, because there is no such role. Did you mean “clerk”?";
    expect(hints("u.roles.exists(r, r == 'clark')")).toEqual([clark]);
    expect(hints("u.roles.exists(r, r in ['clerk', 'clark'])")).toEqual([clark]);
    expect(hints("User.exists(o, o != u && size(o.roles.filter(r, r != 'clark')) > 0)")).toEqual([clark]);
    expect(hints("!('boss' in u.roles)")).toEqual([
      "NEVER_TRUE “roles” never contains “boss”, because there is no such role. “roles” contains what an administrator grants: clerk, administrator.",
    ]);
    expect(hints("'guest' in u.roles")).toEqual([
      "NEVER_TRUE “roles” never contains guest, because nobody grants this role. “roles” contains what an administrator grants: clerk, administrator.",
    ]);
  });
  test("a role that nothing else uses", () => {
    const unused = (when: string) =>
      hintsOf({
        3: "Case: { fields: { title: text } }",
        4: `Case: { after: { create: { notify: "User.filter(u, ${when})", text: "{title}" } } }`,
        6: "roles: { clerk: granted, boss: granted }\npermissions: { Case: { read: clerk, create: clerk } }",
      }).filter((hint) => hint.startsWith("UNUSED_ROLE"));
    expect(unused("'clerk' in u.roles")).toEqual([
      "UNUSED_ROLE Nothing uses the role boss. Give it a permission, or remove it.",
    ]);
    expect(unused("'boss' in u.roles")).toEqual([]);
  });
  test("a value of a choice", () => {
    const near = ["TYPES_DIFFER Case.kind has no value “smal”. Did you mean “small”?"];
    expect(hints("u.name == 'x' || kind in ['large', 'smal']")).toEqual(near);
    expect(hints("'bleu' in tags")).toEqual(["TYPES_DIFFER Case.tags has no value “bleu”. Did you mean “blue”?"]);
  });
});

test("a role on records, named where only roles everywhere count", () => {
  const hints = hintsOf({
    ...fields("by: { type: User, set: user }"),
    2: "/cases: { list: Case, for: owner }",
    6: roles,
  });
  expect(hints.filter((hint) => hint.startsWith("UNKNOWN_NAME"))).toEqual([
    "UNKNOWN_NAME There is no role “owner”. People have it on single records of Case, so it can’t be used here. Use a role that they have everywhere: administrator, clerk, boss.",
  ]);
});

test("a role of another entity, once although deputies have it too", () => {
  const hints = hintsOf({
    3: "Case:\n  fields: { title: text, by: { type: User, set: user } }\nNote:\n  fields: { case: Case, text: text }",
    6: `${roles.replace("Case: { read: clerk, create: clerk }", "Case: { read: clerk }\n  Note: { read: owner }")}`,
  });
  expect(hints.filter((hint) => hint.startsWith("UNKNOWN_NAME"))).toEqual([
    expect.stringContaining("There is no role “owner”. Case has this role on its records."),
  ]);
});

test.each(["user.name == 'Ada'", "{ when: user.name == 'Ada' }"])("a role because of a field: %s", (written) => {
  const hints = hintsOf({ ...fields("by: User?"), 6: `roles: { ada: "${written}" }`.replace(/"(\{.*\})"/u, "$1") });
  expect(hints).toEqual([
    "BAD_VALUE The role ada is declared for everything, so it can’t have a condition. Declare it for the records of each entity that names it: “Invoice: { ada: user.name == 'Ada' }”. The condition can read “user”.",
  ]);
});

test("a reference that people should choose to register", () => {
  const hints = hintsOf({
    3: "Office: { fields: { code: text } }\nUser: { fields: { office: Office? } }",
    7: "sign in: { sign up: { asks: office } }",
  });
  expect(hints).toEqual([expect.stringContaining("computed: Office.one(x, x.code == code)”.")]);
});

test("a path parameter of the record above", () => {
  const hints = hintsOf({
    3: "Case:\n  fields: { number: text }\nNote:\n  fields: { of: Case, text: text }",
    7: "calls: { 'POST /cases/{number}/notes': { create: Note, takes: { text } } }",
  });
  expect(hints).toEqual([expect.stringContaining("that ends in one, such as {of.number}.")]);
});

test("a letter with a table of a field that is no list", () => {
  const hints = hintsOf({
    2: "/cases/{id}/letter: { letter: Case, text: [{ table: title, columns: [text] }] }",
    3: "Case:\n  fields: { title: text }",
  });
  expect(hints).toEqual([expect.stringContaining("A table shows the other side of a reference")]);
});

describe("OPTIONAL_UNGUARDED", () => {
  const warned = (rule: string) => {
    const { findings } = compile({
      file: "case.md",
      text: documentOf({
        3: "Case:\n  fields: { spent: integer, price: integer?, note: text?, of: Case? }",
        4: `Case:
  states: [open, closed]
  final: closed
  transitions: { close: { from: open, to: closed, by: clerk, needs: 2, recorded in: closed_by, asks: [price, of] } }`,
        5: `Case: [${rule}]`,
        6: "roles: { clerk: granted }\npermissions: { Case: { read: clerk, create: clerk, update: clerk } }",
        8: "WRONG: That is wrong.",
      }),
    });
    return findings.filter(({ code }) => code === "OPTIONAL_UNGUARDED").map(({ message }) => message);
  };

  test("names what can be missing within a sum, and the former value", () => {
    expect(warned('{ rule: "spent + price <= 90", else: WRONG }')).toEqual([
      "If price is missing, this rule refuses the record.",
    ]);
    expect(warned('{ rule: "price >= old.price", when: "price != null", else: WRONG }')).toEqual([
      "If old.price is missing, this rule refuses the record.",
    ]);
  });

  test("is silent about what several people give, and about values that must not change", () => {
    expect(warned('{ rule: "price <= spent", during: close, else: WRONG }')).toEqual([]);
    expect(warned('{ rule: "price == old.price", when: "price != null", else: WRONG }')).toEqual([]);
    expect(warned('{ rule: "note == old.note", else: WRONG }')).toEqual([]);
    // A required field of a record that the transition asks for is there too.
    expect(warned('{ rule: "of.spent > 3", during: close, else: WRONG }')).toEqual([]);
    expect(warned('{ rule: "of.price > 3", during: close, else: WRONG }')).toHaveLength(1);
  });
});

test("a number in place of an amount leads to a constant", () => {
  const { findings } = compile({
    file: "case.md",
    text: documentOf({
      3: 'Case: { fields: { count: integer, fee: { type: money, computed: "31 * decimal(count)" } } }',
    }),
  });
  expect(findings.filter(({ code }) => code === "TYPES_DIFFER").map(({ hint }) => hint)).toEqual([
    "Use a constant of point 9, such as “fee: 310 EUR”.",
  ]);
});

test("rows because of others can name their source", () => {
  const { model } = compile({
    file: "case.md",
    text: documentOf({
      3: `
Case:
  fields: { from: date, to: date, tags: { type: text, many: true } }
Day:
  rows of: { case: Case, day: "days(case.from, case.to)", tag: case.tags }
  where: "case.from <= day"`,
      6: "roles: { clerk: granted }\npermissions: { Case: { read: clerk, create: clerk, update: clerk }, Day: { read: clerk } }",
    }),
  });
  expect(model?.entities.get("Day")?.rows?.sources.map(({ name }) => name)).toEqual(["case", "day", "tag"]);
});
