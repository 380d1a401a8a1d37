import { describe, expect, test } from "vitest";
import { found, foundOne } from "./documents.ts";

interface Said {
  readonly fields?: string;
  readonly create?: string;
  readonly read: string;
  readonly rules?: string;
}

/** A case that staff create, with given readers and fields. */
const withReaders = ({ fields = "", create = "[staff]", read, rules }: Said) => ({
  3: `User:
  fields: { branch: integer }
Case:
  fields:
    author:   { type: User, set: user }
    assignee: User?
    branch:   integer
    open:     boolean${fields}`,
  4: `Case:
  field: status
  final: [done]
  states: [draft, sent, done]
  transitions:
    send:   { from: draft, to: sent, by: lead }
    finish: { from: sent, to: done, by: lead }`,
  ...(rules === undefined ? {} : { 5: `Case:\n  - { rule: ${rules}, else: WRONG }` }),
  6: `roles:
  staff: signed in
  lead:  granted
permissions:
  User: { read: [staff] }
  Case:
    read:   ${read}
    create: ${create}
    update: [lead]`,
  ...(rules === undefined ? {} : { 8: "WRONG: That cannot be." }),
});

const place = "CREATOR_CANNOT_SEE 6.Case.create «staff»";

describe("accepts creators who can see their records", () => {
  test.each([
    ["it reads them all", "[lead, staff]"],
    ["the program writes who made it", '[lead, { role: staff, when: "author == user" }]'],
    ["it may read what is in the first state", '[lead, { role: staff, when: "status == draft" }]'],
    ["the program writes it, by another path", '[lead, { role: staff, when: "author.branch == user.branch" }]'],
    ["one of several permissions opens", '[lead, { role: staff, when: "open" }, { role: staff, when: "!open" }]'],
    ["a calculation may open it", '[lead, { role: staff, when: "Case.exists(c, c.author == user)" }]'],
  ])("%s", (_, read) => expect(found(withReaders({ read }))).toEqual([]));

  test("accepts a visitor who can’t come back", () => {
    const document = withReaders({ read: "[lead]", create: "[anyone]" });
    expect(
      found({ ...document, 6: document[6].replace("staff: signed in", "staff: signed in\n  anyone: anyone") }),
    ).toEqual([]);
  });
});

describe("CREATOR_CANNOT_SEE", () => {
  test("finds a role that can read no records", () => {
    const document = withReaders({ read: "[lead]" });
    expect(found(document)).toEqual([place]);
    expect(foundOne(document)).toMatchObject({
      message: "staff can create a case, but can’t read any.",
      witness: { role: "staff" },
    });
  });

  test("finds a role that can read only the records of others", () => {
    const document = withReaders({ read: '[lead, { role: staff, when: "status == sent" }]' });
    expect(foundOne(document)).toMatchObject({
      code: "CREATOR_CANNOT_SEE",
      message: "staff can create a case, but can never read it afterwards.",
    });
  });

  test("names the values in its example", () => {
    const document = withReaders({ read: '[lead, { role: staff, when: "open && branch > 3" }]' });
    expect(found(document)).toEqual([place]);
    expect(foundOne(document)).toMatchObject({
      message: "staff can create a case, but can’t read it afterwards if branch is 2.",
      witness: { role: "staff", record: { branch: "2" } },
    });
    expect(
      foundOne(withReaders({ read: '[lead, { role: staff, when: "assignee == user" }]' })).witness?.record,
    ).toEqual({ assignee: "someone else" });
  });

  test("assumes that fields without permission are empty or have their default", () => {
    const create = "[{ role: staff, fields: [branch] }]";
    const read = '[lead, { role: staff, when: "kind == loud" }]';
    const kind = (more: string) => `\n    kind: { type: choice, values: [calm, loud]${more} }`;
    expect(found(withReaders({ create, read, fields: kind(", default: loud") }))).toEqual([]);
    expect(found(withReaders({ create, read, fields: kind(", default: calm") }))).toEqual([place]);
  });

  test("ignores records that a rule refuses", () => {
    const read = '[lead, { role: staff, when: "branch > 3" }]';
    expect(found(withReaders({ read }))).toEqual([place]);
    expect(found(withReaders({ read, rules: '"branch > 4"' }))).toEqual([]);
    expect(found(withReaders({ read, rules: '"branch > 2"' }))).toEqual([place]);
    expect(found(withReaders({ read, rules: '"branch > 4", during: update' }))).toEqual([place]);
  });

  describe("ignores impossible records", () => {
    const seen = (when: string, more: Partial<Said> = {}) =>
      withReaders({ read: `[lead, { role: staff, when: "${when}" }]`, ...more });

    test.each([
      [
        "whose computed choice is another than its condition says",
        "grade: { type: choice, computed: { high: branch > 3, low: 'true' } }",
        "branch > 3 || grade == low",
      ],
      [
        "whose computed field is other than what it is made of",
        "loud: { type: boolean, computed: branch > 3 }",
        "branch > 3 || !loud",
      ],
      [
        "whose kept field is other than what it is made of",
        "loud: { type: boolean, kept: true, computed: branch > 3 }",
        "branch > 3 || !loud",
      ],
      [
        "without a field that is required on a condition",
        "due: { type: date, required: open }",
        "!open || due != null",
      ],
    ])("%s", (_, field, when) => {
      expect(found(seen(when, { fields: `\n    ${field}` }))).toEqual([]);
      expect(found(seen("branch > 3", { fields: `\n    ${field}` }))).toContain(place);
    });

    test("ignores references that the creator can’t read", () => {
      const ofTeam = (team: string, read: string) => ({
        3: `Team:
  fields: { head: User, open: boolean }
Case:
  fields: { team: Team, text: text }`,
        6: `roles: { staff: signed in, lead: granted }
permissions:
  User: { read: [staff] }
  Team: { read: ${team}, create: [lead] }
  Case: { read: ${read}, create: [staff] }`,
      });
      const own = '[lead, { role: staff, when: "head == user" }]';
      expect(found(ofTeam(own, "[{ like: team }]"))).toEqual([]);
      expect(found(ofTeam(own, '[lead, { role: staff, when: "team.head == user" }]'))).toEqual([]);
      expect(found(ofTeam("[staff]", '[lead, { role: staff, when: "team.head == user" }]'))).toEqual([place]);
      expect(found(ofTeam(own, '[lead, { role: staff, when: "team.open" }]'))).toEqual([place]);
    });

    test("ignores states that a record leaves at once", () => {
      const document = seen("status == sent");
      const following = (effect: string) => ({ ...document, 4: `${document[4]}\n  after: { create: ${effect} }` });
      expect(found(document)).toEqual([place]);
      expect(found(following("{ make: send }"))).toEqual([]);
      expect(found(following(`{ notify: author, text: Sent. }`))).toEqual([place]);
    });
  });

  test("knows that generated numbers are never missing", () => {
    const create = "[{ role: staff, fields: [branch] }]";
    expect(found(withReaders({ read: "[lead]", create, fields: "\n    number: { type: sequence }" }))).toContain(place);
  });
});
