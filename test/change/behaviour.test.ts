import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { BehaviourLine } from "../../src/core/change/behaviour-line.ts";
import { compareBehaviour, compareWithProofs } from "../../src/core/change/compare-behaviour.ts";
import { buildPlan, classifyPlan } from "../../src/core/change/plan.ts";
import { summarizeVersion } from "../../src/core/change/version-summary.ts";
import { compile } from "../../src/core/compile.ts";
import { messageText } from "../../src/core/i18n/languages.ts";
import type { Model } from "../../src/core/model/model.ts";
import { buildWorld, holdsIn } from "./evaluate.ts";

const read = (name: string) => readFileSync(`examples/${name}.md`, "utf8");
/** The lending desk without its comments, whose permissions follow those of their loan. */
const lending = read("lending")
  .replace("{ list: comments }, ", "")
  .replace(/ {4}comments: .*\n/u, "")
  .replace(/^Comment:\n {2}label:[^`]*/mu, "")
  .replace(/^Comment:\n {2}after:[^`]*/mu, "")
  .replace(/^ {2}Comment:\n[^`]*/mu, "");

const modelOf = (text: string): Model => {
  const { model, findings } = compile({ file: "a.md", text });
  if (model === undefined) throw new Error(findings.map(({ message }) => message).join("\n"));
  return model;
};

/** A document with replacements, each of which must be found. */
const edited = (text: string, edits: readonly (readonly [string, string])[]): string =>
  edits.reduce((before, [old, now]) => {
    if (!before.includes(old)) throw new Error(`not found: ${old}`);
    return before.replaceAll(old, now);
  }, text);

const linesAfter = (...edits: readonly (readonly [string, string])[]): readonly BehaviourLine[] =>
  compareBehaviour(modelOf(lending), modelOf(edited(lending, edits)));

const textsAfter = (...edits: readonly (readonly [string, string])[]): readonly string[] =>
  linesAfter(...edits).map(({ text }) => text);

describe("no line", () => {
  test.each(["lending", "help-desk", "leave-desk", "purchasing", "booking", "founding"])(
    "for %s compared with itself, compiled twice",
    (name) => {
      expect(compareBehaviour(modelOf(read(name)), modelOf(read(name)))).toEqual([]);
    },
  );

  test("for clauses in another order and other brackets", () => {
    expect(
      textsAfter(
        ["read:   [keeper, { role: member,", "read: [{ role: member,"],
        ['when: "borrower == user" }]', 'when: "(borrower == user)" }, keeper]'],
        ["    place: { type: text?, max: 80, examples: [Store room, Workshop, Reception] }\n", ""],
        [
          "    kind:  {",
          "    place: { type: text?, max: 80, examples: [Store room, Workshop, Reception] }\n    kind:  {",
        ],
      ),
    ).toEqual([]);
  });

  test("for a condition that means the same", () => {
    expect(textsAfter(['rule: "due_day >= from_day"', 'rule: "!(from_day > due_day)"'])).toEqual([]);
    expect(
      textsAfter(['when: "borrower == user && status == asked"', 'when: "status == asked && user == borrower"']),
    ).toEqual([]);
  });

  test("for renamed entities, fields, states, transitions and roles, except for their labels", () => {
    expect(
      textsAfter(
        ["Thing:\n  label", "Item:\n  was: Thing\n  label"],
        ["thing:    Thing", "item:     { type: Item, was: thing }"],
        ["list: Thing", "list: Item"],
        ["{thing.name}", "{item.name}"],
        ["[thing,", "[item,"],
        [", thing]", ", item]"],
        ["  Thing:\n    read", "  Item:\n    read"],
        ["l.thing == thing", "l.item == item"],
        ["Loan.thing", "Loan.item"],
        ["thing.availability", "item.availability"],
        ["{ lent: { deadline: due_day } }", "{ away: { was: lent, deadline: due_day } }"],
        ["to: lent", "to: away"],
        ["from: lent", "from: away"],
        ["status == lent", "status == away"],
        ["hand_over: { from", "give_out: { was: hand_over, from"],
        ["hand_over: { notify", "give_out: { notify"],
        ["before: hand_over", "before: give_out"],
        ["keeper: granted", "stock_keeper: { was: keeper, members: granted }"],
        ["by: keeper", "by: stock_keeper"],
        ["'keeper' in", "'stock_keeper' in"],
        ["[keeper", "[stock_keeper"],
      ).filter((text) => !/^The calls of /u.test(text)),
    ).toEqual([
      "The entity “item” was called “thing”.",
      "“Item” of loans was called “Thing”.",
      "“Away” of loans was called “Lent”.",
      "“Give out” of loans was called “Hand over”.",
      "The role “Stock keeper” was called “Keeper”.",
    ]);
  });
});

describe("a rule about the length of a text", () => {
  test("is decided, with an example between the two lengths", () => {
    const text = read("help-desk");
    const [line] = compareBehaviour(
      modelOf(text),
      modelOf(edited(text, [["shortest_solution: 20", "shortest_solution: 60"]])),
    );
    expect(line).toMatchObject({
      text: "The rule SOLUTION_TOO_SHORT for tickets is now stricter.",
      certainty: "decided",
      witness: { record: { solution: `“${"x".repeat(20)}”` } },
    });
  });
});

describe("another type of a field", () => {
  test("gets no further lines about bounds and units of other values", () => {
    const text = read("help-desk");
    const minutes = "{ type: integer?, min: 1, max: 6000, unit: min, title: Time spent }";
    const texts = compareBehaviour(
      modelOf(text),
      modelOf(edited(text, [[minutes, "{ type: duration?, title: Time spent }"]])),
    ).flatMap((line) => (line.point === 3 ? [line.text] : []));
    expect(texts).toEqual(["The type of “Time spent” of tickets is now duration instead of integer."]);
  });
});

describe("a role on a record that has parts gets one line", () => {
  const orders = `# Orders

## 3. Entities and their fields
\`\`\`yaml
Order:
  fields:
    name:  text
    owner: User
    lines: { list: Line.order }
Line:
  fields:
    order: { type: Order, part of: true }
    item:  text
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  clerk: granted
  Order:
    keeper: "owner == user"
permissions:
  Order: { read: [clerk] }
\`\`\`
`;
  const keeper = '  Order:\n    keeper: "owner == user"\n';
  const lines = (...edits: readonly (readonly [string, string])[]) =>
    compareBehaviour(modelOf(orders), modelOf(edited(orders, edits))).map(({ text }) => text);

  test("if it is removed, added, or held by more or fewer people, or has another title", () => {
    expect(lines([keeper, ""])).toEqual(["The role “Keeper” of orders is removed."]);
    const without = modelOf(edited(orders, [[keeper, ""]]));
    expect(compareBehaviour(without, modelOf(orders)).map(({ text }) => text)).toEqual([
      "New role “Keeper” on each of the orders.",
    ]);
    expect(lines(["owner == user", "owner == user || name == 'open'"])).toEqual([
      "More people have the role “Keeper” of orders.",
    ]);
    expect(lines(["owner == user", "owner == user && name == 'open'"])).toEqual([
      "Fewer people have the role “Keeper” of orders.",
    ]);
    expect(lines(['"owner == user"', '{ title: Holder, when: "owner == user" }'])).toEqual([
      "The role “Holder” of orders was called “Keeper”.",
    ]);
  });

  test("and its permissions are said to hold in more or fewer cases, not in all", () => {
    const read = edited(orders, [["read: [clerk]", "read: [{ role: keeper, when: \"name != 'draft'\" }, clerk]"]])
      .replace(", clerk]", "]")
      .replace("  clerk: granted\n", "");
    const wider = edited(read, [["owner == user", "owner == user || name == 'open'"]]);
    const between = (before: string, after: string) =>
      compareBehaviour(modelOf(before), modelOf(after)).map(({ text }) => text);
    expect(between(read, wider)).toEqual([
      "The keeper can now read orders in more cases.",
      "More people have the role “Keeper” of orders.",
    ]);
    expect(between(wider, read)).toEqual([
      "The keeper can now read orders in fewer cases.",
      "Fewer people have the role “Keeper” of orders.",
    ]);
  });

  test("and lines for records that become parts, or are parts no more", () => {
    const alone = edited(orders, [["{ type: Order, part of: true }", "Order"]]);
    const texts = (before: string, after: string) =>
      compareBehaviour(modelOf(before), modelOf(after)).flatMap(({ text }) => (text.includes("Keeper") ? [text] : []));
    expect(texts(alone, orders)).toEqual(["New role “Keeper” on each of the lines."]);
    expect(texts(orders, alone)).toEqual(["The role “Keeper” of lines is removed."]);
  });
});

