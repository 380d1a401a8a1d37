import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Writable } from "node:stream";
import { pino } from "pino";
import { expect, test } from "vitest";
import { makeMetrics } from "../../src/server/metrics.ts";
import { makeTraces } from "../../src/server/traces.ts";
import { type OpenApi, operationsOf } from "../app/openapi/described.ts";
import { example, serveText } from "../app/program.ts";
import { database } from "../postgres.ts";
import { type Asking, platformRequests, randomFrom, readRequests, writeRequests } from "./requests.ts";
import type { Row, Rows } from "./rows.ts";

/*
 * What all tests together leave behind is looked through when they have ended (test/kept.ts). Here it is done on purpose:
 * one secret of each kind is put where it belongs. Then somebody to whom none of them is told asks for everything, good and
 * bad, and each is looked for wherever it could have gone. That nothing is found of a word that is there is told apart from a
 * search that finds nothing by a word that must be found.
 */
const secrets = {
  password: "Canary-password-1a2b3c4d",
  field: "DE00CANARYFIELD00112233",
  row: "Canary row of somebody else",
  environment: "canary-environment-5e6f",
  signing: "canary-signing-key-7a8b",
  file: "Canary contents of a file",
  database: "canary-database-9c0d",
} as const;

test("secrets stay where they belong", { timeout: 300_000 }, async () => {
  let log = "";
  const stream = new Writable({
    write: (chunk, _, done) => {
      log += String(chunk);
      done();
    },
  });
  process.env.APP_LEDGER_SECRET = secrets.signing;
  process.env.APP_LEDGER_URL = `http://127.0.0.1:9/${secrets.environment}`;
  const metrics = makeMetrics();
  let told = "";
  const collector = createServer((request, response) => {
    request.setEncoding("utf8").on("data", (part: string) => {
      told += part;
    });
    request.once("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
  });
  collector.listen(0, "127.0.0.1");
  await once(collector, "listening");
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  const traces = await makeTraces("desk");
  const store = await database();
  const desk = await serveText(readFileSync(example("purchasing"), "utf8"), {
    sample: true,
    database: { ...store, appUrl: store.appUrl.replace("ninefold_app@", `ninefold_app:${secrets.database}@`) },
    app: { log: pino({ level: "trace" }, stream), metrics, ...(traces === undefined ? {} : { traces }) },
  });
  const { model } = desk.opened.service;
  const finance = await desk.person("Fina", ["finance"]);
  const staff = await desk.person("Stan");
  const other = await desk.person("Olga");
  const { email } = await desk.account("Petra", secrets.password);
  const visitor = desk.visitor();
  expect((await visitor.post("/_/session", { email, password: secrets.password })).status).toBe(204);
  const token = visitor.cookie().split("=")[1] ?? "";
  expect(token).toHaveLength(43);
  const supplier = (await finance.get("/api/suppliers?limit=1")).list().items[0];
  expect((await finance.patch(`/api/suppliers/${supplier?.id}`, { iban: secrets.field })).status).toBe(200);
  const department = (await finance.get("/api/departments?limit=1")).list().items[0]?.id;
  expect((await other.post("/api/requests", { department, purpose: secrets.row })).status).toBe(201);
  await other.send("POST", "/_/files?name=secret.txt", undefined, {
    raw: secrets.file,
    headers: { "content-type": "text/plain" },
  });

  const rows: Rows = new Map(
    await Promise.all(
      [...model.entities.values()].map(async ({ name, table }): Promise<readonly [string, Map<string, Row>]> => {
        const found = await desk.database.query(`select to_jsonb(t) as row from app."${table}" t`);
        return [name, new Map(found.rows.map(({ row }) => [String((row as Row).id), row as Row]))];
      }),
    ),
  );
  const random = randomFrom(1);
  const document = (await staff.get("/api/openapi.json")).body as OpenApi;
  const person = { id: staff.id, granted: new Set<string>() };
  const asking: Asking = {
    model,
    person,
    document,
    operations: operationsOf(document),
    rows: [rows, rows],
    random,
    text: "",
    base: "",
    kept: { view: [], notification: [], token: [], session: [] },
  };
  const platform = Object.values(platformRequests(asking)).flatMap((own) => random.some(own, 6));
  const all = [...random.some(readRequests(asking), 250), ...platform, ...random.some(writeRequests(asking, 2), 120)];
  let answers = "";
  for (const { method, path, body, headers } of all) {
    // What was sent comes back in no answer; what is looked for is what nobody sent.
    const sent = `${path}${JSON.stringify(body ?? "")}`;
    if (
      Object.values(secrets).some((secret) =>
        decodeURIComponent(sent.replaceAll("+", " ")).includes(secret.slice(0, 6)),
      )
    )
      continue;
    const who =
      path.startsWith("/_/account/sessions") || (path === "/_/session" && method === "DELETE") ? desk.visitor() : staff;
    const answer = await who.send(method, path, body, { headers: headers ?? {} });
    answers += `${JSON.stringify([...answer.headers])}\n${answer.text}\n`;
  }
  for (const raw of ["{", `{"iban":"${"x".repeat(2_000_000)}"}`, "null", '{"a":'])
    answers += (
      await staff.send("POST", "/api/requests", undefined, { raw, headers: { "content-type": "application/json" } })
    ).text;
  await visitor.post("/_/session", { email, password: `${secrets.password} and more` });
  // A fault that the database tells of with the whole row, and one in the middle of an export.
  await desk.database.query(
    "alter table app.supplier add constraint canary check (iban not like 'DE00CANARY%') not valid",
  );
  const fault = await finance.patch(`/api/suppliers/${supplier?.id}`, { name: "Other" });
  expect(fault.status).toBe(500);
  answers += fault.text;
  await desk.refusals.write();

  const found: Readonly<Record<string, string>> = { ...secrets, token };
  const toldOf = (text: string, names: readonly string[]): readonly string[] =>
    names.filter((name) => text.includes(found[name] ?? ""));
  const everything = Object.keys(found);
  const dumpOf = async (schema: string, but: readonly string[] = []): Promise<string> => {
    const { rows: tables } = await desk.database.query(
      "select table_name as name from information_schema.tables where table_schema = $1 and table_type = 'BASE TABLE'",
      [schema],
    );
    const parts = await Promise.all(
      tables
        .filter(({ name }) => !but.includes(String(name)))
        .map(async ({ name }) => {
          const { rows: found } = await desk.database.query(
            `select to_jsonb(t)::text as row from "${schema}"."${String(name)}" t`,
          );
          return found.map(({ row }) => String(row)).join("\n");
        }),
    );
    return parts.join("\n");
  };

  // Each search finds what is there.
  expect(answers).toContain("Stan");
  expect(log).toContain('"route":"/api/requests');
  const [own, platforms] = [await dumpOf("app"), await dumpOf("ninefold")];
  expect(toldOf(own, everything)).toEqual(["field", "row"]);

  expect(toldOf(answers, everything), "answers, exports, descriptions and pages").toEqual([]);
  expect(toldOf(log, everything), "the log").toEqual([]);
  expect(toldOf(await metrics.text(), everything), "figures").toEqual([]);
  // History keeps what was written; passwords, tokens and keys it never held.
  expect(
    toldOf(platforms, ["password", "token", "environment", "signing", "database"]),
    "the platform's tables",
  ).toEqual([]);
  const refusals = await desk.database.query("select to_jsonb(r)::text as row from ninefold.refusal r");
  expect(refusals.rows.length).toBeGreaterThan(10);
  expect(toldOf(refusals.rows.map(({ row }) => String(row)).join("\n"), everything), "the log of refusals").toEqual([]);

  // And when the database goes away beneath it.
  await desk.database.end();
  // Their session has ended on the way; who comes anew has to be looked up.
  const away = await staff.post("/_/session", { email: "somebody@example.com", password: "away horse battery" });
  expect(away.status).toBeGreaterThanOrEqual(500);
  await desk.app.close();
  await traces?.stop();
  collector.close();
  expect(told).toContain("GET /api/requests");
  expect(toldOf(told, everything), "traces").toEqual([]);
  expect(log).toContain('"err":');
  expect(toldOf(log + away.text, everything), "the log of faults").toEqual([]);
});
