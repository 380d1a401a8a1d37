import { once } from "node:events";
import { createServer } from "node:http";
import { createConnection } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { beforeAll, describe, expect, test } from "vitest";
import type { Application } from "../../../src/core/wire/application.ts";
import { connect, StoreBusy, StoreSlow } from "../../../src/postgres/database.ts";
import { createService } from "../../../src/server/execution/service.ts";
import type { Site } from "../../../src/server/http/origin.ts";
import { createMetrics } from "../../../src/server/telemetry/metrics.ts";
import { database } from "../../postgres.ts";
import { recordOutput } from "../../secret-recorder.ts";
import {
  command,
  example,
  failed,
  freePort,
  ninefold,
  scratch,
  serveText,
  startProgram,
  type TestServer,
} from "../program.ts";

const shelf = `
# Shelf

## 3. Entities and their fields
\`\`\`yaml
Book: { fields: { title: { type: text, max: 40 } } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  member: { members: signed in }
  keeper: { members: granted }
permissions: { Book: { read: [member], create: [keeper], update: [keeper] } }
\`\`\`
`;

const PASSWORD = "correct horse battery";
/** A trusted proxy on this machine. */
const behindProxy: Site = { origin: null, proxies: ["10.0.0.0/8", "127.0.0.1"] };
const linesOf = () => {
  const lines: string[] = [];
  return { lines, log: pino({ level: "info" }, { write: (line: string) => void lines.push(line) }) };
};

describe("a request id", () => {
  test("is taken from a trusted proxy, and returned with the response", async () => {
    const served = await serveText(shelf, { app: { site: behindProxy } });
    const idOf = async (input: string) =>
      (await served.visitor().get("/healthz", input === "" ? {} : { "x-request-id": input })).headers.get(
        "x-request-id",
      );
    expect(await idOf("abc-123.4:5_6")).toBe("abc-123.4:5_6");
    for (const input of ["", "a b", "x".repeat(101), 'a"b', "ä"])
      expect(await idOf(input)).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  });

  test("is not accepted from anyone else", async () => {
    for (const proxies of [[], ["10.0.0.0/8", "2001:db8::1"]]) {
      const served = await serveText(shelf, { app: { site: { origin: null, proxies } } });
      const { headers } = await served.visitor().get("/healthz", { "x-request-id": "abc" });
      expect(headers.get("x-request-id")).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    }
  });

  test("is in a log line for each request, without search terms and credentials", async () => {
    const { lines, log } = linesOf();
    const served = await serveText(shelf, { app: { log, site: behindProxy } });
    const ada = await served.person("Ada", ["keeper"]);
    await ada.get("/api/books?search=secret-words", { "x-request-id": "one" });
    await ada.post("/_/session", { email: "ada@example.com", password: "secret-password" }, { "x-request-id": "two" });
    const [one, two] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(one).toMatchObject({
      level: 30,
      reqId: "one",
      method: "GET",
      path: "/api/books",
      route: "/api/books",
      status: 200,
      person: ada.id,
      msg: "request",
    });
    expect(two).toMatchObject({ reqId: "two", status: 401, person: null });
    expect(lines.join("")).not.toMatch(/secret|session=/);
  });
});

