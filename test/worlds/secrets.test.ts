import { once } from "node:events";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Writable } from "node:stream";
import { gunzipSync } from "node:zlib";
import { pino } from "pino";
import { afterEach, expect, test, vi } from "vitest";
import type { TokenMadeJson } from "../../src/core/wire/accounts/account.ts";
import type { LinkJson } from "../../src/core/wire/accounts/people.ts";
import { writeBackup } from "../../src/postgres/backup/backup.ts";
import { createMetrics } from "../../src/server/telemetry/metrics.ts";
import { createTraces } from "../../src/server/telemetry/tracing.ts";
import { type OpenApi, operationsOf } from "../app/openapi/described.ts";
import { type Answer, type ApiClient, example, scratch, serveText } from "../app/program.ts";
import { textOf } from "../docs/pages.ts";
import { database } from "../postgres.ts";
import type { WorldRequest } from "./pair.ts";
import { platformRequests, type RequestSource, randomFrom, readRequests, writeRequests } from "./requests.ts";
import type { Row, Rows } from "./rows.ts";

/*
 * The data that all tests leave behind is searched for secrets at the end (test/secret-recorder.ts). This test does so on purpose:
 * one secret of each class is stored in its place, and a person without access sends all requests, valid and invalid.
 * Then each secret is searched for in every place that people read. The table in docs/refusals.md lists the permitted
 * places, and must match the findings: a secret in another place fails the test, and so does one missing from its
 * place.
 */

type Class =
  | "password"
  | "session"
  | "token"
  | "link"
  | "hidden field"
  | "another’s record"
  | "file"
  | "environment"
  | "signing key"
  | "database";

/** Generated secrets are known once they were returned. */
const secrets = new Map<Class, string>([
  ["password", "Canary-password-1a2b3c4d"],
  ["hidden field", "DE00CANARYFIELD00112233"],
  ["another’s record", "Canary row of somebody else"],
  ["file", "Canary contents of a file"],
  ["environment", "canary-environment-5e6f"],
  ["signing key", "canary-signing-key-7a8b"],
  ["database", "canary-database-9c0d"],
]);
const secret = (of: Class): string => secrets.get(of) ?? "";

/** In plain form, and in the form of file contents in a dump. */
const foundIn = (text: string): ReadonlySet<string> =>
  new Set(
    [...secrets].flatMap(([of, value]) =>
      text.includes(value) || text.includes(Buffer.from(value).toString("hex")) ? [of] : [],
    ),
  );

/** The table of the page: the classes of secrets in each place. */
const expected = (): ReadonlyMap<string, ReadonlySet<string>> => {
  const [, table = ""] = /<!-- table: secrets -->\n([\s\S]*?)<!-- end -->/u.exec(textOf("docs/refusals.md")) ?? [];
  const [head = [], , ...rows] = table
    .trim()
    .split("\n")
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  expect(head.slice(1)).toEqual(expect.arrayContaining([...secrets.keys()]));
  return new Map(
    rows.map(([place = "", ...cells]) => [
      place,
      new Set(cells.flatMap((cell, i) => (cell === "yes" ? [head[i + 1] ?? ""] : []))),
    ]),
  );
};

/** The document with tokens for programs. */
const document = readFileSync(example("purchasing"), "utf8").replace(
  "conventional: all\n",
  "conventional: all\ntoken: { by: [finance] }\n",
);

afterEach(() => vi.unstubAllEnvs());