describe("renaming changes the names that programs use", () => {
  test("addresses of an entity and of a transition", () => {
    expect(
      linesAfter(
        ["Thing:\n  label", "Item:\n  was: Thing\n  label"],
        ["thing:    Thing", "thing:    Item"],
        ["list: Thing", "list: Item"],
        ["  Thing:\n    read", "  Item:\n    read"],
        ["hand_over: { from", "give_out: { was: hand_over, from"],
        ["hand_over: { notify", "give_out: { notify"],
        ["before: hand_over", "before: give_out"],
      )
        .filter(({ loses }) => loses !== null)
        .map(({ subject, effect, loses, text }) => [subject, effect, loses, text]),
    ).toEqual([
      [
        "Item",
        "changes",
        "compatibility",
        "The calls of items have new addresses, so programs that use them must change: /api/things is now /api/items.",
      ],
      [
        "Loan",
        "changes",
        "compatibility",
        "The calls of loans have new addresses, so programs that use them must change: POST /api/loans/{id}/hand_over is now POST /api/loans/{id}/give_out.",
      ],
    ]);
  });

  test("members and values", () => {
    expect(
      textsAfter(
        ["reason:   { type", "why:      { was: reason, type"],
        ["remark, reason]", "remark, why]"],
        ["asks: [reason]", "asks: [why]"],
        ["{reason}", "{why}"],
        ["{ lent: { deadline: due_day } }", "{ out: { was: lent, deadline: due_day } }"],
        ["to: lent", "to: out"],
        ["from: lent", "from: out"],
        ["status == lent", "status == out"],
      ),
    ).toEqual([
      "“Why” of loans was called “Reason”.",
      "“Out” of loans was called “Lent”.",
      "The calls of loans use new names, so programs that use them must change: “reason” is now “why”; “lent” is now “out”.",
    ]);
  });

  test("but not those of calls that are removed", () => {
    expect(
      textsAfter(
        ["conventional: all", "conventional: none"],
        ["reason:   { type", "why:      { was: reason, type"],
        ["remark, reason]", "remark, why]"],
        ["asks: [reason]", "asks: [why]"],
        ["{reason}", "{why}"],
      ).filter((text) => text.includes("why")),
    ).toEqual([]);
  });
});

describe("permissions", () => {
  test("a role gains fields, in one line that names them", () => {
    expect(linesAfter(["fields: [name] }]", "fields: [name, email] }]"])).toEqual([
      {
        point: 6,
        subject: "User.read",
        effect: "allows",
        before: "6.User.read",
        after: "6.User.read",
        certainty: "decided",
        witness: { role: "member", record: {} },
        loses: null,
        text: "Members can now read the email of users.",
        message: expect.objectContaining({ id: "can" }),
      },
      expect.objectContaining({ point: 7, subject: "User", effect: "changes", loses: null }),
    ]);
  });

  test("a condition is added or removed", () => {
    expect(linesAfter(['when: "borrower == user" }]', 'when: "borrower == user && status == asked" }]'])).toMatchObject(
      [
        {
          effect: "forbids",
          loses: "access",
          certainty: "decided",
          witness: { role: "member", record: { borrower: "user" } },
          text: "Members can now read loans only where the borrower is that person and the status is “Requested”.",
        },
      ],
    );
    expect(textsAfter(['{ role: member, when: "borrower == user" }]', "member]"])).toEqual([
      "Members can now read all loans.",
    ]);
    const purchasing = read("purchasing");
    const always = edited(purchasing, [
      [
        '      - { role: [approver, finance], when: "status != draft" }\n      - { role: buyer',
        '      - approver\n      - { role: finance, when: "status != draft" }\n      - { role: buyer',
      ],
    ]);
    expect(compareBehaviour(modelOf(purchasing), modelOf(always)).map(({ text }) => text)).toContain(
      "The approver can now read requests in all cases.",
    );
  });

  test("a role loses an action", () => {
    expect(linesAfter(["    delete: [keeper]\n", "    delete: []\n"])).toMatchObject([
      { effect: "forbids", loses: "access", text: "Keepers can no longer delete things." },
      { point: 7, loses: "compatibility" },
    ]);
  });

  test("a role that everybody holds through another permission loses nothing", () => {
    expect(textsAfter(["    read:   [member]\n", "    read:   [member, keeper]\n"])).toEqual([]);
  });

  test("a role is given to everybody who is signed in", () => {
    expect(textsAfter(["keeper: granted", "keeper: { members: signed in }"])).toContain(
      "Keepers can now create things.",
    );
  });

  test("the roles of a transition", () => {
    expect(linesAfter(["to: declined, by: keeper", "to: declined, by: [keeper, member]"])).toMatchObject([
      { point: 4, effect: "allows", text: "Members can now make the transition “Decline” of loans." },
    ]);
  });
});

test("a call to another program names the members that it gains, loses and changes", () => {
  const effects = `
## 4. States and transitions
\`\`\`yaml
Patient: { after: { create: { call: lab } } }
\`\`\`
`;
  const clinic = (sends: string, point4 = effects): Model =>
    modelOf(`# Clinic

## 3. Entities and their fields
\`\`\`yaml
Patient: { fields: { name: text, bed: integer, ward: integer } }
\`\`\`
${point4}
## 7. The calls it makes
\`\`\`yaml
outgoing: { lab: { post: APP_LAB_URL, sends: { ${sends} } } }
\`\`\`
`);
  const lines = (sends: string) =>
    compareBehaviour(clinic("name, bed"), clinic(sends)).map(({ text, loses }) => [text.split(": ")[1], loses]);
  expect(lines("bed, name")).toEqual([]);
  expect(lines("name, bed: ward")).toEqual([["with different values of bed.", null]]);
  expect(lines("name, bed, ward")).toEqual([["with ward too.", null]]);
  expect(lines("name")).toEqual([["without bed.", "compatibility"]]);
  expect(lines("name: \"'x'\", ward")).toEqual([
    ["with different values of name, with ward too, without bed.", "compatibility"],
  ]);
  // A call that is removed sends none of its members.
  const without = compareBehaviour(clinic("name, bed"), clinic("name, bed", ""));
  expect(without.map(({ text, loses }) => [text, loses])).toEqual([
    ["When one of the patients is created, the application no longer makes the call lab.", "compatibility"],
  ]);
});