describe("a refusal", () => {
  let served: TestServer;
  beforeAll(async () => {
    served = await serveText(shelf, { app: { site: behindProxy } });
  });
  const logged = async () => {
    await served.refusals.write();
    const { rows } = await served.database.query(
      "select person, document, status, code, clause, entity, record, action, request from ninefold.refusal order by id",
    );
    await served.database.query("truncate ninefold.refusal");
    return rows;
  };

  test("is stored with person, action, clause and request id, and never with the body", async () => {
    const ada = await served.person("Ada", ["keeper"]);
    const reader = await served.person("Reader");
    const { id } = (await ada.post("/api/books", { title: "Emma" })).record();
    await reader.patch(`/api/books/${id}`, { title: "a secret title" }, { "x-request-id": "one" });
    await ada.post("/api/books", { title: "a secret title".repeat(9) }, { "x-request-id": "two" });
    await ada.post("/_/session", { email: "secret@example.com", password: "secret" }, { "x-request-id": "three" });
    await served.visitor().get("/api/books", { "x-request-id": "four" });
    await reader.get("/_/people", { "x-request-id": "five" });
    await served.visitor().get("/api/%zz");
    const rows = await logged();
    const one = { document: 1, clause: null, entity: null, record: null, person: null };
    expect(rows).toEqual([
      {
        ...one,
        person: reader.id,
        status: 403,
        code: "FORBIDDEN",
        clause: "6.Book.update",
        entity: "Book",
        record: id,
        action: "update",
        request: "one",
      },
      {
        ...one,
        person: ada.id,
        status: 422,
        code: "TOO_LONG",
        clause: "3.Book.title",
        entity: "Book",
        action: "create",
        request: "two",
      },
      {
        ...one,
        status: 401,
        code: "BAD_CREDENTIALS",
        clause: "7.sign in",
        action: "POST /_/session",
        request: "three",
      },
      {
        ...one,
        status: 401,
        code: "NOT_SIGNED_IN",
        clause: "6.Book.read",
        entity: "Book",
        action: "list",
        request: "four",
      },
      {
        ...one,
        person: reader.id,
        status: 403,
        code: "FORBIDDEN",
        clause: "6.administrator",
        action: "GET /_/people",
        request: "five",
      },
      { ...one, status: 400, code: "MALFORMED", action: "GET (elsewhere)", request: expect.any(String) },
    ]);
    expect(JSON.stringify(rows)).not.toMatch(/secret/);
  });

  test("is dropped if more arrive than can be written in time, and requests do not wait for it", async () => {
    const visitor = served.visitor();
    await Promise.all(Array.from({ length: 300 }, () => visitor.get("/api/books")));
    expect(await logged()).toHaveLength(300);
    for (let i = 0; i < 5_000; i++)
      served.refusals.add({
        at: new Date(),
        person: null,
        document: 1,
        status: 401,
        code: "X",
        clause: null,
        entity: null,
        record: null,
        action: "a",
        request: "r",
      });
    expect(await logged()).toHaveLength(2_000);
  });
});

describe("readiness", () => {
  test("is true for the newest document, until another server has published a newer one", async () => {
    const store = await database();
    const old = await serveText(shelf, { database: store });
    expect((await old.visitor().get("/readyz")).body).toEqual({ ok: true, version: 1, newest: 1 });
    const fresh = await serveText(shelf.replace("max: 40", "max: 60"), { database: store });
    expect(await old.visitor().get("/readyz")).toMatchObject({
      status: 503,
      body: { ok: false, version: 1, newest: 2, because: "superseded" },
    });
    expect((await fresh.visitor().get("/readyz")).body).toEqual({ ok: true, version: 2, newest: 2 });
    expect((await old.visitor().get("/healthz")).status).toBe(200);
    await old.stop();
    await fresh.stop();
    await store.end();
  });

  test("ends before a stop; requests in progress get their responses, and so do those that arrive before the end", async () => {
    const program = await startProgram({ text: shelf, args: ["--drain", "2"] });
    const keeper = await program.signInAs("keeper");
    const url = new URL(program.url);
    const slow = createConnection(Number(url.port), url.hostname);
    slow.setEncoding("utf8");
    const body = JSON.stringify({ title: "slowly" });
    slow.write(
      `POST /api/books HTTP/1.1\r\nhost: ${url.host}\r\ncookie: ${keeper.cookie()}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body.slice(0, 5)}`,
    );
    await sleep(200);
    program.signal("SIGTERM");
    await sleep(300);
    expect(await program.visitor().get("/readyz")).toMatchObject({
      status: 503,
      body: { ok: false, because: "stopping" },
    });
    expect((await keeper.get("/api/books?limit=1")).status).toBe(200);
    await sleep(1_900);
    slow.write(body.slice(5));
    const [answer] = (await once(slow, "data")) as [string];
    expect(answer.split("\r\n")[0]).toBe("HTTP/1.1 201 Created");
    expect((await program.ended).exit).toBe(0);
  });
});

describe("metrics for Prometheus", () => {
  test("have a port of their own: requests by route, refusals by code, statements, connections, the event loop", async () => {
    const port = await freePort();
    const program = await startProgram({ text: shelf, args: ["--metrics", `${port}`] });
    expect(program.output()).toContain(`http://127.0.0.1:${port}/metrics`);
    const keeper = await program.signInAs("keeper");
    const { id } = (await keeper.post("/api/books", { title: "Emma" })).record();
    for (let i = 0; i < 3; i++) await keeper.get(`/api/books/${id}`);
    await program.visitor().get("/api/books");
    await program.visitor().get(`/api/${"x".repeat(30)}`);
    const figures = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(figures).toMatch(
      /ninefold_http_request_duration_seconds_count\{method="GET",route="\/api\/books\/:id",status="200"\} 3/,
    );
    expect(figures).toContain('ninefold_refusals_total{code="NOT_SIGNED_IN"} 1');
    for (const name of [
      /ninefold_statement_duration_seconds_count [1-9]/,
      /ninefold_store_connections\{state="idle"\} [1-9]/,
      /ninefold_store_waiting 0/,
      /nodejs_eventloop_lag_p99_seconds/,
      /process_resident_memory_bytes/,
    ])
      expect(figures).toMatch(name);
    expect(figures).not.toContain(id);
    expect(figures).not.toContain("xxxxx");
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
    expect((await program.visitor().get("/metrics")).headers.get("content-type")).toContain("text/html");
  });

  test("include the number of requests that wait for the database", async () => {
    const metrics = await createMetrics();
    metrics.watch(() => ({ connections: 6, idle: 2, waiting: 9 }));
    expect(await metrics.text()).toMatch(/ninefold_store_connections\{state="busy"\} 4[\s\S]*ninefold_store_waiting 9/);
  });
});

