import { describe, expect, test } from "vitest";
import { createOnce } from "../../../src/web/api/dedupe-mutations.ts";

/** Requests that complete on demand, and a manual clock. */
const asking = () => {
  let time = 0;
  const settled: ((done: boolean) => void)[] = [];
  const once = createOnce<number>(() => time);
  const ask = (what: string) =>
    once(
      what,
      () =>
        new Promise((resolve, reject) => {
          const nth = settled.length;
          settled.push((done) => (done ? resolve(nth) : reject(new Error(`refused ${nth}`))));
        }),
    );
  return { ask, settle: (nth: number, done = true) => settled[nth]?.(done), pass: (ms: number) => (time += ms) };
};

describe("a repeated mutation", () => {
  test("is sent once before and shortly after its response", async () => {
    const { ask, settle, pass } = asking();
    const both = [ask("a"), ask("a")];
    settle(0);
    expect(await Promise.all(both)).toEqual([0, 0]);
    pass(300);
    expect(await ask("a")).toBe(0);
  });

  test("is sent again after some time, after another one, or after a failure", async () => {
    const { ask, settle, pass } = asking();
    const first = ask("a");
    settle(0);
    await first;
    pass(500);
    const later = ask("a");
    settle(1);
    expect(await later).toBe(1);
    const other = ask("b");
    const again = ask("a");
    settle(2);
    settle(3, false);
    expect(await other).toBe(2);
    await expect(again).rejects.toThrow("refused 3");
    const repeated = ask("a");
    settle(4);
    expect(await repeated).toBe(4);
  });
});
