import { describe, expect, test } from "vitest";
import { found, foundOne } from "./documents.ts";

const entity = `Case:
  fields:
    author: { type: User, set: user }
    helper: User?
    urgent: boolean
    note:   text?`;

interface Said {
  readonly transition: string;
  readonly roles?: string;
  readonly read?: string;
  readonly update?: string;
}

/** A case that is drafted, sent and closed; \`close\` is the tested transition. */
const withTransition = ({ transition, roles = "", read = "[clerk, author]", update = "[author]" }: Said) => ({
  3: entity,
  4: `Case:
  field: status
  final: [closed]
  states: [draft, sent, closed]
  transitions:
    send:  { from: draft, to: sent, by: author }
    close: ${transition}`,
  6: `roles:
  clerk: granted
  Case: { author: "author == user"${roles} }
permissions:
  Case:
    read:   ${read}
    create: [{ role: clerk, fields: [helper, urgent, note] }]
    update: ${update}`,
});

test("accepts a good document", () =>
  expect(found(withTransition({ transition: '{ from: sent, to: closed, by: clerk, when: "urgent" }' }))).toEqual([]));

describe("NEVER_TRUE", () => {
  test("finds a condition that excludes every state of “from”", () => {
    const document = withTransition({ transition: '{ from: sent, to: closed, by: clerk, when: "status == draft" }' });
    expect(found(document)).toEqual(["NEVER_TRUE 4.Case.close «status == draft»"]);
    expect(foundOne(document).message).toBe("This condition is never true in the state sent, so no one can close.");
  });

  test("finds a condition that excludes one of the states", () => {
    const document = withTransition({
      transition: '{ from: [draft, sent], to: closed, by: clerk, when: "status != draft && urgent" }',
    });
    expect(found(document)).toEqual(["NEVER_TRUE 4.Case.close «status != draft && urgent»"]);
    expect(foundOne(document).message).toBe(
      "This condition is never true in the state draft, although close starts there.",
    );
  });

  test("finds a role that no one has in these states", () => {
    const document = withTransition({
      transition: "{ from: sent, to: closed, by: [clerk, drafter] }",
      roles: ', drafter: "author == user && status == draft"',
      update: "[drafter]",
    });
    expect(found(document)).toEqual(["NEVER_TRUE 4.Case.close «drafter»"]);
    expect(foundOne(document)).toMatchObject({
      message: "drafter can never make the transition close: no one is drafter of a case that is sent.",
      witness: { role: "drafter" },
    });
  });
});

describe("ALWAYS_TRUE", () => {
  test("finds a condition that repeats “from”", () =>
    expect(
      found(withTransition({ transition: '{ from: sent, to: closed, by: clerk, when: "status == sent" }' })),
    ).toEqual(["ALWAYS_TRUE 4.Case.close «status == sent»"]));

  test("accepts a condition that narrows one of the states", () =>
    expect(
      found(
        withTransition({
          transition: '{ from: [draft, sent], to: closed, by: clerk, when: "status == sent || urgent" }',
        }),
      ),
    ).toEqual([]));
});

describe("NOBODY_MAY", () => {
  test("finds a transition for which no role applies in any state", () => {
    const document = withTransition({
      transition: "{ from: sent, to: closed, by: drafter }",
      roles: ', drafter: "author == user && status == draft"',
      update: "[drafter]",
    });
    expect(found(document)).toEqual(["NOBODY_MAY 4.Case.close «close»"]);
    expect(foundOne(document)).toMatchObject({
      message: "No one can make the transition close: no one is drafter of a case that is sent.",
      witness: { steps: ["send"] },
    });
  });

  test("finds a transition whose roles and condition exclude each other", () =>
    expect(
      found(
        withTransition({
          transition: '{ from: sent, to: closed, by: author, when: "author != user" }',
        }),
      ),
    ).toEqual(["NOBODY_MAY 4.Case.close «close»"]));

  test("finds a transition for which no role applies in one of the states", () => {
    const document = withTransition({
      transition: "{ from: [draft, sent], to: closed, by: drafter }",
      roles: ', drafter: "author == user && status == draft"',
      update: "[drafter]",
    });
    expect(foundOne(document).message).toBe(
      "No one can make the transition close from sent: no one is drafter of a case that is sent.",
    );
  });

  test("finds a transition whose roles can’t see the record", () => {
    expect(
      found(
        withTransition({
          transition: "{ from: sent, to: closed, by: clerk }",
          read: '[{ role: clerk, when: "status == draft" }, { role: author, when: "status == draft" }]',
        }),
      ),
    ).toEqual(["NOBODY_MAY 4.Case.close «close»"]);
  });

  test("finds a transition that only administrators can make, who can’t see the record", () => {
    const document = withTransition({ transition: "{ from: sent, to: closed }", read: "[clerk]" });
    expect(found(document)).toEqual(["NOBODY_MAY 4.Case.close «close»"]);
    expect(foundOne(document).message).toBe(
      "The specification does not say who can make the transition close. Then only administrators can, but they can’t see any Case that is sent.",
    );
  });

  test("finds a transition without roles", () =>
    expect(found(withTransition({ transition: "{ from: sent, to: closed, by: [] }" }))).toEqual([
      "NOBODY_MAY 4.Case.close «by»",
    ]));

  test("reports an unreachable state once", () =>
    expect(
      found({
        ...withTransition({ transition: "{ from: sent, to: closed, by: clerk }" }),
        4: `Case:
  field: status
  final: [closed]
  states: [draft, sent, closed]
  transitions:
    end:   { from: draft, to: closed, by: clerk }
    close: { from: sent, to: closed, by: author, when: "author != user" }`,
      }),
    ).toEqual(["UNREACHABLE_STATE 4.Case.sent «sent»"]));

  test("accepts a document without roles", () =>
    expect(found(withTransition({ transition: "{ from: sent, to: closed }" }))).toEqual([]));
});