describe("too many simultaneous requests", () => {
  test("get 503 with Retry-After if the queue is full, and the others get their responses", async () => {
    const store = await database();
    const served = await serveText(shelf, { database: store });
    const ada = await served.person("Ada", ["keeper"]);
    const narrow = connect({ connection: store.appUrl, max: 1, queue: 4 });
    const { service } = served.opened;
    const crowded = await serveText(shelf, {
      database: store,
      app: { service: createService(service.model, service.version, narrow) },
    });
    // From many networks, since one alone would be limited.
    const requests = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        crowded.app.inject({
          url: "/api/books?limit=1",
          headers: { cookie: ada.cookie() },
          remoteAddress: `192.0.2.${i}`,
        }),
      ),
    );
    const codes = new Map<string, number>();
    for (const { statusCode, headers } of requests) {
      const key = `${statusCode} ${headers["retry-after"] ?? null}`;
      codes.set(key, (codes.get(key) ?? 0) + 1);
    }
    expect([...codes.keys()].toSorted()).toEqual(["200 null", "503 2"]);
    const refused = requests.find(({ statusCode }) => statusCode === 503);
    expect(refused?.json()).toMatchObject({ code: "TOO_BUSY", reference: expect.any(String) });
    await expect(
      Promise.all(
        Array.from({ length: 10 }, () => narrow.transaction((query) => query({ text: "select 1", values: [] }))),
      ),
    ).rejects.toThrow(StoreBusy);
    await narrow.end();
    await crowded.stop();
    await served.stop();
    await store.end();
  });

  test("that wait too long for a locked record get a clear response, and so does a long statement", async () => {
    const store = await database();
    const served = await serveText(shelf, { database: store });
    const ada = await served.person("Ada", ["keeper"]);
    const { id } = (await ada.post("/api/books", { title: "Emma" })).record();
    const holder = connect({ connection: store.url });
    let release: () => void = () => undefined;
    const held = holder.transaction(async (query) => {
      await query({ text: `select 1 from app.book where id = $1 for update`, values: [id] });
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    });
    await sleep(200);
    const answer = await ada.patch(`/api/books/${id}`, { title: "Persuasion" });
    expect(answer.problem()).toMatchObject({ status: 503, code: "TOOK_TOO_LONG" });
    expect(answer.headers.get("retry-after")).toBe("2");
    release();
    await held;
    expect((await ada.patch(`/api/books/${id}`, { title: "Persuasion" })).status).toBe(200);
    const hasty = connect({ connection: store.appUrl, statementTimeout: 200 });
    await expect(hasty.query({ text: "select pg_sleep(5)", values: [] })).rejects.toThrow(StoreSlow);
    await hasty.end();
    await holder.end();
    await served.stop();
    await store.end();
  });
});

