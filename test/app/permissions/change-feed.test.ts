import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { ChangesJson } from "../../../src/core/wire/changes.ts";
import { database } from "../../postgres.ts";
import { type ApiClient, apiClientAt, example, serveText } from "../program.ts";

/** Members of the lending desk see their own loans and are not notified of others. */
test("a change is announced to people who can see the record before or after it, and to nobody else", async () => {
  const desk = await serveText(readFileSync(example("lending"), "utf8"));
  const [ada, ben, keeper] = [await desk.person("Ada"), await desk.person("Ben"), await desk.person("Kim", ["keeper"])];
  const url = await desk.listen();
  const thing = (await keeper.post("/api/things", { name: "Drill", kind: "tool" })).record().id;
  const ask = async (who: ApiClient) => (await who.post("/api/loans", { thing, due_day: "2999-01-01" })).record().id;
  const own = await ask(ada);
  const live = apiClientAt(url, ada.cookie());
  const other = apiClientAt(url, ben.cookie());

  /** The changes announced to Ada and to Ben after an action; undefined for none within the wait. */
  const toldOf = async (act: () => Promise<unknown>): Promise<readonly (readonly string[] | null | undefined)[]> => {
    const waiting = await Promise.all(
      [live, other].map(async (who) => {
        const { at } = (await who.get("/_/changes")).body as ChangesJson;
        return () => who.get(`/_/changes?after=${at}`).then(({ body }) => (body as ChangesJson).changed);
      }),
    );
    const told = waiting.map((wait) => wait());
    await sleep(700);
    await act();
    const end = sleep(1_500).then(() => undefined);
    return Promise.all(told.map((one) => Promise.race([one, end])));
  };
  expect(await toldOf(() => ask(ben))).toEqual([undefined, ["Loan"]]);
  expect(await toldOf(() => keeper.post(`/api/loans/${own}/hand_over`))).toEqual([["Loan"], undefined]);
  const deleted = await ask(ada);
  expect(await toldOf(() => ada.delete(`/api/loans/${deleted}`))).toEqual([["Loan"], undefined]);
  const places = [await live.get("/_/changes"), await live.get("/_/changes")].map(
    (one) => (one.body as ChangesJson).at,
  );
  expect(new Set(places).size).toBe(2);
});

/** Otherwise all pages would read everything again at once. */
test("after a restart, a page hears of the changes that it missed, even of many", async () => {
  const text = readFileSync(example("lending"), "utf8");
  const stored = await database();
  const before = await serveText(text, { database: stored });
  const { at } = (await (await before.person("Ada")).get("/_/changes")).body as ChangesJson;
  await stored.query(
    `insert into ninefold.audit (entity, record, action, clause, document, changes)
     select 'Thing', gen_random_uuid(), 'update', '6.Thing', 1, '{}' from generate_series(1, 1000)`,
  );
  const after = await serveText(text, { database: stored });
  const keeper = await after.person("Kim", ["keeper"]);
  const { changed } = (await keeper.get(`/_/changes?after=${at}`)).body as ChangesJson;
  expect(changed).toContain("Thing");
  await stored.end();
});