describe("what is named", () => {
  const small = (after: string, set: string, record: string): Model =>
    modelOf(`# Desk

## 3. Entities and their fields
\`\`\`yaml
Kind:
  fields: { name: text, days: integer }
  records:
    short: ${record}
Loan: { fields: { note: text?, size: integer?, kind: Kind? } }
Log: { fields: { text: text, size: integer? } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Loan:
  field: status
  initial: asked
  final: [lent]
  states: [asked, lent]
  transitions:
    lend: { from: asked, to: lent, set: ${set} }
  after:
    lend:
      - ${after}
\`\`\`
`);
  const [create, set, record] = [
    "{ create: Log, set: { text: \"'lent'\", size } }",
    "{ size: 1, note: \"'x'\" }",
    "{ name: Short, days: 3 }",
  ];
  const texts = (after: string, other: string, seed: string) =>
    compareBehaviour(small(create, set, record), small(after, other, seed)).map(({ text }) => text);

  test("values that an effect or a transition sets, and those of a record of the specification", () => {
    expect(texts(create.replace("size }", "size: 2 }"), set, record)).toEqual([
      "After “Lend” of loans, the application now creates logs differently: with different values of size.",
    ]);
    expect(texts(create, "{ size: 2 }", record)).toEqual([
      "“Lend” of loans no longer sets note.",
      "“Lend” of loans now sets size differently.",
    ]);
    expect(texts(create, set, "{ name: Short, days: 4 }")).toEqual([
      "The record Kind.short has different values of days.",
    ]);
  });

  test("a state that takes over the records of another one stays as it is", () => {
    expect(
      textsAfter(
        ["{ returned: { tone: good } }, declined]", "{ returned: { tone: good, was: declined } }]"],
        ["final: [returned, declined]", "final: [returned]"],
        [
          "    decline:   { from: asked, to: declined, by: keeper, asks: [reason] }\n",
          "    decline:   { from: asked, to: returned, by: keeper, asks: [reason] }\n",
        ],
      ).filter((text) => text.includes("state")),
    ).toEqual(["The state “Declined” of loans is removed. Records in this state move to “Returned”."]);
  });

  test("a removed transition names who could make it, and a removed rule what it required", () => {
    expect(
      textsAfter(
        [
          "    decline:   { from: asked, to: declined, by: keeper",
          "    refuse:    { from: asked, to: declined, by: keeper",
        ],
        ["    decline: { notify", "    refuse: { notify"],
      ),
    ).toContain("The transition “Decline” of loans is removed. It was for keepers.");
  });
});

