import { describe, expect, test } from "vitest";
import { found, foundOne } from "./documents.ts";

const withCalls = (calls: string, more = "") => ({
  2: "/cases: { list: Case }\n/cases/{id}: { record: Case }\n/: { title: Overview, tiles: [{ count: Case }] }",
  3: "Case:\n  fields: { title: text, owner: User, code: { type: text, unique: true } }",
  7: `${more}\ncalls:\n${calls}`,
});

describe("CALL_TWICE", () => {
  test("finds two calls with the same method and path, even if their parameters have other names", () => {
    const document = withCalls("  GET /all/{id}: { read: Case }\n  GET /all/{code}: { read: Case }");
    expect(found(document)).toEqual(["CALL_TWICE 7.GET /all/{code} «GET /all/{code}»"]);
    expect(found(withCalls("  GET /all/{id}: { read: Case }\n  DELETE /all/{id}: { delete: Case }"))).toEqual([]);
  });

  test("finds a call with the address of a screen", () => {
    const document = withCalls("  GET /cases/{code}: { read: Case }", "base: /");
    expect(found(document)).toEqual(["CALL_TWICE 7.GET /cases/{code} «GET /cases/{code}»"]);
    expect(foundOne(document).message).toBe("GET /cases/{code} has the address of the screen /cases/{id}.");
    expect(found(withCalls("  GET /: { list: Case }", 'base: ""'))).toEqual(["CALL_TWICE 7.GET / «GET /»"]);
  });

  test("accepts another base or another method", () => {
    expect(found(withCalls("  GET /cases: { list: Case }", "base: /v1"))).toEqual([]);
    expect(found(withCalls("  POST /cases: { create: Case }", "base: /"))).toEqual([]);
  });
});

describe("SCREENS_CALL_IT", () => {
  test("finds a call that replaces a conventional call of the screens", () => {
    expect(found(withCalls("  GET /cases: { list: Case }"))).toEqual(["SCREENS_CALL_IT 7.GET /cases «GET /cases»"]);
    expect(found(withCalls("  GET /cases/{code}: { read: Case }"))).toEqual([
      "SCREENS_CALL_IT 7.GET /cases/{code} «GET /cases/{code}»",
    ]);
    expect(found(withCalls("  PUT /cases/{id}: { update: Case }"))).toEqual([]);
  });

  test("accepts it if no screen makes the call", () => {
    const { 2: _, ...rest } = withCalls("  GET /cases: { list: Case }");
    expect(found({ ...rest, 2: "none" })).toEqual([]);
  });
});

test("NO_SUCH_PARAMETER: a parameter that matches no field", () => {
  expect(found(withCalls("  GET /by/{name}: { read: Case }")).map((item) => item.split(" ")[0])).toEqual([
    "NO_SUCH_PARAMETER",
  ]);
  expect(found(withCalls("  GET /by/{owner.name}: { list: Case }"))).toEqual([]);
});

describe("keys that exclude each other", () => {
  const codes = (calls: string) => found(withCalls(calls)).map((item) => item.split(" ")[0]);

  test.each([
    ["a verb that finds nothing", "  GET /it: { read: Case }", "MISSING_KEY"],
    ["what is ensured and known by nothing", "  PUT /it: { ensure: Case, takes: { title } }", "MISSING_KEY"],
    ["an order of one record", "  GET /it/{id}: { read: Case, sort: [title] }", "BAD_VALUE"],
    ["a condition on what is made", '  POST /it: { create: Case, where: "title != null" }', "BAD_VALUE"],
    [
      "a default that is none",
      "  GET /it: { list: Case, query: { code: { type: integer, where: size(code) > input.code, default: x } } }",
      "BAD_VALUE",
    ],
    ["steps and what goes with one", "  POST /it: { do: [{ create: Case }], gives: title }", "BAD_VALUE"],
    ["no steps", "  POST /it: { do: [] }", "MISSING_KEY"],
    ["somebody who signs in with a title", "  POST /it: { sign in: true, takes: { email, title } }", "UNKNOWN_NAME"],
    ["signing out that is off", "  POST /it: { sign out: false }", "BAD_VALUE"],
    ["a shape of another entity", "  GET /it/{id}: { read: Case, gives: User.short(this) }", "UNKNOWN_NAME"],
  ])("%s", (_, calls, code) => {
    expect(codes(calls)).toContain(code);
  });

  test("accepts keys that belong together", () => {
    expect(codes("  PUT /it/{code}: { ensure: Case, takes: { title, owner } }")).toEqual([]);
    expect(codes("  GET /it: { read: Case, where: code == '1' }")).toEqual([]);
  });
});

