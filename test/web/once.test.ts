import { describe, expect, test } from "vitest";
import { type Calls, createCalls } from "../../src/web/client/calls.ts";
import { createOnce } from "../../src/web/client/once.ts";

/** Asks that are answered when they are told to be, and a clock that goes when it is told to. */
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

describe("what is asked twice", () => {
  test("before the first is answered, or right after, is asked once", async () => {
    const { ask, settle, pass } = asking();
    const both = [ask("a"), ask("a")];
    settle(0);
    expect(await Promise.all(both)).toEqual([0, 0]);
    pass(300);
    expect(await ask("a")).toBe(0);
  });

  test("is asked twice once time has passed, after something else, or after a failure", async () => {
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

describe("every write of the interface", () => {
  const nothing = () => {};
  const sent: string[] = [];
  const send: typeof fetch = async (_, asked) => {
    sent.push(asked?.method ?? "GET");
    return Response.json({});
  };
  const names = Object.keys(createCalls(send, { version: nothing, reached: nothing, signedOut: nothing }));
  /** What is about nothing in particular is given nothing, or it would be taken for what ends it. */
  const alone = "application openPoints document stateCounts questions account registrations held views signOut".split(
    " ",
  );
  const given = (name: string): readonly unknown[] =>
    alone.includes(name) ? [] : name === "changeAccount" ? ["one", { kind: "deactivate" }] : ["one"];

  // That the browser fetches a file is nothing that a call sends.
  test.each(names.filter((name) => name !== "download"))("%s that is made twice at once is sent once", async (name) => {
    const calls = createCalls(send, { version: nothing, reached: nothing, signedOut: nothing });
    const call = calls[name as keyof Calls] as (...given: readonly unknown[]) => Promise<unknown>;
    sent.length = 0;
    await Promise.all([call(...given(name)), call(...given(name))]);
    expect(sent).toHaveLength(sent[0] === "GET" ? 2 : 1);
  });
});