describe("behind a proxy", () => {
  const site = { origin: "https://desk.example.com", proxies: ["127.0.0.1"] };

  test("with TLS, the session is a secure __Host- cookie, and HSTS is sent", async () => {
    const served = await serveText(shelf, { app: { site } });
    const { email } = await served.account("Ada", PASSWORD);
    const visitor = served.visitor();
    const answer = await visitor.post("/_/session", { email, password: PASSWORD }, { origin: site.origin });
    const [session = "", device] = answer.headers.getSetCookie();
    const [value, ...attributes] = session.split("; ");
    expect(value).toMatch(/^__Host-session=[\w-]{43}$/);
    expect(device).toMatch(/^__Host-device=[\w.-]+; Max-Age=31536000; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
    expect(attributes.toSorted()).toEqual(["HttpOnly", "Max-Age=43200", "Path=/", "SameSite=Lax", "Secure"]);
    expect(answer.headers.get("strict-transport-security")).toBe("max-age=31536000; includeSubDomains");
    expect(((await visitor.get("/_/application")).body as Application).person?.name).toBe("Ada");
    expect((await visitor.delete("/_/session")).headers.get("set-cookie")).toMatch(/^__Host-session=;.*Secure/);
  });

  test.each(["https://desk.example.com", "http://desk.example.com"])(
    "a session is read only from the cookie that %s sets, and not from one that a sibling domain could set",
    async (origin) => {
      const served = await serveText(shelf, { app: { site: { ...site, origin } } });
      const ada = await served.person("Ada", ["keeper"]);
      const [name = "", token = ""] = ada.cookie().split("=");
      const request = async (cookie: string) => (await served.visitor().get("/api/books", { cookie })).status;
      expect(await request(`${name}=${token}`)).toBe(200);
      for (const planted of ["session", "session-9009", "session-443", "Session", "__host-session"])
        expect([planted, await request(`${planted}=${token}`)]).toEqual([planted, 401]);
    },
  );

  test.each(["https://other.example.com", "http://desk.example.com", "https://desk.example.com:444", "null"])(
    "a browser at %s is refused, whatever Host it sends",
    async (origin) => {
      const served = await serveText(shelf, { app: { site } });
      const ada = await served.person("Ada", ["keeper"]);
      const headers = { origin, host: origin.replace(/^https?:\/\//u, "") };
      expect((await ada.post("/api/books", { title: "x" }, headers)).problem()).toMatchObject({
        code: "FOREIGN_ORIGIN",
      });
      expect((await ada.post("/api/books", { title: "x" }, { origin: site.origin })).status).toBe(201);
    },
  );

  test("only a trusted proxy can forward the client’s address", async () => {
    const from = async (proxies: readonly string[]) => {
      const served = await serveText(shelf, { app: { site: { origin: null, proxies } } });
      const { email } = await served.account("Ada", PASSWORD);
      await served.visitor().post("/_/session", { email, password: PASSWORD }, { "x-forwarded-for": "203.0.113.7" });
      return (await served.database.query("select address from ninefold.session")).rows.map(({ address }) => address);
    };
    expect(await from([])).toEqual(["127.0.0.1"]);
    expect(await from(["10.0.0.0/8"])).toEqual(["127.0.0.1"]);
    expect(await from(["127.0.0.0/8"])).toEqual(["203.0.113.7"]);
  });
});

describe("listening on other addresses", () => {
  test("is an option, and the start says its consequences", async () => {
    const program = await startProgram({ text: shelf, args: ["--host", "0.0.0.0", "--no-sample"] });
    expect(program.output()).toContain("The connection isn’t encrypted");
    expect((await fetch(`http://127.0.0.1:${program.port}/healthz`)).status).toBe(200);
  });

  test.each([
    ["no proxy", [], true],
    ["a proxy", ["--proxy", "127.0.0.1"], false],
  ] as const)(
    "with an origin and %s says who is slowed down by wrong passwords, and what root can do",
    async (_, more, says) => {
      const args = ["--origin", "https://desk.example.com", "--no-sample", ...more];
      const program = await startProgram({ text: shelf, args });
      expect(program.output().includes("Without --proxy, all requests come from one address")).toBe(says);
      expect(program.output().includes("It runs as root")).toBe(process.getuid?.() === 0);
      await program.stop();
    },
  );

  test("without an origin, but with a mail server, says that links are not mailed", async () => {
    const env = { NINEFOLD_SMTP: "smtp://127.0.0.1:9", NINEFOLD_MAIL_FROM: "desk@example.com" };
    const program = await startProgram({ text: shelf, args: ["--no-sample"], env });
    expect(program.output()).toContain("Without --origin, no emails with links are sent");
    await program.stop();
  });

  test.each([
    [["--host", "0.0.0.0"], 7, "A demonstration is only for this machine"],
    [["--origin", "https://desk.example.com"], 7, "A demonstration is only for this machine"],
    [["--proxy", "127.0.0.1"], 7, "A demonstration is only for this machine"],
    [["--host", "192.0.2.1", "--no-sample"], 3, "does not have the address"],
    [["--host", "not an address"], 2, "is not an address to listen on"],
    [["--origin", "desk.example.com"], 2, "is not an origin"],
    [["--origin", "https://desk.example.com/path"], 2, "is not an origin"],
    [["--proxy", "everybody"], 2, "is not a proxy"],
    [["--proxy", "10.0.0.0/33"], 2, "is not a proxy"],
    [["--metrics", "here"], 2, "is not a port for metrics"],
    [["--drain", "soon"], 2, "is not a number of seconds"],
    [["--pooler", "--database", "postgresql://localhost/x"], 2, "--pooler needs --owner"],
    [["--owner", "postgresql://localhost/x"], 2, "--owner needs --database"],
  ])("%j ends with %i: %s", async (args, exit, says) => {
    const data = args.includes("--database") ? [] : ["--data", `${await scratch()}/data`];
    const ended = failed(
      await ninefold(["run", example("lending"), "--port", `${await freePort()}`, ...data, ...args]),
    );
    expect([ended.exit, ended.messages.join("\n")]).toEqual([exit, expect.stringContaining(says)]);
  });

  test("names a port for metrics that is in use", async () => {
    const port = await freePort();
    const first = await startProgram({ text: shelf, args: ["--metrics", `${port}`] });
    const data = `${await scratch()}/data`;
    const second = command([
      "run",
      first.file,
      "--data",
      data,
      "--port",
      `${await freePort()}`,
      "--metrics",
      `${port}`,
    ]);
    expect(failed(await second.ended)).toMatchObject({
      exit: 3,
      messages: [`Another program uses port ${port}.`, expect.stringContaining("--metrics")],
    });
  });
});

describe("the role of requests in a database given by address", () => {
  test("reads and writes rows and adds audit lines, and can’t change the audit, create tables or remove a rule", async () => {
    const store = await database();
    const program = await startProgram({ text: shelf, database: store.appUrl, args: ["--owner", store.url] });
    const token = /first=([\w-]{43})/.exec(program.output())?.[1];
    const admin = program.visitor();
    await admin.post("/_/first-administrator", { token, name: "Ada", email: "ada@example.com", password: PASSWORD });
    const { body } = await admin.get("/_/people");
    const [ada] = (body as { readonly items: readonly { readonly id: string }[] }).items;
    expect((await admin.post(`/_/people/${ada?.id}/grant`, { role: "keeper" })).status).toBe(204);
    expect((await admin.post("/api/books", { title: "Emma" })).status).toBe(201);
    const requests = connect({ connection: store.appUrl });
    const refused = (text: string) =>
      requests.query({ text, values: [] }).then(
        () => "done",
        (error: { readonly code?: string }) => error.code,
      );
    for (const text of [
      "create table app.mine (id integer)",
      "create table public.mine (id integer)",
      "create schema mine",
      "update ninefold.audit set clause = 'x'",
      "delete from ninefold.audit",
      "truncate ninefold.audit",
      "alter table ninefold.audit disable trigger append_only",
      "drop trigger append_only on ninefold.audit",
      "alter table app.book drop column title",
      "truncate app.book",
      "update ninefold.version set source = ''",
      "update ninefold.refusal set code = 'x'",
      "insert into ninefold.release values (9)",
      "create function app.f() returns int language sql as 'select 1'",
    ])
      expect([text, await refused(text)]).toEqual([text, "42501"]);
    expect(await refused("select count(*) from ninefold.audit")).toBe("done");
    await requests.end();
    await program.stop();
    await store.end();
  });
});

describe("traces", () => {
  test("send a span for each request under its incoming trace, without the contents of requests", async () => {
    const messages: string[] = [];
    const collector = createServer((request, response) => {
      request.setEncoding("utf8").on("data", (part: string) => messages.push(part));
      request.once("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
    });
    collector.listen(0, "127.0.0.1");
    await once(collector, "listening");
    const address = collector.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const program = await startProgram({
      text: shelf,
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`, OTEL_SERVICE_NAME: "shelf" },
    });
    const keeper = await program.signInAs("keeper");
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const { id } = (await keeper.post("/api/books", { title: "secret words" }, { traceparent })).record();
    await program.visitor().get(`/api/books/${id}?search=secret`);
    expect((await program.stop()).exit).toBe(0);
    collector.close();
    const all = messages.join("");
    recordOutput?.(all);
    for (const one of [
      "POST /api/books",
      "GET /api/books/:id",
      "0af7651916cd43dd8448eb211c80319c",
      "b7ad6b7169203331",
      "shelf",
    ])
      expect(all).toContain(one);
    expect(all).not.toMatch(/secret|session-/);
    expect(all).not.toContain(id);
  }, 60_000);

  test("do not delay requests if the collector does not respond", async () => {
    const program = await startProgram({
      text: shelf,
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`, OTEL_EXPORTER_OTLP_TIMEOUT: "500" },
    });
    const keeper = await program.signInAs("keeper");
    for (let i = 0; i < 5; i++) expect((await keeper.get("/api/books")).status).toBe(200);
    expect((await program.stop()).exit).toBe(0);
  }, 60_000);
});
