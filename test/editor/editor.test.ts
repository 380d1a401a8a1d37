import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";
import { createEditor } from "../../src/core/editor/editor.ts";
import { buildOutline, findFolds } from "../../src/core/editor/outline.ts";

const desk = `# Repair desk

## 2. Screens

\`\`\`yaml
/repairs:
  list: Repair
  columns: [device, cost, status]
  sort: [-cost]
  group: [device]
/:
  tiles:
    - { count: Repair, where: "status == reported" }
\`\`\`

## 3. Entities

\`\`\`yaml
Device:
  label: "{name}"
  fields:
    name: { type: text, unique: true }
    kind: { type: choice, values: [machine, vehicle] }
    second: { type: choice?, values: Device.kind }
    repairs: { list: Repair.device }
Repair:
  fields:
    device: Device
    fault: { type: text, max: 120, help: In one line. }
    cost: { type: decimal?, max: dearest }
\`\`\`

## 4. States

\`\`\`yaml
Repair:
  field: status
  states: [reported, mended]
  initial: reported
  final: mended
  transitions:
    finish: { from: reported, to: mended, by: mechanic, asks: cost }
\`\`\`

## 5. Rules

\`\`\`yaml
Repair:
  - { rule: cost <= 100 || device.kind == vehicle, when: cost != null, else: TOO_DEAR }
\`\`\`

## 6. Roles

\`\`\`yaml
roles:
  mechanic: granted
permissions:
  Device: { read: mechanic, create: mechanic, update: mechanic, delete: none }
  Repair:
    read: mechanic
    create: mechanic
    update: { role: mechanic, fields: [device, fault, cost] }
    delete: none
\`\`\`

## 8. Errors

\`\`\`yaml
TOO_DEAR: "{cost} is too much."
\`\`\`

## 9. Constants

\`\`\`yaml
dearest: 5000
\`\`\`
`;

const FILE = "desk.md";

/** An editor with a text in which `|` is the cursor. The text takes the place of another one in the document. */
const at = (old: string, written: string) => {
  if (!desk.includes(old)) throw new Error(`${old} is not in the document`);
  const marked = desk.replace(old, () => written);
  const offset = marked.indexOf("‸");
  const text = marked.replace("‸", "");
  const editor = createEditor();
  editor.open([{ file: FILE, text }]);
  return { editor, text, place: { file: FILE, offset } };
};

const offers = (old: string, written: string): readonly string[] => {
  const { editor, place } = at(old, written);
  return editor.complete(place).items.map(({ label }) => label);
};

test("the document of these tests has no error", () => {
  const { findings } = compile([{ file: FILE, text: desk }]);
  expect(findings.filter(({ severity }) => severity === "error" || severity === "warning")).toEqual([]);
});