describe("CANNOT_SEE", () => {
  test("finds a role that can’t see any record in these states", () => {
    const document = {
      ...withTransition({
        transition: "{ from: sent, to: closed, by: [clerk, auditor] }",
        read: '[clerk, { role: author, when: "status == draft" }]',
      }),
    };
    const withAuditor = { ...document, 6: document[6].replace("clerk: granted", "clerk: granted\n  auditor: granted") };
    expect(found(withAuditor)).toEqual(["CANNOT_SEE 4.Case.close «auditor»"]);
    expect(foundOne(withAuditor).message).toBe(
      "auditor can never make the transition close: auditor can’t see any Case that is sent.",
    );
  });
});

describe("CANNOT_SEE some", () => {
  test("uses the read permissions of other roles on the record", () => {
    const document = withTransition({ transition: "{ from: sent, to: closed, by: clerk }", read: "[author]" });
    expect(found(document)).toEqual(["CANNOT_SEE 4.Case.close «clerk»"]);
    expect(foundOne(document)).toMatchObject({
      message: "clerk can make the transition close, but can’t see the case if author is someone else.",
      witness: { role: "clerk", record: { author: "someone else" } },
    });
  });

  test("uses the read permission of the role itself", () =>
    expect(
      found(
        withTransition({
          transition: "{ from: sent, to: closed, by: clerk }",
          read: '[{ role: clerk, when: "urgent" }, author]',
        }),
      ),
    ).toEqual([]));

  test("considers granted roles of people with a role on the record", () =>
    expect(
      found(
        withTransition({
          transition: "{ from: sent, to: closed, by: helper }",
          roles: ', helper: "helper == user"',
        }),
      ),
    ).toEqual([]));
});

describe("SET_AND_ASKED", () => {
  test("a transition asks for what it sets", () => {
    expect(
      found(
        withTransition({
          transition: `{ from: sent, to: closed, by: clerk, asks: [note], set: { note: "'closed'" } }`,
        }),
      ),
    ).toEqual(["SET_AND_ASKED 4.Case.close «note»"]);
  });

  test("or for what the program writes", () =>
    expect(found(withTransition({ transition: "{ from: sent, to: closed, by: clerk, asks: [author] }" }))).toEqual([
      "SET_AND_ASKED 4.Case.close «author»",
    ]));

  test("not for one thing that it asks and another that it sets", () =>
    expect(
      found(
        withTransition({ transition: "{ from: sent, to: closed, by: clerk, asks: [note], set: { helper: user } }" }),
      ),
    ).toEqual([]));
});

describe("values that only a transition needs", () => {
  const asking = (asks: string, more = "") =>
    withTransition({ transition: `{ from: sent, to: closed, by: clerk, asks: ${asks}${more} }` });
  const messages = (document: Parameters<typeof found>[0]) => [...found(document), foundOne(document).message];

  test("are known to the transition’s own clauses", () => {
    expect(found(asking("[helper?, { why: text, days: { type: integer?, min: 1 } }]", ", set: { note: why }"))).toEqual(
      [],
    );
    expect(found(asking("{ who: User, kind: { type: choice, values: [a, b] } }", ", set: { helper: who }"))).toEqual(
      [],
    );
  });

  test("have names of their own", () => {
    expect(messages(asking("{ note: text }"))).toEqual([
      "NAME_TWICE 4.Case.close.note «note»",
      "Case already has a field note.",
    ]);
    expect(found(asking("{ old: text }"))).toEqual(["RESERVED_NAME 4.Case.close.old «old»"]);
  });

  test("do not exist before the act, nor in the record", () => {
    expect(messages(asking("{ why: text }", `, when: "why != 'x'"`))).toEqual([
      "UNKNOWN_NAME  «why»",
      "“why” exists only while close is made, so nothing here can read it.",
    ]);
    const updating = { ...asking("{ why: text }"), 2: "/cases: { list: Case, columns: [note, why] }" };
    expect(messages(updating)).toEqual([
      "BAD_VALUE 4.Case.close.why «why»",
      "why is a value that only a transition of Case asks for: the record does not keep it.",
    ]);
  });

  test("have no keys and types of values that records keep", () => {
    expect(messages(asking("{ why: { type: text, unique: true } }"))).toEqual([
      "BAD_VALUE 4.Case.close.why «unique»",
      "“unique” is only for values that a record keeps.",
    ]);
    expect(messages(asking("{ why: { type: text, default: why } }"))).toEqual([
      "CYCLE 4.Case.close.why «why»",
      "The default of Case.why depends on itself: Case.why → Case.why.",
    ]);
    expect(messages(asking("{ scan: file }"))).toEqual([
      "BAD_VALUE 4.Case.close.scan «file»",
      "A transition can ask for a file only as a field of the record.",
    ]);
  });

  test("are given whenever the transition is made", () => {
    expect(found(asking("{ why: { type: text, default: \"'late'\" } }", ", timeout: 3 days"))).toEqual([]);
    expect(messages(asking("{ why: text }", ", timeout: 3 days"))).toEqual([
      "BAD_VALUE 4.Case.close «why»",
      "close also happens automatically, and then no one gives why.",
    ]);
    const made = asking("{ why: text }");
    const after = "  after: { send: { make: close } }";
    expect(messages({ ...made, 4: `${made[4]}\n${after}` })).toEqual([
      "MISSING_KEY 4.Case.after.send.1 «close»",
      "close asks for why, but this effect does not give it.",
    ]);
  });
});
