import { once } from "node:events";
import { connect } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { expectFast } from "../../growth.ts";
import { type Answer, type ApiClient, serveText, type TestServer } from "../program.ts";

const things = `
# Things

## 3. Entities and their fields
\`\`\`yaml
Thing:
  fields:
    name:  { type: text?, unique: true }
    story: long text?
    count: integer?
    price: decimal?
    day:   date?
    at:    datetime?
    mail:  email?
    site:  url?
    call:  phone?
    open:  boolean
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { Thing: { read: [member], create: [member], update: [member] } }
\`\`\`
`;

let served: TestServer;
let member: ApiClient;
beforeAll(async () => {
  served = await serveText(things);
  member = await served.person("Mia");
});

const code = (answer: Answer) => `${answer.status} ${answer.problem().code}`;
const rows = async () => (await served.database.query("select count(*)::int as n from app.thing")).rows[0]?.n;
const json = { "content-type": "application/json" };
const raw = (body: string | Buffer, headers: Record<string, string> = json) =>
  member.send("POST", "/api/things", undefined, { raw: body, headers });
/** Literal JSON text that no JavaScript value serializes to. */
const literal = (text: string) => raw(text);

describe("a request body", () => {
  test("of more than a megabyte is rejected, with or without a declared length", async () => {
    const before = await rows();
    expect(code(await raw(JSON.stringify({ story: "x".repeat(2_000_000) })))).toBe("413 TOO_MUCH");
    const url = new URL(await served.listen());
    const socket = connect(Number(url.port), url.hostname);
    socket.on("error", () => undefined);
    let output = "";
    socket.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    socket.write(
      `POST /api/things HTTP/1.1\r\nhost: ${url.host}\r\ncookie: ${member.cookie()}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
    );
    const chunk = "x".repeat(65_536);
    for (let i = 0; i < 40 && output === ""; i++) {
      socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
      await new Promise((resolve) => setImmediate(resolve));
    }
    // The answer follows the end of the body, or ten seconds later if there is none.
    socket.write("0\r\n\r\n");
    if (output === "") await once(socket, "data");
    socket.destroy();
    expect(output).toMatch(/^HTTP\/1\.1 413 /);
    expect(await rows()).toBe(before);
  });

  test("of another content type is rejected", async () => {
    const body = JSON.stringify({ name: "x" });
    for (const type of [
      "text/plain",
      "text/plain;charset=utf-8",
      "application/xml",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/octet-stream",
      "application/jsonp",
      "nonsense",
    ])
      expect([type, code(await raw(body, { "content-type": type }))]).toEqual([type, "415 UNSUPPORTED"]);
    expect(code(await raw(body, {}))).toBe("415 UNSUPPORTED");
  });

  test.each(["{", "{'name':'x'}", '{"name":"x"}}', " ", "nul", '{"name":NaN}', '{"name":"a\nb"}', "<thing/>"])(
    "that is not JSON is rejected: %j",
    async (text) => {
      expect(code(await raw(text))).toBe("400 MALFORMED");
    },
  );

  test("that is announced but empty counts as none", async () => {
    const created = await raw("");
    expect(created.record()).toMatchObject({ name: null, open: false });
    expect(
      code(await member.send("DELETE", `/api/things/${created.record().id}`, undefined, { raw: "", headers: json })),
    ).toBe("403 FORBIDDEN");
  });

  test("that is not UTF-8 is rejected, not repaired", async () => {
    expect(code(await raw(Buffer.from([...Buffer.from('{"name":"'), 0xff, 0xfe, ...Buffer.from('"}')])))).toBe(
      "400 MALFORMED",
    );
  });

  test.each(["[]", "[{}]", '"name"', "1", "true"])("that is not an object is rejected: %s", async (text) => {
    expect(code(await literal(text))).toBe("400 MALFORMED");
  });

  test("that is nested a hundred thousand levels deep is rejected fast", async () => {
    expect(code(await literal(`{"name":${"[".repeat(90)}${"]".repeat(90)}}`))).toBe("422 WRONG_TYPE");
    const deep = `{"name":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
    expect(code(await literal(deep))).toBe("413 TOO_MUCH");
    await expectFast(() => literal(deep));
  });

  test("with thousands of unknown fields is rejected fast without listing all of them; with more it is not read", async () => {
    const fields = (count: number) => `{${Array.from({ length: count }, (_, i) => `"field${i}":1`).join(",")}}`;
    const many = fields(20_000);
    const answer = await literal(many);
    expect(answer.status).toBe(422);
    await expectFast(() => literal(many));
    expect(answer.text.length).toBeLessThan(2 * many.length);
    const stranger = await served.visitor().send("POST", "/api/things", undefined, { raw: many, headers: json });
    expect(code(stranger)).toBe("413 TOO_MUCH");
    const more = `{"story":[${"0,".repeat(100_000)}0]}`;
    expect(code(await literal(more))).toBe("413 TOO_MUCH");
    expect(code(await literal(fields(20_001)))).toBe("413 TOO_MUCH");
  });
});

describe("a field name", () => {
  test.each([
    '{"__proto__":{"administrator":true}}',
    '{"constructor":{"prototype":{"x":1}}}',
    '{"name":"x","__proto__":null}',
  ])("that targets prototypes is rejected: %s", async (text) => {
    const before = await rows();
    expect((await literal(text)).status).toBe(400);
    expect(await rows()).toBe(before);
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect("administrator" in {}).toBe(false);
  });

  test.each([
    "constructor",
    "toString",
    "hasOwnProperty",
    "valueOf",
    "length",
    "",
    " name",
    "Name",
    "name.x",
    "na\u0000me",
    "💥",
  ])("is one of the document’s or unknown: %j", async (name) => {
    expect(code(await member.post("/api/things", { [name]: "x" }))).toBe("422 UNKNOWN_FIELD");
  });
});

describe("a text", () => {
  test.each([
    ["a NUL", "a\u0000b"],
    ["half a surrogate pair", "a\ud800b"],
    ["the other half", "\udc00"],
    ["two halves in the wrong order", "\udc00\ud800"],
  ])("with %s is rejected, since no database can store it", async (_, text) => {
    for (const field of ["name", "story"])
      expect((await member.post("/api/things", { [field]: text })).problem()).toMatchObject({
        status: 422,
        code: "WRONG_TYPE",
        errors: [{ at: `/${field}`, clause: `3.Thing.${field}` }],
      });
  });

  test("of one line has no line breaks, and other texts keep them", async () => {
    expect(code(await member.post("/api/things", { name: "a\nb" }))).toBe("422 WRONG_TYPE");
    const story = "a\r\nb\n\n\tc  ";
    expect((await member.post("/api/things", { story })).record().story).toBe(story);
  });

  test("is returned as it was sent: markup, quotes, other scripts", async () => {
    for (const name of [
      "<script>alert(1)</script>",
      "'; drop table app.thing; --",
      "{name} {{x}} $1 %s",
      '\\u0041 "q" \\',
      "日本語 עברית العربية 🇪🇺👩‍👩‍👧",
      "\u202eright to left",
    ]) {
      const { id } = (await member.post("/api/things", { name })).record();
      expect((await member.get(`/api/things/${id}?label=true`)).record()).toMatchObject({ name, _label: name });
    }
  });

  test("is stored in Unicode NFC, so that texts that look the same are the same", async () => {
    (await member.post("/api/things", { name: "Zo\u00eb" })).record();
    expect(code(await member.post("/api/things", { name: "Zoe\u0308" }))).toBe("409 TAKEN");
    expect((await member.get(`/api/things?name=${encodeURIComponent("Zoe\u0308")}`)).list().items).toHaveLength(1);
  });

  test("can be as long as its type says, and no longer", async () => {
    expect((await member.post("/api/things", { name: "😀".repeat(1_000) })).status).toBe(201);
    expect(code(await member.post("/api/things", { name: "x".repeat(1_001) }))).toBe("422 TOO_LONG");
    expect((await member.post("/api/things", { story: "x".repeat(100_000) })).status).toBe(201);
    expect(code(await member.post("/api/things", { story: "x".repeat(100_001) }))).toBe("422 TOO_LONG");
  });

  test.each([1, true, [], {}, ["x"], { name: "x" }])("is a text and not %j", async (value) => {
    expect(code(await member.post("/api/things", { name: value }))).toBe("422 WRONG_TYPE");
  });
});

describe("an integer", () => {
  test.each(["9007199254740991", '"9007199254740991"', "-9007199254740991", "0", "-0", '"007"'])(
    "up to 2^53 is returned exactly: %s",
    async (text) => {
      const record = (await literal(`{"count":${text}}`)).record();
      expect(record.count).toBe(Number(JSON.parse(text)) + 0);
    },
  );

  test.each([
    "9007199254740992",
    "9007199254740993",
    '"9007199254740993"',
    "1e16",
    "-9007199254740992",
    "1e400",
    "1.5",
    '"1.0"',
    '"1e3"',
    '" 1"',
    '"0x10"',
    '"１"',
    "true",
    "[1]",
  ])("beyond 2^53, or malformed, is rejected and never rounded: %s", async (text) => {
    expect(code(await literal(`{"count":${text}}`))).toBe("422 WRONG_TYPE");
  });
});

describe("a decimal", () => {
  test.each([
    ['"0.1"', "0.1"],
    ["0.1", "0.1"],
    ['"12345678901234567890.0123456789"', "12345678901234567890.0123456789"],
    ['"1.50"', "1.5"],
    ['"-0.0"', "0"],
    ["100", "100"],
  ])("is returned exactly: %s", async (text, kept) => {
    expect((await literal(`{"price":${text}}`)).record().price).toBe(kept);
  });

  test.each(["12345678901234567890", "0.12345678901234567", "9007199254740993"])(
    "sent as a number that a double can’t hold is rejected, not rounded: %s",
    async (text) => {
      expect(code(await literal(`{"price":${text}}`))).toBe("422 WRONG_TYPE");
    },
  );

  test.each([
    '"1,5"',
    '"1e3"',
    '"NaN"',
    '"Infinity"',
    "1e400",
    '".5"',
    '"5."',
    '"+1"',
    `"${"9".repeat(29)}"`,
    '"0.12345678901"',
  ])("that is malformed is rejected: %s", async (text) => {
    expect(code(await literal(`{"price":${text}}`))).toBe("422 WRONG_TYPE");
  });
});

describe("a date", () => {
  test.each(["2024-02-29", "0001-01-01", "9999-12-31", "1582-10-10"])("that exists is returned: %s", async (day) => {
    expect((await member.post("/api/things", { day })).record().day).toBe(day);
  });

  test.each([
    "2026-02-30",
    "2025-02-29",
    "1900-02-29",
    "2026-13-01",
    "2026-00-01",
    "2026-01-00",
    "0000-01-01",
    "10000-01-01",
    "-0001-01-01",
    "2026-1-1",
    "2026-01-01T00:00:00Z",
    "01.02.2026",
    "today",
    "infinity",
  ])("that does not exist is rejected: %s", async (day) => {
    expect(code(await member.post("/api/things", { day }))).toBe("422 WRONG_TYPE");
  });
});

describe("a datetime", () => {
  test.each([
    ["2026-03-29T02:30:00+02:00", "2026-03-29T00:30:00.000Z"],
    ["2026-05-01T10:00Z", "2026-05-01T10:00:00.000Z"],
    ["2026-05-01T10:00:00.123456789Z", "2026-05-01T10:00:00.123Z"],
  ])("is returned in UTC with milliseconds: %s", async (at, kept) => {
    expect((await member.post("/api/things", { at })).record().at).toBe(kept);
  });

  test.each([
    "2026-02-30T10:00:00Z",
    "2026-01-01T25:00:00Z",
    "2026-01-01T10:60:00Z",
    "2026-01-01T10:00:00",
    "2026-01-01 10:00:00Z",
    "2026-01-01",
    "2026-01-01T10:00:00+99:00",
    "1767225600000",
    "now",
  ])("that does not exist, or has no time zone, is rejected: %s", async (at) => {
    expect(code(await member.post("/api/things", { at }))).toBe("422 WRONG_TYPE");
  });

  test.each(["0001-01-01T00:00:00+01:00", "9999-12-31T23:59:59-01:00"])(
    "whose date in UTC is outside the calendar is rejected as a client error: %s",
    async (at) => {
      expect(code(await member.post("/api/things", { at }))).toBe("422 WRONG_TYPE");
    },
  );
});

describe("a URL or an email address", () => {
  test.each([
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "data:text/html,x",
    "//evil.example",
    "http://",
    "ftp://x.example",
    "https://a b.example",
  ])("with a scheme that browsers must not follow is rejected: %s", async (site) => {
    expect(code(await member.post("/api/things", { site }))).toBe("422 WRONG_TYPE");
  });

  test.each([
    "@",
    "a@b",
    "a b@c.example",
    "a@b@c.example",
    "a@c..example",
    "a@.example",
    "a@c.example\nbcc: x@y.example",
  ])("that no mail can be sent to is rejected: %j", async (mail) => {
    expect(code(await member.post("/api/things", { mail }))).toBe("422 WRONG_TYPE");
  });

  test("that is valid is accepted", async () => {
    const good = { site: "HTTPS://example.com/a?b=c#d", mail: "a.b+c@sub.example.com", call: "+49 (30) 5550-1234" };
    expect((await member.post("/api/things", good)).record()).toMatchObject(good);
  });
});

describe("an address of the application", () => {
  test.each([
    "%00",
    "..%2f..%2fetc%2fpasswd",
    "'%20or%201=1",
    "null",
    "undefined",
    "0",
    "x".repeat(199),
    "%F0%9F%92%A5",
  ])("with an invalid id names no record: %s", async (id) => {
    expect(code(await member.get(`/api/things/${id}`))).toBe("404 NOT_FOUND");
  });

  test.each(["/api/things/%zz", "/api/%", "/%c0%af", "/api/things/%ff"])(
    "that can’t be decoded gives a problem document: %s",
    async (path) => {
      const answer = await member.get(path);
      expect(code(answer)).toBe("400 MALFORMED");
      expect(answer.headers.get("content-type")).toMatch(/^application\/problem\+json/);
    },
  );

  test.each([
    "/api",
    "/api/",
    "/api/Things",
    "/api/thing",
    "/api//things",
    "/_/",
    "/_/sessions",
    "/api/../_/open-points/x",
    "/_/assets/nothing.js",
  ])("without a call gives 404: %s", async (path) => {
    expect(code(await member.get(path))).toBe("404 NO_SUCH_CALL");
  });

  test("accepts only the methods of its call", async () => {
    const { id } = (await member.post("/api/things", { open: true })).record();
    for (const [method, path] of [
      ["PUT", "/api/things"],
      ["DELETE", "/api/things"],
      ["PATCH", "/api/things"],
      ["PUT", `/api/things/${id}`],
      ["POST", `/api/things/${id}`],
      ["POST", "/_/application"],
      ["OPTIONS", "/api/things"],
    ] as const)
      expect([method, path, code(await member.send(method, path))]).toEqual([method, path, "404 NO_SUCH_CALL"]);
    const head = await member.send("HEAD", `/api/things/${id}`);
    expect([head.status, head.text]).toEqual([200, ""]);
  });

  test("never gives a file of the program", async () => {
    for (const path of [
      "/../package.json",
      "/%2e%2e/package.json",
      "/_/assets/../../package.json",
      "/_/assets/%2e%2e%2findex.html",
      "/package.json",
      "/index.html.map",
    ]) {
      const { text } = await member.get(path);
      expect(text).not.toContain('"ninefold"');
      expect(text).not.toContain("__NONCE__");
    }
  });
});
