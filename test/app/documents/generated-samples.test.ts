import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Application } from "../../../src/core/wire/application.ts";
import { createSampleData } from "../../../src/server/sample/sample.ts";
import { open } from "../../../src/server/serving/open-document.ts";
import { database } from "../../postgres.ts";
import { listEmpty } from "../empty-screens.ts";
import { compiled, serveText, type TestServer } from "../program.ts";
import { sampleDays, USUAL_DAY } from "../sample-days.ts";

/*
 * The samples of a document without a story. Its mechanics add parts and hours in a role that the order gives them, and
 * only while it is in repair.
 */

const text = readFileSync("test/app/documents/bicycles.md", "utf8");

const serveAt = (now: Date): Promise<TestServer> => serveText(text, { demonstration: true, app: { clock: () => now } });

test("not much more is refused than permitted, since a refused act costs time and leaves nothing", async () => {
  const store = await database();
  const opened = await open(compiled(text).model, compiled(text), { owner: store.url, app: store.appUrl });
  const tried = { permitted: 0, refused: 0 };
  const perform: typeof opened.service.perform = async (...act) => {
    const outcome = await opened.service.perform(...act);
    tried[outcome.kind === "refusal" ? "refused" : "permitted"]++;
    return outcome;
  };
  await createSampleData({ ...opened.service, perform }, new Date(USUAL_DAY));
  await opened.close();
  expect(tried.refused).toBeLessThan(1.5 * tried.permitted);
});

describe.each(sampleDays)("samples of the bicycle shop on %s", (day) => {
  const now = new Date(day);
  let shop: Promise<TestServer> | undefined;
  const served = () => (shop ??= serveAt(now));
  const query = async (statement: string) => (await (await served()).database.query(statement)).rows;

  test("fill every screen for everybody", async () => {
    const visitor = (await served()).visitor();
    const { signIn } = (await visitor.get("/_/application")).body as Application;
    const found: Record<string, readonly string[]> = {};
    for (const { name, roles } of signIn.demonstration ?? [])
      if (!roles.includes("administrator")) found[name] = await listEmpty(await (await served()).signInAs(name), now);
    expect(Object.keys(found)).toHaveLength(7);
    expect(signIn.demonstration?.find(({ roles }) => roles.includes("mechanic"))?.does).toEqual([
      "Take and finish orders",
    ]);
    expect(Object.entries(found).filter(([, empty]) => empty.length > 0)).toEqual([]);
  });

  test("have parts and hours of each finished repair, by the mechanic of the order", async () => {
    expect(
      await query(`select count(*)::int as finished, count(*) filter (where not exists (
          select from app.work w where w."order" = o.id and w.done_by = o.mechanic))::int as idle
        from app."order" o where status in ('ready', 'picked_up', 'paid') having count(*) > 5`),
    ).toMatchObject([{ idle: 0 }]);
    expect(await query(`select 1 from app.used_part having count(*) > 15`)).toHaveLength(1);
  });

  test("spread the work over several mechanics, and name nobody else as one", async () => {
    const mechanics = await query(
      `select u.roles from app."order" o join app."user" u on u.id = o.mechanic group by u.id having count(*) > 2`,
    );
    expect(mechanics).toEqual(Array.from({ length: 3 }, () => ({ roles: ["mechanic"] })));
  });

  test("have deputies only for those who can hand a role over", async () => {
    expect(
      await query(`select distinct a.roles as away, b.roles as deputy from app.deputy d
        join app."user" a on a.id = d.person join app."user" b on b.id = d.deputy`),
    ).toEqual([{ away: ["manager"], deputy: ["manager"] }]);
  });

  test("use the examples of a field that has a default, row by row, and names of people", async () => {
    const parts = await query(
      "select name, price::float as price from app.part where name in ('Chain', 'Spoke') order by name",
    );
    expect(parts).toEqual([
      { name: "Chain", price: 24.9 },
      { name: "Spoke", price: 1.2 },
    ]);
    expect(await query("select 1 from app.part where stock > 20")).not.toEqual([]);
    const pairs = new Set(
      (await query("select make || ' ' || model as bicycle from app.bicycle")).map(({ bicycle }) => bicycle),
    );
    expect(pairs.size).toBeLessThan(6);
    expect(await query("select 1 from app.customer where name ~ '[0-9]'")).toEqual([]);
  });
});
