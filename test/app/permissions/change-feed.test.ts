import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { ChangesJson } from "../../../src/core/wire/changes.ts";
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

  /** The changes announced after an action; undefined for none within the wait. */
  const toldOf = async (act: () => Promise<unknown>): Promise<readonly string[] | null | undefined> => {
    const { at } = (await live.get("/_/changes")).body as ChangesJson;
    const waiting = live.get(`/_/changes?after=${at}`).then(({ body }) => (body as ChangesJson).changed);
    await sleep(700);
    await act();
    return Promise.race([waiting, sleep(1_500).then(() => undefined)]);
  };
  expect(await toldOf(() => ask(ben))).toBeUndefined();
  expect(await toldOf(() => keeper.post(`/api/loans/${own}/hand_over`))).toEqual(["Loan"]);
  const other = await ask(ada);
  expect(await toldOf(() => ada.delete(`/api/loans/${other}`))).toEqual(["Loan"]);
  const places = [await live.get("/_/changes"), await live.get("/_/changes")].map(
    (one) => (one.body as ChangesJson).at,
  );
  expect(new Set(places).size).toBe(2);
});
