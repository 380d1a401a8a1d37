import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Query, Row } from "../../../src/postgres/database.ts";
import { type Answer, type ApiClient, serveText, type TestServer } from "../program.ts";

/*
 * Events while a write waits for its row: another transaction changes the row, or the writer's session ends. The write
 * is then checked against the new data.
 */

const document = `
## 3. Entities
\`\`\`yaml
Task:
  label: "{title}"
  fields: { title: text, owner: User, shut: boolean, note: text? }
\`\`\`
## 4. States
\`\`\`yaml
Task:
  field: status
  states: [open, done]
  transitions:
    finish: { from: open, to: done, by: staff, when: "!shut" }
    reopen: { from: done, to: open, by: boss }
\`\`\`
## 6. Roles and permissions
\`\`\`yaml
roles:
  staff: { members: signed in }
  boss: { members: granted }
  Task: { owner: "owner == user" }
permissions:
  User: { read: staff }
  Task:
    read: [owner, boss, { role: staff, when: "shut" }]
    create: [staff]
    update: [{ role: owner, when: "!shut" }, boss]
    delete: [{ role: owner, when: "!shut" }]
\`\`\`
`;

/** Called with the results of each message, before the caller receives them. */
let between: ((queries: readonly Query[], rows: readonly (readonly Row[])[]) => Promise<void>) | undefined;
let desk: TestServer;
let ada: ApiClient & { readonly id: string };
let bea: ApiClient & { readonly id: string };

beforeAll(async () => {
  desk = await serveText(document, {
    service: (service) => ({
      ...service,
      database: {
        ...service.database,
        batch: async (queries) => {
          const rows = await service.database.batch(queries);
          await between?.(queries, rows);
          return rows;
        },
      },
    }),
  });
  ada = await desk.person("Ada");
  bea = await desk.person("Bea", ["boss"]);
});
afterEach(() => {
  between = undefined;
});

const query = (text: string, values: readonly unknown[] = []) => desk.database.query(text, values);

const task = async (who: ApiClient & { readonly id: string } = ada): Promise<string> =>
  (await bea.post("/api/tasks", { title: "A task", owner: who.id, shut: false })).record().id;

/** The stored record, and the actions of its history with their authors. */
const stored = async (id: string) => {
  const { rows } = await query("select title, status, note, version from app.task where id = $1", [id]);
  const { rows: lines } = await query("select action from ninefold.audit where record = $1 order by id", [id]);
  return { row: rows[0], lines: lines.map(({ action }) => action) };
};

const PATIENCE = 80_000;

interface Held<T> {
  /** A held operation, recreated for each retry. */
  readonly fresh: () => Promise<T>;
  readonly write: (of: T) => Promise<Answer>;
  /** Within the transaction that holds the row, or outside it. */
  readonly meanwhile: (of: T, holder: (text: string) => Promise<unknown>) => Promise<unknown>;
}

/** Holds a record's row like another transaction until a write waits for it, changes it, and releases it. */
const heldOnce = async <T extends { readonly id: string }>({ fresh, write, meanwhile }: Held<T>) => {
  const of = await fresh();
  const holder = new pg.Client(desk.database.url);
  await holder.connect();
  try {
    await holder.query("begin");
    await holder.query("select from app.task where id = $1 for update", [of.id]);
    const { rows } = await holder.query("select pg_backend_pid() as pid");
    const answer = write(of);
    for (const end = Date.now() + PATIENCE; ; await sleep(10)) {
      const { rows: waiting } = await query(
        "select pid from pg_stat_activity where $1::int = any(pg_blocking_pids(pid)) and datname = current_database()",
        [rows[0]?.pid],
      );
      if (waiting.length > 0) break;
      if (Date.now() > end) throw new Error("nobody waits for the row");
    }
    await meanwhile(of, (text) => holder.query(text, [of.id]));
    await holder.query("commit");
    return { of, answer: await answer };
  } finally {
    await holder.end();
  }
};

/** No write waits for a row longer than five seconds: if the machine was too busy, the attempt is repeated. */
const held = async <T extends { readonly id: string }>(what: Held<T>) => {
  for (let tried = 1; ; tried++) {
    const came = await heldOnce(what);
    if (came.answer.status !== 503 || tried === 5) return came;
  }
};

const writes = {
  update: ({ id }: { id: string }) => ada.patch(`/api/tasks/${id}`, { title: "Another" }),
  finish: ({ id }: { id: string }) => ada.post(`/api/tasks/${id}/finish`),
  delete: ({ id }: { id: string }) => ada.delete(`/api/tasks/${id}`),
};
const hers = async () => ({ id: await task() });
const saying =
  (sql: string): Held<unknown>["meanwhile"] =>
  (_, holder) =>
    holder(sql);

