import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";
import { documentOf, findingsOf, found } from "./documents.ts";

type Points = Readonly<Record<number, string>>;

const leaksIn = (points: Points) => found(points).filter((item) => item.startsWith("TELLS_HIDDEN"));

describe("TELLS_HIDDEN where permissions follow two references", () => {
  /** Photos of a repair or a device, readable in as many ways as there are people. */
  const withPhotos = (people: readonly string[], rule: string, during = "create") => {
    const fields = people
      .map((person, i) => `${person}: { type: User${i === 0 ? ", set: user" : "?"} }`)
      .join("\n    ");
    const roles = (prefix: string) => people.map((person) => `${prefix}_${person}: ${person} == user`).join(", ");
    const names = (prefix: string) => people.map((person) => `${prefix}_${person}`).join(", ");
    const like = "[{ like: repair }, { like: device }]";
    return {
      3: `Repair:
  fields:
    ${fields}
    photos: { list: Photo.repair }
Device:
  fields:
    ${fields}
Photo:
  fields: { repair: Repair?, device: Device?, text: text }`,
      5: `Photo: [{ rule: "${rule}", during: ${during}, else: WRONG }]`,
      6: `roles:
  staff: signed in
  Repair: { ${roles("of_repair")} }
  Device: { ${roles("of_device")} }
permissions:
  User:   { read: [{ role: staff, fields: [name] }] }
  Repair: { read: [${names("of_repair")}], create: [staff] }
  Device: { read: [${names("of_device")}], create: [staff] }
  Photo:  { read: ${like}, create: ${like}, update: ${like} }`,
      8: "WRONG: That cannot be.",
    };
  };
  const few = "repair == null || repair.photos.size() < 5";

  test.each([[["owner"]], [["owner", "helper"]], [["owner", "helper", "tester", "keeper", "payer", "buyer"]]])(
    "people who can read the repair by any of %j can see all of its photos",
    (people) => expect(leaksIn(withPhotos(people, few))).toEqual([]),
  );

  test("finds a permission to change that reveals a hidden repair", () =>
    expect(leaksIn(withPhotos(["owner", "helper"], few, "update"))).toEqual([
      `TELLS_HIDDEN 5.Photo.WRONG «{ rule: "${few}", during: update, else: WRONG }»`,
    ]));
});

test("says with which roles the holder of a role on records could read the data, not naming deputies", () => {
  const { findings } = compile({ file: "shop.md", text: readFileSync("test/app/documents/bicycles.md", "utf8") });
  const messages = findings.filter(({ code }) => code === "TELLS_HIDDEN").map(({ message }) => message);
  const only = "Order.status, which own_mechanic can read only with the role front_desk, mechanic or manager as well.";
  expect(messages).toEqual([expect.stringContaining(only), expect.stringContaining(only)]);
});

describe("accepts “discloses: true” in the places that TELLS_HIDDEN and WIDER_AUDIENCE suggest", () => {
  interface Said {
    readonly field?: string;
    readonly state?: string;
    readonly rule?: string;
    readonly create?: string;
    readonly read?: string;
  }
  const withNotes = ({ field = "", state = "", rule = "", create = "staff", read = "" }: Said): Points => ({
    3: `Note:
  fields:
    by:     { type: User, set: user }
    title:  text
    budget: { type: integer, default: 3 }
    other:  { type: Note?${field.startsWith("among") ? `, ${field}` : ""} }
    ${field.startsWith("among") ? "" : field}`,
    4: `Note:
  states: [open, shut]
  final: shut
  transitions: { shut: { from: open, to: shut, by: author${state} } }`,
    ...(rule === "" ? {} : { 5: `Note: [{ ${rule}, else: WRONG }]`, 8: "WRONG: That cannot be." }),
    6: `roles: { staff: signed in, boss: granted, Note: { author: by == user } }
permissions:
  User: { read: [{ role: staff, fields: [name] }] }
  Note:
    read:   [{ role: author, fields: [by, title, other, state] }, boss${read}]
    create: [${create}]`,
  });

  test.each([
    ["a unique field", { field: "number: { type: text, unique: true }" }, "unique: true"],
    ["a slug", { field: "word: { type: slug }" }, "type: slug"],
    ["what a reference may name", { field: `among: "Note.filter(n, n.budget > 3)"` }, `budget > 3)"`],
    [
      "a condition on which a field is required",
      { field: `note: { type: text, required: "Note.exists(n, n.budget > 3)" }` },
      `budget > 3)"`,
    ],
    [
      "a computed field",
      { field: "sum: { type: integer, computed: budget * 2 }", read: ", { role: staff, fields: [sum] }" },
      "budget * 2",
    ],
    ["the guard of a transition", { state: ", when: budget > 3" }, "when: budget > 3"],
    [
      "a bound of a value that a transition sets",
      { field: "size: { type: integer?, max: 5 }", state: ", set: { size: budget * 2 }" },
      "max: 5",
    ],
    ["a rule", { rule: `rule: "!Note.exists(n, n.title == title)"` }, 'title == title)"'],
    ["a unique rule", { rule: "unique: title" }, "unique: title"],
    [
      "a permission",
      { create: `{ role: staff, when: "!Note.exists(n, n.by == user && n.budget > 3)" }` },
      `budget > 3)"`,
    ],
  ])("%s", (_, rule, at) => {
    const text = documentOf(withNotes(rule));
    const before = findingsOf(text).map(({ code }) => code);
    expect(before).toEqual([expect.stringMatching(/^(?:TELLS_HIDDEN|WIDER_AUDIENCE)$/u)]);
    expect(findingsOf(text.replace(at, `${at}, discloses: true`))).toEqual([]);
  });

  const sized = "size: { type: integer?, max: 5 }";

  test.each([
    ["the bounds of a value that is asked for", "amount", {}],
    ["the bounds of a value that its maker can read", "size(title) + amount", {}],
    ["a rule on a value that is asked for", "amount", { rule: 'rule: "size == null || size < 5"' }],
  ])("nothing is revealed by %s", (_, value, rule) =>
    expect(
      found(withNotes({ field: sized, state: `, asks: { amount: integer }, set: { size: ${value} }`, ...rule })),
    ).toEqual([]),
  );

  test("defaults read as their creator, so their bounds reveal nothing", () =>
    expect(
      found(withNotes({ field: 'size: { type: integer, default: "Note.count(n, n.budget > 3)", max: 5 }' })),
    ).toEqual([]));

  test.each([["{ type: sequence }"], ["{ type: sequence, unique: true }"]])(
    "nobody enters a generated number, so its uniqueness reveals nothing: %s",
    (number) => expect(found(withNotes({ field: `number: ${number}` }))).toEqual([]),
  );
});