describe("completion offers what fits the place", () => {
  test("nothing in a comment, which is no place for a name", () => {
    expect(offers("from: reported", "from: reported } # ‸")).toEqual([]);
    expect(offers("    device: Device\n", "    # de‸\n    device: Device\n")).toEqual([]);
    expect(offers('"status == reported"', '"cost == 1 # ‸')).not.toEqual([]);
  });

  test("the names of derived rows, and the values of a computed choice", () => {
    const derived = (rest: string) =>
      offers("Repair:\n  fields:", `Day:\n  rows of: { repair: Repair${rest}\nRepair:\n  fields:`);
    expect(derived(', day: "days(co‸)" }')).toEqual(expect.arrayContaining(["cost"]));
    expect(derived(' }\n  where: "re‸"')).toContain("repair");
    expect(derived(' }\n  where: "repair.co‸"')).toContain("cost");
    expect(derived(" }\n  fields:\n    cost: { type: decimal, kept: true, computed: repair.co‸ }")).toContain("cost");
    expect(
      offers(
        "cost: { type: decimal?",
        'size: { type: choice, values: [small, large], computed: "cost > 5 ? la‸" }\n    cost: { type: decimal?',
      ),
    ).toContain("large");
  });

  test("a role by the words that an author says, as a block and as a line of the roles", () => {
    const said = ["new role", "give me this role"];
    expect(offers("roles:\n", "‸\nroles:\n")).toEqual(expect.arrayContaining(said));
    expect(offers("roles:\n", "roles:\n  ‸\n")).toEqual(expect.arrayContaining(said));
    expect(offers("roles:\n", "roles:\n  give‸\n")).toEqual(["give me this role"]);
    expect(offers("    delete: none", "    delete: none\n    give‸")).toEqual([]);
  });

  test("keys of the language, without those that are there", () => {
    const keys = offers("fault: { type: text, max: 120,", "fault: { type: text, max: 120, ‸");
    expect(keys).toContain("unique");
    expect(keys).not.toContain("max");
    expect(offers("  final: mended\n", "  final: mended\n  af‸\n")).toEqual(["after"]);
    expect(offers("  initial: reported\n", "  ‸\n")).toEqual(expect.arrayContaining(["initial", "after"]));
    expect(offers("    - { count: Repair,", "    - { co‸ }\n    - { count: Repair,")).toContain("count");
  });

  test("names of the right kind", () => {
    expect(offers("columns: [device, cost,", "columns: [device, ‸,")).toEqual(
      expect.arrayContaining(["device", "fault", "cost", "status"]),
    );
    expect(offers("columns: [device, cost,", "columns: [de‸")).toEqual(["device"]);
    expect(offers("group: [device]", "group: [de‸]")[0]).toBe("device");
    expect(offers("  list: Repair\n", "  list: ‸\n")).toEqual(expect.arrayContaining(["Device", "Repair", "User"]));
    expect(offers("from: reported", "from: ‸")).toEqual(expect.arrayContaining(["reported", "mended"]));
    expect(offers("by: mechanic", "by: m‸")).toEqual(["mechanic"]);
    expect(offers("else: TOO_DEAR", "else: ‸")).toContain("TOO_DEAR");
    expect(offers("device: Device", "device: De‸")).toContain("Device");
    expect(offers("{ list: Repair.device }", "{ list: ‸ }")).toContain("Repair.device");
    expect(offers("values: Device.kind", "values: ‸")).toContain("Device.kind");
    expect(offers("fields: [device, fault, cost]", "fields: [device, f‸]")).toEqual(["fault"]);
  });

  test("values that only a transition needs, where they exist", () => {
    const asks = "asks: { work: { type: decimal, title: Hours } }";
    expect(offers("asks: cost }", "asks: { work: de‸ } }")).toContain("decimal");
    expect(offers("asks: cost }", "asks: { work: { type: decimal, ti‸ } } }")).toContain("title");
    expect(offers("asks: cost }", `${asks}, set: { cost: wo‸ } }`)).toContain("work");
    expect(offers("asks: cost }", "asks: [{ work: decimal }, co‸] }")).toEqual(["cost"]);
  });

  test("names in messages, in lists of values, in effects and below an address with an id", () => {
    expect(offers('label: "{name}"', 'label: "{na‸"')).toContain("name");
    expect(offers('TOO_DEAR: "{cost} is', 'TOO_DEAR: "{co‸ is')).toContain("cost");
    expect(offers("cost <= 100", "cost <= limits.‸")).toEqual(["dearest"]);
    expect(offers('where: "status == reported"', 'where: "status in [reported, ‸"')).toContain("mended");
    expect(offers("states: [reported, mended]", "states: [{ reported: { deadline: ‸ } }, mended]")).toContain("cost");
    const effect = (written: string) => `asks: cost }\n  after:\n    ${written}`;
    expect(offers("asks: cost }", effect("‸"))).toEqual(expect.arrayContaining(["finish", "create"]));
    expect(offers("asks: cost }", effect("finish: { create: Device, set: { ‸ } }"))).toContain("kind");
    expect(offers("asks: cost }", effect("finish: { create: Device, set: { kind: ‸ } }"))).toContain("vehicle");
    const page = "/repairs/{id}:\n  record: Repair\n  sections: [{ fields: [‸] }]\n/:\n";
    expect(offers("/:\n", page)).toContain("fault");
    expect(offers("/:\n", "/repairs/{id}:\n  rec‸\n/:\n")).toContain("record");
  });

  test("values and fields in expressions, by their types", () => {
    expect(offers("device.kind == vehicle", "device.kind == ‸").slice(0, 2)).toEqual(["machine", "vehicle"]);
    expect(offers("device.kind == vehicle", "device.‸")).toEqual(
      expect.arrayContaining(["name", "kind", "created_at"]),
    );
    expect(offers("device.kind == vehicle", "device.repairs.‸")).toEqual(expect.arrayContaining(["filter", "size"]));
    expect(offers("cost <= 100 || device.kind == vehicle", '"device.repairs.filter(r, r.fa‸"')).toEqual(["fault"]);
    expect(offers("device.kind == vehicle", "user.na‸")).toEqual(["name"]);
    expect(offers('"status == reported"', '"status == re‸"')).toContain("reported");
    expect(offers("when: cost != null", "when: ‸")).toEqual(expect.arrayContaining(["cost", "today", "dearest"]));
  });

  test("in expressions over several lines, variables of lists in the lines before are known", () => {
    const rule = (expression: string) => `rule: ${expression}`;
    const old = "{ rule: cost <= 100 || device.kind == vehicle, when: cost != null, else: TOO_DEAR }";
    expect(offers(`  - ${old}`, `  - ${rule("|\n        device.repairs.filter(r,\n          r.fa‸")}`)).toEqual([
      "fault",
    ]);
    expect(offers(`  - ${old}`, `  - ${rule('"device.repairs.filter(r,\n        r.fa‸"')}`)).toEqual(["fault"]);
    expect(offers(old, `{ ${rule('"device.repairs.filter(r,')}\n      r.fa‸" }`)).toEqual(["fault"]);
    expect(offers(old, `{ ${rule("cost <= 100, when: cost != null,")}\n      el‸ }`)).toEqual(["else"]);
    expect(offers(old, rule('"device.repairs.filter(r, r.cost > 1).map(m, m.fa‸'))).toEqual(["fault"]);
    expect(offers(old, rule("\"User.exists(u, 'mechanic' in u.ro‸"))).toEqual(["roles"]);
  });

  test("fields, transitions and shapes in calls", () => {
    const calls = (written: string) => `## 7. Calls\n\n\`\`\`yaml\n${written}\n\`\`\`\n\n## 8. Errors`;
    const shapes = "shapes:\n  Repair:\n    short: { fault }\n";
    expect(offers("## 8. Errors", calls("shapes:\n  Repair:\n    short: { fa‸ }"))).toEqual(["fault"]);
    expect(offers("## 8. Errors", calls("calls:\n  POST /done: { transition: ‸ }"))).toContain("Repair.finish");
    expect(offers("## 8. Errors", calls("calls:\n  GET /old: { list: Repair, sort: [co‸] }"))).toEqual(["cost"]);
    expect(offers("## 8. Errors", calls(`${shapes}calls:\n  GET /old: { list: Repair, gives: Repair.sh‸ }`))).toEqual([
      "short",
    ]);
    expect(offers("## 8. Errors", calls("outgoing:\n  desk: { post: APP_DESK, sends: { what: fa‸ } }"))).toContain(
      "fault",
    );
  });

  test("words, and “not shown”", () => {
    expect(offers("unique: true", "unique: ‸")).toEqual(["true", "false", "not shown"]);
    expect(offers("# Repair desk", "# Rep‸air desk")).toEqual([]);
  });
});