test("RESERVED_NAME: a query parameter that the paging of the list uses", () => {
  const list = (paging: string, word: string) =>
    withCalls(
      `  GET /all: { list: Case, paging: ${paging}, query: { ${word}: { type: text, where: title == input.${word} } } }`,
    );
  expect(found(list("cursor", "after"))).toEqual(["RESERVED_NAME 7.GET /all «after»"]);
  expect(foundOne(list("offset", "limit")).message).toBe("“limit” is reserved for calls with “paging: offset”.");
  expect(found(list("offset", "after"))).toEqual([]);
  expect(found(list("none", "limit"))).toEqual([]);
  expect(found(list("none", "sort"))).toEqual([]);
  expect(found(list("none, sortable: title", "sort"))).toEqual(["RESERVED_NAME 7.GET /all «sort»"]);
});

test("a list can name the parameters of its pages, and its response can read them", () => {
  const list = (paging: string, gives = "page.map(c, c.title)", query = "{ title }") =>
    withCalls(`  GET /all: { list: Case, paging: ${paging}, query: ${query}, gives: { all: "${gives}" } }`);
  expect(found(list("pages", "input.page + input.limit"))).toEqual([]);
  expect(found(list("offset", "input.offset"))).toEqual([]);
  expect(found(list("{ after: cursor, limit: first, size: 5 }", "input.first"))).toEqual([]);
  expect(found(list("{ page: page-number, limit: per_page, size: usual }"))).toEqual(["BAD_VALUE 7.GET /all «usual»"]);
  expect(found(list("{ page: 'page[number]', limit: 'page[size]', size: page_size }"))).toEqual([]);
  expect(found(list("cursor", "input.after"))).toEqual(["UNKNOWN_NAME  «after»"]);
  expect(found(list("{ limit: n }"))).toEqual(["MISSING_KEY 7.GET /all «{ limit: n }»"]);
  expect(found(list("{ page: p, offset: o }"))).toEqual(["MISSING_KEY 7.GET /all «{ page: p, offset: o }»"]);
  expect(found(list("{ page: p, limit: p }"))).toEqual(["NAME_TWICE 7.GET /all «p»"]);
  expect(found(list("{ page: a b }"))).toEqual(["BAD_NAME 7.GET /all «a b»"]);
  expect(found(list("{ page: p, size: 201 }"))).toEqual(["BAD_VALUE 7.GET /all «201»"]);
  expect(foundOne(list("{ page: title }")).message).toBe("“title” is reserved for calls with “paging”.");
});

test("BAD_VALUE: a list that its caller sorts by a field without an order", () => {
  const list = (key: string) => withCalls(`  GET /all: { list: Case, sortable: [title, ${key}] }`);
  expect(found(list("code"))).toEqual([]);
  expect(found(list("owner"))).toEqual([]);
  expect(found(list("names"))).toEqual(["UNKNOWN_NAME  «names»"]);
});

test("BAD_VALUE: distinct values without an order, with an order of their own, or of a call that is no list", () => {
  const list = (keys: string) => withCalls(`  GET /all: { list: Case, ${keys} }`);
  expect(found(list("distinct: title"))).toEqual([]);
  expect(found(list("distinct: lower(title), gives: { titles: page, all: size(found), next }"))).toEqual([]);
  expect(foundOne(list("distinct: owner")).message).toBe("The distinct values of a list can’t be a User.");
  expect(found(list("distinct: titel"))).toEqual(["UNKNOWN_NAME  «titel»"]);
  expect(found(list("distinct: title, sort: [title]"))).toEqual(["BAD_VALUE 7.GET /all «sort»"]);
  expect(found(list("distinct: title, sortable: title"))).toEqual(["BAD_VALUE 7.GET /all «sortable»"]);
  expect(found(withCalls("  GET /one/{code}: { read: Case, distinct: title }"))).toEqual([
    "BAD_VALUE 7.GET /one/{code} «distinct»",
  ]);
});

test("UNKNOWN_NAME: a type that an address can’t contain, with the possible types", () => {
  const document = withCalls("  GET /all: { list: Case, query: { dear: { type: money, where: title != null } } }");
  expect(foundOne(document).hint).toMatch(
    /^Write text, integer, .+, or a field whose values it takes, such as Device\.kind\.$/u,
  );
});

test("TYPES_DIFFER: a parameter with a type of its own that is not that of the field, if nothing reads it", () => {
  const list = (query: string, more = "") => found(withCalls(`  GET /all: { list: Case, query: { ${query} }${more} }`));
  expect(list("title: { type: integer }")).toEqual(["TYPES_DIFFER 7.GET /all «title»"]);
  expect(list("title: { type: integer, rule: input.title > 0, else: BAD_TITLE }")).toEqual([
    "NO_ERROR_ENTRY  «BAD_TITLE»",
  ]);
  expect(list("title: { type: integer }", ", gives: { title: input.title, all: size(found) }")).toEqual([]);
  expect(list("title: { type: integer }, least: { type: integer, where: input.least > input.title }")).toEqual([]);
  expect(list("title: { type: text }, code: { type: Case.title }")).toEqual([]);
});