describe("an author reads", () => {
  const helpDesk = read("help-desk");
  const purchasing = read("purchasing");
  const textsOf = (text: string, ...edits: readonly (readonly [string, string])[]): readonly string[] =>
    compareBehaviour(modelOf(text), modelOf(edited(text, edits))).map((line) => line.text);

  test.each([
    [
      "labels of states",
      ["    - in_work\n", "    - in_work: { title: Being worked on }\n"],
      "“Being worked on” of tickets was called “In work”.",
    ],
    ["names of languages", ["    Place: Ort", "    Place: Platz"], "Some texts in German change."],
    [
      "titles of tiles",
      ["- title: My work", "- title: My tickets"],
      "The tile “My work” on the screen / is now called “My tickets”.",
    ],
    [
      "labels of defaults",
      ["default: normal }", "default: low }"],
      "New tickets now start with “Low” instead of “Normal” in “Priority”.",
    ],
    [
      "who is no longer notified",
      [
        '    mark_duplicate:\n      notify: requester\n      text: "{number} is a duplicate and is handled together with an earlier ticket."\n',
        "",
      ],
      "After “Duplicate” of tickets, the application no longer notifies the requester.",
    ],
    [
      "that a list of people is no longer notified",
      ['    solve:  { notify: "[requester] + followers", text: "{number} ({subject}) is solved: {solution}" }\n', ""],
      "After “Solve” of tickets, the application no longer notifies people.",
    ],
    [
      "who is notified instead",
      ["{ notify: category.responsible,", "{ notify: assignee,"],
      "When one of the tickets is created, the application now notifies people differently: the assignee instead of the category’s responsible.",
    ],
  ] as const)("%s", (_, edit, text) => {
    expect(textsOf(helpDesk, edit)).toEqual([text]);
  });

  test("labels of choices, and roles inside a sentence", () => {
    expect(
      textsOf(helpDesk, [
        "values: [defect, wear, operation, change, provider, unknown]",
        "values: [defect, wear, { operation: { was: change } }, provider, unknown, human_error]",
      ]),
    ).toEqual(
      expect.arrayContaining([
        "“Cause” of tickets can now also be “Human error”.",
        "“Cause” of tickets can no longer be “Change”. Records with this value get “Operation”.",
      ]),
    );
    expect(
      textsOf(helpDesk, [
        "    ask:\n      title",
        "    look:      { from: in_work, to: waiting, by: handler }\n    ask:\n      title",
      ]),
    ).toContain("New transition “Look” of tickets, for the handler.");
  });

  test("the former title of a field that a screen no longer shows", () => {
    expect(
      textsOf(
        helpDesk,
        ["    minutes:    { type: integer?, min: 1, max: 6000, unit: min, title: Time spent }\n", ""],
        [", cause, minutes", ", cause"],
      ),
    ).toContain("The screen /tickets/{id} no longer shows “Time spent”.");
  });

  test("a rename first, before texts of a translation", () => {
    const renamed = edited(helpDesk, [
      ["    - in_work\n", "    - in_work: { title: Being worked on }\n"],
      ["    In work: In Arbeit", "    Being worked on: In Arbeit"],
    ]);
    const { lines, more } = summarizeVersion(compareBehaviour(modelOf(helpDesk), modelOf(renamed)));
    expect([lines.map(({ text }) => text), more]).toEqual([["“Being worked on” of tickets was called “In work”."], 1]);
  });

  test("a loss first, and beside it a permission that became wider", () => {
    const leaveDesk = read("leave-desk");
    const { lines, more } = summarizeVersion(
      compareBehaviour(
        modelOf(leaveDesk),
        modelOf(
          edited(leaveDesk, [
            ["    withdraw: { from: submitted, to: withdrawn, by: employee }\n", ""],
            [
              "      - { role: staff, fields: [name, avatar] }",
              "      - { role: staff, fields: [name, avatar, email] }",
            ],
            ["latest_entry: 14 days", "latest_entry: 21 days"],
          ]),
        ),
      ),
    );
    expect([lines.map(({ text }) => text), more > 0]).toEqual([
      [
        "The transition “Withdraw” of requests is removed. It was for the employee.",
        "Staff can now read the email of users.",
      ],
      true,
    ]);
  });

  test("which fields of new records people can enter", () => {
    const fields = "- { role: buyer, fields: [name, town, country, email, phone, vat_number] }";
    expect(textsOf(purchasing, [fields, fields.replace("vat_number", "vat_number, iban")])).toEqual([
      "Buyers can now enter the IBAN of new suppliers.",
    ]);
  });

  test("one line where a role gains or loses an action altogether, although others have it on records of their own", () => {
    const text = read("help-desk");
    const reads = "  Ticket:\n    read:\n      - agent\n";
    const less = edited(text, [[reads, "  Ticket:\n    read:\n"]]);
    const more = edited(text, [[reads, `${reads}      - staff\n`]]);
    const between = (before: string, after: string) =>
      compareBehaviour(modelOf(before), modelOf(after)).map(({ text, witness, certainty }) => [
        text,
        witness?.record.requester,
        certainty,
      ]);
    expect(between(text, less)).toEqual([["Agents can no longer read tickets.", "someone else", "decided"]]);
    expect(between(text, more)).toEqual([["Staff can now read tickets.", "someone else", "decided"]]);
  });

  test("all fields but a few, and the other ones, without the names of twenty", () => {
    const textsOf = (...edits: readonly (readonly [string, string])[]): readonly string[] => {
      const text = read("help-desk");
      return compareBehaviour(modelOf(text), modelOf(edited(text, edits)))
        .filter(({ point }) => point === 6)
        .map((line) => line.text);
    };
    const reads = "  Ticket:\n    read:\n      - agent\n";
    // A requester still reads most fields of tickets of their own.
    expect(textsOf([reads, '  Ticket:\n    read:\n      - { role: agent, when: "priority == urgent" }\n'])).toEqual([
      "Agents can now read the taken at, channel, cause, time spent, duplicate of and duplicates of tickets only where the priority is “Urgent”.",
      "Agents can now read the other fields of tickets only where the priority is “Urgent”.",
    ]);
    const most = `[number, reported_at, requester, followers, category, subject, description, affects, place, files,
          priority, answer_within, answer_due, assignee, solution, solved_at, rating, comments, question,
          last_question, reply, still_wrong, status]`;
    expect(
      textsOf(
        [reads, `  Ticket:\n    read:\n      - agent\n      - { role: visitor, fields: ${most} }\n`],
        ["  agent:      granted", "  agent:      granted\n  visitor:    anyone"],
      ),
    ).toContain(
      "Visitors can now read the fields of tickets other than taken at, channel, cause, time spent, duplicate of and duplicates, even without signing in.",
    );
  });

  test("nothing about the records of a reference, where it becomes a list of them", () => {
    const text = read("help-desk");
    const lines = compareBehaviour(
      modelOf(text),
      modelOf(
        edited(text, [["responsible:\n      type: User?\n", "responsible:\n      type: User\n      many: true\n"]]),
      ),
    );
    expect(lines.filter(({ point }) => point === 3).map((line) => line.text)).toEqual([
      "“Responsible” of categories can now have several values instead of one.",
    ]);
  });

  test("which records have a letter, and which letter emails bring", () => {
    const where = '  where: "status in [ordered, settled]"\n';
    expect(textsOf(purchasing, [where, ""])).toEqual(["Every record now has the letter /requests/{id}/order."]);
    expect(textsOf(purchasing, [where, '  where: "status == ordered"\n'])).toEqual([
      "The letter /requests/{id}/order now exists only if the status is “Ordered”.",
    ]);
    expect(textsOf(purchasing, ["        attach: order\n", ""])).toEqual([
      "After “Order” of requests, the application now notifies people differently: with a different email attachment.",
    ]);
  });

  test("clauses of both texts beside changed calls", () => {
    const [before, after] = [
      compile({ file: "before.md", text: helpDesk }).model,
      compile({
        file: "after.md",
        text: edited(helpDesk, [
          ["cause, ", ""],
          ["    cause:      { type: choice?, values: [defect, wear, operation, change, provider, unknown] }\n", ""],
        ]),
      }).model,
    ];
    if (before === undefined || after === undefined) throw new Error("errors");
    const calls = compareWithProofs(before, after).filter(({ point }) => point === 7);
    expect(calls.length).toBeGreaterThan(0);
    for (const { spans } of calls)
      expect([spans?.before?.file ?? "before.md", spans?.after?.file ?? "after.md"]).toEqual(["before.md", "after.md"]);
  });

  test("no new input of a call that only lists records", () => {
    const text = read("leave-desk");
    const fields = "fields: [employee, first_day, last_day, status";
    expect(
      compareBehaviour(modelOf(text), modelOf(edited(text, [[`${fields}]`, `${fields}, kind]`]]))).filter(
        ({ loses }) => loses !== null,
      ),
    ).toEqual([]);
  });
});

describe("other points", () => {
  test("a rule that is stricter, with a record that it newly refuses", () => {
    const [line, ...more] = linesAfter(["due_day >= from_day", "due_day > from_day"]);
    expect(more).toEqual([]);
    expect(line).toMatchObject({ point: 5, effect: "forbids", certainty: "decided" });
    expect(line?.witness?.record.due_day).toBe(line?.witness?.record.from_day);
  });

  test("a second rule with the same error, with its own place and the actions on which it is checked", () => {
    const rule = '- { rule: "last_day >= first_day", else: DATES_REVERSED }';
    const second = '- { rule: "last_day > first_day", during: submit, else: DATES_REVERSED }';
    const leave = read("leave-desk");
    const text = edited(leave, [[rule, `${rule}\n  ${second}`]]);
    const lines = compareBehaviour(modelOf(leave), modelOf(text));
    expect(lines.map((line) => [line.text, text.slice(line.spans?.after?.start).startsWith(second.slice(2))])).toEqual([
      ["New rule for requests, DATES_REVERSED: the last day is after the first day. It is checked on “Submit”.", true],
    ]);
  });

  test("a removed field retires data and breaks calls", () => {
    expect(
      linesAfter([
        '    note:  { type: long text?, max: 1000, examples: ["Comes with its case.", "Charge it before use."] }\n',
        "",
      ]),
    ).toMatchObject([
      { point: 3, effect: "removes", loses: "data", text: "The field “Note” of things is removed." },
      { point: 7, effect: "changes", loses: "compatibility" },
    ]);
  });

  test("a required field, a constant and an error", () => {
    expect(
      textsAfter(
        ["place: { type: text?, max: 80", "place: { type: text, max: 80"],
        ["page_size: 50", "page_size: 60"],
        ["DUE_BEFORE_START: { message", "DUE_BEFORE_START: { status: 409, message"],
      ),
    ).toEqual([
      "“Place” of things is now required.",
      expect.stringContaining("now require “place”"),
      expect.stringContaining("always give “place”"),
      "The error DUE_BEFORE_START now has the status 409 instead of 422.",
      "The constant page_size is now 60 instead of 50.",
    ]);
  });
});