test("each secret is where the page says, and nowhere else", { timeout: 300_000 }, async () => {
  const places = new Map<string, string>();
  const keep = (place: string, text: string) => places.set(place, `${places.get(place) ?? ""}${text}\n`);

  vi.stubEnv("APP_LEDGER_SECRET", secret("signing key"));
  vi.stubEnv("APP_LEDGER_URL", `http://127.0.0.1:9/${secret("environment")}`);
  const metrics = await createMetrics();
  const collector = createServer((request, response) => {
    request.setEncoding("utf8").on("data", (part: string) => keep("traces", part));
    request.once("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
  });
  collector.listen(0, "127.0.0.1");
  await once(collector, "listening");
  vi.stubEnv("OTEL_EXPORTER_OTLP_ENDPOINT", `http://127.0.0.1:${(collector.address() as AddressInfo).port}`);
  const traces = await createTraces("desk");
  const store = await database();
  const stream = new Writable({
    write: (chunk, _, done) => {
      keep("the log", String(chunk));
      done();
    },
  });
  const desk = await serveText(document, {
    sample: true,
    database: { ...store, appUrl: store.appUrl.replace("ninefold_app@", `ninefold_app:${secret("database")}@`) },
    app: { log: pino({ level: "trace" }, stream), metrics, ...(traces === undefined ? {} : { traces }) },
  });

  // Stores each secret in its place, by its owner.
  const told = "answers to whom it is for";
  const heard = async (answer: Promise<Answer>, status: number): Promise<Answer> => {
    const { text, headers, ...rest } = await answer;
    expect(rest.status).toBe(status);
    keep(told, `${JSON.stringify([...headers])}\n${text}`);
    return { text, headers, ...rest };
  };
  const [finance, staff, other, manager] = [
    await desk.person("Fina", ["finance"]),
    await desk.person("Stan"),
    await desk.person("Olga"),
    await desk.person("Adam", ["administrator"]),
  ];
  const { id: petra, email } = await desk.account("Petra", secret("password"));
  const visitor = desk.visitor();
  await heard(visitor.post("/_/session", { email, password: secret("password") }), 204);
  secrets.set("session", visitor.cookie().split("=")[1] ?? "");
  const settings = { name: "Printer", days: 30, roles: ["finance"], reads: true };
  const created = (await heard(finance.post("/_/account/tokens", settings), 201)).body as TokenMadeJson;
  secrets.set("token", created.token);
  const { link } = (await heard(manager.post(`/_/people/${petra}/password_link`, {}), 201)).body as LinkJson;
  secrets.set("link", link.split("=").at(-1) ?? "");
  const supplier = (await finance.get("/api/suppliers?limit=1")).list().items[0]?.id;
  await heard(finance.patch(`/api/suppliers/${supplier}`, { iban: secret("hidden field") }), 200);
  const department = (await finance.get("/api/departments?limit=1")).list().items[0]?.id;
  const request = { department, purpose: secret("another’s record"), category: "office" };
  await heard(other.post("/api/requests", request), 201);
  const plain = { "content-type": "text/plain" };
  const sent = await other.send("POST", "/_/files?name=secret.txt", undefined, { raw: secret("file"), headers: plain });
  await heard(other.get(`/_/files/${(sent.body as { readonly id: string }).id}`), 200);
  for (const [of, value] of secrets) expect(value.length, of).toBeGreaterThan(15);

  // A person without access sends all requests.
  for (const { asked, answer } of await allAsked(desk, staff))
    keep(placeOf(asked, answer), `${headOf(answer)}\n${answer.text}`);
  for (const raw of ["{", `{"iban":"${"x".repeat(2_000_000)}"}`, "null", '{"a":'])
    keep(
      "errors",
      (await staff.send("POST", "/api/requests", undefined, { raw, headers: { "content-type": "application/json" } }))
        .text,
    );
  keep("errors", (await visitor.post("/_/session", { email, password: `${secret("password")} and more` })).text);
  // A fault whose database error contains the whole row.
  await desk.database.query(
    "alter table app.supplier add constraint canary check (iban not like 'DE00CANARY%') not valid",
  );
  const fault = await finance.patch(`/api/suppliers/${supplier}`, { name: "Other" });
  expect(fault.status).toBe(500);
  keep("errors", fault.text);

  keep("figures", await metrics.text());
  await desk.refusals.write();
  for (const { schema, name, rows } of await tablesOf(desk)) {
    const place =
      schema === "app"
        ? "tables of records"
        : name.startsWith("audit")
          ? "history"
          : name === "refusal"
            ? "the log of refusals"
            : "the platform’s other tables";
    keep(place, rows);
  }
  const file = join(await scratch(), "desk.backup");
  await writeBackup(desk.database.url, file, { demonstration: false });
  const bytes = await readFile(file);
  keep("a backup", gunzipSync(bytes.subarray(bytes.indexOf("\n") + 1)).toString("latin1"));

  // And a fault when the database disappears.
  await desk.database.end();
  const away = await staff.post("/_/session", { email: "somebody@example.com", password: "away horse battery" });
  expect(away.status).toBeGreaterThanOrEqual(500);
  keep("errors", away.text);
  await desk.app.close();
  await traces?.stop();
  collector.close();

  // Each place contains something that belongs there, which shows that it was searched.
  const marks: Readonly<Record<string, string>> = {
    [told]: "set-cookie",
    answers: '"name":"Stan"',
    exports: "\uFEFF",
    "the description": '"openapi":"3.1',
    "page sources": "data-given",
    errors: '"code":"FAULT"',
    "the log": '"err":',
    traces: "GET /api/requests",
    figures: "ninefold_http_request_duration_seconds",
    "the log of refusals": '"code": "FORBIDDEN"',
    history: '"action": "make_token"',
    "tables of records": supplier ?? "",
    "the platform’s other tables": "token_hash",
    "a backup": supplier ?? "",
  };
  const page = expected();
  expect([...places.keys()].sort()).toEqual([...page.keys()].sort());
  for (const [place, text] of places) {
    expect(text.includes(marks[place] ?? "nothing is known of it"), `something of ${place}`).toBe(true);
    expect([...foundIn(text)].sort(), place).toEqual([...(page.get(place) ?? [])].sort());
  }
});

const headOf = ({ headers }: Answer): string => JSON.stringify([...headers]);

/** The place in which a response counts. */
const placeOf = ({ path }: WorldRequest, { status, headers }: Answer): string => {
  if (status >= 400) return "errors";
  if (path.startsWith("/_/export")) return "exports";
  if (path === "/api/openapi.json") return "the description";
  return headers.get("content-type")?.startsWith("text/html") === true ? "page sources" : "answers";
};

/** All requests of a person for stored data, except those that contain a secret themselves. */
const allAsked = async (
  desk: Awaited<ReturnType<typeof serveText>>,
  who: ApiClient & { readonly id: string },
): Promise<readonly { readonly asked: WorldRequest; readonly answer: Answer }[]> => {
  const { model } = desk.opened.service;
  const rows: Rows = new Map(
    await Promise.all(
      [...model.entities.values()].map(async ({ name, table }): Promise<readonly [string, Map<string, Row>]> => {
        const found = await desk.database.query(`select to_jsonb(t) as row from app."${table}" t`);
        return [name, new Map(found.rows.map(({ row }) => [String((row as Row).id), row as Row]))];
      }),
    ),
  );
  const random = randomFrom(1);
  const description = (await who.get("/api/openapi.json")).body as OpenApi;
  const asking: RequestSource = {
    model,
    person: { id: who.id, granted: new Set<string>() },
    document: description,
    operations: operationsOf(description),
    rows: [rows, rows],
    random,
    text: "",
    base: "",
    proposed: null,
    kept: { view: [], notification: [], token: [], session: [] },
  };
  const platform = Object.values(platformRequests(asking)).flatMap((own) => random.some(own, 6));
  const all = [...random.some(readRequests(asking), 250), ...platform, ...random.some(writeRequests(asking, 2), 120)];
  const answers: { readonly asked: WorldRequest; readonly answer: Answer }[] = [];
  for (const asked of all) {
    const { method, path, body, headers = {} } = asked;
    // A response can repeat the request, so the search is for values that were not sent.
    const text = decodeURIComponent(`${path}${JSON.stringify(body ?? "")}`.replaceAll("+", " "));
    if ([...secrets.values()].some((one) => text.includes(one.slice(0, 6)))) continue;
    const ends = path.startsWith("/_/account/sessions") || (path === "/_/session" && method === "DELETE");
    answers.push({ asked, answer: await (ends ? desk.visitor() : who).send(method, path, body, { headers }) });
  }
  return answers;
};

/** Each table with its rows as JSON. */
const tablesOf = async ({ database: store }: Awaited<ReturnType<typeof serveText>>) => {
  const { rows: tables } = await store.query(
    `select table_schema as schema, table_name as name from information_schema.tables
     where table_schema in ('app', 'ninefold') and table_type = 'BASE TABLE'`,
  );
  return Promise.all(
    tables.map(async ({ schema, name }) => {
      const found = await store.query(`select to_jsonb(t)::text as row from "${String(schema)}"."${String(name)}" t`);
      return { schema: String(schema), name: String(name), rows: found.rows.map(({ row }) => String(row)).join("\n") };
    }),
  );
};
