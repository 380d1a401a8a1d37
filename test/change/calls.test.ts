import { describe, expect, test } from "vitest";
import type { BehaviourLine } from "../../src/core/change/behaviour-line.ts";
import { compareOperations, pairDescriptions } from "../../src/core/change/calls/openapi-difference.ts";
import { buildPlan, classifyPlan } from "../../src/core/change/plan.ts";
import { compile } from "../../src/core/compile.ts";
import type { Model } from "../../src/core/model/model.ts";

/*
 * A call of point 7 that gives less, takes less or asks for more can break the programs that use it: the plan says so at
 * the call, and is a loss. One that gives or takes more is compatible. Nothing is silent.
 */

const modelOf = (text: string): Model => {
  const { model, findings } = compile({ file: "a.md", text });
  if (model === undefined) throw new Error(findings.map(({ message }) => message).join("\n"));
  return model;
};

const fields = {
  title: "{ type: text, max: 100, unique: true }",
  pages: "{ type: integer?, min: 1, max: 900 }",
  kind: "{ type: choice?, values: [novel, poems, essay] }",
  price: "{ type: money?, currency: EUR }",
  weight: "decimal?",
  contact: "{ type: text?, max: 100 }",
  tags: "{ type: text, many: true }",
  lent: "boolean",
};

type Fields = Readonly<Record<string, string>>;

interface Version {
  readonly fields?: Fields;
  readonly removed?: readonly string[];
  readonly calls?: Readonly<Record<string, string>>;
  readonly more?: string;
}

const calls = {
  "GET /books":
    "{ list: Book, query: { kind, q: { type: text, where: title.contains(input.q) } }, sortable: [title, pages] }",
  "GET /books/{title}": "{ read: Book, gives: { name: title, pages, kind, price, weight, contact, tags, lent } }",
  "POST /books":
    "{ create: Book, takes: { name: title, pages, kind, weight, contact, tags, lent }, gives: { name: title } }",
  "PATCH /books/{title}": "{ update: Book, takes: { pages, contact } }",
};

const version = ({ fields: changed = {}, removed = [], calls: changedCalls = {}, more = "" }: Version): string => {
  const kept = Object.entries({ ...fields, ...changed }).filter(([name]) => !removed.includes(name));
  const served = Object.entries({ ...calls, ...changedCalls }).filter(([, call]) => call !== "");
  return [
    "# Shelf",
    `## 3. Entities\n\`\`\`yaml\nBook:\n  fields:\n${kept.map(([name, type]) => `    ${name}: ${type}`).join("\n")}\n\`\`\``,
    "## 6. Permissions\n```yaml\nroles: { member: { members: signed in } }\npermissions: { Book: { read: member, create: member, update: member } }\n```",
    `## 7. Calls\n\`\`\`yaml\nconventional: none\nbase: /v1\n${more}calls:\n${served.map(([name, call]) => `  ${name}: ${call}`).join("\n")}\n\`\`\``,
  ].join("\n\n");
};

const change = (to: Version, from: Version = {}) => {
  const [before, after] = [from, to].map(version);
  const plan = buildPlan(
    { model: modelOf(before ?? ""), file: "a.md", hash: "1" },
    { model: modelOf(after ?? ""), file: "a.md", hash: "2" },
  );
  return { lines: plan.behaviour.filter(({ point }) => point === 7), rated: classifyPlan(plan), all: plan.behaviour };
};

const told = (lines: readonly BehaviourLine[]) => lines.map(({ text, loses }) => `${loses ?? "kept"}: ${text}`);

const [get, post, patch, list] = [
  "The call GET /v1/books/{title}",
  "The call POST /v1/books",
  "The call PATCH /v1/books/{title}",
  "The call GET /v1/books",
];
const breaks = (call: string, facts: string) =>
  `compatibility: ${call} can fail for programs that use it: it ${facts}.`;
const stays = (call: string, facts: string) => `kept: ${call} changes in a compatible way: it ${facts}.`;

