import { describe, expect, test } from "vitest";
import { found, foundOne } from "./documents.ts";

interface Said {
  readonly roles?: string;
  readonly read?: string;
  readonly create?: string;
  readonly update?: string;
}

const withPermissions = ({ roles = "", read = "[clerk]", create = "[clerk]", update = "[clerk]" }: Said) => ({
  3: `Case:
  fields:
    author: User
    title:  text
    note:   text?`,
  4: `Case:
  field: status
  final: [done]
  states: [open, done]
  transitions:
    finish: { from: open, to: done, by: clerk }`,
  6: `roles:
  clerk: granted
  guest: signed in${roles === "" ? "" : `\n  Case: { ${roles} }`}
permissions:
  User: { read: [{ role: guest, fields: [name] }] }
  Case:
    read:   ${read}
    create: ${create}
    update: ${update}`,
});

const author = 'author: "author == user"';

test("accepts good documents", () => {
  expect(found(withPermissions({}))).toEqual([]);
  expect(
    found(withPermissions({ roles: author, update: '[clerk, { role: author, when: "status == open" }]' })),
  ).toEqual([]);
});

test("points to the deputies where the condition of a role does not fit the person for whom they stand in", () => {
  const wrong = found({
    3: "Case:\n  fields:\n    author: User",
    6: `roles:
  guest: signed in
  Case: { writer: "author <= user" }
deputies: { for: writer, up to: 20 days }
permissions:
  User: { read: [{ role: guest, fields: [name] }] }
  Case: { read: [writer], create: guest }`,
  }).filter((one) => one.startsWith("TYPES_DIFFER"));
  expect(wrong).toEqual(["TYPES_DIFFER  «author <= user»", "TYPES_DIFFER  «{ for: writer, up to: 20 days }»"]);
});

describe("NEVER_TRUE and ALWAYS_TRUE", () => {
  test.each([
    [
      '{ role: clerk, when: "status == open && status == done" }',
      "NEVER_TRUE 6.Case.update «status == open && status == done»",
    ],
    ['{ role: clerk, when: "status in [open, done]" }', "ALWAYS_TRUE 6.Case.update «status in [open, done]»"],
  ])("a permission: %s", (permission, expected) =>
    expect(found(withPermissions({ update: `[${permission}]` }))).toEqual([expected]),
  );

  test("knows that a new record is in its initial state", () => {
    expect(found(withPermissions({ create: '[{ role: clerk, when: "status == done" }]' }))).toEqual([
      "NEVER_TRUE 6.Case.create «status == done»",
    ]);
    expect(found(withPermissions({ create: '[{ role: clerk, when: "status == open" }]' }))).toEqual([
      "ALWAYS_TRUE 6.Case.create «status == open»",
    ]);
  });

  test("finds a condition that no member of the role meets", () => {
    const document = withPermissions({ roles: author, update: '[clerk, { role: author, when: "author != user" }]' });
    expect(found(document)).toEqual(["NEVER_TRUE 6.Case.update «author != user»"]);
    expect(foundOne(document)).toMatchObject({
      message: "This condition is never true for author, so the permission has no effect.",
      witness: { role: "author" },
    });
  });

  test("finds a role that no one or everyone has", () => {
    const update = "[clerk, author]";
    expect(found(withPermissions({ roles: 'author: "author == user && author != user"', update }))).toEqual([
      "NEVER_TRUE 6.roles.Case.author «author == user && author != user»",
    ]);
    expect(found(withPermissions({ roles: 'author: "author == user || author != user"', update }))).toEqual([
      "ALWAYS_TRUE 6.roles.Case.author «author == user || author != user»",
    ]);
  });
});