describe("a computed value", () => {
  const desk = (total: string, fields = "price: decimal, count: { type: integer, min: 1 }, name: text, due: date?") =>
    `# Desk\n\n## 3. Entities\n\n\`\`\`yaml\nOrder: { fields: { ${fields}, total: { ${total} } } }\n\`\`\`\n`;
  const lines = (before: string, after: string) =>
    compareWithProofs(modelOf(desk(before)), modelOf(desk(after))).filter(({ point }) => point === 3);

  test.each([
    ["type: decimal, computed: price * count", "type: decimal, computed: price * count * 2"],
    ["type: text, computed: \"replace(name, ' ', '-')\"", "type: text, computed: name"],
    ["type: integer?, computed: size(name)", "type: integer?, computed: size(name) + 1"],
    ["type: boolean, computed: price * count > 10", "type: boolean, computed: price * count > 14"],
    ["type: date?, computed: due", "type: date?, computed: due + days(1)"],
  ])("with another formula differs for certain: %s → %s", (before, after) => {
    const [found, ...more] = lines(before, after);
    expect(more).toEqual([]);
    expect(found?.certainty).toBe("decided");
    expect(found?.witness?.record).not.toEqual({});
    const world = buildWorld(modelOf(desk(after)), "Order", found?.proof?.example ?? []);
    expect(found?.proof?.conditions.every((condition) => holdsIn(condition, world))).toBe(true);
  });

  test("with a formula that means the same gives no line", () => {
    expect(lines("type: boolean, computed: price > 3", "type: boolean, computed: 3 < price")).toEqual([]);
    expect(
      lines('type: text?, computed: "due == null ? null : name"', 'type: text?, computed: "due != null ? name : null"'),
    ).toEqual([]);
  });
});

test("lines read in the language of the reader", () => {
  const lines = linesAfter(
    ["fields: [name] }]", "fields: [name, email] }]"],
    ['when: "borrower == user" }]', 'when: "borrower == user && status == asked" }]'],
    ["place: { type: text?, max: 80", "place: { type: text, max: 80"],
    ["page_size: 50", "page_size: 60"],
  );
  const inLanguage = (language: string) =>
    lines.filter(({ point }) => point !== 7).map(({ message }) => messageText(message, language));
  expect(inLanguage("en")).toEqual(lines.filter(({ point }) => point !== 7).map(({ text }) => text));
  expect(inLanguage("de-AT")).toEqual([
    "„Place“ der „things“ ist jetzt ein Pflichtfeld.",
    "Personen mit der Rolle „Member“ können jetzt „Email“ der „users“ sehen.",
    "Personen mit der Rolle „Member“ können jetzt nur noch unter einer Bedingung „loans“ sehen: „Borrower“ ist diese Person und „Status“ ist „Requested“.",
    "Die Konstante page_size ist jetzt 60 statt 50.",
  ]);
  expect(inLanguage("fr").map((text) => text.replaceAll("\u202f", " "))).toEqual([
    "« Place » des « things » est désormais obligatoire.",
    "Les personnes ayant le rôle « Member » peuvent désormais voir « Email » des « users ».",
    "Les personnes ayant le rôle « Member » ne peuvent désormais voir les « loans » qu’à une condition : « Borrower » est cette personne et « Status » est « Requested ».",
    "La constante page_size vaut désormais 60 au lieu de 50.",
  ]);
});

test("compatible changes of the calls of an entity are one line, with a part for each call", () => {
  const lines = linesAfter(["    kind:  {", "    worth: { type: decimal? }\n    kind:  {"]);
  const [line, ...others] = lines.filter(({ point }) => point === 7);
  expect(others).toEqual([]);
  expect(line).toMatchObject({ subject: "Thing", effect: "changes", loses: null, before: "3.Thing", after: "3.Thing" });
  expect(line?.text).toBe(
    "4 calls of things change in a compatible way: the calls can now be filtered and sorted by “worth”, and now give and accept “worth”.",
  );
  expect(line?.parts?.map(({ text }) => text)).toContain(
    "The call GET /api/things/{id} changes in a compatible way: it now gives “worth”.",
  );
});

test("an entity or a field that exists already takes over no records, so the other one is removed", () => {
  const shop = (fields: string): string => `# Shop

## 3. Entities and their fields
\`\`\`yaml
${fields}
\`\`\`
`;
  const removed = (before: string, after: string): readonly string[] =>
    compareBehaviour(modelOf(shop(before)), modelOf(shop(after)))
      .filter(({ loses }) => loses === "data")
      .map(({ text }) => text);
  const fields = "fields: { name: text, street: text? }";
  expect(removed(`Customer: { ${fields} }\nAddress: { ${fields} }`, `Address: { was: Customer, ${fields} }`)).toEqual([
    "The entity Customer (customers) is removed, with its fields, rules and permissions.",
  ]);
  expect(removed(`Customer: { ${fields} }`, `Address: { was: Customer, ${fields} }`)).toEqual([]);
  const merged = "Customer: { fields: { name: { type: text, was: street } } }";
  expect(removed(`Customer: { ${fields} }`, merged)).toEqual(["The field “Street” of customers is removed."]);
});

test("a plan names both versions and is rated by its worst line", () => {
  const version = (text: string) => ({ model: modelOf(text), file: "a.md", hash: `hash of ${text.length}` });
  const plan = (text: string) => buildPlan(version(lending), version(text));
  expect(plan(lending)).toEqual({
    format: 1,
    before: { file: "a.md", hash: expect.any(String) },
    after: { file: "a.md", hash: expect.any(String) },
    behaviour: [],
    open: { opened: [], closed: [] },
    data: null,
  });
  expect(classifyPlan(plan(lending))).toBe("same");
  expect(classifyPlan(plan(edited(lending, [["page_size: 50", "page_size: 60"]])))).toBe("change");
  expect(classifyPlan(plan(edited(lending, [["    delete: [keeper]\n", "    delete: []\n"]])))).toBe("loss");
  const { open } = plan(
    edited(lending, [
      [
        "## 9. Business constants and limits\n\n```yaml\npage_size: 50\n```",
        "## 9. Business constants and limits\n\nNot shown.",
      ],
    ]),
  );
  expect(open.opened).toMatchObject([{ point: 9, default: "BUILT_IN_LIMITS" }]);
});

test("the witness of a line answers differently under both versions", () => {
  const after = modelOf(
    edited(lending, [
      ["due_day >= from_day", "due_day > from_day"],
      ['when: "borrower == user" }]', 'when: "borrower == user && status == asked" }]'],
      ["to: lent, by: keeper", 'to: lent, by: keeper, when: "due_day > today"'],
    ]),
  );
  const proofs = compareWithProofs(modelOf(lending), after).flatMap(({ proof }) => proof ?? []);
  expect(proofs).toHaveLength(3);
  for (const { example, conditions } of proofs)
    expect(conditions.every((condition) => holdsIn(condition, buildWorld(after, "Loan", example)))).toBe(true);
});

test("a line about an error with another form", () => {
  const shelf = (entry: string) =>
    modelOf(
      `# Shelf\n\n## 3. Entities\n\`\`\`yaml\nBook: { fields: { title: text } }\n\`\`\`\n\n## 8. Errors\n\`\`\`yaml\n${entry}\n\`\`\``,
    );
  const line = [["Refusals with NOT_FOUND now have a different format.", "compatibility"]];
  const change = (before: string, after: string) =>
    compareBehaviour(shelf(before), shelf(after)).map(({ text, loses }) => [text, loses]);
  const named = "NOT_FOUND: { message: None., shape: { error: message } }";
  expect(change("NOT_FOUND: None.", named)).toEqual(line);
  expect(change(named, "NOT_FOUND: { message: None., shape: none }")).toEqual(line);
  expect(change(named, named)).toEqual([]);
});