describe("a name", () => {
  test("is explained, and found where it is declared and used", () => {
    const { editor, place, text } = at("rule: cost <=", "rule: co‸st <=");
    expect(editor.hover(place)?.lines).toEqual([
      "**cost** is a field of Repair: decimal?.",
      "Clause `3.Repair.cost`, used in 7 places.",
    ]);
    const definition = editor.findDefinition(place);
    expect(text.slice(definition?.start, (definition?.start ?? 0) + 14)).toBe("cost: { type: ");
    expect(editor.findReferences(place)).toHaveLength(8);
  });

  test("of a key or a function is explained by the language", () => {
    const key = at("initial: reported", "ini‸tial: reported");
    expect(key.editor.hover(key.place)?.lines[0]).toContain("**initial** takes a name for a value or a state");
    const size = at("device.kind == vehicle", "si‸ze(fault) > 3");
    expect(size.editor.hover(size.place)?.lines[0]).toContain("size(");
  });

  test("is found in a document with errors, too", () => {
    const { editor, place, text } = at("device.kind == vehicle", "device.ki‸nd == vehicle && nothing");
    const definition = editor.findDefinition(place);
    expect(text.slice(definition?.start, definition?.end)).toBe("kind");
  });
});

describe("a rename", () => {
  const renamed = (old: string, written: string, to: string): string => {
    const { editor, place } = at(old, written);
    const result = editor.rename(place, to);
    if ("refusal" in result) throw new Error(result.refusal);
    const [source] = result.sources;
    expect(compile(result.sources).findings.filter(({ severity }) => severity === "error")).toEqual([]);
    return source?.text ?? "";
  };

  test("changes each place, and writes “was” for the database", () => {
    const text = renamed("rule: cost <=", "rule: co‸st <=", "price");
    expect(text).toContain("price: { type: decimal?, max: dearest, was: cost }");
    expect(text).toContain("columns: [device, price, status]\n  sort: [-price]");
    expect(text).toContain("rule: price <= 100");
    expect(text).toContain('TOO_DEAR: "{price} is too much."');
    expect(text).toContain("asks: price");
  });

  test("follows values that only a transition needs", () => {
    const asks = "asks: [cost, { work: { type: integer, min: 1 } }]";
    const written = `finish: { from: reported, to: mended, by: mechanic, ${asks}, set: { cost: wo‸rk * 60 } }`;
    const { editor, place } = at("finish: { from: reported, to: mended, by: mechanic, asks: cost }", written);
    const result = editor.rename(place, "hours");
    const text = "sources" in result ? (result.sources[0]?.text ?? "") : "";
    expect(text).toContain("asks: [cost, { hours: { type: integer, min: 1, was: work } }], set: { cost: hours * 60 }");
  });

  test("works for entities, values, states, transitions, roles, errors and constants", () => {
    expect(renamed("list: Repair.device", "list: Repa‸ir.device", "Job")).toMatch(/Job:\n {2}was: Repair\n/u);
    expect(renamed("values: Device.kind", "values: Device.ki‸nd", "sort")).toMatch(
      /sort: \{ type: choice, values: \[machine, vehicle\], was: kind \}\n {4}second: \{ type: choice\?, values: Device\.sort \}/u,
    );
    expect(renamed("[machine, vehicle]", "[machine, vehi‸cle]", "car")).toMatch(
      /was: vehicle[\s\S]*device\.kind == car/u,
    );
    expect(renamed("to: mended", "to: men‸ded", "fixed")).toMatch(/was: mended[\s\S]*final: fixed/u);
    expect(renamed("finish: {", "fin‸ish: {", "close")).toContain("was: finish");
    expect(renamed("by: mechanic", "by: mech‸anic", "fitter")).toContain("fitter: { members: granted, was: mechanic }");
    const [rule, condition] = [
      "{ rule: cost <= 100 || device.kind == vehicle, when: cost != null, else: TOO_DEAR }",
      "User.exists(u, 'mech‸anic' in u.roles)",
    ];
    const fitters = renamed(rule, `{ rule: "${condition}", else: TOO_DEAR }`, "fitter");
    expect(fitters).toContain("User.exists(u, 'fitter' in u.roles)");
    expect(fitters).toContain("was: mechanic");
    const each = "User.exists(u, u.roles.exists(r, r == 'mech‸anic'))";
    const inList = renamed(rule, `{ rule: "${each}", else: TOO_DEAR }`, "fitter");
    expect(inList).toContain("u.roles.exists(r, r == 'fitter')");
    expect(inList).toContain("by: fitter");
    expect(renamed("else: TOO_DEAR", "else: TOO_D‸EAR", "EXPENSIVE")).toContain('EXPENSIVE: "{cost} is too much."');
    const call = "calls:\n  POST /jobs: { create: Repair, takes: { device, fau‸lt } }";
    expect(renamed("## 8. Errors", `## 7. Calls\n\`\`\`yaml\n${call}\n\`\`\`\n\n## 8. Errors`, "damage")).toContain(
      "takes: { device, fault: damage }",
    );
    expect(renamed("max: dearest", "max: dea‸rest", "limit")).toContain("was: dearest");
  });

  test("follows errors, columns of lists in forms, letters and shapes", () => {
    const text = `# Orders

## 2. Screens
\`\`\`yaml
/orders: { list: Order, columns: [title, net] }
/orders/new: { form: Order, fields: [title, { list: lines, columns: [item, net] }, net] }
/orders/{id}/note:
  letter: Order
  text: ["{title}: {net}", { table: lines, columns: [item, net], totals: [net] }]
\`\`\`

## 3. Entities
\`\`\`yaml
Order: { label: "{title}", fields: { title: text, lines: { list: Line.order }, net: { type: decimal, computed: "lines.map(l, l.net).sum()" } } }
Line:  { label: "{item}", fields: { order: { type: Order, part of: true }, item: text, net: { type: decimal, min: 0 } } }
\`\`\`

## 5. Rules
\`\`\`yaml
Line: [{ rule: "net < 100", else: DEAR }]
\`\`\`

## 7. Calls
\`\`\`yaml
base: /v1
shapes: { Line: { short: { item, sum: net } }, Order: { whole: { title, net, lines: Line.short(lines) } } }
calls:
  GET /orders: { list: Order, gives: { orders: Order.whole(page) } }
  POST /orders: { create: Order, takes: { title, lines: Line.short(lines) }, gives: Order.whole(this) }
\`\`\`

## 8. Errors
\`\`\`yaml
DEAR: { status: 409, message: "{net} is too much.", at: net }
\`\`\`
`;
    const editor = createEditor();
    const open = (written: string) => {
      const offset = written.indexOf("‸");
      editor.open([{ file: FILE, text: written.replace("‸", "") }]);
      return { file: FILE, offset };
    };
    const renameAt = (old: string, marked: string, to: string): string => {
      const place = open(text.replace(old, marked));
      const result = editor.rename(place, to, [{ file: FILE, text: "" }]);
      if ("refusal" in result) throw new Error(result.refusal);
      expect(compile(result.sources).findings.filter(({ severity }) => severity === "error")).toEqual([]);
      return result.sources[0]?.text ?? "";
    };
    const line = renameAt("at: net", "at: n‸et", "amount");
    expect(line).toContain("columns: [item, amount] }, net] }");
    expect(line).toContain('["{title}: {net}", { table: lines, columns: [item, amount], totals: [amount] }]');
    expect(line).toContain("columns: [title, net] }");
    expect(line).toContain("short: { item, sum: amount }");
    expect(line).toContain('message: "{amount} is too much.", at: amount }');
    const order = renameAt("columns: [title, net] }", "columns: [title, n‸et] }", "total");
    expect(order).toContain("{ list: lines, columns: [item, net] }, total] }");
    const shape = renameAt("takes: { title, lines: Line.short", "takes: { title, lines: Line.sh‸ort", "brief");
    expect(shape).toContain("Line: { brief: { item, sum: net } }");
    expect(shape.match(/Line\.brief\(lines\)/gu)).toHaveLength(2);
    const place = open(text.replace("Order.whole(this)", "Order.wh‸ole(this)"));
    expect(text.slice(editor.findDefinition(place)?.start, editor.findDefinition(place)?.end)).toBe("whole");
    expect(editor.findReferences(place)).toHaveLength(3);
  });

  test("writes no “was” for a name that is not published", () => {
    const { editor, place } = at("rule: cost <=", "rule: co‸st <=");
    const nameOf = (published: string) => {
      const result = editor.rename(place, "price", [{ file: FILE, text: published }]);
      return "refusal" in result ? result.refusal : /price: \{.*\}/u.exec(result.sources[0]?.text ?? "")?.[0];
    };
    expect(nameOf(desk)).toBe("price: { type: decimal?, max: dearest, was: cost }");
    expect(nameOf(desk.replaceAll("cost", "sum"))).toBe("price: { type: decimal?, max: dearest }");
    // The entity was published under another name, and the field with it.
    const renamed = at("Repair:\n  fields:\n    device: Device", "Repair:\n  was: Job\n  fields:\n    dev‸ice: Device");
    const result = renamed.editor.rename(renamed.place, "thing", [
      { file: FILE, text: desk.replaceAll("Repair", "Job") },
    ]);
    expect("refusal" in result ? result.refusal : result.sources[0]?.text).toContain("was: device");
  });

  const undecided = (condition: string): string =>
    desk
      .replace("rule: cost <= 100 ||", `rule: "${condition} || cost <= 100 ||`)
      .replace("device.kind == vehicle, when", 'device.kind == vehicle", when')
      .replace("dearest: ", "undecided: [reported]\ndearest: ");
  const renameReported = (text: string) => {
    const listed = createEditor();
    listed.open([{ file: FILE, text }]);
    return listed.rename({ file: FILE, offset: text.indexOf("reported, mended]") }, "asked");
  };

  test.each(["test/documents/notes.md", "test/change/constructs.md"])("follows every name of %s", (file) => {
    const sources = [{ file: FILE, text: readFileSync(file, "utf8") }];
    const editor = createEditor();
    editor.open(sources);
    const failed = editor.findDeclarations().flatMap(({ symbol: { of, name }, span }) => {
      const to = of === "error" ? `${name}_TOO` : of === "entity" ? `${name}Too` : `${name}_too`;
      const result = editor.rename({ file: FILE, offset: span.start }, to, sources);
      // Built-in names stay.
      if ("refusal" in result) return result.refusal.includes("built-in") || name === "User" ? [] : [result.refusal];
      const errors = compile(result.sources).findings.filter(({ severity }) => severity === "error");
      return errors.map(({ message }) => `${name}: ${message}`);
    });
    expect(failed).toEqual([]);
  });

  test("keeps the names of members in calls", () => {
    const text = readFileSync("test/documents/notes.md", "utf8");
    const editor = createEditor();
    editor.open([{ file: FILE, text }]);
    const result = editor.rename({ file: FILE, offset: text.indexOf("description:") }, "body", []);
    expect("refusal" in result ? result.refusal : result.sources[0]?.text).toContain(
      "takes: { title, description: body, category }",
    );
  });

  test("follows the names in constants", () => {
    const result = renameReported(undecided("status in undecided"));
    expect("refusal" in result ? result.refusal : result.sources[0]?.text).toContain("undecided: [asked]");
  });

  test("is refused with a sentence", () => {
    const named = at("rule: cost <=", "rule: co‸st <=");
    expect(named.editor.rename(named.place, "Cost")).toEqual({
      refusal: "“Cost” is not a name in lower case (first_day).",
    });
    expect(named.editor.rename(named.place, "fault")).toEqual({ refusal: "“fault” is already in use." });
    // One word of a constant that means a state and a choice.
    const shared = undecided("status in undecided || device.kind in undecided").replace(
      "machine,",
      "machine, reported,",
    );
    expect(renameReported(shared)).toEqual({
      refusal: expect.stringMatching(/Line \d+ would have an error: /u),
    });
    const nowhere = at("# Repair desk", "# Rep‸air desk");
    expect(nowhere.editor.rename(nowhere.place, "x")).toEqual({ refusal: "There is no name here." });
  });
});