describe("PERMISSION_TWICE", () => {
  test.each([
    ["the same again", "[clerk, clerk]"],
    ["with a condition", '[clerk, { role: clerk, when: "status == open" }]'],
    [
      "with a narrower condition",
      '[{ role: clerk, when: "status == open && author == user" }, { role: clerk, when: "status == open" }]',
    ],
    ["with fewer fields", "[clerk, { role: clerk, fields: [note] }]"],
  ])("%s", (_, update) => expect(found(withPermissions({ update }))).toHaveLength(1));

  test("finds the second of two equal permissions and names the first", () => {
    const { also, span, code } = foundOne(withPermissions({ update: "[clerk, clerk]" }));
    expect(code).toBe("PERMISSION_TWICE");
    expect(also?.start).toBeLessThan(span.start);
  });

  test.each([
    [
      "other fields under another condition",
      '[{ role: clerk, when: "status == open" }, { role: clerk, fields: [note] }]',
    ],
    [
      "a wider condition on fewer fields",
      '[{ role: clerk, fields: [note] }, { role: clerk, when: "status == open", fields: [title] }]',
    ],
    ["another role", "[clerk, guest]"],
  ])("not %s", (_, update) => expect(found(withPermissions({ update, read: "[clerk, guest]" }))).toEqual([]));
});

describe("CANNOT_SEE", () => {
  test("finds a role that can change records but can’t see them", () => {
    const document = withPermissions({ update: "[clerk, guest]" });
    expect(found(document)).toEqual(["CANNOT_SEE 6.Case.update «guest»"]);
    expect(foundOne(document).message).toBe("guest can update a case here, but can’t see any of them.");
  });

  test("finds a role whose condition excludes the records that it can see", () =>
    expect(
      found(
        withPermissions({
          read: '[clerk, { role: guest, when: "status == done" }]',
          update: '[clerk, { role: guest, when: "status == open" }]',
        }),
      ),
    ).toEqual(["CANNOT_SEE 6.Case.update «guest»"]));

  test("accepts a role that can see some of them", () =>
    expect(
      found(withPermissions({ read: '[clerk, { role: guest, when: "author == user" }]', update: "[clerk, guest]" })),
    ).toEqual([]));
});

describe("NOBODY_SETS", () => {
  test("finds a required field that no creator can set", () => {
    const document = withPermissions({ create: "[{ role: clerk, fields: [author, note] }]" });
    expect(found(document)).toEqual(["NOBODY_SETS 3.Case.title «title»"]);
    expect(foundOne(document).message).toBe("title is required, but no one who can create a case can set it.");
  });

  test("finds a required field that one of the creators can’t set", () => {
    const document = withPermissions({
      read: "[clerk, guest]",
      create: "[clerk, { role: guest, fields: [author, note] }]",
    });
    expect(foundOne(document)).toMatchObject({
      message: "title is required, but guest can create a case and can’t set it.",
      witness: { role: "guest" },
    });
  });

  test("accepts a field that another permission of the same person covers", () =>
    expect(
      found(withPermissions({ create: "[{ role: clerk, fields: [author, note] }, { role: clerk, fields: [title] }]" })),
    ).toEqual([]));
});