test("lines about what a call asks for, ignores, and refuses with", () => {
  const shelf = (call: string) =>
    modelOf(
      [
        "# Shelf",
        "## 3. Entities\n```yaml\nBook: { fields: { title: text, pages: integer? } }\n```",
        "## 6. Permissions\n```yaml\nroles: { member: signed in }\npermissions: { Book: { read: member, create: member, update: member } }\n```",
        `## 7. Calls\n\`\`\`yaml\nconventional: none\nbase: /v1\ncalls:\n  GET /books/{title}: { read: Book }\n  PUT /books/{title}: { ${call} }\n\`\`\``,
        "## 8. Errors\n```yaml\nGONE: { status: 410, message: It is gone. }\n```",
      ].join("\n\n"),
    );
  const textsOf = (before: string, after: string) =>
    compareBehaviour(shelf(before), shelf(after)).map(({ text, loses }) => [text, loses]);
  const plain = "update: Book, takes: { title, pages }, errors: { NOT_FOUND: GONE }";
  const asking = `${plain}, asks: pages`;
  const ignoring = `${plain}, unknown: ignored`;
  expect(textsOf(plain, ignoring)).toEqual([
    ["The call PUT /books/{title} now ignores unknown members and parameters.", null],
  ]);
  expect(textsOf(ignoring, plain)).toEqual([
    ["The call PUT /books/{title} now refuses unknown members and parameters.", "compatibility"],
  ]);
  expect(textsOf(plain, asking)).toContainEqual([expect.stringContaining("require"), "compatibility"]);
  expect(textsOf(plain, plain.replace("NOT_FOUND", "FORBIDDEN"))).toEqual([
    ["The call PUT /books/{title} is now refused with different errors.", "compatibility"],
  ]);
});

test("lines about screens and tiles say what their readers will find", () => {
  const at2 = (...edits: readonly (readonly [string, string])[]) =>
    linesAfter(...edits)
      .filter(({ point }) => point === 2)
      .map(({ text }) => text);
  expect(
    at2(
      ["columns: [name, kind, place, availability]", "columns: [name, place, availability]"],
      ["  sort: [-due_day]", "  sort: [from_day, -due_day]\n  group: [month_of(due_day), status]"],
      ["layouts: [table, { board: status }, { calendar: [from_day, due_day] }]", "layouts: [{ board: status }, table]"],
      ["  sort: [due_day]\n", '  sort: [due_day]\n  filters: ["thing"]\n'],
      ["remark, reason] }, history]", "remark] }, history]"],
      ["per: month_of(from_day)", "per: month_of(due_day)"],
    ),
  ).toEqual([
    "The tile “Loans by month” on the screen / is now grouped differently.",
    "The screen /loans now sorts its records by “From day” and “Due day” (descending).",
    "The screen /loans now groups its records by “Due day” and “Status”.",
    "The screen /loans no longer has this layout: calendar.",
    "The screen /loans now opens with the layout board.",
    "The screen /overdue has new filters: “Thing”.",
    "The screen /loans/{id} no longer shows “Reason”.",
    "The screen /things no longer has these columns: “Kind”.",
  ]);
  const overdue = (audience: string): readonly [string, string] => [
    "{ title: Overdue, count: Loan",
    `{ title: Overdue, ${audience}count: Loan`,
  ];
  expect(at2(overdue("for: keeper, "))).toEqual(["The tile “Overdue” on the screen / is now only for keeper."]);
  expect(at2([`where: "status == lent && due_day < today"\n  columns`, `where: "status == lent"\n  columns`])).toEqual([
    "The screen /overdue now shows only records where the status is “Lent”.",
  ]);
});

test("lines about how people register", () => {
  const document = (signUp: string) => `
# Desk

## 3. Entities and their fields
\`\`\`yaml
Note: { fields: { text: text } }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
sign in: { sign up: ${signUp} }
\`\`\`
`;
  const between = (one: string, other: string) =>
    compareBehaviour(modelOf(document(one)), modelOf(document(other))).map(({ text, loses }) => `${loses}: ${text}`);
  const atOnce =
    "Accounts are now created immediately, without a link by email: people can register with an address that is not theirs.";
  expect(between("open", "{ verify email: false }")).toEqual([`access: ${atOnce}`]);
  expect(between("none", "{ verify email: false }")).toEqual([
    "null: People can now register themselves.",
    `null: ${atOnce}`,
  ]);
  expect(between("{ verify email: false }", "open")).toEqual([
    "compatibility: Accounts are now created only with a link that is sent to the email address.",
  ]);
});

test("lines about an application in which nobody signs in", () => {
  const document = (signIn: string) => `
# Desk

## 3. Entities and their fields
\`\`\`yaml
Note: { fields: { text: text } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { visitor: { members: anyone } }
permissions: { Note: { read: visitor, create: visitor, update: none, delete: none } }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
sign in: ${signIn}
\`\`\`
`;
  const between = (one: string, other: string) =>
    compareBehaviour(modelOf(document(one)), modelOf(document(other))).map(({ text, loses }) => `${loses}: ${text}`);
  expect(between("{ password: true }", "none")).toContain(
    "access: People no longer sign in to the application: everyone can now do what a visitor can do.",
  );
  expect(between("none", "{ password: true }")).toContain("null: People can now sign in to the application.");
});

test("a field by which callers can no longer sort is a change that breaks programs", () => {
  const notes = (sortable: string) =>
    modelOf(
      `# Notes\n\n## 3. E\n\`\`\`yaml\nNote: { fields: { text: text, day: date? } }\n\`\`\`\n## 6. P\n\`\`\`yaml\nroles: { member: { members: signed in } }\npermissions: { Note: { read: member, create: member } }\n\`\`\`\n## 7. C\n\`\`\`yaml\nbase: /v1\ncalls: { GET /notes: { list: Note, sortable: ${sortable} } }\n\`\`\`\n`,
    );
  const texts = (before: string, after: string) =>
    compareBehaviour(notes(before), notes(after)).map(({ text }) => text);
  expect(texts("[text, day]", "[text]")).toEqual([
    "The call GET /v1/notes can fail for programs that use it: it can no longer be sorted by “day”.",
  ]);
  expect(texts("[text]", "[text, day]")).toEqual([expect.stringContaining("can now be sorted by “day”")]);
});

test("another page size, another start and other names of pages are told", () => {
  const notes = (paging: string) =>
    modelOf(
      `# Notes\n\n## 3. E\n\`\`\`yaml\nNote: { fields: { text: text } }\n\`\`\`\n## 6. P\n\`\`\`yaml\nroles: { member: { members: signed in } }\npermissions: { Note: { read: member, create: member } }\n\`\`\`\n## 7. C\n\`\`\`yaml\nbase: /v1\ncalls: { GET /notes: { list: Note, paging: ${paging} } }\n\`\`\`\n`,
    );
  const texts = (before: string, after: string) =>
    compareBehaviour(notes(before), notes(after)).map(({ text }) => text);
  expect(texts("{ page: p, limit: n, size: 5 }", "{ page: p, limit: n, size: 6 }")).toEqual([
    "The call GET /notes now has different default values of its parameters n.",
  ]);
  expect(texts("{ page: p, limit: n }", "{ offset: p, limit: n }")).toContain(
    "The call GET /notes now has different conditions for its parameters p.",
  );
  expect(texts("pages", "{ page: p }").join(" ")).toContain("can no longer be paged by “page”");
});