test("findings come with their fixes", () => {
  const { editor, text, place } = at("initial: reported", "inital‸: reported");
  const [fix] = editor.fixes({ file: FILE, start: place.offset, end: place.offset });
  expect(fix?.finding.code).toBe("UNKNOWN_KEY");
  expect(fix?.sources[0]?.text).toBe(text.replace("inital:", "initial:"));
});

describe("an error that point 8 lacks", () => {
  const hot = (rest: string, code = "TOO_HOT"): string =>
    `# Desk\n\n## 3. Entities\n\n\`\`\`yaml\nOven: { fields: { heat: integer } }\n\`\`\`\n\n## 5. Rules\n\n\`\`\`yaml\nOven:\n  - { rule: heat < 9, else: ${code} }\n\`\`\`\n${rest}`;
  const fixesOf = (text: string) => {
    const editor = createEditor();
    editor.open([{ file: FILE, text }]);
    const start = text.indexOf("else: ") + 6;
    return editor.fixes({ file: FILE, start, end: start });
  };
  const entry = 'TOO_HOT: { status: 422, message: "Too hot." }';

  test.each([
    ["is not there", "", `\n## 8. Error catalogue\n\n\`\`\`yaml\n${entry}\n\`\`\`\n`],
    ["is not shown", "\n## 8. Errors\n\nNot shown.\n", `\n## 8. Errors\n\n\`\`\`yaml\n${entry}\n\`\`\`\n`],
    [
      "has a block",
      "\n## 8. Errors\n\n```yaml\nNOT_FOUND: Nothing here.\n```\n\n## 9. Limits\n",
      `\n## 8. Errors\n\n\`\`\`yaml\nNOT_FOUND: Nothing here.\n${entry}\n\`\`\`\n\n## 9. Limits\n`,
    ],
  ])("is added with a message if the point %s", (_, before, after) => {
    const fixes = fixesOf(hot(before));
    expect(fixes.map(({ label }) => label)).toEqual(["Add TOO_HOT to point 8", "Did you mean “TOO_SHORT”?"]);
    expect(fixes[0]?.sources[0]?.text).toBe(hot(after));
    expect(compile(fixes[0]?.sources ?? []).findings.filter(({ severity }) => severity === "error")).toEqual([]);
  });

  test("is offered after a name that one letter makes", () => {
    const labels = fixesOf(hot("", "TOO_SHOT")).map(({ label }) => label);
    expect(labels).toEqual(["Did you mean “TOO_SHORT”?", "Add TOO_SHOT to point 8"]);
  });
});

