import { describe, expect, test } from "vitest";
import { documentOf, findingsOf, found, foundOne } from "./documents.ts";

describe("WIDER_AUDIENCE of a computed field", () => {
  const withReaders = (clerk: string, computed: string, lines = "[lead]") => ({
    3: `Order:
  fields:
    title: text
    wage:  integer
    lines: { list: Line.order }
    bonus: { type: integer, computed: "${computed}" }
Line:
  fields:
    order:  Order
    amount: integer`,
    6: `roles: { clerk: granted, lead: granted }
permissions:
  Order: { read: [${clerk}, lead], create: [lead] }
  Line:  { read: ${lines}, create: [lead] }`,
  });

  test("accepts a field with “discloses: true”", () => {
    const document = withReaders("{ role: clerk, fields: [title, bonus] }", "wage * 2");
    expect(found({ ...document, 3: document[3].replace('"wage * 2"', '"wage * 2", discloses: true') })).toEqual([]);
  });

  test("finds a reader who can’t read a source field", () => {
    const document = withReaders("{ role: clerk, fields: [title, bonus] }", "wage * 2");
    expect(found(document)).toEqual(["WIDER_AUDIENCE 3.Order.bonus «wage * 2»"]);
    expect(foundOne(document)).toMatchObject({
      message: "clerk can read bonus of an order, but not always Order.wage, from which it is computed.",
      witness: { role: "clerk" },
    });
  });

  test("names all readers for whom one source is hidden", () => {
    const document = withReaders("clerk", "lines.map(l, l.amount).sum()", "[administrator]");
    const messages = findingsOf(documentOf(document)).flatMap(({ code, message }) =>
      code === "WIDER_AUDIENCE" ? [message] : [],
    );
    expect(messages).toEqual([
      "clerk and lead can read bonus of an order, but not always Line.amount, from which it is computed.",
    ]);
  });

  test("finds a reader who can’t always read a source field", () => {
    const always = "{ role: clerk, fields: [title, bonus] }, { role: clerk, fields: [title, wage]";
    expect(found(withReaders(`${always}, when: "wage < 9" }`, "wage * 2"))).toEqual([
      "WIDER_AUDIENCE 3.Order.bonus «wage * 2»",
    ]);
    expect(found(withReaders(`${always} }`, "wage * 2"))).toEqual([]);
  });

  test("finds a reader who can’t read any of the summed records", () => {
    expect(found(withReaders("clerk", "lines.map(l, l.amount).sum()"))).toEqual([
      "WIDER_AUDIENCE 3.Order.bonus «lines.map(l, l.amount).sum()»",
    ]);
    expect(found(withReaders("clerk", "lines.map(l, l.amount).sum()", "[clerk, lead]"))).toEqual([]);
  });

  test.each([
    ["it reads what it is made of", "clerk", "wage * 2"],
    ["it does not read it", "{ role: clerk, fields: [title] }", "wage * 2"],
    ["what is only asked of other records is a summary", "clerk", "lines.exists(l, l.amount > 3) ? 1 : 0"],
  ])("not where %s", (_, clerk, computed) => expect(found(withReaders(clerk, computed))).toEqual([]));
});

