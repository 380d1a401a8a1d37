import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import pg from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { mentionsNotShown } from "../../../src/core/document/prose.ts";
import { defaults } from "../../../src/core/model/defaults.ts";
import { placesIn } from "../../../src/core/source-text.ts";
import type { Application } from "../../../src/core/wire/application.ts";
import type { OpenPointsJson } from "../../../src/core/wire/authoring/open-points.ts";
import { findRunning } from "../../../src/postgres/embedded/index.ts";
import { type ApiClient, compiled, example, type Program, serveText, startProgram } from "../program.ts";

interface Golden {
  readonly open: readonly {
    readonly line: number;
    readonly point: number;
    readonly statement: string;
    readonly default: string;
  }[];
  /** Similar sentences that are not such statements. */
  readonly notStatements: readonly string[];
  readonly defaults: readonly string[];
}
const golden = JSON.parse(readFileSync(new URL("../../specs/founding.open.json", import.meta.url), "utf8")) as Golden;

const bytes = readFileSync(example("founding"));
const text = bytes.toString("utf8");
const founding = compiled(text, "founding.md");
const { model, open, findings } = founding;

describe("the founding document", () => {
  test("is stored byte for byte", () => {
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(
      "4461dbcce34aea7a198944cab07c4b0765dfb6139976efa5af1988e06da622a2",
    );
  });

  test("is a valid specification without findings", () => {
    expect(findings).toEqual([]);
  });

  test("leaves 28 points open, each with its line, its words and the default that applies", () => {
    const at = placesIn(founding.source);
    expect(
      open.map(({ span, point, statement, default: code }) => ({
        line: at(span).line,
        point,
        statement,
        default: code,
      })),
    ).toEqual(golden.open);
    expect(golden.open).toHaveLength(28);
    expect(golden.open.filter(({ point }) => point === 0)).toHaveLength(2);
  });

  test("each statement is in the document at its position, word for word", () => {
    for (const { span, statement } of open) expect(text.slice(span.start, span.end)).toBe(statement);
  });

  test("every statement of the list says that something is not shown", () => {
    for (const { statement } of golden.open) expect(statement).toSatisfy(mentionsNotShown);
  });

  test.each(golden.notStatements)("“%s” decides something, and is not an open point", (sentence) => {
    expect(mentionsNotShown(sentence)).toBe(false);
  });

  test("every default is in force except those about clauses that this document does not have", () => {
    expect(model.defaults).toEqual(golden.defaults);
    expect(Object.keys(defaults).filter((code) => !golden.defaults.includes(code))).toEqual([
      "RECORD_AND_FORMS_OF_LISTS",
      "FIRST_COLUMNS",
      "NEWEST_FIRST",
      "LABEL_FIRST_TEXT",
      "FIELD_WITHOUT_COLUMN",
      "FIRST_STATE_BEGINS",
      "COLOURS_BY_ORDER",
      "NOTIFICATIONS_AT_ONCE",
      "TRANSITION_BY_ADMINISTRATORS",
      "ACTION_BY_NOBODY",
      "ROLE_GRANTED",
      "STATUS_422",
    ]);
  });
});