describe("a role that point 6 lacks", () => {
  const text = (roles: string, by = "porter"): string =>
    desk.replace("by: mechanic", `by: ${by}`).replace("  mechanic: granted\n", roles);
  const fixesOf = (given: string) => {
    const editor = createEditor();
    editor.open([{ file: FILE, text: given }]);
    const start = given.indexOf("by: ") + 4;
    return editor.fixes({ file: FILE, start, end: start });
  };

  test("is added to the roles", () => {
    const [fix] = fixesOf(text("  mechanic: granted\n"));
    expect(fix?.label).toBe("Add porter to point 6");
    expect(fix?.sources[0]?.text).toBe(text("  mechanic: granted\n  porter: { members: granted }\n"));
    expect(compile(fix?.sources ?? []).findings.filter(({ severity }) => severity === "error")).toEqual([]);
  });

  test("is added with the point, and after a name that one letter makes", () => {
    const none = desk.slice(0, desk.indexOf("## 6. Roles")).replace("by: mechanic", "by: porter");
    const [fix] = fixesOf(none);
    expect(fix?.sources[0]?.text).toBe(
      `${none.trimEnd()}\n\n## 6. Roles and permissions\n\n\`\`\`yaml\nroles:\n  porter: { members: granted }\n\`\`\`\n`,
    );
    expect(fixesOf(text("  mechanic: granted\n", "mechanik")).map(({ label }) => label)).toEqual([
      "Did you mean “mechanic”?",
      "Add mechanik to point 6",
    ]);
  });

  test("is not offered for a role on records, or for nobody", () => {
    expect(fixesOf(text("  mechanic: granted\n  Repair: { porter: device != null }\n"))).toEqual([]);
    expect(fixesOf(text("  mechanic: granted\n", "nobody"))).toEqual([]);
  });
});