describe("a write that waits for a row, while somebody", () => {
  test.each([
    ["changes nothing", "update", "update app.task set note = note where id = $1", 200],
    ["changes another field", "update", "update app.task set note = 'x', version = version + 1 where id = $1", 200],
    ["changes nothing", "finish", "update app.task set note = note where id = $1", 200],
    ["changes nothing", "delete", "update app.task set note = note where id = $1", 204],
  ] as const)("%s, succeeds: %s", async (_, what, sql, status) => {
    const { of, answer } = await held({ fresh: hers, write: writes[what], meanwhile: saying(sql) });
    expect(answer.status).toBe(status);
    const { row, lines } = await stored(of.id);
    expect(lines).toEqual(["create", what]);
    if (sql.includes("'x'")) expect(row).toEqual({ title: "Another", status: "open", note: "x", version: 3 });
  });

  const toBea = `update app.task set owner = (select id from app."user" where name = 'Bea') where id = $1`;
  test.each([
    ["changes its state", "finish", "update app.task set status = 'done' where id = $1", 409, "WRONG_STATE"],
    ["changes what its guard reads", "finish", "update app.task set shut = true where id = $1", 409, "GUARD"],
    ["shuts it", "update", "update app.task set shut = true where id = $1", 403, "FORBIDDEN"],
    ["shuts it", "delete", "update app.task set shut = true where id = $1", 403, "FORBIDDEN"],
    ...(["update", "finish", "delete"] as const).flatMap((what) => [
      ["gives it to another", what, toBea, 404, "NOT_FOUND"] as const,
      ["deletes it", what, "delete from app.task where id = $1", 404, "NOT_FOUND"] as const,
    ]),
  ] as const)("%s, is refused as if it had come later: %s", async (_, what, sql, status, code) => {
    const { of, answer } = await held({ fresh: hers, write: writes[what], meanwhile: saying(sql) });
    expect([answer.status, answer.problem().code]).toEqual([status, code]);
    expect((await stored(of.id)).lines).toEqual(["create"]);
  });

  test("raises its version, is refused and overwrites nothing", async () => {
    const { of, answer } = await held({
      fresh: hers,
      write: ({ id }) => ada.patch(`/api/tasks/${id}`, { title: "Another" }, { "if-match": '"1"' }),
      meanwhile: saying("update app.task set title = 'Theirs', version = version + 1 where id = $1"),
    });
    expect([answer.status, answer.problem().code]).toEqual([412, "CHANGED_MEANWHILE"]);
    expect((await stored(of.id)).row).toMatchObject({ title: "Theirs", version: 2 });
  });

  test("changes it to the same values, is not repeated, and responds with the record", async () => {
    const { of, answer } = await held({
      fresh: hers,
      write: writes.update,
      meanwhile: saying("update app.task set title = 'Another', version = version + 1 where id = $1"),
    });
    expect([answer.status, answer.record().version]).toEqual([200, 2]);
    expect((await stored(of.id)).lines).toEqual(["create"]);
  });
});

/** The ways in which a session or a role ends, with the responses to a boss and to a member of the staff. */
const leaving = {
  "is signed out": { by: "delete from ninefold.session where person = $1", boss: 401, staff: 401 },
  "is deactivated": { by: `update app."user" set active = false where id = $1`, boss: 401, staff: 401 },
  "holds the role no more": { by: `update app."user" set roles = '{}' where id = $1`, boss: 403, staff: 200 },
};
const ways = Object.keys(leaving) as (keyof typeof leaving)[];

describe("a person who", () => {
  let count = 0;
  /** A boss with a session that the server knows, and a task of theirs that is done. */
  const theirs = async () => {
    count += 1;
    const who = await desk.person(`Boss ${"a".repeat(count)}`, ["boss"]);
    const id = await task(who);
    expect((await who.post(`/api/tasks/${id}/finish`)).status).toBe(200);
    return { who, id };
  };
  const reopen = ({ who, id }: { who: ApiClient; id: string }) => who.post(`/api/tasks/${id}/reopen`);

  test.each(ways)(
    "%s between the two forms of a write writes nothing, though by then it would be permitted",
    async (way) => {
      const { who, id } = await theirs();
      // The fast path finds the wrong state.
      await query("update app.task set status = 'open' where id = $1", [id]);
      let came = 0;
      between = async (queries, rows) => {
        const isTried = queries.at(-1)?.text.includes('UPDATE "app"."task"') === true && rows.at(-1)?.length === 0;
        if (!isTried || came > 0) return;
        came += 1;
        await query("update app.task set status = 'done' where id = $1", [id]);
        await query(leaving[way].by, [who.id]);
      };
      const answer = await reopen({ who, id });
      expect(came).toBe(1);
      expect(answer.status).toBe(leaving[way].boss);
      expect(await stored(id)).toMatchObject({ row: { status: "done" }, lines: ["create", "finish"] });
    },
  );

  test.each(ways)("%s while their write waits for a row writes as permitted before", async (way) => {
    const { of, answer } = await held({
      fresh: theirs,
      write: reopen,
      meanwhile: ({ who }) => query(leaving[way].by, [who.id]),
    });
    expect(answer.status).toBe(200);
    expect(await stored(of.id)).toMatchObject({ row: { status: "open" }, lines: ["create", "finish", "reopen"] });
    expect((await of.who.post(`/api/tasks/${of.id}/finish`)).status).toBe(leaving[way].staff);
  });

  test.each(ways)("%s while their write waits for a row that another request creates writes nothing", async (way) => {
    const { of, answer } = await held({
      fresh: theirs,
      write: reopen,
      meanwhile: async ({ who }, holder) => {
        await query(leaving[way].by, [who.id]);
        await holder("update app.task set status = 'open' where id = $1");
      },
    });
    expect(answer.status).toBe(leaving[way].boss);
    expect((await stored(of.id)).lines).toEqual(["create", "finish"]);
  });
});