describe("a room that is booked", () => {
  const booked = (among: string, rule: string, lapse: string): string => `
# Rooms

## 3. Entities and their fields
\`\`\`yaml
Room:
  fields: { name: text, owner: User?, open: boolean, seats: integer, bookings: { list: Booking.room } }
Booking:
  fields: { room: { type: Room, among: "Room.filter(r, ${among})" }, from: date, people: integer }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Booking:
  states: [new, old]
  transitions: { lapse: { from: new, to: old, ${lapse} } }
\`\`\`

## 5. Rules
\`\`\`yaml
Booking: [{ rule: "${rule}", else: FULL }]
\`\`\`

## 8. Errors
\`\`\`yaml
FULL: "The room is full."
\`\`\`
`;
  const between = (at: 0 | 1 | 2, before: string, after: string) => {
    const usual = ["r.owner == user", "people > 0", "timeout: 3 days"];
    const read = (text: string): Model => {
      const [among = "", rule = "", lapse = ""] = usual.with(at, text);
      return modelOf(booked(among, rule, lapse));
    };
    return compareBehaviour(read(before), read(after)).map(({ certainty, text }) => `${certainty}: ${text}`);
  };
  const more = "decided: “Room” of bookings can now refer to more records.";
  const fewer = "decided: “Room” of bookings can now refer to fewer records.";

  test.each([
    ["r.owner == user", "r.owner == user || r.open", [more]],
    ["r.owner == user", "r.open && r.owner == user", [fewer]],
    ["r.open", "r.owner == user", [more, fewer]],
    ["r.seats >= people", "r.seats > people", [fewer]],
    ["r.open && r.seats > 3", "r.seats > 3 && r.open", []],
    // An example would need other bookings.
    ["r.bookings.count() < 5", "r.bookings.count() < 8", [more.replace("decided", "possible")]],
  ])("from those of which %s, later %s", (before, after, lines) => {
    expect(between(0, before, after)).toEqual(lines);
  });

  const stricter = "possible: The rule FULL for bookings is now stricter.";
  const looser = "possible: The rule FULL for bookings is now less strict.";
  test.each([
    ["!room.bookings.exists(b, b.people > 5)", "!room.bookings.exists(b, b.people > 3)", stricter],
    ["room.bookings.all(b, b.people <= 3)", "room.bookings.all(b, b.people <= 5)", looser],
    ["room.bookings.count(b, b.people > 2) < 5", "room.bookings.count(b, b.people > 1) < 5", stricter],
    ["!room.bookings.exists(b, b.from == from)", "!room.bookings.exists(b, b.from == from && b.people > 1)", looser],
  ])("with the rule %s, later %s", (before, after, line) => {
    expect(between(1, before, after)).toEqual([line]);
  });

  const name = "“Lapse” of bookings now happens automatically";
  test.each([
    ["timeout: 3 days", "timeout: 5 days", `decided: ${name} after 5 days instead of 3 days.`],
    ['once: "today > from"', 'once: "today > from + 3 days"', `decided: ${name} in fewer cases, or later.`],
    ['once: "today > from + 5 days"', 'once: "today > from + 3 days"', `decided: ${name} in more cases, or earlier.`],
    ['once: "today > from"', 'once: "today >= from"', `decided: ${name} in more cases, or earlier.`],
  ])("that lapses by %s, later by %s", (before, after, line) => {
    expect(between(2, before, after)).toEqual([line]);
  });
});

describe("what people see in another order, or newly", () => {
  const textsOf = (name: string, ...edits: readonly (readonly [string, string])[]): readonly string[] => {
    const text = read(name);
    return compareBehaviour(modelOf(text), modelOf(edited(text, edits))).map((line) => line.text);
  };
  const columns = "columns: [name, about, responsible, open_tickets]";
  const fields =
    "fields: [category, subject, description, affects, place, files, followers, requester, channel, priority]";

  test.each([
    [
      "columns",
      "help-desk",
      columns,
      "columns: [name, responsible, about, open_tickets]",
      "The screen /categories shows its columns in a different order.",
    ],
    [
      "fields of a form",
      "help-desk",
      `${fields}\n/tickets/{id}`,
      `${fields.replace("category, subject", "subject, category")}\n/tickets/{id}`,
      "The screen /tickets/new shows its fields in a different order.",
    ],
    [
      "columns of a list in a form",
      "purchasing",
      "columns: [item, article, quantity",
      "columns: [article, item, quantity",
      "The screen /requests/new shows the columns of “Lines” in a different order.",
    ],
    [
      "choices",
      "help-desk",
      "values: [low, normal, high, urgent]",
      "values: [urgent, high, normal, low]",
      "The choices of “Priority” of tickets are in a different order, and so are lists sorted by it.",
    ],
    [
      "states",
      "purchasing",
      "    - draft\n    - submitted\n",
      "    - submitted\n    - draft\n",
      "The states of requests are in a different order, and so are boards, lists sorted by state, and colours that follow the order.",
    ],
    [
      "the screen on which people start",
      "lending",
      "/:\n  title",
      "/overview:\n  title",
      "People now start on the screen /overview instead of /.",
    ],
  ])("%s", (_, name, old, now, line) => {
    expect(textsOf(name, [old, now])).toContain(line);
  });

  test("the values in a letter, or its words", () => {
    expect(textsOf("purchasing", ["{supplier.email}", "{supplier.iban}"])).toEqual([
      "The screen /requests/{id}/order now shows “Supplier / IBAN”.",
      "The screen /requests/{id}/order no longer shows “Supplier / Email”.",
    ]);
    expect(textsOf("purchasing", ["Kind regards", "Yours"])).toEqual([
      "The screen /requests/{id}/order uses different words.",
    ]);
    expect(textsOf("purchasing", ["totals: [net]", "totals: [unit_price]"])).toEqual([
      "The screen /requests/{id}/order adds up different columns.",
    ]);
  });

  test("the audience of a tile, also where something else of it changes", () => {
    expect(
      textsOf(
        "help-desk",
        ["for: supervisor, pivot: category", "for: agent, pivot: category"],
        ['by: priority, from: Ticket, where: "status in open_states" }', "by: priority, from: Ticket }"],
      ),
    ).toEqual([
      "The tile “Open tickets by category and priority” on the screen / is now also for agent.",
      "The tile “Open tickets by category and priority” on the screen / is no longer for supervisor.",
      "The tile “Open tickets by category and priority” on the screen / now includes different records.",
    ]);
  });

  test("a new field, with the people who can read and write it", () => {
    const added = (grant: string): readonly string[] =>
      textsOf(
        "purchasing",
        [
          "    town:         { type: text, max: 80,",
          "    discount:     decimal?\n    town:         { type: text, max: 80,",
        ],
        ["{ role: staff, fields: [name, town, country] }", grant],
      ).filter((text) => text.startsWith("New field"));
    expect(added("{ role: staff, fields: [name, town, country] }")).toEqual([
      "New field “Discount” of suppliers. It can be read, entered and changed by finance.",
    ]);
    expect(added("{ role: staff, fields: [name, town, country, discount] }")).toEqual([
      "New field “Discount” of suppliers. It can be read by staff and finance, and entered or changed by finance.",
    ]);
  });

  test("the clauses that a changed constant decides, and nothing for its value in its place", () => {
    expect(textsOf("help-desk", ["time_to_object: 7 days", "time_to_object: 5 days"])).toEqual([
      "The constant time_to_object is now 5 days instead of 7 days. It is used by 4.Ticket.close.",
    ]);
    expect(textsOf("help-desk", ["timeout: time_to_object", "timeout: 7 days"])).toEqual([]);
    // A list gives no line for each tile and each computed value that reads it, either.
    expect(
      textsOf("help-desk", [
        "open_states: [reported, escalated, in_work, waiting]",
        "open_states: [reported, escalated, in_work]",
      ]),
    ).toEqual([
      "The constant open_states is now [reported, escalated, in_work] instead of [reported, escalated, in_work, waiting]. It is used by 2./.5, 2./.6, 2./.8, 2./.11, 3.Category.open_tickets.",
    ]);
  });

  test("what a call of its own does differently, and to whom a channel may say more", () => {
    expect(
      textsOf("leave-desk", [
        '    where: "status in [granted, booked]"\n    query',
        '    where: "status == booked"\n    query',
      ]),
    ).toEqual(["The call GET /leave now finds records under a different condition."]);
    expect(textsOf("purchasing", ["order: order_number, supplier", "order: number, supplier"])).toEqual([
      "The call GET /scanner/orders/{order_number} now gives different values as order.",
    ]);
    expect(textsOf("help-desk", [" readers: agent,", ""])).toEqual([
      "Messages to desk_chat now contain what people who are not signed in can read, instead of what people with the role “Agent” can read.",
    ]);
  });

  test("effects in another order, also where one of them is new", () => {
    const [tell, call] = [
      '      - { notify: employee, text: "Your leave from {first_day} to {last_day} is granted." }\n',
      "      - { call: payroll }\n",
    ];
    const line = "After “Grant” of requests, the application now does the same in a different order.";
    expect(textsOf("leave-desk", [`${tell}${call}`, `${call}${tell}`])).toEqual([line]);
    const also = "      - { notify: employee.manager, text: Granted. }\n";
    expect(textsOf("leave-desk", [`${tell}${call}`, `${call}${also}${tell}`])).toEqual([
      "After “Grant” of requests, the application now notifies the employee’s manager.",
      line,
    ]);
  });

  test("nothing, where only the order of actions or of the fields of a key differs", () => {
    expect(textsOf("purchasing", ["during: [create, check]", "during: [check, create]"])).toEqual([]);
  });
});