test("the outline has points and names, and folds cover several lines", () => {
  const source = { file: FILE, text: desk };
  const outline = buildOutline(source);
  expect(outline.map(({ name }) => name)).toEqual([
    "Repair desk",
    "2. Screens",
    "3. Entities",
    "4. States",
    "5. Rules",
    "6. Roles",
    "8. Errors",
    "9. Constants",
  ]);
  expect(outline[2]?.children.map(({ name }) => name)).toEqual(["Device", "Repair"]);
  expect(outline[2]?.children[1]?.children[0]?.children.map(({ name }) => name)).toEqual(["device", "fault", "cost"]);
  for (const { start, end } of findFolds(source)) expect(desk.slice(start, end)).toContain("\n");
});

test("every place of every example can be asked for completions", () => {
  const text = readFileSync(new URL("../../examples/lending.md", import.meta.url), "utf8");
  const editor = createEditor();
  editor.open([{ file: "x.md", text }]);
  for (let offset = 0; offset < text.length; offset += 17) editor.complete({ file: "x.md", offset });
});

test("an address explains itself, and the state leads to its definition", () => {
  const screen = at("/repairs:", "/rep‸airs:");
  expect(screen.editor.hover(screen.place)?.lines[0]).toContain("**/repairs** takes ");
  const state = at("columns: [device, cost, status]", "columns: [device, cost, sta‸tus]");
  const span = state.editor.findDefinition(state.place);
  expect(state.text.slice((span?.start ?? 0) - 7, span?.end)).toBe("field: status");
});