describe("run, it is an application that does nothing by itself", () => {
  let program: Program;
  let administrator: ApiClient;
  let visitor: ApiClient;
  beforeAll(async () => {
    program = await startProgram({ file: example("founding") });
    administrator = await program.signInAs("administrator");
    visitor = program.visitor();
  });
  const application = async (who: ApiClient) => (await who.get("/_/application")).body as Application;

  test("the program says how many statements are open", () => {
    expect(program.output()).toContain("28 open points");
  });

  test("PURPOSE_UNKNOWN: it has the document’s title, and says nothing about itself", async () => {
    expect(await application(visitor)).toMatchObject({
      name: "Specification: web application whose own behaviour is not shown",
      sentence: null,
      accent: null,
      version: 1,
      person: null,
    });
  });

  test("SCREENS_OF_ENTITIES, NO_ENTITIES: nobody has a screen or an entity, not even the administrator", async () => {
    for (const who of [visitor, administrator])
      expect(await application(who)).toMatchObject({ screens: [], entities: {} });
    expect(model.screens).toEqual([]);
    expect([...model.entities.values()].map(({ name, served }) => ({ name, served }))).toEqual([
      { name: "User", served: false },
    ]);
  });

  test("NO_FIELDS: a person has a name, an email address, a picture that nobody can set, and the fields of every record; nothing else can be stored", async () => {
    expect([...(model.entities.get("User")?.fields.keys() ?? [])]).toEqual(["name", "email", "avatar"]);
    const running = await findRunning(program.data);
    const client = new pg.Client({ ...running?.owner });
    await client.connect();
    const { rows } = await client
      .query<{ table: string; column: string }>(
        `select table_name as table, column_name as column from information_schema.columns where table_schema = 'app' order by ordinal_position`,
      )
      .finally(() => client.end());
    expect(new Set(rows.map(({ table }) => table))).toEqual(new Set(["user"]));
    expect(rows.map(({ column }) => column)).toEqual([
      ...["id", "version", "created_at", "updated_at", "roles", "active"],
      ...["name", "email", "avatar"],
    ]);
  });

  test("NO_STATES, NO_TRANSITIONS, TYPES_ALONE: there is no state, no transition and no rule", () => {
    for (const entity of model.entities.values()) expect(entity).toMatchObject({ states: null, rules: [] });
  });

  const likely = ["users", "user", "people", "records", "items", "requests", "loans", "products", "sessions", "me"];
  test.each(likely)("CONVENTIONAL_CALLS: without entities there is no call /api/%s", async (name) => {
    for (const path of [`/api/${name}`, `/api/${name}/01a1f40a-58ca-7a05-9984-7eae99dc592e`])
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"])
        for (const who of [visitor, administrator]) {
          const answer = await who.send(method, path, method === "GET" ? undefined : { name: "x" });
          expect(answer).toMatchObject({ status: 404, body: { code: "NO_SUCH_CALL" } });
        }
  });

  test("ROUTES_OF_ENTITIES: an address without a call is the “not found” page, never data", async () => {
    for (const path of ["/", "/users", "/workbench", "/sign-in"]) {
      const answer = await visitor.get(path);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8");
    }
  });

  test("ADMINISTRATORS_ONLY, NO_ROLES: there is no role but administrator", async () => {
    expect([...model.roles.keys()]).toEqual([]);
    expect((await application(administrator)).person).toMatchObject({ roles: ["administrator"], administrator: true });
  });

  test("NO_ROLES: there is one administrator, and nobody else", async () => {
    expect((await application(visitor)).signIn.demonstration).toEqual([
      {
        name: "Amara Okafor",
        roles: ["administrator"],
        titles: ["Administrator"],
        does: [],
        token: expect.any(String),
      },
    ]);
  });

  test("PASSWORD_ALONE: people sign in with email address and password, and no provider is offered or served", async () => {
    expect((await application(visitor)).signIn).toMatchObject({ password: true, providers: [] });
    for (const path of ["/_/providers/google", "/_/oauth", "/api/auth/google", "/_/session/google"])
      for (const method of ["GET", "POST"])
        expect(await visitor.send(method, path)).toMatchObject({ status: 404, body: { code: "NO_SUCH_CALL" } });
  });

  test("SIGN_UP_CLOSED: nobody can register; the page says why, and there is no call for it", async () => {
    expect((await application(visitor)).signIn.signUp).toEqual({
      open: false,
      clause: "SIGN_UP_CLOSED",
      because: "No one can register. An administrator creates accounts.",
      emails: null,
      fields: null,
    });
    const person = { name: "Eve", email: "eve@example.com", password: "a good long password" };
    for (const path of ["/_/sign-up", "/_/register", "/api/sign-up", "/api/register", "/sign-up", "/register"])
      expect(await visitor.post(path, person)).toMatchObject({ status: 404, body: { code: "NO_SUCH_CALL" } });
    expect(await visitor.post("/_/first-administrator", { token: "guessed", ...person })).toMatchObject({
      status: 403,
      body: { code: "LINK_USED" },
    });
    expect(await visitor.post("/_/session", person)).toMatchObject({ status: 401, body: { code: "BAD_CREDENTIALS" } });
  });

  test("AUDIENCE_INVITED: a person who is not invited gets no session", async () => {
    expect(visitor.cookie()).toBe("");
    expect(await visitor.post("/_/session", { demonstration: "guessed" })).toMatchObject({ status: 401 });
    expect(visitor.cookie()).toBe("");
  });

  test("BUILT_IN_ERRORS: the catalogue is the built-in one", () => {
    for (const entry of model.errors.values()) expect(entry.clause).toBe(null);
  });

  test("BUILT_IN_LIMITS: 50 records to a page, 12 hours to a session, 10 attempts to sign in", () => {
    expect(model.limits).toMatchObject({ pageSize: 50, pageSizeMax: 200, sessionHours: 12, signInAttempts: 10 });
  });

  test("only administrators get the open points, all 28 with the defaults in force", async () => {
    expect(await visitor.get("/_/open-points")).toMatchObject({ status: 401, body: { code: "NOT_SIGNED_IN" } });
    const answer = await administrator.get("/_/open-points");
    const body = answer.body as OpenPointsJson;
    expect(answer.status).toBe(200);
    expect(body.document).toMatchObject({ file: "founding.md", version: 1, hash: expect.stringMatching(/^4461dbcc/) });
    expect(
      body.open.map(({ line, point, statement, default: row }) => ({ line, point, statement, default: row.code })),
    ).toEqual(golden.open);
    for (const { default: row } of body.open) expect(row.inForce).toMatch(/\.$/u);
    expect(body.defaults.map(({ code }) => code)).toEqual(golden.defaults);
    expect(body.findings).toEqual([]);
  });
});

test("a signed-in person who is not an administrator does not get the open points", async () => {
  const served = await serveText(text);
  const ada = await served.person("Ada");
  expect(await ada.get("/_/open-points")).toMatchObject({
    status: 403,
    body: { code: "FORBIDDEN", clause: "ADMINISTRATORS_ONLY" },
  });
});