describe("WIDER_AUDIENCE of a field whose value the document gives in another way", () => {
  interface Share {
    /** The keys of the field beside its type. */
    readonly share?: string;
    readonly set?: string;
    readonly after?: string;
    readonly transitions?: string;
    readonly staff?: string;
    readonly house?: string;
  }
  /** Staff read a notice with its share, but only the boss reads the budget of a house. */
  const notices = ({ share = "", set = "", after = "", transitions = "", staff = "staff", house = "boss" }: Share) => ({
    3: `House:
  fields: { name: text, budget: integer }
Notice:
  fields:
    house: House
    title: text
    share: { type: integer?${share} }
Copy:
  fields:
    title:  text
    amount: integer?`,
    4: `Notice:
  states: [open, done]
  final: done
  transitions:
    finish: { from: open, to: done, by: boss${set} }
    ${transitions}
${after === "" ? "" : `  after: { finish: ${after} }`}`,
    6: `roles: { staff: signed in, boss: granted }
permissions:
  User:   { read: [{ role: staff, fields: [name] }] }
  House:  { read: [{ role: staff, fields: [name] }, ${house}], create: [boss] }
  Notice: { read: [${staff}, boss], create: [boss] }
  Copy:   { read: [staff], create: [boss] }`,
  });
  const wide = (points: Readonly<Record<number, string>>) =>
    found(points).filter((item) => item.startsWith("WIDER_AUDIENCE"));
  const copied = { set: ", set: { share: house.budget }" };
  const enter = "enter: { from: done, to: same, by: none, asks: { given: integer? }, set: { share: given } }";

  test.each<[string, Share, ...string[]]>([
    ["a transition", copied, "4.Notice.finish «house.budget»"],
    ["a kept value", { share: ", kept: for good, computed: house.budget" }, "3.Notice.share «house.budget»"],
    ["a default", { share: ", default: house.budget" }, "3.Notice.share «house.budget»"],
    [
      "a value set at creation",
      { share: ', set: "House.map(h, h.budget).sum()"' },
      "3.Notice.share «House.map(h, h.budget).sum()»",
    ],
    ["a value of stored records", { share: ", fill: house.budget" }, "3.Notice.share «house.budget»"],
    [
      "an effect that creates",
      { after: "{ create: Copy, set: { title, amount: house.budget } }" },
      "4.Notice.after.finish.1 «house.budget»",
    ],
    [
      "an effect that updates",
      { after: "{ update: this, set: { share: it.house.budget } }" },
      "4.Notice.after.finish.1 «it.house.budget»",
    ],
    [
      "a value of an act, which the history shows, and the field that it is entered in",
      { transitions: enter, after: "{ make: enter, set: { given: house.budget } }" },
      "4.Notice.enter «given»",
      "4.Notice.after.finish.1 «house.budget»",
    ],
    [
      "an effect that creates under a condition",
      {
        after: "{ create: Copy, when: old.share > 3, set: { title: \"'Expensive'\" } }",
        staff: "{ role: staff, except: [share] }",
      },
      "4.Notice.after.finish.1 «old.share > 3»",
    ],
    [
      "an effect that updates under a condition, once for all its fields",
      {
        after: "{ update: this, when: share > 3, set: { title: \"'Expensive'\", house } }",
        staff: "{ role: staff, except: [share] }",
      },
      "4.Notice.after.finish.1 «share > 3»",
    ],
    [
      "an effect that chooses its records by a condition",
      {
        after: '{ update: "Notice.filter(n, n.share > 3)", set: { title: "\'Expensive\'" } }',
        staff: "{ role: staff, except: [share] }",
      },
      "4.Notice.after.finish.1 «Notice.filter(n, n.share > 3)»",
    ],
    [
      "a condition on its own record",
      { set: `, set: { share: "title == 'a' ? 1 : 2" }`, staff: "{ role: staff, fields: [share] }" },
      "4.Notice.finish «title == 'a' ? 1 : 2»",
    ],
  ])("finds %s", (_, share, ...at) => expect(wide(notices(share))).toEqual(at.map((item) => `WIDER_AUDIENCE ${item}`)));

  test("names the reader, the field and its source", () =>
    expect(foundOne(notices(copied))).toMatchObject({
      message: "staff can read share of a notice, but not always House.budget, from which it is set.",
      hint: "Let staff read House.budget, remove share from the fields that staff can read, or add “discloses: true” to share.",
      witness: { role: "staff" },
    }));

  test("finds a state to which only an effect leads, under a condition", () => {
    const kept = (by: string) => {
      const points = notices({
        transitions: `keep: { from: done, to: kept, by: ${by} }`,
        after: "{ make: keep, when: share > 3 }",
        staff: "{ role: staff, except: [share] }",
      });
      return {
        ...points,
        4: points[4].replace("[open, done]", "[open, done, kept]").replace("final: done", "final: kept"),
      };
    };
    expect(wide(kept("none"))).toEqual(["WIDER_AUDIENCE 4.Notice.after.finish.1 «share > 3»"]);
    expect(wide(kept("boss"))).toEqual([]);
  });

  test("names what decides if an effect runs", () =>
    expect(
      foundOne(
        notices({
          after: "{ create: Copy, when: share > 3, set: { title: \"'Expensive'\" } }",
          staff: "{ role: staff, except: [share] }",
        }),
      ),
    ).toMatchObject({
      message: "staff can read title of a copy, but not always Notice.share, which decides if it is set.",
      witness: { role: "staff" },
    }));

  test("finds a slug that is made from a hidden text", () => {
    const pages = (more: string, hidden: string) => ({
      3: `Page: { fields: { title: text, place: { type: slug${more} } } }`,
      6: `roles: { staff: signed in, boss: granted }\npermissions: { Page: { read: [{ role: staff, except: [${hidden}] }, boss], create: boss } }`,
    });
    expect(wide(pages("", "title"))).toEqual(["WIDER_AUDIENCE 3.Page.place «place»"]);
    expect(wide(pages(", discloses: true", "title"))).toEqual([]);
    expect(wide(pages("", "place"))).toEqual([]);
  });

  test.each<[string, Share]>([
    ["readers can read the source", { ...copied, house: "boss, { role: staff, fields: [budget] }" }],
    ["the reader can’t read the field", { ...copied, staff: "{ role: staff, fields: [house, title] }" }],
    ["the value comes from no field", { set: ", set: { share: 3 }" }],
    [
      "people give the value, even if its readers can’t see it in the history",
      {
        set: ", asks: { given: integer }, set: { share: given }",
        staff: "{ role: staff, fields: [house, title, share] }",
      },
    ],
    ["the author means it", { ...copied, share: ", discloses: true" }],
    [
      "the author means it of what an effect sets under a condition",
      {
        share: ", discloses: true",
        after: "{ update: this, when: \"title == 'a'\", set: { share: 3 } }",
        staff: "{ role: staff, fields: [share] }",
      },
    ],
    [
      "an effect only asks something of other records",
      { after: '{ create: Copy, when: "House.exists(h, h.budget > 3)", set: { title } }' },
    ],
    [
      "an effect notifies, which tells that it happened",
      {
        after: "{ notify: \"User.filter(u, 'boss' in u.roles)\", when: share > 3, text: Expensive. }",
        staff: "{ role: staff, except: [share] }",
      },
    ],
    [
      "the author means it of an effect",
      { share: ", discloses: true", after: "{ update: this, set: { share: house.budget } }" },
    ],
  ])("not where %s", (_, share) => expect(found(notices(share))).toEqual([]));

  test("not for the list of people whom deputies represent, which Ninefold writes", () =>
    expect(
      wide({
        3: "Notice:\n  fields: { keeper: User, title: text }",
        4: `Notice:
  states: [open, done]
  final: done
  transitions: { approve: { from: open, to: done, by: keeper, needs: 2, recorded in: approved_by } }`,
        6: `roles: { staff: signed in, Notice: { keeper: keeper == user } }
deputies: { for: keeper, up to: 30 days }
permissions:
  User:   { read: [{ role: staff, fields: [name] }] }
  Notice: { read: [keeper, { role: staff, except: [keeper] }], create: staff }`,
      }),
    ).toEqual([]));

  test("“discloses” is reported if nothing sets the field", () =>
    expect(found(notices({ share: ", discloses: true" }))).toContain("BAD_VALUE 3.Notice.share «discloses»"));
});