describe("TELLS_HIDDEN of a state that is reached only under hidden conditions", () => {
  interface Said {
    readonly transitions: string;
    /** The condition of other readers besides the requested people. */
    readonly read?: string;
    readonly initial?: string;
  }
  const leaves = ({ transitions, read = "fields: [day, status]", initial = "draft" }: Said): Points => ({
    3: `Leave:
  fields:
    by:   { type: User, set: user }
    day:  date
    kind: { type: choice, values: [holiday, sick, unpaid] }`,
    4: `Leave:
  field: status
  initial: ${initial}
  states: [draft, asked, granted, over]
  transitions:
    ${transitions}
    open: { from: [over, granted, asked], to: draft, by: employee }
    end:  { from: [draft, asked, granted], to: over, by: employee }`,
    6: `roles: { staff: signed in, Leave: { employee: by == user } }
permissions:
  User: { read: [{ role: staff, fields: [name] }] }
  Leave:
    read:   [employee, { role: staff, ${read} }]
    create: [staff]
    update: [{ role: employee, when: "status == draft" }]`,
  });
  const ask = "ask: { from: draft, to: asked, by: employee }";
  const report = (more = "") => `report: { from: draft, to: granted, by: employee, when: kind == sick${more} }`;
  const grant = (when: string) => `grant: { from: asked, to: granted, by: employee${when} }`;
  const all = (...transitions: readonly string[]) => transitions.join("\n    ");
  const of = (name: string): unknown => expect.stringMatching(`^TELLS_HIDDEN 4\\.Leave\\.${name} `);
  const onlyGranted = "when: status == granted, fields: [day, status]";
  const sick = ", when: kind == sick";

  test.each<[string, Said, ...string[]]>([
    ["by one transition", { transitions: all(ask, report()) }, "report"],
    ["from each state", { transitions: all(ask, report(), grant(sick)) }, "report", "grant"],
    ["from a state that its reader sees as well", { transitions: all(ask, report(), grant("")) }, "report"],
    ["to who sees it there alone", { transitions: all(ask, report()), read: onlyGranted }, "report"],
    [
      "by each of several of which none is seen",
      { transitions: all(ask, report(), grant(", when: kind == unpaid")), read: onlyGranted },
      "report",
    ],
    ["by itself", { transitions: all(ask, "rest: { from: draft, to: granted, once: kind == sick }") }, "rest"],
    [
      "by one role on a condition",
      { transitions: all(ask, "rest: { from: draft, to: granted, by: [{ role: employee, when: kind == sick }] }") },
      "rest",
    ],
    ["where it was before, seen", { transitions: all(ask, report("")), initial: "granted" }, "report"],
  ])("%s", (_, rule, ...names) => expect(leaksIn(leaves(rule))).toEqual(names.map(of)));

  test.each<[string, Said]>([
    ["another way leads there", { transitions: all(ask, report(), grant("")), read: onlyGranted }],
    ["it begins there", { transitions: all(ask, report()), read: onlyGranted, initial: "granted" }],
    ["the author means it", { transitions: all(ask, report(", discloses: true")) }],
    [
      "its reader sees there what is asked for",
      { transitions: all(ask, report()), read: "fields: [day, status, kind]" },
    ],
    ["its reader does not see the state", { transitions: all(ask, report()), read: "fields: [day]" }],
    [
      "its reader sees only what meets it",
      { transitions: all(ask, report()), read: "when: kind == sick, fields: [day, status]" },
    ],
    [
      "one of the conditions always holds",
      { transitions: all(ask, report(), grant(", when: kind != sick")), read: onlyGranted },
    ],
    [
      "it asks who acts",
      { transitions: all(ask, "rest: { from: draft, to: granted, by: employee, when: by == user }") },
    ],
    [
      "it asks for the day alone",
      { transitions: all(ask, "rest: { from: draft, to: granted, by: employee, when: day > today }") },
    ],
  ])("nothing is revealed where %s", (_, rule) => expect(leaksIn(leaves(rule))).toEqual([]));
});