describe("NOBODY_SETS of a reference to records that the creator can’t read", () => {
  const withOwner = (owner: string, more = "", create = "[staff]") => ({
    3: `Team:
  fields: { name: text, size: integer }
Task:
  fields: { title: text, owner: ${owner} }`,
    6: `roles: { staff: signed in, boss: granted }
permissions:
  Task: { read: [staff, boss], create: ${create} }
  ${more}`,
  });
  const missed = ["NOBODY_SETS 3.Task.owner «owner»"];

  test.each([
    ["a person, by default whoever creates it", "{ type: User, default: user }", ""],
    ["a person", "User", ""],
    ["a record that others may read", "Team", "Team: { read: [boss], create: [boss] }"],
    ["a record of which nobody decided who reads it", "Team", ""],
  ])("%s", (_, owner, more) => expect(found(withOwner(owner, more))).toEqual(missed));

  test("explains the problem and the fix", () => {
    expect(foundOne(withOwner("{ type: User, default: user }"))).toMatchObject({
      message:
        "staff can create a task, but can’t save the form: it sends the default of owner, and staff can’t read any user.",
      hint: "Let staff read User in point 6, for example only its name, or write “set:” instead of “default:”.",
      witness: { role: "staff" },
    });
    expect(foundOne(withOwner("Team"))).toMatchObject({
      message: "owner is required, but staff can create a task and can’t read any team to choose from.",
      hint: "Let staff read Team in point 6, for example only its name.",
    });
  });

  test.each([
    ["they may read its name", "{ type: User, default: user }", "User: { read: [{ role: staff, fields: [name] }] }"],
    [
      "they may read their own",
      "{ type: User, default: user }",
      "User: { read: [{ role: staff, when: this == user }] }",
    ],
    ["the program writes it", "{ type: User, set: user }", ""],
    ["it may be left out", "User?", ""],
    ["they may read the record", "Team", "Team: { read: [staff], create: [boss] }"],
  ])("not where %s", (_, owner, more) => expect(found(withOwner(owner, more))).toEqual([]));

  test("accepts creators who don’t set it or can read everything", () => {
    const user = "{ type: User, default: user }";
    expect(found(withOwner(user, "", "[{ role: staff, fields: [title] }]"))).toEqual([]);
    expect(found(withOwner(user, "", "[administrator]"))).toEqual([]);
    expect(found(withOwner(user, "User: { read: [boss] }", "[staff, boss]"))).toEqual(missed);
  });
});

describe("TELLS_HIDDEN of an inherited permission", () => {
  const withNotes = (
    read: string,
    note = "read: [{ like: case }]\n    create: [{ like: case, fields: [case, text] }]",
  ) => ({
    3: `Case:
  fields: { title: text, budget: integer, remark: text?, notes: { list: Note.case } }
Note:
  fields: { case: Case, text: text }`,
    6: `roles: { clerk: signed in, boss: granted }
permissions:
  User: { read: [{ role: clerk, fields: [name] }] }
  Case:
    read: ${read}
    create: [boss]
  Note:
    ${note}`,
  });
  const findingsOfNotes = (document: ReturnType<typeof withNotes>) =>
    found(document).filter((item) => item.startsWith("TELLS_HIDDEN"));
  const all = "{ role: boss }";

  test("accepts a permission that reveals no more than reading does", () => {
    for (const own of ["[title, remark, notes]", "[title, budget, notes]"])
      expect(
        findingsOfNotes(
          withNotes(`[${all}, { role: clerk, fields: [title] }, { role: clerk, when: "budget > 9", fields: ${own} }]`),
        ),
      ).toEqual([]);
    expect(findingsOfNotes(withNotes('[{ role: clerk, when: "budget > 9" }]'))).toEqual([]);
  });

  test("finds a permission that reveals hidden data to a creator", () => {
    const read = `[{ role: clerk, fields: [title] }, { role: clerk, when: "budget > 9", fields: [title, notes] }, { role: boss, fields: [title, budget, remark] }]`;
    expect(findingsOfNotes(withNotes(read))).toEqual([
      "TELLS_HIDDEN 6.Note.create «{ like: case, fields: [case, text] }»",
    ]);
    expect(
      findingsOfNotes(
        withNotes(read, "read: [{ like: case }]\n    create: [{ like: case, fields: [case, text], discloses: true }]"),
      ),
    ).toEqual([]);
  });

  test("finds a permission on a record that its reader can’t know", () => {
    const read = '[boss, { role: clerk, when: "budget > 9" }]';
    const note = (fields: string) =>
      `read: [{ role: clerk, fields: [${fields}] }]\n    create: [boss]\n    delete: [{ like: case }]`;
    expect(findingsOfNotes(withNotes(read, note("case, text")))).toEqual([]);
    expect(findingsOfNotes(withNotes(read, note("text")))).toEqual(["TELLS_HIDDEN 6.Note.delete «{ like: case }»"]);
  });
});