/** Versions, with the lines about calls; `back` are those of the way back. */
const cases: readonly {
  readonly name: string;
  readonly to: Version;
  readonly lines: readonly string[];
  readonly back: readonly string[];
}[] = [
  {
    name: "a response loses a member, while the entity keeps the field",
    to: {
      calls: {
        "GET /books/{title}": "{ read: Book, gives: { name: title, kind, price, weight, contact, tags, lent } }",
      },
    },
    lines: [breaks(get, "no longer gives “pages”")],
    back: [stays(get, "now gives “pages”")],
  },
  {
    name: "a response gives a member under another name",
    to: {
      calls: {
        "GET /books/{title}":
          "{ read: Book, gives: { name: title, sheets: pages, kind, price, weight, contact, tags, lent } }",
      },
    },
    lines: [breaks(get, "no longer gives “pages”"), stays(get, "now gives “sheets”")],
    back: [breaks(get, "no longer gives “sheets”"), stays(get, "now gives “pages”")],
  },
  {
    name: "the field goes, and with it a member of each call that gives all of them",
    to: {
      removed: ["weight"],
      calls: {
        "GET /books/{title}": "{ read: Book, gives: { name: title, pages, kind, price, contact, tags, lent } }",
        "POST /books":
          "{ create: Book, takes: { name: title, pages, kind, contact, tags, lent }, gives: { name: title } }",
      },
    },
    lines: [
      breaks(list, "no longer gives “weight”"),
      breaks(get, "no longer gives “weight”"),
      breaks(patch, "no longer gives “weight”"),
      breaks(post, "no longer accepts “weight”"),
    ],
    back: [
      stays(post, "now accepts “weight”"),
      stays(list, "now gives “weight”"),
      "kept: 2 calls of books change in a compatible way: the calls now give “weight”.",
    ],
  },
  {
    name: "a request no longer takes a member",
    to: { calls: { "PATCH /books/{title}": "{ update: Book, takes: { pages } }" } },
    lines: [breaks(patch, "no longer accepts “contact”")],
    back: [stays(patch, "now accepts “contact”")],
  },
  {
    name: "a request requires a member",
    to: { calls: { "PATCH /books/{title}": "{ update: Book, takes: { pages, contact }, asks: contact }" } },
    lines: [breaks(patch, "now requires “contact”")],
    back: [stays(patch, "no longer requires “contact”")],
  },
  {
    name: "a call can no longer be filtered or sorted by a field",
    to: {
      calls: {
        "GET /books": "{ list: Book, query: { q: { type: text, where: title.contains(input.q) } }, sortable: [title] }",
      },
    },
    lines: [breaks(list, "can no longer be filtered by “kind”, and can no longer be sorted by “pages”")],
    back: [stays(list, "can now be filtered by “kind”, and can now be sorted by “pages”")],
  },
  {
    name: "a call goes",
    to: { calls: { "PATCH /books/{title}": "" } },
    lines: ["compatibility: The call PATCH /v1/books/{title} is removed."],
    back: ["kept: New call: PATCH /v1/books/{title}."],
  },
  {
    name: "a bound becomes narrower",
    to: { fields: { pages: "{ type: integer?, min: 1, max: 500 }" } },
    lines: [breaks(post, "accepts fewer values of “pages”"), breaks(patch, "accepts fewer values of “pages”")],
    back: [expect.stringContaining("accept more values of “pages”") as unknown as string],
  },
  {
    name: "a text becomes an email address with the same bounds",
    to: { fields: { contact: "{ type: email?, max: 100, was: { contact: text }, fill: was.contact }" } },
    lines: [breaks(post, "accepts fewer values of “contact”"), breaks(patch, "accepts fewer values of “contact”")],
    back: [expect.stringContaining("accept more values of “contact”") as unknown as string],
  },
  {
    name: "a text becomes several lines",
    to: { fields: { contact: "{ type: long text?, max: 100 }" } },
    lines: [expect.stringContaining("accept more values of “contact”") as unknown as string],
    back: [breaks(post, "accepts fewer values of “contact”"), breaks(patch, "accepts fewer values of “contact”")],
  },
  {
    name: "a number becomes a text",
    to: { fields: { weight: "{ type: text?, was: { weight: decimal }, fill: text(was.weight) }" } },
    lines: [
      breaks(list, "gives a different type of “weight”"),
      breaks(get, "gives a different type of “weight”"),
      breaks(patch, "gives a different type of “weight”"),
      breaks(post, "accepts a different form of “weight”"),
    ],
    back: [
      breaks(post, "accepts a different form of “weight”"),
      stays(list, "gives fewer values of “weight”"),
      "kept: 2 calls of books change in a compatible way: the calls give fewer values of “weight”.",
    ],
  },
  {
    name: "an amount is in another currency",
    to: { fields: { price: "{ type: money?, currency: USD }" } },
    lines: [
      breaks(list, "gives other values of “price.currency”"),
      breaks(get, "gives other values of “price.currency”"),
      breaks(patch, "gives other values of “price.currency”"),
    ],
    back: [
      breaks(list, "gives other values of “price.currency”"),
      breaks(get, "gives other values of “price.currency”"),
      breaks(patch, "gives other values of “price.currency”"),
    ],
  },
  {
    name: "one value in place of several",
    to: { fields: { tags: "{ type: text?, was: { tags: [text] }, fill: was.tags.min() }" } },
    lines: [
      breaks(list, "gives a different type of “tags”"),
      breaks(get, "gives a different type of “tags”"),
      breaks(patch, "gives a different type of “tags”"),
      breaks(post, "accepts a different type of “tags”"),
    ],
    back: [
      breaks(list, "gives a different type of “tags”"),
      breaks(get, "gives a different type of “tags”"),
      breaks(patch, "gives a different type of “tags”"),
      breaks(post, "accepts a different type of “tags”"),
    ],
  },
  {
    name: "booleans can be texts",
    to: { calls: { "POST /books": calls["POST /books"].replace("{ ", "{ accepts: texts, ") } },
    lines: [
      "kept: The call POST /books now accepts “true” and “false” as texts.",
      stays(post, "accepts more values of “lent”"),
    ],
    back: [
      "compatibility: The call POST /books no longer accepts “true” and “false” as texts.",
      breaks(post, "accepts a different type of “lent”"),
    ],
  },
];