describe("what a default did", () => {
  const camp = (more = ""): string => `# Camp

## 3. Entities and their fields
\`\`\`yaml
Child: { fields: { name: text, form: integer } }
Form: { fields: { note: text? } }
\`\`\`
${more}`;
  const screens = "\n## 2. Screens and routes\n```yaml\n/children: { list: Child, columns: [name] }\n```\n";
  const permissions =
    "\n## 6. Roles and permissions\n```yaml\nroles: { clerk: granted }\npermissions: { Child: { read: clerk, create: clerk, update: clerk, delete: clerk }, Form: { read: [clerk, administrator], create: clerk } }\n```\n";
  const texts = (before: string, after: string): readonly string[] =>
    compareBehaviour(modelOf(before), modelOf(after)).map((line) => line.text);

  test("the first screen ends the automatic lists of other entities", () => {
    const end = "The specification now has screens of its own, so the automatic lists of forms are no longer shown.";
    expect(texts(camp(), camp(screens))).toEqual(expect.arrayContaining([end]));
    expect(texts(camp(screens), camp())).toEqual(
      expect.arrayContaining(["The specification no longer has screens, so automatic lists of forms are shown."]),
    );
  });

  test("the end of the permissions of administrators is one line for the same loss", () => {
    const lost = texts(camp(), camp(permissions)).filter((text) => /administrators/u.test(text));
    expect(lost).toEqual([
      "The specification now says who has permissions, so administrators can no longer read, create, change or delete children.",
      "The specification now says who has permissions, so administrators can no longer create, change or delete forms.",
    ]);
  });

  const stay = "Accounts and invitations stay with administrators.";
  const says = "The specification now says who";
  const call = "\n## 7. API\n```yaml\ncalls:\n  GET /people: { list: User }\n```\n";
  const desk = "User: { fields: { desk: text? } }\n";
  test.each<[string, { people: string; entity?: string; call?: string }, "access" | null, string]>([
    [
      "the names of people, where nothing else showed people",
      { people: "{ read: clerk }" },
      "access",
      `${says} can read users, so administrators no longer see people’s names in records and histories. ${stay}`,
    ],
    [
      "nothing, where nothing showed people and administrators still read users",
      { people: "{ read: [clerk, administrator] }" },
      null,
      `${says} has permissions for users. ${stay}`,
    ],
    [
      "nothing, where everyone who signs in reads the names",
      { people: "{ read: { role: member, fields: [name] } }" },
      null,
      `${says} has permissions for users. ${stay}`,
    ],
    [
      "what screens and calls offered, where people are among the entities of the document",
      { people: "{ read: [clerk, administrator], update: administrator }", entity: desk },
      "access",
      `${says} has permissions, so administrators can no longer create or delete users on screens and with calls. ${stay}`,
    ],
    [
      "what a call of the document offered",
      { people: "{ read: [clerk, administrator] }", call },
      "access",
      `${says} has permissions, so administrators can no longer create, change or delete users on screens and with calls. ${stay}`,
    ],
  ])(
    "the end of the permissions of administrators on people loses %s",
    (_, { people, entity = "", call = "" }, loses, text) => {
      const document = (more: string): string =>
        `${camp().trimEnd().slice(0, -"```".length)}${entity}\`\`\`\n${more}${call}`;
      const roles = `\n## 6. Roles and permissions\n\`\`\`yaml\nroles: { clerk: granted, member: signed in }\npermissions: { User: ${people} }\n\`\`\`\n`;
      const ended = compareBehaviour(modelOf(document("")), modelOf(document(roles))).filter(
        ({ subject, before }) => subject === "permissions" && before === "ADMINISTRATORS_ONLY",
      );
      expect(ended).toMatchObject([{ text, loses }]);
    },
  );
});

test("a rule that newly refuses and newly accepts is one line", () => {
  const rule = (condition: string): string => `# Desk

## 3. Entities and their fields
\`\`\`yaml
Case: { fields: { fee: integer } }
\`\`\`

## 5. Validation rules
\`\`\`yaml
Case: [{ rule: "${condition}", else: FEE }]
\`\`\`

## 8. Error catalogue
\`\`\`yaml
FEE: { status: 422, message: "The fee is at most {most}${condition.length === 11 ? "" : ", or more"}." }
\`\`\`

## 9. Business constants and limits
\`\`\`yaml
most: 100
\`\`\`
`;
  expect(compareBehaviour(modelOf(rule("fee <= most")), modelOf(rule("fee >= 5")))).toMatchObject([
    {
      text: "The rule FEE for cases now refuses some records that it accepted, and accepts some that it refused: the fee is at least 5.",
      effect: "forbids",
      certainty: "decided",
    },
    { text: "The error FEE now says “The fee is at most 100, or more.” instead of “The fee is at most 100.”" },
  ]);
});