describe("calls about accounts", () => {
  const people = (signIn: string, call: string) => ({
    3: "User: { fields: { motto: text?, points: { type: integer, computed: 1 }, mentor: User? } }\nNote: { fields: { text: text } }",
    7: `${signIn}\ncalls:\n  ${call}`,
  });
  const mailed = "sign in: { sign up: open }";
  const atOnce = "sign in: { sign up: { verify email: false } }";

  test("take a password only where the caller changes their own account", () => {
    const own = "where: this == user";
    const call = (more: string) => people(mailed, `PUT /me: { update: User, ${more} }`);
    expect(found(call(`${own}, takes: { motto, password, current_password }`))).toEqual([]);
    expect(found(call(`${own}, takes: { current_password }`))).toEqual(["MISSING_KEY 7.PUT /me «current_password»"]);
    expect(found(call("where: \"motto == 'a'\", takes: { password }"))).toEqual(["BAD_VALUE 7.PUT /me «password»"]);
    expect(found(people(mailed, "GET /me: { read: User, where: user == this, gives: { name, token } }"))).toEqual([]);
    expect(found(people(mailed, "GET /all: { list: User, gives: { token } }"))[0]).toContain("UNKNOWN_NAME");
  });

  test("register with fields only where no link is mailed", () => {
    const call = (takes: string) => `POST /join: { sign up: true, takes: { ${takes} } }`;
    expect(found(people(atOnce, call("name, email, password, motto")))).toEqual([]);
    expect(found(people(atOnce, "POST /join: { sign up: true, gives: { token } }"))).toEqual([]);
    expect(found(people(atOnce, call("email")))).toEqual(["MISSING_KEY 7.POST /join «takes»"]);
    expect(found(people(atOnce, call("email, password, points")))).toEqual(["UNKNOWN_NAME 7.POST /join «points»"]);
    expect(found(people(atOnce, call("email, password, mentor")))).toEqual(["UNKNOWN_NAME 7.POST /join «mentor»"]);
    expect(foundOne(people(mailed, call("email, password"))).hint).toContain("verify email: false");
    expect(found(people("", call("email")))).toEqual(["MISSING_KEY 7.POST /join «sign up»"]);
  });

  test("do not let an unproved address stand for a domain or a provider", () => {
    const unproved = (more: string) =>
      people(`sign in: { ${more} }`, "POST /join: { sign up: true, takes: { name, email, password } }");
    expect(found(unproved("sign up: { emails: example.com, verify email: false }"))).toEqual([
      "BAD_VALUE 7.sign in.sign up «false»",
    ]);
    expect(found(unproved("providers: [google], sign up: { verify email: false }"))).toEqual([
      "BAD_VALUE 7.sign in.sign up «false»",
    ]);
  });
});

describe("sign in: none", () => {
  const open = {
    3: "Note: { fields: { text: text } }",
    6: "roles: { visitor: { members: anyone } }\npermissions: { Note: { read: visitor, create: visitor, update: none, delete: none } }",
    7: "sign in: none",
  };
  const withFields = (fields: string) => ({ ...open, 3: `Note: { fields: { text: text, ${fields} } }` });

  test("accepts a document for visitors", () => {
    expect(found(open)).toEqual([]);
  });

  test("finds clauses that need a signed-in person", () => {
    expect(found(withFields("writer: { type: User, set: user }"))).toEqual(["UNKNOWN_NAME  «user»"]);
    expect(foundOne(withFields("writer: { type: User, set: user }")).message).toBe(
      "There is no “user” here, because no one signs in.",
    );
    expect(found(withFields("writer: User?"))).toEqual(["BAD_VALUE 3.Note.writer «writer»"]);
    expect(
      found({ ...open, 4: "Note: { after: { create: { notify: \"User.filter(u, u.name == 'A')\", text: a } } }" }),
    ).toEqual(["BAD_VALUE 4.Note.after.create.1 «{ notify: \"User.filter(u, u.name == 'A')\", text: a }»"]);
    const roles = (role: string, by: string) => ({
      ...open,
      6: `roles: { visitor: { members: anyone }${role} }\npermissions: { Note: { read: visitor, create: ${by}, update: none, delete: none } }`,
    });
    expect(found(roles(", member: { members: signed in }", "member"))).toEqual(["BAD_VALUE 6.roles.member «member»"]);
    expect(found(roles(", clerk: granted", "clerk"))).toEqual(["BAD_VALUE 6.roles.clerk «clerk»"]);
    expect(found(roles("", "administrator"))).toEqual(["BAD_VALUE 6.Note.create «administrator»"]);
    expect(found({ ...open, 7: "sign in: none\ncalls: { POST /in: { sign in: true } }" })).toEqual([
      "BAD_VALUE 7.POST /in «POST /in»",
    ]);
  });

  test("finds an entity that visitors cannot use", () => {
    expect(found({ 3: open[3], 7: open[7] })).toEqual(["MISSING_KEY 3.Note «Note»"]);
  });
});