describe("a call of the document", () => {
  test.each(cases)("$name", ({ to, lines, back }) => {
    const forward = change(to);
    expect(told(forward.lines).toSorted()).toEqual([...lines].toSorted());
    expect(forward.rated).toBe(forward.all.some(({ loses }) => loses !== null) ? "loss" : "change");
    expect(told(change({}, to).lines).toSorted()).toEqual([...back].toSorted());
  });

  test("of which the programs can fail makes the plan a loss", () => {
    for (const { to, lines } of cases)
      if (lines.some((line) => typeof line === "string" && line.startsWith("compatibility")))
        expect(change(to).rated).toBe("loss");
  });
});

test("a deadline gives the filter of its field a period", () => {
  const orders = (state: string) =>
    modelOf(
      [
        "# Orders",
        "## 3. Entities\n```yaml\nOrder: { fields: { product: text, due: date } }\n```",
        `## 4. States\n\`\`\`yaml\nOrder: { states: [${state}, sent], transitions: { send: { from: open, to: sent, by: clerk } } }\n\`\`\``,
        "## 6. Permissions\n```yaml\nroles: { clerk: { members: signed in } }\npermissions: { Order: { read: clerk, create: clerk } }\n```",
        "## 7. Calls\n```yaml\nconventional: all\n```",
      ].join("\n\n"),
    );
  const between = (before: string, after: string) =>
    told(
      buildPlan(
        { model: orders(before), file: "a.md", hash: "1" },
        { model: orders(after), file: "a.md", hash: "2" },
      ).behaviour.filter(({ point }) => point === 7),
    );
  expect(between("open: { deadline: due }", "open")).toEqual([
    "compatibility: The calls of orders can fail for programs that use them: the calls accept fewer values of “due”.",
  ]);
  expect(between("open", "open: { deadline: due }")).toEqual([
    "kept: The call GET /api/orders changes in a compatible way: it accepts more values of “due”.",
  ]);
});

test("a schema with one alternative is compared by it", () => {
  const operation = (...types: readonly string[]) => ({
    name: "GET /things",
    node: {
      parameters: [{ name: "size", in: "query", schema: { anyOf: types.map((type) => ({ type })) } }],
      responses: {},
    },
  });
  const between = (before: readonly string[], after: readonly string[]) =>
    compareOperations(operation(...before), operation(...after), pairDescriptions({}, {})).map(({ id }) => id);
  expect(between(["string"], ["integer"])).toEqual(["fact.accepts.type"]);
  expect(between(["string"], ["string", "integer"])).toEqual(["fact.accepts.more"]);
  expect(between(["string", "integer"], ["string"])).toEqual(["fact.accepts.fewer"]);
  expect(between(["string"], ["string"])).toEqual([]);
});
