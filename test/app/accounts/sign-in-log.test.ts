import { beforeAll, describe, expect, test } from "vitest";
import type { OwnAccountJson } from "../../../src/core/wire/accounts/account.ts";
import type { LinkJson } from "../../../src/core/wire/accounts/people.ts";
import type { SignInsJson } from "../../../src/core/wire/accounts/sign-ins.ts";
import { trimSignIns } from "../../../src/server/auth/sign-in-log.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

const desk = `
# Desk

## 3. Entities and their fields
\`\`\`yaml
Note: { fields: { text: text } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { Note: { read: [member] } }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
calls:
  POST /enter: { sign in: true, takes: { email, password } }
\`\`\`

## 9. Business constants and limits
\`\`\`yaml
sign_in_attempts: 3
\`\`\`
`;

const PASSWORD = "correct horse battery";

let served: TestServer;
let root: ApiClient & { readonly id: string };
let ada: { readonly id: string; readonly email: string };
beforeAll(async () => {
  served = await serveText(desk);
  root = await served.person("Root", ["administrator"]);
  ada = await served.account("Ada Lovelace", PASSWORD);
});

const lines = async (query = "") => ((await root.get(`/_/sign-ins?${query}`)).body as SignInsJson).items;
const told = async (query = "") =>
  (await lines(query)).map(({ person, account, way, refused }) => [person?.label ?? null, account, way, refused]);
const enter = (email: unknown, password: unknown, visitor = served.visitor(), headers = {}) =>
  visitor.post("/_/session", { email, password }, headers);

describe("the sign-in log", () => {
  test("lists sign-ins and refusals with reason and network address, newest first", async () => {
    const visitor = served.visitor();
    await enter(` ${ada.email.toUpperCase()} `, "wrong", visitor, { "user-agent": "A browser" });
    await enter("stranger@example.com", PASSWORD);
    await enter(ada.email, PASSWORD, visitor);
    await visitor.post("/_/account/password", { current: "wrong", password: "the second password" });
    await served.visitor().post("/api/enter", { email: ada.email, password: "wrong" });
    const { link } = (await root.post(`/_/people/${ada.id}/password_link`)).body as LinkJson;
    const token = /password=(.+)$/u.exec(link)?.[1];
    await served.visitor().post("/_/password", { token, password: "the second password" });
    await served.visitor().post("/_/password", { token, password: "the second password" });
    expect(await told()).toEqual([
      [null, "", "link", "LINK_USED"],
      ["Ada Lovelace", ada.email, "link", null],
      ["Ada Lovelace", ada.email, "password", "BAD_CREDENTIALS"],
      ["Ada Lovelace", ada.email, "confirmation", "WRONG_PASSWORD"],
      ["Ada Lovelace", ada.email, "password", null],
      [null, "stranger@example.com", "password", "BAD_CREDENTIALS"],
      ["Ada Lovelace", ada.email, "password", "BAD_CREDENTIALS"],
    ]);
    expect((await lines()).at(-1)).toMatchObject({ address: "127.0.0.1", agent: "A browser" });
    await served.database.query("delete from ninefold.attempt");
  });

  test("lists attempts that had to wait", async () => {
    for (let nth = 0; nth < 5; nth++) await enter("waits@example.com", "wrong");
    expect((await told("search=waits")).map(([, , , refused]) => refused)).toContain("TOO_MANY_ATTEMPTS");
    await served.database.query("delete from ninefold.attempt");
  });

  test("stores no password, not even one that was typed as an email address", async () => {
    await enter("my secret password", "");
    await enter("hunter2hunter2", "x");
    await enter({ a: 1 }, []);
    const { rows } = await served.database.query("select string_agg(s::text, ' ') as all from ninefold.sign_in s");
    expect(String(rows[0]?.all)).not.toMatch(/secret|hunter2|second password|correct horse/u);
    await served.database.query("delete from ninefold.attempt");
  });

  test("can be searched by name, account and address, and filtered by refusals, page by page", async () => {
    expect((await told("search=lovelace")).every(([name]) => name === "Ada Lovelace")).toBe(true);
    expect((await told("search=STRANGER@")).length).toBe(1);
    expect((await told("search=127.0.0.1")).length).toBe((await told()).length);
    expect(await told("search=nobody%25")).toEqual([]);
    expect((await lines("failed=true")).every(({ refused }) => refused !== null)).toBe(true);
    await served.database.query(
      `insert into ninefold.sign_in (at, account, way, address, agent) select now(), 'many@example.com', 'password', '::1', '' from generate_series(1, 120)`,
    );
    const pages: number[] = [];
    let after: string | null = "";
    while (after !== null) {
      const page: SignInsJson = (await root.get(`/_/sign-ins?search=many&after=${after}`)).body as SignInsJson;
      pages.push(page.items.length);
      after = page.next;
    }
    expect(pages).toEqual([50, 50, 20]);
    expect((await root.get("/_/sign-ins?after=x")).problem().code).toBe("BAD_CURSOR");
  });

  test("is for administrators; other people see only their own newest lines", async () => {
    const { email } = await served.account("Ben", PASSWORD);
    const ben = served.visitor();
    await enter(email, "wrong");
    await enter(email, PASSWORD, ben);
    await served.signIns.write();
    expect((await ben.get("/_/sign-ins")).problem().code).toBe("FORBIDDEN");
    expect((await served.visitor().get("/_/sign-ins")).problem().code).toBe("NOT_SIGNED_IN");
    const { recent } = (await ben.get("/_/account")).body as OwnAccountJson;
    expect(recent.map(({ way, refused }) => [way, refused])).toEqual([
      ["password", null],
      ["password", "BAD_CREDENTIALS"],
    ]);
  });

  test("has a maximum length, and lines expire after ninety days", async () => {
    const database = served.opened.service.database;
    await served.database.query("delete from ninefold.sign_in");
    await served.database.query(
      `insert into ninefold.sign_in (id, at, account, way, refused, address, agent) overriding system value
       values (-999998, now(), 'old', 'password', null, '', ''), (-199998, now(), 'failed', 'password', 'X', '', ''),
              (-199999, now(), 'in', 'password', null, '', ''), (1, now() - interval '91 days', 'late', 'password', null, '', ''),
              (2, now(), 'new', 'password', 'X', '', '')`,
    );
    await trimSignIns(database);
    const { rows } = await served.database.query("select account from ninefold.sign_in order by id");
    expect(rows.map(({ account }) => account)).toEqual(["in", "new"]);
  });
});
